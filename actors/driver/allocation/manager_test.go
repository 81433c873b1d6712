package allocation_test

import (
	"testing"
	"time"

	"github.com/coherer/coherer/actors/driver/allocation"
	"github.com/coherer/coherer/actors/driver/event"
)

// Spec part 5, ExecutorAllocationManager: its first request is the initial target, when the application was taken; then it
// looks each 100 ms.
func TestTheFirstRequestIsTheInitialTarget(t *testing.T) {
	r := newRig(t, map[string]string{"spark.dynamicAllocation.initialExecutors": "3"})
	r.Advance(time.Second)
	r.want()
	r.tell(event.ApplicationStart{AppID: "a"})
	r.want("1.0 request 3")
	r.Advance(10 * time.Minute)
	r.want()
}

// Spec part 5, growth: 1 after the backlog time-out, then twice as many at each sustained time-out while tasks wait, up to what
// the tasks need; 1 again when the backlog is over.
func TestTheTargetGrowsWhileTasksWait(t *testing.T) {
	r := newRig(t, map[string]string{
		"spark.dynamicAllocation.schedulerBacklogTimeout": "2s", "spark.dynamicAllocation.sustainedSchedulerBacklogTimeout": "1s",
	})
	r.tell(stage(0, 5))
	r.Advance(10 * time.Second)
	r.want("2.0 request 1", "3.0 request 3", "4.0 request 5")
	r.tell(begun(0, 0, "1"), begun(0, 1, "1"), begun(0, 2, "1"), begun(0, 3, "1"), begun(0, 4, "1"))
	r.tell(stage(1, 5)) // the queue was empty: what waits now waits from now on
	r.Advance(3 * time.Second)
	r.want("12.0 request 6", "13.0 request 8")
}

// Spec part 5, initialising phase: the target does not fall before the first stage, or before an executor was idle for too long.
func TestTheTargetStaysUntilTheFirstStageOrIdleTimeOut(t *testing.T) {
	r := newRig(t, map[string]string{"spark.dynamicAllocation.initialExecutors": "3"})
	r.tell(event.ApplicationStart{})
	r.Advance(30 * time.Second)
	r.want("0.0 request 3")
	r.tell(stage(0, 1))
	r.Advance(time.Second)
	r.want("30.1 request 1")

	r = newRig(t, map[string]string{"spark.dynamicAllocation.initialExecutors": "3", "spark.dynamicAllocation.minExecutors": "1"})
	r.tell(event.ApplicationStart{})
	r.tell(added("1", "2", "3")...)
	r.Advance(59 * time.Second)
	r.want("0.0 request 3")
	r.Advance(2 * time.Second)
	r.want("60.0 request 1", "60.1 kill [1 2]", "60.1 request 1")
}

func TestTheTargetStaysUntilTheApplicationIsReady(t *testing.T) {
	settings := map[string]string{"spark.dynamicAllocation.initialExecutors": "3", "spark.dynamicAllocation.executorIdleTimeout": "2s"}
	r := newWaitingRig(t, settings)
	r.tell(event.ApplicationStart{}, stage(0, 1))
	r.tell(added("1")...)
	r.Advance(20 * time.Second)
	r.want("0.0 request 3")
	r.tell(allocation.Ready{})
	r.Advance(time.Second)
	r.want("20.1 request 1")

	r = newWaitingRig(t, settings)
	r.tell(event.ApplicationStart{}, allocation.Ready{})
	r.Advance(20 * time.Second)
	r.want("0.0 request 3")
	r.tell(stage(0, 1))
	r.Advance(time.Second)
	r.want("20.1 request 1")
}

// Spec part 5, shrink: an executor that is idle for 60 s goes, not below the least number and not below the target.
func TestIdleExecutorsGoButNotBelowTheTarget(t *testing.T) {
	r := newRig(t, map[string]string{"spark.dynamicAllocation.initialExecutors": "2"})
	r.tell(added("1", "2", "3")...)
	r.tell(stage(0, 2), begun(0, 0, "2"), begun(0, 1, "3"))
	r.tell(ended(0, 0, "2"))
	r.Advance(59 * time.Second)
	r.want("0.1 request 1")
	r.tell(stage(1, 1)) // whose task waits: the target is two
	r.Advance(30 * time.Second)
	r.want("60.0 request 2", "60.1 kill [1]", "60.1 request 2")
	r.tell(event.TaskStart{StageID: 1, ExecutorID: "2"}, ended(0, 1, "3"))
	r.tell(ended(1, 0, "2"))
	r.Advance(61 * time.Second)
	r.want("89.1 request 0", "149.0 kill [2 3]", "149.0 request 0")
}

// With a least number it matters which executor goes, when several are idle at one look.
func TestTheLongestIdleGoesFirst(t *testing.T) {
	r := newRig(t, map[string]string{"spark.dynamicAllocation.minExecutors": "1", "spark.dynamicAllocation.executorIdleTimeout": "10s"})
	r.hold = true
	r.tell(event.ApplicationStart{})
	r.tell(added("2")...)
	r.Advance(time.Second)
	r.tell(added("1")...)
	r.Advance(time.Minute)
	r.want("0.0 request 1")
	r.answers()
	r.Advance(time.Minute)
	r.want("61.1 kill [2]", "61.1 request 1")
}

// A kill that the scheduler does not want is tried again at the next look, and the executor counts meanwhile.
func TestAnExecutorThatIsKeptIsAskedForAgain(t *testing.T) {
	r := newRig(t, map[string]string{"spark.dynamicAllocation.executorIdleTimeout": "1s"})
	r.tell(added("1")...)
	r.busy = true
	r.Advance(1050 * time.Millisecond)
	r.want("1.0 kill [1]", "1.0 request 0")
	r.busy = false
	r.Advance(time.Minute)
	r.want("1.1 kill [1]", "1.1 request 0")
}

// With spark.decommission.enabled the idle are decommissioned; one that ends of itself is not idle, whatever the cause.
func TestIdleExecutorsAreDecommissioned(t *testing.T) {
	r := newRig(t, map[string]string{"spark.dynamicAllocation.executorIdleTimeout": "1s", "spark.decommission.enabled": "true"})
	r.tell(added("1", "2")...)
	r.tell(allocation.ExecutorDecommissioning{ExecutorID: "2"})
	r.Advance(time.Minute)
	r.want("1.0 decommission [1]", "1.0 request 0")
}

// A task that failed waits again: a backlog.
func TestATaskThatFailedIsABacklog(t *testing.T) {
	r := newRig(t, map[string]string{"spark.dynamicAllocation.initialExecutors": "1"})
	r.tell(stage(0, 2), begun(0, 0, "1"), begun(0, 1, "1"))
	r.Advance(10 * time.Second)
	r.want()
	failed := ended(0, 1, "1")
	failed.Failure = "ExceptionFailure"
	r.tell(failed)
	r.Advance(1500 * time.Millisecond)
	r.want("11.0 request 2")
}

// An executor that was kept for its map outputs alone goes when its job ends: it has been idle since its last task.
func TestAnExecutorThatWasKeptForItsShuffleWasIdle(t *testing.T) {
	r := newRig(t, map[string]string{"spark.dynamicAllocation.executorIdleTimeout": "10s"})
	r.tell(added("1")...)
	writes := stage(0, 1)
	writes.Shuffle = new(int32)
	r.tell(event.JobStart{Stages: []int32{0, 1}, Shuffles: []int32{0}}, writes, begun(0, 0, "1"))
	r.tell(ended(0, 0, "1"), event.StageCompleted{StageID: 0})
	r.Advance(time.Minute)
	r.want()
	r.tell(event.JobEnd{})
	r.Advance(200 * time.Millisecond)
	r.want("60.1 kill [1]", "60.1 request 0")
}

// With an external shuffle service the map outputs stay when the executor goes, also those that a job needs.
func TestWithAShuffleServiceAnExecutorIsNotKeptForItsShuffle(t *testing.T) {
	r := newRig(t, map[string]string{"spark.dynamicAllocation.executorIdleTimeout": "10s", "spark.shuffle.service.enabled": "true"})
	r.tell(added("1")...)
	writes := stage(0, 1)
	writes.Shuffle = new(int32)
	r.tell(event.JobStart{Stages: []int32{0, 1}, Shuffles: []int32{0}}, writes, begun(0, 0, "1"))
	r.tell(ended(0, 0, "1"), event.StageCompleted{StageID: 0})
	r.Advance(11 * time.Second)
	r.want("10.0 kill [1]", "10.0 request 0")
}

// As real Spark 3.5 did it on YARN, with at least 1, at most 4 executors and 4 s of idleness: 1, 2, 4 while tasks wait, then one
// request for each that is needed no longer, and the kills when they are idle.
func TestARunAsRealSparkHasIt(t *testing.T) {
	r := newRig(t, map[string]string{
		"spark.dynamicAllocation.minExecutors": "1", "spark.dynamicAllocation.maxExecutors": "4", "spark.dynamicAllocation.executorIdleTimeout": "4s",
	})
	r.tell(event.ApplicationStart{})
	r.tell(stage(0, 20))
	r.Advance(3500 * time.Millisecond)
	r.want("0.0 request 1", "1.0 request 2", "2.0 request 4")
	r.tell(added("1", "2", "3", "4")...)
	for i := range int32(16) { // the others run on, one on each
		r.tell(begun(0, i, "1"), ended(0, i, "1"))
	}
	r.tell(begun(0, 16, "1"), begun(0, 17, "2"), begun(0, 18, "3"), begun(0, 19, "4"))
	for i, id := range []string{"3", "2", "4", "1"} {
		r.tell(ended(0, int32(18-i), id))
		r.Advance(600 * time.Millisecond)
	}
	r.tell(event.StageCompleted{})
	r.want("3.6 request 3", "4.2 request 2", "4.8 request 1")
	r.Advance(10 * time.Second)
	r.want("7.5 kill [3]", "7.5 request 1", "8.1 kill [2]", "8.1 request 1", "8.7 kill [4]", "8.7 request 1")
}

// A stage that is over may have attempts that run on: they need their executors.
func TestATaskOfAStageThatIsOverRunsOn(t *testing.T) {
	r := newRig(t, map[string]string{"spark.dynamicAllocation.initialExecutors": "2"})
	r.tell(added("1")...)
	r.tell(stage(0, 5), begun(0, 0, "1"), event.StageCompleted{StageID: 0, Failure: "fetch"})
	r.Advance(time.Minute)
	r.want("0.1 request 1")
	r.tell(ended(0, 0, "1"))
	r.Advance(time.Second)
	r.want("60.1 request 0")
}

// Executors that were asked to end, are decommissioned or whose connection ended do not count as those that remain.
func TestWhoLeavesDoesNotRemain(t *testing.T) {
	r := newRig(t, map[string]string{"spark.dynamicAllocation.minExecutors": "2"})
	r.tell(added("1", "2", "3", "4", "5")...)
	r.tell(event.ExecutorChange{Kind: event.ExecutorLossPending, ExecutorID: "1"}, allocation.ExecutorDecommissioning{ExecutorID: "2"})
	r.Advance(2 * time.Minute)
	r.want("60.0 kill [3]", "60.0 request 2")
	r.tell(event.ExecutorChange{Kind: event.ExecutorLost, ExecutorID: "3"})
	r.Advance(2 * time.Minute)
	r.want()
}

// Another ApplicationMaster: the answer that the one before still owes is not waited for, and changes nothing when it comes.
func TestAnotherApplicationMasterIsNotKeptFromTheTarget(t *testing.T) {
	r := newRig(t, nil)
	r.tell(event.ApplicationStart{}, stage(0, 3))
	r.hold = true
	r.Advance(2500 * time.Millisecond)
	r.want("0.0 request 0", "1.0 request 1")
	r.no = true
	held := r.held
	r.hold, r.no, r.held = false, false, nil
	r.tell(allocation.Reset{})
	r.want("2.5 request 1")
	r.held = held
	r.answers()
	r.Advance(2 * time.Second)
	r.want("2.6 request 2", "3.6 request 3")
}

// A step that the ApplicationMaster before did not answer is neither taken whole nor cut short: the next one is as large.
func TestGrowthGoesOnWithAnotherApplicationMaster(t *testing.T) {
	r := newRig(t, nil)
	r.tell(event.ApplicationStart{}, stage(0, 30))
	r.Advance(1500 * time.Millisecond)
	r.hold = true
	r.Advance(time.Second)
	r.want("0.0 request 0", "1.0 request 1", "2.0 request 3")
	r.hold = false
	r.tell(allocation.Reset{})
	r.Advance(200 * time.Millisecond)
	r.want("2.5 request 3", "2.6 request 5")
}

// Spec part 5, requestTotalExecutors: while its answer is out the manager sends no other target; a time-out that passed meanwhile counts.
func TestASlowClusterManagerIsAskedAtOnceAfterItsAnswer(t *testing.T) {
	r := newRig(t, nil)
	r.tell(stage(0, 10))
	r.hold = true
	r.Advance(5 * time.Second)
	r.want("1.0 request 1")
	r.answers()
	r.Advance(1500 * time.Millisecond)
	r.want("5.1 request 3", "6.1 request 7")
}
