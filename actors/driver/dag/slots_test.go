package dag

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/rpcenv"
)

// tooMany is the error of a job that wants two slots where there is one.
const tooMany = "[SPARK-24819]: Barrier execution mode does not allow run a barrier stage that requires more slots than the total number of " +
	"slots in the cluster currently."

// SPARK-24819: a job whose barrier stage does not fit is looked at again after each interval, and fails when it did not fit once more than
// the setting allows. Slots that come meanwhile start it at the next check.
func TestABarrierStageThatDoesNotFitIsLookedAtAgain(t *testing.T) {
	settings := map[string]string{
		"spark.scheduler.barrier.maxConcurrentTasksCheck.interval":    "10s",
		"spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures": "2",
	}
	for _, comes := range []bool{true, false} {
		r := barrierRig(t, settings, 1)
		submit(r, narrow.With(0)) // which has started
		submit(r, narrow.With(1))
		submit(r, meetsAndSums.With(0))
		if len(r.sets) != 2 {
			t.Fatalf("it has started: %v", r.sets)
		}
		r.Advance(10*time.Second - time.Millisecond)
		if comes {
			r.slots = 2
			r.Settle()
			if len(r.sets) != 2 {
				t.Errorf("it has started before the check")
			}
			r.Advance(2 * time.Millisecond)
			r.wantNewest("2.0 [0 1] at [[] []]")
			continue
		}
		r.Advance(10 * time.Second) // with the second check
		if len(r.bad) > 0 {
			t.Fatalf("it has failed too early: %v", r.bad)
		}
		r.Advance(2 * time.Millisecond)
		if len(r.bad) != 1 || !errors.Is(r.bad[0], rdd.ErrBarrier) || !strings.Contains(r.bad[0].Error(), tooMany) ||
			!strings.HasSuffix(r.bad[0].Error(), "It wants 2, there are 1.") {
			t.Errorf("%v", r.bad)
		}
		r.slots = 2
		r.Advance(time.Minute)
		if len(r.sets) != 2 {
			t.Error("a job that has failed has started")
		}
	}
}

// Each job that waits for slots has its own checks, by its own number.
func TestJobsWaitForSlotsByThemselves(t *testing.T) {
	r := barrierRig(t, map[string]string{"spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures": "1"}, 1)
	submit(r, meetsAndSums.With(0))
	r.Advance(10 * time.Second)
	submit(r, meetsAndSums.With(1))
	r.Advance(6 * time.Second) // the second check of the first job
	if len(r.bad) != 1 {
		t.Fatalf("%v", r.bad)
	}
	r.slots = 2
	r.Advance(10 * time.Second)
	r.wantNewest("0.0 [0 1] at [[] []]")
	if r.sets[0].Job != 1 {
		t.Errorf("job %d has started", r.sets[0].Job)
	}
}

// A job that is cancelled while CoarseGrainedScheduler counts its slots does not start.
func TestAJobThatIsCancelledDuringACheckDoesNotStart(t *testing.T) {
	r := barrierRig(t, nil, 2)
	var waits []func()
	r.whenAsked = func(c *rpcenv.Context, q tasks.RequestSlots) {
		call := rpcenv.Defer(c, q)
		waits = append(waits, func() { call.Reply(tasks.Slots{N: 2}) })
	}
	submit(r, meetsAndSums.With(0))
	cancels(r, AllJobsCancelled{}, 0)
	r.scheduler.Do(func(*rpcenv.Context) {
		for _, answer := range waits {
			answer()
		}
	})
	r.Settle()
	if len(waits) != 1 || len(r.sets) > 0 {
		t.Errorf("asked %d times, submitted %v", len(waits), r.sets)
	}
}

// SPARK-24942: with dynamic allocation a job with a barrier stage fails before it starts, and no other one.
func TestDynamicAllocationRefusesBarrierStages(t *testing.T) {
	r := barrierRig(t, map[string]string{"spark.dynamicAllocation.enabled": "true"}, 2)
	submit(r, counted.With(0))
	submit(r, meetsAndSums.With(0))
	if len(r.bad) != 1 || !errors.Is(r.bad[0], rdd.ErrBarrier) || !strings.Contains(r.bad[0].Error(), "[SPARK-24942]") {
		t.Errorf("%v", r.bad)
	}
	r.wantNewest("0.0 [0 1 2] at [[] [] []]")
}

// SPARK-24820: an action that wants a part of a barrier stage's results cannot run all of its tasks at once. The barrier stages in front
// of the result run as a whole all the same.
func TestAnActionThatWantsPartOfABarrierStage(t *testing.T) {
	for _, k := range []struct {
		of    rdd.Invocation
		fails bool
	}{
		{under(t, t.Context(), sumsAndMeets.With(0)), true},
		{under(t, t.Context(), meetsAndSums.With(0)), false},
	} {
		r := barrierRig(t, nil, 2)
		k.of.Partitions = []int32{1}
		r.submitAll(k.of)
		r.Settle()
		failed := len(r.bad) == 1 && errors.Is(r.bad[0], rdd.ErrBarrier) && strings.Contains(r.bad[0].Error(), "[SPARK-24820]")
		if failed != k.fails || failed == (len(r.sets) > 0) {
			t.Errorf("%s: errors %v, submitted %v", k.of.Name, r.bad, fmt.Sprint(r.sets))
		}
	}
}
