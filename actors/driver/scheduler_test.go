package driver_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/appclient"
	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/driver/allocation"
	"github.com/coherer/coherer/actors/driver/bus"
	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// maxNumConcurrentTasks: whole tasks on the executors that may take some, whatever these run.
func TestTheSlotsAreThoseOfExecutorsThatTakeTasks(t *testing.T) {
	r := newRig(t, 1, map[string]string{"spark.task.cpus": "2"}, nil)
	asker := r.ProbeIn(r.env, "DAG")
	r.launched("0", 5)
	r.registered("1", 4)
	lost := r.launched("2", 6)
	run(r, tasksOf.With(9))
	r.Settle()
	slots := func() int {
		t.Helper()
		got, err := rpctest.Ask[tasks.Slots](asker, r.at(driver.Name), tasks.RequestSlots{})
		if err != nil {
			t.Fatal(err)
		}
		return got.N
	}
	if n := slots(); n != 5 {
		t.Errorf("%d slots of 5 and 6 cores, want 5", n)
	}
	lost.Crash()
	r.Settle()
	if n := slots(); n != 2 {
		t.Errorf("%d slots of 5 cores, want 2", n)
	}
}

// A local application has an id and may begin at once, and nobody to ask for executors.
func TestALocalApplicationAsksNobody(t *testing.T) {
	r := newLocalRig(t, 1, map[string]string{"spark.cores.max": "8", "spark.scheduler.minRegisteredResourcesRatio": "1"})
	e := r.launched(driver.LocalExecutorID, 2)
	r.Settle()
	asker := r.ProbeIn(r.env, "asker")
	if got := r.waits(asker); got.GetAppId() != "local-1" {
		t.Errorf("its id is %q", got.GetAppId())
	}
	for _, q := range []rpcenv.Message{allocation.RequestTotalExecutors{Total: 2}, allocation.KillExecutors{IDs: []string{driver.LocalExecutorID}}} {
		_, err := rpctest.Ask[rpcenv.Message](asker, r.at(driver.Name), q)
		if err == nil || !strings.Contains(err.Error(), "a local application has one executor, which is not ended or added to") {
			t.Errorf("%T: %v", q, err)
		}
	}
	for _, m := range r.Trace().Entries {
		if strings.HasSuffix(m.To, "/"+appclient.Name) {
			t.Errorf("it asked %s for %s", m.To, m.Type)
		}
	}
	run(r, tasksOf.With(1))
	r.Settle()
	if len(e.Waiting()) != 1 {
		t.Error("its task does not start")
	}
}

// ends reports a map task of an executor as done and returns it.
func (e *executor) ends() *app.TaskDescription {
	e.r.t.Helper()
	d := e.started()
	e.reports(d, "")
	return d
}

// The Worker's loss takes the map outputs that its shuffle service has kept; that of an executor does not.
func TestMapOutputsAreLostWithTheirWorker(t *testing.T) {
	for _, k := range []struct {
		name, host string
		want       int32 // the stage that goes on
	}{{"executor", "", 1}, {"another Worker", "host7", 1}, {"Worker", "host0", 0}} {
		r := newRig(t, 1, map[string]string{"spark.shuffle.service.enabled": "true"}, nil)
		e := r.launched("0", 1)
		run(r, words.With([]string{"a", "b"}))
		e.ends()
		e.ends()
		r.Settle()
		r.master.Send(r.at(appclient.Name), &deploy.ExecutorUpdated{Id: new(int32(0)), State: deploy.ExecutorState_EXITED, Message: new("Command exited"), ExitStatus: new(int32(1))})
		if k.host != "" {
			r.master.Send(r.at(appclient.Name), &deploy.WorkerRemoved{Id: "worker-1", Host: k.host, Message: "it is silent"})
		}
		other := r.launched("1", 1)
		r.Settle()
		d := other.started()
		if k.want == 0 { // the reduce task cannot fetch what is gone
			u, err := endOf(d, "")
			if err != nil {
				t.Fatal(err)
			}
			u.State, u.Result, u.Failure = app.TaskState_FAILED, nil, &app.TaskFailure{Kind: "FetchFailed", ShuffleId: d.GetShuffles()[0], MapIndex: -1}
			other.Send(r.at(driver.Name), u)
			r.Advance(time.Second)
			d = other.started()
		}
		if d.GetStageId() != k.want {
			t.Errorf("%s: stage %d goes on, want %d", k.name, d.GetStageId(), k.want)
		}
	}
}

// A map output that has moved is not made again when the executor that wrote it goes.
func TestAMapOutputThatMovedOutlivesItsExecutor(t *testing.T) {
	for _, moved := range []bool{false, true} {
		r := newRig(t, 1, nil, nil)
		first := r.launched("0", 1)
		run(r, words.With([]string{"a", "b"}))
		d := first.ends()
		if moved {
			r.ProbeIn(r.env, "blocks").Send(r.at(driver.Name), event.MapOutputMoved{MapID: d.GetTaskId()})
		}
		second := first.started() // it runs when the executor goes
		first.Crash()
		r.Advance(6 * time.Second)
		other := r.launched("1", 2)
		r.Settle()
		var again []int32
		for len(other.Waiting()) > 0 {
			again = append(again, other.started().GetPartitionId())
		}
		want := 2
		if moved {
			want = 1
		}
		if len(again) != want {
			t.Errorf("moved %t: partitions %v run again, after %d and %d", moved, again, d.GetPartitionId(), second.GetPartitionId())
		}
	}
}

// handlePartitionCompleted: a set needs no task for what another attempt of its stage has brought.
func TestAPartitionThatIsThereNeedsNoTask(t *testing.T) {
	r := newRig(t, 1, nil, nil)
	run(r, tasksOf.With(2))
	r.Settle()
	r.ProbeIn(r.env, "DAG").Send(r.at(driver.Name), tasks.PartitionCompleted{Stage: 0, Partition: 0})
	e := r.launched("0", 2)
	r.Settle()
	if d := e.started(); d.GetPartitionId() != 1 || len(e.Waiting()) > 0 {
		t.Errorf("it got %v and then %v", d, e.Waiting())
	}
}

// The end of a task is an event that offers cores; that it runs is none.
func TestOnlyTheEndOfATaskOffersCores(t *testing.T) {
	r := newRig(t, 1, map[string]string{"spark.scheduler.revive.interval": "1h"}, nil)
	r.launched("1", 1)
	r.Settle()
	run(r, near.With([]string{"host1"})) // it has that host's only core
	e := r.launched("0", 2)
	r.Settle()
	run(r, tasksOf.With(1))
	d := e.started()
	run(r, near.With([]string{"host1"}))
	r.Advance(time.Minute) // its wait for the host is over
	e.Send(r.at(driver.Name), &app.StatusUpdate{ExecutorId: "0", TaskId: new(d.GetTaskId()), State: app.TaskState_RUNNING, TaskCpus: 1})
	r.Settle()
	if len(e.Waiting()) > 0 {
		t.Errorf("it got %v", e.Waiting())
	}
	e.reports(d, "")
	if got := e.started(); got.GetStageId() != 2 {
		t.Errorf("it got %v", got)
	}
}

// Without a Transfer a result that its executor keeps is lost, and its task runs again.
func TestADriverThatFetchesNoBlocksLosesLargeResults(t *testing.T) {
	r := newRig(t, 1, nil, nil)
	e := r.launched("0", 1)
	run(r, tasksOf.With(1))
	e.reports(e.started(), "result={size=5 blockManager={executorId=0 host=host0 port=7000}}")
	if d := e.started(); d.GetAttemptNumber() != 1 {
		t.Errorf("it got %v", d)
	}
}

func TestADriverWhoseFilesAreBadDoesNotStart(t *testing.T) {
	for _, key := range []string{"spark.scheduler.allocation.file", topology} {
		w := rpctest.New(t, 1)
		_, err := driver.Start(w.Env("Driver", settings(t, map[string]string{key: "/missing"})), driver.Config{
			AppName: "test", Masters: []rpcenv.Address{{Host: "m", Port: 1}}, FS: rdd.MemFS{},
		})
		if err == nil || !strings.HasPrefix(err.Error(), "driver: "+key+": open /missing: ") {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// An event log that does not end well is an error of the stop.
func TestTheStopSaysWhyTheEventsDidNotEnd(t *testing.T) {
	r, _ := logged(t, nil, nil)
	r.env.Stop(bus.Name)
	r.Settle()
	broken := errors.New("it will not end")
	r.ProbeIn(r.env, bus.Name).On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		if q, ok := m.(bus.Stop); ok {
			rpcenv.Fail(c, q, broken)
		}
		return true
	})
	if err := r.stop(0); err == nil || !strings.Contains(err.Error(), "it will not end") {
		t.Error(err)
	}
}
