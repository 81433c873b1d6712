package dag

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	logtest "github.com/sirupsen/logrus/hooks/test"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// busRig is a rig with LiveListenerBus (U) beside the listener.
func busRig(t *testing.T, change func(*Config)) *rig {
	t.Helper()
	r := newRigWith(t, nil, rdd.MemFS{}, func(c *Config) {
		c.Bus = rpcenv.Ref{Address: c.Scheduler.Address, Name: "Bus"}
		change(c)
	})
	r.ProbeIn(r.scheduler.Env, "Bus").On(func(_ *rpcenv.Context, m rpcenv.Message) bool {
		r.posted = append(r.posted, m)
		return true
	})
	return r
}

// wantPosted is what LiveListenerBus has got since the last call.
func (r *rig) wantPosted(want ...rpcenv.Message) {
	r.t.Helper()
	r.Settle()
	if !slices.EqualFunc(r.posted, want, func(a, b rpcenv.Message) bool { return reflect.DeepEqual(a, b) }) {
		r.t.Errorf("posted\n  %+v\nwant\n  %+v", r.posted, want)
	}
	r.posted = nil
}

// cleanUpAfterSchedulerStop: the end of a driver cancels its jobs, and posts the end of each, and of each stage that runs, for the first
// of its jobs. One that has not started has no end, as it had no start. What its tasks bring later changes nothing.
func TestTheEndOfADriverCancelsItsJobs(t *testing.T) {
	r := busRig(t, func(*Config) {})
	submit(r, chain.With(0))
	submit(r, chain.With(0))
	submit(r, narrow.With(0))
	r.tell(end(4, 0, 0, "a", tasks.Reason{}), missed(4, 0, 0, 0, -1, "", 1))
	r.Advance(resubmitDelay)
	r.forget()
	r.posted = nil
	inv := under(t, t.Context(), narrow.With(1))
	var answered error
	r.scheduler.Do(func(c *rpcenv.Context) {
		r.ask(c, inv) // its splits are being computed
		rpcenv.Ask(c, r.ref, StopJobs{}, func(_ JobsCancelled, err error) { answered = err })
	})
	r.Settle()
	const why = "because SparkContext was shut down"
	r.wantPosted(
		event.StageCompleted{JobID: 0, StageID: 0, Failure: "Stage cancelled " + why},
		event.JobEnd{JobID: 0, Err: cancelled(0, why)},
		event.JobEnd{JobID: 1, Err: cancelled(1, why)},
		event.StageCompleted{JobID: 2, StageID: 4, Attempt: 1, Failure: "Stage cancelled " + why},
		event.JobEnd{JobID: 2, Err: cancelled(2, why)},
	)
	for i := range 4 {
		r.failed(i, JobError{JobID: int32(i), Reason: why, Kind: KindCancelled})
	}
	if answered != nil {
		t.Error(answered)
	}
	r.forget()
	r.tell(result(4, 1, 0), mapped(0, 0, 0, "a", 0))
	r.want()
	cancels(r, AllJobsCancelled{})
}

// A driver that stops without StopJobs cancels its jobs all the same, and reports why its application was over.
func TestADriverThatStopsPostsTheEndsOfItsJobs(t *testing.T) {
	r := busRig(t, func(*Config) {})
	submit(r, narrow.With(0))
	r.posted = nil
	r.scheduler.Env.Stop(Name)
	r.Settle()
	const why = "because SparkContext was shut down"
	r.wantPosted(event.StageCompleted{Failure: "Stage cancelled " + why}, event.JobEnd{Err: cancelled(0, why)})
}

// Events that CoarseGrainedScheduler sends are posted in one order with those of jobs; of executors only the loss, which the others do
// not report. Listeners get what it says of stages alone.
func TestEventsOfOthersArePosted(t *testing.T) {
	r := busRig(t, func(*Config) {})
	set := tasks.SetID{Stage: 5, Attempt: 2}
	r.tell(
		tasks.SpeculativeTaskSubmitted{Set: set, Index: 3, Partition: 4}, tasks.UnschedulableSet{Set: set, Schedulable: true},
		event.TaskGettingResult{TaskID: 7}, lost(event.ExecutorAdded, "a"), lost(event.ExecutorLossPending, "a"), lost(event.ExecutorLost, "a"),
	)
	r.want("L: event.SpeculativeTaskSubmitted", "L: event.UnschedulableTaskSet", "T: drop all at a, epoch 1", "T: drop all at a, epoch 2")
	r.wantPosted(
		event.SpeculativeTaskSubmitted{StageID: 5, StageAttempt: 2, Index: 3, Partition: 4},
		event.UnschedulableTaskSet{StageID: 5, StageAttempt: 2, Schedulable: true},
		event.TaskGettingResult{TaskID: 7}, lost(event.ExecutorLost, "a"),
	)
}

// One place says why an application is over: the log, a while later, when the program submits no job, or at once when jobs run; else the
// program whose next job fails with it.
func TestTheEndOfAnApplicationIsReportedOnce(t *testing.T) {
	dead := ApplicationDead{Reason: "dead", Line: "it is over"}
	for name, k := range map[string]struct {
		before, after bool // whether a job is submitted
		stops         bool // whether the driver stops before the delay is over
		soon, late    int
	}{
		"no job":              {false, false, false, 0, 1},
		"no job, and it ends": {false, false, true, 0, 1},
		"a job runs":          {true, false, false, 1, 1},
		"a job comes":         {false, true, false, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, nil)
			log := logtest.NewLocal(r.scheduler.Env.Log().Logger)
			lines := func() (n int) {
				for _, e := range log.AllEntries() {
					if e.Message == dead.Line || e.Message == "" {
						n++
					}
				}
				return n
			}
			if k.before {
				submit(r, narrow.With(0))
			}
			r.tell(dead)
			if k.after {
				submit(r, narrow.With(0))
			}
			if got := lines(); got != k.soon {
				t.Errorf("the log says it %d times at once, want %d", got, k.soon)
			}
			if r.Advance(reportDelay - time.Millisecond); lines() != k.soon {
				t.Error("the log says it before the delay is over")
			}
			if k.stops {
				r.scheduler.Env.Stop(Name)
			}
			r.Advance(time.Second)
			r.scheduler.Env.Stop(Name)
			r.Advance(time.Second)
			if got := lines(); got != k.late {
				t.Errorf("the log says it %d times, want %d", got, k.late)
			}
		})
	}
}

// A task whose executor computes another lineage fails its job with both lineages. Other failures keep their words.
func TestALineageThatDiffersIsShown(t *testing.T) {
	for kind, cause := range map[string]tasks.Reason{
		"differs": {Kind: tasks.KindLineageDiffers, Lineage: "0 Other\n1 Lines"}, "other": {Kind: tasks.KindExceptionFailure, Lineage: "0 Other"},
	} {
		r := newRig(t, nil)
		submit(r, narrow.With(0))
		r.tell(tasks.TaskSetFailed{Set: tasks.SetID{}, Reason: "why", Cause: cause})
		want := "why"
		if kind == "differs" {
			inv := under(t, t.Context(), narrow.With(0))
			want = (&rdd.LineageError{Job: "dag-test-narrow", Driver: inv.Lineage.Lines(), Executor: []string{"0 Other", "1 Lines"}}).Error()
		}
		r.failed(0, JobError{Reason: want, Kind: cause.Kind})
	}
}

// Each cancellation is answered, also when it ends no job.
func TestACancellationIsAnsweredOnce(t *testing.T) {
	r := newRig(t, nil)
	for _, q := range []rpcenv.Message{JobCancelled{}, StageCancelled{}, JobGroupCancelled{}, JobTagCancelled{}, AllJobsCancelled{}} {
		if _, err := rpctest.Ask[JobsCancelled](r.scheduler, r.ref, q); err != nil {
			t.Errorf("%T: %v", q, err)
		}
	}
	for _, e := range r.Trace().Entries {
		if strings.Contains(e.Outcome, rpcenv.ErrRefusedUnsupported.Error()) {
			t.Errorf("%s is answered, and refused too", e.Type)
		}
	}
}
