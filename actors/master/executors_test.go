package master_test

import (
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

func TestTheDriverIsToldBeforeTheReportIsAnswered(t *testing.T) {
	k := newKit(t)
	k.worker("W1", 1, 1024)
	d := k.driver("D", 1)
	d.added()
	var order []string
	d.On(func(_ *rpcenv.Context, m rpcenv.Message) bool {
		_, updated := m.(*deploy.ExecutorUpdated)
		if updated {
			order = append(order, "ExecutorUpdated")
		}
		return updated
	})
	d.Do(func(c *rpcenv.Context) { // asked by the driver, so that both come to one inbox, in the Master's order
		q := &deploy.ExecutorStateChanged{AppId: d.id, ExecId: proto.Int32(0), State: deploy.ExecutorState_RUNNING}
		rpcenv.Ask(c, k.ref, q, func(*rpc.Bool, error) { order = append(order, "answer") })
	})
	k.Settle()
	if want := []string{"ExecutorUpdated", "answer"}; !slices.Equal(order, want) {
		t.Errorf("%v, want %v", order, want)
	}
}

// Hazard H4: the answer to the first report was lost.
func TestARepeatedReportChangesNothing(t *testing.T) {
	k := newKit(t)
	w, d := k.worker("W1", 1, 1024), k.driver("D", 1)
	d.added()
	w.report(d.id, 0, deploy.ExecutorState_RUNNING)
	d.updated()
	w.report(d.id, 0, deploy.ExecutorState_RUNNING)
	none(t, d.Probe, time.Second)
	w.report(d.id, 0, deploy.ExecutorState_LAUNCHING) // backwards
	none(t, d.Probe, time.Second)
}

func TestAnExecutorThatEndedIsReplacedAtOnce(t *testing.T) {
	for _, code := range []int32{1, 0} { // SPARK-16925: also after exit code 0
		k := newKit(t)
		w, d := k.worker("W1", 1, 1024), k.driver("D", 1)
		w.launched()
		d.added()
		w.report(d.id, 0, deploy.ExecutorState_RUNNING)
		d.updated()
		before := k.Now()
		w.report(d.id, 0, deploy.ExecutorState_EXITED, code)
		if u := d.updated(); u.GetState() != deploy.ExecutorState_EXITED || u.GetExitStatus() != code || u.GetMessage() == "" || u.WorkerHost != nil {
			t.Errorf("%v", u)
		}
		if l := w.launched(); l.GetExecId() != 1 || k.Now().Sub(before) > time.Second {
			t.Errorf("launched %d after %s", l.GetExecId(), k.Now().Sub(before))
		}
		w.report(d.id, 0, deploy.ExecutorState_EXITED, code) // repeated: unknown by now
		if a := d.added(); a.GetId() != 1 {
			t.Errorf("%v", a)
		}
		none(t, d.Probe, time.Second)
	}
}

// SPARK-27510: executors that start and exit at once. The count is not set back by RUNNING, and launches are spaced.
func TestAnApplicationWhoseExecutorsExitAtOnceIsRemoved(t *testing.T) {
	k := newKit(t)
	w, d := k.worker("W1", 2, 2048), k.driver("D", 1)
	start, launches := k.Now(), 0
	for len(k.state().ActiveApps) > 0 {
		l := w.launched()
		launches++
		w.report(d.id, l.GetExecId(), deploy.ExecutorState_RUNNING)
		k.Advance(100 * time.Millisecond)
		w.report(d.id, l.GetExecId(), deploy.ExecutorState_EXITED, 1)
	}
	if took := k.Now().Sub(start); launches != 10 || took > 5*time.Minute || took < 5*time.Second {
		t.Errorf("removed after %d launches in %s", launches, took)
	}
	waiting := d.Waiting()
	last := waiting[len(waiting)-1]
	if r, ok := last.(*deploy.ApplicationRemoved); !ok || r.GetMessage() != "FAILED" {
		t.Errorf("the last word is %T %v", last, last)
	}
	same(t, w.Probe, &deploy.ApplicationFinished{Id: d.id})
	s := k.state()
	if s.CompletedApps[0].State != master.ApplicationFailed.String() {
		t.Errorf("%+v", s.CompletedApps)
	}
	f := s.Failures[len(s.Failures)-1]
	if f.Kind != "application" || f.Id != d.id || f.WorkerId != "" || f.State != "FAILED" || f.Reason != "failed 10 times" {
		t.Errorf("the last failure is %v", f)
	}
}

// SPARK-2425, 4498: a healthy application loses an executor now and then.
func TestAnApplicationWithAHealthyExecutorLives(t *testing.T) {
	k := newKit(t)
	w := k.worker("W1", 2, 2048)
	d := k.driver("D", 2)
	w.launched()
	w.report(d.id, 0, deploy.ExecutorState_RUNNING)
	for range 11 {
		l := w.launched()
		w.report(d.id, l.GetExecId(), deploy.ExecutorState_RUNNING)
		k.alive(2*time.Hour, w)
		w.report(d.id, l.GetExecId(), deploy.ExecutorState_EXITED, 1)
	}
	for range 30 { // and even when the others fail at once, though ever later
		l := w.launched()
		w.report(d.id, l.GetExecId(), deploy.ExecutorState_EXITED, 1)
		k.alive(61*time.Second, w)
	}
	if s := k.state(); len(s.ActiveApps) != 1 || len(s.ActiveApps[0].Executors) != 2 {
		t.Errorf("%+v", s)
	}
}

func TestMaxExecutorRetriesMinusOneRemovesNobody(t *testing.T) {
	k := newKit(t, "spark.deploy.maxExecutorRetries", "-1")
	w, d := k.worker("W1", 1, 1024), k.driver("D", 1)
	for range 25 {
		l := w.launched()
		w.report(d.id, l.GetExecId(), deploy.ExecutorState_FAILED)
		k.alive(61*time.Second, w)
	}
	if s := k.state(); len(s.ActiveApps) != 1 {
		t.Errorf("%+v", s)
	}
}

func TestKillExecutorsEndsWhatItKnows(t *testing.T) {
	k := newKit(t)
	w := k.worker("W1", 2, 2048)
	d := k.newDriver("D")
	d.desc.MaxCores, d.desc.InitialExecutorLimit = proto.Int32(2), proto.Int32(1)
	d.register()
	w.launched()
	d.added()
	ask := func(app string, ids ...string) bool {
		t.Helper()
		ok, err := rpctest.Ask[*rpc.Bool](d.Probe, k.ref, &deploy.KillExecutors{AppId: app, ExecutorIds: ids})
		if err != nil {
			t.Fatal(err)
		}
		return ok.GetValue()
	}
	if !ask(d.id, "x", "0", "0", "7") {
		t.Error("refused")
	}
	if kill := next[*deploy.KillExecutor](t, w.Probe); kill.GetExecId() != 0 {
		t.Errorf("%v", kill)
	}
	if l := w.launched(); l.GetExecId() != 1 { // the limit is still 1
		t.Errorf("%v", l)
	}
	w.report(d.id, 0, deploy.ExecutorState_KILLED, 143)
	d.added()
	none(t, d.Probe, time.Second)
	if ask("app-unknown", "0") {
		t.Error("an unknown application may kill")
	}
}

func TestAnExecutorThatRunsThoughGivenUpIsKilled(t *testing.T) {
	k := newKit(t)
	w, d := k.worker("W1", 1, 1024), k.driver("D", 1)
	w.launched()
	w.report(d.id, 9, deploy.ExecutorState_RUNNING)
	if kill := next[*deploy.KillExecutor](t, w.Probe); kill.GetExecId() != 9 {
		t.Errorf("%v", kill)
	}
	w.report("app-gone", 0, deploy.ExecutorState_KILLED, 0)
	none(t, w.Probe, time.Second)
}

// What a Worker reports as KILLED was wanted: the cluster's status lists no failure. The state has why an executor ended,
// and nothing of the kind before.
func TestAKilledExecutorIsNoFailure(t *testing.T) {
	k := newKit(t)
	w, d := k.worker("W1", 1, 1024), k.driver("D", 1)
	w.launched()
	ok, err := rpctest.Ask[*rpc.Bool](w.Probe, k.ref, &deploy.ExecutorStateChanged{
		AppId: d.id, ExecId: proto.Int32(0), State: deploy.ExecutorState_RUNNING, Message: proto.String("it runs"),
	})
	if err != nil || !ok.GetValue() {
		t.Fatal(ok, err)
	}
	if e := k.state().ActiveApps[0].Executors[0]; e.Reason != "" {
		t.Errorf("%v", e)
	}
	w.report(d.id, 0, deploy.ExecutorState_KILLED)
	if s := k.state(); len(s.Failures) != 0 || s.ActiveApps[0].RemovedExecutors[0].State != deploy.ExecutorState_KILLED {
		t.Errorf("%v", s)
	}
}

// An id that is no number names no executor, least of all number 0.
func TestAnExecutorIDThatIsNoNumberKillsNobody(t *testing.T) {
	k := newKit(t)
	w, d := k.worker("W1", 1, 1024), k.driver("D", 1)
	w.launched()
	ask(k, &deploy.KillExecutors{AppId: d.id, ExecutorIds: []string{"x", "", "0x0"}})
	none(t, w.Probe, time.Second)
}
