package executor_test

import (
	"fmt"
	"testing"

	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

func TestMapOutputsAreAskedForOnceAnEpoch(t *testing.T) {
	r := newRig(t)
	r.launch(mapTask(t, 0, 0))
	r.outputs = append(r.outputs, r.end().GetResult().GetMapStatus())
	r.epoch = 5
	reduce := func(id, epoch int64) *app.TaskDescription {
		d := reduceTask(t, id)
		d.Epoch = epoch
		return d
	}
	for _, c := range []struct {
		why   string
		tasks []*app.TaskDescription
		want  int
	}{
		{"two tasks wait for one answer", []*app.TaskDescription{reduce(1, 0), reduce(2, 0)}, 1},
		{"the answer is of that epoch", []*app.TaskDescription{reduce(3, 5)}, 0},
		{"an earlier epoch says nothing", []*app.TaskDescription{reduce(4, 3)}, 0},
		{"a later epoch makes it doubtful", []*app.TaskDescription{reduce(5, 6)}, 1},
		{"once", []*app.TaskDescription{reduce(6, 6)}, 0},
	} {
		before := r.asked()
		var want []string
		for _, d := range c.tasks {
			r.send(d)
			want = append(want, fmt.Sprintf("%d FINISHED ", d.GetTaskId()))
		}
		r.wantEnded(want...)
		if n := r.asked() - before; n != c.want {
			t.Errorf("%s: asked %d times, want %d", c.why, n, c.want)
		}
	}
}

func TestMapOutputsAreAskedForAgainAfterAFetchFailed(t *testing.T) {
	r := newRig(t)
	first := mapTask(t, 0, 0)
	first.ShuffleId, first.Shuffles = new(int32), []int32{0}
	r.launch(first)
	r.outputs = append(r.outputs, r.end().GetResult().GetMapStatus())
	reduce := func(id int64) *app.TaskDescription {
		d := reduceTask(t, id)
		d.Shuffles = []int32{0}
		return d
	}
	asks := func(d *app.TaskDescription, end string, want int) {
		t.Helper()
		before := r.asked()
		r.send(d)
		r.wantEnded(fmt.Sprintf("%d %s", d.GetTaskId(), end))
		if n := r.asked() - before; n != want {
			t.Errorf("task %d: asked %d times, want %d", d.GetTaskId(), n, want)
		}
	}
	asks(reduce(1), "FINISHED ", 1)
	asks(task(t, panics.With(none{}), 2), "FAILED ExceptionFailure", 0)
	asks(reduce(3), "FINISHED ", 0) // another failure says nothing of the outputs of shuffle 0
	kept := r.blocks.own
	r.blocks.own = nil
	asks(reduce(4), "FAILED FetchFailed", 0)
	r.blocks.own = kept
	asks(reduce(5), "FINISHED ", 1)
}

func TestATrackerThatFailsIsAFetchThatFailed(t *testing.T) {
	r := newRig(t)
	r.lost = rpcenv.NewRefusal("test.lost", "the shuffle is unknown")
	for _, ids := range [][]int64{{1, 2}, {3}} {
		before := r.asked()
		var want []string
		for _, id := range ids {
			r.send(reduceTask(t, id))
			want = append(want, fmt.Sprintf("%d FAILED FetchFailed", id))
		}
		r.wantEnded(want...)
		if n := r.asked() - before; n != 1 {
			t.Errorf("tasks %d: asked %d times", ids, n)
		}
	}
	const failure = `{kind:"FetchFailed" message:"fetch shuffle 4, map output -1, for reducer 0: the shuffle is unknown" shuffle_id:4 map_index:-1}`
	if last := r.heard[len(r.heard)-1]; last != `CoarseGrainedScheduler StatusUpdate{executor_id:"0" task_id:3 state:FAILED task_cpus:1 failure:`+failure+"}" {
		t.Errorf("the driver heard %s", last)
	}
}
