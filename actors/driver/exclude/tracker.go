//coherer:pure

package exclude

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Tracker has the failures of an application, and the executors and nodes that it excludes. It mirrors HealthTracker.
type Tracker struct {
	cfg Config
	// failures are the tasks that failed on each executor, by the time at which they no longer count.
	failures map[string][]time.Time
	// executors and nodes are those excluded.
	executors map[string]excludedExecutor
	nodes     map[string]excludedNode
	// onNode are the excluded executors of each node, also of those that are gone: others on the node may follow.
	onNode map[string][]string
	// next is when the first exclusion ends; zero while nothing is excluded.
	next time.Time
}

type excludedExecutor struct {
	node  string
	until time.Time
	why   string
}

type excludedNode struct {
	until time.Time
	why   string
}

// NewTracker makes a Tracker without failures, or nil when exclusion from the application is off.
func NewTracker(cfg Config) *Tracker {
	if !cfg.Application {
		return nil
	}
	return &Tracker{
		cfg: cfg, failures: map[string][]time.Time{}, executors: map[string]excludedExecutor{}, nodes: map[string]excludedNode{},
		onNode: map[string][]string{},
	}
}

// Executor reports whether an executor is excluded. It does not ask for its node.
func (t *Tracker) Executor(id string) bool {
	if t == nil {
		return false
	}
	_, excluded := t.executors[id]
	return excluded
}

// Node reports whether a node is excluded.
func (t *Tracker) Node(name string) bool {
	if t == nil {
		return false
	}
	_, excluded := t.nodes[name]
	return excluded
}

// Nodes are the excluded nodes, sorted: where the cluster manager is to start no executor.
func (t *Tracker) Nodes() []string {
	if t == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(t.nodes))
}

// Expire ends the exclusions whose time is over. Without one it costs nothing. It mirrors
// HealthTracker.applyExcludeOnFailureTimeout.
func (t *Tracker) Expire(now time.Time) Outcome {
	var out Outcome
	if t == nil || t.next.IsZero() || !now.After(t.next) {
		return out
	}
	for _, id := range sortedIDs(t.executors) {
		e := t.executors[id]
		if !e.until.Before(now) {
			continue
		}
		delete(t.executors, id)
		t.onNode[e.node] = slices.DeleteFunc(t.onNode[e.node], func(o string) bool { return o == id })
		if len(t.onNode[e.node]) == 0 {
			delete(t.onNode, e.node)
		}
		out.Events = append(out.Events, Event{
			Kind: ExecutorUnexcluded, Executor: id,
			Text: fmt.Sprintf("Removing executor %s from exclude list because it has reached its timeout", id),
		})
	}
	for _, name := range t.Nodes() {
		if !t.nodes[name].until.Before(now) {
			continue
		}
		delete(t.nodes, name)
		out.Events = append(out.Events, Event{
			Kind: NodeUnexcluded, Node: name,
			Text: fmt.Sprintf("Removing node %s from exclude list because it has reached its timeout", name),
		})
	}
	t.updateNext()
	return out
}

func (t *Tracker) updateNext() {
	t.next = time.Time{}
	for _, id := range sortedIDs(t.executors) {
		t.notAfter(t.executors[id].until)
	}
	for _, name := range t.Nodes() {
		t.notAfter(t.nodes[name].until)
	}
}

func (t *Tracker) notAfter(until time.Time) {
	if t.next.IsZero() || until.Before(t.next) {
		t.next = until
	}
}

// Succeeded takes the failures of a set all whose tasks succeeded in the end: only these count against executors, since a task
// that fails everywhere is to blame itself. It mirrors HealthTracker.updateExcludedForSuccessfulTaskSet.
func (t *Tracker) Succeeded(s *Set, now time.Time) Outcome {
	var out Outcome
	if t == nil || s == nil {
		return out
	}
	sorted := slices.SortedFunc(slices.Values(s.order), func(a, b *executorFailures) int { return compareIDs(a.id, b.id) })
	for _, e := range sorted {
		counting := t.failures[e.id]
		for _, task := range slices.Sorted(maps.Keys(e.tasks)) {
			counting = append(counting, e.tasks[task].last.Add(t.cfg.Timeout))
		}
		counting = slices.DeleteFunc(counting, func(until time.Time) bool { return until.Before(now) })
		t.failures[e.id] = counting
		// One that is excluded stays so until its own time is over.
		if len(counting) < t.cfg.ApplicationTasksPerExecutor || t.Executor(e.id) {
			continue
		}
		why := fmt.Sprintf("it has %d task failures in successful task sets", len(counting))
		t.excludeExecutor(&out, e.id, e.node, len(counting), now, fmt.Sprintf("Excluding executor id: %s because %s", e.id, why), why)
		t.countNode(&out, e.node, now)
	}
	t.forget(now)
	return out
}

// countNode excludes a node when too many of its executors are.
func (t *Tracker) countNode(out *Outcome, name string, now time.Time) {
	excluded := t.onNode[name]
	if len(excluded) < t.cfg.ApplicationExecutorsPerNode || t.Node(name) {
		return
	}
	why := fmt.Sprintf("it has %d executors excluded: %s", len(excluded), strings.Join(excluded, ", "))
	t.excludeNode(out, name, len(excluded), now, fmt.Sprintf("Excluding node %s because %s", name, why), why)
}

// forget drops executors without a failure that still counts, so that those of a long application do not pile up.
func (t *Tracker) forget(now time.Time) {
	maps.DeleteFunc(t.failures, func(_ string, until []time.Time) bool {
		return !slices.ContainsFunc(until, func(u time.Time) bool { return !u.Before(now) })
	})
}

// FetchFailed takes a shuffle file that could not be fetched from an executor. Where the settings want it, the executor is excluded
// at once, or its node when an external shuffle service has the files of all its executors. It mirrors
// HealthTracker.updateExcludedForFetchFailure.
func (t *Tracker) FetchFailed(node, executor string, now time.Time) Outcome {
	var out Outcome
	switch {
	case t == nil || !t.cfg.FetchFailure:
	case t.cfg.ShuffleService:
		if !t.Node(node) {
			const why = "fetch failure of external shuffle service"
			t.excludeNode(&out, node, 1, now, fmt.Sprintf("excluding node %s due to %s", node, why), why)
		}
	case !t.Executor(executor):
		// The node is not counted here: its next executor that is excluded for failed tasks does that.
		t.excludeExecutor(&out, executor, node, 1, now, fmt.Sprintf("Excluding executor %s due to fetch failure", executor), "fetch failure")
	}
	return out
}

// Removed takes the end of an executor: its failures count no more. An exclusion stays until its time is over, so that others on
// its node add to it. It mirrors HealthTracker.handleRemovedExecutor.
func (t *Tracker) Removed(executor string) {
	if t != nil {
		delete(t.failures, executor)
	}
}

func (t *Tracker) excludeExecutor(out *Outcome, id, node string, failures int, now time.Time, text, why string) {
	until := now.Add(t.cfg.Timeout)
	t.executors[id] = excludedExecutor{node, until, why}
	t.notAfter(until)
	t.onNode[node] = append(t.onNode[node], id)
	out.Events = append(out.Events, Event{Kind: ExecutorExcluded, Executor: id, Failures: failures, Text: text})
	if t.cfg.Kill {
		out.Kills = append(out.Kills, t.kill(id, fmt.Sprintf("Killing excluded executor id %s since %s is set.", id, killExcluded.Key())))
	}
}

func (t *Tracker) excludeNode(out *Outcome, name string, executors int, now time.Time, text, why string) {
	until := now.Add(t.cfg.Timeout)
	t.nodes[name] = excludedNode{until, why}
	t.notAfter(until)
	out.Events = append(out.Events, Event{Kind: NodeExcluded, Node: name, Failures: executors, Text: text})
	if t.cfg.Kill {
		what := "Killing"
		if t.cfg.Decommission {
			what = "Decommissioning"
		}
		reason := fmt.Sprintf("%s all executors on excluded host %s since %s is set.", what, name, killExcluded.Key())
		out.Kills = append(out.Kills, Kill{Node: name, Decommission: t.cfg.Decommission, Reason: reason})
	}
}

// KillIdle ends an executor that is excluded and has no task, though the settings do not ask for it: a task can run nowhere, and a
// new executor may come for this one. ok is false without a Tracker. It mirrors HealthTracker.killExcludedIdleExecutor.
func (t *Tracker) KillIdle(executor string) (k Kill, ok bool) {
	if t == nil {
		return Kill{}, false
	}
	return t.kill(executor, fmt.Sprintf("Killing excluded idle executor id %s because of task unschedulability and trying "+
		"to acquire a new executor.", executor)), true
}

func (t *Tracker) kill(executor, reason string) Kill {
	if t.cfg.Decommission {
		reason += " (actually decommissioning)"
	}
	return Kill{Executor: executor, Decommission: t.cfg.Decommission, Reason: reason}
}
