// Package heartbeat has the endpoint HeartbeatReceiver: when each executor was last heard of. An executor that is silent
// for longer than its time-out is reported to CoarseGrainedScheduler, once, and forgotten. It mirrors
// org.apache.spark.HeartbeatReceiver.
package heartbeat
