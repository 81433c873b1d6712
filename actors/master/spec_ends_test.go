package master_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// names are the messages that a Probe has, in their order.
func names(p *rpctest.Probe) (out []string) {
	for _, m := range p.Waiting() {
		out = append(out, nameOf(m))
	}
	return out
}

func nameOf(m any) string {
	switch m := m.(type) {
	case *deploy.KillExecutor:
		return "KillExecutor " + m.GetAppId()
	case *deploy.LaunchExecutor:
		return "LaunchExecutor " + m.GetAppId()
	case *deploy.ApplicationFinished:
		return "ApplicationFinished " + m.GetId()
	}
	return "another"
}

// The executors of an application are killed first, what waits gets its cores, and then every Worker hears of its end.
func TestTheEndOfAnApplication(t *testing.T) {
	for name, end := range map[string]func(k *kit, d *driver){
		"unregistered": func(k *kit, d *driver) { d.Send(k.ref, &deploy.UnregisterApplication{AppId: d.id}) },
		"disconnected": func(k *kit, _ *driver) { k.Find("D1").Kill() },
	} {
		k := newKit(t)
		w, idle := k.worker("W1", 1, 1024), k.worker("W2", 1, 256)
		first, second := k.driver("D1", 1), k.driver("D2", 1)
		w.launched()
		end(k, first)
		k.Settle()
		want := []string{"KillExecutor " + first.id, "LaunchExecutor " + second.id, "ApplicationFinished " + first.id}
		if got := names(w.Probe); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		if got := names(idle.Probe); !slices.Equal(got, want[2:]) {
			t.Errorf("%s: %q, want %q", name, got, want[2:])
		}
		s := k.state()
		if len(s.CompletedApps) != 1 || s.CompletedApps[0].GetState() != "FINISHED" || len(s.ActiveApps) != 1 {
			t.Errorf("%s: %v", name, s)
		}
		for _, m := range first.Waiting() {
			if r, got := m.(*deploy.ApplicationRemoved); got {
				t.Errorf("%s: the driver, which wanted the end, got %v", name, r)
			}
		}
	}
}

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

// The program of a supervised driver is started again by its Worker. What the Worker reports is the end.
func TestTheReportedFailureOfASupervisedDriverIsItsEnd(t *testing.T) {
	k := newKit(t)
	w := k.worker("W1", 1, 1024)
	id := k.submit(wanted(true))
	w.launchedDriver()
	w.driverReport(id, deploy.DriverState_FAILED)
	k.wantState(id, deploy.DriverState_FAILED)
	none(t, w.Probe, time.Second)
}

// The applications hear of a Worker's time-out in Spark's words.
func TestATimeOutIsToldInSparksWords(t *testing.T) {
	k := newKit(t, "spark.worker.timeout", "20")
	w, d := k.worker("W1", 1, 1024), k.driver("D", 1)
	d.added()
	k.Advance(20 * time.Second) // still in time
	if len(d.Waiting()) != 0 {
		t.Errorf("after 20 s: %v", d.Waiting())
	}
	k.Advance(20 * time.Second)
	const why = "Not receiving heartbeat for 20 seconds"
	if u := d.updated(); u.GetState() != deploy.ExecutorState_LOST || u.GetMessage() != "worker lost: "+why {
		t.Errorf("%v", u)
	}
	same(t, d.Probe, &deploy.WorkerRemoved{Id: w.reg.GetId(), Host: w.reg.GetHost(), Message: why})
}

// A Worker that was decommissioned or is lost, an application and a driver that have ended, leave no record.
func TestNoRecordOutlivesWhatItIsOf(t *testing.T) {
	k, s := lasting(t)
	gone, lost := k.worker("W1", 1, 1024), k.worker("W2", 1, 1024)
	d := k.driver("D", 1)
	id := k.submit(wanted(false))
	k.Settle()
	if got := len(s.keys()); got != 4 {
		t.Fatalf("records %q", s.keys())
	}
	gone.decommission()
	k.Find(strings.TrimPrefix(lost.reg.GetId(), "worker-")).Kill()
	d.Send(k.ref, &deploy.UnregisterApplication{AppId: d.id})
	k.Settle()
	gone.driverReport(id, deploy.DriverState_FINISHED)
	k.Advance(time.Minute)
	if got := s.keys(); len(got) != 0 {
		t.Errorf("records %q", got)
	}
	k.restart(master.Config{Store: s})
	k.isIn("ALIVE") // no answer is awaited
}

// A Master that does not lead decommissions no Worker.
func TestAStandbyDecommissionsNobody(t *testing.T) {
	k := newKit(t)
	k.ref = k.Register(k.Env("M2", nil), master.Name, master.New(master.Config{Election: true}))
	w := k.newWorker("W1", 1, 1024)
	w.decommission()
	same(t, w.Probe, &deploy.MasterInStandby{})
	if n := k.decommissionHosts(w.reg.GetHost()); n != 0 {
		t.Errorf("%d workers", n)
	}
}

func TestAnAcknowledgementOfNobodyIsIgnored(t *testing.T) {
	k := newKit(t)
	d := k.newDriver("D")
	d.id = "app-of-nobody"
	d.acknowledges(3)
	none(t, d.Probe, time.Second)
	if s := k.state(); s.GetStatus() != "ALIVE" || len(s.ActiveApps) != 0 {
		t.Errorf("%v", s)
	}
}

// Spark's Master replaces what it took from an application when something else happens.
func TestADecommissionedExecutorIsReplacedAtOnce(t *testing.T) {
	k := newKit(t)
	w, d := k.worker("W1", 1, 1024), k.driver("D", 1)
	w.launched()
	d.added()
	other := k.worker("W2", 1, 1024)
	none(t, other.Probe, time.Second)
	w.decommission()
	if l := other.launched(); l.GetExecId() != 1 {
		t.Errorf("%v", l)
	}
}
