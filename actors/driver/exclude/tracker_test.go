package exclude

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Two tasks, of one set or of two, exclude an executor; two attempts of one task do not. Two executors exclude their node.
func TestTheApplicationCountsTasksOfSetsThatSucceeded(t *testing.T) {
	tr := NewTracker(on())
	want(t, tr.Succeeded(failed(on(), 0, at(0), "h/a/0", "h/a/0"), at(1)))
	failed(on(), 1, at(1), "h/a/1") // it does not succeed
	if tr.Executor("a") {
		t.Error("a is excluded after one task that counts")
	}
	want(t, tr.Succeeded(failed(on(), 2, at(2), "h/a/0", "g/c/0"), at(3)), excludedFor("a", 2))
	want(t, tr.Succeeded(failed(on(), 3, at(4), "h/b/0", "h/b/1", "h/a/0", "h/a/1"), at(5)), excludedFor("b", 2), excludedNodeFor("h", "a, b"))
	if !tr.Executor("a") || !tr.Executor("b") || tr.Executor("c") || !tr.Node("h") || tr.Node("g") || !slices.Equal(tr.Nodes(), []string{"h"}) {
		t.Errorf("%+v", tr.Exclusions())
	}
	// A further executor of an excluded node does not exclude it again.
	want(t, tr.Succeeded(failed(on(), 4, at(6), "h/d/0", "h/d/1"), at(7)), excludedFor("d", 2))
}

// A failure counts for the timeout, from when it happened and not from when its set succeeded.
func TestFailuresCountForATime(t *testing.T) {
	cfg := on()
	cfg.Timeout = 10 * time.Second
	for _, k := range []struct {
		rule                   string
		first, second, success int
		excluded               bool
	}{
		{"both in time", 0, 9, 10, true},
		{"the first too long ago", 0, 9, 11, false},
		{"both too long ago", 0, 5, 30, false},
	} {
		s := NewSet(cfg, 0, 0)
		fail(s, at(k.first), "h/a/0")
		fail(s, at(k.second), "h/a/1")
		one := NewTracker(cfg)
		one.Succeeded(s, at(k.success))
		two := NewTracker(cfg)
		two.Succeeded(failed(cfg, 0, at(k.first), "h/a/0"), at(k.first))
		two.Succeeded(failed(cfg, 1, at(k.second), "h/a/0"), at(k.success))
		if one.Executor("a") != k.excluded || two.Executor("a") != k.excluded {
			t.Errorf("%s: excluded %v by one set, %v by two", k.rule, one.Executor("a"), two.Executor("a"))
		}
	}
}

// The last failure of a task counts, also when the clock went back.
func TestTheLastFailureOfATaskCounts(t *testing.T) {
	cfg := on()
	cfg.Timeout = 10 * time.Second
	s := NewSet(cfg, 0, 0)
	fail(s, at(0), "h/a/0", "h/a/1")
	fail(s, at(8), "h/a/0", "h/a/1")
	fail(s, at(1), "h/a/0", "h/a/1")
	tr := NewTracker(cfg)
	want(t, tr.Succeeded(s, at(18)), excludedFor("a", 2))
}

// An exclusion ends after the timeout, not at it, and a second reason in between does not make it longer. Then all begins anew.
func TestAnExclusionEnds(t *testing.T) {
	cfg := on()
	cfg.Timeout = 10 * time.Second
	tr := NewTracker(cfg)
	two := func(stage int32, executor string, now int) Outcome {
		return tr.Succeeded(failed(cfg, stage, at(now), "h/"+executor+"/0", "h/"+executor+"/1"), at(now))
	}
	two(0, "a", 0)
	want(t, two(1, "b", 5), excludedFor("b", 2), excludedNodeFor("h", "a, b"))
	want(t, two(2, "a", 6))
	want(t, tr.Expire(at(10)))
	want(t, tr.Expire(at(11)), "ExecutorUnexcluded a 0: Removing executor a from exclude list because it has reached its timeout")
	want(t, tr.Expire(at(15)))
	want(t, tr.Expire(at(16)), "ExecutorUnexcluded b 0: Removing executor b from exclude list because it has reached its timeout",
		"NodeUnexcluded h 0: Removing node h from exclude list because it has reached its timeout")
	want(t, tr.Expire(at(99)))
	if tr.Exclusions() != nil || len(tr.onNode) > 0 || !tr.next.IsZero() {
		t.Errorf("%v, %v, %s", tr.Exclusions(), tr.onNode, tr.next)
	}
	// Of a node only the executors count that are still excluded.
	want(t, two(3, "c", 100), excludedFor("c", 2))
}

// Of the executors of a node those count that are excluded at the time.
func TestAnExecutorThatIsBackCountsForItsNodeNoMore(t *testing.T) {
	cfg := on()
	cfg.Timeout, cfg.ApplicationExecutorsPerNode = 10*time.Second, 3
	tr := NewTracker(cfg)
	two := func(executor string, now int) Outcome {
		tr.Expire(at(now))
		return tr.Succeeded(failed(cfg, 0, at(now), "h/"+executor+"/0", "h/"+executor+"/1"), at(now))
	}
	two("a", 0)
	two("b", 5)
	want(t, two("c", 11), excludedFor("c", 2))
	want(t, two("d", 12), excludedFor("d", 2), excludedNodeFor("h", "b, c, d"))
}

// What failed on an executor that is gone counts no more, but its exclusion does, for its node and until its end.
func TestAnExecutorThatIsGone(t *testing.T) {
	tr := NewTracker(on())
	tr.Succeeded(failed(on(), 0, at(0), "h/a/0", "h/b/0", "h/b/1"), at(0))
	tr.Removed("a")
	tr.Removed("b")
	want(t, tr.Succeeded(failed(on(), 1, at(0), "h/a/0"), at(0)))
	if !tr.Executor("b") {
		t.Error("the end of an executor ended its exclusion")
	}
	want(t, tr.Succeeded(failed(on(), 2, at(0), "h/c/0", "h/c/1"), at(0)), excludedFor("c", 2), excludedNodeFor("h", "b, c"))
}

// A shuffle file that cannot be fetched excludes at once, and once; it counts as an excluded executor of the node, which follows
// only with the next one that tasks exclude.
func TestAFetchFailureExcludesAtOnce(t *testing.T) {
	want(t, NewTracker(on()).FetchFailed("h", "a", at(0)))

	cfg := on()
	cfg.FetchFailure = true
	tr := NewTracker(cfg)
	want(t, tr.FetchFailed("h", "a", at(0)), "ExecutorExcluded a 1: Excluding executor a due to fetch failure")
	want(t, tr.FetchFailed("h", "a", at(1)))
	want(t, tr.FetchFailed("h", "b", at(1)), "ExecutorExcluded b 1: Excluding executor b due to fetch failure")
	want(t, tr.Succeeded(failed(cfg, 0, at(2), "h/c/0", "h/c/1"), at(2)), excludedFor("c", 2), excludedNodeFor("h", "a, b, c"))

	cfg.ShuffleService = true
	tr = NewTracker(cfg)
	want(t, tr.FetchFailed("h", "a", at(0)), "NodeExcluded h 1: excluding node h due to fetch failure of external shuffle service")
	want(t, tr.FetchFailed("h", "b", at(1)))
	if !tr.Node("h") || tr.Executor("a") {
		t.Errorf("%+v", tr.Exclusions())
	}
	// Nodes end their exclusions without an executor, too.
	tr.FetchFailed("g", "c", at(5))
	const back = "NodeUnexcluded %s 0: Removing node %[1]s from exclude list because it has reached its timeout"
	want(t, tr.Expire(at(3601)), fmt.Sprintf(back, "h"))
	want(t, tr.Expire(at(3606)), fmt.Sprintf(back, "g"))
}

// The settings want excluded executors killed, or decommissioned; an idle one that is in the way of a new one ends anyway.
func TestWhomTheTrackerEnds(t *testing.T) {
	for _, k := range []struct {
		kill, decommission bool
		want               []string
		idle               string
	}{
		{false, false, nil, "b false: Killing excluded idle executor id b because of task unschedulability and trying to acquire a new executor."},
		{true, false, []string{
			"a false: Killing excluded executor id a since spark.excludeOnFailure.killExcludedExecutors is set.",
			"h false: Killing all executors on excluded host h since spark.excludeOnFailure.killExcludedExecutors is set.",
		}, "b false: Killing excluded idle executor id b because of task unschedulability and trying to acquire a new executor."},
		{true, true, []string{
			"a true: Killing excluded executor id a since spark.excludeOnFailure.killExcludedExecutors is set. (actually decommissioning)",
			"h true: Decommissioning all executors on excluded host h since spark.excludeOnFailure.killExcludedExecutors is set.",
		}, "b true: Killing excluded idle executor id b because of task unschedulability and trying to acquire a new executor. (actually decommissioning)"},
	} {
		cfg := on()
		cfg.Kill, cfg.Decommission, cfg.ApplicationExecutorsPerNode, cfg.FetchFailure = k.kill, k.decommission, 1, true
		tr := NewTracker(cfg)
		got := tr.Succeeded(failed(cfg, 0, at(0), "h/a/0", "h/a/1"), at(0))
		want(t, Outcome{Kills: got.Kills}, k.want...)
		if got := tr.FetchFailed("h", "f", at(0)); len(got.Kills) != min(1, len(k.want)) {
			t.Errorf("a fetch failure ends %v", got.Kills)
		}
		idle, ok := tr.KillIdle("b")
		if want(t, Outcome{Kills: []Kill{idle}}, k.idle); !ok {
			t.Error("not to be killed")
		}
	}
}

// Whatever fails and succeeds: an exclusion lasts for the timeout and no longer, whom the events name is excluded, and what a
// Tracker remembers is of the failures of the last timeout.
func TestATrackerKeepsItsBooks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := on()
		cfg.FetchFailure, cfg.Timeout = rapid.Bool().Draw(t, "fetch"), 10*time.Second
		tr := NewTracker(cfg)
		began := map[string]time.Time{} // of what is excluded, executors and nodes
		take := func(o Outcome, now time.Time) {
			for _, e := range o.Events {
				who := e.Executor + e.Node
				_, excluded := began[who]
				switch e.Kind {
				case ExecutorExcluded, NodeExcluded:
					if excluded {
						t.Fatalf("%s is excluded twice", who)
					}
					began[who] = now
				case ExecutorUnexcluded, NodeUnexcluded:
					if !excluded || now.Sub(began[who]) <= cfg.Timeout {
						t.Fatalf("%s is back after %s", who, now.Sub(began[who]))
					}
					delete(began, who)
				}
			}
		}
		now := 0
		last := map[string]int{} // the last failure of an executor
		for stage := range int32(rapid.IntRange(1, 40).Draw(t, "steps")) {
			now += rapid.IntRange(0, 6).Draw(t, "seconds")
			node := rapid.SampledFrom([]string{"g", "h"}).Draw(t, "node")
			executor := node + rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "executor")
			take(tr.Expire(at(now)), at(now))
			for who, since := range began {
				if at(now).Sub(since) > cfg.Timeout {
					t.Fatalf("%s is still excluded", who)
				}
			}
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0:
				take(tr.FetchFailed(node, executor, at(now)), at(now))
			case 1:
				tr.Removed(executor)
			default:
				task := rapid.IntRange(0, 2).Draw(t, "task")
				s := failed(cfg, stage, at(now), fmt.Sprintf("%s/%s/%d", node, executor, task))
				last[executor] = now
				take(tr.Succeeded(s, at(now)), at(now))
				for id, counting := range tr.failures {
					if now-last[id] > 10 || len(counting) == 0 {
						t.Fatalf("%s has %d failures at %d, the last at %d", id, len(counting), now, last[id])
					}
				}
			}
			excluded := 0
			for _, x := range tr.Exclusions() {
				excluded++
				if since, known := began[x.Executor+x.Node]; !known || x.Until != since.Add(cfg.Timeout).UnixMilli() {
					t.Fatalf("%+v began at %v (%v)", x, since, known)
				}
			}
			if excluded != len(began) {
				t.Fatalf("%v excluded, want %v", tr.Exclusions(), began)
			}
		}
	})
}

func excludedFor(executor string, failures int) string {
	return fmt.Sprintf("ExecutorExcluded %s %d: Excluding executor id: %[1]s because it has %[2]d task failures in successful task sets", executor, failures)
}

func excludedNodeFor(node, executors string) string {
	n := strings.Count(executors, ",") + 1
	return fmt.Sprintf("NodeExcluded %s %d: Excluding node %[1]s because it has %[2]d executors excluded: %s", node, n, executors)
}
