package executor

import (
	"github.com/coherer/coherer/actors/storage/blocks"
	"github.com/coherer/coherer/messages/rpc"
	storagepb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// ReportBlocks makes the executor report the changes of its blocks to BlockManagerMaster. It is answered when all reports so far are.
// They go through the endpoint, one after the other, so that the last one says how it is.
type ReportBlocks struct{ rpcenv.Local }

// ReplyType makes the answer's type known to the compiler.
func (ReportBlocks) ReplyType() *rpc.Bool { return nil }

// reports are those that BlockManagerMaster has not answered.
type reports struct {
	open    int
	waiting []rpcenv.Call[*rpc.Bool]
}

func (e *Executor) reportBlocks(c *rpcenv.Context, m ReportBlocks) {
	r := &e.state.reports
	r.waiting = append(r.waiting, rpcenv.Defer(c, m))
	e.reportChanges(c)
}

// reportChanges sends what has changed.
func (e *Executor) reportChanges(c *rpcenv.Context) {
	r := &e.state.reports
	for _, s := range e.cached.Changes() {
		r.open++
		rpcenv.Ask(c, e.blocks, e.updateOf(s), func(known *rpc.Bool, err error) {
			r.open--
			switch {
			case err != nil:
				c.Log().Warnf("Block %s was not reported: %v", s.ID, err)
			case !known.GetValue() && !e.state.stopping:
				c.Log().Infof("Got told to re-register updating block %s", s.ID)
				e.registerAgain(c)
			}
			e.reported()
		})
	}
	e.reported()
}

// reported answers the calls that wait for the reports, when none is open.
func (e *Executor) reported() {
	r := &e.state.reports
	if r.open > 0 {
		return
	}
	waiting := r.waiting
	r.waiting = nil
	for _, call := range waiting {
		call.Reply(&rpc.Bool{Value: true})
	}
}

// registerAgain enters the block manager anew, with all its blocks. It mirrors BlockManager.reregister.
func (e *Executor) registerAgain(c *rpcenv.Context) {
	if e.state.registering { // of several reports that were refused the first one counts
		return
	}
	e.state.registering = true
	e.registerBlockManager(c, true, func() {
		e.state.registering = false
		e.cached.NoteAll()
		e.reportChanges(c)
	})
}

func (e *Executor) updateOf(s blocks.Status) *storagepb.UpdateBlockInfo {
	u := &storagepb.UpdateBlockInfo{
		BlockManagerId: e.blockManagerID(), BlockId: s.ID, MemSize: s.MemSize, DiskSize: s.DiskSize, StorageLevel: protoLevel(s.Level),
	}
	if s.Wanted.Replication > 1 {
		u.WantedLevel = protoLevel(s.Wanted)
	}
	return u
}

func protoLevel(l blocks.Level) *storagepb.StorageLevel {
	return &storagepb.StorageLevel{UseMemory: l.Memory, UseDisk: l.Disk, Deserialized: l.Deserialized, Replication: l.Replication}
}

// removeRDD gives up the blocks of a persisted dataset.
func (e *Executor) removeRDD(c *rpcenv.Context, m *storagepb.RemoveRdd) {
	call, cached := rpcenv.Defer(c, m), e.cached
	// In a body: it deletes files.
	rpcenv.Run(c, "", func(*rpcenv.Blocking) (int, error) { return cached.RemoveDataset(m.GetRddId()), nil }, func(n int, err error) {
		if err != nil {
			call.Fail(err)
			return
		}
		c.Log().Infof("Removed RDD %d: %d blocks", m.GetRddId(), n)
		call.Reply(&storagepb.RemovedBlocks{Blocks: int32(n)})
	})
}
