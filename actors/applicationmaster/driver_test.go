package applicationmaster_test

import (
	"testing"
	"time"

	"github.com/coherer/coherer/actors/applicationmaster"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
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
