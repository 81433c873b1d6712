// Package status keeps what the pages of a running application show: its jobs, stages, tasks, executors and kept datasets, as Spark's
// events (package listener) tell them. It mirrors org.apache.spark.status.AppStatusListener and AppStatusStore.
//
// A Store counts as Spark does: jobs that are over, stages, tasks of a stage and executors that are gone are forgotten, the oldest
// first, when there are more of them than spark.ui.retainedJobs, retainedStages, retainedTasks and retainedDeadExecutors; then a tenth
// goes at once. Its answers are those of Spark's REST API below /api/v1/applications/ID, as structs whose JSON has Spark's fields in
// Spark's order; they share nothing with the Store that changes.
//
// The distribution of the scheduler's delay is that of the tasks that succeeded, as the other ones are; in Spark failed tasks are in it.
// Where Spark's active tasks fall below zero, since the loss of a finished map output has an end without a start, they stay here.
//
//coherer:pure
package status
