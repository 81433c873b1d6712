package dag

import (
	"fmt"

	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/actors/rdd"
)

// KindCancelled is the Kind of the error of a job that was cancelled.
const KindCancelled = "JobCancelled"

// JobError is why a job failed.
type JobError struct {
	JobID int32
	// Reason is Spark's text, without "Job aborted due to stage failure: " or "Job N cancelled ".
	Reason string
	// Kind is the kind of the task failure that decided it, or KindCancelled; "" when it was neither.
	Kind string
}

// Error is Spark's text.
func (e *JobError) Error() string {
	if e.Kind == KindCancelled {
		return fmt.Sprintf("Job %d cancelled %s", e.JobID, e.Reason)
	}
	return fmt.Sprintf("Job aborted due to stage failure: %s", e.Reason)
}

// Unwrap is rdd.ErrLineageDiffers or rdd.ErrCancelled when that was the reason.
func (e *JobError) Unwrap() error {
	switch e.Kind {
	case tasks.KindLineageDiffers:
		return rdd.ErrLineageDiffers
	case KindCancelled:
		return rdd.ErrCancelled
	}
	return nil
}
