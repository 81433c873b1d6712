package dag

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// under is an invocation as the action of a context makes it.
func under[T any](t *testing.T, ctx context.Context, b rdd.Bound[T]) (inv rdd.Invocation) { //nolint:revive // as in testing, t first
	t.Helper()
	if _, err := rdd.Count(ctx, noted{&inv}, b); err != nil {
		t.Fatal(err)
	}
	return inv
}

// noted is a Runner that only notes the job.
type noted struct{ inv *rdd.Invocation }

func (n noted) RunJob(_ context.Context, inv rdd.Invocation, _ rdd.Action) ([]rdd.Result, error) {
	*n.inv = inv
	return nil, nil
}

func (n noted) Partitions(context.Context, rdd.Invocation) (int, error) { return 0, nil }

// submitAll begins jobs at once, without waiting for their splits.
func (r *rig) submitAll(invs ...rdd.Invocation) {
	r.scheduler.Do(func(c *rpcenv.Context) {
		for _, inv := range invs {
			r.ask(c, inv)
		}
	})
}

// cancels asks for a cancellation, and checks which jobs it has ended.
func cancels[Q rpcenv.Asks[JobsCancelled]](r *rig, q Q, want ...int32) {
	r.t.Helper()
	got, err := rpctest.Ask[JobsCancelled](r.scheduler, r.ref, q)
	if err != nil || !slices.Equal(got.Jobs, want) {
		r.t.Errorf("%+v ended the jobs %v, %v; want %v", q, got.Jobs, err, want)
	}
}

// A job that is cancelled fails with Spark's words; the stages that run are killed, the others never begin, and other jobs go on.
// What its tasks bring afterwards changes nothing, and a second cancellation does not either.
func TestACancelledJobsStagesAreKilled(t *testing.T) {
	r := newRig(t, nil)
	submit(r, chain.With(0))
	submit(r, narrow.With(0))
	r.tell(mapped(0, 0, 0, "a", 0))
	r.forget()
	cancels(r, JobCancelled{JobID: 0, Reason: "because nobody waits"}, 0)
	const failed = "Job 0 cancelled because nobody waits"
	r.want("L: job 0 stage 0.0 ends: Stage cancelled: "+failed, "L: job 0 ends: "+failed, "P: job 0: "+failed,
		"S: cancel 0: Stage cancelled: "+failed)
	r.failed(0, JobError{JobID: 0, Reason: "because nobody waits", Kind: KindCancelled})
	if !errors.Is(r.bad[0], rdd.ErrCancelled) {
		t.Error("a cancelled job looks like one that failed")
	}
	cancels(r, JobCancelled{JobID: 0})
	cancels(r, JobCancelled{JobID: 7})
	r.tell(mapped(0, 0, 1, "a", 0), mapped(0, 0, 2, "a", 0), end(0, 0, 1, "a", tasks.Reason{Kind: tasks.KindTaskKilled}))
	r.want()
	r.tell(result(3, 0, 0), result(3, 0, 1), result(3, 0, 2))
	r.want("L: job 1 stage 3.0 ends: ", "L: job 1 ends: <nil>", "P: job 1: [{0 [48]} {1 [49]} {2 [50]}]", "S: cancel 3: Stage finished")
}

// A job may be cancelled before its files are split: then nothing of it starts.
func TestAJobIsCancelledBeforeItStarts(t *testing.T) {
	r := newRig(t, nil)
	inv := under(t, t.Context(), lines.With("text"))
	r.scheduler.Do(func(c *rpcenv.Context) {
		r.ask(c, inv)
		c.Send(r.ref, JobCancelled{JobID: 0, Reason: "at once"})
	})
	r.want("L: job 0 ends: Job 0 cancelled at once", "P: job 0: Job 0 cancelled at once")
	if len(r.sets) > 0 {
		t.Errorf("it submitted %v", r.sets)
	}
}

// Groups, tags, stages and all jobs: each names the jobs that end, and why.
func TestJobsAreCancelledByGroupTagAndStage(t *testing.T) {
	group := rdd.WithJobGroup(t.Context(), "g", "")
	for name, k := range map[string]struct {
		cancel func(*rig)
		want   string // which jobs fail, and why
	}{
		"group":        {func(r *rig) { cancels(r, JobGroupCancelled{Group: "g"}, 1, 2) }, "1 2 part of cancelled job group g"},
		"why a group":  {func(r *rig) { cancels(r, JobGroupCancelled{Group: "g", Reason: "since"}, 1, 2) }, "1 2 since"},
		"other group":  {func(r *rig) { cancels(r, JobGroupCancelled{Group: "h"}) }, ""},
		"no group":     {func(r *rig) { cancels(r, JobGroupCancelled{}) }, ""},
		"tag":          {func(r *rig) { cancels(r, JobTagCancelled{Tag: "b"}, 2, 3) }, "2 3 part of cancelled job tag b"},
		"why a tag":    {func(r *rig) { cancels(r, JobTagCancelled{Tag: "b", Reason: "since"}, 2, 3) }, "2 3 since"},
		"part of tags": {func(r *rig) { cancels(r, JobTagCancelled{Tag: "a,b"}) }, ""},
		"stage":        {func(r *rig) { cancels(r, StageCancelled{StageID: 2}, 2) }, "2 because Stage 2 was cancelled"},
		"why a stage":  {func(r *rig) { cancels(r, StageCancelled{StageID: 2, Reason: "of that"}, 2) }, "2 because of that"},
		"other stage":  {func(r *rig) { cancels(r, StageCancelled{StageID: 9}) }, ""},
		"all":          {func(r *rig) { cancels(r, AllJobsCancelled{}, 0, 1, 2, 3) }, "0 1 2 3 as part of cancellation of all jobs"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, nil)
			for _, inv := range []rdd.Invocation{
				under(t, t.Context(), narrow.With(0)), under(t, group, narrow.With(1)),
				under(t, rdd.WithJobTag(rdd.WithJobTag(group, "a"), "b"), narrow.With(2)), under(t, rdd.WithJobTag(t.Context(), "b"), narrow.With(3)),
			} {
				r.submitAll(inv)
				r.Settle() // so that their stages are numbered in this order
			}
			k.cancel(r)
			var ids []string
			why := ""
			for _, err := range r.bad {
				e, ok := errors.AsType[*JobError](err)
				if !ok || e.Kind != KindCancelled {
					t.Fatalf("%#v", err)
				}
				ids, why = append(ids, fmt.Sprint(e.JobID)), e.Reason
			}
			slices.Sort(ids)
			if got := strings.TrimSpace(strings.Join(append(ids, why), " ")); got != k.want {
				t.Errorf("got %q, want %q", got, k.want)
			}
		})
	}
}

// Later jobs of a cancelled group run, unless the cancellation was for them, too; the oldest of many such groups is forgotten.
func TestLaterJobsOfACancelledGroupFailWhenThatWasAskedFor(t *testing.T) {
	r := newRig(t, map[string]string{"spark.scheduler.numCancelledJobGroupsToTrack": "2"})
	in := func(group string) rdd.Invocation {
		return under(t, rdd.WithJobGroup(t.Context(), group, ""), narrow.With(0))
	}
	cancels(r, JobGroupCancelled{Group: "a"})
	r.submitAll(in("a"))
	r.Settle()
	cancels(r, JobGroupCancelled{Group: "a", Future: true}, 0)
	cancels(r, JobGroupCancelled{Group: "", Future: true})
	r.forget()
	r.submitAll(in("a"), under(t, t.Context(), narrow.With(0)))
	r.want("P: job 1: Job 1 cancelled part of cancelled job group a",
		"L: job 2 dag-test-narrow of stages [1]", "L: job 2 stage 1.0: 3 tasks for results", "S: submit 1.0 [0 1 2]")
	cancels(r, JobGroupCancelled{Group: "b", Future: true})
	r.submitAll(in("a"), in("b"))
	r.want("L: job 3 dag-test-narrow of stages [2]", "L: job 3 stage 2.0: 3 tasks for results", "S: submit 2.0 [0 1 2]",
		"P: job 4: Job 4 cancelled part of cancelled job group b")
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
