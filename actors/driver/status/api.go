//coherer:pure

package status

import (
	"time"

	"github.com/coherer/coherer/actors/driver/listener"
)

// The structs below are the answers of Spark's REST API (org.apache.spark.status.api.v1), with its fields in its order.

// Time is a time in milliseconds as the API writes it.
type Time int64

// MarshalText writes the time as in 2026-01-02T15:04:05.678GMT.
func (t Time) MarshalText() ([]byte, error) {
	return []byte(time.UnixMilli(int64(t)).UTC().Format("2006-01-02T15:04:05.000") + "GMT"), nil
}

// timeOf is a time that there may not be.
func timeOf(ms int64) *Time {
	if ms == 0 {
		return nil
	}
	t := Time(ms)
	return &t
}

// ApplicationInfo is an application.
type ApplicationInfo struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	Attempts []Attempt `json:"attempts"`
}

// Attempt is an attempt of an application; -1 is the end of one that runs.
type Attempt struct {
	ID               *string `json:"attemptId,omitempty"`
	Start            Time    `json:"startTime"`
	End              Time    `json:"endTime"`
	LastUpdated      Time    `json:"lastUpdated"`
	Duration         int64   `json:"duration"`
	User             string  `json:"sparkUser"`
	Completed        bool    `json:"completed"`
	Version          string  `json:"appSparkVersion"`
	StartEpoch       int64   `json:"startTimeEpoch"`
	EndEpoch         int64   `json:"endTimeEpoch"`
	LastUpdatedEpoch int64   `json:"lastUpdatedEpoch"`
}

// JobData is a job.
type JobData struct {
	ID               int32          `json:"jobId"`
	Name             string         `json:"name"`
	Description      string         `json:"description,omitempty"`
	Submitted        *Time          `json:"submissionTime,omitempty"`
	Completed        *Time          `json:"completionTime,omitempty"`
	Stages           []int32        `json:"stageIds"`
	Group            string         `json:"jobGroup,omitempty"`
	Tags             []string       `json:"jobTags"`
	Status           string         `json:"status"`
	Tasks            int            `json:"numTasks"`
	ActiveTasks      int            `json:"numActiveTasks"`
	CompletedTasks   int            `json:"numCompletedTasks"`
	SkippedTasks     int            `json:"numSkippedTasks"`
	FailedTasks      int            `json:"numFailedTasks"`
	KilledTasks      int            `json:"numKilledTasks"`
	CompletedIndices int            `json:"numCompletedIndices"`
	ActiveStages     int            `json:"numActiveStages"`
	CompletedStages  int            `json:"numCompletedStages"`
	SkippedStages    int            `json:"numSkippedStages"`
	FailedStages     int            `json:"numFailedStages"`
	KilledBy         map[string]int `json:"killedTasksSummary"`
}

// StageData is an attempt of a stage.
type StageData struct {
	Status           string `json:"status"`
	ID               int32  `json:"stageId"`
	Attempt          int32  `json:"attemptId"`
	Tasks            int    `json:"numTasks"`
	ActiveTasks      int    `json:"numActiveTasks"`
	CompleteTasks    int    `json:"numCompleteTasks"`
	FailedTasks      int    `json:"numFailedTasks"`
	KilledTasks      int    `json:"numKilledTasks"`
	CompletedIndices int    `json:"numCompletedIndices"`
	Submitted        *Time  `json:"submissionTime,omitempty"`
	FirstLaunched    *Time  `json:"firstTaskLaunchedTime,omitempty"`
	Completed        *Time  `json:"completionTime,omitempty"`
	Failure          string `json:"failureReason,omitempty"`

	DeserializeTime    int64 `json:"executorDeserializeTime"`
	DeserializeCPUTime int64 `json:"executorDeserializeCpuTime"`
	RunTime            int64 `json:"executorRunTime"`
	CPUTime            int64 `json:"executorCpuTime"`
	ResultSize         int64 `json:"resultSize"`
	GCTime             int64 `json:"jvmGcTime"`
	SerializationTime  int64 `json:"resultSerializationTime"`
	MemorySpilled      int64 `json:"memoryBytesSpilled"`
	DiskSpilled        int64 `json:"diskBytesSpilled"`
	PeakMemory         int64 `json:"peakExecutionMemory"`
	InputBytes         int64 `json:"inputBytes"`
	InputRecords       int64 `json:"inputRecords"`
	OutputBytes        int64 `json:"outputBytes"`
	OutputRecords      int64 `json:"outputRecords"`

	RemoteBlocks      int64 `json:"shuffleRemoteBlocksFetched"`
	LocalBlocks       int64 `json:"shuffleLocalBlocksFetched"`
	FetchWait         int64 `json:"shuffleFetchWaitTime"`
	RemoteBytes       int64 `json:"shuffleRemoteBytesRead"`
	RemoteBytesToDisk int64 `json:"shuffleRemoteBytesReadToDisk"`
	LocalBytes        int64 `json:"shuffleLocalBytesRead"`
	ReadBytes         int64 `json:"shuffleReadBytes"`
	ReadRecords       int64 `json:"shuffleReadRecords"`
	CorruptChunks     int64 `json:"shuffleCorruptMergedBlockChunks"`
	Fallbacks         int64 `json:"shuffleMergedFetchFallbackCount"`
	MergedRemote      int64 `json:"shuffleMergedRemoteBlocksFetched"`
	MergedLocal       int64 `json:"shuffleMergedLocalBlocksFetched"`
	MergedRemoteChunk int64 `json:"shuffleMergedRemoteChunksFetched"`
	MergedLocalChunk  int64 `json:"shuffleMergedLocalChunksFetched"`
	MergedRemoteBytes int64 `json:"shuffleMergedRemoteBytesRead"`
	MergedLocalBytes  int64 `json:"shuffleMergedLocalBytesRead"`
	RequestsDuration  int64 `json:"shuffleRemoteReqsDuration"`
	MergedRequests    int64 `json:"shuffleMergedRemoteReqsDuration"`
	WriteBytes        int64 `json:"shuffleWriteBytes"`
	WriteTime         int64 `json:"shuffleWriteTime"`
	WriteRecords      int64 `json:"shuffleWriteRecords"`

	Name         string                          `json:"name"`
	Description  string                          `json:"description,omitempty"`
	Details      string                          `json:"details"`
	Pool         string                          `json:"schedulingPool"`
	RDDs         []int32                         `json:"rddIds"`
	Accumulators []AccumulableInfo               `json:"accumulatorUpdates"`
	TaskList     map[int64]*TaskData             `json:"tasks,omitzero"`
	Executors    map[string]ExecutorStageSummary `json:"executorSummary,omitzero"`
	KilledBy     map[string]int                  `json:"killedTasksSummary"`
	Profile      int32                           `json:"resourceProfileId"`
	Peaks        *listener.ExecutorMetrics       `json:"peakExecutorMetrics,omitempty"`
	TaskDist     *TaskDistributions              `json:"taskMetricsDistributions,omitempty"`
	ExecutorDist *ExecutorDistributions          `json:"executorMetricsDistributions,omitempty"`
	Push         bool                            `json:"isShufflePushEnabled"`
	PushMergers  int                             `json:"shuffleMergersCount"`
}

// AccumulableInfo is an accumulator that has a name.
type AccumulableInfo struct {
	ID     int64   `json:"id"`
	Name   string  `json:"name"`
	Update *string `json:"update,omitempty"`
	Value  string  `json:"value"`
}

// TaskData is an attempt of a task.
type TaskData struct {
	ID            int64             `json:"taskId"`
	Index         int32             `json:"index"`
	Attempt       int32             `json:"attempt"`
	Partition     int32             `json:"partitionId"`
	Launched      Time              `json:"launchTime"`
	FetchStart    *Time             `json:"resultFetchStart,omitempty"`
	Duration      int64             `json:"duration"`
	ExecutorID    string            `json:"executorId"`
	Host          string            `json:"host"`
	Status        string            `json:"status"`
	Locality      string            `json:"taskLocality"`
	Speculative   bool              `json:"speculative"`
	Accumulators  []AccumulableInfo `json:"accumulatorUpdates"`
	Error         string            `json:"errorMessage,omitempty"`
	Metrics       *TaskMetrics      `json:"taskMetrics,omitempty"`
	Logs          map[string]string `json:"executorLogs"`
	Delay         int64             `json:"schedulerDelay"`
	GettingResult int64             `json:"gettingResultTime"`
}

// TaskMetrics is what an attempt has cost.
type TaskMetrics struct {
	DeserializeTime    int64        `json:"executorDeserializeTime"`
	DeserializeCPUTime int64        `json:"executorDeserializeCpuTime"`
	RunTime            int64        `json:"executorRunTime"`
	CPUTime            int64        `json:"executorCpuTime"`
	ResultSize         int64        `json:"resultSize"`
	GCTime             int64        `json:"jvmGcTime"`
	SerializationTime  int64        `json:"resultSerializationTime"`
	MemorySpilled      int64        `json:"memoryBytesSpilled"`
	DiskSpilled        int64        `json:"diskBytesSpilled"`
	PeakMemory         int64        `json:"peakExecutionMemory"`
	Input              Input        `json:"inputMetrics"`
	Output             Output       `json:"outputMetrics"`
	ShuffleRead        ShuffleRead  `json:"shuffleReadMetrics"`
	ShuffleWrite       ShuffleWrite `json:"shuffleWriteMetrics"`
}

// Input is what an attempt read.
type Input struct {
	Bytes   int64 `json:"bytesRead"`
	Records int64 `json:"recordsRead"`
}

// Output is what an attempt wrote.
type Output struct {
	Bytes   int64 `json:"bytesWritten"`
	Records int64 `json:"recordsWritten"`
}

// ShuffleRead is what an attempt read of shuffles.
type ShuffleRead struct {
	RemoteBlocks      int64 `json:"remoteBlocksFetched"`
	LocalBlocks       int64 `json:"localBlocksFetched"`
	FetchWait         int64 `json:"fetchWaitTime"`
	RemoteBytes       int64 `json:"remoteBytesRead"`
	RemoteBytesToDisk int64 `json:"remoteBytesReadToDisk"`
	LocalBytes        int64 `json:"localBytesRead"`
	Records           int64 `json:"recordsRead"`
	RequestsDuration  int64 `json:"remoteReqsDuration"`
	Push              Push  `json:"shufflePushReadMetrics"`
}

// Push is what an attempt read of shuffles that were pushed.
type Push struct {
	CorruptChunks    int64 `json:"corruptMergedBlockChunks"`
	Fallbacks        int64 `json:"mergedFetchFallbackCount"`
	RemoteBlocks     int64 `json:"remoteMergedBlocksFetched"`
	LocalBlocks      int64 `json:"localMergedBlocksFetched"`
	RemoteChunks     int64 `json:"remoteMergedChunksFetched"`
	LocalChunks      int64 `json:"localMergedChunksFetched"`
	RemoteBytes      int64 `json:"remoteMergedBytesRead"`
	LocalBytes       int64 `json:"localMergedBytesRead"`
	RequestsDuration int64 `json:"remoteMergedReqsDuration"`
}

// ShuffleWrite is what an attempt wrote for a shuffle.
type ShuffleWrite struct {
	Bytes   int64 `json:"bytesWritten"`
	Time    int64 `json:"writeTime"`
	Records int64 `json:"recordsWritten"`
}

// ExecutorStageSummary is what an executor did for an attempt of a stage.
type ExecutorStageSummary struct {
	TaskTime       int64                     `json:"taskTime"`
	Failed         int                       `json:"failedTasks"`
	Succeeded      int                       `json:"succeededTasks"`
	Killed         int                       `json:"killedTasks"`
	InputBytes     int64                     `json:"inputBytes"`
	InputRecords   int64                     `json:"inputRecords"`
	OutputBytes    int64                     `json:"outputBytes"`
	OutputRecords  int64                     `json:"outputRecords"`
	ReadBytes      int64                     `json:"shuffleRead"`
	ReadRecords    int64                     `json:"shuffleReadRecords"`
	WriteBytes     int64                     `json:"shuffleWrite"`
	WriteRecords   int64                     `json:"shuffleWriteRecords"`
	MemorySpilled  int64                     `json:"memoryBytesSpilled"`
	DiskSpilled    int64                     `json:"diskBytesSpilled"`
	IsBlacklisted  bool                      `json:"isBlacklistedForStage"`
	Peaks          *listener.ExecutorMetrics `json:"peakMemoryMetrics,omitempty"`
	ExcludedForNow bool                      `json:"isExcludedForStage"`
}

// ExecutorSummary is an executor, or the driver.
type ExecutorSummary struct {
	ID                  string                       `json:"id"`
	HostPort            string                       `json:"hostPort"`
	IsActive            bool                         `json:"isActive"`
	Blocks              int                          `json:"rddBlocks"`
	MemoryUsed          int64                        `json:"memoryUsed"`
	DiskUsed            int64                        `json:"diskUsed"`
	Cores               int                          `json:"totalCores"`
	MaxTasks            int                          `json:"maxTasks"`
	ActiveTasks         int                          `json:"activeTasks"`
	FailedTasks         int                          `json:"failedTasks"`
	CompletedTasks      int                          `json:"completedTasks"`
	TotalTasks          int                          `json:"totalTasks"`
	Duration            int64                        `json:"totalDuration"`
	GCTime              int64                        `json:"totalGCTime"`
	InputBytes          int64                        `json:"totalInputBytes"`
	ShuffleRead         int64                        `json:"totalShuffleRead"`
	ShuffleWrite        int64                        `json:"totalShuffleWrite"`
	IsBlacklisted       bool                         `json:"isBlacklisted"`
	MaxMemory           int64                        `json:"maxMemory"`
	Added               Time                         `json:"addTime"`
	Removed             *Time                        `json:"removeTime,omitempty"`
	Reason              *string                      `json:"removeReason,omitempty"`
	Logs                map[string]string            `json:"executorLogs"`
	Memory              *MemoryMetrics               `json:"memoryMetrics,omitempty"`
	BlacklistedInStages []int32                      `json:"blacklistedInStages"`
	Peaks               *listener.ExecutorMetrics    `json:"peakMemoryMetrics,omitempty"`
	Attributes          map[string]string            `json:"attributes"`
	Resources           map[string]listener.Resource `json:"resources"`
	Profile             int32                        `json:"resourceProfileId"`
	IsExcluded          bool                         `json:"isExcluded"`
	ExcludedInStages    []int32                      `json:"excludedInStages"`
}

// MemoryMetrics is the memory of an executor for kept blocks.
type MemoryMetrics struct {
	UsedOnHeap   int64 `json:"usedOnHeapStorageMemory"`
	UsedOffHeap  int64 `json:"usedOffHeapStorageMemory"`
	TotalOnHeap  int64 `json:"totalOnHeapStorageMemory"`
	TotalOffHeap int64 `json:"totalOffHeapStorageMemory"`
}

// RDDStorage is a dataset of which partitions are kept.
type RDDStorage struct {
	ID           int32             `json:"id"`
	Name         string            `json:"name"`
	Partitions   int               `json:"numPartitions"`
	Cached       int               `json:"numCachedPartitions"`
	Level        string            `json:"storageLevel"`
	Memory       int64             `json:"memoryUsed"`
	Disk         int64             `json:"diskUsed"`
	Distribution []RDDDistribution `json:"dataDistribution"`
	Blocks       []RDDPartition    `json:"partitions"`
}

// RDDDistribution is what a dataset takes of an executor.
type RDDDistribution struct {
	Address          string `json:"address"`
	Memory           int64  `json:"memoryUsed"`
	Remaining        int64  `json:"memoryRemaining"`
	Disk             int64  `json:"diskUsed"`
	OnHeap           int64  `json:"onHeapMemoryUsed"`
	OffHeap          int64  `json:"offHeapMemoryUsed"`
	OnHeapRemaining  int64  `json:"onHeapMemoryRemaining"`
	OffHeapRemaining int64  `json:"offHeapMemoryRemaining"`
}

// RDDPartition is a kept partition.
type RDDPartition struct {
	Name      string   `json:"blockName"`
	Level     string   `json:"storageLevel"`
	Memory    int64    `json:"memoryUsed"`
	Disk      int64    `json:"diskUsed"`
	Executors []string `json:"executors"`
}

// Environment is the settings of the application and its process; each entry is a key and a value.
type Environment struct {
	Runtime   Runtime       `json:"runtime"`
	Spark     [][2]string   `json:"sparkProperties"`
	Hadoop    [][2]string   `json:"hadoopProperties"`
	System    [][2]string   `json:"systemProperties"`
	Metrics   [][2]string   `json:"metricsProperties"`
	Classpath [][2]string   `json:"classpathEntries"`
	Profiles  []ProfileInfo `json:"resourceProfiles"`
}

// Runtime is what runs the driver.
type Runtime struct {
	JavaVersion  string `json:"javaVersion"`
	JavaHome     string `json:"javaHome"`
	ScalaVersion string `json:"scalaVersion"`
}

// ProfileInfo is a resource profile.
type ProfileInfo struct {
	ID        int32                       `json:"id"`
	Executors map[string]ExecutorResource `json:"executorResources"`
	Tasks     map[string]TaskResource     `json:"taskResources"`
}

// ExecutorResource is what a profile wants of an executor.
type ExecutorResource struct {
	Name   string `json:"resourceName"`
	Amount int64  `json:"amount"`
	Script string `json:"discoveryScript"`
	Vendor string `json:"vendor"`
}

// TaskResource is what a task of a profile takes.
type TaskResource struct {
	Name   string          `json:"resourceName"`
	Amount listener.Double `json:"amount"`
}
