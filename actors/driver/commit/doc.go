// Package commit has the endpoint OutputCommitCoordinator, which decides which attempt of a task may commit what it wrote. The first one
// that asks may; all others are denied, until that one has failed. It mirrors org.apache.spark.scheduler.OutputCommitCoordinator and its
// OutputCommitCoordinatorEndpoint.
//
// DAGScheduler announces the stages that write output (StageStart), the attempts that failed (TaskCompleted) and the end of a stage
// (StageEnd). It announces a stage before it submits the stage's tasks, so no attempt asks too early. An attempt may ask before the
// failure of the one that was allowed is known here; it is denied then, and its task runs again. A denial is no failure of a task
// (tasks.KindTaskCommitDenied).
//
// A permission is for good: an attempt that was allowed and whose answer was lost is denied when it asks again, since the coordinator
// cannot know what it did. Its end, which DAGScheduler hears of, frees the task.
package commit
