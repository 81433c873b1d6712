//coherer:pure

package exclude

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// compareIDs orders executors as numbers where their ids are such.
func compareIDs(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

func sortedIDs[V any](executors map[string]V) []string {
	return slices.SortedFunc(maps.Keys(executors), compareIDs)
}

// Exclusions are the executors and the nodes that the application excludes: executors first.
func (t *Tracker) Exclusions() []Exclusion {
	if t == nil {
		return nil
	}
	var out []Exclusion
	for _, id := range sortedIDs(t.executors) {
		e := t.executors[id]
		out = append(out, Exclusion{Executor: id, Task: All, Until: e.until.UnixMilli(), Why: e.why})
	}
	for _, name := range t.Nodes() {
		n := t.nodes[name]
		out = append(out, Exclusion{Node: name, Task: All, Until: n.until.UnixMilli(), Why: n.why})
	}
	return out
}

// Exclusions are the executors and the nodes that the set excludes: executors first, and each from all tasks before from single
// ones. One that gets no task at all is not repeated for single ones.
func (s *Set) Exclusions() []Exclusion {
	if !s.excludes() {
		return nil
	}
	var out []Exclusion
	for _, id := range sortedIDs(s.executors) {
		e := s.executors[id]
		if e.excluded {
			why := fmt.Sprintf("%d tasks of the stage failed on it (%s %d)", len(e.tasks), stageTasksPerExecutor.Key(), s.cfg.StageTasksPerExecutor)
			out = append(out, Exclusion{Executor: id, Task: All, Why: why})
			continue
		}
		for _, task := range slices.Sorted(maps.Keys(e.tasks)) {
			if s.ExecutorForTask(id, task) {
				why := fmt.Sprintf("the task failed %d times on it (%s %d)", e.tasks[task].count, taskAttemptsPerExecutor.Key(), s.cfg.TaskAttemptsPerExecutor)
				out = append(out, Exclusion{Executor: id, Task: task, Why: why})
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.nodes)) {
		n := s.nodes[name]
		if n.excluded {
			why := fmt.Sprintf("the stage excludes %d of its executors (%s %d)", n.excludedExecutors(), stageExecutorsPerNode.Key(), s.cfg.StageExecutorsPerNode)
			out = append(out, Exclusion{Node: name, Task: All, Why: why})
			continue
		}
		for _, task := range slices.Sorted(maps.Keys(n.tasks)) {
			why := fmt.Sprintf("the task failed %d times on it (%s %d)", n.attempts(task), taskAttemptsPerNode.Key(), s.cfg.TaskAttemptsPerNode)
			out = append(out, Exclusion{Node: name, Task: task, Why: why})
		}
	}
	return out
}
