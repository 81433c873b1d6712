package bus_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/driver/bus"
	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/listener"
	"github.com/coherer/coherer/actors/driver/status"
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// stageOf is a job with one stage whose first attempt begins.
func stageOf(id int32) []rpcenv.Message {
	return []rpcenv.Message{
		event.JobStart{JobID: id, Name: "words", Stages: []int32{id}, Infos: []event.StageInfo{{ID: id, Name: "count at words", Tasks: 1}}},
		event.StageSubmitted{JobID: id, StageID: id, Tasks: 1},
	}
}

func taskOf(stage int32, executor string, r *app.TaskResult) event.TaskEnd {
	return event.TaskEnd{
		StageID: stage, TaskID: 7, ExecutorID: executor, TaskEnded: event.TaskEnded{Reason: tasks.Reason{Kind: tasks.KindSuccess}, Result: r},
	}
}

func heap(n int64) *app.ExecutorMetrics { return &app.ExecutorMetrics{Heap: n, GcMs: n + 1} }

func beat(executor string, stage int32, m *app.ExecutorMetrics) event.ExecutorMetricsUpdate {
	return event.ExecutorMetricsUpdate{ExecutorID: executor, Peaks: []*app.StagePeaks{{Stage: stage, Metrics: m}}}
}

// EventLoggingListener.onStageCompleted: the peaks of each executor, of its heartbeats and of its tasks' ends, come before the end of the
// stage, those of the driver too. What other stages have is not among them.
func TestTheLogHasThePeaksOfAStage(t *testing.T) {
	for _, wanted := range []string{"false", "true"} {
		r := newRig(t, func(_ *rig, cfg *bus.Config) {
			cfg.Process.Measure = func() *app.ExecutorMetrics { return heap(4) }
		}, "spark.eventLog.logStageExecutorMetrics", wanted)
		r.start()
		r.send(append(stageOf(0), stageOf(1)...)...)
		r.send(beat("2", 0, heap(30)), beat("2", 0, heap(20)), beat("2", 1, heap(99)), beat("2", 7, heap(99)))
		r.send(taskOf(0, "1", &app.TaskResult{Peaks: heap(5)}), taskOf(0, "3", nil))
		r.Advance(10 * time.Second) // the driver measures itself
		r.send(event.StageCompleted{StageID: 0}, beat("2", 0, heap(1000)), event.StageCompleted{StageID: 0})
		r.stop(0)
		var got []string
		for _, e := range r.log.events(t) {
			switch e := e.(type) {
			case *listener.StageExecutorMetrics:
				got = append(got, fmt.Sprintf("%s in %d.%d: %d", e.ExecutorID, e.StageID, e.Attempt, e.Metrics.JVMHeapMemory))
			case *listener.StageCompleted:
				got = append(got, "end")
			case *listener.ExecutorMetricsUpdate:
				t.Error("the log has each heartbeat")
			}
		}
		want := []string{"end", "end"}
		if wanted == "true" {
			want = []string{"1 in 0.0: 5", "2 in 0.0: 30", "3 in 0.0: -1", "driver in 0.0: 4", "end", "end"}
		}
		wantTexts(t, "with "+wanted, got, want...)
	}
}

// The pages have the peaks of an executor whatever the log wants.
func TestThePagesHaveThePeaksOfExecutors(t *testing.T) {
	r := newRig(t, func(_ *rig, cfg *bus.Config) {
		cfg.Log, cfg.Process.Measure = nil, func() *app.ExecutorMetrics { return &app.ExecutorMetrics{Heap: 9, OffHeap: 8, GcCount: 2, GcMs: 3} }
	})
	r.start()
	r.send(event.ExecutorRegistered{Executor: &app.RegisterExecutor{ExecutorId: "1", Hostname: "h"}})
	r.send(beat("1", 0, &app.ExecutorMetrics{Heap: 1, OffHeap: 2, Execution: 3, Storage: 4, Unified: 7, GcCount: 5, GcMs: 6}))
	r.Advance(10 * time.Second)
	got, err := rpctest.Ask[bus.Status](r.at, r.ref, bus.Query{Of: status.Executors{All: true}})
	if err != nil {
		t.Fatal(err)
	}
	var peaks []string
	for _, x := range got.Value.([]status.ExecutorSummary) {
		if x.Peaks == nil {
			continue
		}
		for i, v := range x.Peaks.Values() {
			if *v != 0 {
				peaks = append(peaks, fmt.Sprintf("%s %s %d", x.ID, listener.MetricNames()[i], *v))
			}
		}
	}
	wantTexts(t, "peaks", peaks, "1 JVMHeapMemory 1", "1 JVMOffHeapMemory 2", "1 OnHeapExecutionMemory 3", "1 OnHeapStorageMemory 4",
		"1 OnHeapUnifiedMemory 7", "1 TotalGCTime 6", "1 ConcurrentGCCount 5", "1 ConcurrentGCTime 6",
		"driver JVMHeapMemory 9", "driver JVMOffHeapMemory 8", "driver TotalGCTime 3", "driver ConcurrentGCCount 2", "driver ConcurrentGCTime 3")
}

// The end of a task has all that its result says.
func TestTheEndOfATaskHasItsCosts(t *testing.T) {
	r := newRig(t, nil)
	r.start()
	r.send(stageOf(0)...)
	r.send(taskOf(0, "1", &app.TaskResult{
		Records: []byte("1234"), BytesRead: 5, RecordsRead: 106, RunMs: 7, MemoryBytesSpilled: 8, DiskBytesSpilled: 9, PeakExecutionMemory: 10,
		ShuffleWrite: &app.ShuffleMetrics{Bytes: 11, Records: 12}, ShuffleRead: &app.ShuffleMetrics{
			Records: 100, RemoteBlocks: 18, LocalBlocks: 19, RemoteBytes: 20, RemoteBytesToDisk: 21, LocalBytes: 22, FetchWaitMs: 23,
		},
		OutputBytes: 13, OutputRecords: 14, DeserializeMs: 15, GcMs: 16, Peaks: heap(17),
	}))
	r.stop(0)
	var e *listener.TaskEnd
	for _, x := range r.log.events(t) {
		if x, ok := x.(*listener.TaskEnd); ok {
			e = x
		}
	}
	if e == nil || e.Metrics == nil {
		t.Fatal(e)
	}
	m := e.Metrics
	got := fmt.Sprint(m.ResultSize, m.Input, m.RunTime, m.MemorySpilled, m.DiskSpilled, m.PeakMemory, m.PeakOnHeap, m.ShuffleWrite.Bytes,
		m.ShuffleWrite.Records, m.ShuffleRead, m.Output, m.DeserializeTime, m.GCTime, e.ExecutorMetrics.JVMHeapMemory)
	if want := "4 {5 6} 7 8 9 10 10 11 12 {18 19 23 20 21 22 100 0 {0 0 0 0 0 0 0 0 0}} {13 14} 15 16 17"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
