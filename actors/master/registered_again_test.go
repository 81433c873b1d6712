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

// A Worker that a recovered Master knows has said what it runs, and registers once more: nothing that it lists is doubted.
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
