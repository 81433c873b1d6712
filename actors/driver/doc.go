// Package driver is the application's own side: it runs the application's jobs on executors. Start registers all endpoints of a
// driver in an Env; RunJob and Stop are for its program.
//
// The endpoints, in Spark's order of registration: MapOutputTracker, BlockManagerMaster, BlockManagerMasterHeartbeat,
// OutputCommitCoordinator, HeartbeatReceiver, CoarseGrainedScheduler, DAGScheduler, AppClient. All are serial, and each
// book has one owner: executors and task sets CoarseGrainedScheduler (Scheduler, in this package), jobs and stages
// DAGScheduler, statuses of map outputs MapOutputTracker, signs of life HeartbeatReceiver. They speak by Local messages;
// no lock is needed, and no endpoint waits. Scheduler mirrors org.apache.spark.scheduler.cluster.CoarseGrainedSchedulerBackend's
// DriverEndpoint together with StandaloneSchedulerBackend and the state of TaskSchedulerImpl.
//
// # Failures
//
// An executor whose connection ends gets no more tasks; it is removed when the Master reports the reason, or after
// spark.standalone.executorRemoveDelayOnDisconnection. One that is silent is killed and replaced. What it ran is tried
// elsewhere, map outputs that it had are computed again when a reducer misses them. The driver sends StopExecutor to an
// executor that it removes, in case it lives. When the Master gives the application up, all jobs fail with its reason.
//
// # Differences from Spark
//
//   - CoarseGrainedScheduler owns the task sets too, so no lock is shared by endpoint and scheduler.
//     (TestTheSchedulerOwnsTheTaskSetsToo)
//   - spark.scheduler.minRegisteredResourcesRatio counts executors that can take tasks, not those that only registered; and
//     tasks wait for it, not the program. (TestTasksWaitForEnoughExecutorsButNotForEver)
//   - A driver whose spark.cores.max gives no executor, or none that takes a task, does not start. Spark's waits for ever, and
//     refuses only spark.executor.cores below spark.task.cpus. (TestADriverWhoseExecutorsTakeNoTaskIsRefused)
//   - A job waits for executors for as long as it takes; a warning each spark.starvation.timeout says so.
//     (TestStarvationIsToldEachTimeOutUntilATaskStarts)
//   - The warning says why when the driver knows: executors are smaller than a task, or the Master was started again and knows
//     no such application. (TestAnExecutorThatTakesNoTaskIsTold, TestStarvationAtAMasterThatForgotTheApplication)
//   - When jobs run, the end of the application is their error, and in the log no more than INFO; Spark logs an error as well.
//     (TestTheEndOfAnApplicationIsSaidOnce)
//   - When the Master gave the application up as FAILED, the jobs' error names the end of its last executor.
//     (TestTheLastEndOfAnExecutorIsToldWhenTheApplicationFailed)
//   - A report of a task attempt that was given up frees no cores. (TestAReportOfAnAttemptThatIsOverFreesNoCores)
//   - When a worker is lost, the map outputs of its own executors are given up, not all those on its host: several workers may
//     share a host. (TestALostWorkerLeavesTheOutputsOfOthersOnItsHost)
//   - Tasks have no preferred hosts and no host is excluded, so of YARN's RequestExecutors only the totals are filled in.
//     (TestARequestHasTotalsAlone)
package driver
