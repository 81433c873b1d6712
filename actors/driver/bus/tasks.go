package bus

import (
	"encoding/json"
	"time"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/listener"
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

func (s *Bus) taskStart(c *rpcenv.Context, m event.TaskStart) {
	info := listener.TaskInfo{
		ID: m.TaskID, Index: m.Index, Attempt: m.Attempt, Partition: m.Partition, Launched: millis(m.Launched), ExecutorID: m.ExecutorID,
		Host: m.Host, Locality: m.Locality, Speculative: m.Speculative, Accumulables: []listener.Accumulable{},
	}
	s.running[m.TaskID] = &info
	s.post(c, &listener.TaskStart{StageID: m.StageID, Attempt: m.StageAttempt, Task: info})
}

func (s *Bus) taskGettingResult(c *rpcenv.Context, m event.TaskGettingResult) {
	info := s.running[m.TaskID]
	if info == nil {
		return
	}
	info.GettingResult = millis(m.At)
	s.post(c, &listener.TaskGettingResult{Task: *info})
}

func (s *Bus) taskEnd(c *rpcenv.Context, m event.TaskEnd) {
	delete(s.running, m.TaskID)
	e := &listener.TaskEnd{
		StageID: m.StageID, Attempt: m.StageAttempt, Type: listener.ResultTask, Reason: reasonOf(m),
		Task: listener.TaskInfo{
			ID: m.TaskID, Index: m.Index, Attempt: m.Attempt, Partition: m.Partition, Launched: millis(m.Launched), ExecutorID: m.ExecutorID,
			Host: m.Host, Locality: m.Locality, Speculative: m.Speculative, GettingResult: millis(m.GettingResult),
			Finished: millis(m.Finished), Failed: m.Failure != "" && !m.Killed && !m.Resubmitted, Killed: m.Killed,
			Accumulables: []listener.Accumulable{},
		},
		ExecutorMetrics: peaksOf(m.Result.GetPeaks()),
		Metrics:         metricsOf(m.Result),
	}
	if m.Map {
		e.Type = listener.ShuffleMapTask
	}
	s.post(c, e)
	s.peaks.note(stageAttempt{m.StageID, m.StageAttempt}, m.ExecutorID, e.ExecutorMetrics)
}

// millis is a time in an event: 0 for the zero time.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// metricsOf is what the result of an attempt says of its costs; nil without a result. What it does not say is 0.
func metricsOf(r *app.TaskResult) *listener.TaskMetrics {
	if r == nil {
		return nil
	}
	m := &listener.TaskMetrics{
		RunTime: r.GetRunMs(), DeserializeTime: r.GetDeserializeMs(), GCTime: r.GetGcMs(), ResultSize: max(int64(len(r.GetRecords())), r.GetSize()),
		Input: listener.Input{Bytes: r.GetBytesRead()}, UpdatedBlocks: []json.RawMessage{},
	}
	read := r.GetShuffleRead()
	m.ShuffleRead = listener.ShuffleRead{
		RemoteBlocks: read.GetRemoteBlocks(), LocalBlocks: read.GetLocalBlocks(), FetchWait: read.GetFetchWaitMs(),
		RemoteBytes: read.GetRemoteBytes(), RemoteBytesToDisk: read.GetRemoteBytesToDisk(), LocalBytes: read.GetLocalBytes(),
		Records: read.GetRecords(),
	}
	// The records of files and of shuffles are counted together.
	m.Input.Records = max(0, r.GetRecordsRead()-m.ShuffleRead.Records)
	m.MemorySpilled, m.DiskSpilled = r.GetMemoryBytesSpilled(), r.GetDiskBytesSpilled()
	m.PeakMemory, m.PeakOnHeap = r.GetPeakExecutionMemory(), r.GetPeakExecutionMemory()
	m.ShuffleWrite.Bytes, m.ShuffleWrite.Records = r.GetShuffleWrite().GetBytes(), r.GetShuffleWrite().GetRecords()
	m.Output = listener.Output{Bytes: r.GetOutputBytes(), Records: r.GetOutputRecords()}
	return m
}

// reasonOf is why an attempt ended, as Spark has it. The reasons that Spark does not know are exceptions.
func reasonOf(m event.TaskEnd) listener.TaskEndReason {
	r := m.Reason
	out := listener.TaskEndReason{Reason: r.Kind}
	switch r.Kind {
	case tasks.KindSuccess, tasks.KindResubmitted, tasks.KindTaskResultLost, tasks.KindUnknownReason:
	case tasks.KindTaskKilled:
		out.KillReason, out.Updates = &r.Detail, new([]listener.Accumulable{})
	case tasks.KindExecutorLostFailure:
		out.ExecutorID, out.CausedByApp, out.LossReason = &r.Executor, &r.Counts, &r.Detail
	case tasks.KindTaskCommitDenied:
		out.JobID, out.Partition, out.Attempt = &m.StageID, &m.Partition, &m.Attempt
	case tasks.KindFetchFailed:
		f := r.Fetch
		if f.From != nil {
			out.Manager = new(managerOf(f.From))
		}
		out.ShuffleID, out.MapID, out.MapIndex, out.ReduceID, out.Message = &f.Shuffle, new(int64(-1)), &f.MapIndex, &f.Reduce, &r.Detail
	default:
		class, description := r.Kind, r.Detail
		if r.Kind == tasks.KindExceptionFailure {
			class = "error"
			if r.Stack != "" {
				class = "panic"
			}
		} else if description == "" {
			description = r.Text
		}
		out.Reason, out.ClassName, out.Description, out.FullStack = listener.ExceptionFailure, &class, &description, &r.Text
		out.Stack, out.Updates = new([]listener.Frame{}), new([]listener.Accumulable{})
	}
	return out
}
