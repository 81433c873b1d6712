package executor_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/sirupsen/logrus/hooks/test"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/trace"
)

// logTo gives a process a log, and keeps what it says.
func logTo(t *testing.T, x *executor.Boot) *test.Hook {
	log := logrus.New()
	log.SetOutput(t.Output())
	x.Log = logrus.NewEntry(log)
	return test.NewLocal(log)
}

// logged reports whether executor 0 logged a line, at its level.
func logged(hook *test.Hook, line string) bool {
	return slices.ContainsFunc(hook.AllEntries(), func(e *logrus.Entry) bool {
		return e.Level.String()+" "+e.Message == line && e.Data["executor"] == "0"
	})
}

// asks are what an executor's process and its fetcher asked the driver's process, in order.
func (r *rig) asks() (out []string) {
	r.Settle()
	for _, e := range r.Trace().Entries {
		if e.K == trace.KindMsg && e.Form == trace.FormAsk && !strings.HasPrefix(e.From, "Driver") {
			out = append(out, e.From+" "+e.Type+" "+e.Body)
		}
	}
	return out
}

func TestAProcessThatHasItsSettingsAsksForNone(t *testing.T) {
	r := bootRig(t, nil, func(_ *rig, x *executor.Boot) {
		x.Settings = map[string]string{"spark.executor.heartbeatInterval": "3s"}
	})
	r.expect(&app.LaunchedExecutor{})
	if !strings.HasPrefix(r.heard[0], "CoarseGrainedScheduler RegisterExecutor{") {
		t.Errorf("the driver heard %q", r.heard)
	}
	if got := executor.ExecutorHeartbeatInterval.Get(r.env.Conf()); got != 3*time.Second {
		t.Errorf("the setting is %s", got)
	}
}

func TestTheSettingsAreAskedForInAnEnvOfTheirOwn(t *testing.T) {
	var hook *test.Hook
	r := bootRig(t, nil, func(r *rig, x *executor.Boot) {
		hook = logTo(t, x)
		made := x.Made
		x.Made = func(env *rpcenv.Env) error {
			if env.Name() != "Exec0" {
				t.Errorf("the Env is %s", env.Name())
			}
			return made(env)
		}
	}, &app.Property{Key: "spark.executor.heartbeatInterval", Value: "3s"}, &app.Property{Key: "spark.decommission.enabled", Value: "true"})
	r.expect(&app.LaunchedExecutor{})
	if got := executor.ExecutorHeartbeatInterval.Get(r.env.Conf()); got != 3*time.Second {
		t.Errorf("the setting is %s", got)
	}
	want := []string{
		`Fetcher0/driverPropsFetcher CheckExistence {"name":"CoarseGrainedScheduler"}`,
		`Fetcher0/driverPropsFetcher RetrieveSparkAppConfig {}`,
		`Exec0/sparkExecutor CheckExistence {"name":"MapOutputTracker"}`,
		`Exec0/sparkExecutor CheckExistence {"name":"BlockManagerMaster"}`,
		`Exec0/sparkExecutor CheckExistence {"name":"BlockManagerMasterHeartbeat"}`,
		`Exec0/sparkExecutor CheckExistence {"name":"OutputCommitCoordinator"}`,
		`Exec0/Executor CheckExistence {"name":"CoarseGrainedScheduler"}`,
		`Exec0/Executor RegisterExecutor {"executorId":"0","executorRef":{"name":"Executor"},"hostname":"10.0.0.2","cores":2}`,
		`Exec0/Executor RegisterBlockManager {"blockManagerId":{"executorId":"0","host":"10.0.0.2","port":1},"maxOnHeapMemSize":455501414,"isReRegister":false,"storageEndpoint":{"name":"Executor"}}`,
		`Exec0/Executor CheckExistence {"name":"HeartbeatReceiver"}`,
	}
	if got := r.asks(); !slices.Equal(got, want) {
		t.Errorf("the process asked\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	r.launch(task(t, squares.With(none{}), 1))
	r.end()
	r.driver.Send(r.ref, &app.DecommissionExecutor{})
	r.exited()
	for _, line := range []string{"info Running task", "info Finished task. 5 records", "info Executor self-exiting due to : Finished decommissioning"} {
		if !logged(hook, line) {
			t.Errorf("it did not log %s", line)
		}
	}
}

func TestTheDriverIsLookedUpThreeTimes(t *testing.T) {
	r := bootRig(t, nil, func(r *rig, x *executor.Boot) {
		x.Args.DriverURL = rpcenv.Ref{Address: r.driver.Ref.Address, Name: "Nobody"}.String()
	})
	if code := r.exited(); code != 61 {
		t.Errorf("exit code %d", code)
	}
	const ask = `Fetcher0/driverPropsFetcher CheckExistence {"name":"Nobody"}`
	if got := r.asks(); !slices.Equal(got, []string{ask, ask, ask}) {
		t.Errorf("the process asked %q", got)
	}
}

const wrongSetting = `the driver's settings: spark.executor.heartbeatInterval = "soon": not a whole number with a unit: ` +
	"want a time, a whole number with us, ms, s, m, h or d (without: ms), of at least 1ms, for example 10s"

func TestWhatGoesWrongAtTheStartEndsTheProcessWithTheReason(t *testing.T) {
	taken := func(name string) func(*rig, *executor.Boot) {
		return func(r *rig, x *executor.Boot) {
			x.Made = func(env *rpcenv.Env) error {
				_, err := env.Register(name, &rpctest.Probe{})
				return err
			}
		}
	}
	for _, c := range []struct {
		name   string
		change func(*rig, *executor.Boot)
		code   int
		says   string
	}{
		{
			"the settings are refused",
			func(r *rig, _ *executor.Boot) {
				r.driver.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
					if q, ok := m.(*app.RetrieveSparkAppConfig); ok {
						rpcenv.Fail(c, q, rpcenv.NewRefusal("test.no", "no such profile"))
					}
					return true
				})
			},
			1, "ask the driver at 10.0.0.1:7077 for its settings: no such profile",
		},
		{
			"the settings are wrong",
			func(r *rig, _ *executor.Boot) {
				r.settings = []*app.Property{{Key: "spark.executor.heartbeatInterval", Value: "soon"}}
			},
			1, wrongSetting,
		},
		{
			"nobody wants the Env", func(_ *rig, x *executor.Boot) {
				x.Made = func(*rpcenv.Env) error { return errors.New("no port for pages") }
			}, 1, "no port for pages",
		},
		{
			"an endpoint is missing", func(r *rig, _ *executor.Boot) { r.driver.Env.Stop("OutputCommitCoordinator") },
			1, "could not find the endpoint: Cannot find endpoint: spark://OutputCommitCoordinator@10.0.0.1:7077",
		},
		{
			"the driver's URL is none", func(_ *rig, x *executor.Boot) { x.Settings, x.Args.DriverURL = map[string]string{}, "driver" },
			1, "rpcenv: invalid URL: Invalid Spark URL: driver: want spark://NAME@HOST:PORT",
		},
		{
			"the Worker's URL is none", func(_ *rig, x *executor.Boot) { x.Args.WorkerURL = "worker" },
			1, "watch the worker: rpcenv: invalid URL: Invalid Spark URL: worker: want spark://NAME@HOST:PORT",
		},
		{
			"the watcher's name is taken",
			func(r *rig, x *executor.Boot) {
				withWorker(r, x)
				taken("WorkerWatcher")(r, x)
			},
			1, "rpcenv: name taken: There is already an RpcEndpoint called WorkerWatcher",
		},
		{"the executor's name is taken", taken("Executor"), 1, "rpcenv: name taken: There is already an RpcEndpoint called Executor"},
		{
			"the driver is nowhere", func(_ *rig, x *executor.Boot) { x.Args.DriverURL = "spark://D@10.0.0.99:1" }, 61,
			"cannot reach the driver at spark://D@10.0.0.99:1: look up spark://D@10.0.0.99:1: no connection: 10.0.0.99:1: " +
				"dial 10.0.0.99:1: connection refused: is it still there, and is spark.driver.host an address that Workers reach?",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var hook *test.Hook
			r := bootRig(t, nil, func(r *rig, x *executor.Boot) {
				hook = logTo(t, x)
				c.change(r, x)
			})
			if code := r.exited(); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			last := hook.LastEntry()
			if last == nil || last.Message != "executor 0: "+c.says {
				t.Errorf("it said %v, want %s", last, c.says)
			}
		})
	}
}

func TestSettingsThatAreWrongAreTheStartersError(t *testing.T) {
	w := rpctest.New(t, 1)
	err := executor.Boot{Settings: map[string]string{"spark.executor.heartbeatInterval": "soon"}}.Run(w.Host("Exec0", "10.0.0.2"))
	if err == nil || err.Error() != wrongSetting {
		t.Errorf("got %v", err)
	}
}

// What was begun with the Env that nobody wants ends.
func TestAnEnvThatIsNotWantedIsShutDown(t *testing.T) {
	w := rpctest.New(t, 1)
	no := errors.New("no port for pages")
	var env *rpcenv.Env
	err := executor.Boot{Settings: map[string]string{}, Made: func(e *rpcenv.Env) error { env = e; return no }}.Run(w.Host("Exec0", "10.0.0.2"))
	if !errors.Is(err, no) {
		t.Errorf("got %v", err)
	}
	w.Settle()
	select {
	case <-env.Done():
	default:
		t.Error("it goes on")
	}
}

func TestNobodyNeedsToKnowTheEnv(t *testing.T) {
	r := bootRig(t, nil, func(_ *rig, x *executor.Boot) { x.Made = nil })
	r.expect(&app.LaunchedExecutor{})
}

func TestASignalBeforeTheDriverIsKnownIsRefused(t *testing.T) {
	w := rpctest.New(t, 1)
	driver := w.Probe("Driver")
	w.Find("Driver").Pause()
	env := w.Env("Exec0", nil)
	hook := test.NewLocal(env.Log().Logger)
	ref := w.Register(env, executor.Name, executor.New(executor.Config{Args: executor.Args{DriverURL: driver.Ref.String(), ExecutorID: "0"}}))
	answer, err := rpctest.Ask[*rpc.Bool](w.ProbeIn(env, "Signals"), ref, executor.ExecutorDecommissionSigReceived{})
	if err != nil || answer.GetValue() {
		t.Errorf("answered %v, %v", answer, err)
	}
	if !logged(hook, "error Unable to decommission the executor: the driver is not known yet") {
		t.Error("it did not log why")
	}
}

func TestASignalOfWhichTheDriverCannotBeToldIsRefused(t *testing.T) {
	r := decommissioningRig(t)
	hook := test.NewLocal(r.env.Log().Logger)
	r.driver.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		if q, ok := m.(*app.ExecutorDecommissioning); ok {
			rpcenv.Fail(c, q, rpcenv.NewRefusal("test.no", "not now"))
			return true
		}
		return false
	})
	signals := r.ProbeIn(r.env, "Signals")
	answer, err := rpctest.Ask[*rpc.Bool](signals, r.env.Ref(r.env.Address(), executor.Name), executor.ExecutorDecommissionSigReceived{})
	if err != nil || answer.GetValue() {
		t.Errorf("answered %v, %v", answer, err)
	}
	r.driver.Quiet(5 * time.Second)
	r.wantStates()
	if !logged(hook, "error Unable to report the decommission to the driver; the executor goes on") {
		t.Error("it did not log why")
	}
}

func TestADecommissionIsOneChangeOfState(t *testing.T) {
	r := decommissioningRig(t)
	r.launch(task(t, sleeps.With(none{}), 1))
	for range 2 {
		r.driver.Send(r.ref, &app.DecommissionExecutor{})
		r.Advance(time.Second)
	}
	r.wantStates("executor 0: RUNNING > DECOMMISSIONED, 1 tasks run")
	// None begins once the executor stops.
	r = decommissioningRig(t)
	r.driver.Send(r.ref, &app.StopExecutor{})
	r.driver.Send(r.ref, &app.DecommissionExecutor{})
	r.exited()
	r.wantStates("process Exec0:  > exited 0, stopped by the driver")
}
