// Package event has what the driver's endpoints tell each other of executors, and what they tell a listener of jobs,
// stages and tasks: Spark's SparkListener events. All are Local. They are told in the order in which things happened, by
// one endpoint each: executors and the starts of tasks by CoarseGrainedScheduler, all else by DAGScheduler.
package event
