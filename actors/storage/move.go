package storage

import (
	"fmt"
	"maps"
	"slices"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/storage/blocks"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// MovesTo makes the Master send event.MapOutputMoved to endpoints. It is called before the Master is registered.
func (s *Master) MovesTo(refs ...rpcenv.Ref) { s.moves = refs }

// getPeers answers with those that may take blocks.
func (s *Master) getPeers(c *rpcenv.Context, q *storage.GetPeers) {
	r := &storage.Peers{}
	self := q.GetBlockManagerId().GetExecutorId()
	if s.managers[self] != nil {
		for _, id := range s.order() {
			if m := s.managers[id]; id != self && m.takes(s) {
				r.Peers = append(r.Peers, m.id)
			}
		}
	}
	rpcenv.Reply(c, q, r)
}

// takes reports whether blocks of others may be copied to a manager.
func (m *manager) takes(s *Master) bool {
	return !m.endpoint.IsZero() && !s.leaving[m.id.GetExecutorId()]
}

// getReplicateInfo answers with the partitions that a manager keeps.
func (s *Master) getReplicateInfo(c *rpcenv.Context, q *storage.GetReplicateInfoForRDDBlocks) {
	r := &storage.ReplicateInfo{}
	if m := s.managers[q.GetBlockManagerId().GetExecutorId()]; m != nil {
		for _, block := range slices.Sorted(maps.Keys(m.blocks)) {
			if _, _, ok := blocks.ParseID(block); !ok {
				continue
			}
			held := &storage.HeldBlock{BlockId: block}
			for _, other := range s.holders(block, "") {
				// A replica that leaves as well saves nothing.
				if other != m && !s.leaving[other.id.GetExecutorId()] {
					held.Replicas = append(held.Replicas, other.id)
				}
			}
			r.Blocks = append(r.Blocks, held)
		}
	}
	rpcenv.Reply(c, q, r)
}

// moveBlock has a block copied to the manager that the asker has chosen, and answers when it is there. Executors do not reach each
// other's endpoints, so the request goes by way of the driver; the block does not.
func (s *Master) moveBlock(c *rpcenv.Context, q *storage.MoveBlock) {
	from, to := s.managers[q.GetFrom().GetExecutorId()], s.managers[q.GetTo().GetExecutorId()]
	switch {
	case from == nil:
		rpcenv.Fail(c, q, fmt.Errorf("move block %s: executor %q has no block manager", q.GetBlockId(), q.GetFrom().GetExecutorId()))
		return
	case to == nil || to == from:
		rpcenv.Fail(c, q, fmt.Errorf("move block %s: executor %q has no block manager that could take it", q.GetBlockId(), q.GetTo().GetExecutorId()))
		return
	case !to.takes(s):
		rpcenv.Fail(c, q, fmt.Errorf("%w: executor %s takes no block", ErrDecommissioned, to.id.GetExecutorId()))
		return
	}
	call := rpcenv.Defer(c, q)
	copyOf := &storage.CopyBlock{BlockId: q.GetBlockId(), From: from.id, Level: q.GetLevel(), Sizes: q.GetSizes()}
	rpcenv.Ask(c, to.endpoint, copyOf, func(taken *rpc.Bool, err error) {
		if err != nil {
			call.Fail(err)
			return
		}
		call.Reply(taken)
	})
}

// mapOutputMoved reports that a map output lies at another executor from now on; false for another block.
func (s *Master) mapOutputMoved(c *rpcenv.Context, m *manager, u *storage.UpdateBlockInfo) bool {
	shuffle, mapID, ok := ParseMapOutputID(u.GetBlockId())
	if !ok {
		return false
	}
	if u.GetStorageLevel().GetUseDisk() {
		for _, to := range s.moves {
			c.Send(to, event.MapOutputMoved{Shuffle: shuffle, MapID: mapID, To: m.id})
		}
	}
	return true
}
