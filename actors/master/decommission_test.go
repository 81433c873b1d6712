package master_test

import (
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/trace"
)

func (w *worker) decommission() {
	w.k.t.Helper()
	w.Send(w.k.ref, &deploy.WorkerDecommissioning{Id: w.reg.GetId(), Worker: w.Ref.Proto()})
	w.k.Settle()
}

func (k *kit) decommissionHosts(hosts ...string) int32 {
	k.t.Helper()
	n, err := rpctest.Ask[*deploy.DecommissionWorkersOnHostsResponse](k.tool, k.ref, &deploy.DecommissionWorkersOnHosts{Hostnames: hosts})
	if err != nil {
		k.t.Fatal(err)
	}
	k.Settle()
	return n.GetCount()
}

// stateOf is a Worker's state by the Master, and how many cores it counts as used.
func (w *worker) stateOf() (string, int32) {
	w.k.t.Helper()
	for _, x := range w.k.state().GetWorkers() {
		if x.GetId() == w.reg.GetId() {
			return x.GetState(), x.GetCoresUsed()
		}
	}
	return "", 0
}

// Recorded: ExecutorUpdated(DECOMMISSIONED) with the host, then nothing more about that executor.
func TestADecommissionedWorker(t *testing.T) {
	k := newKit(t)
	w := k.worker("W1", 2, 2048)
	d := k.driver("D", 2)
	for range 2 {
		w.launched()
		d.added()
	}
	w.report(d.id, 0, deploy.ExecutorState_RUNNING)
	d.updated()
	w.decommission()
	for id := range int32(2) {
		same(t, d.Probe, &deploy.ExecutorUpdated{
			Id: proto.Int32(id), State: deploy.ExecutorState_DECOMMISSIONED, Message: proto.String("worker decommissioned"),
			WorkerHost: proto.String(w.reg.GetHost()),
		})
	}
	w.decommission()                                // once more: no message
	w.report(d.id, 1, deploy.ExecutorState_RUNNING) // late: it may run on
	none(t, d.Probe, time.Second)
	none(t, w.Probe, time.Second)

	w2 := k.worker("W2", 2, 2048) // what was taken is replaced elsewhere
	for _, id := range []int32{2, 3} {
		if l := w2.launched(); l.GetExecId() != id {
			t.Errorf("%v, want executor %d", l, id)
		}
		d.added()
	}
	if state, used := w.stateOf(); state != "DECOMMISSIONED" || used != 2 {
		t.Errorf("%s with %d cores used", state, used)
	}
	seen := 0
	k.states(&seen)
	w.report(d.id, 0, deploy.ExecutorState_EXITED, 0)
	if got, want := k.states(&seen), []string{"executor " + d.id + "/0: DECOMMISSIONED > EXITED, Command exited with code 0"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	none(t, d.Probe, time.Second)
	if _, used := w.stateOf(); used != 1 { // Spark never gives them back
		t.Errorf("%d cores used", used)
	}

	// It registers once more, and what it still runs is not killed.
	w.Send(k.ref, w.reg)
	next[*deploy.RegisteredWorker](t, w.Probe)
	w.Send(k.ref, &deploy.WorkerLatestState{Id: w.reg.GetId(), Executors: []*deploy.ExecutorDescription{
		{AppId: d.id, ExecId: 1}, {AppId: d.id, ExecId: 0},
	}})
	if kill := next[*deploy.KillExecutor](t, w.Probe); kill.GetExecId() != 0 { // that one had ended
		t.Errorf("%v", kill)
	}
	none(t, w.Probe, time.Second)

	d.Send(k.ref, &deploy.UnregisterApplication{AppId: d.id})
	if kill := next[*deploy.KillExecutor](t, w.Probe); kill.GetExecId() != 1 {
		t.Errorf("%v", kill)
	}
	next[*deploy.ApplicationFinished](t, w.Probe)
	if _, used := w.stateOf(); used != 0 {
		t.Errorf("%d cores used", used)
	}
}

func TestADecommissionedWorkerThatEndsTakesItsExecutorsAlong(t *testing.T) {
	k := newKit(t)
	w, d := k.worker("W1", 1, 1024), k.driver("D", 1)
	d.added()
	w.decommission()
	d.updated()
	k.Advance(2 * time.Minute) // no heartbeat
	if u := d.updated(); u.GetState() != deploy.ExecutorState_LOST || u.GetWorkerHost() == "" {
		t.Errorf("%v", u)
	}
	next[*deploy.WorkerRemoved](t, d.Probe)
	if state, used := w.stateOf(); state != "DEAD" || used != 1 {
		t.Errorf("%s with %d cores used", state, used)
	}
}

func TestWorkersOfHostsAreDecommissioned(t *testing.T) {
	k := newKit(t)
	upper, other := k.newWorker("W1", 1, 1024), k.worker("W2", 1, 1024)
	upper.reg.Host = "Machine-7"
	upper.Send(k.ref, upper.reg)
	next[*deploy.RegisteredWorker](t, upper.Probe)
	if n := k.decommissionHosts("machine-7", "nowhere"); n != 1 {
		t.Errorf("%d workers", n)
	}
	same(t, upper.Probe, &deploy.DecommissionWorker{})
	if state, _ := upper.stateOf(); state != "DECOMMISSIONED" {
		t.Error(state)
	}
	if n := k.decommissionHosts("MACHINE-7"); n != 1 { // counted again, no second message
		t.Errorf("%d workers", n)
	}
	none(t, upper.Probe, time.Second)
	none(t, other.Probe, time.Second)
	if n := k.decommissionHosts(); n != 0 {
		t.Errorf("%d workers", n)
	}
}

func TestAWorkerThatNobodyKnowsIsNotDecommissioned(t *testing.T) {
	k := newKit(t)
	w := k.newWorker("W1", 1, 1024)
	w.decommission()
	none(t, w.Probe, time.Second)
	if n := len(k.state().GetWorkers()); n != 0 {
		t.Errorf("%d workers", n)
	}
}

// No Worker may report an executor as decommissioned, or in an unknown state.
func TestAReportOfAStateThatIsNoWorkersIsIgnored(t *testing.T) {
	k := newKit(t)
	w, d := k.worker("W1", 1, 1024), k.driver("D", 1)
	d.added()
	w.report(d.id, 0, deploy.ExecutorState_DECOMMISSIONED)
	w.report(d.id, 0, deploy.ExecutorState(99))
	none(t, d.Probe, time.Second)
	if _, used := w.stateOf(); used != 1 {
		t.Errorf("%d cores used", used)
	}
}

// A Worker of a dead Worker's host, an unknown id, and a standby's Worker are not counted and get no message; each other one gets one.
func TestWhichWorkersAreDecommissioned(t *testing.T) {
	k := newKit(t)
	dead, there := k.newWorker("W1", 1, 1024), k.newWorker("W2", 1, 1024)
	dead.reg.Host, there.reg.Host = "h", "h"
	dead.reg.Port = 1
	for _, w := range []*worker{dead, there} {
		w.Send(k.ref, w.reg)
	}
	k.Settle()
	k.Find("W1").Kill()
	k.Settle()
	if n := k.decommissionHosts("h"); n != 1 {
		t.Errorf("%d workers, want 1", n)
	}
	if n := k.decommissionHosts("elsewhere"); n != 0 {
		t.Errorf("%d workers, want 0", n)
	}
	k.tool.Send(k.ref, master.DecommissionWorkers{IDs: []string{"nobody"}})
	k.Settle()
	sent := 0
	for _, e := range k.Trace().Entries {
		if e.Type == "DecommissionWorkers" && e.K == trace.KindMsg {
			sent++
		}
	}
	if sent != 2 { // the first answer's, and the test's
		t.Errorf("%d orders, want 2", sent)
	}
	if s := k.state().GetWorkers(); s[1].GetReason() != "decommissioned" {
		t.Errorf("%v", s)
	}
}

// What Workers of a host had, which an administrator decommissions, is replaced at once; their executors end with their own
// application alone.
func TestWhatDecommissionedHostsHadIsReplacedAtOnce(t *testing.T) {
	k := newKit(t)
	w := k.worker("W1", 2, 2048)
	a, b := k.driver("A", 1), k.driver("B", 1)
	w.launched()
	w.launched()
	w2 := k.worker("W2", 2, 2048)
	k.decommissionHosts(w.reg.GetHost())
	next[*deploy.DecommissionWorker](t, w.Probe)
	for _, want := range []string{a.id, b.id} {
		if l := w2.launched(); l.GetAppId() != want || l.GetExecId() != 1 {
			t.Errorf("%v", l)
		}
	}
	w.report(b.id, 0, deploy.ExecutorState_EXITED, 0) // of two with one id the application says which
	if _, used := w.stateOf(); used != 1 {
		t.Errorf("%d cores used", used)
	}
	b.Send(k.ref, &deploy.UnregisterApplication{AppId: b.id})
	next[*deploy.ApplicationFinished](t, w.Probe)
	a.Send(k.ref, &deploy.UnregisterApplication{AppId: a.id})
	if kill := next[*deploy.KillExecutor](t, w.Probe); kill.GetAppId() != a.id || kill.GetExecId() != 0 {
		t.Errorf("%v", kill)
	}
}

// A Worker whose Master is new to it may be decommissioned for long: it says so as it registers, or in its state, and is ordered
// nothing. Its WorkerDecommissioning would come behind the first order.
func TestAWorkerThatComesDecommissionedIsOrderedNothing(t *testing.T) {
	k := newKit(t)
	k.driver("D", 1)
	w := k.newWorker("W1", 2, 2048)
	w.reg.Decommissioned = true
	w.Send(k.ref, w.reg)
	next[*deploy.RegisteredWorker](t, w.Probe)
	none(t, w.Probe, time.Second)
	if state, used := w.stateOf(); state != "DECOMMISSIONED" || used != 0 {
		t.Errorf("%s, %d cores used", state, used)
	}
}

func TestAWorkerThatIsRecoveredDecommissionedIsOrderedNothing(t *testing.T) {
	for name, says := range map[string]func(w *worker, app string){
		"it hears of the Master": func(w *worker, app string) {
			w.Send(w.k.ref, &deploy.WorkerSchedulerStateResponse{
				Id: w.reg.GetId(), Executors: []*deploy.WorkerExecutorStateResponse{{Desc: running(app, 0)}}, Decommissioned: true,
			})
		},
		"it registers": func(w *worker, app string) {
			w.reg.Decommissioned = true
			w.Send(w.k.ref, w.reg)
			next[*deploy.RegisteredWorker](w.k.t, w.Probe)
			w.Send(w.k.ref, &deploy.WorkerLatestState{Id: w.reg.GetId(), Executors: []*deploy.ExecutorDescription{running(app, 0)}, Decommissioned: true})
		},
	} {
		t.Run(name, func(t *testing.T) {
			k, s := lasting(t)
			w, d := k.worker("W1", 2, 2048), k.driver("D", 2)
			for range 2 {
				w.launched()
				d.added()
			}
			k.restart(master.Config{Store: s})
			next[*deploy.MasterChanged](t, w.Probe)
			next[*deploy.MasterChanged](t, d.Probe)
			d.acknowledges(2)
			says(w, d.id)
			if u := d.updated(); u.GetId() != 0 || u.GetState() != deploy.ExecutorState_DECOMMISSIONED {
				t.Errorf("%v, want the loss of the executor that it runs", u)
			}
			k.isIn("ALIVE")
			none(t, w.Probe, time.Second)
			k.stands("W1 DECOMMISSIONED")
		})
	}
}
