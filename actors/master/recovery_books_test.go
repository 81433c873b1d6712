package master_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

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

// What a recovered Worker runs is in the books as it says: cores, memory, profile, addresses, state. The next executor gets the
// id behind the highest, also when the driver knows fewer.
func TestWhatARecoveredWorkerRunsIsInTheBooks(t *testing.T) {
	k, s := lasting(t)
	w := k.newWorker("W1", 8, 8192)
	w.reg.Resources = gpus("0", "1", "2")
	w.Send(k.ref, w.reg)
	d := k.newDriver("D")
	d.desc.ResourcesPerExecutor = []*deploy.ResourceRequirement{{Name: "gpu", Amount: 1}}
	d.desc.MaxCores = proto.Int32(6)
	d.desc.InitialExecutorLimit = proto.Int32(2)
	d.register()
	k.Settle()
	k.restart(master.Config{Store: s})
	changed(t, w.Probe)
	changed(t, d.Probe)
	d.acknowledges(0)
	run := running(d.id, 4)
	run.Cores, run.MemoryMb, run.RpId = 2, 1000, 0
	launching := running(d.id, 2)
	launching.State, launching.MemoryMb = deploy.ExecutorState_LAUNCHING, 1
	w.Send(k.ref, &deploy.WorkerSchedulerStateResponse{Id: w.reg.GetId(), Executors: []*deploy.WorkerExecutorStateResponse{
		{Desc: run, Resources: gpus("1")}, {Desc: launching, Resources: gpus("0")},
	}})
	k.isIn("ALIVE")
	st := k.state()
	x := st.GetWorkers()[0]
	if x.GetCoresUsed() != 3 || x.GetMemoryUsed() != 1001 || x.GetReason() != "" || !slices.Equal(x.GetResourcesUsed()[0].GetAddresses(), []string{"0", "1"}) {
		t.Errorf("%v", x)
	}
	var got []string
	for _, e := range st.GetActiveApps()[0].GetExecutors() {
		got = append(got, fmt.Sprint(e.GetId(), e.GetRpId(), e.GetCores(), e.GetMemory(), e.GetState(), e.GetResources()[0].GetAddresses()))
	}
	if want := []string{"2 0 1 1 LAUNCHING [0]", "4 0 2 1000 RUNNING [1]"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	none(t, w.Probe, time.Second) // two are all that it wants
	w.report(d.id, 4, deploy.ExecutorState_EXITED, 1)
	if l := w.launched(); l.GetExecId() != 5 || !slices.Equal(l.GetResources()[0].GetAddresses(), []string{"1"}) {
		t.Errorf("%v", l)
	}
	none(t, w.Probe, time.Second)
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

// What a Worker runs ends when its application did not order it so: without the addresses that it wants, with those of another,
// with an id after which no other id is left, without memory.
func TestWhatDoesNotFitIntoTheBooksEnds(t *testing.T) {
	k, s := lasting(t)
	w := k.newWorker("W1", 8, 8192)
	w.reg.Resources = gpus("0", "1")
	w.Send(k.ref, w.reg)
	d := k.newDriver("D")
	d.desc.ResourcesPerExecutor = []*deploy.ResourceRequirement{{Name: "gpu", Amount: 1}}
	d.desc.InitialExecutorLimit = proto.Int32(0)
	d.register()
	k.Settle()
	k.restart(master.Config{Store: s})
	changed(t, w.Probe)
	changed(t, d.Probe)
	last, poor := running(d.id, math.MaxInt32), running(d.id, 5)
	poor.MemoryMb = 0
	w.Send(k.ref, &deploy.WorkerSchedulerStateResponse{Id: w.reg.GetId(), Executors: []*deploy.WorkerExecutorStateResponse{
		{Desc: running(d.id, 1)},
		{Desc: running(d.id, 2), Resources: gpus("0")},
		{Desc: running(d.id, 3), Resources: gpus("0")},
		{Desc: last, Resources: gpus("1")},
		{Desc: poor, Resources: gpus("1")},
		{Desc: running(d.id, math.MaxInt32-1), Resources: gpus("1")},
	}})
	if got := w.killed(); !slices.Equal(got, []int32{1, 3, math.MaxInt32, 5}) {
		t.Errorf("killed %v", got)
	}
	d.acknowledges(0)
	k.isIn("ALIVE")
}

// A driver is found on one Worker, with the addresses that it has; a second one that has it, or one that says nothing of what the
// driver wanted, is ordered to kill it.
func TestADriverIsFoundOnce(t *testing.T) {
	k, s := lasting(t)
	w1, w2 := k.newWorker("W1", 2, 2048), k.newWorker("W2", 2, 2048)
	for _, w := range []*worker{w1, w2} {
		w.reg.Resources = gpus("0", "1")
		w.Send(k.ref, w.reg)
	}
	k.Settle()
	desc := wanted(false)
	desc.ResourceReqs = []*deploy.ResourceRequirement{{Name: "gpu", Amount: 1}}
	first, second := k.submit(desc), k.submit(desc)
	k.restart(master.Config{Store: s})
	changed(t, w1.Probe)
	changed(t, w2.Probe)
	has := func(id string, r []*deploy.ResourceInformation) *deploy.WorkerDriverStateResponse {
		return &deploy.WorkerDriverStateResponse{DriverId: id, Resources: r}
	}
	list := func(w *worker, ds ...*deploy.WorkerDriverStateResponse) {
		w.Send(k.ref, &deploy.WorkerSchedulerStateResponse{Id: w.reg.GetId(), Drivers: ds})
		k.Settle()
	}
	list(w1, has(first, gpus("1")), has(second, nil))
	same(t, w1.Probe, &deploy.KillDriver{DriverId: second, MasterTerm: 2})
	list(w2, has(first, gpus("0")), has(second, gpus("0")))
	same(t, w2.Probe, &deploy.KillDriver{DriverId: first, MasterTerm: 2})
	k.isIn("ALIVE")
	for _, d := range k.state().GetActiveDrivers() {
		want := map[string]string{first: "worker-W1[1]", second: "worker-W2[0]"}[d.GetId()]
		if got := fmt.Sprint(d.GetWorkerId(), d.GetResources()[0].GetAddresses()); got != want || d.GetStartMs() == 0 {
			t.Errorf("%s is on %s, want %s", d.GetId(), got, want)
		}
	}
	w1.driverReport(first, deploy.DriverState_FINISHED)
	if used := k.state().GetWorkers()[0].GetResourcesUsed()[0].GetAddresses(); len(used) != 0 {
		t.Errorf("%v are not given back", used)
	}
}

// A Worker that registers before it heard of the new Master says the drivers that it runs in WorkerLatestState.
func TestAWorkerThatRegistersDuringRecoveryKeepsItsDriver(t *testing.T) {
	k, s := lasting(t)
	w := k.worker("W1", 2, 2048)
	id := k.submit(wanted(false))
	w.launchedDriver()
	k.restart(master.Config{Store: s})
	next[*deploy.MasterChanged](t, w.Probe)
	w.Send(k.ref, w.reg)
	next[*deploy.RegisteredWorker](t, w.Probe)
	w.Send(k.ref, &deploy.WorkerLatestState{Id: w.reg.GetId(), DriverIds: []string{id}})
	k.isIn("ALIVE")
	k.wantState(id, deploy.DriverState_RUNNING)
	none(t, w.Probe, time.Second)
}

// What a Worker says after the end of the recovery is compared with the books, and taken into them no more.
func TestAfterTheRecoveryNothingIsAdopted(t *testing.T) {
	k, s := lasting(t, "spark.deploy.recoveryTimeout", "20s")
	w, d := k.worker("W1", 2, 2048), k.driver("D", 1)
	w.launched()
	k.restart(master.Config{Store: s})
	changed(t, w.Probe)
	d.acknowledges(1)
	w.Send(k.ref, w.reg)
	next[*deploy.RegisteredWorker](t, w.Probe)
	k.Advance(21 * time.Second)
	k.isIn("ALIVE")
	if l := w.launched(); l.GetExecId() != 1 {
		t.Errorf("%v", l)
	}
	w.Send(k.ref, &deploy.WorkerLatestState{Id: w.reg.GetId(), Executors: []*deploy.ExecutorDescription{running(d.id, 0)}})
	if got := w.killed(); !slices.Equal(got, []int32{0}) {
		t.Errorf("killed %v", got)
	}
	k.isIn("ALIVE")
}

// A recovered Worker has its whole time-out from its answer on.
func TestARecoveredWorkersTimeOutBeginsWithItsAnswer(t *testing.T) {
	k, s := lasting(t, "spark.deploy.recoveryTimeout", "100s", "spark.worker.timeout", "60")
	w := k.worker("W1", 1, 1024)
	k.restart(master.Config{Store: s})
	changed(t, w.Probe)
	k.Advance(70 * time.Second)
	w.lists()
	k.isIn("ALIVE")
	k.Advance(59 * time.Second)
	k.stands("W1 ALIVE")
	k.Advance(61 * time.Second)
	k.stands("W1 DEAD")
}

// Answers of unknown peers, and those that come twice or too late, change nothing.
func TestAnswersOfNobodyChangeNothing(t *testing.T) {
	k, s := lasting(t)
	w, d := k.worker("W1", 1, 1024), k.driver("D", 1)
	k.restart(master.Config{Store: s})
	changed(t, w.Probe)
	nobody := k.newWorker("W2", 1, 1024)
	nobody.lists(running(d.id, 0))
	none(t, nobody.Probe, time.Second)
	k.isIn("RECOVERING")
	w.lists(running(d.id, 0))
	d.acknowledges(1)
	seen := 0
	k.isIn("ALIVE")
	k.states(&seen)
	w.lists(running(d.id, 0))
	d.acknowledges(1)
	d.acknowledges(0)
	k.tool.Send(k.ref, master.CompleteRecovery{})
	if got := k.states(&seen); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

// A driver that ends while the Master recovers, and has not answered, is not waited for.
func TestADriverThatIsGoneCompletesTheRecovery(t *testing.T) {
	k, s := lasting(t)
	k.driver("D", 1)
	k.restart(master.Config{Store: s})
	k.isIn("RECOVERING")
	k.Find("D").Kill()
	k.isIn("ALIVE")
	if a := k.state().GetCompletedApps(); len(a) != 1 || a[0].GetState() != "FINISHED" {
		t.Errorf("%v", a)
	}
}

// With drivers alone in the records no answer is awaited: the Master is ALIVE at once.
func TestARecoveryOfDriversAloneEndsAtOnce(t *testing.T) {
	k, s := lasting(t)
	k.isIn("ALIVE")
	k.submit(wanted(false))
	k.restart(master.Config{Store: s})
	k.isIn("ALIVE")
}

// A Worker that was cut off, or decommissioned, in the term before is no Worker of the next one: it registers anew and says its
// state; a stranger's state is ignored.
func TestTheStateOfAStrangerIsIgnored(t *testing.T) {
	k := newKit(t)
	w := k.newWorker("W1", 1, 1024)
	w.Send(k.ref, &deploy.WorkerLatestState{Id: w.reg.GetId(), Executors: []*deploy.ExecutorDescription{{AppId: "a"}}})
	w.lists(running("a", 0))
	w.report("a", 0, deploy.ExecutorState_RUNNING)
	none(t, w.Probe, time.Second)
}

// The records have no profiles but an application's first: an executor of another one is taken as its Worker lists it, and
// counts for that profile when the driver asks for it again.
func TestAnExecutorOfAnotherProfileIsRecovered(t *testing.T) {
	k, s := lasting(t)
	w, d := k.worker("W1", 4, 4096), k.dynamic("D")
	k.restart(master.Config{Store: s})
	changed(t, w.Probe)
	changed(t, d.Probe)
	e := running(d.id, 0)
	e.RpId = 5
	w.lists(e)
	d.acknowledges(1)
	k.isIn("ALIVE")
	d.request(d.id, total(&deploy.ResourceProfile{Id: 5, ExecutorCores: proto.Int32(1), ExecutorMemoryMb: 512}, 2))
	if l := w.launched(); l.GetExecId() != 1 || l.GetRpId() != 5 {
		t.Errorf("%v", l)
	}
	none(t, w.Probe, time.Second)
	if got := k.state().GetActiveApps()[0].GetExecutors(); len(got) != 2 || got[0].GetRpId() != 5 {
		t.Errorf("%v", got)
	}
}
