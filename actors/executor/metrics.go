package executor

import (
	"cmp"
	"io"
	"maps"
	"slices"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/messages/app"
)

// stageAttempt is an attempt of a stage.
type stageAttempt struct{ stage, attempt int32 }

func attemptOf(d *app.TaskDescription) stageAttempt {
	return stageAttempt{d.GetStageId(), d.GetStageAttempt()}
}

// measure is how the executor's process is now; nil: nothing is measured.
func (e *Executor) measure() *app.ExecutorMetrics {
	if e.cfg.IO.Measure == nil {
		return nil
	}
	m, used := e.cfg.IO.Measure(), e.memory.Usage()
	m.Execution, m.Storage, m.Unified = used.Execution, used.Storage, used.Execution+used.Storage
	return m
}

// highest are the peaks of both, in a new message: those that were sent must not change.
func highest(a, b *app.ExecutorMetrics) *app.ExecutorMetrics {
	return &app.ExecutorMetrics{
		Heap: max(a.GetHeap(), b.GetHeap()), OffHeap: max(a.GetOffHeap(), b.GetOffHeap()), Execution: max(a.GetExecution(), b.GetExecution()),
		Storage: max(a.GetStorage(), b.GetStorage()), Unified: max(a.GetUnified(), b.GetUnified()), GcCount: max(a.GetGcCount(), b.GetGcCount()),
		GcMs: max(a.GetGcMs(), b.GetGcMs()),
	}
}

// note enters a measure for an attempt of a task and for that of its stage.
func (s *state) note(t *task, m *app.ExecutorMetrics) {
	if m == nil {
		return
	}
	at := attemptOf(t.desc)
	t.peaks, s.peaks[at] = highest(t.peaks, m), highest(s.peaks[at], m)
}

// poll measures for all that runs, and returns the peaks of the stages whose tasks have run since the last poll, ascending. It mirrors
// org.apache.spark.executor.ExecutorMetricsPoller without an interval of its own; unlike it, an attempt is measured at its start and end
// too, so that a short one has peaks.
func (e *Executor) poll() []*app.StagePeaks {
	m := e.measure()
	if m == nil {
		return nil
	}
	running := map[stageAttempt]bool{}
	for _, id := range e.state.runningTasks() {
		t := e.tasks()[id]
		e.state.note(t, m)
		running[attemptOf(t.desc)] = true
	}
	var out []*app.StagePeaks
	order := func(a, b stageAttempt) int {
		return cmp.Or(cmp.Compare(a.stage, b.stage), cmp.Compare(a.attempt, b.attempt))
	}
	for _, at := range slices.SortedFunc(maps.Keys(e.state.peaks), order) {
		out = append(out, &app.StagePeaks{Stage: at.stage, StageAttempt: at.attempt, Metrics: e.state.peaks[at]})
		if !running[at] {
			delete(e.state.peaks, at)
		}
	}
	return out
}

// began notes how the process is when an attempt comes.
func (e *Executor) began(t *task) {
	m := e.measure()
	e.state.note(t, m)
	t.gcMs = m.GetGcMs()
}

// measured enters what an attempt that succeeds took into its result.
func (e *Executor) measured(t *task, r *app.TaskResult) {
	r.DeserializeMs = t.work.began.Sub(t.launched).Milliseconds()
	m := e.measure()
	e.state.note(t, m)
	r.Peaks, r.GcMs = t.peaks, m.GetGcMs()-t.gcMs
}

// countedOutput counts the bytes that go to an Output.
type countedOutput struct {
	rdd.Output
	bytes int64
}

// Create implements [rdd.Output].
func (o *countedOutput) Create() (io.WriteCloser, error) {
	w, err := o.Output.Create()
	return &countedFile{w, o}, err
}

type countedFile struct {
	io.WriteCloser
	of *countedOutput
}

// Write implements [io.Writer].
func (f *countedFile) Write(p []byte) (int, error) {
	n, err := f.WriteCloser.Write(p)
	f.of.bytes += int64(n)
	return n, err
}
