package driver_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	logtest "github.com/sirupsen/logrus/hooks/test"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/trace"
)

// states are the changes of executors that the trace has from CoarseGrainedScheduler.
func (r *rig) states() []string {
	var out []string
	for _, e := range r.Trace().Entries {
		if e.K == trace.KindState && trace.EndpointOf(e.At) == driver.Name {
			out = append(out, fmt.Sprintf("%s %s: %s to %s, %s", e.Name, e.Subject, e.Was, e.Is, e.Why))
		}
	}
	return out
}

// changes are the changes of executors that the listener heard of.
func (r *rig) changes() []event.ExecutorChange {
	var out []event.ExecutorChange
	for _, m := range r.events.Waiting() {
		if c, ok := m.(event.ExecutorChange); ok {
			out = append(out, c)
		}
	}
	return out
}

// logged are the lines of a log that begin so, with their levels.
func logged(log *logtest.Hook, prefix string) []string {
	var out []string
	for _, e := range log.AllEntries() {
		if strings.HasPrefix(e.Message, prefix) {
			out = append(out, e.Level.String()+" "+e.Message)
		}
	}
	return out
}

const gone = "Remote RPC client disassociated. Likely due to containers exceeding thresholds, or network issues. Check driver logs for WARN messages."

// From its registration to its loss: what the trace, the listener and the log have of an executor.
func TestTheLifeOfAnExecutor(t *testing.T) {
	r := newRig(t, nil)
	log := logtest.NewLocal(r.env.Log().Logger)
	e := r.launched("0", 2)
	r.Settle()
	e.crash()
	r.Advance(4900 * time.Millisecond)
	if n := len(r.changes()); n != 2 {
		t.Errorf("%d changes before the delay is over", n)
	}
	r.Advance(200 * time.Millisecond)
	if got, want := r.states(), []string{
		"executor 0:  to REGISTERED, ", "executor 0: REGISTERED to LAUNCHED, ", "executor 0: REGISTERED to LOSS_PENDING, disconnected",
		"executor 0: REGISTERED to LOST, " + gone,
	}; !slices.Equal(got, want) {
		t.Errorf("states %q", got)
	}
	if got, want := r.changes(), []event.ExecutorChange{
		{Kind: event.ExecutorAdded, ExecutorID: "0", Host: "host0", Cores: 2},
		{Kind: event.ExecutorLossPending, ExecutorID: "0", Host: "host0", Reason: "Pending loss reason.", CausedByApp: true},
		{Kind: event.ExecutorLost, ExecutorID: "0", Host: "host0", Reason: gone, CausedByApp: true},
	}; !reflect.DeepEqual(got, want) {
		t.Errorf("heard\n%+v\nwant\n%+v", got, want)
	}
	if got := logged(log, "Lost executor"); !slices.Equal(got, []string{"error Lost executor 0 on host0: " + gone}) {
		t.Errorf("log %q", got)
	}
}

// An end that the driver wished, or that it knew of, is no error.
func TestEndsThatAreNoErrors(t *testing.T) {
	e := newElastic(t, nil)
	log := logtest.NewLocal(e.env.Log().Logger)
	e.launched("0", 1)
	e.launched("1", 1)
	e.tellDecommissioned(1)
	e.Advance(11 * time.Second)
	e.tellExited(1, 143)
	e.tellExited(0, 143)
	e.Settle()
	want := []string{
		"info Executor 0 on host0 killed by driver.", "info Executor 1 on host1 is decommissioned: Command exited with code",
	}
	if got := append(logged(log, "Executor 0 on host0 killed"), logged(log, "Executor 1 on host1 is")...); !slices.Equal(got, want) || len(logged(log, "Lost")) > 0 {
		t.Errorf("log %q", got)
	}
	if got := e.states(); !slices.Contains(got, "executor 1: REGISTERED to DECOMMISSIONED, worker decommissioned") {
		t.Errorf("states %q", got)
	}
	// The Master gives the application up: the end that the driver wished is not the one to blame.
	j := run(e.rig, numbers.With(3))
	e.Settle()
	e.tell(&deploy.ApplicationRemoved{Message: "FAILED"})
	if err := j.failure(); !strings.HasSuffix(err.Error(), "the last executor to end was 1: Command exited with code") {
		t.Error(err)
	}
}

// The Master's reports of the cluster are for the log alone; these are the lines that Spark's runbooks look for.
func TestWhatTheMasterTellsIsLogged(t *testing.T) {
	r := newRig(t, nil)
	log := logtest.NewLocal(r.env.Log().Logger)
	r.tell(&deploy.ExecutorAdded{Id: new(int32), WorkerId: "w", HostPort: "h:1", Cores: 2, Memory: 512})
	r.tell(&deploy.WorkerRemoved{Id: "w", Host: "h", Message: "why"})
	r.Settle()
	r.master.Crash()
	r.Advance(time.Second)
	for _, want := range []string{
		"info Granted executor ID " + appID + "/0 on hostPort h:1 with 2 core(s), 512 MiB RAM", "info Worker w on h removed: why",
		"warning Disconnected from Spark cluster! Waiting for reconnection...",
	} {
		if got := logged(log, strings.SplitN(want, " ", 2)[1]); !slices.Equal(got, []string{want}) {
			t.Errorf("log %q, want %q", got, want)
		}
	}
	for _, e := range r.Trace().Entries {
		if strings.Contains(e.Outcome, "Unsupported") {
			t.Errorf("%+v", e)
		}
	}
	if got, want := r.starts(), []event.ApplicationStart{{AppID: appID, Name: "test"}}; !slices.Equal(got, want) {
		t.Errorf("heard %+v, want %+v", got, want)
	}
	if log.LastEntry().Data["app"] != appID {
		t.Errorf("the log does not name the application: %v", log.LastEntry().Data)
	}
}

// An executor whose connection has ended takes nothing, though it is not given up yet.
func TestADisconnectedExecutorGetsNoTask(t *testing.T) {
	r := newRig(t, nil)
	e := r.launched("0", 2)
	r.Settle()
	e.crash()
	r.Settle()
	run(r, numbers.With(9))
	b := r.launched("1", 1)
	for i := range 3 {
		if m := b.task(); m.GetAttemptNumber() != 0 {
			t.Errorf("%s was tried before", m.GetName())
		} else if i < 2 {
			b.finish(m)
		}
	}
}

// A peer that is no executor may come and go.
func TestAPeerThatIsNoExecutorMayGo(t *testing.T) {
	r := newRig(t, nil)
	p := r.Probe("P")
	p.Send(r.at(driver.Name), &app.LaunchedExecutor{ExecutorId: "9"})
	p.Send(r.at(driver.Name), &app.StatusUpdate{ExecutorId: "9"})
	p.Send(r.at(driver.Name), &app.RemoveExecutor{ExecutorId: "9"})
	r.tellDecommissioned(9)
	r.Settle()
	p.Crash()
	r.Advance(10 * time.Second)
	if got := r.changes(); len(got) > 0 {
		t.Errorf("heard %+v", got)
	}
}

// What a lost executor ran goes to another at once, as does a failed task that its own executor may not take.
func TestATaskIsTriedElsewhereAtOnce(t *testing.T) {
	r := newRig(t, nil)
	a := r.launched("0", 1)
	r.Settle()
	run(r, words.With([]string{"a"}))
	m := a.task()
	b := r.launched("1", 2)
	r.Settle()
	b.task() // one core is left
	r.tellDecommissioned(0)
	r.Settle()
	a.fail(m, "no luck")
	r.Settle()
	if got := b.Waiting(); len(got) != 1 || got[0].(*app.LaunchTask).GetData().GetIndex() != m.GetIndex() {
		t.Fatalf("executor 1 got %v", got)
	}
	c := r.launched("2", 2)
	r.Settle()
	r.tellExited(1, 1)
	r.Settle()
	if got := c.Waiting(); len(got) != 2 {
		t.Errorf("executor 2 got %d tasks, want the two that executor 1 ran", len(got))
	}
}

// A driver that ends starts nothing, misses no executor, and has no books to look at.
func TestADriverThatEndsStartsNothing(t *testing.T) {
	r := newRig(t, nil)
	run(r, numbers.With(9))
	a, b := r.launched("0", 1), r.launched("1", 1)
	m := a.task()
	b.task()
	if ok, err := rpctest.Ask[*rpc.Bool](r.events, r.at(driver.Name), driver.StopExecutors{}); err != nil || !ok.GetValue() {
		t.Error(ok, err)
	}
	if _, stops := a.Next().(*app.StopExecutor); !stops {
		t.Error("the executor got no StopExecutor")
	}
	a.finish(m)
	a.Quiet(2 * time.Second)
	n := len(r.changes())
	b.crash()
	r.Advance(10 * time.Second)
	if got := r.changes(); len(got) != n || r.driver.Views() != nil {
		t.Errorf("heard %+v, views %v", got[n:], r.driver.Views())
	}
	if ok, err := rpctest.Ask[*rpc.Bool](r.events, r.at(driver.Name), driver.StopDriver{}); err != nil || !ok.GetValue() {
		t.Error(ok, err)
	}
}

// A set that is cancelled is killed on the executors that are left, with the reason.
func TestACancelledTaskIsKilledWithItsReason(t *testing.T) {
	r := newRig(t, nil)
	run(r, numbers.With(9))
	a, b := r.launched("0", 1), r.launched("1", 1)
	first, other := a.task(), b.task()
	a.update(first, app.TaskState_FAILED, nil, &app.TaskFailure{Kind: "LineageDiffers", Message: "how"})
	k, ok := b.Next().(*app.KillTask)
	if !ok || k.GetTaskId() != other.GetTaskId() || k.GetExecutor() != "1" || k.GetReason() != "Stage cancelled: Job aborted due to stage failure: Task 0 in stage 0.0 failed, and each other try would fail alike: how" {
		t.Errorf("%v", k)
	}
}

// An executor says all that it needs; one that is too small for a task is warned of once.
func TestWhatIsSaidOfARegistration(t *testing.T) {
	r := newRig(t, map[string]string{"spark.task.cpus": "2"})
	log := logtest.NewLocal(r.env.Log().Logger)
	p := r.Probe("P")
	ref := &rpc.EndpointRef{Name: "Executor"}
	for _, q := range []*app.RegisterExecutor{
		{Cores: 1, ExecutorRef: ref}, {ExecutorId: "7", ExecutorRef: ref}, {ExecutorId: "7", Cores: -1, ExecutorRef: ref}, {ExecutorId: "7", Cores: 1},
	} {
		if _, err := rpctest.Ask[*rpc.Bool](p, r.at(driver.Name), q); err == nil || !strings.Contains(err.Error(), "RegisterExecutor needs an id, a reference and at least one core") {
			t.Errorf("%v: %v", q, err)
		}
	}
	for id, cores := range []int32{2, 1, 1} {
		q := &app.RegisterExecutor{ExecutorId: fmt.Sprint(id), ExecutorRef: ref, Hostname: "h", Cores: cores}
		if ok, err := rpctest.Ask[*rpc.Bool](p, r.at(driver.Name), q); err != nil || !ok.GetValue() {
			t.Error(ok, err)
		}
	}
	warned := logged(log, "Executor ")
	if len(warned) != 1 || !strings.HasPrefix(warned[0], "warning Executor 1 on h: a task wants 2 cores (spark.task.cpus), the largest executor has 1 and takes none") {
		t.Errorf("log %q", warned)
	}
}

func TestAnExecutorGetsTheSettingsAsTheyWereGiven(t *testing.T) {
	r := newRig(t, map[string]string{"spark.task.cpus": "1"})
	got, err := rpctest.Ask[*app.SparkAppConfig](r.events, r.at(driver.Name), &app.RetrieveSparkAppConfig{})
	if err != nil || len(got.GetSparkProperties()) != 1 || got.GetSparkProperties()[0].GetValue() != "1" {
		t.Error(got, err)
	}
}

// The listener hears why tasks wait, each time-out while some do; without a listener the log has it.
func TestWhatIsToldOfStarvation(t *testing.T) {
	r := newRig(t, map[string]string{"spark.cores.max": "4", "spark.scheduler.minRegisteredResourcesRatio": "1", "spark.scheduler.maxRegisteredResourcesWaitingTime": "100s"})
	log := logtest.NewLocal(r.env.Log().Logger)
	r.launched("0", 1)
	r.Settle()
	j := run(r, numbers.With(3))
	r.Advance(16 * time.Second)
	const why = "the first task starts when 4 of 4 cores can take tasks, or 1m40s after the start of the driver; 1 can: " +
		"lower spark.scheduler.minRegisteredResourcesRatio or spark.scheduler.maxRegisteredResourcesWaitingTime to begin with fewer"
	var heard []event.Starving
	for _, m := range r.events.Waiting() {
		if s, ok := m.(event.Starving); ok {
			heard = append(heard, s)
		}
	}
	if want := []event.Starving{{Executors: 1, Why: why}}; !reflect.DeepEqual(heard, want) {
		t.Errorf("heard %+v, want %+v", heard, want)
	}
	if got := logged(log, "Tasks wait: "); !slices.Equal(got, []string{"info Tasks wait: " + why}) || len(logged(log, why)) > 0 {
		t.Errorf("log %q", got)
	}
	r.tell(&deploy.ApplicationRemoved{Message: "over"})
	_ = j.failure()
	n := r.count("Starving")
	r.Advance(time.Minute)
	if r.count("Starving") != n {
		t.Error("it starves with no job")
	}
	if got := logged(log, "Initial job has not accepted any resources; check your cluster UI to ensure that workers are registered and have sufficient resources"); len(got) != n {
		t.Errorf("%d warnings for %d words", len(got), n)
	}
}
