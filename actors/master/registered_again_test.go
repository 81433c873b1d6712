package master_test

import (
	"testing"
	"time"

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
	w.tells(running(d.id, 0), launching)
	k.isIn("ALIVE")
	w.again(running(d.id, 1)) // 0 has ended, and its report is on its way
	none(t, d.Probe, time.Second)
	none(t, w.Probe, time.Second)
	w.report(d.id, 0, deploy.ExecutorState_EXITED, 1)
	if u := d.updated(); u.GetId() != 0 || u.GetState() != deploy.ExecutorState_EXITED {
		t.Errorf("%v", u)
	}
}
