package allocation_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/actors/driver/allocation"
	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/trace"
)

// states are the changes of the target that the trace has.
func (r *rig) states() []string {
	var out []string
	for _, e := range r.Trace().Entries {
		if e.K == trace.KindState && trace.EndpointOf(e.At) == allocation.Name {
			out = append(out, fmt.Sprintf("%s %s: %s to %s, %s", e.Name, e.Subject, e.Was, e.Is, e.Why))
		}
	}
	return out
}

// wants checks what the tasks need and what is asked for.
func (r *rig) wants(needed, target int) {
	r.t.Helper()
	if n, at := r.manager.Wants(); n != needed || at != target {
		r.t.Errorf("wants %d, asks for %d; want %d and %d", n, at, needed, target)
	}
}

// The trace has the target from its start on, and each change that the cluster manager took, with its tasks.
func TestEachChangeOfTheTargetIsAState(t *testing.T) {
	r := newRig(t, map[string]string{"spark.dynamicAllocation.initialExecutors": "2"})
	r.no = true
	r.tell(event.ApplicationStart{}, stage(0, 5))
	r.Advance(1050 * time.Millisecond)
	r.no = false
	r.Advance(time.Minute)
	if got, want := r.states(), []string{
		"allocation executors:  to 2, the start", "allocation executors: 2 to 3, 5 tasks", "allocation executors: 3 to 5, 5 tasks",
	}; !slices.Equal(got, want) {
		t.Errorf("states %q", got)
	}
	r = newRig(t, nil)
	r.tell(event.ApplicationStart{}, allocation.Reset{})
	if got := r.states(); len(got) > 0 {
		t.Errorf("states %q of a target that is 0", got)
	}
}

// failing makes all that the scheduler is asked fail while on is set.
func (r *rig) failing(on *bool) {
	r.scheduler.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		if !*on {
			return false
		}
		switch q := m.(type) {
		case allocation.RequestTotalExecutors:
			r.asked = append(r.asked, fmt.Sprint("failed request ", q.Total))
			rpcenv.Fail(c, q, errors.New("no way"))
		case allocation.KillExecutors:
			r.asked = append(r.asked, fmt.Sprint("failed kill ", q.IDs))
			rpcenv.Fail(c, q, errors.New("no way"))
		default:
			return false
		}
		return true
	})
}

// warnings are those since the last call.
func (r *rig) warnings() []string {
	var out []string
	for _, e := range r.said.AllEntries() {
		if e.Level == logrus.WarnLevel {
			out = append(out, e.Message)
		}
	}
	r.said.Reset()
	return out
}

// A request that does not reach the cluster manager leaves the target for the next look. One warning is enough until it answers.
func TestARequestThatFailsIsMadeAgain(t *testing.T) {
	r := newRig(t, nil)
	fails := true
	r.failing(&fails)
	r.tell(stage(0, 5))
	r.Advance(1250 * time.Millisecond)
	r.want("failed request 1", "failed request 1", "failed request 1")
	r.wants(5, 0)
	const warning = "Unable to reach the cluster manager to request %d executors: asking again until it answers"
	if got := r.warnings(); !slices.Equal(got, []string{fmt.Sprintf(warning, 1)}) {
		t.Errorf("warnings %q", got)
	}
	fails = false
	r.Advance(100 * time.Millisecond)
	fails = true
	r.Advance(1150 * time.Millisecond)
	r.want("1.3 request 1", "failed request 3", "failed request 3", "failed request 3")
	if got := r.warnings(); !slices.Equal(got, []string{fmt.Sprintf(warning, 3)}) {
		t.Errorf("warnings %q", got)
	}
}

// What is wanted lies within the bounds, whatever the tasks need.
func TestWhatIsWantedLiesWithinTheBounds(t *testing.T) {
	r := newRig(t, map[string]string{"spark.dynamicAllocation.minExecutors": "2", "spark.dynamicAllocation.maxExecutors": "4"})
	r.wants(2, 2)
	r.tell(stage(0, 3))
	r.wants(3, 2)
	r.tell(stage(1, 9))
	r.wants(4, 2)
	r.Advance(time.Minute)
	r.wants(4, 4)
}

// Tasks wait until the last one has started, or their stages are over; a backlog counts from its own begin.
func TestABacklogLastsAsLongAsTasksWait(t *testing.T) {
	for _, c := range []struct {
		name string
		then []rpcenv.Message // after half a second with a stage of five tasks
		want string           // asked for at the end of the second
	}{
		{"nothing happens", nil, "1.0 request 1"},
		{"some start", []rpcenv.Message{begun(0, 0, "1"), begun(0, 1, "1")}, "1.0 request 1"},
		{"another stage comes", []rpcenv.Message{stage(1, 5)}, "1.0 request 1"},
		{"another stage ends", []rpcenv.Message{stage(1, 5), event.StageCompleted{StageID: 1}}, "1.0 request 1"},
		{"the stage ends and the next comes", []rpcenv.Message{event.StageCompleted{StageID: 0}, stage(1, 5)}, "1.5 request 1"},
		{"all start, and the next stage comes", []rpcenv.Message{
			begun(0, 0, "1"), begun(0, 1, "1"), begun(0, 2, "1"), begun(0, 3, "1"), begun(0, 4, "1"), stage(1, 5),
		}, "1.5 request 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, map[string]string{"spark.dynamicAllocation.sustainedSchedulerBacklogTimeout": "1h"})
			r.tell(stage(0, 5))
			r.Advance(500 * time.Millisecond)
			r.tell(c.then...)
			r.Advance(2 * time.Second)
			r.want(c.want)
		})
	}
}

// A task that failed waits again; one that was killed, or whose output was lost, is not counted as waiting or running.
func TestWhichEndsOfTasksMakeThemWait(t *testing.T) {
	failed, killed, again := ended(0, 0, "1"), ended(0, 0, "1"), ended(0, 5, "1")
	failed.Failure, killed.Failure, killed.Killed = "why", "why", true
	again.Failure, again.Resubmitted = "lost", true
	for _, c := range []struct {
		name   string
		then   []rpcenv.Message
		needed int // of two tasks that run
	}{
		{"one ends well", []rpcenv.Message{ended(0, 0, "1")}, 1},
		{"one fails", []rpcenv.Message{failed}, 2},
		{"one is killed", []rpcenv.Message{killed}, 1},
		{"the output of another is lost", []rpcenv.Message{again}, 2},
		{"an end comes twice", []rpcenv.Message{ended(0, 0, "1"), ended(0, 0, "1"), ended(0, 1, "1"), ended(0, 1, "1")}, 0},
		{"an end of no start", []rpcenv.Message{ended(7, 0, "1"), begun(7, 0, "9"), ended(7, 0, "9")}, 2},
		{"a start of a stage that is over", []rpcenv.Message{begun(7, 0, "1")}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, nil)
			r.tell(stage(0, 2), begun(0, 0, "1"), begun(0, 1, "1"))
			r.tell(c.then...)
			r.wants(c.needed, 0)
		})
	}
}

// A failure while other tasks wait is no new backlog: under SPARK-20079 a new ApplicationMaster hears nothing of theirs.
func TestAFailureWhileOthersWaitIsNoBacklog(t *testing.T) {
	r := newRig(t, map[string]string{"coherer.compat": "SPARK-20079", "spark.dynamicAllocation.initialExecutors": "1"})
	failed := ended(0, 0, "1")
	failed.Failure = "why"
	r.tell(stage(0, 5), begun(0, 0, "1"))
	r.Advance(1050 * time.Millisecond)
	r.want("1.0 request 2")
	r.tell(allocation.Reset{})
	r.tell(failed)
	r.tell(added("2")...)
	r.Advance(2 * time.Minute) // that executor is idle, so the target may change
	r.want("1.0 request 1")
	if got, want := r.states(), []string{
		"allocation executors:  to 1, the start", "allocation executors: 1 to 2, 5 tasks", "allocation executors: 2 to 1, another ApplicationMaster",
	}; !slices.Equal(got, want) {
		t.Errorf("states %q", got)
	}
}

// Executors of the ApplicationMaster before, and such as were lost, are asked for nothing.
func TestExecutorsThatAreGoneAreNotGivenBack(t *testing.T) {
	r := newRig(t, nil)
	r.tell(added("1")...)
	r.tell(event.ExecutorChange{Kind: event.ExecutorLost, ExecutorID: "1"})
	r.Advance(2 * time.Minute)
	r.want()
	r.tell(added("2")...)
	r.tell(allocation.Reset{})
	r.Advance(2 * time.Minute)
	r.want("120.0 request 0")
	r.tell(allocation.ExecutorDecommissioning{ExecutorID: "2"}, event.ExecutorChange{Kind: event.ExecutorLossPending, ExecutorID: "2"})
}

// An executor that went while its end was asked for is not missed.
func TestAnExecutorMayEndWhileItsEndIsAskedFor(t *testing.T) {
	r := newRig(t, nil)
	r.tell(added("1")...)
	r.hold = true
	r.Advance(time.Minute)
	r.want("60.0 kill [1]")
	r.tell(event.ExecutorChange{Kind: event.ExecutorLost, ExecutorID: "1"})
	r.answers()
	r.want("60.0 request 0")
}

// A kill that does not reach the cluster manager is asked for at the next look. One warning is enough until it answers.
func TestAKillThatFailsIsAskedForAgain(t *testing.T) {
	r := newRig(t, nil)
	fails := true
	r.failing(&fails)
	r.tell(added("1")...)
	r.Advance(60150 * time.Millisecond)
	r.want("failed kill [1]", "failed request 0", "failed kill [1]", "failed request 0")
	if got, want := r.warnings(), []string{
		"Unable to reach the cluster manager to remove executors [1]: asking again until it answers",
	}; !slices.Equal(got, want) {
		t.Errorf("warnings %q", got)
	}
	fails = false
	r.Advance(100 * time.Millisecond)
	r.want("60.2 kill [1]", "60.2 request 0")
	fails = true
	r.tell(added("2")...)
	r.Advance(61 * time.Second)
	if got, want := r.warnings(), []string{
		"Unable to reach the cluster manager to remove executors [2]: asking again until it answers",
	}; !slices.Equal(got, want) {
		t.Errorf("warnings %q", got)
	}
}

// A stage that was submitted before the application was ready is its first one.
func TestTheTargetFallsWhenTheApplicationIsReady(t *testing.T) {
	r := newWaitingRig(t, map[string]string{"spark.dynamicAllocation.initialExecutors": "3"})
	r.tell(stage(0, 1))
	r.Advance(20 * time.Second)
	r.want()
	r.tell(allocation.Ready{})
	r.Advance(time.Second)
	r.want("20.1 request 1")
}

// Of executors that became idle together the lower ids go first, as numbers.
func TestIdleExecutorsGoInOrderOfTheirNumbers(t *testing.T) {
	r := newRig(t, nil)
	r.tell(added("10", "9", "2", "11")...)
	r.Advance(61 * time.Second)
	r.want("60.0 kill [2 9 10 11]", "60.0 request 0")
}

// An executor is idle when its last task has ended, whatever it did before and whatever others do.
func TestWhenAnExecutorIsIdle(t *testing.T) {
	again := ended(0, 0, "1")
	again.Failure, again.Resubmitted = "lost", true
	for _, c := range []struct {
		name string
		then []rpcenv.Message // 30 s after it registered
		want []string
	}{
		{"nothing runs", nil, []string{"60.0 kill [1]", "60.0 request 0"}},
		{"a task runs", []rpcenv.Message{begun(0, 0, "1")}, nil},
		{"a task ran", []rpcenv.Message{begun(0, 0, "1"), ended(0, 0, "1")}, []string{"90.0 kill [1]", "90.0 request 0"}},
		{"one of two tasks runs", []rpcenv.Message{begun(0, 0, "1"), begun(0, 1, "1"), ended(0, 0, "1")}, nil},
		{"a task runs, and the output of another is lost", []rpcenv.Message{begun(0, 1, "1"), again}, nil},
		{"a task ends that did not begin", []rpcenv.Message{ended(0, 0, "1")}, []string{"60.0 kill [1]", "60.0 request 0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, nil)
			r.tell(added("1")...)
			r.Advance(30 * time.Second)
			r.tell(c.then...)
			r.Advance(90 * time.Second)
			r.want(c.want...)
		})
	}
}

// A map output holds its executor while its job runs: one that a task failed to write, or that comes when the job is over, does not.
func TestWhichMapOutputsHoldAnExecutor(t *testing.T) {
	writes := stage(0, 2)
	writes.Shuffle = new(int32)
	failed := ended(0, 0, "1")
	failed.Failure = "why"
	over := []rpcenv.Message{event.StageCompleted{StageID: 0}, event.JobEnd{}}
	// A later job that skips the stage, since its outputs are there.
	again := event.JobStart{JobID: 1, Stages: []int32{2, 3}, Shuffles: []int32{0}}
	another := again
	another.Shuffles = []int32{1}
	left := append([]rpcenv.Message{writes, begun(0, 0, "1"), ended(0, 0, "1")}, over...)
	for _, c := range []struct {
		name string
		then []rpcenv.Message
		held bool
	}{
		{"an output", []rpcenv.Message{writes, begun(0, 0, "1"), ended(0, 0, "1"), event.StageCompleted{StageID: 0}}, true},
		{"an output of a job that is over", append([]rpcenv.Message{writes, begun(0, 0, "1"), ended(0, 0, "1")}, over...), false},
		{"an output of an attempt made again", append([]rpcenv.Message{writes, writes, begun(0, 0, "1"), ended(0, 0, "1")}, over...), false},
		{"an output that a later job needs", append(slices.Clone(left), again), true},
		{"an output that a later job does not need", append(slices.Clone(left), another), false},
		{"an output that no job will read", append(slices.Clone(left), event.ShuffleForgotten{}, again), false},
		{"an output that one of two jobs needs", append([]rpcenv.Message{again}, left...), true},
		{"an output that comes when one of two jobs is over", append(append([]rpcenv.Message{again, writes, begun(0, 0, "1")}, over...), ended(0, 0, "1")), true},
		{"an output that failed", []rpcenv.Message{writes, begun(0, 0, "1"), failed, event.StageCompleted{StageID: 0}}, false},
		{"an output that comes late", append(append([]rpcenv.Message{writes, begun(0, 0, "1")}, over...), ended(0, 0, "1")), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, nil)
			r.tell(added("1")...)
			r.tell(event.JobStart{Stages: []int32{0, 1}, Shuffles: []int32{0}})
			r.tell(c.then...)
			r.Advance(70 * time.Second)
			killed := slices.Contains(r.asked, "60.0 kill [1]")
			if killed == c.held {
				t.Errorf("asked %q", r.asked)
			}
		})
	}
}

// What has an effect elsewhere has none here; what is nobody's is refused.
func TestWhatTheManagerHears(t *testing.T) {
	r := newRig(t, nil)
	r.tell(event.JobStart{}, event.Starving{})
	r.Advance(time.Minute)
	r.want()
	if _, err := rpctest.Ask[*rpc.Bool](r.scheduler, r.ref, allocation.RequestTotalExecutors{}); !errors.Is(err, rpcenv.ErrRefusedUnsupported) {
		t.Error(err)
	}
}
