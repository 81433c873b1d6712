package master_test

import (
	"testing"

	"github.com/coherer/coherer/actors/master"
)

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
