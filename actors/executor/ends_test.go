package executor_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus/hooks/test"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// wantRemoved wants that the last thing the driver heard is that the executor goes, and why.
func (r *rig) wantRemoved(why string) {
	r.t.Helper()
	r.Settle()
	if last := r.heard[len(r.heard)-1]; last != `CoarseGrainedScheduler RemoveExecutor{executor_id:"0" reason:"`+why+`"}` {
		r.t.Errorf("the driver heard %s", last)
	}
}

func TestWithoutABlockManagerThereIsNoExecutorAndTheDriverHearsWhy(t *testing.T) {
	r := bootRig(t, nil, func(r *rig, _ *executor.Boot) {
		r.manager.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
			if q, ok := m.(*storage.RegisterBlockManager); ok {
				rpcenv.Fail(c, q, rpcenv.NewRefusal("test.full", "no more block managers"))
			}
			return true
		})
	})
	if code := r.exited(); code != 1 {
		t.Errorf("exit code %d", code)
	}
	const why = "Unable to create executor due to no more block managers"
	r.wantRemoved(why)
	r.wantStates("process Exec0:  > exited 1, " + why)
}

func TestWithoutAHeartbeatReceiverThereIsNoExecutorAndTheDriverHearsWhy(t *testing.T) {
	r := bootRig(t, nil, func(r *rig, _ *executor.Boot) { r.driver.Env.Stop("HeartbeatReceiver") })
	if code := r.exited(); code != 1 {
		t.Errorf("exit code %d", code)
	}
	const why = "Unable to create executor due to could not find the endpoint: Cannot find endpoint: spark://HeartbeatReceiver@10.0.0.1:7077"
	r.wantRemoved(why)
}

func TestADriverWithoutItsEndpointIsNotToldOfTheEnd(t *testing.T) {
	var url string
	r := bootRig(t, nil, func(r *rig, x *executor.Boot) {
		url = rpcenv.Ref{Address: r.driver.Ref.Address, Name: "Nobody"}.String()
		x.Args.DriverURL, x.Settings = url, map[string]string{}
	})
	if code := r.exited(); code != 1 {
		t.Errorf("exit code %d", code)
	}
	r.wantHeard()
	r.wantStates("process Exec0:  > exited 1, Cannot register with driver: " + url + ": could not find the endpoint: Cannot find endpoint: " + url)
}

func TestARefusedRegistrationIsTheEndAndTheDriverKnows(t *testing.T) {
	r := startRig(t, rpcenv.NewRefusal("test.duplicate", "Duplicate executor ID: 0"))
	code := r.exited()
	r.Settle()
	if code != 1 || len(r.heard) != 2 {
		t.Errorf("exit code %d, the driver heard %q", code, r.heard)
	}
	r.wantStates("process Exec0:  > exited 1, Cannot register with driver: " + r.driver.Ref.String() + ": Duplicate executor ID: 0")
}

func TestAStopIsTheReasonWhateverEndsAfterIt(t *testing.T) {
	for name, then := range map[string]func(r *rig){
		"nothing":      func(*rig) {},
		"no work left": func(*rig) {}, // of the decommission that began 950 ms before
		"another stop": func(r *rig) { r.driver.Send(r.ref, &app.StopExecutor{}) },
		"the driver":   func(r *rig) { r.Find("Driver").Kill() },
		"the worker":   func(r *rig) { r.Find("Worker").Kill() },
		"a task":       func(r *rig) { r.driver.Send(r.ref, &app.LaunchTask{Data: task(r.t, squares.With(none{}), 1)}) },
	} {
		t.Run(name, func(t *testing.T) {
			var hook *test.Hook
			r := bootRig(t, nil, func(r *rig, x *executor.Boot) {
				withWorker(r, x)
				hook = logTo(t, x)
			}, &app.Property{Key: "spark.decommission.enabled", Value: "true"})
			r.expect(&app.LaunchedExecutor{})
			var states []string
			if name == "no work left" {
				r.driver.Send(r.ref, &app.DecommissionExecutor{})
				states = append(states, "executor 0: RUNNING > DECOMMISSIONED, 0 tasks run")
			}
			r.Advance(950 * time.Millisecond)
			r.heard = nil
			began := r.Now()
			r.driver.Send(r.ref, &app.StopExecutor{})
			r.Advance(50 * time.Millisecond)
			then(r)
			if code := r.exited(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			if took := r.Now().Sub(began); took < 100*time.Millisecond || took > 110*time.Millisecond {
				t.Errorf("it ended after %s", took)
			}
			r.wantHeard()
			r.wantStates(append(states, "process Exec0:  > exited 0, stopped by the driver")...)
			for _, e := range hook.AllEntries() {
				if strings.HasPrefix(e.Message, "Executor self-exiting") {
					t.Errorf("it said %s", e.Message)
				}
			}
		})
	}
}

// withWorker gives the executor a Worker to watch.
func withWorker(r *rig, x *executor.Boot) {
	x.Args.WorkerURL = r.ProbeIn(r.Env("Worker", nil), "Worker").Ref.String()
}

func TestTheLossOfTheWorkerEndsTheProcess(t *testing.T) {
	r := bootRig(t, nil, withWorker)
	r.expect(&app.LaunchedExecutor{})
	r.Advance(time.Second)
	r.Find("Worker").Kill()
	if code := r.exited(); code != 255 {
		t.Errorf("exit code %d", code)
	}
}

func TestOnlyTheLossOfTheDriverIsAReasonToEnd(t *testing.T) {
	r := newRig(t)
	r.ProbeIn(r.env, "P").Send(r.Probe("Other").Ref, &app.KillTask{TaskId: 1}) // opens a connection
	r.Advance(time.Second)
	r.Find("Other").Kill()
	r.Advance(5 * time.Second)
	r.wantStates()
	began := r.Now()
	driver := r.driver.Ref.Address.String()
	r.Find("Driver").Kill()
	code := r.exited()
	if took := r.Now().Sub(began); code != 1 || took < 100*time.Millisecond || took > 110*time.Millisecond {
		t.Errorf("exit code %d after %s", code, took)
	}
	r.wantStates("process Exec0:  > exited 1, Driver " + driver + " disassociated! Shutting down.")
}

func TestOnlyFailuresInARowEndTheProcess(t *testing.T) {
	var hook *test.Hook
	r := bootRig(t, nil, func(_ *rig, x *executor.Boot) { hook = logTo(t, x) })
	r.expect(&app.LaunchedExecutor{})
	beats := func() int { return len(r.heartbeat.Waiting()) }
	r.heartbeat.Next()
	failed := func(n int) {
		r.silent = true
		for want := beats() + n; beats() < want; {
			r.Advance(time.Second)
		}
		r.Advance(5 * time.Second) // of the 10 that an answer may take
		r.silent = false
	}
	failed(2)
	r.Advance(20 * time.Second)
	failed(2)
	r.Advance(20 * time.Second)
	r.wantStates()
	began := r.Now()
	failed(3)
	if code := r.exited(); code != 56 {
		t.Errorf("exit code %d", code)
	}
	if took := r.Now().Sub(began); took > 40*time.Second {
		t.Errorf("it ended after %s", took)
	}
	const why = "Unable to send heartbeats to driver more than 3 times"
	r.wantStates("process Exec0:  > exited 56, " + why)
	if !logged(hook, "error Executor self-exiting due to : "+why) {
		t.Error("it did not log why")
	}
	if last := r.heard[len(r.heard)-1]; !strings.HasPrefix(last, "HeartbeatReceiver Heartbeat{") {
		t.Errorf("the driver heard %s", last)
	}
}

// A heartbeat that the loss leaves without an answer is no reason of its own, though it is one too many.
func TestTheLossOfTheDriverIsTheReasonWhateverItLeavesUnanswered(t *testing.T) {
	r := startRig(t, nil)
	r.expect(&app.LaunchedExecutor{})
	r.silent = true
	beats := 0
	r.heartbeat.On(func(*rpcenv.Context, rpcenv.Message) bool { beats++; return false })
	r.Until("the third heartbeat", func() bool { return beats == 3 })
	r.Find("Driver").Kill()
	if code := r.exited(); code != 1 {
		t.Errorf("exit code %d", code)
	}
	r.wantStates("process Exec0:  > exited 1, Driver " + r.driver.Ref.Address.String() + " disassociated! Shutting down.")
}
