package storage

import (
	"maps"
	"slices"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/storage/blocks"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// KeepBroadcast enters the pieces of a broadcast that the driver keeps. Executors find them from the answer on.
type KeepBroadcast struct {
	rpcenv.Local
	// At is the driver's block manager.
	At     *storage.BlockManagerId
	Pieces []*storage.UpdateBlockInfo
}

// ReplyType makes the answer's type known to the compiler.
func (KeepBroadcast) ReplyType() *rpc.Bool { return nil }

// GiveUpBroadcast makes the executors give up a broadcast, with FromDriver the driver too. It is answered when they have done so, or have
// failed to: an executor that is gone keeps nothing.
type GiveUpBroadcast struct {
	rpcenv.Local
	ID         int64
	FromDriver bool
}

// BroadcastGivenUp answers GiveUpBroadcast with the number of blocks that the executors gave up.
type BroadcastGivenUp struct {
	rpcenv.Local
	Blocks int
}

// ReplyType makes the answer's type known to the compiler.
func (GiveUpBroadcast) ReplyType() BroadcastGivenUp { return BroadcastGivenUp{} }

func (s *Master) keepBroadcast(c *rpcenv.Context, q KeepBroadcast) {
	if s.driver == nil {
		s.driver = &manager{id: q.At, blocks: map[string]*storage.UpdateBlockInfo{}}
	}
	for _, u := range q.Pieces {
		s.driver.update(u)
		s.post(c, event.BlockUpdated{ID: s.driver.id, Block: u.GetBlockId(), Memory: true, Replication: 1, MemorySize: u.GetMemSize()})
	}
	rpcenv.Reply(c, q, &rpc.Bool{Value: true})
}

// giveUpBroadcast forgets the pieces of a broadcast, and asks all block managers of executors to give them up.
func (s *Master) giveUpBroadcast(c *rpcenv.Context, q GiveUpBroadcast) {
	if q.FromDriver && s.driver != nil {
		s.driver.forget(q.ID)
	}
	call := rpcenv.Defer(c, q)
	order := s.order()
	left, removed := len(order)+1, 0
	done := func(n int) {
		removed += n
		if left--; left == 0 {
			call.Reply(BroadcastGivenUp{Blocks: removed})
		}
	}
	for _, id := range order {
		m := s.managers[id]
		m.forget(q.ID)
		if m.endpoint.IsZero() {
			done(0)
			continue
		}
		ask := &storage.RemoveBroadcast{BroadcastId: q.ID, RemoveFromDriver: q.FromDriver}
		rpcenv.Ask(c, m.endpoint, ask, func(r *storage.RemovedBlocks, err error) {
			if err != nil {
				c.Log().Warnf("Error trying to remove broadcast %d from block manager of executor %s: %v", q.ID, id, err)
			}
			done(int(r.GetBlocks()))
		})
	}
	done(0)
}

// forget takes the pieces of a broadcast out of the book of a manager.
func (m *manager) forget(id int64) {
	for _, block := range slices.Sorted(maps.Keys(m.blocks)) {
		if of, ok := blocks.ParseBroadcastID(block); ok && of == id {
			delete(m.blocks, block)
		}
	}
}
