//coherer:pure

package status

import (
	"cmp"
	"maps"
	"slices"

	"github.com/coherer/coherer/actors/driver/listener"
)

// Distribution is a metric at the quantiles that were asked for.
type Distribution []listener.Double

// TaskDistributions are the metrics of the tasks of an attempt of a stage that succeeded.
type TaskDistributions struct {
	Quantiles          Distribution `json:"quantiles"`
	Duration           Distribution `json:"duration"`
	DeserializeTime    Distribution `json:"executorDeserializeTime"`
	DeserializeCPUTime Distribution `json:"executorDeserializeCpuTime"`
	RunTime            Distribution `json:"executorRunTime"`
	CPUTime            Distribution `json:"executorCpuTime"`
	ResultSize         Distribution `json:"resultSize"`
	GCTime             Distribution `json:"jvmGcTime"`
	SerializationTime  Distribution `json:"resultSerializationTime"`
	GettingResult      Distribution `json:"gettingResultTime"`
	Delay              Distribution `json:"schedulerDelay"`
	PeakMemory         Distribution `json:"peakExecutionMemory"`
	MemorySpilled      Distribution `json:"memoryBytesSpilled"`
	DiskSpilled        Distribution `json:"diskBytesSpilled"`
	Input              struct {
		Bytes   Distribution `json:"bytesRead"`
		Records Distribution `json:"recordsRead"`
	} `json:"inputMetrics"`
	Output struct {
		Bytes   Distribution `json:"bytesWritten"`
		Records Distribution `json:"recordsWritten"`
	} `json:"outputMetrics"`
	Read struct {
		Bytes             Distribution `json:"readBytes"`
		Records           Distribution `json:"readRecords"`
		RemoteBlocks      Distribution `json:"remoteBlocksFetched"`
		LocalBlocks       Distribution `json:"localBlocksFetched"`
		FetchWait         Distribution `json:"fetchWaitTime"`
		RemoteBytes       Distribution `json:"remoteBytesRead"`
		RemoteBytesToDisk Distribution `json:"remoteBytesReadToDisk"`
		Blocks            Distribution `json:"totalBlocksFetched"`
		RequestsDuration  Distribution `json:"remoteReqsDuration"`
		Push              struct {
			CorruptChunks    Distribution `json:"corruptMergedBlockChunks"`
			Fallbacks        Distribution `json:"mergedFetchFallbackCount"`
			RemoteBlocks     Distribution `json:"remoteMergedBlocksFetched"`
			LocalBlocks      Distribution `json:"localMergedBlocksFetched"`
			RemoteChunks     Distribution `json:"remoteMergedChunksFetched"`
			LocalChunks      Distribution `json:"localMergedChunksFetched"`
			RemoteBytes      Distribution `json:"remoteMergedBytesRead"`
			LocalBytes       Distribution `json:"localMergedBytesRead"`
			RequestsDuration Distribution `json:"remoteMergedReqsDuration"`
		} `json:"shufflePushReadMetricsDist"`
	} `json:"shuffleReadMetrics"`
	Write struct {
		Bytes   Distribution `json:"writeBytes"`
		Records Distribution `json:"writeRecords"`
		Time    Distribution `json:"writeTime"`
	} `json:"shuffleWriteMetrics"`
}

// TaskSummary asks for the distributions of an attempt of a stage; the answer is a *TaskDistributions.
type TaskSummary struct {
	ID, Attempt int32
	Quantiles   []float64
}

func (q TaskSummary) answer(s *Store, now int64) any {
	if g := s.stages[stageKey{q.ID, q.Attempt}]; g != nil {
		if d := s.taskDistributions(g, q.Quantiles, now); d != nil {
			return d
		}
	}
	return notFound("No tasks reported metrics for %d / %d yet.", q.ID, q.Attempt)
}

// at is the index of each quantile among n sorted values (AppStatusStore.taskSummary).
func at(quantiles []float64, n int) []int {
	var out []int
	for _, q := range quantiles {
		out = append(out, min(max(int(q*float64(n)), 0), n-1))
	}
	return out
}

// distribute sorts the values and takes those at the quantiles.
func distribute[T any](all []T, quantiles []float64, value func(T) int64) Distribution {
	values := make([]int64, len(all))
	for i, x := range all {
		values[i] = value(x)
	}
	slices.SortFunc(values, cmp.Compare)
	out := Distribution{}
	for _, i := range at(quantiles, len(values)) {
		out = append(out, listener.Double(values[i]))
	}
	return out
}

// taskDistributions are nil when no task has succeeded.
func (s *Store) taskDistributions(g *stage, quantiles []float64, now int64) *TaskDistributions {
	all := g.sortedTasks([]string{"SUCCESS"})
	if len(all) == 0 {
		return nil
	}
	d := &TaskDistributions{}
	for _, q := range quantiles {
		d.Quantiles = append(d.Quantiles, listener.Double(q))
	}
	set := func(to *Distribution, value func(*task) int64) { *to = distribute(all, quantiles, value) }
	of := func(to *Distribution, value func(*listener.TaskMetrics) int64) {
		set(to, func(t *task) int64 { return value(t.metrics) })
	}
	type metrics = listener.TaskMetrics
	set(&d.Duration, func(t *task) int64 { return t.duration(now) })
	set(&d.GettingResult, func(t *task) int64 { return t.gettingResult(now) })
	set(&d.Delay, func(t *task) int64 { return t.delay(now) })
	of(&d.DeserializeTime, func(m *metrics) int64 { return m.DeserializeTime })
	of(&d.DeserializeCPUTime, func(m *metrics) int64 { return m.DeserializeCPUTime })
	of(&d.RunTime, func(m *metrics) int64 { return m.RunTime })
	of(&d.CPUTime, func(m *metrics) int64 { return m.CPUTime })
	of(&d.ResultSize, func(m *metrics) int64 { return m.ResultSize })
	of(&d.GCTime, func(m *metrics) int64 { return m.GCTime })
	of(&d.SerializationTime, func(m *metrics) int64 { return m.SerializationTime })
	of(&d.PeakMemory, func(m *metrics) int64 { return m.PeakMemory })
	of(&d.MemorySpilled, func(m *metrics) int64 { return m.MemorySpilled })
	of(&d.DiskSpilled, func(m *metrics) int64 { return m.DiskSpilled })
	of(&d.Input.Bytes, func(m *metrics) int64 { return m.Input.Bytes })
	of(&d.Input.Records, func(m *metrics) int64 { return m.Input.Records })
	of(&d.Output.Bytes, func(m *metrics) int64 { return m.Output.Bytes })
	of(&d.Output.Records, func(m *metrics) int64 { return m.Output.Records })
	of(&d.Read.Bytes, func(m *metrics) int64 { return m.ShuffleRead.RemoteBytes + m.ShuffleRead.LocalBytes })
	of(&d.Read.Records, func(m *metrics) int64 { return m.ShuffleRead.Records })
	of(&d.Read.RemoteBlocks, func(m *metrics) int64 { return m.ShuffleRead.RemoteBlocks })
	of(&d.Read.LocalBlocks, func(m *metrics) int64 { return m.ShuffleRead.LocalBlocks })
	of(&d.Read.FetchWait, func(m *metrics) int64 { return m.ShuffleRead.FetchWait })
	of(&d.Read.RemoteBytes, func(m *metrics) int64 { return m.ShuffleRead.RemoteBytes })
	of(&d.Read.RemoteBytesToDisk, func(m *metrics) int64 { return m.ShuffleRead.RemoteBytesToDisk })
	of(&d.Read.Blocks, func(m *metrics) int64 { return m.ShuffleRead.RemoteBlocks + m.ShuffleRead.LocalBlocks })
	of(&d.Read.RequestsDuration, func(m *metrics) int64 { return m.ShuffleRead.RequestsDuration })
	push := &d.Read.Push
	of(&push.CorruptChunks, func(m *metrics) int64 { return m.ShuffleRead.Push.CorruptChunks })
	of(&push.Fallbacks, func(m *metrics) int64 { return m.ShuffleRead.Push.Fallbacks })
	of(&push.RemoteBlocks, func(m *metrics) int64 { return m.ShuffleRead.Push.RemoteBlocks })
	of(&push.LocalBlocks, func(m *metrics) int64 { return m.ShuffleRead.Push.LocalBlocks })
	of(&push.RemoteChunks, func(m *metrics) int64 { return m.ShuffleRead.Push.RemoteChunks })
	of(&push.LocalChunks, func(m *metrics) int64 { return m.ShuffleRead.Push.LocalChunks })
	of(&push.RemoteBytes, func(m *metrics) int64 { return m.ShuffleRead.Push.RemoteBytes })
	of(&push.LocalBytes, func(m *metrics) int64 { return m.ShuffleRead.Push.LocalBytes })
	of(&push.RequestsDuration, func(m *metrics) int64 { return m.ShuffleRead.Push.RequestsDuration })
	of(&d.Write.Bytes, func(m *metrics) int64 { return m.ShuffleWrite.Bytes })
	of(&d.Write.Records, func(m *metrics) int64 { return m.ShuffleWrite.Records })
	of(&d.Write.Time, func(m *metrics) int64 { return m.ShuffleWrite.Time })
	return d
}

// ExecutorDistributions are what the executors did for an attempt of a stage.
type ExecutorDistributions struct {
	Quantiles     Distribution      `json:"quantiles"`
	TaskTime      Distribution      `json:"taskTime"`
	Failed        Distribution      `json:"failedTasks"`
	Succeeded     Distribution      `json:"succeededTasks"`
	Killed        Distribution      `json:"killedTasks"`
	InputBytes    Distribution      `json:"inputBytes"`
	InputRecords  Distribution      `json:"inputRecords"`
	OutputBytes   Distribution      `json:"outputBytes"`
	OutputRecords Distribution      `json:"outputRecords"`
	Read          Distribution      `json:"shuffleRead"`
	ReadRecords   Distribution      `json:"shuffleReadRecords"`
	Write         Distribution      `json:"shuffleWrite"`
	WriteRecords  Distribution      `json:"shuffleWriteRecords"`
	MemorySpilled Distribution      `json:"memoryBytesSpilled"`
	DiskSpilled   Distribution      `json:"diskBytesSpilled"`
	Peaks         PeakDistributions `json:"peakMemoryMetrics"`
}

// PeakDistributions are the peaks of the executors by their names.
type PeakDistributions = listener.Fields[Distribution]

// executorDistributions are nil when no executor had a task.
func executorDistributions(g *stage, quantiles []float64) *ExecutorDistributions {
	var all []*stageExecutor
	for _, id := range slices.Sorted(maps.Keys(g.executors)) {
		all = append(all, g.executors[id])
	}
	if len(all) == 0 {
		return nil
	}
	d := &ExecutorDistributions{}
	for _, q := range quantiles {
		d.Quantiles = append(d.Quantiles, listener.Double(q))
	}
	set := func(to *Distribution, value func(*stageExecutor) int64) { *to = distribute(all, quantiles, value) }
	set(&d.TaskTime, func(x *stageExecutor) int64 { return x.taskTime })
	set(&d.Failed, func(x *stageExecutor) int64 { return int64(x.failed) })
	set(&d.Succeeded, func(x *stageExecutor) int64 { return int64(x.completed) })
	set(&d.Killed, func(x *stageExecutor) int64 { return int64(x.killed) })
	set(&d.InputBytes, func(x *stageExecutor) int64 { return x.metrics.Input.Bytes })
	set(&d.InputRecords, func(x *stageExecutor) int64 { return x.metrics.Input.Records })
	set(&d.OutputBytes, func(x *stageExecutor) int64 { return x.metrics.Output.Bytes })
	set(&d.OutputRecords, func(x *stageExecutor) int64 { return x.metrics.Output.Records })
	set(&d.Read, func(x *stageExecutor) int64 {
		return x.metrics.ShuffleRead.RemoteBytes + x.metrics.ShuffleRead.LocalBytes
	})
	set(&d.ReadRecords, func(x *stageExecutor) int64 { return x.metrics.ShuffleRead.Records })
	set(&d.Write, func(x *stageExecutor) int64 { return x.metrics.ShuffleWrite.Bytes })
	set(&d.WriteRecords, func(x *stageExecutor) int64 { return x.metrics.ShuffleWrite.Records })
	set(&d.MemorySpilled, func(x *stageExecutor) int64 { return x.metrics.MemorySpilled })
	set(&d.DiskSpilled, func(x *stageExecutor) int64 { return x.metrics.DiskSpilled })
	d.Peaks = PeakDistributions{}
	for i, name := range listener.MetricNames() {
		of := func(x *stageExecutor) int64 { return max(*x.peaks.Values()[i], 0) }
		d.Peaks = append(d.Peaks, listener.Field[Distribution]{Key: name, Value: distribute(all, quantiles, of)})
	}
	return d
}
