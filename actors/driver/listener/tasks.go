//coherer:pure

package listener

import "encoding/json"

// TaskStart reports that an attempt of a task was sent to an executor.
type TaskStart struct {
	StageID int32    `json:"Stage ID"`
	Attempt int32    `json:"Stage Attempt ID"`
	Task    TaskInfo `json:"Task Info"`
}

// Kind implements [Event].
func (*TaskStart) Kind() string { return "SparkListenerTaskStart" }

// TaskGettingResult reports that the driver fetches a result which is too large for a message.
type TaskGettingResult struct {
	Task TaskInfo `json:"Task Info"`
}

// Kind implements [Event].
func (*TaskGettingResult) Kind() string { return "SparkListenerTaskGettingResult" }

// TaskEnd reports that an attempt of a task ended, or that the output of one that had ended is lost.
type TaskEnd struct {
	StageID         int32           `json:"Stage ID"`
	Attempt         int32           `json:"Stage Attempt ID"`
	Type            string          `json:"Task Type"`
	Reason          TaskEndReason   `json:"Task End Reason"`
	Task            TaskInfo        `json:"Task Info"`
	ExecutorMetrics ExecutorMetrics `json:"Task Executor Metrics"`
	Metrics         *TaskMetrics    `json:"Task Metrics,omitempty"`
}

// Kind implements [Event].
func (*TaskEnd) Kind() string { return "SparkListenerTaskEnd" }

// The types of tasks.
const (
	ShuffleMapTask = "ShuffleMapTask"
	ResultTask     = "ResultTask"
)

// TaskInfo describes an attempt of a task. Times that have not come are 0.
type TaskInfo struct {
	ID            int64         `json:"Task ID"`
	Index         int32         `json:"Index"`
	Attempt       int32         `json:"Attempt"`
	Partition     int32         `json:"Partition ID"`
	Launched      int64         `json:"Launch Time"`
	ExecutorID    string        `json:"Executor ID"`
	Host          string        `json:"Host"`
	Locality      string        `json:"Locality"`
	Speculative   bool          `json:"Speculative"`
	GettingResult int64         `json:"Getting Result Time"`
	Finished      int64         `json:"Finish Time"`
	Failed        bool          `json:"Failed"`
	Killed        bool          `json:"Killed"`
	Accumulables  []Accumulable `json:"Accumulables"`
}

// SpeculativeTaskSubmitted reports that a slow task is to be started a second time.
type SpeculativeTaskSubmitted struct {
	StageID   int32 `json:"Stage ID"`
	Attempt   int32 `json:"Stage Attempt ID"`
	Index     int32 `json:"Task Index"`
	Partition int32 `json:"Partition ID"`
}

// Kind implements [Event].
func (*SpeculativeTaskSubmitted) Kind() string { return "SparkListenerSpeculativeTaskSubmitted" }

// Accumulable is what a task added to an accumulator, and what its stage has of it. Values are numbers or texts.
type Accumulable struct {
	ID          int64           `json:"ID"`
	Name        *string         `json:"Name,omitempty"`
	Update      json.RawMessage `json:"Update,omitempty"`
	Value       json.RawMessage `json:"Value,omitempty"`
	Internal    bool            `json:"Internal"`
	CountFailed bool            `json:"Count Failed Values"`
	Metadata    *string         `json:"Metadata,omitempty"`
}

// The reasons that a TaskEndReason may have; the History Server stops reading at another one.
const (
	Success             = "Success"
	Resubmitted         = "Resubmitted"
	FetchFailed         = "FetchFailed"
	ExceptionFailure    = "ExceptionFailure"
	TaskResultLost      = "TaskResultLost"
	TaskKilled          = "TaskKilled"
	TaskCommitDenied    = "TaskCommitDenied"
	ExecutorLostFailure = "ExecutorLostFailure"
	UnknownReason       = "UnknownReason"
)

// TaskEndReason is why an attempt ended; the fields behind Reason depend on it.
type TaskEndReason struct {
	Reason string `json:"Reason"`

	// Of ExceptionFailure.
	ClassName   *string  `json:"Class Name,omitempty"`
	Description *string  `json:"Description,omitempty"`
	Stack       *[]Frame `json:"Stack Trace,omitempty"`
	FullStack   *string  `json:"Full Stack Trace,omitempty"`

	// Of TaskKilled, which has Updates too.
	KillReason *string        `json:"Kill Reason,omitempty"`
	Updates    *[]Accumulable `json:"Accumulator Updates,omitempty"`

	// Of FetchFailed.
	Manager   *BlockManagerID `json:"Block Manager Address,omitempty"`
	ShuffleID *int32          `json:"Shuffle ID,omitempty"`
	MapID     *int64          `json:"Map ID,omitempty"`
	MapIndex  *int32          `json:"Map Index,omitempty"`
	ReduceID  *int32          `json:"Reduce ID,omitempty"`
	Message   *string         `json:"Message,omitempty"`

	// Of ExecutorLostFailure.
	ExecutorID  *string `json:"Executor ID,omitempty"`
	CausedByApp *bool   `json:"Exit Caused By App,omitempty"`
	LossReason  *string `json:"Loss Reason,omitempty"`

	// Of TaskCommitDenied.
	JobID     *int32 `json:"Job ID,omitempty"`
	Partition *int32 `json:"Partition ID,omitempty"`
	Attempt   *int32 `json:"Attempt Number,omitempty"`
}
