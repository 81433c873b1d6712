//coherer:pure

package listener

// JobStart reports that a job was accepted. A stage whose outputs are there already has no event but this one: it is skipped.
type JobStart struct {
	JobID      int32       `json:"Job ID"`
	Submitted  int64       `json:"Submission Time"`
	Stages     []StageInfo `json:"Stage Infos"`
	StageIDs   []int32     `json:"Stage IDs"`
	Properties Properties  `json:"Properties"`
}

// Kind implements [Event].
func (*JobStart) Kind() string { return "SparkListenerJobStart" }

// JobEnd reports that a job was answered.
type JobEnd struct {
	JobID     int32     `json:"Job ID"`
	Completed int64     `json:"Completion Time"`
	Result    JobResult `json:"Job Result"`
}

// Kind implements [Event].
func (*JobEnd) Kind() string { return "SparkListenerJobEnd" }

// The results of jobs.
const (
	JobSucceeded = "JobSucceeded"
	JobFailed    = "JobFailed"
)

// JobResult is JobSucceeded, or JobFailed with why.
type JobResult struct {
	Result    string     `json:"Result"`
	Exception *Exception `json:"Exception,omitempty"`
}

// Exception is an error.
type Exception struct {
	Message string  `json:"Message"`
	Stack   []Frame `json:"Stack Trace"`
}

// Frame is one call of a Java stack.
type Frame struct {
	Class  string `json:"Declaring Class"`
	Method string `json:"Method Name"`
	File   string `json:"File Name"`
	Line   int    `json:"Line Number"`
}

// StageSubmitted reports that an attempt of a stage began.
type StageSubmitted struct {
	Stage      StageInfo  `json:"Stage Info"`
	Properties Properties `json:"Properties,omitzero"`
}

// Kind implements [Event].
func (*StageSubmitted) Kind() string { return "SparkListenerStageSubmitted" }

// StageCompleted reports that an attempt of a stage ended.
type StageCompleted struct {
	Stage StageInfo `json:"Stage Info"`
}

// Kind implements [Event].
func (*StageCompleted) Kind() string { return "SparkListenerStageCompleted" }

// StageInfo describes an attempt of a stage.
type StageInfo struct {
	ID      int32     `json:"Stage ID"`
	Attempt int32     `json:"Stage Attempt ID"`
	Name    string    `json:"Stage Name"`
	Tasks   int       `json:"Number of Tasks"`
	RDDs    []RDDInfo `json:"RDD Info"`
	Parents []int32   `json:"Parent IDs"`
	// Details are the lines behind the name.
	Details   string `json:"Details"`
	Submitted *int64 `json:"Submission Time,omitempty"`
	Completed *int64 `json:"Completion Time,omitempty"`
	// Failure is nil for an attempt that runs or succeeded.
	Failure      *string       `json:"Failure Reason,omitempty"`
	Accumulables []Accumulable `json:"Accumulables"`
	Profile      int32         `json:"Resource Profile Id"`
	Push         bool          `json:"Shuffle Push Enabled"`
	PushMergers  int           `json:"Shuffle Push Mergers Count"`
}

// RDDInfo describes a dataset that tasks of a stage compute.
type RDDInfo struct {
	ID            int32        `json:"RDD ID"`
	Name          string       `json:"Name"`
	Scope         string       `json:"Scope,omitempty"`
	Callsite      string       `json:"Callsite"`
	Parents       []int32      `json:"Parent IDs"`
	Level         StorageLevel `json:"Storage Level"`
	Barrier       bool         `json:"Barrier"`
	Deterministic string       `json:"DeterministicLevel"`
	Partitions    int          `json:"Number of Partitions"`
	Cached        int          `json:"Number of Cached Partitions"`
	Memory        int64        `json:"Memory Size"`
	Disk          int64        `json:"Disk Size"`
}

// StorageLevel says where the blocks of a dataset are kept.
type StorageLevel struct {
	Disk         bool `json:"Use Disk"`
	Memory       bool `json:"Use Memory"`
	OffHeap      bool `json:"Use Off Heap"`
	Deserialized bool `json:"Deserialized"`
	Replication  int  `json:"Replication"`
}

// UnpersistRDD reports that a dataset is no longer kept.
type UnpersistRDD struct {
	ID int32 `json:"RDD ID"`
}

// Kind implements [Event].
func (*UnpersistRDD) Kind() string { return "SparkListenerUnpersistRDD" }

// BlockUpdated reports that a block was stored, moved or removed.
type BlockUpdated struct {
	Info BlockUpdatedInfo `json:"Block Updated Info"`
}

// Kind implements [Event].
func (*BlockUpdated) Kind() string { return "SparkListenerBlockUpdated" }

// BlockUpdatedInfo is where a block lies, and how large it is there.
type BlockUpdatedInfo struct {
	Manager BlockManagerID `json:"Block Manager ID"`
	BlockID string         `json:"Block ID"`
	Level   StorageLevel   `json:"Storage Level"`
	Memory  int64          `json:"Memory Size"`
	Disk    int64          `json:"Disk Size"`
}
