// Package yarnscheduler is the driver's endpoint YarnScheduler: the one through which a driver on YARN and its
// ApplicationMaster speak. It mirrors org.apache.spark.scheduler.cluster.YarnSchedulerBackend.YarnSchedulerEndpoint.
//
// CoarseGrainedScheduler, in the same Env, asks it for executors, for the end of some, and why one is gone; it asks the
// ApplicationMaster and hands the answer on. Without an ApplicationMaster the answers are no, and why that is so. An
// ApplicationMaster that registers is the one of a new attempt: CoarseGrainedScheduler forgets the executors of the one
// before, and the asks that the former one has not answered fail.
package yarnscheduler
