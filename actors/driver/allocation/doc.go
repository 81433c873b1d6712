// Package allocation makes the number of executors follow the work: endpoint ExecutorAllocationManager, with two pure
// parts. Targets says how many executors are wanted (it grows 1, 2, 4, ... while tasks wait, and falls with the need),
// Monitor which of the present ones have been idle for too long. The manager hears the events of package event, looks each
// 100 ms, and speaks to CoarseGrainedScheduler, which owns the executors: RequestTotalExecutors, KillExecutors and
// DecommissionExecutors are asks whose answers come as messages, so nothing is locked while a cluster manager thinks. It
// mirrors org.apache.spark.ExecutorAllocationManager and org.apache.spark.scheduler.dynalloc.ExecutorMonitor.
//
// # Differences from Spark
//
//   - A new target is not computed while the answer to the last one is out; Spark's timer waits in the ask, with its lock
//     held. (TestASlowClusterManagerIsAskedAtOnceAfterItsAnswer)
//   - A change of the target goes first, idle executors are given back at the next look, 100 ms later.
//     (TestIdleExecutorsGoButNotBelowTheTarget)
//   - A driver has one resource profile, the default one, so there is one target. (TestTargetsGrow)
//   - Another ApplicationMaster hears the present target, whatever the one before still has to answer; Spark's target begins
//     at the initial one and grows again, the first step at once. With coherer.compat SPARK-20079 as in Spark before 2.3: at
//     the initial one, until the next stage. (TestAnotherApplicationMasterIsNotKeptFromTheTarget)
//   - A shuffle ends with its job, so an executor is kept for its map outputs no longer than that; Spark waits for the
//     collection of the shuffle's last reference, or for spark.dynamicAllocation.shuffleTracking.timeout, which has nothing to
//     do here. (TestAnExecutorThatWasKeptForItsShuffleWasIdle)
//   - There is no external shuffle service, so without shuffle tracking there is no dynamic allocation. (TestBadSettings)
//   - Datasets are not cached, so spark.dynamicAllocation.cachedExecutorIdleTimeout is checked and has no effect.
//     (TestBadSettings)
//   - An executor that is decommissioned by anybody is not idle; Spark knows only of those that it decommissioned itself.
//     (TestIdleExecutorsAreDecommissioned)
//   - The target does not fall before the application is ready, whatever was submitted: our programs submit jobs while Spark's
//     context still waits. Nor does it for an executor that is idle meanwhile; in Spark it does.
//     (TestTheTargetStaysUntilTheApplicationIsReady)
//   - The executor that has been idle the longest is given back first; Spark goes by the ids. (TestTheLongestIdleGoesFirst)
package allocation
