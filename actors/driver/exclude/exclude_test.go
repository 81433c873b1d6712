package exclude

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// on has both levels on, with Spark's defaults.
func on() Config { return Config{true, true, 1, 2, 2, 2, 2, 2, time.Hour, false, false, false, false} }

// at is a time, in seconds after some beginning.
func at(seconds int) time.Time { return time.UnixMilli(int64(seconds) * 1000) }

// fail is the failures of a set at a time, each as NODE/EXECUTOR/TASK; it returns the events.
func fail(s *Set, now time.Time, failures ...string) (events []Event) {
	for _, f := range failures {
		p := strings.Split(f, "/")
		task, _ := strconv.Atoi(p[2])
		events = append(events, s.Failed(p[0], p[1], task, "failed "+f, now)...)
	}
	return events
}

// failed is a set with failures.
func failed(cfg Config, stage int32, now time.Time, failures ...string) *Set {
	s := NewSet(cfg, stage, 0)
	fail(s, now, failures...)
	return s
}

// lines is events and kills in words.
func lines(o Outcome) (out []string) {
	for _, e := range o.Events {
		out = append(out, fmt.Sprintf("%s %s%s %d: %s", e.Kind, e.Executor, e.Node, e.Failures, e.Text))
	}
	for _, k := range o.Kills {
		out = append(out, fmt.Sprintf("%s%s %v: %s", k.Executor, k.Node, k.Decommission, k.Reason))
	}
	return out
}

func want(t *testing.T, got Outcome, want ...string) {
	t.Helper()
	if g := lines(got); !slices.Equal(g, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(g, "\n  "), strings.Join(want, "\n  "))
	}
}

// Each row is a rule of a set: what failed, and whom it excludes, as EXECUTOR or NODE, with /TASK for a single task.
func TestWhomASetExcludes(t *testing.T) {
	three := on()
	three.TaskAttemptsPerExecutor, three.TaskAttemptsPerNode, three.StageTasksPerExecutor, three.StageExecutorsPerNode = 2, 3, 3, 1
	application := on()
	application.TaskAndStage = false
	for _, k := range []struct {
		rule     string
		cfg      Config
		failures string
		want     string
	}{
		{"none at first", on(), "", ""},
		{"the executor for the task", on(), "h/a/0", "a/0"},
		{"the node for the task after the second attempt there", on(), "h/a/0 h/b/0", "a/0 b/0 h/0"},
		{"attempts on two nodes are two for none", on(), "h/a/0 g/b/0", "a/0 b/0"},
		{"attempts on one executor count for its node, too", on(), "h/a/0 h/a/0", "a/0 h/0"},
		{"the executor for the set after two tasks", on(), "h/a/0 h/a/1", "a a/0 a/1"},
		{"one task that fails twice is one", on(), "h/a/0 h/a/0", "a/0 h/0"},
		{"the node for the set after two executors", on(), "h/a/0 h/a/1 h/b/2 h/b/3", "a b h a/0 a/1 b/2 b/3"},
		{"an executor that the set does not exclude is none of the two", on(), "h/b/2 h/a/0 h/a/1", "a a/0 a/1 b/2"},
		{"executors of two nodes are two of none", on(), "h/a/0 h/a/1 g/b/2 g/b/3", "a b a/0 a/1 b/2 b/3"},
		{"two attempts on an executor", three, "h/a/0", ""},
		{"the second", three, "h/a/0 h/a/0", "a/0"},
		{"three attempts on a node", three, "h/a/0 h/a/0 h/b/0", "a/0 h/0"},
		{"two tasks of three", three, "h/a/0 h/a/1", ""},
		{"three tasks, and a node of one executor", three, "h/a/0 h/a/1 h/a/2", "a h"},
		{"none where only the application excludes", application, "h/a/0 h/a/0 h/a/1 h/b/2 h/b/3", ""},
	} {
		s := failed(k.cfg, 0, at(0), strings.Fields(k.failures)...)
		var got []string
		for _, e := range []string{"a", "b"} {
			if s.Executor(e) {
				got = append(got, e)
			}
		}
		for _, n := range []string{"g", "h"} {
			if s.Node(n) {
				got = append(got, n)
			}
		}
		for _, e := range []string{"a", "b", "g", "h"} {
			for task := range 4 {
				if s.ExecutorForTask(e, task) || s.NodeForTask(e, task) {
					got = append(got, fmt.Sprintf("%s/%d", e, task))
				}
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(strings.Fields(k.want)) {
			t.Errorf("%s: %s: got %v, want %s", k.rule, k.failures, got, k.want)
		}
	}
}

// An exclusion from a stage is reported once, with the numbers of that moment.
func TestTheEventsOfASet(t *testing.T) {
	s := NewSet(on(), 3, 2)
	if got := fail(s, at(0), "h/a/0"); got != nil {
		t.Errorf("after one failure: %v", got)
	}
	got := fail(s, at(0), "h/a/1", "h/a/2", "h/b/0", "h/b/1", "h/c/0", "h/c/1")
	want(t, Outcome{Events: got}, "ExecutorExcludedForStage a 2: Excluding executor a for stage 3",
		"ExecutorExcludedForStage b 2: Excluding executor b for stage 3", "NodeExcludedForStage h 2: Excluding h for stage 3",
		"ExecutorExcludedForStage c 2: Excluding executor c for stage 3")
	for _, e := range got {
		if e.Stage != 3 || e.Attempt != 2 {
			t.Errorf("%+v", e)
		}
	}
	if s.LatestFailure() != "failed h/c/1" {
		t.Error(s.LatestFailure())
	}
}

// Spark reports exclusions of a set that excludes nobody.
func TestASetThatOnlyRemembersReportsNothing(t *testing.T) {
	cfg := on()
	cfg.TaskAndStage = false
	s := NewSet(cfg, 0, 0)
	if got := fail(s, at(0), "h/a/0", "h/a/1", "h/b/0", "h/b/1"); got != nil {
		t.Errorf("%v", got)
	}
	want(t, NewTracker(cfg).Succeeded(s, at(0)), excludedFor("a", 2), excludedFor("b", 2), excludedNodeFor("h", "a, b"))
}

// Without exclusion the scheduler asks the same questions.
func TestNilExcludesNobody(t *testing.T) {
	var s *Set
	var tr *Tracker
	if s.Failed("h", "a", 0, "x", at(0)) != nil || s.Executor("a") || s.Node("h") || s.ExecutorForTask("a", 0) || s.NodeForTask("h", 0) ||
		s.LatestFailure() != "" || s.Exclusions() != nil {
		t.Error("a nil Set has something")
	}
	tr.Removed("a")
	want(t, tr.Succeeded(failed(on(), 0, at(0), "h/a/0", "h/a/1"), at(0)))
	want(t, tr.FetchFailed("h", "a", at(0)))
	want(t, tr.Expire(at(0)))
	if _, ok := tr.KillIdle("a"); ok || tr.Executor("a") || tr.Node("h") || tr.Nodes() != nil || tr.Exclusions() != nil {
		t.Error("a nil Tracker has something")
	}
	want(t, NewTracker(on()).Succeeded(nil, at(0)))
}

func TestExclusionsInWords(t *testing.T) {
	s := failed(on(), 0, at(0), "h/10/0", "h/10/1", "h/9/0", "h/9/1", "g/8/2", "g/8/2")
	if got, want := fmt.Sprint(s.Exclusions()), "["+strings.Join([]string{
		"{8  2 0 the task failed 2 times on it (spark.excludeOnFailure.task.maxTaskAttemptsPerExecutor 1)}",
		"{9  -1 0 2 tasks of the stage failed on it (spark.excludeOnFailure.stage.maxFailedTasksPerExecutor 2)}",
		"{10  -1 0 2 tasks of the stage failed on it (spark.excludeOnFailure.stage.maxFailedTasksPerExecutor 2)}",
		"{ g 2 0 the task failed 2 times on it (spark.excludeOnFailure.task.maxTaskAttemptsPerNode 2)}",
		"{ h -1 0 the stage excludes 2 of its executors (spark.excludeOnFailure.stage.maxFailedExecutorsPerNode 2)}",
	}, " ")+"]"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	cfg := on()
	cfg.TaskAttemptsPerExecutor = 2
	if x := failed(cfg, 0, at(0), "h/a/0").Exclusions(); x != nil {
		t.Errorf("one failure of two excludes %v", x)
	}
	cfg.FetchFailure, cfg.Timeout = true, time.Second
	tr := NewTracker(cfg)
	tr.Succeeded(s, at(0))
	tr.FetchFailed("g", "7", at(1))
	if got, want := fmt.Sprint(tr.Exclusions()), "["+strings.Join([]string{
		"{7  -1 2000 fetch failure}",
		"{9  -1 1000 it has 2 task failures in successful task sets}",
		"{10  -1 1000 it has 2 task failures in successful task sets}",
		"{ h -1 1000 it has 2 executors excluded: 9, 10}",
	}, " ")+"]"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The scheduler asks for each task and offer.
func TestAskingAllocatesNothing(t *testing.T) {
	s, tr := failed(on(), 0, at(0), "h/a/0", "h/a/1"), NewTracker(on())
	tr.Succeeded(s, at(0))
	if n := testing.AllocsPerRun(100, func() {
		tr.Expire(at(1))
		_ = s.Executor("a") || s.Node("h")
		_ = s.ExecutorForTask("a", 7) || s.NodeForTask("h", 7) || tr.Executor("b") || tr.Node("g")
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
