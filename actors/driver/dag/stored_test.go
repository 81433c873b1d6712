package dag

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

var (
	// storedSums writes what is behind a shuffle to files: its number as an RDD is 3 when its job comes first.
	storedSums = rdd.Define("dag-test-stored-sums", func(int) rdd.Dataset[ones] { return rdd.Checkpoint(sums()) })
	// storedOften has one Checkpoint below another, one beside that, and the lowest of all twice.
	storedOften = rdd.Define("dag-test-stored-often", func(int) rdd.Dataset[ones] {
		low := rdd.Checkpoint(rdd.Map(rdd.Checkpoint(sums()), func(p ones) ones { return p }))
		return rdd.Cache(rdd.Union(rdd.Union(low, low), rdd.Checkpoint(sums())))
	})
)

// storedOnce is a rig whose first job of storedSums is over.
func storedOnce(t *testing.T) *rig {
	t.Helper()
	r := keptRig(t, rdd.MemFS{})
	submit(r, storedSums.With(0))
	r.tell(mapped(0, 0, 0, "a", 0), mapped(0, 0, 1, "a", 0), mapped(0, 0, 2, "a", 0))
	r.counts(1, 0)
	return r
}

// again runs a job of storedSums, whose map outputs are there, and returns what it has marked.
func (r *rig) again(stage int32) []Checkpoint {
	r.t.Helper()
	r.marked = nil
	submit(r, storedSums.With(0))
	r.counts(stage, 0)
	return r.marked
}

// folder is where all checkpoints lie.
func (r *rig) folder() string {
	r.t.Helper()
	got, err := rpctest.Ask[CheckpointsFound](r.scheduler, r.ref, FindCheckpoints{})
	if err != nil {
		r.t.Fatal(err)
	}
	return got.Folder
}

// doCheckpoint: a job that has ended well has the Checkpoint written, below a folder that only this application has, which is a random
// UUID. While it is being written no other job has it written too; when that failed, the next job has.
func TestACheckpointIsWrittenOnceAJobHasEndedWell(t *testing.T) {
	r := storedOnce(t)
	if len(r.marked) != 1 || r.marked[0].Node != 3 || r.marked[0].RDD != 3 {
		t.Fatalf("marked %+v", r.marked)
	}
	first := r.marked[0]
	if !regexp.MustCompile("^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/rdd-3$").MatchString(first.Folder) {
		t.Errorf("folder %s", first.Folder)
	}
	if got := r.again(3); got != nil {
		t.Errorf("marked %+v, though it is being written", got)
	}
	r.tell(CheckpointEnded{RDD: 3}, CheckpointEnded{RDD: 9})
	if got := r.folder(); got != "" {
		t.Errorf("checkpoints in %s", got)
	}
	if got := r.again(5); !reflect.DeepEqual(got, []Checkpoint{first}) {
		t.Errorf("marked %+v, want %+v again", got, first)
	}
}

// All checkpoints of an application lie in one folder.
func TestCheckpointsLieInOneFolder(t *testing.T) {
	r := storedOnce(t)
	submit(r, storedSums.With(1))
	r.tell(mapped(2, 0, 0, "a", 9), mapped(2, 0, 1, "a", 9), mapped(2, 0, 2, "a", 9))
	r.counts(3, 0)
	if m := r.marked; len(m) != 2 || m[0].Folder == m[1].Folder || path.Dir(m[0].Folder) != path.Dir(m[1].Folder) {
		t.Errorf("marked %+v", m)
	}
}

// The job that writes is of the Checkpoint's node, commits its parts, and has nothing written itself.
func TestTheJobThatWritesACheckpoint(t *testing.T) {
	r := storedOnce(t)
	r.tell(CheckpointEnded{RDD: 3})
	r.forget()
	r.marked = nil
	r.action, r.node = rdd.ActionCheckpoint, 3
	inv := under(t, t.Context(), storedSums.With(0))
	inv.Output = rdd.JobOutput{Path: "/c/x", Job: "j"}
	r.submitAll(inv)
	r.want("L: job 1 dag-test-stored-sums of stages [2 3]", "L: job 1 stage 3.0: 2 tasks for results", "C: stage 3 of 2", "S: submit 3.0 [0 1]")
	w := r.sets[len(r.sets)-1].Work
	if w.Node != 3 || w.Output.GetPath() != "/c/x" || w.Output.GetJob() != "j" || w.Action != "checkpoint" {
		t.Errorf("%+v", w)
	}
	r.counts(3, 0)
	r.want("L: job 1 stage 3.0 ends: ", "L: job 1 ends: <nil>", fmt.Sprintf(inARow, 1), "C: stage 3 ends", "S: cancel 3: Stage finished")
	if r.marked != nil {
		t.Errorf("marked %+v", r.marked)
	}
}

// Once it is written, jobs read the files: they need nothing of what it is made of, also when map outputs are lost, and also after a
// task failed to fetch. It stays as it is, whatever else is reported of it, and cannot be unpersisted.
func TestAWrittenCheckpointIsRead(t *testing.T) {
	r := storedOnce(t)
	folder := "/c/" + r.marked[0].Folder
	r.tell(CheckpointEnded{RDD: 3, Folder: folder}, CheckpointEnded{RDD: 3}, lost(event.ExecutorLost, "a"))
	if got, want := r.folder(), path.Dir(folder); got != want {
		t.Errorf("checkpoints in %s, want %s", got, want)
	}
	r.tell(keeps(3, 0, "c", true)) // it has no blocks
	r.unpersists(0, keyOfKept(t, storedSums.With(0)))
	for job := range int32(2) {
		submit(r, storedSums.With(0))
		r.wantNewest(fmt.Sprintf("%d.0 [0 1] at [[] []]", 3+2*job))
		if p := r.sets[len(r.sets)-1].Work.Persisted; len(p) != 1 || p[0].GetNode() != 3 || p[0].GetRddId() != 3 || p[0].GetCheckpoint() != folder || p[0].Level != nil {
			t.Errorf("tasks read %v", p)
		}
		r.marked = nil
		r.tell(missed(3+2*job, 0, 0, 0, -1, "", 9))
		r.Advance(resubmitDelay)
		r.wantNewest(fmt.Sprintf("%d.1 [0 1] at [[] []]", 3+2*job))
		r.counts(3+2*job, 1)
		if r.marked != nil {
			t.Errorf("marked %+v", r.marked)
		}
	}
}

// What is kept in blocks is no Checkpoint, whatever is reported.
func TestTheEndOfACheckpointThatIsNone(t *testing.T) {
	r := keptOnce(t)
	r.tell(CheckpointEnded{RDD: 3, Folder: "/c/u/rdd-3"})
	submit(r, keptSums.With(0))
	r.wantNewest("2.0 [0 1 2] at [[] [] []]")
	if r.folder() != "/c/u" {
		t.Error(r.folder())
	}
}

// Of Checkpoints one above the other the lowest is written, each once; the lineage ends there. Others beside them are written too.
func TestTheLowestCheckpointsAreWritten(t *testing.T) {
	r := keptRig(t, rdd.MemFS{})
	submit(r, storedOften.With(0))
	r.tell(mapped(0, 0, 0, "a", 0), mapped(0, 0, 1, "a", 0), mapped(0, 0, 2, "a", 0))
	r.tell(mapped(1, 0, 0, "a", 1), mapped(1, 0, 1, "a", 1), mapped(1, 0, 2, "a", 1))
	for i := range int32(6) {
		r.tell(result(2, 0, i))
	}
	inv := under(t, t.Context(), storedOften.With(0))
	var got []string
	for _, m := range r.marked {
		n := inv.Lineage.Nodes[m.Node]
		got = append(got, fmt.Sprintf("%s of %s", n.Op, inv.Lineage.Nodes[n.Parents[0]].Op))
	}
	if want := []string{"Checkpoint of Map", "Checkpoint of ReduceByKey"}; !slices.Equal(got, want) {
		t.Errorf("marked %q, want %q", got, want)
	}
}

// A Checkpoint whose keeping has ended, since its file changed while its job ran, is not written.
func TestACheckpointOfAFileThatChangedIsNotWritten(t *testing.T) {
	fs := rdd.MemFS{"a": []byte("one\n"), "b": []byte("two\n")}
	r := keptRig(t, versioned{fs, new(int)})
	submit(r, storedHalf.With(0))
	*r.fs.(versioned).version++
	submit(r, storedHalf.With(0))
	r.counts(0, 0)
	if r.marked != nil {
		t.Errorf("marked %+v", r.marked)
	}
	r.counts(1, 0)
	if len(r.marked) != 1 {
		t.Errorf("marked %+v", r.marked)
	}
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

// A job that writes a Checkpoint fails with the error of its file.
func TestTheErrorOfACheckpointsFile(t *testing.T) {
	r := newRigWith(t, nil, rdd.MemFS{}, func(*Config) {})
	r.action, r.node = rdd.ActionCheckpoint, checkpointOf(t, under(t, t.Context(), storedHalf.With(0)).Lineage)
	submit(r, storedHalf.With(0))
	if len(r.bad) != 1 || !errors.Is(r.bad[0], fs.ErrNotExist) || len(r.sets) > 0 {
		t.Error(r.bad, r.sets)
	}
}
