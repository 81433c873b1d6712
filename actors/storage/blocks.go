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

// RemoveRDD ends the keeping of a persisted dataset on all executors. It is answered when they have done so, or have failed to: an
// executor that is gone keeps nothing.
type RemoveRDD struct {
	rpcenv.Local
	ID int32
}

// RDDRemoved answers RemoveRDD with the number of blocks that were given up.
type RDDRemoved struct {
	rpcenv.Local
	Blocks int
}

// ReplyType makes the answer's type known to the compiler.
func (RemoveRDD) ReplyType() RDDRemoved { return RDDRemoved{} }

// updateBlockInfo enters what a block manager has of a block. One that is not known registers again and then reports all it has.
func (s *Master) updateBlockInfo(c *rpcenv.Context, u *storage.UpdateBlockInfo) {
	m := s.managers[u.GetBlockManagerId().GetExecutorId()]
	if m == nil {
		rpcenv.Reply(c, u, &rpc.Bool{})
		return
	}
	if s.mapOutputMoved(c, m, u) {
		// It is no cached block: MapOutputTracker has the places of map outputs.
	} else if kept, changed := m.update(u); changed {
		s.publish(c, m, u.GetBlockId(), kept)
		// Not when one gave the block up: it had no room, and a copy would push out another.
		if kept {
			s.replicate(c, u.GetBlockId())
		}
	}
	s.post(c, event.BlockUpdated{
		ID: m.id, Block: u.GetBlockId(), Memory: u.GetStorageLevel().GetUseMemory(), Disk: u.GetStorageLevel().GetUseDisk(),
		Deserialized: u.GetStorageLevel().GetDeserialized(), Replication: int(u.GetStorageLevel().GetReplication()),
		MemorySize: u.GetMemSize(), DiskSize: u.GetDiskSize(),
	})
	// After the listeners have it: what the task that made the block brings must not reach them first.
	rpcenv.Reply(c, u, &rpc.Bool{Value: true})
}

// publish reports a change of a kept partition to the listeners.
func (s *Master) publish(c *rpcenv.Context, m *manager, block string, kept bool) {
	rdd, partition, ok := blocks.ParseID(block)
	if !ok {
		return
	}
	for _, l := range s.listeners {
		c.Send(l, event.PartitionKept{
			RDD: rdd, Partition: int32(partition), ExecutorID: m.id.GetExecutorId(), Host: m.id.GetHost(), Kept: kept,
		})
	}
}

// getLocations answers with all that have the block.
func (s *Master) getLocations(c *rpcenv.Context, q *storage.GetLocations) {
	r := &storage.BlockLocations{}
	for _, m := range s.holders(q.GetBlockId(), "") {
		r.Locations = append(r.Locations, m.id)
	}
	rpcenv.Reply(c, q, r)
}

// getLocationsAndStatus answers with those on the asker's host first.
func (s *Master) getLocationsAndStatus(c *rpcenv.Context, q *storage.GetLocationsAndStatus) {
	r := &storage.BlockLocationsAndStatus{}
	for i, m := range s.holders(q.GetBlockId(), q.GetRequesterHost()) {
		r.Locations = append(r.Locations, m.id)
		if i == 0 {
			u := m.blocks[q.GetBlockId()]
			r.StorageLevel, r.MemSize, r.DiskSize = u.GetStorageLevel(), u.GetMemSize(), u.GetDiskSize()
		}
	}
	rpcenv.Reply(c, q, r)
}

// removeRDD forgets the blocks of a dataset, and asks all block managers to give them up.
func (s *Master) removeRDD(c *rpcenv.Context, q RemoveRDD) {
	call := rpcenv.Defer(c, q)
	s.post(c, event.UnpersistRDD{ID: q.ID})
	order := s.order()
	left, removed := len(order)+1, 0
	done := func(n int) {
		removed += n
		if left--; left == 0 {
			call.Reply(RDDRemoved{Blocks: removed})
		}
	}
	for _, id := range order {
		m := s.managers[id]
		for _, block := range slices.Sorted(maps.Keys(m.blocks)) {
			if rdd, _, ok := blocks.ParseID(block); ok && rdd == q.ID {
				delete(m.blocks, block)
			}
		}
		if m.endpoint.IsZero() {
			done(0)
			continue
		}
		rpcenv.Ask(c, m.endpoint, &storage.RemoveRdd{RddId: q.ID}, func(r *storage.RemovedBlocks, err error) {
			if err != nil {
				c.Log().Warnf("Error trying to remove RDD %d from block manager of executor %s: %v", q.ID, id, err)
			}
			done(int(r.GetBlocks()))
		})
	}
	done(0)
}
