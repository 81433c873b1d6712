// Package tasks decides which task runs where, and what its end means: Spark's TaskSchedulerImpl and TaskSetManager
// without a thread, a lock or a message. Everything here is a decision about values; the endpoint CoarseGrainedScheduler
// owns the Pool and sends what it decides.
//
// A Pool has task sets in order of job and stage (FIFO). Offers gives cores to tasks, one task an executor and round,
// executors in an order that the caller shuffles. Update and ExecutorLost take the ends of attempts and return the messages
// for the DAGScheduler, in order. A set that is a zombie starts nothing any more; it is forgotten when its last attempt
// ended.
package tasks
