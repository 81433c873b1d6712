package applicationmaster_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/applicationmaster"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// A request that names a profile which cannot be changes nothing, and is answered false.
func TestAProfileThatCannotBeIsRefused(t *testing.T) {
	r := client(t, map[string]string{"spark.executor.instances": "1"})
	ok, err := rpctest.Ask[*rpc.Bool](r.driver, r.managers[0], &app.RequestExecutors{ResourceProfileToTotalExecs: []*deploy.ProfileTarget{
		{Profile: &deploy.ResourceProfile{}, Total: 7}, {Profile: &deploy.ResourceProfile{Id: -1}, Total: 1},
	}})
	if err != nil || ok.GetValue() {
		t.Error(ok, err)
	}
	if b := r.am.Balances(); len(b) != 1 || b[0].Target != 1 {
		t.Errorf("%+v", b)
	}
}

// After the driver's Shutdown no end of an executor is a failure, also when it came before there were any.
func TestAfterTheShutdownNothingFails(t *testing.T) {
	r := client(t, map[string]string{"spark.executor.instances": "1"})
	r.run(1)
	r.drive(t, &app.Shutdown{})
	r.end(1, 1)
	r.Until("the end of the executor", func() bool { return len(r.removed) == 1 })
	want := "Executor for container " + ids.Container{Attempt: attempt, Seq: 1}.String() + " exited after Application shutdown."
	if x := r.removed[0]; x.GetReason() != want || x.GetExited().GetExitCausedByApp() {
		t.Error(x)
	}

	r = cluster(t, nil)
	r.driver.Send(r.ref, &app.Shutdown{})
	r.Settle()
	if r.exit() >= 0 || r.am.Balances() != nil {
		t.Error(r.exit(), r.am.Balances())
	}
}

// Behind Spark's lock the question for a reason waits as other questions do.
func TestALossReasonWaitsForTheLockOfSpark(t *testing.T) {
	r := client(t, map[string]string{"coherer.compat": "upstream"})
	r.hold = true
	r.untilCalls(2)
	var answered time.Time
	r.driver.Do(func(c *rpcenv.Context) {
		rpcenv.Ask(c, r.managers[0], &app.GetExecutorLossReason{ExecutorId: "9"}, func(_ *app.ExecutorExited, err error) {
			answered = c.Now()
			if err == nil {
				t.Error("there is no such executor")
			}
		})
	})
	r.Advance(5 * time.Second)
	if !answered.IsZero() {
		t.Error("it was answered while the call was out")
	}
	r.hold = false
	r.rm.Do(func(*rpcenv.Context) { r.slow[0].Reply(r.answer()) })
	r.Until("the answer", func() bool { return !answered.IsZero() })
}

// An attempt needs both its ids.
func TestAnAttemptHasTwoIDs(t *testing.T) {
	r := newRig(t, nil)
	for _, a := range []ids.Attempt{{App: attempt.App}, {App: ids.Application{Timestamp: 1}, Attempt: 1}} {
		cfg := r.config()
		cfg.ClusterMode, cfg.Attempt = true, a
		const want = "applicationmaster: it needs the id of its attempt, which is in CONTAINER_ID"
		if _, err := applicationmaster.New(cfg); err == nil || err.Error() != want {
			t.Errorf("%v: %v", a, err)
		}
	}
}

// One program waits for an allocator, in cluster mode, until the end. Another ask after that is answered at once.
func TestWhoMayWaitForTheAllocator(t *testing.T) {
	ready := func(r *rig) (out *string) {
		out = new(string)
		r.driver.Do(func(c *rpcenv.Context) {
			rpcenv.Ask(c, r.ref, applicationmaster.ContextReady{}, func(ok *rpc.Bool, err error) { *out = fmt.Sprint(ok.GetValue(), " ", err) })
		})
		r.Settle()
		return out
	}
	r := cluster(t, map[string]string{"spark.yarn.am.waitTime": "30s"})
	var held rpcenv.Call[*yarn.RegisterApplicationMasterResponse]
	r.rm.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		q, ok := m.(*yarn.RegisterApplicationMasterRequest)
		if ok {
			held = rpcenv.Defer(c, q)
		}
		return ok
	})
	first, second := ready(r), ready(r)
	if *first != "" || *second != "false refused: another driver waits already" {
		t.Errorf("%q, %q", *first, *second)
	}
	r.Advance(time.Minute) // the time of waiting is that until there is a driver
	if r.exit() >= 0 || *first != "" {
		t.Error("it ended with", r.exit(), *first)
	}
	r.rm.Do(func(*rpcenv.Context) { held.Reply(&yarn.RegisterApplicationMasterResponse{}) })
	r.untilCalls(1)
	if third := ready(r); *first != "true <nil>" || *third != "true <nil>" {
		t.Errorf("%q, %q", *first, *third)
	}
	r.stored = 1000
	r.driver.Send(r.ref, applicationmaster.UserEnded{})
	r.Settle()
	if late := ready(r); *late != "false refused: this ApplicationMaster waits for no driver" {
		t.Errorf("%q", *late)
	}

	r = client(t, nil)
	r.driver = r.ProbeIn(r.env, "Program")
	if got := ready(r); *got != "false refused: this ApplicationMaster waits for no driver" {
		t.Errorf("%q", *got)
	}
}

// A page that the program does not name is where the process said that it would be.
func TestAProgramWithoutAPage(t *testing.T) {
	for said, want := range map[string]string{"": "http://own", "http://a:4040": "http://a:4040"} {
		r := newRig(t, nil)
		env := r.Env("A", r.conf)
		r.driver = r.ProbeIn(env, applicationmaster.SchedulerName)
		r.driver.On(r.playDriver)
		cfg := r.config()
		cfg.ClusterMode, cfg.TrackingURL = true, "http://own"
		r.begin(env, cfg)
		if _, err := rpctest.Ask[*rpc.Bool](r.driver, r.ref, applicationmaster.ContextReady{TrackingURL: said}); err != nil {
			t.Fatal(err)
		}
		if got := r.registrations[0].GetTrackingUrl(); got != want {
			t.Errorf("%q: %s", said, got)
		}
	}
}

// Before there are executors the question for one is refused with that reason; what is no message of its is not understood.
func TestWhatADriverCannotAsk(t *testing.T) {
	r := cluster(t, nil)
	_, err := rpctest.Ask[*app.ExecutorExited](r.driver, r.ref, &app.GetExecutorLossReason{ExecutorId: "1"})
	if err == nil || err.Error() != "refused: the ApplicationMaster has no executors yet" {
		t.Error(err)
	}
	if _, err := rpctest.Ask[*app.LastAllocatedExecutorId](r.driver, r.ref, &app.RetrieveLastAllocatedExecutorId{}); !errors.Is(err, rpcenv.ErrRefusedUnsupported) {
		t.Error(err)
	}
}

// In client mode the end of another connection is nothing: the ResourceManager is looked for again.
func TestOnlyTheDriversEndEndsTheApplication(t *testing.T) {
	r := client(t, nil)
	r.rm.Crash()
	r.node.Crash()
	r.Advance(10 * time.Second)
	if r.exit() >= 0 {
		t.Error("it ended with", r.exit())
	}
}

// The lock of Spark is held by a call that is out, not between calls.
func TestBetweenCallsTheLockOfSparkIsFree(t *testing.T) {
	r := client(t, map[string]string{"coherer.compat": "SPARK-17667"})
	r.Advance(50 * time.Millisecond)
	at, n := r.Now(), len(r.calls)
	r.request(5)
	if took := r.Now().Sub(at); took > 10*time.Millisecond || len(r.calls) != n {
		t.Error("it was answered after", took, len(r.calls)-n, "calls")
	}
}
