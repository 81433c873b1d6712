package driver_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/driver/dag"
	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/actors/storage/blocks"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/rpc"
	pb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

var (
	keptWords = rdd.Define("kept words", func(text []string) rdd.Dataset[rdd.Pair[string, int64]] {
		ones := rdd.Map(rdd.Parallelize(text, 2), func(w string) rdd.Pair[string, int64] { return rdd.PairOf(w, int64(1)) })
		return rdd.Cache(rdd.ReduceByKey(ones, func(a, b int64) int64 { return a + b }, 2))
	})
	keptLines = rdd.Define("kept lines", func(path string) rdd.Dataset[string] { return rdd.Cache(rdd.TextFile(path, 2)) })
	onWords   = rdd.Define("on words", func(of rdd.Bound[rdd.Pair[string, int64]]) rdd.Dataset[int64] {
		return rdd.Map(rdd.From(of), func(p rdd.Pair[string, int64]) int64 { return p.Value })
	})
)

// The numbers of what keptWords and keptLines persist, as RDDs, when their jobs come first.
const (
	keptWordsRDD = 3
	keptLinesRDD = 1
)

// keeper is an executor that keeps partitions.
type keeper struct {
	*executor
	removed []int32
}

// keeping makes an executor with a block manager.
func (r *rig) keeping(id string, cores int) *keeper {
	r.t.Helper()
	k := &keeper{executor: r.launched(id, cores)}
	k.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		q, ok := m.(*pb.RemoveRdd)
		if ok {
			k.removed = append(k.removed, q.GetRddId())
			rpcenv.Reply(c, q, &pb.RemovedBlocks{Blocks: 1})
		}
		return ok
	})
	q := &pb.RegisterBlockManager{
		BlockManagerId:  &pb.BlockManagerId{ExecutorId: id, Host: "host" + id, Port: 7000},
		StorageEndpoint: &rpc.EndpointRef{Name: "Executor"},
	}
	if _, err := rpctest.Ask[*pb.BlockManagerRegistered](k.Probe, r.at(storage.MasterName), q); err != nil {
		r.t.Fatal(err)
	}
	return k
}

// keeps reports a partition as kept in memory, or as given up.
func (k *keeper) keeps(rdd int32, partition int, there bool) {
	k.r.t.Helper()
	ok, err := rpctest.Ask[*rpc.Bool](k.Probe, k.r.at(storage.MasterName), &pb.UpdateBlockInfo{
		BlockManagerId: &pb.BlockManagerId{ExecutorId: k.id}, BlockId: blocks.ID(rdd, partition), MemSize: 1,
		StorageLevel: &pb.StorageLevel{UseMemory: there, Replication: 1},
	})
	if err != nil || !ok.GetValue() {
		k.r.t.Fatal(ok, err)
	}
	k.r.Settle()
}

// task is the next task that an executor is given.
func (k *keeper) task() *app.TaskDescription {
	k.r.t.Helper()
	return k.Next().(*app.LaunchTask).GetData()
}

// ends reports the success of a task; failure is that of one that failed to fetch an output which lies nowhere.
func (k *keeper) ends(d *app.TaskDescription, fetchFailed bool) {
	k.r.t.Helper()
	u, err := endOf(d, "")
	if err != nil {
		k.r.t.Fatal(err)
	}
	if fetchFailed {
		u.State, u.Result, u.Failure = app.TaskState_FAILED, nil, &app.TaskFailure{Kind: "FetchFailed", ShuffleId: d.GetShuffles()[0], MapIndex: -1}
	}
	k.Send(k.r.at(driver.Name), u)
	k.r.Settle()
}

// all runs what an executor is given until the job has ended, and returns the names of the tasks.
func (k *keeper) all(j *job) (names []string) {
	k.r.t.Helper()
	for k.r.Settle(); !j.done; k.r.Settle() {
		d := k.task()
		names = append(names, fmt.Sprintf("stage %d task %d", d.GetStageId(), d.GetPartitionId()))
		k.ends(d, false)
	}
	if j.err != nil {
		k.r.t.Fatal(j.err)
	}
	return names
}

func wantNames(t *testing.T, got []string, want ...string) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("tasks %q, want %q", got, want)
	}
}

// getMissingParentStages: what a wholly kept dataset is made of is not computed again; of one that is kept in part all of it is.
func TestStagesBehindAWhollyKeptDatasetAreNotNeeded(t *testing.T) {
	r := newRig(t, 1, map[string]string{"coherer.shuffle.kept": "0"}, nil)
	k := r.keeping("0", 1)
	text := keptWords.With([]string{"a", "b"})
	j := run(r, text)
	wantNames(t, k.all(j), "stage 0 task 0", "stage 0 task 1", "stage 1 task 0", "stage 1 task 1")
	k.keeps(keptWordsRDD, 0, true)
	wantNames(t, k.all(run(r, text)), "stage 2 task 0", "stage 2 task 1", "stage 3 task 0", "stage 3 task 1")
	k.keeps(keptWordsRDD, 1, true)
	wantNames(t, k.all(run(r, text)), "stage 5 task 0", "stage 5 task 1")
	wantNames(t, k.all(run(r, onWords.With(text))), "stage 7 task 0", "stage 7 task 1") // another job takes it up
	wantNames(t, k.all(run(r, keptWords.With([]string{"c"}))), "stage 8 task 0", "stage 8 task 1", "stage 9 task 0", "stage 9 task 1")
	k.keeps(keptWordsRDD, 1, false)
	wantNames(t, k.all(run(r, text)), "stage 10 task 0", "stage 10 task 1", "stage 11 task 0", "stage 11 task 1")
}

// The executor that keeps a partition is asked for it first (getCacheLocs), also before what the shuffle behind it prefers.
func TestTasksPreferTheExecutorThatKeepsTheirPartition(t *testing.T) {
	for seed := range uint64(4) {
		r := newRig(t, seed, map[string]string{"spark.locality.wait": "1h"}, rdd.MemFS{"text": []byte("a\nb\nc\nd\n")})
		spare := r.keeping("2", 1)
		all := []*keeper{r.keeping("0", 1), r.keeping("1", 1)}
		b := keptLines.With("text")
		all = append(all, spare)
		run(r, b)
		r.Settle()
		for _, k := range all {
			for len(k.Waiting()) > 0 {
				k.ends(k.task(), false)
			}
		}
		// Whoever computed them: 0 keeps the second partition, 1 the first.
		all[0].keeps(keptLinesRDD, 1, true)
		all[1].keeps(keptLinesRDD, 0, true)
		run(r, b)
		r.Settle()
		for i, k := range all[:2] {
			d := k.task()
			if int(d.GetPartitionId()) != 1-i || len(d.GetPersisted()) != 1 || d.GetPersisted()[0].GetRddId() != keptLinesRDD {
				t.Errorf("seed %d: executor %d got %v", seed, i, d)
			}
		}
	}
}

// An executor whose connection ended keeps nothing for a job that starts before the reason is known.
func TestAnExecutorThatDisconnectedKeepsNothing(t *testing.T) {
	r := newRig(t, 1, map[string]string{"coherer.shuffle.kept": "0"}, nil)
	k := r.keeping("0", 1)
	text := keptWords.With([]string{"a", "b"})
	k.all(run(r, text))
	gone := r.keeping("1", 1)
	gone.keeps(keptWordsRDD, 0, true)
	gone.keeps(keptWordsRDD, 1, true)
	gone.keeps(keptWordsRDD, 0, true) // twice is once
	gone.Crash()
	r.Settle()
	wantNames(t, k.all(run(r, text)), "stage 2 task 0", "stage 2 task 1", "stage 3 task 0", "stage 3 task 1")
}

// A book that is wrong cannot hold a job up: a task that missed what it should not have needed gets it made.
func TestAStageThatMissesAnOutputTrustsInNothingKept(t *testing.T) {
	r := newRig(t, 1, map[string]string{"coherer.shuffle.kept": "0"}, nil)
	k := r.keeping("0", 8)
	text := keptWords.With([]string{"a", "b"})
	k.all(run(r, text))
	k.keeps(keptWordsRDD, 0, true)
	k.keeps(keptWordsRDD, 1, true)
	j := run(r, text)
	r.Settle()
	d := k.task()
	k.ends(d, true) // it is not kept, whatever the book says
	for len(k.Waiting()) > 0 {
		k.ends(k.task(), true)
	}
	r.Advance(200 * time.Millisecond)
	r.Settle()
	if n := len(k.Waiting()); n != 2 { // those that read the outputs wait for them
		t.Errorf("%d tasks were started", n)
	}
	wantNames(t, k.all(j), "stage 2 task 0", "stage 2 task 1", "stage 3 task 0", "stage 3 task 1")
}

func TestUnpersistRemovesTheBlocksOfTheDataset(t *testing.T) {
	r := newRig(t, 1, nil, nil)
	k := r.keeping("0", 1)
	text := keptWords.With([]string{"a", "b"})
	k.all(run(r, text))
	k.keeps(keptWordsRDD, 0, true)
	inv, err := text.Invocation()
	if err != nil {
		t.Fatal(err)
	}
	program := r.ProbeIn(r.env, "program")
	unpersist := func() int {
		got, err := rpctest.Ask[dag.RDDsUnpersisted](program, r.at(dag.Name), dag.UnpersistRDDs{Keys: []string{inv.Lineage.Persisted()[0].Key, "unknown"}})
		if err != nil {
			t.Fatal(err)
		}
		return got.Blocks
	}
	if n := unpersist(); n != 1 || fmt.Sprint(k.removed) != "[3]" {
		t.Errorf("%d blocks, of %v", n, k.removed)
	}
	if n := unpersist(); n != 0 {
		t.Errorf("%d blocks the second time", n)
	}
	k.keeps(keptWordsRDD, 1, true) // a task that still ran has kept it
	if fmt.Sprint(k.removed) != "[3 3]" {
		t.Errorf("removed %v: a block of a dataset that is no more stays", k.removed)
	}
	run(r, text)
	r.Settle()
	if got := k.task().GetPersisted(); len(got) != 1 || got[0].GetRddId() != 4 {
		t.Errorf("persisted anew: %v", got)
	}
}

// What was kept of a file that has changed since is removed.
func TestAChangedFileIsKeptAnew(t *testing.T) {
	fs := rdd.MemFS{"text": []byte("a\nb\n")}
	r := newRig(t, 1, nil, fs)
	k := r.keeping("0", 1)
	k.all(run(r, keptLines.With("text")))
	k.keeps(keptLinesRDD, 0, true)
	fs["text"] = []byte("a\nb\nc\n")
	run(r, keptLines.With("text"))
	r.Settle()
	if got := k.task().GetPersisted(); len(got) != 1 || got[0].GetRddId() != 3 || fmt.Sprint(k.removed) != "[1]" {
		t.Errorf("persisted %v, removed %v", got, k.removed)
	}
}

// Reports of partitions that a dataset does not have change nothing.
func TestReportsOfKeptPartitionsAreNotTrusted(t *testing.T) {
	r := newRig(t, 1, nil, nil)
	k := r.keeping("0", 1)
	text := keptWords.With([]string{"a", "b"})
	k.all(run(r, text))
	k.keeps(keptWordsRDD, 7, true)
	master := r.ProbeIn(r.env, "other")
	master.Send(r.at(dag.Name), event.PartitionKept{RDD: keptWordsRDD, Partition: -1, ExecutorID: "0", Kept: true})
	wantNames(t, k.all(run(r, text)), "stage 3 task 0", "stage 3 task 1")
}
