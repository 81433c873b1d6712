package tasks

import (
	"testing"
	"time"

	"github.com/coherer/coherer/actors/driver/exclude"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/storage"
)

func TestSizesAreInSparksUnits(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0.0 B", 2047: "2047.0 B", 2048: "2.0 KiB", 1<<21 - 1: "2048.0 KiB", 1 << 21: "2.0 MiB", 1 << 30: "1024.0 MiB", 1 << 31: "2.0 GiB",
		1 << 41: "2.0 TiB", 1<<51 - 1<<40: "2047.0 TiB", 1 << 51: "2.0 PiB", 1 << 61: "2.0 EiB", 1<<63 - 1: "8.0 EiB", 2560: "2.5 KiB",
	} {
		if got := byteText(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}

// A set fails once, and counts further failures of its attempts as ends of attempts, unless it is to do as Spark 4.1 does.
func TestASetFailsOnce(t *testing.T) {
	for _, k := range []struct {
		faults Faults
		second []string
	}{
		{Faults{}, []string{"BadJob 1.0 of 0.0"}},
		{Faults{AbortsTwice: true}, []string{"BadJob 1.0 of 0.0", "failed 0.0"}},
	} {
		p := newKit(1, Config{MaxFailures: 4, Faults: k.faults})
		p.Submit(newSet(0, 0, 0, 3))
		p.Offers(at{{"a", "h", 2}}, inOrder)
		want(t, texts(p.fail(0, KindBadJob)), "BadJob 0.0 of 0.0", "failed 0.0")
		want(t, texts(p.fail(1, KindBadJob)), k.second...)
		if len(p.sets) > 0 || p.queue.Len() > 0 {
			t.Errorf("%+v: the set is still there", k.faults)
		}
	}
}

// The first attempt that is too large fails the set, and the others are cancelled with it.
func TestFurtherAttemptsThatCannotBeSentAreCancelled(t *testing.T) {
	p := pool(newSet(0, 0, 0, 2))
	p.Offers(at{{"a", "h", 2}}, inOrder)
	want(t, texts(p.Abort(0, "too large")), "TaskTooLarge 0.0 of 0.0", "failed 0.0")
	got := p.Abort(1, "too large")
	want(t, texts(got), "TaskKilled 1.0 of 0.0")
	if r := got[0].(CompletionEvent).Reason; r.Text != "TaskKilled (Stage cancelled)" {
		t.Errorf("%+v", r)
	}
}

// A partition that came otherwise is one task of each set of the stage that has it and still starts tasks.
func TestACompletedPartitionNeedsNoTask(t *testing.T) {
	s := newSet(0, 0, 0, 2)
	s.Tasks[1].Partition = 3
	p := pool(s)
	for _, partition := range []int32{2, 7, -1} {
		p.PartitionCompleted(0, partition, p.now)
	}
	if p.sets[0].done != 0 {
		t.Error("a task is done though its partition did not come")
	}
	p.PartitionCompleted(0, 3, p.now)
	want(t, names(p.Offers(at{{"a", "h", 9}}, inOrder)), "a: task 0.0 in stage 0.0 (TID 0)")
	p.finish(0)
	p.Submit(newSet(1, 0, 0, 1))
	if !p.Waiting() {
		t.Error("the set does not wait")
	}
	p.PartitionCompleted(1, 0, p.now)
	if len(p.sets) > 0 {
		t.Error("the set is not forgotten with its last partition")
	}

	p.Submit(newSet(2, 0, 0, 2))
	p.PartitionCompleted(2, 0, p.now)
	p.Offers(at{{"a", "h", 1}}, inOrder)
	if p.Waiting() {
		t.Error("a task waits whose partition is there")
	}
	p.Submit(newSet(2, 1, 0, 2))
	older := p.of(2)[0]
	p.PartitionCompleted(2, 1, p.now)
	if older.done != 1 {
		t.Error("a set that is over took a partition")
	}
}

// A finished or failed task that has its output elsewhere is not lost with an executor.
func TestWhichOutputsALostExecutorTakesAlong(t *testing.T) {
	const resubmitted = "Resubmitted 0.0 of 0.0"
	for _, k := range []struct {
		name  string
		cfg   Config
		moved int64 // the attempt whose output has moved; -1: none
		loss  Loss
		want  []string
	}{
		{"lost", Config{}, -1, Loss{}, []string{resubmitted}},
		{"a shuffle service has them", Config{ExternalShuffle: true}, -1, Loss{}, nil},
		{"a shuffle service has them, and the machine goes", Config{ExternalShuffle: true}, -1, Loss{Decommissioned: true}, []string{resubmitted}},
		{"the machine goes", Config{}, -1, Loss{Decommissioned: true}, []string{resubmitted}},
		{"they were moved", Config{}, 0, Loss{Decommissioned: true}, nil},
		{"another's was moved", Config{}, 1, Loss{Decommissioned: true}, []string{resubmitted}},
		{"they were moved, and then it crashed", Config{}, 0, Loss{}, nil},
	} {
		p := newKit(1, k.cfg)
		p.Submit(newMapSet(0, 0, 0, 2))
		p.Offers(at{{"a", "h", 1}}, inOrder)
		p.finish(0)
		p.OutputMoved(k.moved)
		if got := texts(p.ExecutorLost("a", k.loss)); len(got) != len(k.want) || len(got) > 0 && got[0] != k.want[0] {
			t.Errorf("%s: got %v, want %v", k.name, got, k.want)
		}
		if len(p.places) > 0 {
			t.Errorf("%s: the executor is still there", k.name)
		}
	}
	// Spark resubmits what failed there, but not what still runs.
	p := newKit(1, Config{MaxFailures: 4, Faults: Faults{ResubmitsFailed: true}})
	p.Submit(newMapSet(0, 0, 0, 3))
	p.Offers(at{{"a", "h", 2}}, inOrder)
	p.fail(0, KindExceptionFailure)
	p.PartitionCompleted(0, 0, p.now)
	p.PartitionCompleted(0, 1, p.now)
	want(t, texts(p.ExecutorLost("a", Loss{})), "Resubmitted 0.0 of 0.0", "ExecutorLostFailure 1.0 of 0.0")
}

// While nobody knows the reason, attempts wait for it: they are unknown, and end with it.
func TestAttemptsWaitForTheReasonOfALoss(t *testing.T) {
	p := pool(newMapSet(0, 0, 0, 2))
	p.Offers(at{{"a", "h", 2}}, inOrder)
	p.finish(0)
	if e := p.Scheduler.ExecutorLost("a", Loss{Pending: true}, p.now); len(e.DAG) > 0 || !e.Revive {
		t.Errorf("%+v", e)
	}
	if p.Known(1, "a") {
		t.Error("the attempt is known")
	}
	e := p.Scheduler.ExecutorLost("a", Loss{}, p.now)
	want(t, texts(e.DAG), "Resubmitted 0.0 of 0.0", "ExecutorLostFailure 1.0 of 0.0")
	if e.Revive {
		t.Error("its cores are offered a second time")
	}
}

// Failures exclude at once for the set, for the application when the set has succeeded.
func TestExclusionsAreReported(t *testing.T) {
	cfg := Config{MaxFailures: 4, Exclude: exclude.Config{
		Application: true, TaskAndStage: true, TaskAttemptsPerExecutor: 1, TaskAttemptsPerNode: 2, StageTasksPerExecutor: 1,
		StageExecutorsPerNode: 9, ApplicationTasksPerExecutor: 1, ApplicationExecutorsPerNode: 9, Timeout: time.Hour, FetchFailure: true,
	}}
	kinds := func(e Effects) []string {
		var out []string
		for _, event := range e.Exclusions {
			out = append(out, event.Kind.String()+" "+event.Executor)
		}
		return out
	}
	failing := func() *kit {
		p := newKit(1, cfg)
		p.Submit(newSet(0, 0, 0, 1))
		p.Offers(at{{"a", "h", 1}}, inOrder)
		e := p.Scheduler.Update(0, app.TaskState_FAILED, nil, &app.TaskFailure{Message: "m"}, p.now)
		want(t, kinds(e), exclude.ExecutorExcludedForStage.String()+" a")
		return p
	}
	p := failing()
	p.Offers(at{{"b", "h", 1}}, inOrder)
	e := p.Scheduler.Update(1, app.TaskState_FINISHED, mapped(), nil, p.now)
	want(t, kinds(e), exclude.ExecutorExcluded.String()+" a")
	// A set that was cancelled is to blame itself.
	p = failing()
	want(t, kinds(p.Scheduler.Cancel(0, false, "", p.now)))
	if p.Excludes("a", "h") {
		t.Error("the executor is excluded")
	}
	// The only executor is gone, so no executor refuses the set.
	p = failing()
	p.ExecutorLost("a", Loss{})
	if _, e := p.Scheduler.Offers(nil, true, inOrder, p.now); len(e.DAG) > 0 {
		t.Errorf("%+v", e.DAG)
	}
	// Failures of an executor that is gone count no more when one of its name comes.
	two := cfg
	two.Exclude.ApplicationTasksPerExecutor = 2
	p = newKit(1, two)
	for stage := range int32(2) {
		p.Submit(newSet(stage, 0, 0, 1))
		p.Offers(at{{"a", "h", 1}}, inOrder)
		p.fail(p.nextID-1, KindExceptionFailure)
		p.Offers(at{{"b", "h", 1}}, inOrder)
		want(t, kinds(p.Scheduler.Update(p.nextID-1, app.TaskState_FINISHED, mapped(), nil, p.now)))
		p.ExecutorLost("a", Loss{})
	}
}

// The executor whose output could not be fetched is excluded. Where nobody knew the place of the output, nobody is, and a task that
// was done counts once.
func TestAFetchFailureExcludesTheExecutorThatItNames(t *testing.T) {
	p := newKit(1, Config{MaxFailures: 4, Exclude: exclude.Config{Application: true, Timeout: time.Hour, FetchFailure: true}})
	p.Submit(newSet(0, 0, 0, 2))
	p.Offers(at{{"a", "h", 2}}, inOrder)
	p.PartitionCompleted(0, 0, p.now)
	fetch := func(id int64, from *storage.BlockManagerId) int {
		e := p.Scheduler.Update(id, app.TaskState_FAILED, nil, &app.TaskFailure{Kind: KindFetchFailed, BlockManager: from}, p.now)
		return len(e.Exclusions)
	}
	m := p.sets[0]
	if n := fetch(0, nil); n != 0 || m.done != 1 {
		t.Errorf("%d exclusions, %d tasks are done", n, m.done)
	}
	if n := fetch(1, &storage.BlockManagerId{ExecutorId: "x", Host: "hx"}); n != 1 || !p.Excludes("x", "hx") || p.Excludes("a", "h") {
		t.Errorf("%d exclusions", n)
	}
}

// A failure of a task that is done gives its set nothing to start.
func TestAFailedTaskThatIsDoneIsNotPending(t *testing.T) {
	p := pool(newSet(0, 0, 0, 2))
	p.Offers(at{{"a", "h", 2}}, inOrder)
	p.PartitionCompleted(0, 0, p.now)
	e := p.Scheduler.Update(0, app.TaskState_FAILED, nil, &app.TaskFailure{}, p.now)
	if m := p.sets[0]; len(m.pending.noPrefs) > 0 || e.Revive {
		t.Errorf("%v is to start", m.pending.noPrefs)
	}
}
