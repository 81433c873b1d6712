package dag

import (
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/rdd"
)

// unsure is chain, with a source that may give other records when it is read again.
var unsure = rdd.Define("dag-test-unsure", func(int) rdd.Dataset[ones] {
	sum := func(a, b int64) int64 { return a + b }
	source := rdd.Indeterminate(rdd.Range(0, 9, 3))
	first := rdd.ReduceByKey(rdd.Map(source, func(i int64) ones { return rdd.PairOf("k", i) }), sum, 2)
	return rdd.ReduceByKey(rdd.Map(first, func(p ones) ones { return p }), sum, 4)
})

// unsureAt is a rig whose job has made its first shuffle, at a and b, and one output of the second one.
func unsureAt(t *testing.T) *rig {
	t.Helper()
	r := newRig(t, nil)
	submit(r, unsure.With(0))
	r.tell(mapped(0, 0, 0, "a", 0), mapped(0, 0, 1, "b", 0), mapped(0, 0, 2, "a", 0), mapped(1, 0, 0, "c", 1))
	r.forget()
	return r
}

// When an output of an indeterminate stage is lost, all of it are made again, and so are those that were made of them. What an older
// attempt brings does not fit to them and is dropped.
func TestAnIndeterminateStageRunsAgainAsAWhole(t *testing.T) {
	r := unsureAt(t)
	r.tell(missed(1, 0, 1, 0, 1, "b", 1))
	r.want("L: job 0 stage 1.0 ends: gone", "T: drop 0/1 at b, epoch 2", "T: drop all at b, epoch 3")
	r.Advance(resubmitDelay)
	r.want("T: drop all of 0, epoch 4", "S: submit 0.1 [0 1 2]", "L: job 0 stage 0.1: 3 tasks for shuffle 0")
	r.tell(mapped(0, 0, 1, "x", 9))
	r.want()
	r.tell(mapped(0, 1, 0, "a", 4), mapped(0, 1, 1, "a", 4), mapped(0, 1, 2, "a", 4))
	r.want("T: output 0/0 at a", "T: output 0/1 at a", "T: output 0/2 at a", "T: epoch 5", "L: job 0 stage 0.1 ends: ",
		"T: drop all of 1, epoch 6", "S: submit 1.1 [0 1]", "L: job 0 stage 1.1: 2 tasks for shuffle 1")
}

// A job that has results of outputs which are made again fails, with Spark's words. One that has none goes on, and so does one that
// does not need the stage.
func TestResultsOfIndeterminateOutputsCannotBeRolledBack(t *testing.T) {
	for _, has := range []bool{true, false} {
		r := unsureAt(t)
		submit(r, narrow.With(0))
		r.tell(result(3, 0, 0))
		r.tell(mapped(1, 0, 1, "c", 1))
		submit(r, unsure.With(0)) // skips the map stages of the first job
		if has {
			r.tell(result(2, 0, 3))
		}
		r.forget()
		r.tell(missed(4, 0, 1, 1, 0, "c", 2))
		if !has {
			if len(r.bad) > 0 {
				t.Errorf("without a result: %v", r.bad)
			}
			continue
		}
		if len(r.bad) != 1 {
			t.Fatalf("%d jobs failed: %v", len(r.bad), r.bad)
		}
		const why = "A shuffle map stage with indeterminate output was failed and retried. However, Spark cannot rollback the ResultStage 2 to re-process"
		if text := r.bad[0].Error(); !strings.Contains(text, why) {
			t.Error(text)
		}
		r.heard = slices.DeleteFunc(r.heard, func(m string) bool { return m[0] != 'S' })
		r.Advance(resubmitDelay)
		r.heard = slices.DeleteFunc(r.heard, func(m string) bool { return m[0] != 'S' || strings.Contains(m, "cancel") })
		r.want("S: submit 1.1 [0 1]")
	}
}

// What a job that is over has left of an indeterminate stage is of use only if it is whole.
func TestALaterJobReadsIndeterminateOutputsWholeOrNot(t *testing.T) {
	r := unsureAt(t)
	cancels(r, AllJobsCancelled{}, 0)
	r.forget()
	submit(r, unsure.With(0))
	r.want("L: job 1 dag-test-unsure of stages [3 4 5]", "T: drop all of 1, epoch 2", "S: submit 4.0 [0 1]", "L: job 1 stage 4.0: 2 tasks for shuffle 1")
	r.tell(lost(event.ExecutorLost, "b"))
	r.tell(missed(4, 0, 0, 0, 1, "b", 2))
	r.forget()
	r.Advance(resubmitDelay)
	r.want("T: drop all of 0, epoch 4", "S: submit 3.1 [0 1 2]", "L: job 1 stage 3.1: 3 tasks for shuffle 0")
}

// An indeterminate stage that is complete by then keeps what it has.
func TestAnIndeterminateStageThatIsCompleteIsKept(t *testing.T) {
	r := unsureAt(t)
	r.tell(missed(1, 0, 1, 0, -1, "", 1), mapped(1, 0, 1, "c", 1))
	r.forget()
	r.Advance(resubmitDelay)
	r.want("S: submit 2.0 [0 1 2 3]", "L: job 0 stage 2.0: 4 tasks for results")
}

// Only the first failure of a round rolls back: what comes after it is of outputs that are there.
func TestASecondFailureOfARoundRollsNothingBack(t *testing.T) {
	r := unsureAt(t)
	r.tell(mapped(1, 0, 1, "c", 1), missed(2, 0, 0, 1, 0, "c", 2), result(2, 0, 3), missed(2, 0, 1, 1, 1, "c", 2))
	r.Settle()
	if len(r.bad) > 0 {
		t.Error(r.bad)
	}
}

// A job that has results of other stages, or has not started, is not rolled back.
func TestOnlyJobsThatNeedTheStageAreRolledBack(t *testing.T) {
	r := barrierRig(t, nil, 1)
	submit(r, unsure.With(0))
	r.tell(mapped(0, 0, 0, "a", 0), mapped(0, 0, 1, "b", 0), mapped(0, 0, 2, "a", 0))
	submit(r, counted.With(0))
	r.tell(mapped(3, 0, 0, "d", 1), mapped(3, 0, 1, "d", 1), mapped(3, 0, 2, "d", 1), result(4, 0, 0))
	submit(r, meetsAndSums.With(0)) // which waits for slots
	r.tell(missed(1, 0, 1, 0, 1, "b", 1))
	r.Settle()
	if len(r.bad) > 0 {
		t.Error(r.bad)
	}
}
