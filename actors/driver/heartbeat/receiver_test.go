package heartbeat_test

import (
	"errors"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/heartbeat"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

func TestSilentExecutorsExpireOnceInOrderOfTheirIDs(t *testing.T) {
	w := rpctest.New(t, 1)
	env := w.Env("Driver", nil)
	scheduler := w.ProbeIn(env, "CoarseGrainedScheduler")
	ref := w.Register(env, heartbeat.Name, heartbeat.New(scheduler.Ref))
	for _, id := range []string{"10", "9", "8", "7"} {
		scheduler.Send(ref, event.ExecutorChange{Kind: event.ExecutorAdded, ExecutorID: id})
	}
	scheduler.Send(ref, event.ExecutorChange{Kind: event.ExecutorLost, ExecutorID: "8"})
	beat := func(id string, unknown bool) {
		t.Helper()
		got, err := rpctest.Ask[*app.HeartbeatResponse](scheduler, ref, &app.Heartbeat{ExecutorId: id})
		if err != nil || got.GetReregisterBlockManager() != unknown {
			t.Errorf("heartbeat of %s: %v %v", id, got, err)
		}
	}
	beat("8", true)
	w.Advance(100 * time.Second)
	beat("7", false)
	w.Advance(81 * time.Second)
	for _, id := range []string{"9", "10"} {
		m, ok := scheduler.Next().(heartbeat.ExpireExecutor)
		if !ok || m.ExecutorID != id || m.Reason != "Executor heartbeat timed out after 180000 ms" {
			t.Errorf("got %+v, want %s", m, id)
		}
		beat(id, true)
	}
	beat("7", false)
	scheduler.Quiet(100 * time.Second)
	if _, err := rpctest.Ask[*rpc.Bool](scheduler, ref, &app.KillExecutors{}); !errors.Is(err, rpcenv.ErrRefusedUnsupported) {
		t.Error(err)
	}
}

// The progress of tasks goes on to the scheduler, in the order of the heartbeats; not without any, and not of an executor that is gone.
func TestProgressGoesToTheScheduler(t *testing.T) {
	w := rpctest.New(t, 1)
	env := w.Env("Driver", nil)
	scheduler := w.ProbeIn(env, "CoarseGrainedScheduler")
	ref := w.Register(env, heartbeat.Name, heartbeat.New(scheduler.Ref))
	scheduler.Send(ref, event.ExecutorChange{Kind: event.ExecutorAdded, ExecutorID: "7"})
	progress := []*app.TaskProgress{{TaskId: 5, RecordsRead: 3, RunMs: 10}}
	peaks := []*app.StagePeaks{{Stage: 3}}
	for _, q := range []*app.Heartbeat{
		{ExecutorId: "8", Progress: progress},
		{ExecutorId: "7", RunningTasks: []int64{5}},
		{ExecutorId: "7", Progress: progress},
		{ExecutorId: "7", Peaks: peaks},
		{ExecutorId: "8", Peaks: peaks},
	} {
		if _, err := rpctest.Ask[*app.HeartbeatResponse](scheduler, ref, q); err != nil {
			t.Fatal(err)
		}
	}
	w.Settle()
	got := scheduler.Waiting()
	if len(got) != 2 {
		t.Fatalf("the scheduler got %v", got)
	}
	if m, ok := got[1].(heartbeat.Progress); !ok || len(m.Peaks) != 1 || m.Peaks[0] != peaks[0] {
		t.Errorf("the scheduler got %+v", got[1])
	}
	if m, ok := got[0].(heartbeat.Progress); !ok || m.ExecutorID != "7" || len(m.Tasks) != 1 || m.Tasks[0] != progress[0] {
		t.Errorf("the scheduler got %+v", got[0])
	}
}
