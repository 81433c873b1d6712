package dag

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

var lines = rdd.Define("dag-test-lines", func(path string) rdd.Dataset[ones] {
	pairs := rdd.Map(rdd.TextFile(path, 2), func(l string) ones { return rdd.PairOf(l, int64(1)) })
	return rdd.ReduceByKey(pairs, func(a, b int64) int64 { return a + b }, 2)
})

// A stage runs when its parents are complete, and the last one gives the answer.
func TestAJobRunsItsStagesParentsFirst(t *testing.T) {
	r := newRig(t, nil)
	submit(r, chain.With(0))
	r.want("T: shuffle 0 of 3", "T: shuffle 1 of 2",
		"L: job 0 dag-test-chain of stages [0 1 2]", "L: job 0 stage 0.0: 3 tasks for shuffle 0", "S: submit 0.0 [0 1 2]")
	r.tell(mapped(0, 0, 0, "a", 0), mapped(0, 0, 2, "b", 0))
	r.want("T: output 0/0 at a", "T: output 0/2 at b")
	r.tell(mapped(0, 0, 1, "a", 0))
	r.want("T: output 0/1 at a", "T: epoch 1", "L: job 0 stage 0.0 ends: ", "L: job 0 stage 1.0: 2 tasks for shuffle 1", "S: submit 1.0 [0 1]")
	r.tell(mapped(1, 0, 0, "a", 1), mapped(1, 0, 1, "a", 1))
	r.want("T: output 1/0 at a", "T: output 1/1 at a", "T: epoch 2",
		"L: job 0 stage 1.0 ends: ", "L: job 0 stage 2.0: 4 tasks for results", "S: submit 2.0 [0 1 2 3]")
	r.tell(result(2, 0, 3), result(2, 0, 0), result(2, 0, 1))
	r.want()
	r.tell(result(2, 0, 2))
	r.want("L: job 0 stage 2.0 ends: ", "L: job 0 ends: <nil>", "P: job 0: [{0 [48]} {1 [49]} {2 [50]} {3 [51]}]",
		"S: cancel 0: Stage finished", "S: cancel 1: Stage finished", "S: cancel 2: Stage finished")
	if got, want := r.states(), []string{
		"stage ResultStage 2: IDLE to WAITING, parents are missing",
		"stage ShuffleMapStage 1: IDLE to WAITING, parents are missing",
		"stage ShuffleMapStage 0: IDLE to RUNNING, submitted",
		"stage ShuffleMapStage 0: RUNNING to IDLE, complete",
		"stage ShuffleMapStage 1: WAITING to IDLE, parents are complete",
		"stage ShuffleMapStage 1: IDLE to RUNNING, submitted",
		"stage ShuffleMapStage 1: RUNNING to IDLE, complete",
		"stage ResultStage 2: WAITING to IDLE, parents are complete",
		"stage ResultStage 2: IDLE to RUNNING, submitted",
		"stage ResultStage 2: RUNNING to IDLE, complete",
	}; !slices.Equal(got, want) {
		t.Errorf("states %q", got)
	}
}

// The executor learns of a stage by its set alone; stages and shuffles are numbered through all jobs.
func TestASetSaysWhatItsTasksCompute(t *testing.T) {
	r := newRig(t, nil)
	submit(r, chain.With(0))
	r.tell(event.ExecutorChange{Kind: event.ExecutorLost, ExecutorID: "x"}) // epoch 1
	submit(r, lines.With("text"))
	inv, err := lines.With("text").Invocation()
	if err != nil {
		t.Fatal(err)
	}
	splits, err := inv.Lineage.Splits(rdd.MemFS{"text": []byte("a\nb\nc\n")}, 1)
	if err != nil || len(splits) != 2 || bytes.Equal(splits[0], splits[1]) {
		t.Fatal(splits, err)
	}
	work := tasks.Work{
		Job: "dag-test-lines", Args: inv.Args, Digest: inv.Lineage.Digest(), Node: 1, Map: true, Shuffle: 2, Shuffles: []int32{2},
		Action: "collect", Epoch: 1,
	}
	want := tasks.Set{ID: tasks.SetID{Stage: 3}, Job: 1, Work: work, Tasks: []tasks.Task{{Partition: 0, Split: splits[0]}, {Partition: 1, Split: splits[1]}}}
	if got := r.sets[1]; !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
	r.tell(mapped(3, 0, 0, "a", 1), mapped(3, 0, 1, "a", 1))
	work.Node, work.Map, work.Shuffle, work.Epoch = 2, false, 0, 2
	want = tasks.Set{ID: tasks.SetID{Stage: 4}, Job: 1, Work: work, Tasks: []tasks.Task{{Partition: 0}, {Partition: 1}}}
	if got := r.sets[2]; !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
	submit(r, narrow.With(0))
	if got := r.sets[3]; got.ID != (tasks.SetID{Stage: 5}) || got.Job != 2 || got.Work.Shuffles != nil {
		t.Errorf("a job without a shuffle: %+v", got)
	}
}

// The listener hears of each end, also of a job that is over; a kill and a resubmission are marked.
func TestTheListenerHearsOfEachEndOfATask(t *testing.T) {
	r := newRig(t, nil)
	submit(r, narrow.With(0))
	submit(r, narrow.With(0))
	e := tasks.CompletionEvent{
		Set: tasks.SetID{Stage: 1, Attempt: 2}, Index: 3, Partition: 1, TaskID: 5, Attempt: 6, Executor: "a", Host: "h",
		Reason: tasks.Reason{Kind: tasks.KindExceptionFailure, Text: "why"}, Map: true, Level: tasks.RackLocal,
		Speculative: true, Result: &app.TaskResult{Count: 3},
		Launched: time.Unix(1, 0), GettingResult: time.Unix(2, 0), Finished: time.Unix(3, 0),
	}
	killed, again, over := e, e, e
	killed.Reason.Kind, again.Reason.Kind, over.Set.Stage = tasks.KindTaskKilled, tasks.KindResubmitted, 9
	r.tell(e, killed, again, over)
	want := event.TaskEnd{
		JobID: 1, StageID: 1, StageAttempt: 2, TaskID: 5, Index: 3, Partition: 1, Attempt: 6, ExecutorID: "a", Host: "h", Failure: "why", Speculative: true,
		TaskEnded: event.TaskEnded{
			Map: true, Locality: "RACK_LOCAL", Reason: e.Reason, Launched: e.Launched, GettingResult: e.GettingResult, Finished: e.Finished,
			Result: e.Result,
		},
	}
	wants := []event.TaskEnd{want, want, want, want}
	wants[1].Killed, wants[2].Resubmitted = true, true
	wants[1].Reason, wants[2].Reason = killed.Reason, again.Reason
	wants[3].JobID, wants[3].StageID = -1, 9
	if !reflect.DeepEqual(r.ends, wants) {
		t.Errorf("heard\n%+v\nwant\n%+v", r.ends, wants)
	}
}

// Completions are not trusted: those of no stage, and of no partition of it, change nothing.
func TestACompletionOfNoPartitionChangesNothing(t *testing.T) {
	r := newRig(t, nil)
	submit(r, narrow.With(0))
	r.forget()
	r.tell(result(0, 0, -1), result(0, 0, 3), result(7, 0, 0), tasks.TaskSetFailed{Set: tasks.SetID{Stage: 7}})
	r.want()
}

// The first result of a partition counts, whichever attempt brings it.
func TestAPartitionGivesOneResult(t *testing.T) {
	r := newRig(t, nil)
	submit(r, narrow.With(0))
	r.forget()
	second := result(0, 1, 0)
	second.Result = &app.TaskResult{Count: 77}
	r.tell(result(0, 0, 0), second, second, result(0, 0, 1), result(0, 1, 2))
	r.want("L: job 0 stage 0.0 ends: ", "L: job 0 ends: <nil>", "P: job 0: [{0 [48]} {1 [49]} {2 [50]}]", "S: cancel 0: Stage finished")
}

// A set that cannot succeed ends its own job: what runs is killed, what never ran is not, and the next job goes on.
func TestASetThatFailsEndsItsJobAlone(t *testing.T) {
	r := newRig(t, nil)
	submit(r, chain.With(0))
	submit(r, narrow.With(0))
	submit(r, narrow.With(0))
	r.tell(mapped(0, 0, 0, "a", 0), mapped(0, 0, 1, "a", 0), mapped(0, 0, 2, "a", 0))
	r.forget()
	r.tell(tasks.TaskSetFailed{Set: tasks.SetID{Stage: 1}, Reason: "why", Cause: tasks.Reason{Kind: tasks.KindLineageDiffers}})
	const failed = "Job aborted due to stage failure: why"
	r.want("L: job 0 stage 1.0 ends: why", "L: job 0 ends: "+failed, "P: job 0: "+failed, "S: cancel 0: Stage cancelled: "+failed,
		"S: cancel 1: Stage cancelled: "+failed)
	r.failed(0, JobError{JobID: 0, Reason: "why", Kind: tasks.KindLineageDiffers})
	if !errors.Is(r.bad[0], rdd.ErrLineageDiffers) {
		t.Error("a lineage that differs looks like other failures")
	}
	if got := r.states(); got[len(got)-1] != "stage ShuffleMapStage 1: RUNNING to IDLE, why" {
		t.Errorf("states %q", got)
	}
	r.tell(mapped(1, 0, 0, "a", 0), tasks.TaskSetFailed{Set: tasks.SetID{Stage: 1}, Reason: "again"})
	r.want()
	r.tell(tasks.TaskSetFailed{Set: tasks.SetID{Stage: 3}, Reason: "why", Cause: tasks.Reason{Kind: tasks.KindExceptionFailure}})
	r.failed(1, JobError{JobID: 1, Reason: "why", Kind: tasks.KindExceptionFailure})
	if errors.Is(r.bad[1], rdd.ErrLineageDiffers) {
		t.Error("an exception is taken for a lineage that differs")
	}
	r.forget()
	r.tell(ApplicationDead{Reason: "dead"})
	const dead = "Job aborted due to stage failure: dead"
	r.want("L: job 2 stage 4.0 ends: Stage cancelled: "+dead, "L: job 2 ends: "+dead, "P: job 2: "+dead, "S: cancel 4: Stage cancelled: "+dead)
	r.failed(2, JobError{JobID: 2, Reason: "dead"})
}

// Whatever the Master's reason, it is that of all jobs: those that run, those whose files are being split, and later ones.
func TestADeadApplicationFailsAllJobs(t *testing.T) {
	r := newRig(t, nil)
	submit(r, narrow.With(0))
	submit(r, chain.With(0))
	r.forget()
	inv, err := narrow.With(0).Invocation()
	if err != nil {
		t.Fatal(err)
	}
	r.scheduler.Do(func(c *rpcenv.Context) {
		r.ask(c, inv)
		c.Send(r.ref, ApplicationDead{Reason: "dead"})
		r.ask(c, inv)
	})
	const failed = "Job aborted due to stage failure: dead"
	r.want("P: job 0: "+failed, "P: job 1: "+failed, "P: job 2: "+failed, "P: job 3: "+failed,
		"L: job 0 stage 0.0 ends: Stage cancelled: "+failed, "L: job 0 ends: "+failed,
		"L: job 1 stage 1.0 ends: Stage cancelled: "+failed, "L: job 1 ends: "+failed, "L: job 2 ends: "+failed,
		"S: cancel 0: Stage cancelled: "+failed, "S: cancel 1: Stage cancelled: "+failed)
	for i := range 4 {
		r.failed(i, JobError{JobID: int32(i), Reason: "dead"})
	}
	r.Advance(resubmitDelay)
	r.want()
}

// A job whose file is not there fails with that, before anything of it starts.
func TestAJobWhoseFileIsMissingDoesNotStart(t *testing.T) {
	r := newRig(t, nil)
	submit(r, lines.With("none"))
	r.want("L: job 0 ends: rdd: splits of text file: open none: file does not exist",
		"P: job 0: rdd: splits of text file: open none: file does not exist")
	submit(r, narrow.With(0))
	r.want("L: job 1 dag-test-narrow of stages [0]", "L: job 1 stage 0.0: 3 tasks for results", "S: submit 0.0 [0 1 2]")
}

func TestWhatIsNoJobIsRefused(t *testing.T) {
	r := newRig(t, nil)
	_, err := rpctest.Ask[JobResult](r.scheduler, r.ref, JobSubmitted{Invocation: rdd.Invocation{Name: "x"}})
	if !errors.Is(err, rdd.ErrBadJob) || err.Error() != `rdd: bad job: job "x" was submitted without its lineage` {
		t.Error(err)
	}
	if _, err := rpctest.Ask[*app.SparkAppConfig](r.scheduler, r.ref, &app.RetrieveSparkAppConfig{}); !errors.Is(err, rpcenv.ErrRefusedUnsupported) {
		t.Error(err)
	}
}

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
