package dag

import (
	"slices"
	"testing"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/actors/rdd"
)

// A job that ends while its failed stages are submitted again has ended for those that come after, too, which were made less often.
func TestAStageOfAJobThatEndedMeanwhileIsNotSubmitted(t *testing.T) {
	r := newRig(t, map[string]string{"spark.stage.maxAttempts": "2", "spark.stage.maxConsecutiveAttempts": "2"})
	submit(r, joined.With(0))
	r.tell(lost(event.ExecutorLost, "a"), mapped(0, 0, 0, "a", 0), mapped(0, 1, 0, "b", 9), mapped(1, 0, 0, "c", 9), mapped(1, 0, 1, "c", 9))
	r.tell(missed(2, 0, 0, 0, 0, "b", 9), missed(2, 0, 1, 1, 0, "c", 9))
	n := len(r.sets)
	r.Advance(resubmitDelay)
	if len(r.bad) != 1 || len(r.sets) != n {
		t.Errorf("errors %v, submitted %v", r.bad, r.sets[n:])
	}
}

// A stage that may not be tried again, but is complete by then, needs no other attempt.
func TestAStageThatIsCompleteNeedsNoOtherAttempt(t *testing.T) {
	r := newRig(t, map[string]string{"spark.stage.maxAttempts": "2", "spark.stage.maxConsecutiveAttempts": "2"})
	submit(r, chain.With(0))
	r.tell(mapped(0, 0, 0, "b", 0), mapped(0, 0, 1, "b", 0), mapped(0, 0, 2, "b", 0), lost(event.ExecutorLost, "a"))
	r.tell(mapped(1, 0, 0, "a", 0), mapped(1, 0, 1, "c", 9)) // the first is not entered: attempt 1
	r.tell(missed(1, 1, 0, 0, -1, "", 9), mapped(1, 0, 0, "c", 9))
	r.Advance(resubmitDelay)
	if r.wantNewest("2.0 [0 1 2 3] at [[] [] [] []]"); len(r.bad) > 0 {
		t.Error(r.bad)
	}
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

// Each shuffle's moves are its own, and an output that lies nowhere cannot move, whatever its number.
func TestMovesOfSeveralShuffles(t *testing.T) {
	r := newRig(t, nil)
	submit(r, counted.With(0))
	submit(r, counted.With(1))
	r.tell(by(10, mapped(0, 0, 0, "a", 0)), by(20, mapped(2, 0, 0, "a", 0)), by(21, mapped(2, 0, 1, "b", 0)))
	r.forget()
	m := moved(20, "c")
	m.Shuffle = 1
	r.tell(m, moved(0, "c"))
	r.want("T: move 20 of 1/0 to c")
	r.tell(lost(event.ExecutorLost, "a"))
	r.forget()
	r.tell(moved(0, "c"))
	r.want()
}

// A cancelled group counts once among those that are remembered.
func TestAGroupThatIsCancelledTwiceIsRememberedOnce(t *testing.T) {
	r := newRig(t, map[string]string{"spark.scheduler.numCancelledJobGroupsToTrack": "2"})
	for _, group := range []string{"a", "b", "b"} {
		cancels(r, JobGroupCancelled{Group: group, Future: true})
	}
	r.submitAll(under(t, rdd.WithJobGroup(t.Context(), "a", ""), narrow.With(0)))
	r.want("P: job 0: Job 0 cancelled part of cancelled job group a")
}

// The tasks of a stage that writes output fail by its own number; one that never was submitted does not end.
func TestCommitsAreByStage(t *testing.T) {
	r := newRig(t, nil)
	r.action = rdd.ActionSave
	submit(r, counted.With(0))
	submit(r, counted.With(1))
	cancels(r, JobCancelled{JobID: 1, Reason: "x"}, 1)
	r.tell(mapped(0, 0, 0, "a", 0), mapped(0, 0, 1, "a", 0), mapped(0, 0, 2, "a", 0), end(1, 0, 0, "a", tasks.Reason{Kind: tasks.KindExceptionFailure}))
	if got := r.only("C"); got != "C: stage 1 of 2\nC: attempt 0 of 0 in 1.0 failed" {
		t.Error(got)
	}
}

// A dataset without a shuffle is forgotten with its last job, others as their shuffles are.
func TestWhatIsForgottenOfDatasets(t *testing.T) {
	x := newDatasets()
	narrow, wide := &dataset{key: "n", jobs: 2}, &dataset{key: "w", jobs: 1, shuffles: []*shuffle{newShuffle(4, 1, 1)}}
	x.add(narrow)
	x.add(wide)
	if x.jobEnded(narrow, 9); x.byKey["n"] == nil {
		t.Error("it is forgotten, though a job needs it")
	}
	if x.jobEnded(narrow, 9); x.byKey["n"] != nil || !slices.Equal(x.all, []*dataset{wide}) {
		t.Error("a dataset without a shuffle is kept")
	}
	if got := x.jobEnded(wide, 0); !slices.Equal(got, []int32{4}) || len(x.byKey) > 0 || len(x.shuffles) > 0 || len(x.all) > 0 {
		t.Errorf("forgot %v, left %v", got, x)
	}
}

// A function of the user that fails to say where a partition wants to run fails its job.
func TestAPreferenceThatFailsFailsItsJob(t *testing.T) {
	r := newRig(t, nil)
	submit(r, noPlace.With(0))
	if len(r.bad) != 1 || len(r.sets) > 0 {
		t.Error(r.bad, r.sets)
	}
}

var noPlace = rdd.Define("dag-test-no-place", func(int) rdd.Dataset[int64] {
	return rdd.Prefer(rdd.Range(0, 9, 3), func(int) []string { panic("nowhere") })
})

// keptTwice keeps a dataset and what is made of it.
var keptTwice = rdd.Define("dag-test-kept-twice", func(int) rdd.Dataset[ones] {
	return rdd.Cache(rdd.Map(rdd.Cache(sums()), func(p ones) ones { return p }))
})

// Of what is kept in part, a task prefers the nearest that has its partition; else the outputs that it fetches.
func TestATaskPrefersTheNearestThatIsKept(t *testing.T) {
	r := keptRig(t, rdd.MemFS{})
	submit(r, keptTwice.With(0))
	r.tell(wrote(0, 0, 0, "h1/a", 0, 9, 9), wrote(0, 0, 1, "h1/a", 0, 9, 9), wrote(0, 0, 2, "h1/a", 0, 9, 9))
	r.tell(keeps(5, 0, "c", true), keeps(3, 0, "d", true))
	submit(r, keptTwice.With(0))
	r.wantNewest("2.0 [0 1] at [[hc/c] [h1]]")
	cancels(r, AllJobsCancelled{}, 0, 1)
	r.tell(keeps(5, 0, "c", false))
	submit(r, keptTwice.With(0))
	r.wantNewest("4.0 [0 1] at [[hd/d] [h1]]")
}

// A dataset that is kept again, while its shuffles are known, gets another number; what a task of then keeps is given up.
func TestAKnownDatasetIsKeptAgainByAnotherNumber(t *testing.T) {
	r := keptOnce(t)
	r.unpersists(3, keyOfKept(t, keptSums.With(0)))
	r.forget()
	r.tell(keeps(3, 0, "c", true))
	r.want("M: remove 3")
	submit(r, keptSums.With(0))
	r.tell(mapped(2, 0, 0, "b", 9), mapped(2, 0, 1, "b", 9), mapped(2, 0, 2, "b", 9))
	r.Settle()
	if p := r.sets[len(r.sets)-1].Work.Persisted; len(p) != 1 || p[0].GetRddId() != 4 {
		t.Errorf("tasks keep %v", p)
	}
}
