package executor_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/messages/app"
	storagepb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

var quick = rdd.Define("executor test: quick", func(none) rdd.Dataset[int64] { return rdd.Range(0, 4, 1) })

// measured is an executor whose process is measured by what the test says.
func measured(t *testing.T) (*rig, *app.ExecutorMetrics) {
	t.Helper()
	now := &app.ExecutorMetrics{}
	r := bootRig(t, nil, func(_ *rig, x *executor.Boot) {
		x.IO.Measure = func() *app.ExecutorMetrics {
			return &app.ExecutorMetrics{Heap: now.GetHeap(), OffHeap: now.GetOffHeap(), GcCount: now.GetGcCount(), GcMs: now.GetGcMs()}
		}
	})
	r.expect(&app.LaunchedExecutor{})
	return r, now
}

func peaksText(m *app.ExecutorMetrics) string {
	return fmt.Sprint(m.GetHeap(), m.GetOffHeap(), m.GetGcCount(), m.GetGcMs())
}

// beats are what the heartbeats have of stages, one text each, since the last call.
func (r *rig) beats() (out []string) {
	r.t.Helper()
	for len(r.heartbeat.Waiting()) > 0 {
		text := ""
		for _, p := range r.heartbeat.Next().(*app.Heartbeat).GetPeaks() {
			text += fmt.Sprintf("%d.%d: %s;", p.GetStage(), p.GetStageAttempt(), peaksText(p.GetMetrics()))
		}
		out = append(out, text)
	}
	return out
}

// ExecutorMetricsPoller: a heartbeat has the peaks of each stage that has run here since the last one, in order. A task's end has those of
// its own time.
func TestPeaksOfTasksAndStages(t *testing.T) {
	r, now := measured(t)
	now.Heap, now.GcMs = 50, 100
	first := task(t, sleeps.With(none{}), 1)
	first.StageId, first.StageAttempt = 4, 1
	r.launch(first)
	now.Heap, now.OffHeap, now.GcCount = 20, 7, 3
	second := task(t, quick.With(none{}), 2)
	second.StageId = 3
	now.GcMs = 130
	r.Advance(time.Second)
	r.launch(second)
	u := r.end()
	if res := u.GetResult(); peaksText(res.GetPeaks()) != "20 7 3 130" || res.GetGcMs() != 0 {
		t.Errorf("%v", u)
	}
	now.Heap = 10
	r.Until("a heartbeat", func() bool { return len(r.heartbeat.Waiting()) > 0 })
	if got := r.beats(); len(got) != 1 || got[0] != "3.0: 20 7 3 130;4.1: 50 7 3 130;" {
		t.Errorf("%q", got)
	}
	now.GcMs = 160
	r.Until("a heartbeat", func() bool { return len(r.heartbeat.Waiting()) > 0 })
	if got := r.beats(); len(got) != 1 || got[0] != "4.1: 50 7 3 160;" { // nothing of stage 3 runs
		t.Errorf("%q", got)
	}
	r.Advance(time.Hour)
	u = r.end()
	if res := u.GetResult(); peaksText(res.GetPeaks()) != "50 7 3 160" || res.GetGcMs() != 60 {
		t.Errorf("%v", u)
	}
}

// An executor that measures nothing sends nothing: absent is not 0.
func TestWithoutMeasuresThereAreNoPeaks(t *testing.T) {
	r := newRig(t)
	r.launch(task(t, sleeps.With(none{}), 1))
	r.Until("a heartbeat", func() bool { return len(r.heartbeat.Waiting()) > 0 })
	if q := r.heartbeat.Next().(*app.Heartbeat); len(q.GetPeaks()) > 0 {
		t.Error(q)
	}
	r.Advance(time.Hour)
	if res := r.end().GetResult(); res.GetPeaks() != nil {
		t.Error(res)
	}
}

// What a task waits for before its work begins, such as map outputs, is the time of its preparation.
func TestPreparingATaskTakesTime(t *testing.T) {
	r := newRig(t)
	r.hold = true
	d := task(t, parities.With(none{}), 2)
	d.Shuffles = []int32{4}
	r.launch(d)
	r.Until("the question for map outputs", func() bool { return r.held != (rpcenv.Call[*storagepb.MapOutputStatuses]{}) })
	r.Advance(3 * time.Second)
	r.held.Reply(&storagepb.MapOutputStatuses{})
	if res := r.end().GetResult(); res.GetDeserializeMs() < 3000 || res.GetDeserializeMs() > 3010 || res.GetRunMs() > 10 {
		t.Error(res)
	}
}
