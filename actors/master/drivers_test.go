package master_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/trace"
)

// wanted is a driver of one core and 512 MiB.
func wanted(supervise bool) *deploy.DriverDescription {
	return &deploy.DriverDescription{JarUrl: "/app", Cores: 1, Mem: 512, Supervise: supervise, Command: &deploy.Command{
		MainClass: "org.apache.spark.deploy.worker.DriverWrapper", Arguments: []string{"{{WORKER_URL}}", "{{USER_JAR}}", "pi"},
	}}
}

// ask asks the Master.
func ask[Q rpcenv.Asks[R], R rpcenv.Message](k *kit, q Q) R {
	k.t.Helper()
	r, err := rpctest.Ask[R](k.tool, k.ref, q)
	if err != nil {
		k.t.Fatal(err)
	}
	return r
}

// submit submits a driver and returns its id.
func (k *kit) submit(d *deploy.DriverDescription) string {
	k.t.Helper()
	r := ask(k, &deploy.RequestSubmitDriver{DriverDescription: d})
	if want := "Driver successfully submitted as " + r.GetDriverId(); !r.GetSuccess() || r.GetMessage() != want {
		k.t.Fatalf("%v, want success and %s", r, want)
	}
	return r.GetDriverId()
}

func (k *kit) status(id string) *deploy.DriverStatusResponse {
	k.t.Helper()
	return ask(k, &deploy.RequestDriverStatus{DriverId: id})
}

// wantState checks a driver's state.
func (k *kit) wantState(id string, want deploy.DriverState_State) {
	k.t.Helper()
	if r := k.status(id); !r.GetFound() || r.GetState() != want {
		k.t.Errorf("%s: %v, want %s", id, r, want)
	}
}

// driverReport asks as a Worker does when a driver has ended.
func (w *worker) driverReport(id string, state deploy.DriverState_State) {
	w.k.t.Helper()
	ok, err := rpctest.Ask[*rpc.Bool](w.Probe, w.k.ref, &deploy.DriverStateChanged{DriverId: id, State: state})
	if err != nil || !ok.GetValue() {
		w.k.t.Fatalf("report of %s %s: %v, %v; want true", id, state, ok, err)
	}
}

func (w *worker) launchedDriver() *deploy.LaunchDriver {
	w.k.t.Helper()
	return next[*deploy.LaunchDriver](w.k.t, w.Probe)
}

func TestADriverIsLaunchedBeforeTheSubmissionIsAnswered(t *testing.T) {
	k := newKit(t)
	w := k.worker("W1", 2, 1024)
	id := k.submit(wanted(false))
	if m := w.launchedDriver(); m.GetDriverId() != id || !proto.Equal(m.GetDriverDesc(), wanted(false)) {
		t.Errorf("%v", m)
	}
	text := trace.Forest(trace.Merge(k.Recorder().Records()).Entries, trace.TextOptions{OmitPlace: true})
	if i, j := strings.Index(text, "LaunchDriver"), strings.Index(text, "SubmitDriverResponse"); i < 0 || j < i {
		t.Errorf("the order is\n%s", text)
	}
	r := k.status(id)
	if r.GetState() != deploy.DriverState_RUNNING || r.GetWorkerId() != "worker-W1" || r.Exception != nil {
		t.Errorf("%v", r)
	}
	s := k.state()
	if w := s.Workers[0]; w.CoresUsed != 1 || w.MemoryUsed != 512 || len(s.ActiveDrivers) != 1 || s.ActiveDrivers[0].MainClass != "pi" {
		t.Errorf("%v", s)
	}
}

func TestDriverIDs(t *testing.T) {
	for pattern, want := range map[string]string{
		"driver-%s-%04d": `^driver-\d{14}-000[01]$`, "d%s_%d": `^d\d{14}_[01]$`,
		"up/%s/%d": `^driver-\d{14}-000[01]$`, "no number": `^driver-\d{14}-000[01]$`,
	} {
		k := newKit(t, "spark.deploy.driverIdPattern", pattern)
		a, b := k.submit(wanted(false)), k.submit(wanted(false))
		if ok, err := regexp.MatchString(want, b); a == b || !ok || err != nil {
			t.Errorf("%s: %s, %s", pattern, a, b)
		}
	}
}

func TestDriversComeBeforeExecutors(t *testing.T) {
	k := newKit(t)
	d := k.driver("D", 1)
	id := k.submit(wanted(false))
	w := k.worker("W1", 1, 1024)
	if m := w.launchedDriver(); m.GetDriverId() != id {
		t.Errorf("%v", m)
	}
	none(t, w.Probe, time.Second)
	w.driverReport(id, deploy.DriverState_FINISHED)
	if m := w.launched(); m.GetAppId() != d.id {
		t.Errorf("%v", m)
	}
}

func TestADriverThatDoesNotFitDoesNotBlockTheNext(t *testing.T) {
	k := newKit(t)
	big := wanted(false)
	big.Cores = 8
	first := k.submit(big)
	second := k.submit(wanted(false))
	w := k.worker("W1", 2, 1024)
	if m := w.launchedDriver(); m.GetDriverId() != second {
		t.Errorf("%v", m)
	}
	r := k.status(first)
	if want := "[worker-W1: a driver wants 8 cores, the worker has 2]"; r.GetState() != deploy.DriverState_SUBMITTED || fmt.Sprint(r.GetRefused()) != want {
		t.Errorf("%v, want %s", r, want)
	}
	if s := k.state(); len(s.Demands) != 1 || s.Demands[0].DriverId != first {
		t.Errorf("%v", s.Demands)
	}
}

func TestMaxDrivers(t *testing.T) {
	k := newKit(t, "spark.deploy.maxDrivers", "1")
	w := k.worker("W1", 4, 4096)
	first, second := k.submit(wanted(false)), k.submit(wanted(false))
	w.launchedDriver()
	none(t, w.Probe, time.Second)
	if text := fmt.Sprint(k.status(second).GetRefused()); !strings.Contains(text, "spark.deploy.maxDrivers") {
		t.Error(text)
	}
	w.driverReport(first, deploy.DriverState_FINISHED)
	if m := w.launchedDriver(); m.GetDriverId() != second {
		t.Errorf("%v", m)
	}
}

// TestTheShareOfDriversHasACap: SPARK-27750, drivers that have all cores wait for executors for ever.
func TestTheShareOfDriversHasACap(t *testing.T) {
	for share, launched := range map[string]int{"1": 6, "0.5": 3, "0.1": 0} {
		k := newKit(t, "coherer.master.maxDriverShare", share)
		for i := range 3 {
			k.worker(fmt.Sprintf("W%d", i), 2, 4096)
		}
		var ids []string
		for range 6 {
			ids = append(ids, k.submit(wanted(false)))
		}
		n := 0
		for _, id := range ids {
			if r := k.status(id); r.GetState() == deploy.DriverState_RUNNING {
				n++
			} else if text := fmt.Sprint(r.GetRefused()); !strings.Contains(text, "coherer.master.maxDriverShare") {
				t.Error(text)
			}
		}
		if n != launched {
			t.Errorf("with a share of %s %d run, want %d", share, n, launched)
		}
	}
}

func TestADriverThatWaitsIsKilledAtOnce(t *testing.T) {
	k := newKit(t)
	id := k.submit(wanted(false))
	r := ask(k, &deploy.RequestKillDriver{DriverId: id})
	if want := "Kill request for " + id + " submitted"; !r.GetSuccess() || r.GetMessage() != want {
		t.Errorf("%v, want %s", r, want)
	}
	k.wantState(id, deploy.DriverState_KILLED)
	w := k.worker("W1", 1, 1024)
	none(t, w.Probe, time.Second)
}

func TestADriverThatRunsIsKilledByItsWorker(t *testing.T) {
	k := newKit(t)
	w := k.worker("W1", 1, 1024)
	id := k.submit(wanted(true))
	w.launchedDriver()
	for range 2 {
		if r := ask(k, &deploy.RequestKillDriver{DriverId: id}); !r.GetSuccess() {
			t.Errorf("%v", r)
		}
		same(t, w.Probe, &deploy.KillDriver{DriverId: id})
	}
	k.wantState(id, deploy.DriverState_RUNNING)
	w.driverReport(id, deploy.DriverState_KILLED)
	k.wantState(id, deploy.DriverState_KILLED)
	r := ask(k, &deploy.RequestKillDriver{DriverId: id})
	if want := "Driver " + id + " has already finished or does not exist"; r.GetSuccess() || r.GetMessage() != want {
		t.Errorf("%v, want %s", r, want)
	}
}

func TestKillAllDrivers(t *testing.T) {
	k := newKit(t)
	w := k.worker("W1", 1, 1024)
	runs, waits := k.submit(wanted(false)), k.submit(wanted(false))
	w.launchedDriver()
	if r := ask(k, &deploy.RequestKillAllDrivers{}); !r.GetSuccess() {
		t.Errorf("%v", r)
	}
	same(t, w.Probe, &deploy.KillDriver{DriverId: runs})
	k.wantState(waits, deploy.DriverState_KILLED)
}

func TestAReportOfADriverChangesItOnce(t *testing.T) {
	k := newKit(t)
	w := k.worker("W1", 1, 1024)
	id := k.submit(wanted(false))
	w.launchedDriver()
	w.driverReport(id, deploy.DriverState_RUNNING) // is no end
	k.wantState(id, deploy.DriverState_RUNNING)
	w.driverReport(id, deploy.DriverState_FAILED)
	w.driverReport(id, deploy.DriverState_FINISHED)
	w.driverReport("driver-of-nobody", deploy.DriverState_FINISHED)
	k.wantState(id, deploy.DriverState_FAILED)
	if s := k.state(); s.Workers[0].CoresUsed != 0 || s.Workers[0].MemoryUsed != 0 || len(s.CompletedDrivers) != 1 || len(s.ActiveDrivers) != 0 {
		t.Errorf("%v", s)
	}
}

func TestASupervisedDriverRunsAgainUnderANewID(t *testing.T) {
	k := newKit(t)
	w1 := k.worker("W1", 1, 1024)
	id := k.submit(wanted(true))
	w1.launchedDriver()
	w2 := k.worker("W2", 1, 1024)
	k.alive(2*time.Minute, w2) // W1 is silent
	again := w2.launchedDriver()
	if again.GetDriverId() == id || !proto.Equal(again.GetDriverDesc(), wanted(true)) {
		t.Errorf("%v", again)
	}
	if r := k.status(id); r.GetState() != deploy.DriverState_RELAUNCHING || r.GetRelaunchedAs() != again.GetDriverId() {
		t.Errorf("%v", r)
	}
	if over := k.state().GetCompletedDrivers(); len(over) != 1 || over[0].GetReason() != "worker lost: Not receiving heartbeat for 60 seconds" {
		t.Errorf("%v", over)
	}
	w1.driverReport(id, deploy.DriverState_FINISHED) // it was alive after all
	k.wantState(again.GetDriverId(), deploy.DriverState_RUNNING)
	if r := ask(k, &deploy.RequestKillDriver{DriverId: id}); r.GetSuccess() || !strings.HasSuffix(r.GetMessage(), "; it was relaunched as "+again.GetDriverId()) {
		t.Errorf("%v", r)
	}
	// The Worker comes back with the old one.
	w1.Send(k.ref, w1.reg)
	next[*deploy.RegisteredWorker](t, w1.Probe)
	w1.Send(k.ref, &deploy.WorkerLatestState{Id: "worker-W1", DriverIds: []string{id}})
	same(t, w1.Probe, &deploy.KillDriver{DriverId: id})
}

func TestADriverThatIsNotSupervisedIsLostWithItsWorker(t *testing.T) {
	k := newKit(t)
	w1 := k.worker("W1", 1, 1024)
	id := k.submit(wanted(false))
	w1.launchedDriver()
	w2 := k.worker("W2", 1, 1024)
	k.alive(2*time.Minute, w2)
	none(t, w2.Probe, time.Second)
	k.wantState(id, deploy.DriverState_ERROR)
	if f := k.state().Failures; f[len(f)-1].Kind != "driver" {
		t.Errorf("%v", f)
	}
}

func TestAnOrderOfADriverLostWithAConnectionIsGivenAgain(t *testing.T) {
	k := newKit(t)
	w := k.worker("W1", 2, 1024)
	arrived, lost := k.submit(wanted(false)), k.submit(wanted(false))
	w.launchedDriver()
	w.launchedDriver()
	w.Send(k.ref, w.reg)
	next[*deploy.RegisteredWorker](t, w.Probe)
	w.Send(k.ref, &deploy.WorkerLatestState{Id: "worker-W1", DriverIds: []string{arrived}})
	same(t, w.Probe, &deploy.KillDriver{DriverId: lost})
	again := w.launchedDriver()
	k.wantState(lost, deploy.DriverState_RELAUNCHING)
	k.wantState(arrived, deploy.DriverState_RUNNING)
	// What was ordered behind RegisteredWorker is not lost.
	w.Send(k.ref, &deploy.WorkerLatestState{Id: "worker-W1", DriverIds: []string{arrived}})
	none(t, w.Probe, time.Second)
	k.wantState(again.GetDriverId(), deploy.DriverState_RUNNING)
}

func TestTheDriversThatAreRemembered(t *testing.T) {
	k := newKit(t, "spark.deploy.retainedDrivers", "20")
	w := k.worker("W1", 1, 1024)
	var ids []string
	for range 23 {
		ids = append(ids, k.submit(wanted(false)))
		w.launchedDriver()
		w.driverReport(ids[len(ids)-1], deploy.DriverState_FINISHED)
	}
	// 20 are full: a tenth, two, goes when the 21st comes, and again when the 23rd does.
	for i, id := range ids {
		if found := k.status(id).GetFound(); found != (i >= 4) {
			t.Errorf("%d: found %v", i, found)
		}
	}
	if r := ask(k, &deploy.RequestClearCompletedDriversAndApps{}); !r.GetValue() {
		t.Error(r)
	}
	if s := k.state(); len(s.CompletedDrivers) != 0 {
		t.Errorf("%v", s.CompletedDrivers)
	}
}

func TestDriversThatCannotBeAreRefused(t *testing.T) {
	k := newKit(t)
	for want, spoil := range map[string]func(d *deploy.DriverDescription){
		"-1 cores":   func(d *deploy.DriverDescription) { d.Cores = -1 },
		"0 MiB":      func(d *deploy.DriverDescription) { d.Mem = 0 },
		"main class": func(d *deploy.DriverDescription) { d.Command = nil },
		"gpu":        func(d *deploy.DriverDescription) { d.ResourceReqs = []*deploy.ResourceRequirement{{Name: "gpu"}} },
	} {
		d := wanted(false)
		spoil(d)
		if r := ask(k, &deploy.RequestSubmitDriver{DriverDescription: d}); r.GetSuccess() || !strings.Contains(r.GetMessage(), want) {
			t.Errorf("%v, want %s", r, want)
		}
	}
	if r := ask(k, &deploy.RequestSubmitDriver{}); r.GetSuccess() {
		t.Error("no description at all is taken")
	}
	for _, id := range []string{"", "../../etc", "driver-0"} {
		if r := k.status(id); r.GetFound() || r.Exception != nil {
			t.Errorf("%v", r)
		}
	}
}

func TestAStandbyTakesNoDrivers(t *testing.T) {
	k := newKit(t)
	k.ref = k.Register(k.Env("M2", nil), master.Name, master.New(master.Config{Election: true}))
	const begin = "Current state is not alive: STANDBY. Can only "
	if r := ask(k, &deploy.RequestSubmitDriver{DriverDescription: wanted(false)}); r.GetSuccess() || r.GetMessage() != begin+"accept driver submissions in ALIVE state." {
		t.Error(r)
	}
	if r := ask(k, &deploy.RequestKillDriver{DriverId: "d"}); r.GetSuccess() || !strings.HasPrefix(r.GetMessage(), begin) {
		t.Error(r)
	}
	if r := ask(k, &deploy.RequestKillAllDrivers{}); r.GetSuccess() || !strings.HasPrefix(r.GetMessage(), begin) {
		t.Error(r)
	}
	if r := k.status("d"); r.GetFound() || !strings.HasPrefix(r.GetException(), begin) {
		t.Error(r)
	}
	if r := ask(k, &deploy.RequestReadyz{}); r.GetValue() {
		t.Error("a standby is ready")
	}
}

func TestALeaderIsReady(t *testing.T) {
	if r := ask(newKit(t), &deploy.RequestReadyz{}); !r.GetValue() {
		t.Error(r)
	}
}
