package worker

import (
	"testing"
	"time"

	"github.com/coherer/coherer/messages/deploy"
)

var decommissionEnabled = map[string]string{"spark.decommission.enabled": "true"}

// signalled sends the Worker the signal that its process got.
func (k *kit) signalled() {
	k.t.Helper()
	k.w.ProbeIn(k.env, "Signals").Send(k.worker, WorkerDecommissionSigReceived{})
	k.env.Stop("Signals")
	k.w.Settle()
}

// silent checks that the Master got nothing but what the test has looked at, and gets nothing now.
func (k *kit) silent() {
	k.t.Helper()
	k.w.Advance(time.Second)
	if got := k.master.Waiting(); len(got) != 0 {
		k.t.Errorf("the Master got %T %v", got[0], got)
	}
}

func TestASignalledWorkerTellsTheMasterOnceAndRefusesExecutors(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, decommissionEnabled)
	k.run(0)
	k.signalled()
	if m := next[*deploy.WorkerDecommissioning](k); m.GetId() != k.state().WorkerId || m.GetWorker().GetName() != Name {
		t.Errorf("the Master got %v", m)
	}
	k.signalled()
	k.master.Send(k.worker, k.launch(1))
	before := k.beats
	k.w.Advance(time.Minute)
	if len(k.started) != 1 || len(k.reports) != 2 || k.last() != "KILLED Worker is decommissioned" {
		t.Errorf("started %d executors, reports %v", len(k.started), k.reports)
	}
	if k.beats-before < 3 {
		t.Errorf("%d heartbeats in a minute", k.beats-before)
	}
	if s := k.state(); !s.Decommissioned || len(s.Executors) != 1 {
		t.Errorf("state %+v", s)
	}
	k.silent()
}

func TestWithoutTheSettingNothingIsDecommissioned(t *testing.T) {
	k := newKit(t)
	k.start(Config{}, nil)
	k.signalled()
	if got := k.lines("WorkerDecommissioning waits"); got != nil {
		t.Errorf("logged %q", got)
	}
	k.accept(false)
	k.signalled()
	k.master.Send(k.worker, &deploy.DecommissionWorker{})
	k.run(0)
	if s := k.state(); s.Decommissioned {
		t.Errorf("state %+v", s)
	}
	k.silent()
}

func TestAWorkerThatTheMasterDecommissionsTellsNobody(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, decommissionEnabled)
	k.master.Send(k.worker, &deploy.DecommissionWorker{})
	k.w.Settle()
	k.signalled()
	k.silent()
	k.run(0)
	if s := k.state(); !s.Decommissioned || len(s.Executors) != 0 {
		t.Errorf("state %+v", s)
	}
}

// No Master is there to hear of the signal; the one that the Worker finds later does, and its executors are refused.
func TestASignalBeforeTheFirstMasterHolds(t *testing.T) {
	k := newKit(t)
	k.start(Config{}, decommissionEnabled)
	k.signalled()
	if got := k.lines("WorkerDecommissioning waits"); len(got) != 1 {
		t.Errorf("logged %q", got)
	}
	k.accept(false)
	next[*deploy.WorkerDecommissioning](k)
	k.run(0)
	if s := k.state(); !s.Decommissioned || len(s.Executors) != 0 || k.last() != "KILLED Worker is decommissioned" {
		t.Errorf("state %+v, reports %v", s, k.reports)
	}
}

// The Master before may have ended before it heard of it, and no record says so.
func TestANewMasterHearsThatAWorkerIsDecommissioned(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, decommissionEnabled)
	k.signalled()
	next[*deploy.WorkerDecommissioning](k)
	k.master.Send(k.worker, &deploy.MasterChanged{Master: k.master.Ref.Proto()})
	if m := next[*deploy.WorkerSchedulerStateResponse](k); !m.GetDecommissioned() {
		t.Errorf("the new Master got %v", m)
	}
	if m := next[*deploy.WorkerDecommissioning](k); m.GetId() != k.state().WorkerId {
		t.Errorf("the new Master got %v", m)
	}
	k.master.Send(k.worker, &deploy.ReconnectWorker{MasterUrl: k.master.Ref.Address.SparkURL()})
	if m := next[*deploy.RegisterWorker](k); !m.GetDecommissioned() {
		t.Errorf("the new Master got %v", m)
	}
	k.master.Send(k.worker, k.registered(false, 0))
	if m := next[*deploy.WorkerLatestState](k); !m.GetDecommissioned() {
		t.Errorf("the new Master got %v", m)
	}
}
