//coherer:pure

package listener

// ExecutorAdded reports that an executor registered.
type ExecutorAdded struct {
	Timestamp  int64        `json:"Timestamp"`
	ExecutorID string       `json:"Executor ID"`
	Info       ExecutorInfo `json:"Executor Info"`
}

// Kind implements [Event].
func (*ExecutorAdded) Kind() string { return "SparkListenerExecutorAdded" }

// ExecutorInfo is what an executor said of itself.
type ExecutorInfo struct {
	Host             string           `json:"Host"`
	TotalCores       int              `json:"Total Cores"`
	LogURLs          Properties       `json:"Log Urls"`
	Attributes       Properties       `json:"Attributes"`
	Resources        Fields[Resource] `json:"Resources"`
	Profile          int32            `json:"Resource Profile Id"`
	RegistrationTime *int64           `json:"Registration Time,omitempty"`
	RequestTime      *int64           `json:"Request Time,omitempty"`
}

// Resource is what an executor has of a kind of resource.
type Resource struct {
	Name      string   `json:"name"`
	Addresses []string `json:"addresses"`
}

// ExecutorRemoved reports that an executor is gone.
type ExecutorRemoved struct {
	Timestamp  int64  `json:"Timestamp"`
	ExecutorID string `json:"Executor ID"`
	Reason     string `json:"Removed Reason"`
}

// Kind implements [Event].
func (*ExecutorRemoved) Kind() string { return "SparkListenerExecutorRemoved" }

// BlockManagerID names a block manager.
type BlockManagerID struct {
	ExecutorID string `json:"Executor ID"`
	Host       string `json:"Host"`
	Port       int    `json:"Port"`
}

// BlockManagerAdded reports that a block manager registered. Memory is for cached blocks.
type BlockManagerAdded struct {
	ID        BlockManagerID `json:"Block Manager ID"`
	Memory    int64          `json:"Maximum Memory"`
	Timestamp int64          `json:"Timestamp"`
	OnHeap    *int64         `json:"Maximum Onheap Memory,omitempty"`
	OffHeap   *int64         `json:"Maximum Offheap Memory,omitempty"`
}

// Kind implements [Event].
func (*BlockManagerAdded) Kind() string { return "SparkListenerBlockManagerAdded" }

// BlockManagerRemoved reports that a block manager is gone with its executor.
type BlockManagerRemoved struct {
	ID        BlockManagerID `json:"Block Manager ID"`
	Timestamp int64          `json:"Timestamp"`
}

// Kind implements [Event].
func (*BlockManagerRemoved) Kind() string { return "SparkListenerBlockManagerRemoved" }

// ExecutorMetricsUpdate is what a heartbeat brought.
type ExecutorMetricsUpdate struct {
	ExecutorID string        `json:"Executor ID"`
	Tasks      []TaskUpdate  `json:"Metrics Updated"`
	Executors  []PeakMetrics `json:"Executor Metrics Updated"`
}

// Kind implements [Event].
func (*ExecutorMetricsUpdate) Kind() string { return "SparkListenerExecutorMetricsUpdate" }

// TaskUpdate is how far a running task has come.
type TaskUpdate struct {
	TaskID       int64         `json:"Task ID"`
	StageID      int32         `json:"Stage ID"`
	Attempt      int32         `json:"Stage Attempt ID"`
	Accumulables []Accumulable `json:"Accumulator Updates"`
}

// PeakMetrics are the peaks of an executor in an attempt of a stage; -1 is all of them.
type PeakMetrics struct {
	StageID int32           `json:"Stage ID"`
	Attempt int32           `json:"Stage Attempt ID"`
	Metrics ExecutorMetrics `json:"Executor Metrics"`
}

// StageExecutorMetrics are the peaks of an executor in an attempt of a stage that has ended.
type StageExecutorMetrics struct {
	ExecutorID string          `json:"Executor ID"`
	StageID    int32           `json:"Stage ID"`
	Attempt    int32           `json:"Stage Attempt ID"`
	Metrics    ExecutorMetrics `json:"Executor Metrics"`
}

// Kind implements [Event].
func (*StageExecutorMetrics) Kind() string { return "SparkListenerStageExecutorMetrics" }
