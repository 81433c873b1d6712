package tasks

import (
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/driver/exclude"
	"github.com/coherer/coherer/actors/driver/pools"
	"github.com/coherer/coherer/messages/app"
)

// why is what keeps the tasks of a stage waiting, FILTER: REASON; HELP is left out.
func (k *kit) why(stage int32, a at) []string {
	var out []string
	for _, s := range k.Waits(&app.RequestWaits{Stage: &stage}, a.offers(), k.now).GetSets() {
		for _, r := range s.GetReasons() {
			out = append(out, r.GetFilter()+": "+r.GetReason())
		}
	}
	return out
}

func TestWhyATaskWaits(t *testing.T) {
	nothing := at{{"a", "h1", 0}}
	t.Run("cores", func(t *testing.T) {
		k := pool(newSet(0, 0, 0, 2))
		k.Offers(at{{"a", "h1", 1}}, inOrder)
		want(t, k.why(0, nothing), "cores: no executor that may take them has a core free: 1 tasks of this stage run, 0 of others")
	})
	t.Run("an earlier job", func(t *testing.T) {
		k := pool(newSet(0, 0, 0, 2), newSet(1, 0, 1, 1))
		k.Offers(at{{"a", "h1", 1}}, inOrder)
		want(t, k.why(1, nothing), "order: stage 0.0 is served first: 1 of its tasks wait (of job 0)",
			"cores: no executor that may take them has a core free: 0 tasks of this stage run, 1 of others")
	})
	t.Run("another pool", func(t *testing.T) {
		k := newKit(1, Config{MaxFailures: 4, Mode: pools.FAIR})
		slow, fast := newSet(0, 0, 0, 3), newSet(1, 0, 1, 3)
		slow.Pool, fast.Pool = "slow", "fast"
		k.Submit(slow)
		k.Offers(at{{"a", "h1", 1}}, inOrder)
		k.Submit(fast)
		want(t, k.why(0, nothing), "order: stage 1.0 is served first: 3 of its tasks wait (of pool fast, with 0 running)",
			"cores: no executor that may take them has a core free: 1 tasks of this stage run, 0 of others")
	})
	t.Run("locality", func(t *testing.T) {
		k := newKit(1, Config{MaxFailures: 4, Waits: Waits{Node: 3 * time.Second}})
		s := newSet(0, 0, 0, 2)
		for i := range s.Tasks {
			s.Tasks[i].Locations = []Location{{Host: "h1"}}
		}
		k.Submit(s)
		k.Offers(at{{"a", "h1", 1}}, inOrder)
		k.now = k.now.Add(time.Second)
		want(t, k.why(0, at{{"a", "h1", 0}, {"b", "h2", 4}}),
			"locality: it takes no executor farther than NODE_LOCAL for another 2s of 3s; executors with free cores that are farther: b (h2)")
	})
	t.Run("exclusion", func(t *testing.T) {
		k := newKit(1, Config{MaxFailures: 9, UnschedulableTimeout: 2 * time.Minute, Exclude: exclude.Config{
			Application: true, TaskAndStage: true, TaskAttemptsPerExecutor: 1, TaskAttemptsPerNode: 2, StageTasksPerExecutor: 1,
			StageExecutorsPerNode: 2, ApplicationTasksPerExecutor: 9, ApplicationExecutorsPerNode: 9,
		}})
		k.Submit(newSet(0, 0, 0, 1))
		k.Offers(at{{"a", "h1", 1}}, inOrder)
		k.fail(0, KindExceptionFailure)
		k.Offers(at{{"a", "h1", 1}}, inOrder)
		want(t, k.why(0, at{{"a", "h1", 1}}),
			"excluded: executor a gets no task of it: 1 tasks of the stage failed on it (spark.excludeOnFailure.stage.maxFailedTasksPerExecutor 1)",
			"unschedulable: no executor may run one of its tasks; the stage fails in 2m0s")
	})
	t.Run("a task that failed", func(t *testing.T) {
		k := newKit(1, Config{MaxFailures: 9, Exclude: exclude.Config{
			TaskAndStage: true, TaskAttemptsPerExecutor: 1, TaskAttemptsPerNode: 9, StageTasksPerExecutor: 9, StageExecutorsPerNode: 9,
		}})
		k.Submit(newSet(0, 0, 0, 1))
		k.Offers(at{{"a", "h1", 1}}, inOrder)
		k.fail(0, KindExceptionFailure)
		want(t, k.why(0, at{{"a", "h1", 1}}),
			"excluded: 1 of the tasks that wait failed on each executor with free cores, and are not tried there again: a (h1)")
		want(t, k.why(0, at{{"a", "h1", 1}, {"b", "h1", 1}}))
	})
	t.Run("an executor whose end is not explained yet", func(t *testing.T) {
		k := pool(newSet(0, 0, 0, 3))
		k.Offers(at{{"a", "h1", 1}, {"b", "h1", 1}}, inOrder)
		k.ExecutorLost("b", Loss{Pending: true})
		want(t, k.why(0, nothing), "cores: no executor that may take them has a core free: 2 tasks of this stage run, 0 of others")
	})
	t.Run("a barrier", func(t *testing.T) {
		k := pool()
		s := newSet(0, 0, 0, 3)
		s.Barrier = true
		k.Submit(s)
		k.Offers(at{{"a", "h1", 2}}, inOrder)
		want(t, k.why(0, at{{"a", "h1", 2}}), "barrier: its 3 tasks start at once or not at all, and 2 can start")
	})
	t.Run("nothing", func(t *testing.T) {
		k := pool(newSet(0, 0, 0, 1))
		k.Offers(at{{"a", "h1", 1}}, inOrder)
		want(t, k.why(0, nothing))
	})
}

// A task is known by its TID while it runs, and by its stage and index until the stage is over.
func TestWhereATaskStands(t *testing.T) {
	k := pool(newSet(3, 0, 0, 2))
	k.Offers(at{{"a", "h1", 1}}, inOrder)
	k.fail(0, KindExceptionFailure)
	k.Offers(at{{"b", "h2", 1}}, inOrder)
	k.runs(1)
	says := func(q *app.RequestWaits, state, attempts string) {
		t.Helper()
		sets := k.Waits(q, nil, k.now).GetSets()
		if len(sets) != 1 || len(sets[0].GetAsked()) != 1 {
			t.Fatalf("%v", sets)
		}
		got := sets[0].GetAsked()[0]
		if got.GetState() != state || strings.Join(got.GetAttempts(), "; ") != attempts {
			t.Errorf("%v", got)
		}
	}
	both := "attempt 0 (TID 0) failed on executor a at h1, PROCESS_LOCAL; attempt 1 (TID 1) runs on executor b at h2, PROCESS_LOCAL"
	says(&app.RequestWaits{TaskId: new(int64(1))}, "running", both)
	says(&app.RequestWaits{Stage: new(int32(3)), Index: new(int32(0))}, "running", both)
	says(&app.RequestWaits{Stage: new(int32(3)), Index: new(int32(1))}, "waiting", "")
	if sets := k.Waits(&app.RequestWaits{TaskId: new(int64(7))}, nil, k.now).GetSets(); len(sets) > 0 {
		t.Errorf("TID 7 was never given: %v", sets)
	}
}
