package applicationmaster_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/applicationmaster"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

func TestTheDriverHearsWhyAnExecutorEnded(t *testing.T) {
	r := client(t, nil)
	r.run(2)
	var got []string
	r.driver.Do(func(c *rpcenv.Context) {
		for _, id := range []string{"1", "9"} {
			rpcenv.Ask(c, r.managers[0], &app.GetExecutorLossReason{ExecutorId: id}, func(why *app.ExecutorExited, err error) {
				got = append(got, fmt.Sprintln(id, why.GetExitCode(), why.GetExitCausedByApp(), err != nil))
			})
		}
	})
	r.Advance(10 * time.Millisecond)
	if s := strings.Join(got, ";"); s != "9 0 false true\n" {
		t.Error(s)
	}
	r.end(1, 137)
	r.end(2, -102)
	r.Until("the answer", func() bool { return len(got) == 2 })
	r.Advance(10 * time.Millisecond)
	if got[1] != "1 137 true false\n" {
		t.Error(got)
	}
	if len(r.removed) != 2 || r.removed[0].GetExited().GetExitCode() != 137 || r.removed[1].GetExited().GetExitCausedByApp() {
		t.Error(r.removed)
	}
	why, err := rpctest.Ask[*app.ExecutorExited](r.driver, r.managers[0], &app.GetExecutorLossReason{ExecutorId: "2"})
	if err != nil || why.GetExitCode() != -102 {
		t.Error("a reason that nobody had asked for is kept:", why, err)
	}
}

// In Spark's log the end of an executor that was killed on request has no line.
func TestAKilledExecutorMakesNoLine(t *testing.T) {
	r := client(t, nil)
	r.run(2)
	if _, err := rpctest.Ask[*rpc.Bool](r.driver, r.managers[0], &app.KillExecutors{ExecutorIds: []string{"1"}}); err != nil {
		t.Fatal(err)
	}
	r.end(1, -100)
	r.end(2, -102)
	r.untilCalls(len(r.calls) + 2)
	got := r.lines("Completed container ")
	if want := "info Completed container container_1767225600000_0001_01_000002 on host: " + r.node.Env.Address().Host + " (exit status: -102)\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTooManyFailedExecutorsEndTheApplication(t *testing.T) {
	r := client(t, map[string]string{"spark.executor.instances": "1"})
	for i := range 3 {
		r.run(1)
		if i < 2 {
			r.endNow(int64(i+1), 1)
		} else {
			r.end(int64(i+1), 1)
		}
	}
	if code := r.untilExit(); code != applicationmaster.ExitMaxExecutorFailures {
		t.Error(code)
	}
}

// With spark.executor.failuresValidityInterval a failure is forgiven after that time.
func TestFailuresThatAreLongAgoEndNoApplication(t *testing.T) {
	for _, name := range []string{"spark.executor.failuresValidityInterval", "spark.yarn.executor.failuresValidityInterval"} {
		r := client(t, map[string]string{"spark.executor.instances": "1", name: "10s"})
		for i := range 6 {
			r.run(1)
			r.endNow(int64(i+1), 1)
			r.Advance(6 * time.Second)
		}
		if r.exit() >= 0 {
			t.Error(name, "it ended with", r.exit())
		}
	}
}

func TestAllNodesExcludedEndTheApplication(t *testing.T) {
	r := client(t, map[string]string{
		"spark.executor.instances": "1", "spark.yarn.executor.launch.excludeOnFailure.enabled": "true",
		"spark.excludeOnFailure.application.maxFailedExecutorsPerNode": "1", "spark.executor.maxNumFailures": "100",
	})
	r.run(1)
	r.endNow(1, 1)
	r.run(1)
	r.end(2, 1)
	r.next.NumClusterNodes = 1
	if code := r.untilExit(); code != applicationmaster.ExitMaxExecutorFailures {
		t.Error(code)
	}
	if r.calls[len(r.calls)-1].GetBlacklistRequest() != nil {
		t.Error("the end comes before the blacklist is sent")
	}
}

// SPARK-20079, SPARK-12864: five executors run, the ApplicationMaster dies, the next one goes on.
func TestASecondAttemptGoesOnBehindTheLastExecutor(t *testing.T) {
	r := client(t, map[string]string{"spark.executor.instances": "2"})
	r.request(5)
	r.run(5)
	r.Find(r.env.Name()).Kill()
	r.lastID = 5
	second := attempt
	second.Attempt = 2
	r.restart(second)
	r.request(5) // the driver sends the new one its target
	r.untilCalls(len(r.calls) + 1)
	if b := r.am.Balances()[0]; b.Target != 5 || b.Pending != 5 {
		t.Error(b)
	}
	r.sequence = 0
	r.run(1)
	command := strings.Join(r.starts[5].GetStartContainerRequest()[0].GetContainerLaunchContext().GetCommand(), " ")
	if !strings.Contains(command, "--executor-id 6 ") {
		t.Error(command)
	}
}

func TestADriverThatCannotBeReachedEndsTheAttempt(t *testing.T) {
	r := newRig(t, nil)
	cfg := r.config()
	cfg.Driver = rpcenv.Address{Host: "10.0.0.99", Port: 7077}
	r.begin(r.ClientEnv("AM1", r.conf), cfg)
	if code := r.untilExit(); code != applicationmaster.ExitUncaughtException || len(r.registrations) != 1 {
		t.Error(code, r.registrations)
	}
}

func TestBeforeTheAllocatorIsThereNothingIsTaken(t *testing.T) {
	r := cluster(t, nil)
	ok, err := rpctest.Ask[*rpc.Bool](r.driver, r.ref, &app.RequestExecutors{})
	if err != nil || ok.GetValue() {
		t.Error(ok, err)
	}
	ok, err = rpctest.Ask[*rpc.Bool](r.driver, r.ref, &app.KillExecutors{ExecutorIds: []string{"1"}})
	if err != nil || ok.GetValue() {
		t.Error(ok, err)
	}
	if _, err := rpctest.Ask[*app.ExecutorExited](r.driver, r.ref, &app.GetExecutorLossReason{ExecutorId: "1"}); err == nil {
		t.Error("a reason of nothing")
	}
}

// The program's thread waits until the allocator is ready.
func TestTheHandShakeOfClusterMode(t *testing.T) {
	r := cluster(t, nil)
	r.Advance(10 * time.Second)
	if len(r.registrations) != 0 {
		t.Fatal("it registered without a driver")
	}
	ok, err := rpctest.Ask[*rpc.Bool](r.driver, r.ref, applicationmaster.ContextReady{TrackingURL: "http://a:4040"})
	if err != nil || !ok.GetValue() || len(r.registrations) != 1 || len(r.managers) != 1 {
		t.Fatal(ok, err, len(r.registrations), len(r.managers))
	}
	q, at := r.registrations[0], r.env.Address()
	if q.GetHost() != at.Host || q.GetRpcPort() != int32(at.Port) || q.GetTrackingUrl() != "http://a:4040" {
		t.Error(q)
	}
	r.untilCalls(1)
	r.driver.Send(r.ref, applicationmaster.UserEnded{})
	if code := r.untilExit(); code != 0 || len(r.finished) != 1 {
		t.Error(code, r.finished)
	}
	if len(r.others) > 0 {
		t.Error("the driver got what is of client mode:", r.others)
	}
}

// A program whose ApplicationMaster cannot register does not wait for ever: its process ends.
func TestADriverWhoseApplicationMasterFailsIsTold(t *testing.T) {
	r := cluster(t, nil)
	r.rm.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		q, ok := m.(*yarn.RegisterApplicationMasterRequest)
		if ok {
			rpcenv.Fail(c, q, fmt.Errorf("%w: no", rpcenv.ErrRefused))
		}
		return ok
	})
	r.driver.Do(func(c *rpcenv.Context) {
		rpcenv.Ask(c, r.ref, applicationmaster.ContextReady{}, func(_ *rpc.Bool, err error) {
			if err == nil {
				t.Error("its driver goes on")
			}
		})
	})
	if code := r.untilExit(); code != applicationmaster.ExitSCNotInited {
		t.Error(code)
	}
}

func TestAProgramWithoutDriverFailsAfterTheWaitTime(t *testing.T) {
	r := cluster(t, map[string]string{"spark.yarn.am.waitTime": "30s"})
	at := r.Now()
	if code, took := r.untilExit(), r.Now().Sub(at).Truncate(10*time.Millisecond); code != applicationmaster.ExitSCNotInited || took != 30*time.Second {
		t.Error(code, took)
	}
	if len(r.registrations) != 0 {
		t.Error("it registered")
	}
}

func TestAConfigThatLacksSomethingSaysAllOfIt(t *testing.T) {
	_, err := applicationmaster.New(applicationmaster.Config{})
	for _, part := range []string{"CONTAINER_ID", "yarn.resourcemanager.address", "--arg HOST:PORT"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not say %s", err, part)
		}
	}
}
