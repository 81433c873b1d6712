package executor

import (
	"fmt"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/actors/storage/blocks"
	"github.com/coherer/coherer/actors/storage/memory"
	"github.com/coherer/coherer/messages/app"
	storagepb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// taskCache is what one task reads and keeps of persisted datasets. It mirrors BlockManager.getOrElseUpdate.
type taskCache struct {
	w *work
	b *rpcenv.Blocking
}

// Get is a kept partition: of this executor, else of one that BlockManagerMaster names. One that cannot be fetched is
// computed; of a LocalCheckpoint it is an error.
func (t taskCache) Get(node, partition int) (kept rdd.Kept, ok bool, err error) {
	p := t.w.persisted(node)
	if p == nil {
		return rdd.Kept{}, false, nil
	}
	id := blocks.ID(p.GetRddId(), partition)
	if here, ok := t.w.cached.Get(id); ok {
		kept := rdd.Kept{Records: here.Records, Pieces: here.Pieces}
		if here.Decode != nil {
			kept.Decode = taskWriter{here.Decode, t}
		}
		return kept, true, t.report() // it may have come back to memory
	}
	q := &storagepb.GetLocationsAndStatus{BlockId: id, RequesterHost: t.w.self.GetHost()}
	r, err := rpcenv.AskWait(t.b, t.w.master, q)
	if err != nil {
		return rdd.Kept{}, false, t.orKilled(fmt.Errorf("ask who has block %s: %w", id, err))
	}
	for _, at := range r.GetLocations() {
		if at.GetExecutorId() == t.w.self.GetExecutorId() {
			continue // it was given up a moment ago
		}
		if pieces, err := t.fetch(at, id); err == nil {
			return rdd.Kept{Pieces: pieces}, true, nil
		}
		if t.b.Done() {
			return rdd.Kept{}, false, errKilled
		}
	}
	if p.GetLocalCheckpoint() {
		return rdd.Kept{}, false, fmt.Errorf("Checkpoint block %s not found! Either the executor that originally checkpointed this partition is no "+
			"longer alive, or the original RDD is unpersisted. If this problem persists, you may consider using `rdd.checkpoint()` instead, "+
			"which is slower than local checkpointing but more fault-tolerant.", id)
	}
	return rdd.Kept{}, false, nil
}

// fetch brings a block from another executor.
func (t taskCache) fetch(at *storagepb.BlockManagerId, id string) (pieces [][]byte, err error) {
	from := rpcenv.Address{Host: at.GetHost(), Port: int(at.GetPort())}
	err = t.w.io.Transfer.Fetch(t.b, from, []string{id}, func(_ int, data []byte) (err error) {
		pieces, err = blocks.Decode(data)
		return err
	})
	return pieces, err
}

// Put begins to keep a partition here; nil when another task has kept it meanwhile.
func (t taskCache) Put(node, partition int) rdd.PartitionWriter {
	p := t.w.persisted(node)
	if p == nil {
		return nil
	}
	w := t.w.cached.Writer(blocks.ID(p.GetRddId(), partition), levelOf(p.GetLevel()))
	if w == nil {
		return nil
	}
	return taskWriter{w, t}
}

// taskWriter is a Writer whose block is reported.
type taskWriter struct {
	*blocks.Writer
	t taskCache
}

// Commit keeps the block, and returns when BlockManagerMaster knows of it and of what had to give way.
func (w taskWriter) Commit() error {
	if err := w.Writer.Commit(); err != nil {
		return err
	}
	return w.t.report()
}

// CommitRecords is Commit of a block that is kept as records.
func (w taskWriter) CommitRecords(records any, encode func() [][]byte) error {
	w.Writer.CommitRecords(records, encode)
	return w.t.report()
}

// report waits until BlockManagerMaster has all changes of this executor's blocks.
func (t taskCache) report() error {
	if !t.w.cached.Changed() {
		return nil
	}
	env := t.b.Env()
	if _, err := rpcenv.AskWait(t.b, env.Ref(env.Address(), Name), ReportBlocks{}); err != nil {
		return t.orKilled(fmt.Errorf("report blocks: %w", err))
	}
	return nil
}

func (t taskCache) orKilled(err error) error {
	if t.b.Done() {
		return errKilled
	}
	return err
}

// taskMemory is the task's side of the executor's memory. What cached blocks had to give way is reported before the task goes on.
type taskMemory struct {
	memory.Task
	cache taskCache
}

// Acquire takes up to n bytes, and returns how many.
func (m taskMemory) Acquire(n int64) int64 {
	got := m.Task.Acquire(n)
	if err := m.cache.report(); err != nil {
		return got // the task finds out that it was killed, or that its driver is gone, by itself
	}
	return got
}

// checkpoints are the folders of the nodes whose partitions lie in files.
func (w *work) checkpoints() map[int]string {
	out := map[int]string{}
	for _, p := range w.desc.GetPersisted() {
		if folder := p.GetCheckpoint(); folder != "" {
			out[int(p.GetNode())] = folder
		}
	}
	return out
}

// persisted is the entry of a node that is kept; nil for another node.
func (w *work) persisted(node int) *app.PersistedNode {
	for _, p := range w.desc.GetPersisted() {
		if int(p.GetNode()) == node {
			return p
		}
	}
	return nil
}

func levelOf(l *storagepb.StorageLevel) blocks.Level {
	return blocks.Level{Memory: l.GetUseMemory(), Disk: l.GetUseDisk(), Deserialized: l.GetDeserialized(), Replication: l.GetReplication()}
}
