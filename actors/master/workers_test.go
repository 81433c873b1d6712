package master_test

import (
	"fmt"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

func TestARegisteredWorkerIsToldMasterPagesAndAddress(t *testing.T) {
	k := newKit(t)
	w := k.newWorker("W1", 2, 2048)
	w.Send(k.ref, w.reg)
	same(t, w.Probe, &deploy.RegisteredWorker{
		Master: k.ref.Proto(), MasterWebUiUrl: "http://m:8080",
		MasterAddress: &rpc.Address{Host: "m.example", Port: 7077}, Duplicate: proto.Bool(false),
	})
	s := k.state()
	if len(s.Workers) != 1 || s.Status != master.RecoveryAlive.String() {
		t.Fatalf("%+v", s)
	}
	got := s.Workers[0]
	if got.Id != "worker-W1" || got.Cores != 2 || got.Memory != 2048 || got.State != master.WorkerAlive.String() || got.Host != w.Ref.Address.Host || int(got.Port) != w.Ref.Address.Port {
		t.Errorf("%+v", got)
	}
}

func TestAKnownWorkerIsADuplicateAndKeepsItsExecutors(t *testing.T) {
	k := newKit(t)
	w, d := k.worker("W1", 2, 2048), k.driver("D", 1)
	w.launched()
	w.report(d.id, 0, deploy.ExecutorState_RUNNING)
	w.Send(k.ref, w.reg)
	if r := next[*deploy.RegisteredWorker](t, w.Probe); !r.GetDuplicate() {
		t.Error("not a duplicate")
	}
	w.Send(k.ref, &deploy.WorkerLatestState{Id: w.reg.GetId(), Executors: []*deploy.ExecutorDescription{{AppId: d.id, ExecId: 0}}})
	none(t, w.Probe, time.Second)
	if s := k.state(); len(s.Workers) != 1 || s.Workers[0].CoresUsed != 1 {
		t.Errorf("%+v", s.Workers)
	}
}

func TestAnotherWorkerAtTheAddressOfALiveOneIsRefused(t *testing.T) {
	k := newKit(t)
	w := k.worker("W1", 2, 2048)
	other := proto.Clone(w.reg).(*deploy.RegisterWorker)
	other.Id = "worker-other"
	w.Send(k.ref, other)
	same(t, w.Probe, &deploy.RegisterWorkerFailed{
		Message: "Attempted to re-register worker at same address: " + w.Ref.Address.String(),
	})
	if s := k.state(); len(s.Workers) != 1 || s.Workers[0].Id != "worker-W1" {
		t.Errorf("%+v", s.Workers)
	}
}

func TestAWorkerRestartedAtItsPortIsAccepted(t *testing.T) {
	k := newKit(t)
	w, d := k.worker("W1", 2, 2048), k.driver("D", 1)
	w.launched()
	d.added()
	k.Cut("W1", "M") // the end of the old process is not seen
	host := k.Find("W1")
	host.Kill()
	k.Settle()
	env, err := rpcenv.New(k.Host("W1b", host.IP()), rpcenv.Config{Name: "W1b", Listen: w.Ref.Address})
	if err != nil {
		t.Fatal(err)
	}
	again := &worker{k.ProbeIn(env, "Worker"), k, proto.Clone(w.reg).(*deploy.RegisterWorker)}
	again.reg.Id = "worker-W1b"
	again.Send(k.ref, again.reg)
	if r := next[*deploy.RegisteredWorker](t, again.Probe); r.GetDuplicate() {
		t.Error("a duplicate")
	}
	same(t, d.Probe, &deploy.ExecutorUpdated{
		Id: proto.Int32(0), State: deploy.ExecutorState_LOST, WorkerHost: proto.String(w.Ref.Address.Host),
		Message: proto.String("worker lost: " + w.Ref.Address.String() + " got disassociated"),
	})
	if l := again.launched(); l.GetExecId() != 1 {
		t.Errorf("executor %d, want 1", l.GetExecId())
	}
	if s := k.state(); len(s.Workers) != 1 || s.Workers[0].Id != "worker-W1b" {
		t.Errorf("%+v", s.Workers)
	}
}

func TestAWorkerWithNothingToOfferIsRefused(t *testing.T) {
	k := newKit(t)
	for i, change := range []func(*deploy.RegisterWorker){
		func(r *deploy.RegisterWorker) { r.Cores = 0 },
		func(r *deploy.RegisterWorker) { r.Memory = -1 },
		func(r *deploy.RegisterWorker) { r.Id = "" },
		func(r *deploy.RegisterWorker) { r.Host = "" },
	} {
		w := k.newWorker(fmt.Sprint("W", i), 1, 1024)
		change(w.reg)
		w.Send(k.ref, w.reg)
		next[*deploy.RegisterWorkerFailed](t, w.Probe)
	}
	w := k.newWorker("W", 1, 1024)
	w.reg.Worker = nil
	w.Send(k.ref, w.reg)
	none(t, w.Probe, time.Second)
	if s := k.state(); len(s.Workers) != 0 {
		t.Errorf("%+v", s.Workers)
	}
}

func TestAWorkerIsDeadAfterItsTimeOutWithoutHeartbeat(t *testing.T) {
	k := newKit(t)
	w, silent := k.worker("W1", 2, 2048), k.worker("W2", 2, 2048)
	k.alive(3*time.Minute, w)
	s := k.state()
	if s.Workers[0].State != master.WorkerAlive.String() || s.Workers[1].State != master.WorkerDead.String() {
		t.Fatalf("%+v", s.Workers)
	}
	none(t, silent.Probe, time.Second)
}

func TestALateHeartbeatIsAnsweredWithOneReconnectWorkerEach(t *testing.T) {
	k := newKit(t)
	w := k.worker("W1", 2, 2048)
	k.Advance(3 * time.Minute)
	for range 3 {
		w.beat()
		same(t, w.Probe, &deploy.ReconnectWorker{MasterUrl: k.ref.Address.SparkURL()})
	}
	none(t, w.Probe, time.Second)
}

func TestADeadWorkerThatRegistersAgainGetsANewRecord(t *testing.T) {
	k := newKit(t)
	w := k.worker("W1", 2, 2048)
	k.Advance(3 * time.Minute)
	w.Send(k.ref, w.reg)
	if r := next[*deploy.RegisteredWorker](t, w.Probe); r.GetDuplicate() {
		t.Error("a duplicate")
	}
	if s := k.state(); len(s.Workers) != 1 || s.Workers[0].State != master.WorkerAlive.String() {
		t.Errorf("%+v", s.Workers)
	}
}

func TestADeadWorkerIsForgottenAfterItsPersistence(t *testing.T) {
	k := newKit(t, "spark.worker.timeout", "10", "spark.dead.worker.persistence", "3")
	w := k.worker("W1", 2, 2048)
	k.Advance(39 * time.Second)
	if s := k.state(); len(s.Workers) != 1 || s.Workers[0].State != master.WorkerDead.String() {
		t.Fatalf("%+v", s.Workers)
	}
	k.Advance(15 * time.Second)
	if s := k.state(); len(s.Workers) != 0 {
		t.Fatalf("%+v", s.Workers)
	}
	w.beat() // Spark would ignore it for ever
	next[*deploy.ReconnectWorker](t, w.Probe)
}

func TestExecutorsThatTheMasterDoesNotKnowAreKilled(t *testing.T) {
	k := newKit(t)
	w, d := k.worker("W1", 2, 2048), k.driver("D", 1)
	w.launched()
	w.Send(k.ref, &deploy.WorkerLatestState{Id: w.reg.GetId(), Executors: []*deploy.ExecutorDescription{
		{AppId: d.id, ExecId: 0}, {AppId: d.id, ExecId: 7}, {AppId: "app-gone", ExecId: 0},
	}})
	url := k.ref.Address.SparkURL()
	same(t, w.Probe, &deploy.KillExecutor{MasterUrl: url, AppId: d.id, ExecId: proto.Int32(7)})
	same(t, w.Probe, &deploy.KillExecutor{MasterUrl: url, AppId: "app-gone", ExecId: proto.Int32(0)})
	w.Send(k.ref, &deploy.WorkerLatestState{Id: "worker-unknown", Executors: []*deploy.ExecutorDescription{{AppId: "a"}}})
	none(t, w.Probe, time.Second)
}

// The ghosts of SPARK-13604: a Worker that was cut off still runs what was counted as lost.
func TestExecutorsOfAWorkerThatWasCutOffAreKilledWhenItIsBack(t *testing.T) {
	k := newKit(t)
	w1 := k.worker("W1", 1, 2048)
	d := k.driver("D", 1)
	w1.launched()
	w1.report(d.id, 0, deploy.ExecutorState_RUNNING)
	w2 := k.worker("W2", 1, 2048)
	k.alive(3*time.Minute, w2)
	if l := w2.launched(); l.GetExecId() != 1 {
		t.Fatalf("launched %d", l.GetExecId())
	}
	w1.beat()
	next[*deploy.ReconnectWorker](t, w1.Probe)
	w1.Send(k.ref, w1.reg)
	next[*deploy.RegisteredWorker](t, w1.Probe)
	w1.Send(k.ref, &deploy.WorkerLatestState{Id: w1.reg.GetId(), Executors: []*deploy.ExecutorDescription{{AppId: d.id, ExecId: 0}}})
	if kill := next[*deploy.KillExecutor](t, w1.Probe); kill.GetExecId() != 0 {
		t.Errorf("killed %d", kill.GetExecId())
	}
	for _, w := range k.state().Workers {
		if want := map[string]int32{"worker-W1": 0, "worker-W2": 1}[w.Id]; w.CoresUsed != want {
			t.Errorf("%s uses %d cores, want %d", w.Id, w.CoresUsed, want)
		}
	}
}

func TestAnOrderLostWithAConnectionIsGivenAgain(t *testing.T) {
	k := newKit(t)
	w, d := k.worker("W1", 1, 2048), k.driver("D", 1)
	w.launched()
	d.added()
	w.Send(k.ref, &deploy.WorkerLatestState{Id: w.reg.GetId()}) // the order came behind RegisteredWorker: nothing is wrong
	none(t, d.Probe, time.Second)
	w.Send(k.ref, w.reg)
	next[*deploy.RegisteredWorker](t, w.Probe)
	w.Send(k.ref, &deploy.WorkerLatestState{Id: w.reg.GetId()})
	if u := d.updated(); u.GetState() != deploy.ExecutorState_LOST || u.WorkerHost != nil {
		t.Errorf("%v", u)
	}
	if l := w.launched(); l.GetExecId() != 1 {
		t.Errorf("launched %d", l.GetExecId())
	}
}

func TestALostWorkerIsToldExecutorByExecutorAndThenToAllApplications(t *testing.T) {
	k := newKit(t)
	w := k.worker("W1", 2, 2048)
	d, idle := k.driver("D", 2), k.driver("D2", 1)
	d.added()
	d.added()
	k.Find("W1").Kill()
	why := w.Ref.Address.String() + " got disassociated"
	host := w.Ref.Address.Host
	for id := range int32(2) {
		same(t, d.Probe, &deploy.ExecutorUpdated{
			Id: proto.Int32(id), State: deploy.ExecutorState_LOST, Message: proto.String("worker lost: " + why), WorkerHost: &host,
		})
	}
	removed := &deploy.WorkerRemoved{Id: w.reg.GetId(), Host: host, Message: why}
	same(t, d.Probe, removed)
	same(t, idle.Probe, removed)
	s := k.state()
	if w := s.Workers[0]; w.CoresUsed != 2 || w.MemoryUsed != 1024 { // as a recorded Spark shows them
		t.Errorf("%d cores and %d MiB were used of the dead worker", w.CoresUsed, w.MemoryUsed)
	}
	if s.Workers[0].State != master.WorkerDead.String() || s.Workers[0].Reason != why || s.ActiveApps[0].CoresGranted != 0 {
		t.Errorf("%+v", s)
	}
}

// SPARK-23191: the end of the old connection is seen after the Worker came back by a new one.
func TestAWorkerWithAnotherConnectionIsKept(t *testing.T) {
	k := newKit(t)
	w := k.worker("W1", 1, 2048)
	k.tool.Send(k.ref, connectionEvent{up: true, peer: w.Ref.Address})
	k.tool.Send(k.ref, connectionEvent{up: false, peer: w.Ref.Address})
	if s := k.state(); s.Workers[0].State != master.WorkerAlive.String() {
		t.Fatal("the worker was removed with its old connection")
	}
	for range 2 { // each event may come twice
		k.tool.Send(k.ref, connectionEvent{up: false, peer: w.Ref.Address})
		if s := k.state(); s.Workers[0].State != master.WorkerDead.String() {
			t.Fatal("the worker was kept without a connection")
		}
	}
}

// The end of a connection may be heard twice: the connections that come later are counted from none.
func TestAConnectionsEndThatIsHeardTwiceIsOne(t *testing.T) {
	k := newKit(t)
	w := k.worker("W1", 1, 1024)
	event := func(up bool) { k.tool.Send(k.ref, connectionEvent{up: up, peer: w.Ref.Address}) }
	for range 3 {
		event(false)
	}
	w.Send(k.ref, w.reg)
	next[*deploy.RegisteredWorker](t, w.Probe)
	event(true)
	event(true)
	event(false)
	if state, _ := w.stateOf(); state != master.WorkerAlive.String() {
		t.Errorf("%s, though a connection is open", state)
	}
	event(false)
	if state, _ := w.stateOf(); state != master.WorkerDead.String() {
		t.Errorf("%s without a connection", state)
	}
}

// Of Workers that leave at one time the first one's executors go to none of the others.
func TestWhatIsLostGoesToNoWorkerThatIsNextToBeGivenUp(t *testing.T) {
	for name, leave := range map[string]func(*kit){
		"time-out":     func(k *kit) { k.Advance(2 * time.Minute) },
		"decommission": func(k *kit) { k.tool.Send(k.ref, master.DecommissionWorkers{IDs: []string{"worker-W1", "worker-W2"}}) },
	} {
		t.Run(name, func(t *testing.T) {
			k := newKit(t)
			first, next := k.worker("W1", 1, 1024), k.newWorker("W2", 1, 1024)
			k.driver("D", 1)
			first.launched()
			next.Send(k.ref, next.reg)
			k.Settle()
			leave(k)
			k.Settle()
			for _, m := range next.Waiting() {
				if l, ok := m.(*deploy.LaunchExecutor); ok {
					t.Errorf("%v", l)
				}
			}
			state, _ := next.stateOf()
			if state != master.WorkerDead.String() && state != master.WorkerDecommissioned.String() {
				t.Errorf("W2 is %s", state)
			}
		})
	}
}
