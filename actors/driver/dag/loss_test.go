package dag

import (
	"slices"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/actors/rdd"
)

// counted has one shuffle: three map tasks, two result tasks.
var counted = rdd.Define("dag-test-counted", func(int) rdd.Dataset[ones] {
	pairs := rdd.Map(rdd.Range(0, 9, 3), func(i int64) ones { return rdd.PairOf("k", i) })
	return rdd.ReduceByKey(pairs, func(a, b int64) int64 { return a + b }, 2)
})

// reducing is a rig whose job has its map outputs, two at a, one at b, and reduces them in stage 1, epoch 1.
func reducing(t *testing.T, values map[string]string) *rig {
	t.Helper()
	r := newRig(t, values)
	submit(r, counted.With(0))
	r.tell(mapped(0, 0, 0, "a", 0), mapped(0, 0, 1, "b", 0), mapped(0, 0, 2, "a", 0))
	r.forget()
	return r
}

func lost(kind event.ExecutorKind, id string) event.ExecutorChange {
	return event.ExecutorChange{Kind: kind, ExecutorID: id}
}

// The output that was missed and all others of its executor are given up, and both stages are submitted again together, 200 ms
// later, for what is missing.
func TestAFetchFailureSubmitsBothStagesAgain(t *testing.T) {
	r := reducing(t, nil)
	r.tell(result(1, 0, 1), missed(1, 0, 0, 0, 2, "a", 1))
	r.want("L: job 0 stage 1.0 ends: gone", "T: drop 0/2 at a, epoch 2", "T: drop all at a, epoch 3")
	r.Advance(resubmitDelay - time.Millisecond)
	r.want()
	r.Advance(2 * time.Millisecond)
	r.want("S: submit 0.1 [0 2]", "L: job 0 stage 0.1: 2 tasks for shuffle 0")
	if got, want := r.states()[5:], []string{
		"stage ResultStage 1: RUNNING to FAILED, fetch failed",
		"stage ShuffleMapStage 0: IDLE to FAILED, outputs were lost",
		"stage ShuffleMapStage 0: FAILED to IDLE, submitted again",
		"stage ResultStage 1: FAILED to IDLE, submitted again",
		"stage ShuffleMapStage 0: IDLE to RUNNING, submitted",
		"stage ResultStage 1: IDLE to WAITING, parents are missing",
	}; !slices.Equal(got, want) {
		t.Errorf("states %q", got)
	}
	r.tell(mapped(0, 1, 0, "b", 3), mapped(0, 1, 2, "b", 3))
	r.want("T: output 0/0 at b", "T: output 0/2 at b", "T: epoch 4", "L: job 0 stage 0.1 ends: ",
		"L: job 0 stage 1.1: 1 tasks for results", "S: submit 1.1 [0]")
	r.tell(result(1, 1, 0))
	r.want("L: job 0 stage 1.1 ends: ", "L: job 0 ends: <nil>", "P: job 0: [{0 [48]} {1 [49]}]",
		"S: cancel 0: Stage finished", "S: cancel 1: Stage finished")
}

// Failures that come together are one round; those that an older attempt or no output says change nothing.
func TestFetchFailuresThatComeTogetherAreOne(t *testing.T) {
	r := reducing(t, nil)
	r.tell(missed(1, 0, 0, 0, 2, "a", 1))
	r.forget()
	r.Advance(100 * time.Millisecond)
	r.tell(missed(1, 0, 1, 0, 0, "a", 1)) // of before the loss of a: known already
	r.want()
	r.Advance(resubmitDelay - 100*time.Millisecond)
	r.want("S: submit 0.1 [0 2]", "L: job 0 stage 0.1: 2 tasks for shuffle 0")
	if got := r.states(); slices.Contains(got, "stage ResultStage 1: FAILED to FAILED, fetch failed") {
		t.Errorf("states %q", got)
	}
	r.tell(missed(1, 0, 1, 0, 0, "a", 1)) // while the outputs are made again
	r.Advance(time.Second)
	r.want()
	r.tell(missed(1, -1, 0, 0, 1, "b", 3), end(1, 0, 0, "r", tasks.Reason{Kind: tasks.KindFetchFailed}))
	r.Advance(time.Second)
	r.want()
	r.tell(mapped(0, 1, 0, "b", 3), mapped(0, 1, 2, "b", 3))
	r.forget()
	r.tell(missed(1, 0, 1, 0, 1, "b", 4))
	r.Advance(time.Second)
	r.want()
}

// An output whose place was not known is nobody's: the reducer alone is tried again.
func TestAnOutputOfUnknownPlaceIsNotGivenUp(t *testing.T) {
	r := reducing(t, nil)
	submit(r, narrow.With(0)) // which runs on
	r.forget()
	r.tell(missed(1, 0, 0, 0, -1, "", 1))
	r.want("L: job 0 stage 1.0 ends: gone")
	r.Advance(100 * time.Millisecond)
	r.tell(missed(1, 0, 1, 0, -1, "", 1))
	r.Advance(resubmitDelay - 100*time.Millisecond)
	r.want("S: submit 1.1 [0 1]", "L: job 0 stage 1.1: 2 tasks for results")
	r.Advance(50 * time.Millisecond)
	r.tell(missed(1, 1, 0, 0, -1, "", 1)) // which waits for as long, though another failure came not so long ago
	r.want("L: job 0 stage 1.1 ends: gone")
	r.Advance(resubmitDelay - time.Millisecond)
	r.want()
	r.Advance(2 * time.Millisecond)
	r.want("S: submit 1.2 [0 1]", "L: job 0 stage 1.2: 2 tasks for results")
}

// What a report says wrongly of an output harms none that lies elsewhere.
func TestOnlyTheOutputThatWasMissedIsDropped(t *testing.T) {
	for name, m := range map[string]tasks.CompletionEvent{
		"it lies elsewhere by now": missed(1, 0, 0, 0, 1, "x", 1),
		"no such map task":         missed(1, 0, 0, 0, 3, "x", 1),
		"no such shuffle":          missed(1, 0, 0, 5, 0, "x", 1),
		"no such task or shuffle":  missed(1, 0, 0, 5, -1, "x", 1),
	} {
		t.Run(name, func(t *testing.T) {
			r := reducing(t, nil)
			r.tell(m)
			r.want("L: job 0 stage 1.0 ends: gone", "T: drop all at x, epoch 2")
			r.Advance(resubmitDelay)
			r.want("S: submit 1.1 [0 1]", "L: job 0 stage 1.1: 2 tasks for results")
		})
	}
}

func TestAJobWithoutAShuffleMissesNoOutput(t *testing.T) {
	r := newRig(t, nil)
	submit(r, narrow.With(0))
	r.forget()
	r.tell(missed(0, 0, 0, 0, 0, "x", 0))
	r.want("L: job 0 stage 0.0 ends: gone", "T: drop all at x, epoch 1")
	r.Advance(resubmitDelay)
	r.want("S: submit 0.1 [0 1 2]", "L: job 0 stage 0.1: 3 tasks for results")
}

// Of a job with several shuffles, the stage that wrote the output runs again, and none before it.
func TestTheStageThatWroteTheOutputRunsAgain(t *testing.T) {
	r := newRig(t, nil)
	submit(r, chain.With(0))
	r.tell(mapped(0, 0, 0, "a", 0), mapped(0, 0, 1, "a", 0), mapped(0, 0, 2, "a", 0), mapped(1, 0, 0, "b", 1), mapped(1, 0, 1, "c", 1))
	r.forget()
	r.tell(missed(2, 0, 0, 1, 0, "b", 2))
	r.want("L: job 0 stage 2.0 ends: gone", "T: drop 1/0 at b, epoch 3", "T: drop all at b, epoch 4")
	r.Advance(resubmitDelay)
	r.want("S: submit 1.1 [0]", "L: job 0 stage 1.1: 1 tasks for shuffle 1")
}

// An executor that brought outputs again keeps them when a task of before its loss reports that loss.
func TestALossThatIsKnownIsNotTakenTwice(t *testing.T) {
	r := reducing(t, nil)
	r.tell(lost(event.ExecutorLost, "b"), missed(1, 0, 0, 0, 2, "a", 2))
	r.want("T: drop all at b, epoch 2", "L: job 0 stage 1.0 ends: gone", "T: drop 0/2 at a, epoch 3", "T: drop all at a, epoch 4")
	r.Advance(resubmitDelay)
	r.want("S: submit 0.1 [0 1 2]", "L: job 0 stage 0.1: 3 tasks for shuffle 0")
	r.tell(mapped(0, 1, 0, "a", 4), mapped(0, 1, 1, "a", 4), mapped(0, 1, 2, "c", 4))
	r.forget()
	r.tell(missed(1, 1, 0, 0, 1, "a", 3)) // made before the loss of epoch 4
	r.want("L: job 0 stage 1.1 ends: gone", "T: drop 0/1 at a, epoch 6")
	r.Advance(resubmitDelay)
	r.want("S: submit 0.2 [1]", "L: job 0 stage 0.2: 1 tasks for shuffle 0")
	r.tell(mapped(0, 2, 1, "c", 6))
	r.forget()
	r.tell(missed(1, 2, 0, 0, 2, "a", 4))
	r.want("L: job 0 stage 1.2 ends: gone", "T: drop all at a, epoch 8")
}

// What an executor brings from a task that was made before its outputs were given up may be gone: the stage ends without it,
// and runs again for it. What it brings from a later task counts, and so does all of an executor that registers anew.
func TestOutputsOfBeforeALossAreNotEntered(t *testing.T) {
	r := newRig(t, nil)
	submit(r, counted.With(0))
	r.tell(lost(event.ExecutorLossPending, "a"), lost(event.ExecutorLossPending, "b"))
	r.forget()
	r.tell(mapped(0, 0, 0, "a", 0), mapped(0, 0, 1, "a", 1), mapped(0, 0, 2, "c", 0))
	r.want("T: output 0/1 at a", "T: output 0/2 at c", "T: epoch 3", "L: job 0 stage 0.0 ends: some of its tasks' outputs were lost",
		"S: submit 0.1 [0]", "L: job 0 stage 0.1: 1 tasks for shuffle 0")
	r.tell(lost(event.ExecutorAdded, "b"), mapped(0, 1, 0, "b", 0))
	r.want("T: output 0/0 at b", "T: epoch 4", "L: job 0 stage 0.1 ends: ", "S: submit 1.0 [0 1]", "L: job 0 stage 1.0: 2 tasks for results")
	if got := r.states(); !slices.Contains(got, "stage ShuffleMapStage 0: RUNNING to IDLE, outputs were lost") {
		t.Errorf("states %q", got)
	}
}

// The end of a connection and the loss itself give the outputs up, in all stages of all jobs, and in no other executor's name.
func TestALostExecutorsOutputsAreGivenUpInAllJobs(t *testing.T) {
	for _, kind := range []event.ExecutorKind{event.ExecutorLossPending, event.ExecutorLost} {
		r := newRig(t, nil)
		submit(r, counted.With(0))
		submit(r, counted.With(1))
		r.tell(mapped(0, 0, 0, "a", 0), mapped(0, 0, 1, "b", 0), mapped(2, 0, 0, "b", 0), mapped(2, 0, 1, "a", 0))
		r.forget()
		r.tell(lost(event.ExecutorAdded, "c"), lost(kind, "a"))
		r.want("T: drop all at a, epoch 1")
		r.tell(mapped(0, 0, 2, "b", 0), mapped(2, 0, 2, "b", 0))
		r.want("T: output 0/2 at b", "T: epoch 2", "T: output 1/2 at b", "T: epoch 3", "S: submit 0.1 [0]", "S: submit 2.1 [1]",
			"L: job 0 stage 0.0 ends: some of its tasks' outputs were lost", "L: job 0 stage 0.1: 1 tasks for shuffle 0",
			"L: job 1 stage 2.0 ends: some of its tasks' outputs were lost", "L: job 1 stage 2.1: 1 tasks for shuffle 1")
	}
}

// joined needs two shuffles, of which neither needs the other.
var joined = rdd.Define("dag-test-joined", func(int) rdd.Dataset[rdd.Pair[string, rdd.Both[int64, int64]]] {
	side := func(maps int) rdd.Dataset[ones] {
		return rdd.Map(rdd.Range(0, 9, maps), func(i int64) ones { return rdd.PairOf("k", i) })
	}
	return rdd.Join(side(1), side(2), 2)
})

// A parent that was complete and lost outputs while another ran is submitted again when that one is complete.
func TestAParentThatLostOutputsMeanwhileRunsAgain(t *testing.T) {
	r := newRig(t, nil)
	submit(r, joined.With(0))
	r.tell(mapped(0, 0, 0, "a", 0), mapped(1, 0, 0, "b", 0), lost(event.ExecutorLost, "a"))
	r.forget()
	r.tell(mapped(1, 0, 1, "b", 1))
	r.forget()
	if got := r.states(); got[len(got)-1] != "stage ShuffleMapStage 0: IDLE to RUNNING, submitted" {
		t.Errorf("states %q", got)
	}
}

// A report of a shuffle that no job's stage writes gives up its outputs, and nothing runs again for it.
func TestAFailureToFetchFromAShuffleThatNoJobNeeds(t *testing.T) {
	r := reducing(t, nil)
	r.counts(1, 0)
	submit(r, narrow.With(0))
	r.forget()
	r.tell(missed(2, 0, 0, 0, 0, "a", 9))
	r.want("L: job 1 stage 2.0 ends: gone", "T: drop 0/0 at a, epoch 2", "T: drop all at a, epoch 3")
	r.tell(missed(2, 0, 1, 0, -1, "x", 9)) // no map task is of that number
	r.want("T: drop all at x, epoch 4")
}
