// Package applicationmaster is the ApplicationMaster of an application on YARN: it asks the ResourceManager for containers,
// starts an executor in each at its NodeManager, reports their ends to the driver, and ends the application. It mirrors
// org.apache.spark.deploy.yarn.ApplicationMaster, with AMEndpoint, YarnAllocator and ExecutorRunnable.
//
// The endpoint YarnAM owns all of it. Package allocator decides what to ask for and what the answers mean; package amrm keeps
// what the ResourceManager has not heard yet. In cluster mode the endpoint lives in the driver's Env: the program's own thread
// sends ContextReady, which is answered when the allocator is ready, and UserEnded. In client
// mode its Env has it alone, does not listen, and ends with the driver.
//
// # Calls
//
// One call of the ResourceManager is out at a time. While it is, everything else is answered: the driver's RequestExecutors
// changes the books and no more, so its answer does not wait for the ResourceManager. The next call brings what changed.
// Spark's allocator holds a lock meanwhile, and the driver's asks time out; coherer.compat SPARK-17667 does that here.
//
// While containers are wanted, or the driver waits for the reason of a loss, the next call comes 200 ms after the answer to the
// last, then 400, up to spark.yarn.scheduler.heartbeat.interval-ms; else after that. A new target wakes it up, but 200 ms
// stay between an answer and the next call.
//
// # Failures
//
// A call whose answer is lost is repeated with the same response id, each yarn.resourcemanager.connect.retry-interval.ms for
// yarn.resourcemanager.connect.max-wait.ms. When the ResourceManager does not know the attempt as registered, YarnAM registers
// anew and sends everything again; when it knows no such attempt, YarnAM ends. The next call repeats the content of a refused
// one; YarnAM ends after spark.yarn.scheduler.reporterThread.maxFailures failures in a row.
package applicationmaster
