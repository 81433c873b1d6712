package master_test

import (
	"testing"
	"time"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/messages/deploy"
)

func TestManyRegistrationsAreOneWrite(t *testing.T) {
	k, s := lasting(t)
	k.isIn("ALIVE")
	s.latency, s.writes = time.Second, 0
	var ws []*worker
	for range 50 {
		w := k.newWorker("W", 1, 1024)
		w.reg.Id += w.Ref.Address.String()
		w.Send(k.ref, w.reg)
		ws = append(ws, w)
	}
	for _, w := range ws {
		next[*deploy.RegisteredWorker](t, w.Probe)
	}
	if s.writes > 3 || len(s.keys()) != 50 {
		t.Errorf("%d writes of %d records", s.writes, len(s.keys()))
	}
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

// An application that got no executor waits, also when the next Master has recovered it; Spark's calls it RUNNING.
func TestAnApplicationWithoutExecutorsWaitsAfterARecovery(t *testing.T) {
	for compat, want := range map[string]master.ApplicationState{"fixed": master.ApplicationWaiting, "upstream": master.ApplicationRunning} {
		k, records := lasting(t, "coherer.compat", compat)
		w := k.worker("W1", 2, 2048)
		a, b := k.driver("A", 2), k.driver("B", 1)
		k.Settle()
		k.restart(master.Config{Store: records})
		k.Settle()
		a.acknowledges(2)
		b.acknowledges(0)
		w.lists(running(a.id, 0), running(a.id, 1))
		k.isIn("ALIVE")
		apps := k.state().ActiveApps
		if apps[0].State != master.ApplicationRunning.String() || apps[1].State != want.String() || len(apps[1].Executors) != 0 {
			t.Errorf("%s: %v, want %s", compat, apps, want)
		}
		k.worker("W2", 1, 2048)
		if apps := k.state().ActiveApps; apps[1].State != master.ApplicationRunning.String() || len(apps[1].Executors) != 1 {
			t.Errorf("%s: %v", compat, apps[1])
		}
	}
}
