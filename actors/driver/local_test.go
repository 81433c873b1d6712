package driver_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// newLocalRig makes a rig without a cluster, whose tasks may fail so often.
func newLocalRig(t *testing.T, failures int, pairs map[string]string) *rig {
	t.Helper()
	w := rpctest.New(t, 1)
	w.NoPanic()
	r := &rig{World: w, t: t, env: w.Env("Driver", settings(t, pairs))}
	var err error
	r.driver, err = driver.Start(r.env, driver.Config{AppName: "test", Local: &driver.Local{AppID: "local-1", MaxFailures: failures}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A local application needs nobody's leave: its one executor registers, and tasks start, whatever spark.cores.max says.
func TestALocalApplicationHasNoCluster(t *testing.T) {
	r := newLocalRig(t, 1, map[string]string{
		"spark.cores.max": "8", "spark.scheduler.minRegisteredResourcesRatio": "1",
		"spark.master": "local[2]", "spark.dynamicAllocation.enabled": "true",
	})
	e := r.launched(driver.LocalExecutorID, 2)
	j := run(r, tasksOf.With(2))
	for range 2 {
		d := e.Next().(*app.LaunchTask).GetData()
		e.Send(r.at(driver.Name), &app.StatusUpdate{ExecutorId: e.id, TaskId: &d.TaskId, State: app.TaskState_FINISHED, TaskCpus: 1, Result: &app.TaskResult{Count: int64(d.GetPartitionId())}})
	}
	j.counts()
	if _, _, dynamic := r.driver.Wants(); dynamic {
		t.Error("it asks for executors")
	}
}

// The master says how often a task may fail, once by default; spark.task.maxFailures does not.
func TestTheMasterOfALocalApplicationSaysHowOftenATaskMayFail(t *testing.T) {
	for _, failures := range []int{1, 3} {
		r := newLocalRig(t, failures, map[string]string{"spark.master": "local", "spark.task.maxFailures": "7"})
		e := r.launched(driver.LocalExecutorID, 1)
		j := run(r, tasksOf.With(1))
		for n := range failures {
			if j.done {
				t.Fatalf("it ended after %d failures of %d: %v", n, failures, j.err)
			}
			d := e.Next().(*app.LaunchTask).GetData()
			e.Send(r.at(driver.Name), &app.StatusUpdate{
				ExecutorId: e.id, TaskId: &d.TaskId, State: app.TaskState_FAILED, TaskCpus: 1,
				Failure: &app.TaskFailure{Kind: "ExceptionFailure", Message: "no luck"},
			})
		}
		if got, want := j.failure(), fmt.Sprintf("failed %d times", failures); !strings.Contains(got, want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
