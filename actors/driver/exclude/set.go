//coherer:pure

package exclude

import (
	"fmt"
	"slices"
	"time"
)

// Set has the failures of one task set, and the executors and nodes that it excludes. It mirrors TaskSetExcludelist.
type Set struct {
	cfg            Config
	stage, attempt int32
	executors      map[string]*executorFailures
	nodes          map[string]*nodeFailures
	// order has the executors as they failed first.
	order  []*executorFailures
	latest string
}

// executorFailures is an executor on which tasks of a set failed. It mirrors ExecutorFailuresInTaskSet.
type executorFailures struct {
	id, node string
	tasks    map[int]taskFailures
	excluded bool
}

// taskFailures is how often a task failed on an executor, and when it did last.
type taskFailures struct {
	count int
	last  time.Time
}

// nodeFailures is a node on which tasks of a set failed.
type nodeFailures struct {
	executors []*executorFailures
	tasks     map[int]bool // that run there no more
	excluded  bool
}

// NewSet makes a Set without failures, or nil when all exclusion is off. With that of the application alone it only remembers, for
// the Tracker.
func NewSet(cfg Config, stage, attempt int32) *Set {
	if !cfg.Application && !cfg.TaskAndStage {
		return nil
	}
	return &Set{cfg: cfg, stage: stage, attempt: attempt, executors: map[string]*executorFailures{}, nodes: map[string]*nodeFailures{}}
}

// Failed takes a failure of a task, by its index, on an executor of a node. The failure is one that counts, of a set that still
// starts tasks. The events are of executors and nodes that the whole set excludes from now on. It mirrors
// TaskSetExcludelist.updateExcludedForFailedTask.
func (s *Set) Failed(node, executor string, task int, reason string, now time.Time) []Event {
	if s == nil {
		return nil
	}
	s.latest = reason
	e, n := s.executor(executor, node), s.node(node)
	f := e.tasks[task]
	f.count++
	if now.After(f.last) { // a clock may go back
		f.last = now
	}
	e.tasks[task] = f
	if !slices.Contains(n.executors, e) {
		n.executors = append(n.executors, e)
	}
	// Attempts, not executors: spark.task.maxFailures counts attempts, and another node has to be tried before it is reached.
	if n.attempts(task) >= s.cfg.TaskAttemptsPerNode {
		n.tasks[task] = true
	}
	if e.excluded || len(e.tasks) < s.cfg.StageTasksPerExecutor {
		return nil
	}
	e.excluded = true
	var events []Event
	s.add(&events, Event{
		Kind: ExecutorExcludedForStage, Executor: executor, Failures: len(e.tasks),
		Text: fmt.Sprintf("Excluding executor %s for stage %d", executor, s.stage),
	})
	if excluded := n.excludedExecutors(); !n.excluded && excluded >= s.cfg.StageExecutorsPerNode {
		n.excluded = true
		s.add(&events, Event{
			Kind: NodeExcludedForStage, Node: node, Failures: excluded,
			Text: fmt.Sprintf("Excluding %s for stage %d", node, s.stage),
		})
	}
	return events
}

func (s *Set) add(events *[]Event, e Event) {
	// Spark reports such exclusions even where they have no effect.
	if !s.cfg.TaskAndStage {
		return
	}
	e.Stage, e.Attempt = s.stage, s.attempt
	*events = append(*events, e)
}

func (s *Set) executor(id, node string) *executorFailures {
	e := s.executors[id]
	if e == nil {
		e = &executorFailures{id: id, node: node, tasks: map[int]taskFailures{}}
		s.executors[id] = e
		s.order = append(s.order, e)
	}
	return e
}

func (s *Set) node(name string) *nodeFailures {
	n := s.nodes[name]
	if n == nil {
		n = &nodeFailures{tasks: map[int]bool{}}
		s.nodes[name] = n
	}
	return n
}

func (n *nodeFailures) attempts(task int) int {
	sum := 0
	for _, e := range n.executors {
		sum += e.tasks[task].count
	}
	return sum
}

func (n *nodeFailures) excludedExecutors() int {
	count := 0
	for _, e := range n.executors {
		if e.excluded {
			count++
		}
	}
	return count
}

// excludes reports whether the Set excludes at all.
func (s *Set) excludes() bool { return s != nil && s.cfg.TaskAndStage }

// Executor reports whether the set gives an executor no task. It asks neither for the node nor for the application.
func (s *Set) Executor(id string) bool {
	if !s.excludes() {
		return false
	}
	e := s.executors[id]
	return e != nil && e.excluded
}

// Node reports whether the set gives the executors of a node no task.
func (s *Set) Node(name string) bool {
	if !s.excludes() {
		return false
	}
	n := s.nodes[name]
	return n != nil && n.excluded
}

// ExecutorForTask reports whether a task, by its index, does not run on an executor. It does not ask whether any task does.
func (s *Set) ExecutorForTask(id string, task int) bool {
	if !s.excludes() {
		return false
	}
	e := s.executors[id]
	return e != nil && e.tasks[task].count >= s.cfg.TaskAttemptsPerExecutor
}

// NodeForTask reports whether a task, by its index, does not run on a node. It does not ask whether any task does.
func (s *Set) NodeForTask(name string, task int) bool {
	if !s.excludes() {
		return false
	}
	n := s.nodes[name]
	return n != nil && n.tasks[task]
}

// LatestFailure is the reason of the last failure; "" before the first.
func (s *Set) LatestFailure() string {
	if s == nil {
		return ""
	}
	return s.latest
}
