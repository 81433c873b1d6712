package dag

import (
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/rpcenv"
)

// Name is the endpoint's name.
const Name = "DAGScheduler"

// JobSubmitted asks for a job to be run. It is answered at the job's end, which may be far: ask with a time-out that fits.
// The failure of a job is a *JobError, or that of its lineage or its splits.
type JobSubmitted struct {
	rpcenv.Local
	// JobID is the number that the asker chose for the job. Each job has one of its own; earlier jobs have lower ones.
	JobID      int32
	Invocation rdd.Invocation
	Action     rdd.Action
	// Node is the one to write when Action is rdd.ActionCheckpoint, or to keep when it is rdd.ActionLocalCheckpoint. Other actions are of
	// the last one.
	Node int
}

// ReplyType makes the answer's type known to the compiler.
func (JobSubmitted) ReplyType() JobResult { return JobResult{} }

// JobResult has what the action has of each partition, in order.
type JobResult struct {
	rpcenv.Local
	Results []rdd.Result
	// Accumulated is what tasks have added to accumulators, in the order in which they ended.
	Accumulated []rdd.Update
	// Checkpoints are to be written now, each by a job of its own. The asker reports the end of each: CheckpointEnded.
	Checkpoints []Checkpoint
}

// ApplicationDead fails all jobs, also those that are still to come: the Master gave the application up.
type ApplicationDead struct {
	rpcenv.Local
	Reason string
	// Line is how the log says it, in Spark's words.
	Line string
}

// StopJobs fails all jobs with "Job N cancelled because SparkContext was shut down". DAGScheduler is stopped next; their tasks end with
// their executors.
type StopJobs struct{ rpcenv.Local }

// ReplyType makes the answer's type known to the compiler.
func (StopJobs) ReplyType() JobsCancelled { return JobsCancelled{} }

// ReportDeath is the timer that logs the end of an application whose program has submitted no job since.
type ReportDeath struct{ rpcenv.Local }

// ResubmitFailedStages is the timer that submits stages again after a fetch failure.
type ResubmitFailedStages struct{ rpcenv.Local }
