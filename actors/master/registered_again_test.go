package master_test

import (
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/messages/deploy"
)

// again registers the Worker once more and says what it runs.
func (w *worker) again(executors ...*deploy.ExecutorDescription) {
	w.k.t.Helper()
	w.Send(w.k.ref, w.reg)
	if r := next[*deploy.RegisteredWorker](w.k.t, w.Probe); !r.GetDuplicate() {
		w.k.t.Error("the registration is no duplicate")
	}
	w.Send(w.k.ref, &deploy.WorkerLatestState{Id: w.reg.GetId(), Executors: executors})
}

// What was ordered and is not RUNNING can have been lost with the connection; what is RUNNING arrived. When the Worker does not
// list that, it has ended, and the report comes.
func TestAnExecutorThatRanIsNotTakenForALostOrder(t *testing.T) {
	k := newKit(t)
	w, d := k.worker("W1", 2, 2048), k.driver("D", 2)
	w.launched()
	w.launched()
	d.added()
	d.added()
	w.report(d.id, 0, deploy.ExecutorState_RUNNING)
	d.updated()
	w.again()
	if u := d.updated(); u.GetId() != 1 || u.GetState() != deploy.ExecutorState_LOST || u.GetMessage() != "its order was lost with the worker's connection" {
		t.Errorf("%v", u)
	}
	if l := w.launched(); l.GetExecId() != 2 {
		t.Errorf("%v", l)
	}
	d.added()
	w.report(d.id, 2, deploy.ExecutorState_RUNNING)
	d.updated()
	w.again(running(d.id, 2)) // nothing is doubtful any more
	none(t, d.Probe, time.Second)
	none(t, w.Probe, time.Second)
}

// The same of a Worker that a recovered Master knows: it has said what it runs, and registers once more.
func TestAfterARecoveryNothingThatRunsIsDoubted(t *testing.T) {
	k, s := lasting(t)
	w, d := k.worker("W1", 2, 2048), k.driver("D", 2)
	w.launched()
	w.launched()
	k.restart(master.Config{Store: s})
	changed(t, w.Probe)
	changed(t, d.Probe)
	d.acknowledges(2)
	launching := running(d.id, 1)
	launching.State = deploy.ExecutorState_LAUNCHING
	w.lists(running(d.id, 0), launching)
	k.isIn("ALIVE")
	w.again(running(d.id, 1)) // 0 has ended, and its report is on its way
	none(t, d.Probe, time.Second)
	none(t, w.Probe, time.Second)
	w.report(d.id, 0, deploy.ExecutorState_EXITED, 1)
	if u := d.updated(); u.GetId() != 0 || u.GetState() != deploy.ExecutorState_EXITED {
		t.Errorf("%v", u)
	}
}

// An executor is looked for on the Worker that says it: one that it says, and another Worker has, is killed.
func TestAnExecutorOfAnotherWorkerIsKilled(t *testing.T) {
	k := newKit(t)
	w1, d := k.worker("W1", 1, 1024), k.driver("D", 1)
	w1.launched()
	id := k.submit(wanted(false))
	w2 := k.worker("W2", 1, 1024)
	w2.launchedDriver()
	w2.Send(k.ref, &deploy.WorkerLatestState{Id: w2.reg.GetId(), Executors: []*deploy.ExecutorDescription{running(d.id, 0)}, DriverIds: []string{id}})
	same(t, w2.Probe, &deploy.KillExecutor{MasterUrl: k.ref.Address.SparkURL(), AppId: d.id, ExecId: new(int32)})
	none(t, w2.Probe, time.Second)
	w1.Send(k.ref, &deploy.WorkerLatestState{Id: w1.reg.GetId(), Executors: []*deploy.ExecutorDescription{running(d.id, 0)}, DriverIds: []string{id}})
	same(t, w1.Probe, &deploy.KillDriver{DriverId: id})
	none(t, w1.Probe, time.Second)
	if s := k.state(); len(s.ActiveApps[0].Executors) != 1 || s.ActiveDrivers[0].State != deploy.DriverState_RUNNING {
		t.Errorf("%v", s)
	}
}

// A Worker that is ALIVE, and one that is decommissioned, may say so again: nothing is an error.
func TestARegistrationThatIsRepeatedIsNoError(t *testing.T) {
	k, said := logged(t)
	w := k.worker("W1", 1, 1024)
	w.again()
	w.decommission()
	w.again()
	k.Settle()
	for _, e := range said.AllEntries() {
		if e.Level <= logrus.ErrorLevel {
			t.Errorf("the log has %q", e.Message)
		}
	}
	if s := k.state().GetWorkers(); s[0].GetState() != "DECOMMISSIONED" {
		t.Errorf("%v", s)
	}
}
