// Package yarnscheduler is the driver's endpoint YarnScheduler: the one through which a driver on YARN and its
// ApplicationMaster speak. It mirrors org.apache.spark.scheduler.cluster.YarnSchedulerBackend.YarnSchedulerEndpoint.
//
// CoarseGrainedScheduler, in the same Env, asks it for executors, for the end of some, and why one is gone; it asks the
// ApplicationMaster and hands the answer on. Without an ApplicationMaster the answers are no, and why that is so. An
// ApplicationMaster that registers is the one of a new attempt: CoarseGrainedScheduler forgets the executors of the one
// before, and the asks that the former one has not answered fail.
//
// # Differences from Spark
//
//   - Nothing waits: an ask of CoarseGrainedScheduler is answered when the ApplicationMaster has answered, and no lock is held
//     meanwhile. While a RequestExecutors is on its way only the newest that comes is kept, and its answer is that of all.
//     (TestRequestsOfOneTimeBecomeOne)
//   - A driver has no pages, so AddWebUIFilter only gets a line in the log. (TestWhatIsToldOfPages)
//   - What cannot be asked without an ApplicationMaster is warned of once, until one registers; Spark warns each 100 ms.
//     (TestWhatCannotBeAskedYetIsSaidOnce)
//   - A driver that ends sends no request for executors; one of Spark's threads may still send one.
//     (TestNothingIsWantedAfterTheEnd)
package yarnscheduler
