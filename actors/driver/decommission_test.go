package driver_test

import (
	"testing"
	"time"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// tellDecommissioned reports as the Master that an executor's Worker is decommissioned.
func (r *rig) tellDecommissioned(id int32) {
	r.tell(&deploy.ExecutorUpdated{
		Id: &id, State: deploy.ExecutorState_DECOMMISSIONED, Message: new("worker decommissioned"), WorkerHost: new("host"),
	})
}

func (e *executor) decommissioned() bool {
	e.r.t.Helper()
	answer, err := rpctest.Ask[*rpc.Bool](e.Probe, e.r.at(driver.Name), &app.ExecutorDecommissioning{ExecutorId: e.id})
	if err != nil {
		e.r.t.Fatal(err)
	}
	return answer.GetValue()
}

// Its tasks are finished, none is begun; its end is no failure of theirs.
func TestADecommissionedExecutorGetsNoMoreTasks(t *testing.T) {
	r := newRig(t, map[string]string{"spark.task.maxFailures": "1"})
	j := run(r, numbers.With(9))
	a := r.launched("0", 1)
	running := a.task()
	r.tellDecommissioned(0)
	r.tellDecommissioned(0)
	if m, ok := a.Next().(*app.DecommissionExecutor); !ok {
		t.Fatalf("the executor got %T", m)
	}
	a.finish(running)
	a.Quiet(5 * time.Second)
	a.Send(r.at(driver.Name), &app.RemoveExecutor{ExecutorId: "0", Reason: "Finished decommissioning"})
	if m, ok := a.Next().(*app.StopExecutor); !ok {
		t.Errorf("the executor got %T", m)
	}
	r.launched("1", 1).work()
	j.counts()
	if !r.heardPart("Executor decommission: Finished decommissioning") {
		t.Error("the listener heard another reason")
	}
}

// With spark.task.maxFailures=1 a failure that counted would end the job.
func TestATaskThatADecommissionedExecutorTookWithItDoesNotCount(t *testing.T) {
	r := newRig(t, map[string]string{"spark.task.maxFailures": "1"})
	j := run(r, numbers.With(9))
	a := r.launched("0", 1)
	a.task()
	r.tellDecommissioned(0)
	a.Send(r.at(driver.Name), &app.RemoveExecutor{ExecutorId: "0", Reason: "Finished decommissioning"})
	r.launched("1", 1).work()
	j.counts()
}

func TestAnExecutorDecommissionsItselfOnce(t *testing.T) {
	r := newRig(t, nil)
	run(r, numbers.With(9))
	a := r.newExecutor("0")
	if a.decommissioned() {
		t.Error("one that is not registered was taken")
	}
	if err := a.register(1); err != nil {
		t.Fatal(err)
	}
	if !a.decommissioned() || a.decommissioned() {
		t.Error("want true, then false")
	}
	a.Send(r.at(driver.Name), &app.LaunchedExecutor{ExecutorId: "0"})
	a.Quiet(5 * time.Second) // neither a task nor an order that it gave itself
}
