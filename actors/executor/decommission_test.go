package executor_test

import (
	"testing"
	"time"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

func decommissioningRig(t *testing.T) *rig {
	t.Helper()
	r := startRig(t, nil, &app.Property{Key: "spark.decommission.enabled", Value: "true"})
	r.expect(&app.LaunchedExecutor{})
	return r
}

func TestAnIdleDecommissionedExecutorEndsAfterASecond(t *testing.T) {
	r := decommissioningRig(t)
	r.driver.Send(r.ref, &app.DecommissionExecutor{})
	r.driver.Send(r.ref, &app.DecommissionExecutor{})
	start := r.Now()
	m := r.expect(&app.RemoveExecutor{}).(*app.RemoveExecutor)
	if m.GetExecutorId() != "0" || m.GetReason() != "Finished decommissioning" {
		t.Errorf("the driver got %v", m)
	}
	if took := r.Now().Sub(start); took < time.Second || took > 1100*time.Millisecond {
		t.Errorf("after %s", took)
	}
	if code := r.exited(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestADecommissionedExecutorFinishesWhatItRuns(t *testing.T) {
	r := decommissioningRig(t)
	r.launch(task(t, sleeps.With(none{}), 1))
	r.driver.Send(r.ref, &app.DecommissionExecutor{})
	r.driver.Quiet(5 * time.Second)
	r.driver.Send(r.ref, &app.KillTask{TaskId: 1, Executor: "0", Reason: "test"})
	if u := r.end(); u.GetState() != app.TaskState_KILLED {
		t.Error(u)
	}
	r.expect(&app.RemoveExecutor{})
	if code := r.exited(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestWithoutTheSettingAnExecutorGoesOn(t *testing.T) {
	r := newRig(t)
	r.driver.Send(r.ref, &app.DecommissionExecutor{})
	r.driver.Quiet(5 * time.Second)
	r.launch(task(t, squares.With(none{}), 1))
	if u := r.end(); u.GetState() != app.TaskState_FINISHED {
		t.Error(u)
	}
}

func TestASignalledExecutorEndsWhenTheDriverKnows(t *testing.T) {
	for _, took := range []bool{true, false} {
		r := decommissioningRig(t)
		r.driver.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
			if q, ok := m.(*app.ExecutorDecommissioning); ok && q.GetExecutorId() == "0" {
				rpcenv.Reply(c, q, &rpc.Bool{Value: took})
				return true
			}
			return false
		})
		// The Executor's process has one Env; a probe in it stands for the process's signals.
		signals := r.ProbeIn(r.env, "Signals")
		answer, err := rpctest.Ask[*rpc.Bool](signals, r.env.Ref(r.env.Address(), executor.Name), executor.ExecutorDecommissionSigReceived{})
		if err != nil || answer.GetValue() != took {
			t.Errorf("took=%v: answered %v %v", took, answer, err)
		}
		if !took {
			r.driver.Quiet(5 * time.Second)
			continue
		}
		r.expect(&app.RemoveExecutor{})
		if code := r.exited(); code != 0 {
			t.Errorf("exit code %d", code)
		}
	}
}
