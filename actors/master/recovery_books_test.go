package master_test

import (
	"testing"
	"time"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/messages/deploy"
)

// gpus are addresses of the resource gpu.
func gpus(addresses ...string) []*deploy.ResourceInformation {
	return []*deploy.ResourceInformation{{Name: "gpu", Addresses: addresses}}
}

// killed are the ids that the Worker is ordered to kill.
func (w *worker) killed() (ids []int32) {
	w.k.t.Helper()
	w.k.Settle()
	for len(w.Waiting()) > 0 {
		if m, ok := w.Next().(*deploy.KillExecutor); ok {
			ids = append(ids, m.GetExecId())
		}
	}
	return ids
}

// An executor that a recovered Master takes for RUNNING is healthy a minute later: its end counts as no failure. One that was
// only launched never proved anything.
func TestARecoveredExecutorProvesItselfAnew(t *testing.T) {
	for state, failures := range map[deploy.ExecutorState]int32{deploy.ExecutorState_RUNNING: 0, deploy.ExecutorState_LAUNCHING: 1} {
		k, s := lasting(t)
		w, d := k.worker("W1", 1, 1024), k.driver("D", 1)
		k.restart(master.Config{Store: s})
		changed(t, w.Probe)
		d.acknowledges(1)
		e := running(d.id, 0)
		e.State = state
		w.lists(e)
		k.alive(61*time.Second, w)
		w.report(d.id, 0, deploy.ExecutorState_EXITED, 1)
		if got := k.state().GetActiveApps()[0].GetFailures(); got != failures {
			t.Errorf("%s: %d failures, want %d", state, got, failures)
		}
	}
}
