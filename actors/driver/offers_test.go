package driver_test

import (
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/driver/heartbeat"
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/actors/driver/yarnscheduler"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// A report that a task runs frees nothing; an executor that has launched is given what waits at once.
func TestATaskThatRunsKeepsItsCore(t *testing.T) {
	r := newRig(t, nil)
	run(r, numbers.With(9))
	r.Settle()
	e := r.launched("0", 1)
	r.Settle()
	if len(e.Waiting()) != 1 {
		t.Fatalf("at once it got %v", e.Waiting())
	}
	e.update(e.task(), app.TaskState_RUNNING, nil, nil)
	e.Quiet(3 * time.Second)
}

// Books of executors are the same in quiet, whatever their order of numbers.
func TestTheBooksOfExecutorsAreTheSame(t *testing.T) {
	r := newRig(t, nil)
	for _, id := range []string{"10", "9", "99999999999"} {
		r.launched(id, 1)
	}
	r.Settle()
	if v := r.driver.Views(); !slices.Equal(v[driver.Name], []string{"10", "9", "99999999999"}) || !slices.Equal(v[driver.Name], v[heartbeat.Name]) {
		t.Errorf("views %v", v)
	}
	last, err := rpctest.Ask[yarnscheduler.LastExecutorID](r.events, r.at(driver.Name), yarnscheduler.RetrieveLastExecutorID{})
	if err != nil || last.ID != 10 {
		t.Errorf("the last id that is one is %d: %v", last.ID, err)
	}
}

// While the application waits for executors its target stays, and then follows the need, though none ever came.
func TestTheTargetStaysWhileTheApplicationWaits(t *testing.T) {
	e := newElastic(t, map[string]string{
		"spark.dynamicAllocation.initialExecutors": "5", "spark.cores.max": "5", "spark.scheduler.minRegisteredResourcesRatio": "1",
	})
	run(e.rig, numbers.With(9)) // which needs three
	e.Advance(29 * time.Second)
	e.asked(t, 5)
	e.Advance(2 * time.Second)
	e.asked(t, 5, 3)
}

// A LaunchTask has to be shorter than spark.rpc.message.maxSize.
func TestATaskOfTheLargestSizeIsTooLarge(t *testing.T) {
	r := newRig(t, map[string]string{"spark.rpc.message.maxSize": "1"})
	e := r.launched("0", 9)
	launch := func(stage int32, bytes int) {
		set := tasks.Set{ID: tasks.SetID{Stage: stage}, Tasks: []tasks.Task{{}}, Work: tasks.Work{Args: make([]byte, bytes), Action: "count"}}
		r.events.Send(r.at(driver.Name), tasks.SubmitTasks{Set: set})
		r.Settle()
	}
	launch(1, 1<<20-1000)
	size := proto.Size(e.Next().(proto.Message))
	longest := 1<<20 - 1000 + (1<<20 - 1 - size) - 2 // a task id above 0 takes two bytes
	launch(2, longest)
	if got := e.Waiting(); len(got) != 1 || proto.Size(got[0].(proto.Message)) != 1<<20-1 {
		t.Fatalf("the executor got %d messages", len(got))
	}
	launch(3, longest+1)
	if len(e.Waiting()) != 1 {
		t.Errorf("a task of %d bytes was sent", proto.Size(e.Waiting()[1].(proto.Message)))
	}
}
