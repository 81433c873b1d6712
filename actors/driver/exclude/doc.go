// Package exclude decides which executors and nodes get no tasks since tasks failed there (spark.excludeOnFailure). It mirrors
// org.apache.spark.scheduler.{HealthTracker, TaskSetExcludelist}.
//
// A Set has the failures of one task set. After a failure the task does not run on that executor again, after a second one on the
// node not on that node; an executor on which several tasks failed gets none of the set, and so a node with several such
// executors. A Tracker has the failures of an application. It learns those of a set when the set has succeeded, since only then
// the tasks are not to blame; executors and nodes with too many are excluded for a time, and may be killed.
//
// Both belong to the task scheduler: it reports each failure that counts against spark.task.maxFailures, each set that succeeded
// and each executor that is gone, calls Expire before it offers cores, and asks before it starts a task. Nothing here has a clock,
// sends or logs: what happened comes back as an Outcome. A nil Set or Tracker excludes nothing and remembers nothing; NewSet and
// NewTracker return nil where the settings turn them off. Both are for one goroutine.
package exclude
