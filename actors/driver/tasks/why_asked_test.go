package tasks

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/driver/exclude"
	"github.com/coherer/coherer/actors/driver/pools"
	"github.com/coherer/coherer/messages/app"
)

// What is said of a set has all that it waits for, and all of the task that was asked for.
func TestWhatIsSaidOfASet(t *testing.T) {
	s := newSet(7, 2, 5, 5)
	s.Pool = "p"
	for i := range s.Tasks {
		s.Tasks[i].Partition += 10
		s.Tasks[i].Locations = []Location{{Host: "h1"}, {Host: "h3"}}
	}
	k := newKit(2, Config{MaxFailures: 4, Mode: pools.FAIR, Waits: Waits{Node: 3 * time.Second}, Speculation: Speculation{Enabled: true, Multiplier: 2}})
	k.Submit(s)
	k.Offers(at{{"a", "h1", 8}}, inOrder)
	k.fail(3, KindExceptionFailure)
	k.now = k.now.Add(time.Second)
	k.runs(2)
	k.finish(0)
	k.now = k.now.Add(time.Minute)
	k.Speculate(k.now)
	k.Offers(at{{"c", "h3", 2}}, inOrder) // task 3 again
	k.now = k.now.Add(time.Second)
	set := func(asked *app.TaskWait) *app.TaskSetWait {
		return &app.TaskSetWait{
			Stage: 7, Attempt: 2, Job: 5, Pool: "p", Tasks: 5, Done: 1, Running: 3, Waiting: 1, Copies: 2, Level: "NODE_LOCAL",
			Levels: []string{"NODE_LOCAL", "ANY"}, WaitMs: 3000, WaitedMs: 1000, Asked: []*app.TaskWait{asked},
			Reasons: []*app.WaitReason{{
				Filter: "cores", Help: "wait, or give the application more cores",
				Reason: "no executor that may take them has 2 cores free: 3 tasks of this stage run, 0 of others",
			}},
		}
	}
	offers := []Offer{{Executor: "b", Host: "h2", Cores: 9, Profile: 1}, {Executor: "d", Host: "h4", Cores: 1}}
	for _, want := range []*app.TaskWait{
		{Index: 0, Partition: 10, State: "done", Attempts: []string{"attempt 0 (TID 0) succeeded on executor a at h1, NODE_LOCAL"}},
		{Index: 1, Partition: 11, State: "running", Attempts: []string{"attempt 0 (TID 1) was sent on executor a at h1, NODE_LOCAL"}},
		{Index: 2, Partition: 12, State: "running", Attempts: []string{"attempt 0 (TID 2) runs on executor a at h1, NODE_LOCAL"}},
		{Index: 3, Partition: 13, State: "running", Failures: 1, Attempts: []string{
			"attempt 0 (TID 3) failed on executor a at h1, NODE_LOCAL", "attempt 1 (TID 4) was sent on executor c at h3, NODE_LOCAL",
		}},
		{Index: 4, Partition: 14, State: "waiting"},
	} {
		want.Locations = []string{"h1", "h3"}
		got := k.Waits(&app.RequestWaits{Stage: new(int32(7)), Index: &want.Index}, offers, k.now)
		if len(got.GetSets()) != 1 || !proto.Equal(got.GetSets()[0], set(want)) {
			t.Errorf("got\n%v\nwant\n%v", got.GetSets(), set(want))
		}
		if len(got.GetPools()) != 2 {
			t.Errorf("pools %v, want the default one and p", got.GetPools())
		}
	}
	// A copy is called so.
	k.Offers(at{{"c", "h3", 2}}, inOrder)
	k.Offers(at{{"c", "h3", 2}}, inOrder)
	got := k.Waits(&app.RequestWaits{TaskId: new(k.nextID - 1)}, offers, k.now).GetSets()[0].GetAsked()
	if a := got[0].GetAttempts(); len(got) != 1 || a[len(a)-1] != "copy 1 (TID 6) was sent on executor c at h3, NODE_LOCAL" {
		t.Errorf("%v", got)
	}
	k.Cancel(7, "")
	over := k.Waits(&app.RequestWaits{Stage: new(int32(7))}, offers, k.now).GetSets()[0]
	if over.GetWaiting() != 0 || len(over.GetAsked()) > 0 {
		t.Errorf("%v", over)
	}
	want(t, k.why(7, nil), "over: another attempt of the stage took its place, or its job is over: it only waits for what runs")
}

// Only sets whose tasks wait are served before another one.
func TestASetWaitsForSetsThatWait(t *testing.T) {
	k := pool(newSet(0, 0, 0, 1), newSet(1, 0, 0, 1), newSet(2, 0, 0, 2), newSet(3, 0, 0, 1))
	k.Offers(at{{"a", "h1", 2}}, inOrder)
	k.Cancel(1, "")
	k.PartitionCompleted(2, 0, k.now)
	want(t, k.why(3, at{{"a", "h1", 0}}), "order: stage 2.0 is served first: 1 of its tasks wait",
		"cores: no executor that may take them has a core free: 0 tasks of this stage run, 2 of others")
	if sets := k.Waits(&app.RequestWaits{TaskId: new(int64(0))}, nil, k.now).GetSets(); len(sets) != 1 || sets[0].GetStage() != 0 {
		t.Errorf("%v", sets)
	}
	want(t, k.why(3, at{{"a", "h1", 1}}))
}

// An exclusion is of an executor or a node, from a task, a stage or the application.
func TestWhoIsExcludedIsSaid(t *testing.T) {
	k := newKit(1, often(func(c *exclude.Config) { c.TaskAttemptsPerExecutor = 1 }))
	k.Submit(newSet(0, 0, 0, 1))
	k.Offers(at{{"a", "h1", 1}}, inOrder)
	k.fail(0, KindExceptionFailure)
	asked := k.Waits(&app.RequestWaits{Index: new(int32(0))}, at{{"a", "h1", 1}, {"b", "h1", 1}}.offers(), k.now).GetSets()[0].GetAsked()
	reason := &app.WaitReason{
		Filter: "excluded", Help: "another executor, or spark.excludeOnFailure.task.* that allow more",
		Reason: "executor a on h1 gets it no more: it failed there",
	}
	if len(asked) != 1 || len(asked[0].GetReasons()) != 1 || !proto.Equal(asked[0].GetReasons()[0], reason) {
		t.Errorf("%v", asked)
	}
	want(t, k.why(0, at{{"a", "h1", 1}}), "excluded: 1 of the tasks that wait failed on each executor with free cores, and are not tried "+
		"there again: a (h1)")

	k = newKit(1, often(func(c *exclude.Config) { c.ApplicationTasksPerExecutor, c.ApplicationExecutorsPerNode = 1, 1 }))
	k.now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	k.Submit(newSet(0, 0, 0, 1))
	k.Offers(at{{"a", "h1", 1}}, inOrder)
	k.fail(0, KindExceptionFailure)
	k.Offers(at{{"b", "h2", 1}}, inOrder)
	k.finish(1)
	k.Submit(newSet(1, 0, 0, 1))
	want(t, k.why(1, at{{"c", "h1", 1}}), "cores: no executor that may take them has a core free: 0 tasks of this stage run, 0 of others",
		"excluded: executor a gets no task of the application until 2026-11-30 13:00:00 UTC: it has 1 task failures in successful task sets",
		"excluded: node h1 gets no task of the application until 2026-11-30 13:00:00 UTC: it has 1 executors excluded: a")
}
