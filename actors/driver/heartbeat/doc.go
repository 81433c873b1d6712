// Package heartbeat has the endpoint HeartbeatReceiver: when each executor was last heard of. An executor that is silent
// for longer than its time-out is reported to CoarseGrainedScheduler, once, and forgotten. It mirrors
// org.apache.spark.HeartbeatReceiver.
//
// # Differences from Spark
//
//   - It learns of executors by event.ExecutorChange from their owner rather than from the listener bus, which may lag.
//     (TestSilentExecutorsExpireOnceInOrderOfTheirIDs)
//   - A known executor is not asked to register its block manager again when only that is unknown.
//     (TestSilentExecutorsExpireOnceInOrderOfTheirIDs)
package heartbeat
