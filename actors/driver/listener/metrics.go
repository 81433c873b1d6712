//coherer:pure

package listener

import (
	"encoding/json"
	"reflect"
)

// TaskMetrics is what a task has cost. CPU times and the time to write a shuffle are in nanoseconds.
type TaskMetrics struct {
	DeserializeTime    int64             `json:"Executor Deserialize Time"`
	DeserializeCPUTime int64             `json:"Executor Deserialize CPU Time"`
	RunTime            int64             `json:"Executor Run Time"`
	CPUTime            int64             `json:"Executor CPU Time"`
	PeakMemory         int64             `json:"Peak Execution Memory"`
	PeakOnHeap         int64             `json:"Peak On Heap Execution Memory"`
	PeakOffHeap        int64             `json:"Peak Off Heap Execution Memory"`
	ResultSize         int64             `json:"Result Size"`
	GCTime             int64             `json:"JVM GC Time"`
	SerializationTime  int64             `json:"Result Serialization Time"`
	MemorySpilled      int64             `json:"Memory Bytes Spilled"`
	DiskSpilled        int64             `json:"Disk Bytes Spilled"`
	ShuffleRead        ShuffleRead       `json:"Shuffle Read Metrics"`
	ShuffleWrite       ShuffleWrite      `json:"Shuffle Write Metrics"`
	Input              Input             `json:"Input Metrics"`
	Output             Output            `json:"Output Metrics"`
	UpdatedBlocks      []json.RawMessage `json:"Updated Blocks"`
}

// ShuffleRead is what a task read of shuffles.
type ShuffleRead struct {
	RemoteBlocks      int64     `json:"Remote Blocks Fetched"`
	LocalBlocks       int64     `json:"Local Blocks Fetched"`
	FetchWait         int64     `json:"Fetch Wait Time"`
	RemoteBytes       int64     `json:"Remote Bytes Read"`
	RemoteBytesToDisk int64     `json:"Remote Bytes Read To Disk"`
	LocalBytes        int64     `json:"Local Bytes Read"`
	Records           int64     `json:"Total Records Read"`
	RequestsDuration  int64     `json:"Remote Requests Duration"`
	Push              PushBased `json:"Push Based Shuffle"`
}

// PushBased is zero: shuffles are not pushed.
type PushBased struct {
	CorruptChunks    int64 `json:"Corrupt Merged Block Chunks"`
	Fallbacks        int64 `json:"Merged Fetch Fallback Count"`
	RemoteBlocks     int64 `json:"Merged Remote Blocks Fetched"`
	LocalBlocks      int64 `json:"Merged Local Blocks Fetched"`
	RemoteChunks     int64 `json:"Merged Remote Chunks Fetched"`
	LocalChunks      int64 `json:"Merged Local Chunks Fetched"`
	RemoteBytes      int64 `json:"Merged Remote Bytes Read"`
	LocalBytes       int64 `json:"Merged Local Bytes Read"`
	RequestsDuration int64 `json:"Merged Remote Requests Duration"`
}

// ShuffleWrite is what a task wrote for a shuffle.
type ShuffleWrite struct {
	Bytes   int64 `json:"Shuffle Bytes Written"`
	Time    int64 `json:"Shuffle Write Time"`
	Records int64 `json:"Shuffle Records Written"`
}

// Input is what a task read of files and of kept blocks.
type Input struct {
	Bytes   int64 `json:"Bytes Read"`
	Records int64 `json:"Records Read"`
}

// Output is what a task wrote to files.
type Output struct {
	Bytes   int64 `json:"Bytes Written"`
	Records int64 `json:"Records Written"`
}

// ExecutorMetrics are peaks of an executor. A JVMHeapMemory of -1 says that nothing was measured; its Unmeasured has it.
type ExecutorMetrics struct {
	JVMHeapMemory           int64 `json:"JVMHeapMemory"`
	JVMOffHeapMemory        int64 `json:"JVMOffHeapMemory"`
	OnHeapExecutionMemory   int64 `json:"OnHeapExecutionMemory"`
	OffHeapExecutionMemory  int64 `json:"OffHeapExecutionMemory"`
	OnHeapStorageMemory     int64 `json:"OnHeapStorageMemory"`
	OffHeapStorageMemory    int64 `json:"OffHeapStorageMemory"`
	OnHeapUnifiedMemory     int64 `json:"OnHeapUnifiedMemory"`
	OffHeapUnifiedMemory    int64 `json:"OffHeapUnifiedMemory"`
	DirectPoolMemory        int64 `json:"DirectPoolMemory"`
	MappedPoolMemory        int64 `json:"MappedPoolMemory"`
	ProcessTreeJVMVMemory   int64 `json:"ProcessTreeJVMVMemory"`
	ProcessTreeJVMRSS       int64 `json:"ProcessTreeJVMRSSMemory"`
	ProcessTreePythonMemory int64 `json:"ProcessTreePythonVMemory"`
	ProcessTreePythonRSS    int64 `json:"ProcessTreePythonRSSMemory"`
	ProcessTreeOtherMemory  int64 `json:"ProcessTreeOtherVMemory"`
	ProcessTreeOtherRSS     int64 `json:"ProcessTreeOtherRSSMemory"`
	MinorGCCount            int64 `json:"MinorGCCount"`
	MinorGCTime             int64 `json:"MinorGCTime"`
	MajorGCCount            int64 `json:"MajorGCCount"`
	MajorGCTime             int64 `json:"MajorGCTime"`
	TotalGCTime             int64 `json:"TotalGCTime"`
	ConcurrentGCCount       int64 `json:"ConcurrentGCCount"`
	ConcurrentGCTime        int64 `json:"ConcurrentGCTime"`
}

// Unmeasured is what Spark writes where it has no peaks.
var Unmeasured = ExecutorMetrics{JVMHeapMemory: -1}

// Measured reports whether m has peaks (ExecutorMetrics.isSet).
func (m *ExecutorMetrics) Measured() bool { return m.JVMHeapMemory > -1 }

// Values are the fields of m in their order.
func (m *ExecutorMetrics) Values() []*int64 {
	return []*int64{
		&m.JVMHeapMemory, &m.JVMOffHeapMemory, &m.OnHeapExecutionMemory, &m.OffHeapExecutionMemory, &m.OnHeapStorageMemory,
		&m.OffHeapStorageMemory, &m.OnHeapUnifiedMemory, &m.OffHeapUnifiedMemory, &m.DirectPoolMemory, &m.MappedPoolMemory,
		&m.ProcessTreeJVMVMemory, &m.ProcessTreeJVMRSS, &m.ProcessTreePythonMemory, &m.ProcessTreePythonRSS, &m.ProcessTreeOtherMemory,
		&m.ProcessTreeOtherRSS, &m.MinorGCCount, &m.MinorGCTime, &m.MajorGCCount, &m.MajorGCTime, &m.TotalGCTime, &m.ConcurrentGCCount,
		&m.ConcurrentGCTime,
	}
}

// Max makes m the peaks of both (ExecutorMetrics.compareAndUpdatePeakValues).
func (m *ExecutorMetrics) Max(other *ExecutorMetrics) {
	theirs := other.Values()
	for i, p := range m.Values() {
		*p = max(*p, *theirs[i])
	}
}

// MetricNames are the names of the fields of ExecutorMetrics in their order.
func MetricNames() []string {
	t := reflect.TypeFor[ExecutorMetrics]()
	names := make([]string, t.NumField())
	for i := range names {
		names[i] = t.Field(i).Tag.Get("json")
	}
	return names
}
