package dag

import (
	"fmt"

	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/rpcenv"
)

// Name is the endpoint's name.
const Name = "DAGScheduler"

// JobSubmitted asks for a job to be run. It is answered at the job's end, which may be far: ask with a time-out that fits.
// The failure of a job is a *JobError, or that of its lineage or its splits.
type JobSubmitted struct {
	rpcenv.Local
	Invocation rdd.Invocation
	Action     rdd.Action
}

// ReplyType makes the answer's type known to the compiler.
func (JobSubmitted) ReplyType() JobResult { return JobResult{} }

// JobResult has what the action has of each partition, in order.
type JobResult struct {
	rpcenv.Local
	Results []rdd.Result
}

// ApplicationDead fails all jobs, also those that are still to come: the Master gave the application up.
type ApplicationDead struct {
	rpcenv.Local
	Reason string
	// Line is how the log says it, in Spark's words.
	Line string
}

// ReportDeath is the timer that logs the end of an application whose program has submitted no job since.
type ReportDeath struct{ rpcenv.Local }

// ResubmitFailedStages is the timer that submits stages again after a fetch failure.
type ResubmitFailedStages struct{ rpcenv.Local }

// JobError is why a job failed.
type JobError struct {
	JobID int32
	// Reason is Spark's text, without "Job aborted due to stage failure: ".
	Reason string
	// Kind is the kind of the task failure that decided it; "" when it was none.
	Kind string
}

// Error is Spark's text.
func (e *JobError) Error() string {
	return fmt.Sprintf("Job aborted due to stage failure: %s", e.Reason)
}

// Unwrap is rdd.ErrLineageDiffers when that was the reason.
func (e *JobError) Unwrap() error {
	if e.Kind == tasks.KindLineageDiffers {
		return rdd.ErrLineageDiffers
	}
	return nil
}
