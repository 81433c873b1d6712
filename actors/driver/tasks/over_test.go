package tasks

import (
	"slices"
	"testing"

	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

func result(bytes int) *app.TaskResult { return &app.TaskResult{Records: make([]byte, bytes)} }

// limited is a Scheduler of one set whose results may be ten bytes together, with all its tasks on executor a.
func limited(s Set, limit int64) *kit {
	p := newKit(1, Config{MaxFailures: 4, MaxResultSize: limit})
	p.Submit(s)
	p.Offers(at{{"a", "h", len(s.Tasks)}}, inOrder)
	return p
}

// The limit is of all results together, and what reaches it is not beyond it. A set fails once, whatever its other attempts bring.
func TestResultsBeyondTheLimitFailTheirSetOnce(t *testing.T) {
	p := limited(newSet(1, 0, 0, 4), 10)
	finish := func(id int64, bytes int) []rpcenv.Message {
		return p.Update(id, app.TaskState_FINISHED, result(bytes), nil)
	}
	want(t, texts(finish(0, 6)), "Success 0.0 of 1.0")
	want(t, texts(finish(1, 4)), "Success 1.0 of 1.0")
	got := finish(2, 3)
	want(t, texts(got), "TaskKilled 2.0 of 1.0", "failed 1.0")
	over := TaskSetFailed{
		Set:    SetID{1, 0},
		Reason: "Total size of serialized results of 3 tasks (13.0 B) is bigger than spark.driver.maxResultSize (10.0 B)",
		Cause:  killed("Tasks result size has exceeded maxResultSize"),
	}
	if got[1] != rpcenv.Message(over) {
		t.Errorf("got  %+v\nwant %+v", got[1], over)
	}
	if e := got[0].(CompletionEvent); e.Reason != over.Cause {
		t.Errorf("%+v", e)
	}
	want(t, texts(finish(3, 1)), "Success 3.0 of 1.0")
}

func TestWithoutALimitAResultMayBeOfAnySize(t *testing.T) {
	want(t, texts(limited(newSet(0, 0, 0, 1), 0).Update(0, app.TaskState_FINISHED, result(1000), nil)), "Success 0.0 of 0.0")
}

// What a map task writes stays on its executor.
func TestMapOutputsAreNotOfTheResultsSize(t *testing.T) {
	r := mapped()
	r.Records = make([]byte, 11)
	want(t, texts(limited(newMapSet(0, 0, 0, 1), 10).Update(0, app.TaskState_FINISHED, r, nil)), "Success 0.0 of 0.0")
}

// An attempt that could not be sent ends, and its set with it: a second try would be as large.
func TestAnAttemptThatCannotBeSentFailsItsSet(t *testing.T) {
	p := pool(newSet(0, 0, 0, 2))
	p.Offers(at{{"a", "h", 1}}, inOrder)
	got := p.Abort(0, "too large")
	want(t, texts(got), "TaskTooLarge 0.0 of 0.0", "failed 0.0")
	cause := Reason{Kind: KindTaskTooLarge, Text: "too large"}
	if f := got[1].(TaskSetFailed); f != (TaskSetFailed{Set: SetID{0, 0}, Reason: "too large", Cause: cause}) {
		t.Errorf("%+v", f)
	}
	want(t, names(p.Offers(at{{"a", "h", 9}}, inOrder)))
	want(t, texts(p.Abort(0, "again")))
	if p.Known(0, "a") || len(p.sets) > 0 {
		t.Error("the set that failed is still there")
	}
}

// A stage has one set that starts tasks, the newest one.
func TestANewerSetOfAStageReplacesTheOlder(t *testing.T) {
	p := pool(newSet(1, 0, 0, 2), newSet(2, 0, 0, 1), newSet(1, 1, 0, 2))
	want(t, names(p.Offers(at{{"a", "h", 9}}, inOrder)), "a: task 0.0 in stage 1.1 (TID 0)", "a: task 1.0 in stage 1.1 (TID 1)",
		"a: task 0.0 in stage 2.0 (TID 2)")
	if len(p.sets) != 2 {
		t.Errorf("%d sets are kept, want those that can still do something", len(p.sets))
	}
}

// Without a task no end of one could end the set.
func TestASetWithoutTasksIsNotKept(t *testing.T) {
	if p := pool(newSet(0, 0, 0, 0)); len(p.sets) > 0 {
		t.Errorf("%d sets are kept", len(p.sets))
	}
}

// A partition counts once, though an older set and the newer one both bring it: the set waits for its other tasks.
func TestAPartitionThatCameTwiceIsOneTaskDone(t *testing.T) {
	p := pool(newSet(1, 0, 0, 2), newSet(2, 0, 0, 2))
	p.Offers(at{{"a", "h", 1}}, inOrder)
	p.Submit(newSet(1, 1, 0, 2))
	want(t, names(p.Offers(at{{"b", "h", 1}}, inOrder)), "b: task 0.0 in stage 1.1 (TID 1)")
	want(t, texts(p.finish(0)), "Success 0.0 of 1.0")
	p.PartitionCompleted(1, 0, p.now)
	want(t, texts(p.finish(1)), "Success 0.0 of 1.1")
	want(t, names(p.Offers(at{{"b", "h", 9}}, inOrder)), "b: task 1.0 in stage 1.1 (TID 2)",
		"b: task 0.0 in stage 2.0 (TID 3)", "b: task 1.0 in stage 2.0 (TID 4)")
}

// A task that failed after an older set brought its partition has nothing left to do.
func TestATaskWhosePartitionIsThereIsNotTriedAgain(t *testing.T) {
	p := pool(newSet(1, 0, 0, 2))
	p.Offers(at{{"a", "h", 1}}, inOrder)
	p.Submit(newSet(1, 1, 0, 2))
	p.Offers(at{{"b", "h", 1}}, inOrder)
	p.finish(0)
	p.PartitionCompleted(1, 0, p.now)
	want(t, texts(p.fail(1, KindExceptionFailure)), "ExceptionFailure 0.0 of 1.1")
	want(t, names(p.Offers(at{{"b", "h", 9}}, inOrder)), "b: task 1.0 in stage 1.1 (TID 2)")
	if p.Waiting() {
		t.Error("it still waits")
	}
}

// The attempts of a set that is over are heard of until they have ended, in order of the sets; its finished map tasks stay as
// they are, since a newer set computes what is missing.
func TestASetThatIsOverLivesWithItsAttempts(t *testing.T) {
	p := pool(newMapSet(1, 0, 0, 3))
	p.Offers(at{{"a", "h", 2}}, inOrder)
	p.finish(0)
	p.Submit(newMapSet(1, 1, 0, 2))
	p.Offers(at{{"a", "h", 1}}, inOrder)
	want(t, texts(p.ExecutorLost("a", Loss{})), "ExecutorLostFailure 1.0 of 1.0", "ExecutorLostFailure 0.0 of 1.1")
	if len(p.sets) != 1 {
		t.Errorf("%d sets are kept, want the newer one", len(p.sets))
	}
}

// A failure in a set that is over is nobody's: the set ends no second time.
func TestFailuresInASetThatIsOverDoNotCount(t *testing.T) {
	p := newKit(1, Config{MaxFailures: 1})
	p.Submit(newSet(1, 0, 0, 2))
	p.Offers(at{{"a", "h", 2}}, inOrder)
	want(t, texts(p.fail(0, KindExceptionFailure)), "ExceptionFailure 0.0 of 1.0", "failed 1.0")
	want(t, texts(p.fail(1, KindExceptionFailure)), "ExceptionFailure 1.0 of 1.0")
}

// Only what the lost executor had is lost.
func TestMapTasksOfOtherExecutorsStayFinished(t *testing.T) {
	p := pool(newMapSet(0, 0, 0, 3))
	p.Offers(at{{"a", "h", 1}, {"b", "h", 1}}, inOrder)
	p.finish(0)
	p.finish(1)
	got := p.ExecutorLost("b", Loss{})
	want(t, texts(got), "Resubmitted 1.0 of 0.0")
	if r := got[0].(CompletionEvent).Reason; r != (Reason{Kind: KindResubmitted, Text: "Resubmitted (resubmitted due to lost executor)"}) {
		t.Errorf("%+v", r)
	}
	want(t, names(p.Offers(at{{"a", "h", 9}}, inOrder)), "a: task 1.1 in stage 0.0 (TID 2)", "a: task 2.0 in stage 0.0 (TID 3)")
}

// Attempts that have ended are not killed, and a stage without a running attempt is forgotten at once.
func TestACancelledStageIsForgottenWithItsLastAttempt(t *testing.T) {
	p := pool(newSet(0, 0, 0, 3))
	p.Offers(at{{"a", "h", 2}}, inOrder)
	p.finish(0)
	if kills := p.Cancel(0, "why"); !slices.Equal(kills, []Kill{{"a", 1, false, "why"}}) {
		t.Errorf("kills %v", kills)
	}
	if len(p.sets) != 1 {
		t.Errorf("%d sets, want the one that an attempt runs of", len(p.sets))
	}
	p.finish(1)
	p.Submit(newSet(1, 0, 0, 1))
	p.Cancel(1, "why")
	if len(p.sets) > 0 {
		t.Errorf("%d sets are kept", len(p.sets))
	}
}

// Which executor comes first is the caller's chance.
func TestOffersGoInTheOrderOfTheShuffle(t *testing.T) {
	turn := func(n int, swap func(i, j int)) {
		if n != 3 {
			t.Errorf("%d offers are shuffled", n)
		}
		swap(0, 2)
	}
	offers := at{{"a", "h", 1}, {"b", "h", 1}, {"c", "h", 1}}.offers()
	k := pool(newSet(0, 0, 0, 3))
	launches, _ := k.Scheduler.Offers(offers, true, turn, k.now)
	want(t, names(launches), "c: task 0.0 in stage 0.0 (TID 0)",
		"b: task 1.0 in stage 0.0 (TID 1)", "a: task 2.0 in stage 0.0 (TID 2)")
	if offers[0].Executor != "a" || offers[0].Cores != 1 {
		t.Errorf("the caller's offers are changed: %v", offers)
	}
}

// Launched reports whether the cluster ever gave a core, Waiting whether one more would be of use.
func TestAPoolKnowsWhetherItWaitsAndHasBegun(t *testing.T) {
	p := pool()
	says := func(what string, launched, waiting bool) {
		t.Helper()
		if p.Launched() != launched || p.Waiting() != waiting {
			t.Errorf("%s: launched %v, waiting %v", what, p.Launched(), p.Waiting())
		}
	}
	says("without a set", false, false)
	p.Submit(newSet(0, 0, 0, 2))
	says("with a set", false, true)
	p.Offers(nil, inOrder)
	says("with no core", false, true)
	p.Offers(at{{"a", "h", 1}}, inOrder)
	says("with one of two cores", true, true)
	p.Offers(at{{"a", "h", 1}}, inOrder)
	says("with both", true, false)
	p.Offers(at{{"a", "h", 1}}, inOrder)
	says("with a core too many", true, false)
	p.fail(0, KindExceptionFailure)
	says("after a failure", true, true)
	p.Cancel(0, "")
	says("of a cancelled stage an attempt still runs", true, false)
	p.finish(1)
	says("at the end", true, false)
}

func TestAnAttemptIsKnownOnItsOwnExecutor(t *testing.T) {
	p := pool(newSet(0, 0, 0, 1))
	p.Offers(at{{"a", "h", 1}}, inOrder)
	if !p.Known(0, "a") || p.Known(0, "b") || p.Known(1, "a") {
		t.Error("want attempt 0 on executor a, and no other")
	}
}
