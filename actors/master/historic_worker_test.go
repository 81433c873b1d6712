package master_test

import (
	"testing"
	"time"

	"github.com/coherer/coherer/messages/deploy"
)

// SPARK-13604: what a Worker runs that was given up is left alone when the Worker is back.
func TestHistoricGhosts(t *testing.T) {
	k := newKit(t, "coherer.compat", "SPARK-13604")
	w := k.worker("W1", 1, 1024)
	w.Send(k.ref, &deploy.WorkerLatestState{Id: w.reg.GetId(), Executors: []*deploy.ExecutorDescription{{AppId: "gone", ExecId: 0}}})
	none(t, w.Probe, time.Second)
}

// SPARK-4592, SPARK-23191: a Worker that registers again is refused, and exits.
func TestHistoricRefusalOfAKnownWorker(t *testing.T) {
	k := newKit(t, "coherer.compat", "SPARK-23191")
	w := k.worker("W1", 1, 1024)
	w.Send(k.ref, w.reg)
	same(t, w.Probe, &deploy.RegisterWorkerFailed{Message: "Duplicate worker ID"})
}

// SPARK-16925: what else must happen for an executor with exit code 0 to be replaced: a Worker comes or goes, of whatever use. That
// a Worker says once more what it runs is nothing.
func TestHistoricSilentExitEndsWhenSomethingHappens(t *testing.T) {
	for name, happens := range map[string]func(k *kit, w *worker){
		"a Worker comes": func(k *kit, _ *worker) { k.worker("small", 1, 1) },
		"a Worker goes":  func(k *kit, _ *worker) { k.Find("idle").Kill() },
	} {
		k := newKit(t, "coherer.compat", "SPARK-16925")
		k.worker("idle", 1, 1)
		w, d := k.worker("W1", 1, 1024), k.driver("D", 1)
		w.launched()
		w.report(d.id, 0, deploy.ExecutorState_RUNNING)
		w.report(d.id, 0, deploy.ExecutorState_EXITED, 0)
		w.again()
		none(t, w.Probe, time.Second)
		happens(k, w)
		if l := w.launched(); l.GetExecId() != 1 {
			t.Errorf("%s: %v", name, l)
		}
	}
	k := newKit(t, "coherer.compat", "SPARK-16925")
	w, d := k.worker("W1", 1, 1024), k.driver("D", 1)
	w.launched()
	w.report(d.id, 0, deploy.ExecutorState_EXITED, 1) // a failure was replaced at once even then
	if l := w.launched(); l.GetExecId() != 1 {
		t.Errorf("%v", l)
	}
}

// The end of a driver that waited is a reason to schedule, as in Spark: with SPARK-16925 what an executor left is given then.
func TestAKilledDriverIsAReasonToSchedule(t *testing.T) {
	for _, kill := range []func(k *kit, id string){
		func(k *kit, id string) { ask(k, &deploy.RequestKillDriver{DriverId: id}) },
		func(k *kit, _ string) { ask(k, &deploy.RequestKillAllDrivers{}) },
	} {
		k := newKit(t, "coherer.compat", "SPARK-16925")
		w, d := k.worker("W1", 1, 1024), k.driver("D", 1)
		w.launched()
		large := wanted(false)
		large.Cores = 2
		id := k.submit(large)
		w.report(d.id, 0, deploy.ExecutorState_EXITED, 0)
		none(t, w.Probe, time.Second)
		kill(k, id)
		if l := w.launched(); l.GetExecId() != 1 {
			t.Errorf("%v", l)
		}
	}
}
