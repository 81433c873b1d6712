// Package allocation makes the number of executors follow the work: endpoint ExecutorAllocationManager, with two pure
// parts. Targets says how many executors are wanted (it grows 1, 2, 4, ... while tasks wait, and falls with the need),
// monitor which of the present ones have been idle for too long. The manager hears the events of package event, looks each
// 100 ms, and speaks to CoarseGrainedScheduler, which owns the executors: RequestTotalExecutors, KillExecutors and
// DecommissionExecutors are asks whose answers come as messages, so nothing is locked while a cluster manager thinks. It
// mirrors org.apache.spark.ExecutorAllocationManager and org.apache.spark.scheduler.dynalloc.ExecutorMonitor.
package allocation
