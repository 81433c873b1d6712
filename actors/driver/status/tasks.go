//coherer:pure

package status

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/coherer/coherer/actors/driver/listener"
)

// task is an attempt of a task. It mirrors LiveTask.
type task struct {
	info listener.TaskInfo
	// metrics of an attempt that runs or brought none are noMetrics.
	metrics *listener.TaskMetrics
	problem string
}

// noMetrics stand for those of an attempt that has not brought any. They do not change.
var noMetrics listener.TaskMetrics

// status is Spark's word for how an attempt stands (TaskInfo.status).
func (t *task) status() string {
	switch {
	case t.info.Finished == 0 && t.info.GettingResult != 0:
		return "GET RESULT"
	case t.info.Finished == 0:
		return "RUNNING"
	case t.info.Failed:
		return "FAILED"
	case t.info.Killed:
		return "KILLED"
	}
	return "SUCCESS"
}

// duration of an attempt until now, if it runs.
func (t *task) duration(now int64) int64 {
	if t.info.Finished > 0 {
		now = t.info.Finished
	}
	return max(now-t.info.Launched, 0)
}

// gettingResult is how long its result was fetched.
func (t *task) gettingResult(now int64) int64 {
	if t.info.GettingResult == 0 {
		return 0
	}
	return max(t.info.Launched+t.duration(now)-t.info.GettingResult, 0)
}

// delay is the time of an attempt that no measure explains (AppStatusUtils.schedulerDelay).
func (t *task) delay(now int64) int64 {
	if t.info.Finished == 0 {
		return 0
	}
	m := t.metrics
	return max(t.duration(now)-m.RunTime-m.DeserializeTime-m.SerializationTime-t.gettingResult(now), 0)
}

func (s *Store) taskStart(e *listener.TaskStart) {
	t := &task{info: e.Task, metrics: &noMetrics}
	s.tasks[e.Task.ID] = t
	if g := s.stages[stageKey{e.StageID, e.Attempt}]; g != nil {
		g.active++
		if g.first == 0 || e.Task.Launched < g.first {
			g.first = e.Task.Launched
		}
		for _, j := range g.jobs {
			j.active++
		}
		g.tasks = append(g.tasks, t)
		g.executor(e.Task.ExecutorID)
		g.forgetTasks(s.limits.tasks)
	}
	if x := s.executors[e.Task.ExecutorID]; x != nil {
		x.active++
		x.total++
	}
}

func (s *Store) taskEnd(e *listener.TaskEnd) {
	t := s.tasks[e.Task.ID]
	delete(s.tasks, e.Task.ID)
	var metrics *listener.TaskMetrics // that are new
	if t != nil {
		t.info, t.problem = e.Task, errorText(&e.Reason)
		if metrics = e.Metrics; metrics != nil {
			t.metrics = metrics
		}
	}
	o := outcomeOf(e, t != nil)
	at := taskIndex{e.StageID, e.Task.Index}
	took := e.Task.Finished - e.Task.Launched
	if g := s.stages[stageKey{e.StageID, e.Attempt}]; g != nil {
		g.ended(o, at)
		for _, j := range g.jobs {
			j.ended(o, at)
		}
		add(&g.metrics, metrics)
		g.peaks.Max(&e.ExecutorMetrics)
		x := g.executor(e.Task.ExecutorID)
		x.peaks.Max(&e.ExecutorMetrics)
		x.taskTime += took
		x.completed += o.completed
		x.failed += o.failed
		x.killed += o.killed
		add(&x.metrics, metrics)
	}
	if x := s.executors[e.Task.ExecutorID]; x != nil {
		if o.ran {
			x.active--
		}
		x.completed += o.completed
		x.failed += o.failed
		x.duration += took
		x.peaks.Max(&e.ExecutorMetrics)
		add(&x.metrics, metrics)
	}
}

// forgetTasks drops the attempts that ended first, when there are too many.
func (g *stage) forgetTasks(most int) {
	n := surplus(len(g.tasks), most)
	if n == 0 {
		return
	}
	var over []*task
	for _, t := range g.tasks {
		if t.info.Finished > 0 {
			over = append(over, t)
		}
	}
	slices.SortStableFunc(over, func(a, b *task) int { return cmp.Compare(a.info.Finished, b.info.Finished) })
	gone := map[*task]bool{}
	for _, t := range over[:min(n, len(over))] {
		gone[t] = true
	}
	g.tasks = slices.DeleteFunc(g.tasks, func(t *task) bool { return gone[t] })
}

// add adds metrics to sums; nil adds nothing.
func add(sum *listener.TaskMetrics, m *listener.TaskMetrics) {
	if m == nil {
		return
	}
	theirs := numbers(m)
	for i, p := range numbers(sum) {
		*p += *theirs[i]
	}
}

// numbers are the metrics that stages sum up.
func numbers(m *listener.TaskMetrics) []*int64 {
	r, p := &m.ShuffleRead, &m.ShuffleRead.Push
	return []*int64{
		&m.DeserializeTime, &m.DeserializeCPUTime, &m.RunTime, &m.CPUTime, &m.PeakMemory, &m.ResultSize, &m.GCTime, &m.SerializationTime,
		&m.MemorySpilled, &m.DiskSpilled, &m.Input.Bytes, &m.Input.Records, &m.Output.Bytes, &m.Output.Records,
		&m.ShuffleWrite.Bytes, &m.ShuffleWrite.Time, &m.ShuffleWrite.Records,
		&r.RemoteBlocks, &r.LocalBlocks, &r.FetchWait, &r.RemoteBytes, &r.RemoteBytesToDisk, &r.LocalBytes, &r.Records, &r.RequestsDuration,
		&p.CorruptChunks, &p.Fallbacks, &p.RemoteBlocks, &p.LocalBlocks, &p.RemoteChunks, &p.LocalChunks, &p.RemoteBytes, &p.LocalBytes,
		&p.RequestsDuration,
	}
}

// errorText is why an attempt did not succeed, in Spark's words (TaskFailedReason.toErrorString); "" for a success.
func errorText(r *listener.TaskEndReason) string {
	switch r.Reason {
	case listener.Success:
		return ""
	case listener.TaskKilled:
		return text(r.KillReason)
	case listener.ExceptionFailure:
		if r.FullStack != nil {
			return *r.FullStack
		}
		return text(r.ClassName) + ": " + text(r.Description)
	case listener.Resubmitted:
		return "Resubmitted (resubmitted due to lost executor)"
	case listener.TaskResultLost:
		return "TaskResultLost (result lost from block manager)"
	case listener.TaskCommitDenied:
		return fmt.Sprintf("TaskCommitDenied (Driver denied task commit) for job: %d, partition: %d, attemptNumber: %d", value(r.JobID),
			value(r.Partition), value(r.Attempt))
	case listener.ExecutorLostFailure:
		how := "unrelated to the running tasks"
		if r.CausedByApp != nil && *r.CausedByApp {
			how = "caused by one of the running tasks"
		}
		out := fmt.Sprintf("ExecutorLostFailure (executor %s exited %s)", text(r.ExecutorID), how)
		if r.LossReason != nil {
			out += " Reason: " + *r.LossReason
		}
		return out
	case listener.FetchFailed:
		at := "null"
		if m := r.Manager; m != nil {
			at = fmt.Sprintf("BlockManagerId(%s, %s, %d, None)", m.ExecutorID, m.Host, m.Port)
		}
		return fmt.Sprintf("FetchFailed(%s, shuffleId=%d, mapIndex=%d, mapId=%d, reduceId=%d, message=\n%s\n)", at, value(r.ShuffleID),
			value(r.MapIndex), value(r.MapID), value(r.ReduceID), text(r.Message))
	}
	return r.Reason
}

func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
