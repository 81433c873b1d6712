// Package event has the driver's events: of executors, which its endpoints send each other, and of jobs, stages and tasks,
// which they send to a listener as Spark's SparkListener events. All are Local. One endpoint sends each kind, in the order in
// which things happened: CoarseGrainedScheduler those of executors and of starts of tasks, DAGScheduler all others.
//
// LiveListenerBus (package bus) gets all of them in one order: CoarseGrainedScheduler sends its own to DAGScheduler, which posts them
// between those of its own, as in Spark; only BlockManagerMaster posts to the bus by itself.
package event
