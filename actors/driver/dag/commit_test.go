package dag

import (
	"testing"

	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/actors/rdd"
)

// Only stages whose tasks save are announced to OutputCommitCoordinator, before their tasks are submitted; each attempt is, and the end
// of the job is that of the stage.
func TestOnlyStagesThatWriteOutputAreAnnounced(t *testing.T) {
	r := reducing(t, nil)
	r.tell(result(1, 0, 0), result(1, 0, 1))
	r.forget()
	submit(r, counted.With(0)) // which collects
	r.tell(result(3, 0, 0), result(3, 0, 1))
	r.want("L: job 1 dag-test-counted of stages [2 3]", "L: job 1 stage 3.0: 2 tasks for results", "S: submit 3.0 [0 1]",
		"L: job 1 stage 3.0 ends: ", "L: job 1 ends: <nil>", "P: job 1: [{0 [48]} {1 [49]}]", "S: cancel 3: Stage finished")

	r.action = rdd.ActionSave
	submit(r, counted.With(0))
	r.want("L: job 2 dag-test-counted of stages [4 5]", "L: job 2 stage 5.0: 2 tasks for results", "C: stage 5 of 2", "S: submit 5.0 [0 1]")
	r.tell(result(5, 0, 1), missed(5, 0, 0, 0, 0, "a", 9))
	r.forget()
	r.Advance(resubmitDelay)
	r.tell(mapped(4, 1, 0, "b", 9), mapped(4, 1, 2, "b", 9))
	heard := r.heard
	r.heard = nil
	for _, m := range heard {
		if m[0] == 'C' || m[:2] == "S:" {
			r.heard = append(r.heard, m)
		}
	}
	r.want("C: stage 5 of 2", "S: submit 4.1 [0 2]", "S: submit 5.1 [0]")
}

// Of the ends of tasks OutputCommitCoordinator hears of failures, of those of older attempts too; successes and denials change nothing.
func TestFailuresOfTasksThatWriteOutputAreReported(t *testing.T) {
	r := newRig(t, nil)
	r.action = rdd.ActionSave
	submit(r, narrow.With(0))
	r.want("L: job 0 dag-test-narrow of stages [0]", "L: job 0 stage 0.0: 3 tasks for results", "C: stage 0 of 3", "S: submit 0.0 [0 1 2]")
	failed := end(0, 0, 1, "a", tasks.Reason{Kind: tasks.KindExceptionFailure})
	failed.Attempt = 4
	old := end(0, -1, 2, "a", tasks.Reason{Kind: tasks.KindTaskKilled})
	r.tell(failed, old, end(0, 0, 2, "a", tasks.Reason{Kind: tasks.KindTaskCommitDenied}), end(0, 0, 3, "a", tasks.Reason{Kind: tasks.KindExceptionFailure}),
		result(0, 0, 2))
	r.want("C: attempt 4 of 1 in 0.0 failed", "C: attempt 0 of 2 in 0.-1 failed")
	cancels(r, JobCancelled{JobID: 0, Reason: "now"}, 0)
	const why = "Job 0 cancelled now"
	r.want("L: job 0 stage 0.0 ends: Stage cancelled: "+why, "L: job 0 ends: "+why, "P: job 0: "+why, "C: stage 0 ends",
		"S: cancel 0: Stage cancelled: "+why)
	r.tell(failed)
	r.want()
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
