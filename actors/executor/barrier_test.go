package executor_test

import (
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/driver/barrier"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

var meeting = rdd.Define("executor test: meeting", func(none) rdd.Dataset[string] {
	return rdd.Barrier(rdd.Range(0, 2, 2), func(t rdd.BarrierTask, _ iter.Seq[int64]) iter.Seq[string] {
		t.Barrier()
		return slices.Values(append(t.AllGather("mine"), t.Addresses()...))
	})
})

// meet is a task of partition 1 of a stage of two.
func meet(t *testing.T, id int64) *app.TaskDescription {
	d := task(t, meeting.With(none{}), id)
	d.PartitionId, d.StageId, d.StageAttempt, d.Addresses = 1, 3, 2, []string{"a:1", "b:2"}
	return d
}

// A task asks barrierSync at each barrier, counting, and goes on with the messages of all; when that fails, it fails; a kill ends its wait,
// however long.
func TestATaskOfABarrierStageWaitsForTheOthers(t *testing.T) {
	r := newRig(t)
	var asked []string
	hold := false
	r.ProbeIn(r.driver.Env, barrier.Name).On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		q, ok := m.(*app.RequestToSync)
		if !ok {
			return false
		}
		asked = append(asked, textOf(q))
		switch {
		case hold:
			rpcenv.Defer(c, q)
		case q.GetTaskAttemptId() == 8:
			rpcenv.Fail(c, q, barrier.ErrSync)
		default:
			rpcenv.Reply(c, q, &app.SyncMessages{Messages: []string{"theirs", q.GetMessage()}})
		}
		return true
	})
	r.launch(meet(t, 7))
	if u := r.end(); u.GetState() != app.TaskState_FINISHED || u.GetResult().GetCount() != 4 || !strings.Contains(string(u.GetResult().GetRecords()), "theirs") {
		t.Error(u)
	}
	want := []string{
		"RequestToSync{num_tasks:2 stage_id:3 stage_attempt_id:2 task_attempt_id:7 partition_id:1}",
		`RequestToSync{num_tasks:2 stage_id:3 stage_attempt_id:2 task_attempt_id:7 barrier_epoch:1 partition_id:1 message:"mine" request_method:ALL_GATHER}`,
	}
	if !slices.Equal(asked, want) {
		t.Errorf("asked\n%s\nwant\n%s", strings.Join(asked, "\n"), strings.Join(want, "\n"))
	}
	r.launch(meet(t, 8))
	if f := r.end().GetFailure(); f.GetKind() != "ExceptionFailure" || !strings.Contains(f.GetMessage(), "barrier sync failed") {
		t.Error(f)
	}
	hold = true
	r.launch(meet(t, 9))
	r.Advance(10 * time.Minute)
	r.driver.Send(r.ref, &app.KillTask{TaskId: 9, Executor: "0", Reason: "another one failed"})
	if u := r.end(); u.GetState() != app.TaskState_KILLED {
		t.Error(u)
	}
	bad := meet(t, 10)
	bad.Addresses = nil // no task of a barrier stage
	r.launch(bad)
	if f := r.end().GetFailure(); f.GetKind() != "BadJob" {
		t.Error(f)
	}
}
