package master_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

func TestWithoutRecordsTheMasterLeadsAtOnceInTheNextTerm(t *testing.T) {
	k, s := lasting(t)
	for term := uint64(1); term <= 3; term++ {
		k.isIn("ALIVE")
		if got := k.state().GetMasterTerm(); got != term {
			t.Errorf("term %d, want %d", got, term)
		}
		k.restart(master.Config{Store: s})
	}
}

// The order is that of a recorded Spark 3.5.9: no peer is looked up, and none registers.
func TestARestartedMasterFindsItsClusterAgain(t *testing.T) {
	k, s := lasting(t)
	w := k.worker("W1", 4, 4096)
	d := k.driver("app", 2)
	for range 2 {
		w.launched()
		d.added()
	}
	for id := range int32(2) {
		w.report(d.id, id, deploy.ExecutorState_RUNNING)
		d.updated()
	}
	k.restart(master.Config{WebUIURL: "http://m:8081", Store: s})
	changed := &deploy.MasterChanged{Master: k.ref.Proto(), MasterWebUiUrl: "http://m:8081", MasterTerm: 2}
	same(t, w.Probe, changed)
	same(t, d.Probe, changed)
	k.isIn("RECOVERING")
	k.stands("W1 UNKNOWN")
	d.acknowledges(2)
	k.isIn("RECOVERING")
	w.lists(running(d.id, 0), running(d.id, 1))
	k.isIn("ALIVE")
	k.stands("W1 ALIVE")
	app := k.state().GetActiveApps()[0]
	if app.GetState() != "RUNNING" || app.GetCoresGranted() != 2 || len(app.GetExecutors()) != 2 || app.GetExecutors()[1].GetId() != 1 {
		t.Errorf("the application: %v", app)
	}
	none(t, w.Probe, time.Second)
	none(t, d.Probe, time.Second)
	// An executor that ends is replaced under the next id.
	w.report(d.id, 0, deploy.ExecutorState_EXITED, 1)
	d.updated()
	if m := w.launched(); m.GetExecId() != 2 || m.GetMasterTerm() != 2 {
		t.Errorf("launched %v", m)
	}
}

func TestWhoDoesNotAnswerIsGivenUpAfterTheRecoveryTimeout(t *testing.T) {
	k, s := lasting(t, "spark.deploy.recoveryTimeout", "20s")
	k.worker("W1", 4, 4096)
	w2 := k.worker("W2", 1, 1024)
	silent := k.driver("silent", 1)
	k.restart(master.Config{Store: s})
	next[*deploy.MasterChanged](t, w2.Probe)
	w2.lists()
	k.Advance(19 * time.Second)
	k.isIn("RECOVERING")
	k.Advance(time.Second)
	k.isIn("ALIVE")
	k.stands("W1 DEAD", "W2 ALIVE")
	if apps := k.state().GetCompletedApps(); len(apps) != 1 || apps[0].GetState() != "FINISHED" {
		t.Errorf("completed: %v", apps)
	}
	if got := s.keys(); !slices.Equal(got, []string{"worker_worker-W2"}) {
		t.Errorf("records %q", got)
	}
	says(t, k.why(silent.id), [2]string{"ended", ": not responding for recovery|submit it again"})
	// It may only have stood still, so it gets ApplicationRemoved.
	removed := slices.ContainsFunc(silent.Waiting(), func(m rpcenv.Message) bool {
		r, ok := m.(*deploy.ApplicationRemoved)
		return ok && r.GetMessage() == "not responding for recovery"
	})
	if !removed {
		t.Errorf("the driver got %v, not that it is given up", silent.Waiting())
	}
}

func TestTheRecoveryTimeoutIsTheWorkersUnlessSaid(t *testing.T) {
	k, s := lasting(t, "spark.worker.timeout", "30")
	k.driver("silent", 1)
	k.restart(master.Config{Store: s})
	k.Advance(29 * time.Second)
	k.isIn("RECOVERING")
	k.Advance(time.Second)
	k.isIn("ALIVE")
}

// A Worker whose executor has the highest id does not answer: the id is not given again.
func TestIDsThatTheApplicationHeardOfAreNotGivenAgain(t *testing.T) {
	k, s := lasting(t)
	w := k.worker("W1", 4, 4096)
	d := k.newDriver("app")
	d.desc.MaxCores = proto.Int32(1)
	d.register()
	w.launched()
	k.restart(master.Config{Store: s})
	next[*deploy.MasterChanged](t, w.Probe)
	w.lists()
	d.acknowledges(8)
	if m := w.launched(); m.GetExecId() != 8 {
		t.Errorf("the next id is %d, want 8", m.GetExecId())
	}
}

// SPARK-4592, SPARK-16190: the Worker tries to register as the new Master calls it.
func TestARegistrationDuringRecoveryIsADuplicate(t *testing.T) {
	k, s := lasting(t)
	w := k.worker("W1", 4, 4096)
	d := k.driver("app", 1)
	w.launched()
	k.restart(master.Config{Store: s})
	next[*deploy.MasterChanged](t, w.Probe)
	d.acknowledges(1)
	w.Send(k.ref, w.reg)
	if m := next[*deploy.RegisteredWorker](t, w.Probe); !m.GetDuplicate() {
		t.Error("the registration is no duplicate")
	}
	k.stands("W1 ALIVE")
	k.isIn("RECOVERING") // it has not said what it runs
	w.Send(k.ref, &deploy.WorkerLatestState{Id: w.reg.GetId(), Executors: []*deploy.ExecutorDescription{running(d.id, 0)}})
	k.isIn("ALIVE")
	w.lists(running(d.id, 0)) // the answer to MasterChanged, late
	none(t, w.Probe, time.Second)
	if app := k.state().GetActiveApps()[0]; len(app.GetExecutors()) != 1 || app.GetCoresGranted() != 1 {
		t.Errorf("the application: %v", app)
	}
}

func TestAWorkerRegistersDuringRecoveryAndGetsNothingUntilItsEnd(t *testing.T) {
	k, s := lasting(t)
	d := k.driver("app", 1)
	k.restart(master.Config{Store: s})
	w := k.worker("W1", 4, 4096)
	none(t, w.Probe, time.Second)
	d.acknowledges(0)
	w.launched()
}

// A Master that was started again in the same second counts from 0 again.
func TestAfterARestartNoIDIsGivenTwice(t *testing.T) {
	k, s := lasting(t)
	d := k.driver("app", 1)
	k.restart(master.Config{Store: s})
	if young := k.driver("young", 1); young.id == d.id {
		t.Errorf("two applications have the id %s", d.id)
	}
}

func TestAnotherWorkerAtTheAddressReplacesTheUnknownOne(t *testing.T) {
	k, s := lasting(t)
	w := k.worker("W1", 4, 4096)
	k.restart(master.Config{Store: s})
	next[*deploy.MasterChanged](t, w.Probe)
	w.reg.Id = "worker-young"
	w.Send(k.ref, w.reg)
	if m := next[*deploy.RegisteredWorker](t, w.Probe); m.GetDuplicate() {
		t.Error("taken for the old one")
	}
	if got := s.keys(); !slices.Equal(got, []string{"worker_worker-young"}) {
		t.Errorf("records %q", got)
	}
}

func TestWhatIsNotToBeThereEnds(t *testing.T) {
	k, s := lasting(t)
	w := k.worker("W1", 4, 4096)
	w2 := k.worker("W2", 4, 4096)
	d := k.driver("app", 1)
	k.restart(master.Config{Store: s})
	changed(t, w.Probe)
	changed(t, w2.Probe)
	changed(t, d.Probe)
	d.acknowledges(1)
	w2.lists(running(d.id, 0))
	k.Settle()
	mad := running(d.id, -1)
	huge := running(d.id, 5)
	huge.Cores = -7
	ended := running(d.id, 6)
	ended.State = deploy.ExecutorState_EXITED
	w.lists(running(d.id, 0), running("app-gone", 3), mad, huge, ended, nil)
	k.Settle()
	var killed []int32
	for len(w.Waiting()) > 0 {
		if m, ok := w.Next().(*deploy.KillExecutor); ok {
			killed = append(killed, m.GetExecId())
		}
	}
	if !slices.Equal(killed, []int32{0, 3, -1, 5, 6, 0}) {
		t.Errorf("killed %v", killed)
	}
	k.isIn("ALIVE")
	if app := k.state().GetActiveApps()[0]; len(app.GetExecutors()) != 1 || app.GetExecutors()[0].GetWorkerId() != w2.reg.GetId() {
		t.Errorf("the application: %v", app)
	}
}

// A second answer to MasterChanged does not bring back what was killed meanwhile.
func TestAnotherAnswerChangesNothing(t *testing.T) {
	k, s := lasting(t)
	w := k.worker("W1", 4, 4096)
	d := k.driver("app", 1)
	w.launched()
	k.restart(master.Config{Store: s})
	next[*deploy.MasterChanged](t, w.Probe)
	w.lists(running(d.id, 0))
	d.acknowledges(1)
	d.acknowledges(1)
	k.isIn("ALIVE")
	d.Send(k.ref, &deploy.UnregisterApplication{AppId: d.id})
	k.Settle()
	w.lists(running(d.id, 0))
	k.Settle()
	if s := k.state(); s.GetWorkers()[0].GetCoresUsed() != 0 || len(s.GetActiveApps()) != 0 {
		t.Errorf("the books: %v", s)
	}
}

func TestADisconnectDuringRecoveryCanCompleteIt(t *testing.T) {
	k, s := lasting(t)
	k.worker("W1", 4, 4096)
	d := k.driver("app", 1)
	k.restart(master.Config{Store: s})
	changed(t, d.Probe)
	d.acknowledges(0)
	k.isIn("RECOVERING")
	k.Find("W1").Kill()
	k.isIn("ALIVE")
	k.stands("W1 DEAD")
}

// SPARK-23191: Master and Worker have dialled each other; the end of one of two connections is not the Worker's.
func TestAConnectionTooManyIsNoLossDuringRecovery(t *testing.T) {
	k, s := lasting(t)
	w := k.worker("W1", 4, 4096)
	k.restart(master.Config{Store: s})
	next[*deploy.MasterChanged](t, w.Probe)
	at := w.Ref.Address
	k.tool.Send(k.ref, connectionEvent{up: true, peer: at})
	k.tool.Send(k.ref, connectionEvent{up: false, peer: at})
	k.isIn("RECOVERING")
	w.lists()
	k.isIn("ALIVE")
	k.stands("W1 ALIVE")
}

func TestAMasterThatCannotReadItsRecordsEnds(t *testing.T) {
	k, s := lasting(t)
	k.worker("W1", 4, 4096)
	s.unread = errors.New("permission denied")
	k.restart(master.Config{Store: s})
	k.exits(1)
}

func TestNothingIsAcknowledgedBeforeItIsDurable(t *testing.T) {
	k, s := lasting(t)
	k.isIn("ALIVE")
	s.latency = time.Second
	w := k.newWorker("W1", 4, 4096)
	w.Send(k.ref, w.reg)
	none(t, w.Probe, 999*time.Millisecond)
	next[*deploy.RegisteredWorker](t, w.Probe)
	d := k.newDriver("app")
	d.desc.MaxCores = proto.Int32(1)
	began := k.Now()
	d.register()
	if took := k.Now().Sub(began); took < time.Second {
		t.Errorf("acknowledged after %s", took)
	}
	w.launched()
	if got := s.keys(); len(got) != 2 {
		t.Errorf("records %q", got)
	}
	// Killed before the next one is durable, the Master has promised nothing.
	late := k.newWorker("W2", 4, 4096)
	late.Send(k.ref, late.reg)
	k.Advance(500 * time.Millisecond)
	k.restart(master.Config{Store: s})
	none(t, late.Probe, time.Second)
	if got := s.keys(); len(got) != 2 {
		t.Errorf("records %q", got)
	}
}

func TestManyRegistrationsAreOneWrite(t *testing.T) {
	k, s := lasting(t)
	k.isIn("ALIVE")
	s.latency, s.writes = time.Second, 0
	var ws []*worker
	for range 50 {
		w := k.newWorker("W", 1, 1024)
		w.reg.Id += w.Ref.Address.String()
		w.Send(k.ref, w.reg)
		ws = append(ws, w)
	}
	for _, w := range ws {
		next[*deploy.RegisteredWorker](t, w.Probe)
	}
	if s.writes > 3 || len(s.keys()) != 50 {
		t.Errorf("%d writes of %d records", s.writes, len(s.keys()))
	}
}

func TestAMasterThatCannotWriteEndsAndPromisesNothing(t *testing.T) {
	k, s := lasting(t)
	k.isIn("ALIVE")
	s.fail = errors.New("write /var/recovery/worker_worker-W1: no space left on device")
	w := k.newWorker("W1", 4, 4096)
	w.Send(k.ref, w.reg)
	k.exits(1)
	none(t, w.Probe, time.Second)
}

func TestADeposedMasterEndsInGoodOrder(t *testing.T) {
	k, s := lasting(t)
	k.isIn("ALIVE")
	s.fail = records.ErrNotLeader
	w := k.newWorker("W1", 4, 4096)
	w.Send(k.ref, w.reg)
	k.exits(0)
	none(t, w.Probe, time.Second)
}

func TestAStandbyAnswersNobodyUntilItIsElected(t *testing.T) {
	k, _ := lasting(t)
	s := &shelf{records: map[string][]byte{}}
	k.restart(master.Config{Store: s, Election: true})
	w := k.newWorker("W1", 4, 4096)
	w.Send(k.ref, w.reg)
	same(t, w.Probe, &deploy.MasterInStandby{})
	w.beat()
	d := k.newDriver("app")
	d.Send(k.ref, &deploy.RegisterApplication{AppDescription: d.desc, Driver: d.Ref.Proto()})
	none(t, w.Probe, time.Second)
	none(t, d.Probe, time.Second)
	_, err := rpctest.Ask[*rpc.Bool](w.Probe, k.ref, &deploy.ExecutorStateChanged{AppId: "a", ExecId: proto.Int32(1)})
	if err == nil || !strings.Contains(err.Error(), "STANDBY") {
		t.Errorf("a report was answered: %v", err)
	}
	k.isIn("STANDBY")
	k.tool.Send(k.ref, master.ElectedLeader{Term: 7})
	if ok, err := rpctest.Ask[*rpc.Bool](k.tool, k.ref, master.AwaitLeadership{}); err != nil || !ok.GetValue() {
		t.Errorf("awaiting: %v %v", ok, err)
	}
	k.isIn("ALIVE")
	w.Send(k.ref, w.reg)
	if m := next[*deploy.RegisteredWorker](t, w.Probe); m.GetMasterTerm() != 7 {
		t.Errorf("registered in term %d", m.GetMasterTerm())
	}
	k.tool.Send(k.ref, master.ElectedLeader{Term: 8}) // a duplicate
	k.isIn("ALIVE")
	k.tool.Send(k.ref, master.RevokedLeadership{})
	k.exits(0)
}
