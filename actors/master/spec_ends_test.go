package master_test

import (
	"testing"
	"time"

	"github.com/coherer/coherer/messages/deploy"
)

// Executors that end with exit code 0 are no failures, however many.
func TestANormalEndIsNoFailure(t *testing.T) {
	k := newKit(t)
	w, d := k.worker("W1", 1, 1024), k.driver("D", 1)
	for range 15 {
		l := w.launched()
		w.report(d.id, l.GetExecId(), deploy.ExecutorState_RUNNING)
		w.report(d.id, l.GetExecId(), deploy.ExecutorState_EXITED, 0)
		k.alive(61*time.Second, w)
	}
	if s := k.state(); len(s.ActiveApps) != 1 {
		t.Errorf("%v", s.CompletedApps)
	}
}

// What ends on a decommissioned Worker is no failure.
func TestTheEndOfADecommissionedExecutorIsNoFailure(t *testing.T) {
	k := newKit(t, "spark.deploy.maxExecutorRetries", "1")
	w, d := k.worker("W1", 1, 1024), k.driver("D", 1)
	w.launched()
	w.report(d.id, 0, deploy.ExecutorState_RUNNING)
	w.decommission()
	w.report(d.id, 0, deploy.ExecutorState_EXITED, 1)
	if s := k.state(); len(s.ActiveApps) != 1 {
		t.Errorf("%v", s.CompletedApps)
	}
	w2 := k.worker("W2", 1, 1024) // the same on another one is
	w2.report(d.id, w2.launched().GetExecId(), deploy.ExecutorState_EXITED, 1)
	if s := k.state(); len(s.ActiveApps) != 0 {
		t.Errorf("%v", s.ActiveApps)
	}
}
