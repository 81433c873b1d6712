package tasks

import (
	"cmp"
	"fmt"

	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

// SetID names one attempt of a stage.
type SetID struct{ Stage, Attempt int32 }

// String is STAGE.ATTEMPT, as in Spark's texts.
func (id SetID) String() string { return fmt.Sprintf("%d.%d", id.Stage, id.Attempt) }

// Set is the tasks of one attempt of a stage. It does not change after it was submitted. It mirrors
// org.apache.spark.scheduler.TaskSet.
type Set struct {
	ID SetID
	// Job is the priority: sets of earlier jobs come first.
	Job int32
	// Tasks by partition, ascending.
	Tasks []Task
	Work  Work
}

// Task is the part of one task that the others of its Set do not share; its index is its place there.
type Task struct {
	Partition int32
	// Split is what Lineage.Splits gave for the partition.
	Split []byte
}

// Work is what the tasks of a Set have in common; the fields are those of app.TaskDescription.
type Work struct {
	Job    string
	Args   []byte
	Digest string
	Node   int32
	// Map: the tasks write map outputs of Shuffle. Otherwise they bring results of Action.
	Map      bool
	Shuffle  int32
	Shuffles []int32
	Action   string
	Epoch    int64
}

// SubmitTasks asks CoarseGrainedScheduler to run a set. Older sets of the same stage become zombies. It mirrors
// TaskScheduler.submitTasks.
type SubmitTasks struct {
	rpcenv.Local
	Set Set
}

// CancelTasks asks CoarseGrainedScheduler to kill the running attempts of a stage and to start no more of it. A stage without
// tasks is ignored. It mirrors TaskScheduler.killAllTaskAttempts.
type CancelTasks struct {
	rpcenv.Local
	Stage  int32
	Reason string
}

// CompletionEvent reports to DAGScheduler that an attempt ended, or, with KindResubmitted, that a finished task must run again.
type CompletionEvent struct {
	rpcenv.Local
	Set              SetID
	Index, Partition int32
	TaskID           int64
	Attempt          int32
	Executor, Host   string
	Epoch            int64
	Reason           Reason
	// Result of a success.
	Result *app.TaskResult
}

// TaskSetFailed reports to DAGScheduler that a set cannot succeed.
type TaskSetFailed struct {
	rpcenv.Local
	Set    SetID
	Reason string
	// Cause is the end of the attempt that decided it; its Kind is empty when it was none.
	Cause Reason
}

// compareSets is the order of FIFO: by job, stage, attempt.
func compareSets(a, b *manager) int {
	return cmp.Or(cmp.Compare(a.set.Job, b.set.Job), cmp.Compare(a.set.ID.Stage, b.set.ID.Stage),
		cmp.Compare(a.set.ID.Attempt, b.set.ID.Attempt))
}
