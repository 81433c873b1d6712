package event

import (
	"fmt"
	"time"

	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

// JobStart reports that a job was accepted (SparkListenerJobStart).
type JobStart struct {
	rpcenv.Local
	JobID int32
	// Name of the job as it was defined.
	Name string
	// Stages are the ids of its stages, parents before children; the last one gives the result. Those whose outputs are there already
	// are never submitted: they are skipped.
	Stages []int32
	// Shuffles are the ids of those that its stages write.
	Shuffles []int32
	// Properties of the job by Spark's keys, such as its group.
	Properties map[string]string
	// Infos describe the stages, in the order of Stages; nil when nobody wants them (dag.Config.Bus).
	Infos []StageInfo
}

// JobEnd reports that a job was answered (SparkListenerJobEnd). Err is nil when it succeeded.
type JobEnd struct {
	rpcenv.Local
	JobID int32
	Err   error
}

// ShuffleForgotten reports that a shuffle's outputs are of no use any more: no job will read them. Spark's ContextCleaner does this.
type ShuffleForgotten struct {
	rpcenv.Local
	Shuffle int32
}

// StageSubmitted reports that an attempt of a stage began (SparkListenerStageSubmitted).
type StageSubmitted struct {
	rpcenv.Local
	JobID, StageID, Attempt int32
	// Tasks of this attempt: the partitions that were missing.
	Tasks int
	// Shuffle that it writes; nil for the stage of the results.
	Shuffle *int32
}

// TaskStart reports that an attempt of a task was sent to an executor (SparkListenerTaskStart).
type TaskStart struct {
	rpcenv.Local
	StageID, StageAttempt int32
	TaskID                int64
	Index                 int32
	ExecutorID            string
	// Locality is how near to its data the task runs: PROCESS_LOCAL, which is also that of a task without a preference, NODE_LOCAL,
	// RACK_LOCAL or ANY.
	Locality string
	// Speculative: it is a second copy of a slow task.
	Speculative bool
	TaskStarted
}

// TaskStarted is what only LiveListenerBus wants of a start.
type TaskStarted struct {
	Partition, Attempt int32
	Host               string
	Launched           time.Time
}

// TaskGettingResult reports that the driver fetches the result of an attempt, which is too large for a message
// (SparkListenerTaskGettingResult).
type TaskGettingResult struct {
	rpcenv.Local
	TaskID int64
	At     time.Time
}

// SpeculativeTaskSubmitted reports that a slow task is to be started a second time (SparkListenerSpeculativeTaskSubmitted).
type SpeculativeTaskSubmitted struct {
	rpcenv.Local
	StageID, StageAttempt int32
	Index, Partition      int32
}

// UnschedulableTaskSet reports that failures leave no executor that may run the rest of a stage, or, with Schedulable, that tasks
// start again (SparkListenerUnschedulableTaskSetAdded and Removed).
type UnschedulableTaskSet struct {
	rpcenv.Local
	StageID, StageAttempt int32
	Schedulable           bool
}

// Cancelled begins the Failure of a stage that ended since its job has failed or was cancelled; that of the job follows.
const Cancelled = "Stage cancelled: "

// ByCancel reports whether the Failure of a stage is that of a job which was cancelled.
func ByCancel(failure string) bool {
	var job int32
	var word string
	_, err := fmt.Sscanf(failure, Cancelled+"Job %d %s", &job, &word)
	return err == nil && word == "cancelled"
}

// StageCompleted reports that an attempt of a stage ended (SparkListenerStageCompleted). Failure is "" when it succeeded.
type StageCompleted struct {
	rpcenv.Local
	JobID, StageID, Attempt int32
	Failure                 string
}

// TaskEnd reports that an attempt of a task ended (SparkListenerTaskEnd). Failure is "" when it succeeded.
type TaskEnd struct {
	rpcenv.Local
	JobID, StageID, StageAttempt int32
	TaskID                       int64
	Index, Partition, Attempt    int32
	ExecutorID, Host             string
	Failure                      string
	// Speculative: it was a second copy of a slow task.
	Speculative bool
	// Killed: it ended at the driver's wish. Resubmitted: it had ended well, and its output is lost.
	Killed, Resubmitted bool
	TaskEnded
}

// TaskEnded is what only LiveListenerBus wants of an end.
type TaskEnded struct {
	// Launched is when it was sent to its executor, GettingResult when its result began to be fetched, Finished when it ended; the zero
	// time for what never was.
	Launched, GettingResult, Finished time.Time
	Locality                          string
	// Map: it writes for a shuffle. Otherwise it brings a result.
	Map bool
	// Reason is why it ended, Result what a success brought.
	Reason tasks.Reason
	Result *app.TaskResult
}

// Starving reports that tasks wait and no executor took one yet, each spark.starvation.timeout. Spark only logs it.
type Starving struct {
	rpcenv.Local
	// Executors that are registered.
	Executors int
	// Why no task starts and what to do, when the driver knows; "": only the cluster manager knows.
	Why string
}

// ApplicationStart reports that the Master took the application (SparkListenerApplicationStart).
type ApplicationStart struct {
	rpcenv.Local
	AppID, Name string
}
