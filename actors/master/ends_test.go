package master_test

import (
	"testing"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/messages/deploy"
)

// What is over says why, and an application goes on to show the cores that it had to its end, as a recorded Spark does.
func TestWhatIsOverSaysWhyAndWhatItHad(t *testing.T) {
	k := newKit(t)
	w := k.worker("W1", 2, 2048)
	d := k.driver("D", 2)
	first := w.launched()
	w.launched()
	w.report(d.id, first.GetExecId(), deploy.ExecutorState_RUNNING)
	w.report(d.id, first.GetExecId(), deploy.ExecutorState_EXITED, 3)
	if got := k.state().ActiveApps[0].RemovedExecutors; len(got) != 1 || got[0].Reason != "Command exited with code 3" {
		t.Errorf("%v", got)
	}
	d.Send(k.ref, &deploy.UnregisterApplication{AppId: d.id})
	s := k.state()
	a := s.CompletedApps[0]
	if a.CoresGranted != 2 || a.Reason != "" {
		t.Errorf("%d cores, %q", a.CoresGranted, a.Reason)
	}
	for _, e := range a.RemovedExecutors[1:] {
		if e.Reason != "application finished" {
			t.Errorf("%v", e)
		}
	}
	if s.Workers[0].CoresUsed != 0 || s.Workers[0].Reason != "" {
		t.Errorf("%v", s.Workers[0])
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
