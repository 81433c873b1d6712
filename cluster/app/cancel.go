package app

import (
	"context"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/driver/dag"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/rpcenv"
)

// The methods below cancel jobs of this application, whoever runs them, and return the numbers of those that they ended. The action of
// a job that was cancelled fails with an error that satisfies errors.Is(err, rdd.ErrCancelled); its tasks are killed, unless a job
// that goes on needs them too. reason follows "Job N cancelled " in that error; when it is empty Spark's words do.

// CancelJobGroup cancels the jobs of a group (rdd.WithJobGroup). Jobs of the group that come later run.
func (a *App) CancelJobGroup(ctx context.Context, id, reason string) ([]int32, error) {
	return cancel(ctx, a, dag.JobGroupCancelled{Group: id, Reason: reason})
}

// CancelJobGroupAndFutureJobs cancels the jobs of a group, and those of it that come later: they fail at once, as long as the group is
// one of the latest spark.scheduler.numCancelledJobGroupsToTrack that were cancelled so.
func (a *App) CancelJobGroupAndFutureJobs(ctx context.Context, id, reason string) ([]int32, error) {
	return cancel(ctx, a, dag.JobGroupCancelled{Group: id, Reason: reason, Future: true})
}

// CancelJobsWithTag cancels the jobs that have a tag (rdd.WithJobTag). Its error is also that of a tag which no job can have.
func (a *App) CancelJobsWithTag(ctx context.Context, tag, reason string) ([]int32, error) {
	if err := rdd.CheckJobTag(tag); err != nil {
		return nil, err
	}
	return cancel(ctx, a, dag.JobTagCancelled{Tag: tag, Reason: reason})
}

// CancelStage cancels the jobs that need a stage; its number is that of the progress and of the log. reason follows "because ".
func (a *App) CancelStage(ctx context.Context, stage int32, reason string) ([]int32, error) {
	return cancel(ctx, a, dag.StageCancelled{StageID: stage, Reason: reason})
}

// CancelJob cancels a job by its number, which the log names.
func (a *App) CancelJob(ctx context.Context, job int32, reason string) ([]int32, error) {
	return cancel(ctx, a, dag.JobCancelled{JobID: job, Reason: reason})
}

// CancelAllJobs cancels all jobs that run or wait.
func (a *App) CancelAllJobs(ctx context.Context) ([]int32, error) {
	return cancel(ctx, a, dag.AllJobsCancelled{})
}

func cancel[Q rpcenv.Asks[dag.JobsCancelled]](ctx context.Context, a *App, q Q) ([]int32, error) {
	b := a.blocking(ctx)
	defer b.Close()
	return driver.Cancel(b, a.driver, q)
}
