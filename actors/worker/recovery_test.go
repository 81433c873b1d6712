package worker

import (
	"testing"
	"time"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

func TestANewMasterHearsWhatRuns(t *testing.T) {
	k := newKit(t)
	k.start(Config{}, nil)
	k.accept(false)
	k.run(0)
	k.w.Find("M").Kill()
	k.w.Settle()
	k.restartMaster()
	k.master.Send(k.worker, &deploy.MasterChanged{Master: k.master.Ref.Proto(), MasterTerm: 2})
	m := next[*deploy.WorkerSchedulerStateResponse](k)
	if len(m.GetExecutors()) != 1 || m.GetExecutors()[0].GetDesc().GetState() != deploy.ExecutorState_RUNNING || len(m.GetDrivers()) != 0 {
		t.Errorf("listed %v", m)
	}
	beats := k.beats
	k.w.Advance(time.Minute)
	if n := k.beats - beats; n != 4 {
		t.Errorf("%d heartbeats in a minute, want 4", n)
	}
	if len(k.master.Waiting()) != 0 {
		t.Errorf("it went on to register: %v", k.master.Waiting())
	}
}

// A report that the Master before did not acknowledge is repeated.
func TestANewMasterHearsWhatTheOldOneDidNot(t *testing.T) {
	k := newKit(t)
	k.start(Config{}, nil)
	k.accept(false)
	k.acknowledge = false
	k.master.Send(k.worker, k.launch(0))
	k.w.Settle()
	k.w.Find("M").Kill()
	k.w.Settle()
	k.acknowledge, k.reports = true, nil
	k.restartMaster()
	k.master.Send(k.worker, &deploy.MasterChanged{Master: k.master.Ref.Proto(), MasterTerm: 2})
	next[*deploy.WorkerSchedulerStateResponse](k)
	k.w.Settle()
	if len(k.reports) != 1 || k.reports[0].GetState() != deploy.ExecutorState_RUNNING {
		t.Errorf("reported %v", k.reports)
	}
}

func TestAMasterInStandbyIsIgnored(t *testing.T) {
	k := newKit(t)
	standby := k.w.ProbeIn(k.w.Env("M2", nil), "Master")
	k.start(Config{Masters: []rpcenv.Address{standby.Env.Address(), k.master.Env.Address()}}, nil)
	standby.Next()
	standby.Send(k.worker, &deploy.MasterInStandby{})
	k.accept(false)
	standby.Send(k.worker, &deploy.MasterInStandby{})
	standby.Quiet(2 * time.Minute)
	// The leader goes, and the standby calls.
	k.w.Find("M").Kill()
	k.w.Settle()
	standby.Send(k.worker, &deploy.MasterChanged{Master: standby.Ref.Proto(), MasterTerm: 2})
	for {
		if _, ok := standby.Next().(*deploy.WorkerSchedulerStateResponse); ok {
			break
		}
	}
}
