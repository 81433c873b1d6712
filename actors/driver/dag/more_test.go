package dag

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/rdd"
)

// joinedTwice joins what joined brings with a third side: the stage of the first join and that side's have no parent in common.
var joinedTwice = rdd.Define("dag-test-joined-twice", func(int) rdd.Dataset[rdd.Pair[string, rdd.Both[int64, int64]]] {
	side := func(maps int) rdd.Dataset[ones] {
		return rdd.Map(rdd.Range(0, 9, maps), func(i int64) ones { return rdd.PairOf("k", i) })
	}
	first := rdd.Map(rdd.Join(side(1), side(2), 2), func(p rdd.Pair[string, rdd.Both[int64, int64]]) ones { return rdd.PairOf(p.Key, p.Value.Left) })
	return rdd.Join(first, side(4), 3)
})

// submitWaitingChildStages: the end of a stage concerns its own children. What another waiting stage has lost meanwhile is made again when
// a parent of that one ends.
func TestTheEndOfAStageConcernsItsChildrenAlone(t *testing.T) {
	r := newRig(t, nil)
	submit(r, joinedTwice.With(0))
	sizes := map[int]int32{} // the stages by their numbers of tasks
	for _, set := range r.sets {
		sizes[len(set.Tasks)] = set.ID.Stage
	}
	one, two, four := sizes[1], sizes[2], sizes[4]
	r.tell(mapped(one, 0, 0, "a", 0), lost(event.ExecutorLost, "a"))
	n := len(r.sets)
	for i := range int32(4) {
		r.tell(mapped(four, 0, i, "b", 9))
	}
	if len(r.sets) != n {
		t.Errorf("a stage beside it was submitted: %v", r.sets[n:])
	}
	r.tell(mapped(two, 0, 0, "b", 9), mapped(two, 0, 1, "b", 9))
	r.wantNewest(fmt.Sprintf("%d.1 [0] at [[]]", one))
}

// A task of a join goes where the first of its parents wants it that wants it anywhere.
func TestATaskOfAJoinPrefersTheFirstParentThatDoes(t *testing.T) {
	r := newRig(t, nil)
	submit(r, joined.With(0))
	r.tell(wrote(0, 0, 0, "h1/a", 0, 0, 9), wrote(1, 0, 0, "h2/b", 0, 9, 9), wrote(1, 0, 1, "h2/b", 0, 9, 9))
	r.wantNewest("2.0 [0 1] at [[h2] [h1]]")
}

// storedFile writes what is behind a shuffle of a file.
var storedFile = rdd.Define("dag-test-stored-file", func(path string) rdd.Dataset[ones] {
	pairs := rdd.Map(rdd.TextFile(path, 2), func(s string) ones { return rdd.PairOf(s, int64(1)) })
	return rdd.Checkpoint(rdd.ReduceByKey(pairs, func(a, b int64) int64 { return a + b }, 2))
})

// A job that reads a Checkpoint computes all anew when another job has found its file changed, and so the Checkpoint's keeping ended.
func TestACheckpointThatIsGoneIsNotRead(t *testing.T) {
	r := keptRig(t, versioned{rdd.MemFS{"text": []byte("a\nb\nc\n")}, new(int)})
	submit(r, storedFile.With("text"))
	r.tell(mapped(0, 0, 0, "a", 0), mapped(0, 0, 1, "a", 0))
	r.counts(1, 0)
	r.tell(CheckpointEnded{RDD: 3, Folder: "/c/u/rdd-3"}, lost(event.ExecutorLost, "a"))
	submit(r, storedFile.With("text"))
	r.wantNewest("3.0 [0 1] at [[] []]")
	*r.fs.(versioned).version++
	submit(r, storedFile.With("text"))
	r.wantNewest("4.0 [0 1] at [[] []]")
	r.tell(missed(3, 0, 0, 0, -1, "", 9))
	r.Advance(resubmitDelay)
	r.wantNewest("2.0 [0 1] at [[] []]")
	if slices.ContainsFunc(r.heard, func(m string) bool { return strings.HasPrefix(m, "M:") }) {
		t.Errorf("a Checkpoint has no blocks to give up: %q", r.heard)
	}
}

// Each RDD is described by its own number of partitions and by the number that its blocks have.
func TestRDDsAreDescribedByTheirOwnNumbers(t *testing.T) {
	r := busRig(t, func(c *Config) { c.Blocks = c.Bus })
	submit(r, numberedWords.With([]string{"a"}))
	submit(r, keptSums.With(0))
	r.scheduler.Ask(r.ref, UnpersistRDDs{Keys: []string{keyOfKept(t, keptSums.With(0))}})
	r.Settle()
	submit(r, keptSums.With(0))
	var got []string
	for _, m := range r.posted {
		if start, ok := m.(event.JobStart); ok {
			for _, d := range start.Infos[len(start.Infos)-1].RDDs {
				got = append(got, fmt.Sprintf("%d %s of %d", d.ID, d.Op, d.Partitions))
			}
		}
	}
	wantRDDs(t, got, "3 Persist of 2", "2 Union of 2", "1 Parallelize of 1", "0 Parallelize of 1",
		"7 Persist of 2", "6 ReduceByKey of 2", "8 Persist of 2", "6 ReduceByKey of 2")
}

// A dataset whose file has changed shares no number with what was kept of it.
func TestAFileThatChangedHasNewNumbers(t *testing.T) {
	file := versioned{rdd.MemFS{"text": []byte("a\nb\nc\n")}, new(int)}
	r := busRig(t, func(c *Config) { c.Blocks, c.FS = c.Bus, file })
	submit(r, keptFile.With("text"))
	*file.version++
	submit(r, keptFile.With("text"))
	var got []string
	for _, m := range r.posted {
		if start, ok := m.(event.JobStart); ok {
			for _, d := range start.Infos[0].RDDs {
				got = append(got, fmt.Sprintf("%d %s", d.ID, d.Op))
			}
		}
	}
	wantRDDs(t, got, "2 Map", "1 Persist", "0 TextFile", "5 Map", "4 Persist", "3 TextFile")
}

// The error of a file is that of a job that writes a Checkpoint, too.
func TestTheErrorOfACheckpointsFile(t *testing.T) {
	r := newRigWith(t, nil, rdd.MemFS{}, func(*Config) {})
	r.action, r.node = rdd.ActionCheckpoint, checkpointOf(t, under(t, t.Context(), storedHalf.With(0)).Lineage)
	submit(r, storedHalf.With(0))
	if len(r.bad) != 1 || !errors.Is(r.bad[0], fs.ErrNotExist) || len(r.sets) > 0 {
		t.Error(r.bad, r.sets)
	}
}
