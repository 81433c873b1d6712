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

// submits submits a driver of one core, and returns its id.
func (k *kit) submits(supervise bool) string {
	k.t.Helper()
	r, err := rpctest.Ask[*deploy.SubmitDriverResponse](k.tool, k.ref, &deploy.RequestSubmitDriver{
		DriverDescription: &deploy.DriverDescription{
			Mem: 512, Cores: 1, Supervise: supervise, Command: &deploy.Command{MainClass: "Main"},
		},
	})
	if err != nil || !r.GetSuccess() {
		k.t.Fatal(r, err)
	}
	return r.GetDriverId()
}

// drivers are the Master's, as STATE in the order of their submission.
func (k *kit) drivers() (active, completed []string) {
	k.t.Helper()
	s := k.state()
	for _, d := range s.GetActiveDrivers() {
		active = append(active, d.GetState().String())
	}
	for _, d := range s.GetCompletedDrivers() {
		completed = append(completed, d.GetState().String())
	}
	return active, completed
}

func TestADriverThatRunsIsFoundAgain(t *testing.T) {
	k, s := lasting(t)
	w := k.worker("W1", 4, 4096)
	id := k.submits(false)
	next[*deploy.LaunchDriver](t, w.Probe)
	k.restart(master.Config{Store: s})
	next[*deploy.MasterChanged](t, w.Probe)
	w.Send(k.ref, &deploy.WorkerSchedulerStateResponse{Id: w.reg.GetId(), Drivers: []*deploy.WorkerDriverStateResponse{{DriverId: id}, {DriverId: "stranger"}}})
	if m := next[*deploy.KillDriver](t, w.Probe); m.GetDriverId() != "stranger" {
		t.Errorf("killed %v", m)
	}
	k.isIn("ALIVE")
	if active, completed := k.drivers(); !slices.Equal(active, []string{"RUNNING"}) || completed != nil {
		t.Errorf("drivers %q %q", active, completed)
	}
	if w := k.state().GetWorkers()[0]; w.GetCoresUsed() != 1 || w.GetMemoryUsed() != 512 {
		t.Errorf("used: %v", w)
	}
}

// A supervised driver runs again under another id; one that is not is lost; one that was never launched waits on.
func TestDriversThatNobodyHas(t *testing.T) {
	k, s := lasting(t)
	w := k.worker("W1", 2, 4096)
	lost, supervised, waiting := k.submits(false), k.submits(true), k.submits(false)
	next[*deploy.LaunchDriver](t, w.Probe)
	next[*deploy.LaunchDriver](t, w.Probe)
	k.restart(master.Config{Store: s})
	next[*deploy.MasterChanged](t, w.Probe)
	w.lists()
	if m := next[*deploy.LaunchDriver](t, w.Probe); m.GetDriverId() != waiting {
		t.Errorf("launched %s, want %s", m.GetDriverId(), waiting)
	}
	again := next[*deploy.LaunchDriver](t, w.Probe).GetDriverId()
	if again == supervised || again == lost || again == waiting {
		t.Errorf("relaunched as %s", again)
	}
	active, completed := k.drivers()
	if !slices.Equal(active, []string{"RUNNING", "RUNNING"}) || !slices.Equal(completed, []string{"ERROR", "RELAUNCHING"}) {
		t.Errorf("drivers %q %q", active, completed)
	}
	want := []string{"driver_" + waiting, "driver_" + again, "worker_worker-W1"}
	slices.Sort(want)
	if got := s.keys(); !slices.Equal(got, want) {
		t.Errorf("records %q, want %q", got, want)
	}
	none(t, w.Probe, time.Second)
}

// The number of the next driver begins at 0 after a restart: all ids that are known, also of what has ended, are tried.
func TestADriverAfterARestartGetsAFreeNumber(t *testing.T) {
	k, s := lasting(t)
	k.isIn("ALIVE")
	var ids []string
	for range 3 { // without a Worker they wait
		ids = append(ids, k.submits(false))
	}
	k.restart(master.Config{Store: s})
	k.isIn("ALIVE")
	for _, id := range ids[:2] {
		ask(k, &deploy.RequestKillDriver{DriverId: id})
	}
	if got, want := k.submits(false), strings.TrimSuffix(ids[0], "0000")+"0003"; got != want {
		t.Errorf("%s, want %s behind %q", got, want, ids)
	}
}
