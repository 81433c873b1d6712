package tasks

import (
	"cmp"
	"fmt"
	"slices"
	"time"

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
	// Pool is spark.scheduler.pool of the job; "" is the default pool.
	Pool string
	// Barrier: its tasks start all at once or not at all.
	Barrier bool
	// Profile is the id of its resource profile; 0 is the default one.
	Profile int32
	// Tasks by partition, ascending.
	Tasks []Task
	Work  Work
}

// Task is the part of one task that the others of its Set do not share; its index is its place there.
type Task struct {
	Partition int32
	// Split is what Lineage.Splits gave for the partition.
	Split []byte
	// Locations are where it prefers to run; none: anywhere.
	Locations []Location
}

// find is the index of a partition. An index is not a partition: a later attempt of a stage has only the tasks that are missing.
func (s *Set) find(partition int32) (index int32, ok bool) {
	// Searched for, not walked to: while one straggler keeps a set, each success of a newer set comes here.
	at, found := slices.BinarySearchFunc(s.Tasks, partition, func(t Task, p int32) int { return cmp.Compare(t.Partition, p) })
	return int32(at), found
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
	// Output is where they save; nil for other actions.
	Output *app.TaskOutput
	Epoch  int64
	// Persisted are the nodes that the tasks may read or keep.
	Persisted []*app.PersistedNode
}

// SubmitTasks asks CoarseGrainedScheduler to run a set. Older sets of the same stage become zombies. It mirrors
// TaskScheduler.submitTasks.
type SubmitTasks struct {
	rpcenv.Local
	Set Set
}

// RequestSlots asks CoarseGrainedScheduler how many tasks of the default profile can run at once.
type RequestSlots struct{ rpcenv.Local }

// ReplyType makes the answer's type known to the compiler.
func (RequestSlots) ReplyType() Slots { return Slots{} }

// Slots answers RequestSlots.
type Slots struct {
	rpcenv.Local
	N int
}

// CancelTasks asks CoarseGrainedScheduler to kill the running attempts of a stage and to start no more of it. A stage without
// tasks is ignored. It mirrors TaskScheduler.killAllTaskAttempts.
type CancelTasks struct {
	rpcenv.Local
	Stage int32
	// Interrupt is spark.job.interruptOnCancel of the job: a task's thread is interrupted. A Go task is cancelled by its context either
	// way.
	Interrupt bool
	Reason    string
}

// PartitionCompleted tells CoarseGrainedScheduler that a partition of a stage needs no task any more, since an older attempt of the
// stage brought it. It mirrors TaskScheduler.notifyPartitionCompletion.
type PartitionCompleted struct {
	rpcenv.Local
	Stage, Partition int32
}

// SpeculativeTaskSubmitted reports to DAGScheduler that a slow task is to be started a second time.
type SpeculativeTaskSubmitted struct {
	rpcenv.Local
	Set              SetID
	Index, Partition int32
}

// UnschedulableSet reports to DAGScheduler that no executor may run the rest of a set, since all that there are failed too
// often, or, with Schedulable, that tasks start again.
type UnschedulableSet struct {
	rpcenv.Local
	Set         SetID
	Schedulable bool
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
	// Speculative: the attempt was a second copy of a slow task.
	Speculative bool
	// Result of a success.
	Result *app.TaskResult
	// Map: the set writes map outputs.
	Map bool
	// Level is how near to its data the attempt ran. Launched is when it was sent, GettingResult when its result began to be fetched,
	// Finished when it ended; the zero time for what never was.
	Level                             Level
	Launched, GettingResult, Finished time.Time
}

// TaskSetFailed reports to DAGScheduler that a set cannot succeed.
type TaskSetFailed struct {
	rpcenv.Local
	Set    SetID
	Reason string
	// Cause is the end of the attempt that decided it; its Kind is empty when it was none.
	Cause Reason
}
