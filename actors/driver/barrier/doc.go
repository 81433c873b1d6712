// Package barrier has the endpoint barrierSync, at which the tasks of a barrier stage wait for each other. A task asks with RequestToSync;
// when all tasks of the stage's attempt have asked, all get the messages of all. It mirrors org.apache.spark.BarrierCoordinator.
//
// An attempt's barriers are counted: RequestToSync names the epoch, so a task that was left behind cannot pass for one of a later barrier.
// The first task of a barrier starts a timer of spark.barrier.sync.timeout; when it ends first, all that wait fail, and so do all later
// requests of the attempt. Tasks that call different methods at one barrier fail, too.
//
// DAGScheduler announces the attempts of barrier stages and their ends. A request of an attempt that is unknown fails, as one of an epoch
// that is over does.
package barrier
