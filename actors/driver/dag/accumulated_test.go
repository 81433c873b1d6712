package dag

import (
	"testing"

	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/messages/app"
)

// adding is a completion whose task has added to an accumulator.
func adding(m tasks.CompletionEvent, value string) tasks.CompletionEvent {
	m.Result.Accumulated = []*app.Accumulated{{Name: "n", Value: []byte(value)}}
	return m
}

// What a result task has accumulated counts once for its partition, however many attempts end well; that of a map task each time.
func TestAccumulatedValuesOfAPartitionCountOnce(t *testing.T) {
	r := newRig(t, nil)
	submit(r, counted.With(0))
	r.tell(adding(mapped(0, 0, 0, "a", 0), "m0"), mapped(0, 0, 1, "b", 0), adding(mapped(0, 0, 1, "b", 0), "m1"), mapped(0, 0, 2, "a", 0))
	r.tell(adding(result(1, 0, 0), "r0"), adding(result(1, 0, 0), "copy"))
	failed := adding(result(1, 0, 1), "failed")
	failed.Reason = tasks.Reason{Kind: tasks.KindExceptionFailure}
	r.forget()
	r.tell(failed, adding(result(1, 0, 1), "r1"))
	r.want("L: job 0 stage 1.0 ends: ", "L: job 0 ends: <nil>", "P: job 0: [{0 [48]} {1 [49]}]",
		"P: job 0 accumulated [{n m0} {n m1} {n r0} {n r1}]", "S: cancel 0: Stage finished", "S: cancel 1: Stage finished")
}
