package driver_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/driver/heartbeat"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

func TestAnExecutorGetsTheSettings(t *testing.T) {
	r := newRig(t, map[string]string{"spark.task.cpus": "1", "coherer.trace.enabled": "true"})
	e := r.newExecutor("0")
	got, err := rpctest.Ask[*app.SparkAppConfig](e.Probe, r.at(driver.Name), &app.RetrieveSparkAppConfig{})
	if err != nil || len(got.GetSparkProperties()) != 2 || got.GetSparkProperties()[1].GetKey() != "spark.task.cpus" {
		t.Error(got, err)
	}
}

func TestASecondExecutorOfAnIDIsRefused(t *testing.T) {
	r := newRig(t, nil)
	r.launched("0", 1)
	second := r.newExecutor("1")
	second.id = "0"
	err := second.register(1)
	if !errors.Is(err, driver.ErrDuplicateExecutor) || err.Error() != "Duplicate executor ID: 0" {
		t.Error(err)
	}
}

// A program whose executors could never take a task does not begin.
func TestADriverWhoseExecutorsTakeNoTaskIsRefused(t *testing.T) {
	for want, settings := range map[string]map[string]string{
		"cores per executor (=2)": {"spark.task.cpus": "4", "spark.executor.cores": "2"},
		"may have 3 in all":       {"spark.task.cpus": "4", "spark.cores.max": "3"},
	} {
		for _, dynamic := range []string{"false", "true"} {
			settings["spark.dynamicAllocation.enabled"] = dynamic
			c, err := conf.New(settings)
			if err != nil {
				t.Fatal(err)
			}
			w := rpctest.New(t, 1)
			master := w.Probe("Master")
			_, err = driver.Start(w.Env("Driver", c), driver.Config{AppName: "test", Masters: []rpcenv.Address{master.Ref.Address}})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v: %v, want %q", settings, err, want)
			}
			master.Quiet(time.Minute)
		}
	}
}

// How large executors are may only be known when one registers.
func TestAnExecutorThatTakesNoTaskIsTold(t *testing.T) {
	r := newRig(t, map[string]string{"spark.task.cpus": "4"})
	if r.description.GetCpusPerTask() != 4 {
		t.Errorf("the Master does not know what a task takes: %v", r.description)
	}
	run(r, numbers.With(3))
	r.launched("0", 3)
	r.Advance(16 * time.Second)
	const want = "a task wants 4 cores (spark.task.cpus), the largest executor has 3"
	if !r.heardPart(want) {
		t.Errorf("the listener did not hear %q", want)
	}
	r.launched("1", 4).task()
}

func TestAnExecutorGetsNoTaskBeforeItLaunched(t *testing.T) {
	r := newRig(t, nil)
	run(r, numbers.With(9))
	e := r.newExecutor("0")
	if err := e.register(2); err != nil {
		t.Fatal(err)
	}
	e.Quiet(5 * time.Second)
	e.Send(r.at(driver.Name), &app.LaunchedExecutor{ExecutorId: "0"})
	e.task()
	e.task()
	e.Send(r.at(driver.Name), &app.LaunchedExecutor{ExecutorId: "0"})
	e.Quiet(5 * time.Second) // the second LaunchedExecutor freed nothing
}

func TestADisconnectedExecutorIsRemovedAfterFiveSeconds(t *testing.T) {
	r := newRig(t, nil)
	j := run(r, numbers.With(9))
	a := r.launched("0", 2)
	a.task()
	a.task()
	a.crash()
	b := r.launched("1", 1)
	b.finish(b.task()) // the third task
	b.Quiet(4 * time.Second)
	first := b.task()
	if first.GetAttemptNumber() != 1 {
		t.Errorf("%s, want a second attempt", first.GetName())
	}
	b.finish(first)
	b.finish(b.task())
	j.counts()
	if !r.heard("TaskEnd") || !r.heardPart("ExecutorLostFailure (executor 0 exited caused by one of the running tasks) Reason: Remote RPC client disassociated.") {
		t.Error("the loss is not reported as Spark does")
	}
}

func TestMapOutputsOfALostExecutorAreComputedAgain(t *testing.T) {
	r := newRig(t, nil)
	j := run(r, words.With([]string{"a b", "c"}))
	a := r.launched("0", 1)
	a.finish(a.task())
	a.task()
	a.crash()
	r.Advance(6 * time.Second)
	b := r.launched("1", 1)
	b.work()
	j.counts()
	if !r.heardPart("Resubmitted (resubmitted due to lost executor)") {
		t.Error("the finished map task was not submitted again")
	}
}

func TestASilentExecutorIsExpired(t *testing.T) {
	r := newRig(t, map[string]string{"spark.network.timeout": "20s", "spark.network.timeoutInterval": "10s"})
	a := r.launched("0", 1)
	b := r.launched("1", 1)
	for range 6 {
		answer, err := rpctest.Ask[*app.HeartbeatResponse](b.Probe, r.at(heartbeat.Name), &app.Heartbeat{ExecutorId: "1"})
		if err != nil || answer.GetReregisterBlockManager() {
			t.Fatal(answer, err)
		}
		r.Advance(5 * time.Second)
	}
	if m, ok := a.Next().(*app.StopExecutor); !ok {
		t.Errorf("the silent executor got %T", m)
	}
	if !r.heardPart("Executor heartbeat timed out after 2") || len(b.Waiting()) > 0 {
		t.Error("the wrong one was expired")
	}
	answer, err := rpctest.Ask[*app.HeartbeatResponse](a.Probe, r.at(heartbeat.Name), &app.Heartbeat{ExecutorId: "0"})
	if err != nil || !answer.GetReregisterBlockManager() {
		t.Error("an unknown executor is to register its block manager again:", answer, err)
	}
}

func TestAnExecutorThatEndsItselfIsToldToStop(t *testing.T) {
	r := newRig(t, nil)
	a := r.launched("0", 1)
	a.Send(r.at(driver.Name), &app.RemoveExecutor{ExecutorId: "0", Reason: "Finished decommissioning"})
	a.Send(r.at(driver.Name), &app.RemoveExecutor{ExecutorId: "7", Reason: "nobody"})
	if m, ok := a.Next().(*app.StopExecutor); !ok {
		t.Errorf("got %T", m)
	}
	if !r.heardPart("Finished decommissioning") {
		t.Error("its loss was not reported")
	}
}

func TestWhatANewExecutorLacksIsRefused(t *testing.T) {
	r := newRig(t, nil)
	p := r.Probe("P")
	for _, q := range []*app.RegisterExecutor{{}, {ExecutorId: "1"}, {ExecutorId: "1", Cores: 1}} {
		if _, err := rpctest.Ask[*app.SparkAppConfig](p, r.at(driver.Name), q); err == nil || !strings.Contains(err.Error(), "needs") {
			t.Error(q, err)
		}
	}
}

// TestWhatAnExecutorLooksUpIsThere asks the verifier as a recorded executor does.
func TestWhatAnExecutorLooksUpIsThere(t *testing.T) {
	r := newRig(t, nil)
	p := r.Probe("P")
	verifier := r.at(rpcenv.VerifierName)
	for _, name := range []string{
		"MapOutputTracker", "BlockManagerMaster", "BlockManagerMasterHeartbeat", "OutputCommitCoordinator",
		"CoarseGrainedScheduler", "HeartbeatReceiver",
	} {
		found, err := rpctest.Ask[*rpc.Bool](p, verifier, &rpc.CheckExistence{Name: name})
		if err != nil || !found.GetValue() {
			t.Errorf("%s: %v, %v", name, found, err)
		}
		_, err = rpctest.Ask[*rpc.Bool](p, r.at(name), &rpc.CheckExistence{})
		if !errors.Is(err, rpcenv.ErrRefusedUnsupported) {
			t.Errorf("%s takes what is not its own: %v", name, err)
		}
	}
}

func TestTasksWaitForEnoughExecutorsButNotForEver(t *testing.T) {
	settings := map[string]string{"spark.cores.max": "2", "spark.scheduler.minRegisteredResourcesRatio": "1"}
	t.Run("both come", func(t *testing.T) {
		r := newRig(t, settings)
		run(r, numbers.With(9))
		a := r.launched("0", 1)
		a.Quiet(time.Second)
		b := r.launched("1", 1)
		r.Settle()
		if len(a.Waiting()) != 1 || len(b.Waiting()) != 1 {
			t.Errorf("at once they got %v and %v", a.Waiting(), b.Waiting())
		}
	})
	t.Run("one stays away", func(t *testing.T) {
		r := newRig(t, settings)
		run(r, numbers.With(9))
		a := r.launched("0", 1)
		r.Advance(29 * time.Second)
		if !r.heardPart("the first task starts when 2 of 2 cores can take tasks, or 30s after the start of the driver; 1 can: lower") {
			t.Error("nobody hears what the tasks wait for")
		}
		r.Advance(2 * time.Second)
		a.task()
	})
}
