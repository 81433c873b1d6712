// Package commit has the endpoint OutputCommitCoordinator, which decides which attempt of a task may write its output.
// Executors look it up when they start, as in Spark; no task of Coherer writes files yet, so it understands no message.
// It mirrors org.apache.spark.scheduler.OutputCommitCoordinator.OutputCommitCoordinatorEndpoint.
package commit
