package executor

import (
	"fmt"
	"hash"
	"io"
	"iter"
	"time"

	"github.com/coherer/coherer/actors/executor/fetch"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/actors/storage/blocks"
	"github.com/coherer/coherer/actors/storage/memory"
	"github.com/coherer/coherer/messages/app"
	storagepb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// work is a task attempt outside the inbox.
type work struct {
	desc    *app.TaskDescription
	lineage *rdd.Lineage
	outputs map[int][]*storagepb.MapStatus
	io      IO
	self    *storagepb.BlockManagerId
	server  *storagepb.BlockManagerId // of its map outputs
	driver  rpcenv.Address
	limits  limits
	memory  *memory.Manager
	cached  *blocks.Store
	master  rpcenv.Ref         // BlockManagerMaster
	sum     func() hash.Hash32 // of shuffle blocks; nil: they have none
	began   time.Time
	fetched fetch.Metrics
	// read counts records of its input and of shuffles, while it runs.
	read rdd.Counter
}

// run computes the partition.
func (w *work) run(b *rpcenv.Blocking) (*app.TaskResult, error) {
	d := w.desc
	result := &app.TaskResult{}
	var metrics rdd.Metrics
	t := rdd.Task{
		Node: int(d.GetNode()), Partition: int(d.GetPartitionId()), Split: d.GetSplit(), FS: w.io.FS,
		Fetch: func(shuffle, reduce int) iter.Seq2[io.Reader, error] { return w.fetch(b, shuffle, reduce) },
		Spill: w.io.Blocks, SpillAfter: w.limits.spillAfter, Metrics: &metrics,
		Memory: taskMemory{w.memory.Task(d.GetTaskId()), taskCache{w, b}},
		Done: func() error {
			if b.Done() {
				return errKilled
			}
			return nil
		},
		Sleep:       b.Sleep,
		Cache:       taskCache{w, b},
		Checkpoints: w.checkpoints(),
		OnInput:     func(n int64) { result.BytesRead += n },
		Read:        &w.read,
		Accumulated: func(updates []rdd.Update) {
			for _, u := range updates {
				result.Accumulated = append(result.Accumulated, &app.Accumulated{Name: u.Name, Value: u.Value})
			}
		},
	}
	if len(d.GetAddresses()) > 0 {
		t.Barriers = &barriers{b: b, desc: d, at: w.driver}
	}
	// Nothing is left, unless a panic ended it.
	defer w.memory.EndTask(d.GetTaskId())
	if action := rdd.Action(d.GetAction()); (action == rdd.ActionSave || action == rdd.ActionCheckpoint) && d.ShuffleId == nil {
		err := w.save(b, t, result)
		report(result, &metrics, w.fetched)
		return result, err
	}
	// Without a shuffle to write for, the task is one of the result stage.
	if d.ShuffleId == nil {
		r, err := w.lineage.RunResult(t, rdd.Action(d.GetAction()))
		if err != nil {
			return nil, err
		}
		result.Count = r.Count
		report(result, &metrics, w.fetched)
		return result, w.bring(result, r.Records)
	}
	shuffle, err := w.shuffleIndex()
	if err != nil {
		return nil, err
	}
	result.MapStatus, err = w.writeMap(t, shuffle)
	report(result, &metrics, w.fetched)
	return result, err
}

// progress is how many records it has read so far, and for how many milliseconds it has run.
func (w *work) progress(now time.Time) (records, ms int64) {
	return w.read.Records(), now.Sub(w.began).Milliseconds()
}

// shuffleIndex is the lineage's index of the shuffle that the task writes for.
func (w *work) shuffleIndex() (int, error) {
	for i, id := range w.desc.GetShuffles() {
		if id == w.desc.GetShuffleId() {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%w: %s writes shuffle %d, which its job does not have", rdd.ErrBadTask, w.desc.GetName(), w.desc.GetShuffleId())
}
