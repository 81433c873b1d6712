package dag

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

var (
	// keptSums persists what is behind a shuffle: its number as an RDD is 3 when its job comes first.
	keptSums = rdd.Define("dag-test-kept-sums", func(int) rdd.Dataset[ones] {
		return rdd.Persist(sums(), rdd.MemoryAndDisk2)
	})
	// keptFile persists a file, whose number is 1 then.
	keptFile = rdd.Define("dag-test-kept-file", func(path string) rdd.Dataset[string] {
		return rdd.Map(rdd.Cache(rdd.TextFile(path, 2)), func(s string) string { return s })
	})
)

// sums are counted's: three map tasks, two result tasks.
func sums() rdd.Dataset[ones] {
	pairs := rdd.Map(rdd.Range(0, 9, 3), func(i int64) ones { return rdd.PairOf("k", i) })
	return rdd.ReduceByKey(pairs, func(a, b int64) int64 { return a + b }, 2)
}

// keptRig is a rig with BlockManagerMaster (M), whose executors give up three blocks of a dataset.
func keptRig(t *testing.T, fs rdd.FS) *rig {
	t.Helper()
	r := newRigWith(t, nil, fs, func(c *Config) {
		c.Blocks = rpcenv.Ref{Address: c.Scheduler.Address, Name: storage.MasterName}
	})
	r.ProbeIn(r.scheduler.Env, storage.MasterName).On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		if q, ok := m.(storage.RemoveRDD); ok {
			r.heard = append(r.heard, fmt.Sprintf("M: remove %d", q.ID))
			rpcenv.Reply(c, q, storage.RDDRemoved{Blocks: 3})
		}
		return true
	})
	return r
}

// keeps is the report that executor e keeps a partition on host he, or no longer does.
func keeps(id, partition int32, executor string, kept bool) event.PartitionKept {
	return event.PartitionKept{RDD: id, Partition: partition, ExecutorID: executor, Host: "h" + executor, Kept: kept}
}

// keptOnce is a rig whose first job of keptSums is over, and whose map outputs are lost.
func keptOnce(t *testing.T) *rig {
	t.Helper()
	r := keptRig(t, rdd.MemFS{})
	submit(r, keptSums.With(0))
	r.tell(mapped(0, 0, 0, "a", 0), mapped(0, 0, 1, "a", 0), mapped(0, 0, 2, "a", 0))
	r.counts(1, 0)
	r.tell(lost(event.ExecutorLost, "a"))
	r.forget()
	return r
}

// newest is the set that was submitted last, with where its tasks want to run.
func (r *rig) newest() string {
	set := r.sets[len(r.sets)-1]
	var partitions []int32
	for _, t := range set.Tasks {
		partitions = append(partitions, t.Partition)
	}
	return fmt.Sprintf("%s %v at %s", set.ID, partitions, r.hosts())
}

func (r *rig) wantNewest(want string) {
	r.t.Helper()
	r.Settle()
	if got := r.newest(); got != want {
		r.t.Errorf("submitted %s, want %s", got, want)
	}
}

func (r *rig) unpersists(want int, keys ...string) {
	r.t.Helper()
	got, err := rpctest.Ask[RDDsUnpersisted](r.scheduler, r.ref, UnpersistRDDs{Keys: keys})
	if err != nil || got.Blocks != want {
		r.t.Errorf("%d blocks, error %v, want %d", got.Blocks, err, want)
	}
}

// keyOfKept is the key of the first persisted node of a job.
func keyOfKept[T any](t *testing.T, b rdd.Bound[T]) string {
	t.Helper()
	inv, err := b.Invocation()
	if err != nil {
		t.Fatal(err)
	}
	return inv.Lineage.Persisted()[0].Key
}

// getMissingParentStages: of a dataset that is wholly kept nothing is computed, and each task prefers the executors that keep its
// partition (getCacheLocs).
func TestAWhollyKeptDatasetNeedsNoParents(t *testing.T) {
	r := keptOnce(t)
	r.tell(keeps(3, 0, "c", true), keeps(3, 0, "d", true))
	submit(r, keptSums.With(0))
	r.wantNewest("2.0 [0 1 2] at [[] [] []]") // partition 1 lies nowhere
	cancels(r, AllJobsCancelled{}, 1)
	r.tell(keeps(3, 1, "c", true), keeps(3, 1, "c", true))
	submit(r, keptSums.With(0))
	r.wantNewest("5.0 [0 1] at [[hc/c hd/d] [hc/c]]")
	for _, p := range r.sets[len(r.sets)-1].Work.Persisted {
		if l := p.GetLevel(); p.GetNode() != 3 || p.GetRddId() != 3 || !l.GetUseMemory() || !l.GetUseDisk() || l.GetReplication() != 2 || p.GetCheckpoint() != "" {
			t.Errorf("tasks keep %v", p)
		}
	}
	cancels(r, AllJobsCancelled{}, 2)
	r.tell(keeps(3, 0, "c", false))
	submit(r, keptSums.With(0))
	r.wantNewest("7.0 [0 1] at [[hd/d] [hc/c]]")
	cancels(r, AllJobsCancelled{}, 3)
	r.tell(keeps(3, 1, "c", false))
	submit(r, keptSums.With(0))
	r.wantNewest("8.0 [0 1 2] at [[] [] []]")
}

// What an executor kept is lost with its connection, also when a shuffle service has its map outputs.
func TestAKeptPartitionIsLostWithItsExecutor(t *testing.T) {
	for _, kind := range []event.ExecutorKind{event.ExecutorLossPending, event.ExecutorLost} {
		r := keptOnce(t)
		r.tell(keeps(3, 0, "c", true), keeps(3, 0, "d", true), keeps(3, 1, "d", true), lost(kind, "c"))
		submit(r, keptSums.With(0))
		r.wantNewest("3.0 [0 1] at [[hd/d] [hd/d]]")
		cancels(r, AllJobsCancelled{}, 1)
		r.tell(lost(kind, "d"))
		submit(r, keptSums.With(0))
		r.wantNewest("4.0 [0 1 2] at [[] [] []]")
	}
}

// A task that fails to fetch an output, which lies nowhere since what it makes is kept, has not found the kept partition: its stage
// computes all anew.
func TestAStageThatMissedWhatWasKeptComputesItAnew(t *testing.T) {
	r := keptOnce(t)
	r.tell(keeps(3, 0, "c", true), keeps(3, 1, "c", true))
	submit(r, keptSums.With(0))
	r.tell(missed(3, 0, 0, 0, -1, "", 9))
	r.Advance(resubmitDelay)
	r.wantNewest("2.0 [0 1 2] at [[] [] []]")
	submit(r, keptSums.With(0)) // another job trusts in it
	r.wantNewest("4.0 [0 1] at [[hc/c] [hc/c]]")
}

// A dataset that is unpersisted is forgotten by the jobs that run, too, and its blocks are given up. The answer has their number.
func TestAnUnpersistedDatasetIsNotUsed(t *testing.T) {
	r := keptOnce(t)
	r.tell(keeps(3, 0, "c", true), keeps(3, 1, "c", true))
	submit(r, keptSums.With(0))
	submit(r, keptFile.With("none")) // which fails
	r.forget()
	key := keyOfKept(t, keptSums.With(0))
	r.unpersists(3, "unknown", key)
	r.want("M: remove 3")
	r.unpersists(0, key)
	r.want()
	r.tell(end(3, 0, 0, "c", tasks.Reason{Kind: tasks.KindExceptionFailure}), missed(3, 0, 0, 0, 0, "c", 9))
	r.Advance(resubmitDelay)
	r.wantNewest("2.0 [0 1 2] at [[] [] []]")
	if p := r.sets[len(r.sets)-1].Work.Persisted; p != nil {
		t.Errorf("map tasks keep %v", p)
	}
	r.tell(mapped(2, 0, 0, "b", 9), mapped(2, 0, 1, "b", 9), mapped(2, 0, 2, "b", 9))
	r.wantNewest("3.1 [0 1] at [[] []]")
	if p := r.sets[len(r.sets)-1].Work.Persisted; p != nil {
		t.Errorf("tasks keep %v", p)
	}
}

// Several datasets are unpersisted at once: the answer comes after the last of them, and counts the blocks of all.
func TestSeveralDatasetsAreUnpersistedAtOnce(t *testing.T) {
	r := keptOnce(t)
	submit(r, keptSums.With(1))
	r.forget()
	r.unpersists(6, keyOfKept(t, keptSums.With(0)), keyOfKept(t, keptSums.With(1)))
	r.want("M: remove 3", "M: remove 7")
	r.unpersists(0)
}

// A late task may keep a block of a dataset that is no longer kept: the block is given up. Reports of unknown partitions are ignored.
func TestReportsOfWhatIsNotKept(t *testing.T) {
	r := keptOnce(t)
	r.tell(keeps(9, 0, "c", true), keeps(9, 0, "c", false), keeps(3, -1, "c", true), keeps(3, 2, "c", true))
	r.want("M: remove 9")
	submit(r, keptSums.With(0))
	r.wantNewest("2.0 [0 1 2] at [[] [] []]")
}

// What was kept of a file that has changed since is of no use: it is given up, and the file gets another number.
func TestWhatIsKeptOfAFileThatChangedIsGivenUp(t *testing.T) {
	fs := rdd.MemFS{"text": []byte("a\nb\nc\n")}
	r := keptRig(t, versioned{fs, new(int)})
	persisted := func() (ids []int32) {
		for _, p := range r.sets[len(r.sets)-1].Work.Persisted {
			ids = append(ids, p.GetRddId())
		}
		return ids
	}
	submit(r, keptFile.With("text"))
	r.tell(keeps(1, 0, "c", true), keeps(1, 1, "c", true))
	submit(r, keptFile.With("text"))
	r.wantNewest("1.0 [0 1] at [[hc/c] [hc/c]]")
	if got := persisted(); !slices.Equal(got, []int32{1}) {
		t.Errorf("RDDs %v", got)
	}
	r.forget()
	*r.fs.(versioned).version++
	submit(r, keptFile.With("text"))
	r.wantNewest("2.0 [0 1] at [[] []]")
	if !slices.Contains(r.heard, "M: remove 1") {
		t.Errorf("heard %q", r.heard)
	}
	if got := persisted(); !slices.Equal(got, []int32{4}) {
		t.Errorf("RDDs %v", got)
	}
	if (&kept{version: "1", places: make([][]place, 2)}).fits(rdd.Persisted{Version: "1", Partitions: 3}) {
		t.Error("what has another number of partitions fits")
	}
}

// The count of partitions that lie nowhere has to be right whatever is reported twice and whatever is lost.
func TestWhatIsKeptCountsWhatItLacks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := &kept{places: make([][]place, 2), missing: 2}
		want := [2]map[string]bool{{}, {}}
		for range rapid.IntRange(0, 12).Draw(t, "steps") {
			executor := rapid.SampledFrom([]string{"1", "2"}).Draw(t, "executor")
			partition, there := rapid.IntRange(0, 1).Draw(t, "partition"), rapid.Bool().Draw(t, "is there")
			if rapid.IntRange(0, 4).Draw(t, "what") == 0 {
				k.lose(executor)
				delete(want[0], executor)
				delete(want[1], executor)
				continue
			}
			k.set(partition, place{executor: executor}, there)
			if delete(want[partition], executor); there {
				want[partition][executor] = true
			}
		}
		missing := 0
		for i, at := range k.places {
			if len(at) != len(want[i]) || slices.ContainsFunc(at, func(p place) bool { return !want[i][p.executor] }) {
				t.Fatalf("partition %d lies at %v, want %v", i, at, want[i])
			}
			if len(at) == 0 {
				missing++
			}
		}
		if k.missing != missing || k.whole() != (missing == 0) {
			t.Fatalf("missing %d, want %d", k.missing, missing)
		}
	})
}

// A dataset that is kept again, while its shuffles are known, gets another number. A late block of the first keeping is given up.
func TestAKnownDatasetIsKeptAgainByAnotherNumber(t *testing.T) {
	r := keptOnce(t)
	r.unpersists(3, keyOfKept(t, keptSums.With(0)))
	r.forget()
	r.tell(keeps(3, 0, "c", true))
	r.want("M: remove 3")
	submit(r, keptSums.With(0))
	r.tell(mapped(2, 0, 0, "b", 9), mapped(2, 0, 1, "b", 9), mapped(2, 0, 2, "b", 9))
	r.Settle()
	if p := r.sets[len(r.sets)-1].Work.Persisted; len(p) != 1 || p[0].GetRddId() != 4 {
		t.Errorf("tasks keep %v", p)
	}
}
