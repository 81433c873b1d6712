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
package driver
