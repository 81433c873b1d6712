package master_test

import (
	"fmt"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// ends reports a driver's end with all that a Worker knows of it.
func (w *worker) ends(r *deploy.DriverStateChanged) {
	w.k.t.Helper()
	if ok, err := rpctest.Ask[*rpc.Bool](w.Probe, w.k.ref, r); err != nil || !ok.GetValue() {
		w.k.t.Fatal(ok, err)
	}
}

// The status, the state and the failures say how a driver ended, and where.
func TestHowADriverEnded(t *testing.T) {
	for _, test := range []struct {
		report  *deploy.DriverStateChanged
		reason  string
		failure string // "": no failure
	}{
		{&deploy.DriverStateChanged{State: deploy.DriverState_FINISHED, ExitStatus: proto.Int32(0)}, "Command exited with code 0", ""},
		{&deploy.DriverStateChanged{State: deploy.DriverState_KILLED}, "reported by its worker", ""},
		{&deploy.DriverStateChanged{State: deploy.DriverState_FAILED, ExitStatus: proto.Int32(3)}, "Command exited with code 3", "Command exited with code 3"},
		{
			&deploy.DriverStateChanged{State: deploy.DriverState_FAILED, ExitStatus: proto.Int32(1), LastWords: "error: no file"},
			"Command exited with code 1: error: no file", "Command exited with code 1: error: no file",
		},
		{&deploy.DriverStateChanged{State: deploy.DriverState_ERROR, Exception: proto.String("no disk")}, "reported by its worker", "no disk"},
	} {
		k := newKit(t)
		w := k.worker("W1", 1, 1024)
		submitted := k.Now()
		id := k.submit(wanted(false))
		w.launchedDriver()
		if a := k.state().GetActiveDrivers()[0]; a.GetReason() != "" || a.GetStartMs() < submitted.UnixMilli() {
			t.Errorf("%v", a)
		}
		test.report.DriverId = id
		w.ends(test.report)
		got := k.status(id)
		want := &deploy.DriverStatusResponse{
			Found: true, State: test.report.State.Enum(), WorkerId: proto.String("worker-W1"), WorkerHostPort: proto.String(w.Ref.Address.String()),
			Exception: test.report.Exception, ExitStatus: test.report.ExitStatus, LastWords: test.report.LastWords,
		}
		if !proto.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
		s := k.state()
		if c := s.GetCompletedDrivers()[0]; c.GetReason() != test.reason || c.GetException() != test.report.GetException() {
			t.Errorf("%v, want %s", c, test.reason)
		}
		failure := ""
		for _, f := range s.GetFailures() {
			failure += fmt.Sprint(f.GetKind(), " ", f.GetId() == id, " ", f.GetWorkerId(), " ", f.GetState(), " ", f.GetReason())
		}
		if test.failure != "" {
			test.failure = "driver true worker-W1 " + test.report.State.String() + " " + test.failure
		}
		if failure != test.failure {
			t.Errorf("%q, want %q", failure, test.failure)
		}
	}
}

// Answers name the Master and the driver, and what a kill frees is given away before the answer.
func TestTheAnswersToClientsOfDrivers(t *testing.T) {
	k := newKit(t)
	r := ask(k, &deploy.RequestSubmitDriver{DriverDescription: wanted(false)})
	if want := (&deploy.SubmitDriverResponse{
		Master: k.ref.Proto(), Success: true, DriverId: proto.String(r.GetDriverId()), Message: "Driver successfully submitted as " + r.GetDriverId(),
	}); !proto.Equal(r, want) {
		t.Errorf("%v, want %v", r, want)
	}
	killed := ask(k, &deploy.RequestKillDriver{DriverId: r.GetDriverId()})
	if want := (&deploy.KillDriverResponse{
		Master: k.ref.Proto(), DriverId: r.GetDriverId(), Success: true, Message: "Kill request for " + r.GetDriverId() + " submitted",
	}); !proto.Equal(killed, want) {
		t.Errorf("%v, want %v", killed, want)
	}
	unknown := ask(k, &deploy.RequestKillDriver{DriverId: "d"})
	if want := (&deploy.KillDriverResponse{Master: k.ref.Proto(), DriverId: "d", Message: "Driver d has already finished or does not exist"}); !proto.Equal(unknown, want) {
		t.Errorf("%v, want %v", unknown, want)
	}
	all := ask(k, &deploy.RequestKillAllDrivers{})
	if want := (&deploy.KillAllDriversResponse{Master: k.ref.Proto(), Success: true, Message: "Kill request for all drivers submitted"}); !proto.Equal(all, want) {
		t.Errorf("%v, want %v", all, want)
	}
	if s := k.status(r.GetDriverId()); s.RelaunchedAs != nil || s.GetRefused() != nil || s.ExitStatus != nil {
		t.Errorf("%v", s)
	}
}

// What blocks a driver that waits is said with what would help, for its memory as for its cores.
func TestWhatBlocksADriver(t *testing.T) {
	k := newKit(t, "coherer.master.maxDriverShare", "0.5", "spark.deploy.maxDrivers", "1")
	blockers := func() (out []string) {
		for _, d := range k.state().GetDemands() {
			for _, b := range d.GetBlockers() {
				out = append(out, fmt.Sprintf("%s %d: %s; %s", b.GetFilter(), b.GetWorkers(), b.GetReason(), b.GetHelp()))
			}
		}
		return out
	}
	check := func(want ...string) {
		t.Helper()
		if got := blockers(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got\n%q\nwant\n%q", got, want)
		}
	}
	id := k.submit(wanted(false))
	check("workers 0: no Worker is registered; start one: coherer worker")
	k.worker("W1", 4, 512)
	const help = "; wait for a driver to end, add Workers, or raise coherer.master.maxDriverShare"
	check("drivers 0: with it drivers would have 512 of 512 MiB: coherer.master.maxDriverShare allows 0.5 of them" + help)
	w2 := k.worker("W2", 4, 512) // 512 of 1024 are half
	check()
	k.wantState(id, deploy.DriverState_RUNNING)
	k.submit(wanted(false))
	check("drivers 0: 1 drivers run, which is all that spark.deploy.maxDrivers allows; wait for one to end, kill one, or raise spark.deploy.maxDrivers",
		"drivers 0: with it drivers would have 1024 of 1024 MiB: coherer.master.maxDriverShare allows 0.5 of them"+help,
		"memory 1: a driver wants 512 MiB of memory, 0 of the worker's 512 are free; wait until 512 more are free")
	w2.decommission() // it counts no more
	check("drivers 0: 1 drivers run, which is all that spark.deploy.maxDrivers allows; wait for one to end, kill one, or raise spark.deploy.maxDrivers",
		"drivers 0: with it drivers would have 1024 of 512 MiB: coherer.master.maxDriverShare allows 0.5 of them"+help,
		"memory 1: a driver wants 512 MiB of memory, 0 of the worker's 512 are free; wait until 512 more are free",
		"state 1: it is DECOMMISSIONED; start a new worker: one that is decommissioned never gets executors again")
	k.Advance(3 * time.Minute)
	check("state 2: it is DEAD; start it again, or see in its log why it ended")
}

// With spark.deploy.spreadOutDrivers chance says which Worker is the first; without it the first by its id is.
func TestTheSettingOfWhereDriversGo(t *testing.T) {
	for setting, want := range map[string]int{"true": 4, "false": 1} {
		k := newKit(t, "spark.deploy.spreadOutDrivers", setting)
		ws := map[string]*worker{}
		for _, name := range []string{"C", "A", "D", "B"} {
			ws["worker-"+name] = k.worker(name, 4, 4096)
		}
		went := map[string]bool{}
		for range 40 {
			id := k.submit(wanted(false))
			at := k.status(id).GetWorkerId()
			went[at] = true
			ws[at].ends(&deploy.DriverStateChanged{DriverId: id, State: deploy.DriverState_FINISHED})
		}
		if len(went) != want || !went["worker-A"] {
			t.Errorf("spreadOutDrivers=%s: drivers went to %v, want %d workers", setting, went, want)
		}
	}
}

// The record of a dead Worker shows what a driver used of it, as that of an executor.
func TestADeadWorkerShowsWhatItsDriverUsed(t *testing.T) {
	k := newKit(t)
	k.worker("W1", 2, 2048)
	k.submit(wanted(false))
	k.Find("W1").Kill()
	if w := k.state().GetWorkers()[0]; w.GetState() != "DEAD" || w.GetCoresUsed() != 1 || w.GetMemoryUsed() != 512 {
		t.Errorf("%v", w)
	}
}
