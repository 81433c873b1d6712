//coherer:pure

package status

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/coherer/coherer/actors/driver/listener"
)

// Detail is how much of a stage an answer has.
type Detail struct {
	// Tasks: all its tasks, of TaskStatus alone if that names states, and what each executor did.
	Tasks      bool
	TaskStatus []string
	// Summaries: the distributions of metrics at Quantiles.
	Summaries bool
	Quantiles []float64
}

// Stages asks for the attempts of stages of some states, the latest first; without states for all. The answer is a []StageData.
type Stages struct {
	Status []string
	Detail
}

func (q Stages) answer(s *Store, now int64) any {
	out := []StageData{}
	all := s.sortedStages()
	slices.Reverse(all)
	for _, g := range all {
		// A stage without a task of the states that were asked for is left out.
		if q.Tasks && len(q.TaskStatus) > 0 && len(g.sortedTasks(q.TaskStatus)) == 0 {
			continue
		}
		if len(q.Status) == 0 || slices.Contains(q.Status, g.status) {
			out = append(out, s.stageData(g, q.Detail, now))
		}
	}
	return out
}

// StageAttempts asks for all attempts of a stage; the answer is a []StageData.
type StageAttempts struct {
	ID int32
	Detail
}

func (q StageAttempts) answer(s *Store, now int64) any {
	out := []StageData{}
	for _, g := range s.attempts(q.ID) {
		out = append(out, s.stageData(g, q.Detail, now))
	}
	if len(out) == 0 {
		return notFound("unknown stage: %d", q.ID)
	}
	return out
}

func (s *Store) attempts(id int32) (out []*stage) {
	for _, g := range s.sortedStages() {
		if g.info.ID == id {
			out = append(out, g)
		}
	}
	return out
}

// Stage asks for one attempt of a stage; the answer is a StageData.
type Stage struct {
	ID, Attempt int32
	Detail
}

func (q Stage) answer(s *Store, now int64) any {
	if g := s.stages[stageKey{q.ID, q.Attempt}]; g != nil {
		return s.stageData(g, q.Detail, now)
	}
	var found []string
	for _, g := range s.attempts(q.ID) {
		found = append(found, fmt.Sprint(g.info.Attempt))
	}
	if len(found) == 0 {
		return notFound("unknown stage: %d", q.ID)
	}
	return notFound("unknown attempt for stage %d.  Found attempts: [%s]", q.ID, strings.Join(found, ","))
}

// The orders of a TaskList.
const (
	ByID             = "ID"
	ByRuntime        = "runtime"
	ByRuntimeReverse = "-runtime"
)

// TaskList asks for tasks of an attempt of a stage, Length of them from Offset on, of some states or all; the answer is a []*TaskData,
// empty for an attempt that is unknown.
type TaskList struct {
	ID, Attempt    int32
	Offset, Length int
	SortBy         string
	Status         []string
}

func (q TaskList) answer(s *Store, now int64) any {
	out := []*TaskData{}
	g := s.stages[stageKey{q.ID, q.Attempt}]
	if g == nil {
		return out
	}
	all := g.sortedTasks(q.Status)
	if q.SortBy != "" && q.SortBy != ByID {
		slices.SortStableFunc(all, func(a, b *task) int { return cmp.Compare(a.metrics.RunTime, b.metrics.RunTime) })
		if q.SortBy == ByRuntimeReverse {
			slices.Reverse(all)
		}
	}
	from := min(max(q.Offset, 0), len(all))
	for _, t := range all[from:min(from+max(q.Length, 0), len(all))] {
		out = append(out, s.taskData(t, now))
	}
	return out
}

// sortedTasks are the attempts of some states, or all, by id.
func (g *stage) sortedTasks(status []string) []*task {
	var out []*task
	for _, t := range g.tasks {
		if len(status) == 0 || slices.Contains(status, t.status()) {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b *task) int { return cmp.Compare(a.info.ID, b.info.ID) })
	return out
}

func (s *Store) stageData(g *stage, d Detail, now int64) StageData {
	m := &g.metrics
	r, p := &m.ShuffleRead, &m.ShuffleRead.Push
	out := StageData{
		Status: g.status, ID: g.info.ID, Attempt: g.info.Attempt, Tasks: g.info.Tasks, ActiveTasks: g.active, CompleteTasks: g.completed,
		FailedTasks: g.failed, KilledTasks: g.killed, CompletedIndices: len(g.indices), Submitted: timeOf(number(g.info.Submitted)),
		FirstLaunched: timeOf(g.first), Completed: timeOf(number(g.info.Completed)), Failure: text(g.info.Failure),
		DeserializeTime: m.DeserializeTime, DeserializeCPUTime: m.DeserializeCPUTime, RunTime: m.RunTime, CPUTime: m.CPUTime,
		ResultSize: m.ResultSize, GCTime: m.GCTime, SerializationTime: m.SerializationTime, MemorySpilled: m.MemorySpilled,
		DiskSpilled: m.DiskSpilled, PeakMemory: m.PeakMemory, InputBytes: m.Input.Bytes, InputRecords: m.Input.Records,
		OutputBytes: m.Output.Bytes, OutputRecords: m.Output.Records, RemoteBlocks: r.RemoteBlocks, LocalBlocks: r.LocalBlocks,
		FetchWait: r.FetchWait, RemoteBytes: r.RemoteBytes, RemoteBytesToDisk: r.RemoteBytesToDisk, LocalBytes: r.LocalBytes,
		ReadBytes: r.LocalBytes + r.RemoteBytes, ReadRecords: r.Records, CorruptChunks: p.CorruptChunks, Fallbacks: p.Fallbacks,
		MergedRemote: p.RemoteBlocks, MergedLocal: p.LocalBlocks, MergedRemoteChunk: p.RemoteChunks, MergedLocalChunk: p.LocalChunks,
		MergedRemoteBytes: p.RemoteBytes, MergedLocalBytes: p.LocalBytes, RequestsDuration: r.RequestsDuration, MergedRequests: p.RequestsDuration,
		WriteBytes: m.ShuffleWrite.Bytes, WriteTime: m.ShuffleWrite.Time, WriteRecords: m.ShuffleWrite.Records,
		Name: g.info.Name, Description: g.description, Details: g.info.Details, Pool: g.pool, RDDs: []int32{},
		Accumulators: named(g.info.Accumulables), KilledBy: maps.Clone(g.killedBy), Profile: g.info.Profile, Peaks: measured(g.peaks),
		Push: g.info.Push, PushMergers: g.info.PushMergers,
	}
	for _, r := range g.info.RDDs {
		out.RDDs = append(out.RDDs, r.ID)
	}
	if d.Tasks {
		out.TaskList, out.Executors = map[int64]*TaskData{}, map[string]ExecutorStageSummary{}
		for _, t := range g.sortedTasks(d.TaskStatus) {
			out.TaskList[t.info.ID] = s.taskData(t, now)
		}
		for id, x := range g.executors {
			out.Executors[id] = x.data()
		}
	}
	if d.Summaries {
		out.TaskDist, out.ExecutorDist = s.taskDistributions(g, d.Quantiles, now), executorDistributions(g, d.Quantiles)
	}
	return out
}

func (x *stageExecutor) data() ExecutorStageSummary {
	m := &x.metrics
	return ExecutorStageSummary{
		TaskTime: x.taskTime, Failed: x.failed, Succeeded: x.completed, Killed: x.killed, InputBytes: m.Input.Bytes,
		InputRecords: m.Input.Records, OutputBytes: m.Output.Bytes, OutputRecords: m.Output.Records,
		ReadBytes: m.ShuffleRead.RemoteBytes + m.ShuffleRead.LocalBytes, ReadRecords: m.ShuffleRead.Records,
		WriteBytes: m.ShuffleWrite.Bytes, WriteRecords: m.ShuffleWrite.Records, MemorySpilled: m.MemorySpilled, DiskSpilled: m.DiskSpilled,
		IsBlacklisted: x.excluded, Peaks: measured(x.peaks), ExcludedForNow: x.excluded,
	}
}

func (s *Store) taskData(t *task, now int64) *TaskData {
	out := &TaskData{
		ID: t.info.ID, Index: t.info.Index, Attempt: t.info.Attempt, Partition: t.info.Partition, Launched: Time(t.info.Launched),
		FetchStart: timeOf(t.info.GettingResult), Duration: t.duration(now), ExecutorID: t.info.ExecutorID, Host: t.info.Host, Status: t.status(),
		Locality: t.info.Locality, Speculative: t.info.Speculative, Accumulators: named(t.info.Accumulables), Error: t.problem,
		Logs: logs(s.executors[t.info.ExecutorID]), Delay: t.delay(now), GettingResult: t.gettingResult(now),
	}
	m, r := t.metrics, &t.metrics.ShuffleRead
	out.Metrics = &TaskMetrics{
		DeserializeTime: m.DeserializeTime, DeserializeCPUTime: m.DeserializeCPUTime, RunTime: m.RunTime, CPUTime: m.CPUTime,
		ResultSize: m.ResultSize, GCTime: m.GCTime, SerializationTime: m.SerializationTime, MemorySpilled: m.MemorySpilled,
		DiskSpilled: m.DiskSpilled, PeakMemory: m.PeakMemory, Input: Input(m.Input), Output: Output(m.Output),
		ShuffleRead: ShuffleRead{
			r.RemoteBlocks, r.LocalBlocks, r.FetchWait, r.RemoteBytes, r.RemoteBytesToDisk, r.LocalBytes, r.Records, r.RequestsDuration, Push(r.Push),
		},
		ShuffleWrite: ShuffleWrite(m.ShuffleWrite),
	}
	return out
}

// named are the accumulators that a user has named. Spark's own are its metrics.
func named(all []listener.Accumulable) []AccumulableInfo {
	out := []AccumulableInfo{}
	for _, a := range all {
		if a.Internal || a.Name == nil || a.Metadata != nil && *a.Metadata == "sql" {
			continue
		}
		info := AccumulableInfo{ID: a.ID, Name: *a.Name, Value: plain(a.Value)}
		if a.Update != nil {
			info.Update = new(plain(a.Update))
		}
		out = append(out, info)
	}
	return out
}

// plain is the text of a number or a string.
func plain(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s
	}
	return string(v)
}
