package dag

import (
	"errors"
	"fmt"
	"testing"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/tasks"
)

// Late outputs of older attempts may complete a stage that waits to be submitted again: then what reads them goes on.
func TestAStageThatIsCompleteByThenIsNotSubmittedAgain(t *testing.T) {
	r := newRig(t, nil)
	submit(r, chain.With(0))
	r.tell(mapped(0, 0, 0, "a", 0), mapped(0, 0, 1, "a", 0), mapped(0, 0, 2, "a", 0), missed(1, 0, 0, 0, -1, "", 1))
	r.Advance(resubmitDelay)
	r.forget()
	r.tell(missed(1, 1, 1, 0, -1, "", 1), mapped(1, 1, 0, "b", 1), mapped(1, 0, 1, "b", 1))
	r.want("L: job 0 stage 1.1 ends: gone", "S: partition 1/1 is there", "T: output 1/0 at b", "T: output 1/1 at b")
	r.Advance(resubmitDelay)
	r.want("S: submit 2.0 [0 1 2 3]", "L: job 0 stage 2.0: 4 tasks for results")
}

// A new attempt waits for its own tasks, not for those that an older one had begun again.
func TestANewAttemptWaitsForItsOwnTasks(t *testing.T) {
	r := newRig(t, nil)
	submit(r, chain.With(0))
	r.tell(mapped(0, 0, 0, "a", 0), mapped(0, 0, 1, "a", 0), mapped(0, 0, 2, "a", 0))
	r.tell(mapped(1, 0, 0, "a", 1), mapped(1, -1, 0, "b", 1), end(1, 0, 0, "a", tasks.Reason{Kind: tasks.KindResubmitted}))
	r.tell(missed(1, 0, 1, 0, -1, "", 1))
	r.Advance(resubmitDelay)
	r.forget()
	r.tell(mapped(1, 1, 1, "b", 1))
	r.want("T: output 1/1 at b", "T: epoch 2", "L: job 0 stage 1.1 ends: ", "S: submit 2.0 [0 1 2 3]", "L: job 0 stage 2.0: 4 tasks for results")
}

// A job that ends while its stages are submitted again has ended for all of them.
func TestAJobThatHasFailedIsNotSubmittedFurther(t *testing.T) {
	r := newRig(t, map[string]string{"spark.stage.maxAttempts": "2", "spark.stage.maxConsecutiveAttempts": "2"})
	submit(r, counted.With(0))
	r.tell(lost(event.ExecutorLost, "a"), mapped(0, 0, 0, "a", 0), mapped(0, 0, 1, "b", 0), mapped(0, 0, 2, "b", 0), mapped(0, 1, 0, "b", 0))
	r.forget()
	r.tell(missed(1, 0, 0, 0, 0, "b", 9))
	r.forget()
	r.Advance(resubmitDelay)
	const failed = "Job aborted due to stage failure: ShuffleMapStage 0 has been resubmitted for the maximum allowable number of times: 2, " +
		"which is the max value of config `spark.stage.maxAttempts` and `spark.stage.maxConsecutiveAttempts`."
	r.want("L: job 0 ends: "+failed, "P: job 0: "+failed,
		"S: cancel 0: Stage cancelled: "+failed, "S: cancel 1: Stage cancelled: "+failed)
}

// spark.stage.maxConsecutiveAttempts attempts that fail to fetch fail the job; several failures of one attempt are one.
func TestAStageThatOftenFailsToFetchFailsItsJob(t *testing.T) {
	r := reducing(t, map[string]string{"spark.stage.maxConsecutiveAttempts": "2"})
	r.tell(missed(1, 0, 0, 0, -1, "", 1), missed(1, 0, 1, 0, -1, "", 1))
	r.Advance(resubmitDelay)
	r.want("L: job 0 stage 1.0 ends: gone", "S: submit 1.1 [0 1]", "L: job 0 stage 1.1: 2 tasks for results")
	r.tell(missed(1, 1, 0, 0, -1, "", 1))
	const failed = "Job aborted due to stage failure: ResultStage 1 has failed the maximum allowable number of times: 2. " +
		"Most recent failure reason:\ngone"
	r.want("L: job 0 stage 1.1 ends: gone", "L: job 0 ends: "+failed, "P: job 0: "+failed,
		"S: cancel 0: Stage cancelled: "+failed, "S: cancel 1: Stage cancelled: "+failed)
	if e, ok := errors.AsType[*JobError](r.bad[0]); !ok || e.Kind != tasks.KindFetchFailed {
		t.Errorf("%#v", r.bad[0])
	}
	r.Advance(resubmitDelay)
	r.want()
}

// A map stage that succeeds between has failed to fetch no more: the attempts are those in a row.
func TestASuccessBetweenForgetsFailuresToFetch(t *testing.T) {
	r := newRig(t, map[string]string{"spark.stage.maxConsecutiveAttempts": "2"})
	submit(r, chain.With(0))
	r.tell(mapped(0, 0, 0, "a", 0), mapped(0, 0, 1, "a", 0), mapped(0, 0, 2, "a", 0))
	for attempt := range int32(3) {
		r.tell(missed(1, 2*attempt, 0, 0, -1, "", 9))
		r.Advance(resubmitDelay)
		r.tell(mapped(1, 2*attempt+1, 0, "b", 9), mapped(1, 2*attempt+1, 1, "b", 9))
		r.tell(missed(2, attempt, 0, 1, 0, "b", 9)) // which makes stage 1 run again
		if attempt < 1 {
			r.Advance(resubmitDelay)
			continue
		}
		break
	}
	r.failed(0, JobError{
		Reason: "ResultStage 2 has failed the maximum allowable number of times: 2. Most recent failure reason:\ngone", Kind: tasks.KindFetchFailed,
	})
}

// spark.stage.maxAttempts is of all attempts of a stage, whatever they failed by, but no less than those in a row.
func TestAStageIsTriedSoOftenInAll(t *testing.T) {
	for _, k := range []struct {
		most, row string
		want      int32
	}{{"2", "1", 2}, {"1", "3", 3}} {
		r := newRig(t, map[string]string{"spark.stage.maxAttempts": k.most, "spark.stage.maxConsecutiveAttempts": k.row})
		submit(r, counted.With(0))
		for attempt := range k.want {
			if len(r.bad) > 0 || len(r.sets) != int(attempt)+1 {
				t.Fatalf("%+v: after %d attempts: %v", k, len(r.sets), r.bad)
			}
			r.tell(lost(event.ExecutorLost, "a"), mapped(0, attempt, 0, "a", 0), mapped(0, attempt, 1, "a", 0), mapped(0, attempt, 2, "a", 0))
		}
		r.failed(0, JobError{Reason: fmt.Sprintf("ShuffleMapStage 0 has been resubmitted for the maximum allowable number of "+
			"times: %d, which is the max value of config `spark.stage.maxAttempts` and `spark.stage.maxConsecutiveAttempts`.", k.want)})
		if len(r.sets) != int(k.want) {
			t.Errorf("%+v: %d attempts", k, len(r.sets))
		}
	}
}

// A finished map task that runs again is waited for, if it is one of the newest attempt.
func TestAResubmittedTaskIsWaitedFor(t *testing.T) {
	again := tasks.Reason{Kind: tasks.KindResubmitted}
	for attempt, ends := range map[int32][]string{
		0:  {"T: output 0/2 at b"},
		-1: {"T: output 0/2 at b", "T: epoch 1", "L: job 0 stage 0.0 ends: ", "S: submit 1.0 [0 1]", "L: job 0 stage 1.0: 2 tasks for results"},
	} {
		r := newRig(t, nil)
		submit(r, counted.With(0))
		r.tell(mapped(0, 0, 0, "a", 0), mapped(0, 0, 1, "a", 0))
		r.forget()
		r.tell(end(0, attempt, 0, "a", again), mapped(0, 0, 2, "b", 0))
		r.want(ends...)
	}
}

// A map task of an older attempt brings its output all the same: the newest attempt need not have it.
func TestAnOlderAttemptsOutputCounts(t *testing.T) {
	r := reducing(t, nil)
	r.tell(missed(1, 0, 0, 0, 2, "a", 1))
	r.forget()
	r.tell(mapped(0, 0, 0, "c", 3), mapped(0, 0, 2, "c", 3)) // before the stage is submitted again
	r.want("T: output 0/0 at c", "T: output 0/2 at c")
	r.Advance(resubmitDelay)
	r.want("S: submit 1.1 [0 1]", "L: job 0 stage 1.1: 2 tasks for results")
}

// When one of a job's failed stages may not be tried again the job ends: its other failed stages, which may be, are not submitted.
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
