// Package tasks decides which task runs where, and what its end means: Spark's TaskSchedulerImpl and TaskSetManager
// without a thread, a lock or a message. Everything here is a decision about values; the endpoint CoarseGrainedScheduler
// owns the Pool and sends what it decides.
//
// A Pool has task sets in order of job and stage (FIFO). Offers gives cores to tasks, one task an executor and round,
// executors in an order that the caller shuffles. Update and ExecutorLost take the ends of attempts and return the messages
// for the DAGScheduler, in order. A set that is a zombie starts nothing any more; it is forgotten when its last attempt
// ended.
//
// # Differences from Spark
//
//   - Every task may run anywhere (locality ANY): there is nothing cached and no preferred location, so there is no delay
//     scheduling either. (TestOffersGoRoundRobinOverExecutors)
//   - No pools of mode FAIR, no speculation, no exclusion of failing executors, no barrier stages.
//     (TestSetsGoInOrderOfJobAndStage)
//   - What each try would meet fails the set at the first one: a result or a task that no message holds, a job that the executor
//     does not know or cannot read. Spark does so for results without a serializer. (TestWhatCounts)
//   - A partition that an older attempt of a stage finishes is marked finished in the newer one here, without asking the
//     DAGScheduler first. (TestAFetchFailureMakesTheSetAZombie)
package tasks
