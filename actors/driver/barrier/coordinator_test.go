package barrier

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// rig is a Coordinator with an executor whose tasks come to barriers of attempt 0 of stage 3.
type rig struct {
	*rpctest.World
	t        *testing.T
	executor *rpctest.Probe
	dag      *rpctest.Probe
	ref      rpcenv.Ref
	heard    []string // what tasks were answered, since the last want
}

func newRig(t *testing.T, tasks int32) *rig {
	t.Helper()
	c, err := conf.New(map[string]string{"spark.barrier.sync.timeout": "60s"})
	if err != nil {
		t.Fatal(err)
	}
	w := rpctest.New(t, 1)
	w.NoPanic()
	env := w.Env("Driver", c)
	r := &rig{World: w, t: t, ref: w.Register(env, Name, New()), dag: w.ProbeIn(env, "DAGScheduler")}
	r.executor = w.ProbeIn(w.ClientEnv("E0", nil), "Executor")
	r.tell(StageStart{Stage: 3, Tasks: tasks})
	return r
}

func (r *rig) tell(m rpcenv.Message) {
	r.dag.Send(r.ref, m)
	r.Settle()
}

// sync lets the task of a partition come to a barrier. change alters its request.
func (r *rig) sync(partition, epoch int32, change ...func(*app.RequestToSync)) {
	r.t.Helper()
	q := &app.RequestToSync{NumTasks: 2, StageId: 3, TaskAttemptId: int64(partition) + 6, BarrierEpoch: epoch, PartitionId: partition}
	for _, f := range change {
		f(q)
	}
	r.executor.Do(func(c *rpcenv.Context) {
		rpcenv.Ask(c, r.ref, q, func(m *app.SyncMessages, err error) {
			text := fmt.Sprintf("task %d: %q", q.GetTaskAttemptId(), m.GetMessages())
			if err != nil {
				if !errors.Is(err, ErrSync) {
					r.t.Errorf("%v is no ErrSync", err)
				}
				_, why, _ := strings.Cut(err.Error(), "barrier sync failed: ")
				text = fmt.Sprintf("task %d: %s", q.GetTaskAttemptId(), why)
			}
			r.heard = append(r.heard, text)
		}, rpcenv.Timeout("the test's patience", 24*time.Hour))
	})
	r.Settle()
}

func (r *rig) want(want ...string) {
	r.t.Helper()
	if !slices.Equal(r.heard, want) {
		r.t.Errorf("heard\n  %s\nwant\n  %s", strings.Join(r.heard, "\n  "), strings.Join(want, "\n  "))
	}
	r.heard = nil
}

func gather(message string) func(*app.RequestToSync) {
	return func(q *app.RequestToSync) { q.RequestMethod, q.Message = app.RequestMethod_ALL_GATHER, message }
}

// As recorded of real Spark: both tasks are answered when the second one came, in epoch 0 with nothing, in epoch 1 with what each said.
func TestATaskWaitsForAllOthers(t *testing.T) {
	r := newRig(t, 2)
	r.sync(1, 0)
	r.want()
	r.sync(0, 0)
	r.want(`task 7: ["" ""]`, `task 6: ["" ""]`)
	r.sync(1, 1, gather("1"))
	r.want()
	r.sync(0, 1, gather("0"))
	r.want(`task 7: ["0" "1"]`, `task 6: ["0" "1"]`)
}

// An attempt of a stage has barriers of its own.
func TestAttemptsDoNotMeet(t *testing.T) {
	r := newRig(t, 2)
	r.tell(StageStart{Stage: 3, Attempt: 1, Tasks: 2})
	r.tell(StageStart{Stage: 4, Tasks: 2})
	r.sync(0, 0)
	r.sync(1, 0, func(q *app.RequestToSync) { q.StageAttemptId = 1 })
	r.sync(1, 0, func(q *app.RequestToSync) { q.StageId = 4 })
	r.want()
	r.sync(1, 0)
	r.want(`task 6: ["" ""]`, `task 7: ["" ""]`)
}

// A request of a barrier that is over, or that is to come, fails alone, and so does one that cannot be of the stage.
func TestARequestThatDoesNotFitFails(t *testing.T) {
	r := newRig(t, 2)
	r.sync(1, 0)
	r.sync(0, 1)
	r.sync(0, -1)
	const gone = "has already finished. Maybe task 6 is not properly killed."
	r.want("task 6: The request to sync of Stage 3 (Attempt 0) with barrier epoch 1 "+gone,
		"task 6: The request to sync of Stage 3 (Attempt 0) with barrier epoch -1 "+gone)
	r.sync(0, 0, func(q *app.RequestToSync) { q.NumTasks = 3 })
	r.want("task 6: Number of tasks of Stage 3 (Attempt 0) is 3 from Task 6, previously it was 2.")
	for _, partition := range []int32{-1, 2, 1 << 30} {
		r.sync(partition, 0)
		r.want(fmt.Sprintf("task %d: Stage 3 (Attempt 0) has 2 tasks and none of partition %d.", partition+6, partition))
	}
	r.sync(1, 0, func(q *app.RequestToSync) { q.TaskAttemptId = 9 })
	r.want("task 9: Task 9 of partition 1 of Stage 3 (Attempt 0) waits at barrier epoch 0 already.")
	r.sync(0, 0)
	r.want(`task 7: ["" ""]`, `task 6: ["" ""]`)
	r.sync(0, 0)
	r.want("task 6: The request to sync of Stage 3 (Attempt 0) with barrier epoch 0 " + gone)
}

// Tasks that call different methods at one barrier all fail, and the attempt has no further barrier.
func TestDifferentMethodsDoNotMeet(t *testing.T) {
	r := newRig(t, 3)
	three := func(q *app.RequestToSync) { q.NumTasks = 3 }
	r.sync(0, 0, three)
	r.sync(2, 0, three)
	r.sync(1, 0, three, gather("x"))
	const why = "Different barrier sync types found for the sync Stage 3 (Attempt 0): BARRIER, ALL_GATHER. " +
		"Please use the same barrier sync type within a single sync."
	r.want("task 6: "+why, "task 8: "+why, "task 7: "+why)
	r.sync(0, 0, three)
	r.want("task 6: The request to sync of Stage 3 (Attempt 0) with barrier epoch 0 has already finished. Maybe task 6 is not properly killed.")
}

// spark.barrier.sync.timeout after the first request those that wait fail. The time of one barrier is not that of the next.
func TestABarrierTimesOut(t *testing.T) {
	r := newRig(t, 2)
	r.Advance(time.Hour)
	r.sync(0, 0)
	r.Advance(59 * time.Second)
	r.want()
	r.sync(1, 0)
	r.want(`task 6: ["" ""]`, `task 7: ["" ""]`)
	r.Advance(30 * time.Second)
	r.sync(1, 1)
	r.Advance(59 * time.Second)
	r.want()
	r.Advance(2 * time.Second)
	r.want("task 7: The coordinator didn't get all barrier sync requests for barrier epoch 1 from Stage 3 (Attempt 0) within 60 second(s).")
	r.sync(0, 1)
	r.want("task 6: The request to sync of Stage 3 (Attempt 0) with barrier epoch 1 has already finished. Maybe task 6 is not properly killed.")
}

// The end of an attempt forgets it: who waits fails, and a task that was left behind finds nothing.
func TestTheEndOfAnAttemptEndsItsBarriers(t *testing.T) {
	r := newRig(t, 2)
	r.sync(0, 0)
	r.tell(StageEnd{Stage: 3, Attempt: 1})
	r.want()
	r.tell(StageEnd{Stage: 3})
	r.want("task 6: Stage 3 (Attempt 0) is over.")
	r.sync(1, 0)
	r.want("task 7: The request to sync of Stage 3 (Attempt 0) with barrier epoch 0 has already finished. Maybe task 7 is not properly killed.")
	r.Advance(time.Hour)
	r.want()
}
