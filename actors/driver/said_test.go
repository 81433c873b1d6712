package driver_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	logtest "github.com/sirupsen/logrus/hooks/test"

	"github.com/coherer/coherer/actors/appclient"
	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/trace"
)

// A driver without a listener sends to none; the log has what the listener would hear.
func TestADriverWithoutAListener(t *testing.T) {
	for cores, want := range map[string]int{"2": 1, "0": 0} {
		values := map[string]string{"spark.scheduler.minRegisteredResourcesRatio": "1", "spark.scheduler.maxRegisteredResourcesWaitingTime": "20s"}
		if cores != "0" {
			values["spark.cores.max"] = cores
		}
		c, err := conf.New(values)
		if err != nil {
			t.Fatal(err)
		}
		w := rpctest.New(t, 1)
		w.NoPanic()
		r := &rig{World: w, t: t, env: w.Env("Driver", c), master: w.Probe("Master")}
		log := logtest.NewLocal(r.env.Log().Logger)
		if r.driver, err = driver.Start(r.env, driver.Config{AppName: "test", Masters: []rpcenv.Address{r.master.Ref.Address}}); err != nil {
			t.Fatal(err)
		}
		r.master.Next()
		r.tell(&deploy.RegisteredApplication{AppId: appID, Master: r.master.Ref.Proto()})
		j := run(r, numbers.With(3))
		var e *executor
		if want > 0 { // half of what the first task waits for
			e = r.launched("0", 1)
		}
		r.Advance(16 * time.Second)
		if got := logged(log, "the first task starts when 2 of 2 cores"); len(got) != want {
			t.Errorf("%s cores: log %q", cores, logged(log, ""))
		}
		if want == 0 && (len(logged(log, "Tasks wait")) > 0 || slices.Contains(logged(log, ""), "warning ")) {
			t.Errorf("log %q of an application that waits for nothing", logged(log, ""))
		}
		if e == nil {
			e = r.launched("0", 2)
		}
		e.work()
		j.counts()
		for _, m := range r.Trace().Entries {
			if m.K == trace.KindDrop {
				t.Errorf("sent to nobody: %+v", m)
			}
		}
	}
}

// Without an executor no line says that it is too small, nor that the application waits when it does not.
func TestWhyTasksStarveIsNotGuessed(t *testing.T) {
	r := newRig(t, map[string]string{"spark.task.cpus": "2"})
	run(r, numbers.With(3))
	r.Advance(16 * time.Second)
	for _, m := range r.events.Waiting() {
		if s, ok := m.(event.Starving); ok && s.Why != "" {
			t.Errorf("heard %q", s.Why)
		}
	}
}

// The driver says that a Master forgot the application while that is so, and not after.
func TestAForgottenApplicationIsSaidOnce(t *testing.T) {
	r := newRig(t, nil)
	log := logtest.NewLocal(r.env.Log().Logger)
	r.events.Send(r.at(driver.Name), appclient.Forgotten{Reason: "forgotten"})
	r.events.Send(r.at(driver.Name), appclient.Forgotten{})
	r.Settle()
	if got := logged(log, ""); !slices.Equal(got, []string{"warning forgotten"}) {
		t.Errorf("log %q", got)
	}
}

// The end of an executor is part of the reason where the Master says only that it failed.
func TestWhichReasonsOfTheMasterNameAnExecutor(t *testing.T) {
	for _, k := range []struct {
		message string
		ended   bool
		want    string
	}{
		{"FAILED", true, "Master removed our application: FAILED: the last executor to end was 0: Command exited with code"},
		{"FAILED", false, "Master removed our application: FAILED"},
		{"killed by the user", true, "Master removed our application: killed by the user"},
	} {
		r := newRig(t, nil)
		j := run(r, numbers.With(3))
		if k.ended {
			r.tellExited(0, 1)
		}
		r.tell(&deploy.ApplicationRemoved{Message: k.message})
		if err := j.failure(); !strings.HasSuffix(err.Error(), k.want) {
			t.Errorf("%+v: %v", k, err)
		}
	}
	r := newRig(t, nil)
	j := run(r, numbers.With(3))
	if _, err := rpctest.Ask[*rpc.Bool](r.events, r.at(driver.Name), driver.StopExecutors{}); err != nil {
		t.Fatal(err)
	}
	r.tell(&deploy.ApplicationRemoved{Message: "FAILED"})
	r.Advance(time.Second)
	if j.done {
		t.Errorf("a driver that ends takes the end for a failure: %v", j.err)
	}
}

// A loss with its whole Worker is not the application's fault; without an exit code any other is.
func TestTheMasterSaysWhoseFaultALossIs(t *testing.T) {
	for _, k := range []struct {
		host *string
		want bool
	}{{new("host"), false}, {nil, true}} {
		r := newRig(t, nil)
		r.launched("0", 1)
		r.Settle()
		r.tell(&deploy.ExecutorUpdated{Id: new(int32), State: deploy.ExecutorState_LOST, WorkerHost: k.host})
		r.Settle()
		if all := r.changes(); all[len(all)-1].CausedByApp != k.want {
			t.Errorf("%+v", all)
		}
	}
}

// That the Master did not kill an executor that is silent is a warning; it is given up all the same.
func TestASilentExecutorIsGivenUpThoughItIsNotKilled(t *testing.T) {
	r := newRig(t, map[string]string{"spark.network.timeout": "20s", "spark.network.timeoutInterval": "10s"})
	log := logtest.NewLocal(r.env.Log().Logger)
	r.answerKills(func(c *rpcenv.Context, q *deploy.KillExecutors) {
		rpcenv.Fail(c, q, fmt.Errorf("%w: no way", rpcenv.ErrRefused))
	})
	r.launched("0", 1)
	r.Advance(40 * time.Second)
	if got := logged(log, "The cluster did not kill"); !slices.Equal(got, []string{"warning The cluster did not kill executors [0]"}) || len(r.driver.Views()[driver.Name]) > 0 {
		t.Errorf("log %q, executors %v", got, r.driver.Views())
	}
}
