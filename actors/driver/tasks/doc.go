// Package tasks decides which task runs where, and what its end means: Spark's TaskSchedulerImpl and TaskSetManager
// without a thread, a lock or a message. Everything here is a decision about values; the endpoint CoarseGrainedScheduler
// owns the Scheduler and does what it decides.
//
// A Scheduler has task sets in the order of their pools (package pools). Offers gives cores to tasks: each set in turn, at each
// of its locality levels, one task an executor and turn, executors in an order that the caller shuffles. A set whose tasks want to
// be near their data waits for such executors before it takes others (locality.go), leaves out executors that failures exclude
// (package exclude, unschedulable.go), starts all or none of its tasks if it is a barrier set (barrier.go), and takes cpus and
// addresses of resources by its profile (resources.go). Speculate marks slow tasks, of which Offers then starts a second copy
// (speculation.go). Update and ExecutorLost take the ends of attempts (end.go, lost.go). A result that its executor keeps counts when
// it is fetched (Effects.Fetch, Fetched). A set that is a zombie starts nothing any more; it is forgotten when its last attempt ended.
//
// The driver sends no profile but the default one and no resources beside cores: only the recordings test what is said of these here.
//
// Each call returns Effects: messages for the DAGScheduler, in order, attempts to be killed, executors to be ended, and whether free
// cores are to be offered again. What Spark 4.1.4 decides is in testdata/golden; TestGolden plays it, down to the inner state. Where
// Spark walks over a hash table, its order is kept (order.go), so that equal tasks start in the same order, too.
package tasks
