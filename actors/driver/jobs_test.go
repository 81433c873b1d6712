package driver_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/driver/dag"
	"github.com/coherer/coherer/actors/driver/mapoutput"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

func TestAJobOfTwoStagesOnTwoExecutors(t *testing.T) {
	r := newRig(t, nil)
	j := run(r, words.With([]string{"a b", "c"}))
	a, b := r.launched("0", 1), r.launched("1", 1)
	var names []string
	for _, e := range []*executor{a, b} {
		m := e.task()
		names = append(names, m.GetName())
		if m.ShuffleId == nil || m.GetShuffleId() != 0 || m.GetCpus() != 1 || m.GetJob() != "driver-test-words" {
			t.Errorf("map task %v", m)
		}
		e.update(m, app.TaskState_RUNNING, nil, nil)
		e.finish(m)
	}
	slices.Sort(names)
	if want := []string{"task 0.0 in stage 0.0 (TID 0)", "task 1.0 in stage 0.0 (TID 1)"}; !slices.Equal(names, want) {
		t.Errorf("map tasks %q", names)
	}
	for _, e := range []*executor{a, b} {
		m := e.task()
		if m.ShuffleId != nil || m.GetStageId() != 1 || m.GetAction() != "count" || !slices.Equal(m.GetShuffles(), []int32{0}) {
			t.Errorf("result task %v", m)
		}
		s, err := rpctest.Ask[*storage.MapOutputStatuses](e.Probe, r.at(mapoutput.Name), &storage.GetMapOutputStatuses{})
		if err != nil || len(s.GetStatuses()) != 2 || s.GetStatuses()[0].GetLocation() == nil {
			t.Errorf("a reducer's question: %v, %v", s, err)
		}
		e.finish(m)
	}
	if got := j.counts(); !slices.Equal(got, []int64{0, 1}) {
		t.Errorf("results %v", got)
	}
	_, err := rpctest.Ask[*storage.MapOutputStatuses](a.Probe, r.at(mapoutput.Name), &storage.GetMapOutputStatuses{})
	if !errors.Is(err, mapoutput.ErrUnknownShuffle) {
		t.Errorf("a question after the job's end: %v", err)
	}
}

func TestSeveralJobsAtOnceInOrderOfSubmission(t *testing.T) {
	r := newRig(t, nil)
	first, second := run(r, numbers.With(9)), run(r, numbers.With(9))
	e := r.launched("0", 1)
	for stage := range int32(2) {
		for range 3 {
			m := e.task()
			if m.GetStageId() != stage {
				t.Errorf("%s, want stage %d", m.GetName(), stage)
			}
			e.finish(m)
		}
	}
	if !slices.Equal(first.counts(), []int64{0, 1, 2}) || !slices.Equal(second.counts(), []int64{0, 1, 2}) {
		t.Errorf("results %v %v", first.results, second.results)
	}
}

func TestFourFailuresOfATaskFailTheJob(t *testing.T) {
	r := newRig(t, nil)
	j := run(r, words.With([]string{"a"}))
	e := r.launched("0", 1)
	for range 4 {
		m := e.task()
		if m.GetIndex() != 0 {
			t.Fatalf("%s, want a new try of task 0", m.GetName())
		}
		e.fail(m, "no luck")
	}
	err := j.failure()
	want := "Job aborted due to stage failure: Task 0 in stage 0.0 failed 4 times, most recent failure: " +
		"Lost task 0.3 in stage 0.0 (TID 3) (host0 executor 0): no luck"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if _, ok := errors.AsType[*dag.JobError](err); !ok {
		t.Errorf("%T is no JobError", err)
	}
	e.Quiet(3 * time.Second)
}

func TestADifferentLineageFailsTheJobAtOnce(t *testing.T) {
	r := newRig(t, nil)
	j := run(r, numbers.With(9))
	a, b := r.launched("0", 1), r.launched("1", 1)
	m, other := a.task(), b.task()
	a.update(m, app.TaskState_FAILED, nil, &app.TaskFailure{
		Kind: "LineageDiffers", Message: "rdd: lineage differs: ...",
		Lineage: []string{"job driver-test-numbers", "0 Range int64 with from=0 to=10 partitions=3"},
	})
	err := j.failure()
	if !errors.Is(err, rdd.ErrLineageDiffers) {
		t.Errorf("failure %v", err)
	}
	for _, want := range []string{"\n- 0 Range int64 with from=0 to=9 partitions=3\n", "\n+ 0 Range int64 with from=0 to=10 partitions=3\n"} {
		if strings.Count(err.Error(), want) != 1 {
			t.Errorf("failure %v\nhas not once%s", err, want)
		}
	}
	if k, ok := b.Next().(*app.KillTask); !ok || k.GetTaskId() != other.GetTaskId() {
		t.Errorf("the other task is not killed: %v", k)
	}
}

func TestAFetchFailureComputesTheMissingOutputsAgain(t *testing.T) {
	r := newRig(t, nil)
	j := run(r, words.With([]string{"a b", "c"}))
	a, b := r.launched("0", 1), r.launched("1", 1)
	a.finish(a.task())
	lost := b.task()
	b.finish(lost)
	reduce, other := a.task(), b.task()
	a.update(reduce, app.TaskState_FAILED, nil, &app.TaskFailure{
		Kind: "FetchFailed", ShuffleId: 0, MapIndex: lost.GetIndex(), BlockManager: b.blockManager(), Message: "gone",
	})
	b.finish(other)
	start := r.Now()
	var again []string
	for len(again) < 2 {
		for _, e := range []*executor{a, b} {
			for _, m := range e.Waiting() {
				l := m.(*app.LaunchTask)
				e.Next()
				again = append(again, l.GetData().GetName())
				e.finish(l.GetData())
			}
		}
		r.Advance(10 * time.Millisecond)
	}
	if wait := r.Now().Sub(start); wait < 200*time.Millisecond || wait > 300*time.Millisecond {
		t.Errorf("submitted again after %s", wait)
	}
	if want := []string{"task 0.0 in stage 0.1 (TID 4)", "task 0.0 in stage 1.1 (TID 5)"}; !slices.Equal(again, want) {
		t.Errorf("submitted again: %q", again)
	}
	if got := j.counts(); !slices.Equal(got, []int64{0, 1}) {
		t.Errorf("results %v", got)
	}
}

func TestAStageThatFailsToFetchFourTimesFailsItsJob(t *testing.T) {
	r := newRig(t, nil)
	j := run(r, words.With([]string{"a"}))
	e := r.launched("0", 1)
	e.On(failFetches(e))
	err := j.failure()
	if want := "ResultStage 1 has failed the maximum allowable number of times: 4. Most recent failure reason:\nFetchFailed("; !strings.Contains(err.Error(), want) {
		t.Errorf("failure %v", err)
	}
}

func TestAJobWithoutItsLineageIsRefused(t *testing.T) {
	r := newRig(t, nil)
	p := r.ProbeIn(r.env, "Program")
	_, err := rpctest.Ask[dag.JobResult](p, r.at(dag.Name), dag.JobSubmitted{Invocation: rdd.Invocation{Name: "x"}})
	if !errors.Is(err, rdd.ErrBadJob) {
		t.Error(err)
	}
}

func TestATaskThatIsTooLargeFailsItsJob(t *testing.T) {
	r := newRig(t, map[string]string{"spark.rpc.message.maxSize": "1"})
	j := run(r, words.With([]string{strings.Repeat("x", 1<<20)}))
	r.launched("0", 1)
	if err := j.failure(); !strings.Contains(err.Error(), "spark.rpc.message.maxSize (1048576 bytes)") {
		t.Error(err)
	}
}

// A message beyond what a connection takes would end the executor, and the next three with it.
func TestATaskThatNoConnectionTakesFailsItsJobWhateverTheSetting(t *testing.T) {
	r := newRig(t, map[string]string{"spark.rpc.message.maxSize": "128"})
	j := run(r, words.With([]string{strings.Repeat("x", 65<<20), "y"}))
	r.launched("0", 2)
	if err := j.failure(); !strings.Contains(err.Error(), "exceeds the 67107840 bytes of one message, whatever spark.rpc.message.maxSize") {
		t.Error(err)
	}
}

func TestAResultThatIsTooLargeFailsTheJobAtOnce(t *testing.T) {
	r := newRig(t, nil)
	j := run(r, numbers.With(9))
	e := r.launched("0", 1)
	e.update(e.task(), app.TaskState_FAILED, nil, &app.TaskFailure{Kind: "ResultTooLarge", Message: "the result is too large: ..."})
	want := "Task 0 in stage 0.0 failed, and each other try would fail alike: the result is too large: ..."
	if err := j.failure(); !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
}

func TestResultsThatAreTooLargeFailTheJob(t *testing.T) {
	r := newRig(t, map[string]string{"spark.driver.maxResultSize": "10b"})
	j := run(r, numbers.With(9))
	e := r.launched("0", 1)
	e.update(e.task(), app.TaskState_FINISHED, &app.TaskResult{Records: make([]byte, 6)}, nil)
	e.update(e.task(), app.TaskState_FINISHED, &app.TaskResult{Records: make([]byte, 6)}, nil)
	want := "Total size of serialized results of 2 tasks (12 B) is bigger than spark.driver.maxResultSize (10 B)"
	if err := j.failure(); !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
}

func TestStarvationIsToldEachTimeOutUntilATaskStarts(t *testing.T) {
	r := newRig(t, nil)
	j := run(r, numbers.With(3))
	run(r, numbers.With(3)) // no further warning names it
	r.Advance(46 * time.Second)
	if n := r.count("Starving"); n != 3 {
		t.Errorf("%d warnings in 46 s", n)
	}
	e := r.launched("0", 1)
	m := e.task()
	r.Advance(time.Minute) // two tasks wait for the core
	e.work()
	e.finish(m)
	j.counts()
	r.Advance(time.Minute)
	if n := r.count("Starving"); n != 3 {
		t.Errorf("%d warnings after the job", n)
	}
}

func TestTheDriverStopsInOrder(t *testing.T) {
	r := newRig(t, nil)
	a, b := r.launched("0", 1), r.launched("1", 1)
	j := run(r, numbers.With(9))
	a.task()
	b.task()
	r.stop()
	for _, e := range []*executor{a, b} {
		if m, ok := e.Next().(*app.StopExecutor); !ok {
			t.Errorf("executor %s got %T", e.id, m)
		}
	}
	if err := j.failure(); !errors.Is(err, rpcenv.ErrRefusedStopped) {
		t.Errorf("the job that ran: %v", err)
	}
	if _, err := rpctest.Ask[*app.SparkAppConfig](a.Probe, r.at(driver.Name), &app.RetrieveSparkAppConfig{}); err == nil {
		t.Error("CoarseGrainedScheduler still answers")
	}
	r.stop() // twice does no harm
}
