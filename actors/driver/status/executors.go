//coherer:pure

package status

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/coherer/coherer/actors/driver/listener"
)

// executor is an executor or the driver. It mirrors LiveExecutor.
type executor struct {
	id, host, hostPort      string
	isActive, excluded      bool
	info                    listener.ExecutorInfo
	added, removed          int64
	reason                  string
	active, failed, total   int
	completed               int
	duration                int64
	metrics                 listener.TaskMetrics
	peaks                   listener.ExecutorMetrics
	onHeap, offHeap         int64 // that kept blocks may take
	usedOnHeap, usedOffHeap int64
	used, disk              int64
	blocks                  int
	excludedIn              map[int32]bool // stages
}

func (s *Store) executor(id string, now int64) *executor {
	x := s.executors[id]
	if x == nil {
		x = &executor{id: id, isActive: true, added: now, peaks: listener.Unmeasured, excludedIn: map[int32]bool{}}
		s.executors[id] = x
	}
	return x
}

func (s *Store) executorAdded(e *listener.ExecutorAdded) {
	x := s.executor(e.ExecutorID, e.Timestamp)
	x.host, x.info, x.isActive = e.Info.Host, e.Info, true
}

func (s *Store) blockManagerAdded(e *listener.BlockManagerAdded) {
	x := s.executor(e.ID.ExecutorID, e.Timestamp)
	x.hostPort, x.isActive = fmt.Sprintf("%s:%d", e.ID.Host, e.ID.Port), true
	x.onHeap, x.offHeap = e.Memory, 0
	if e.OnHeap != nil && e.OffHeap != nil {
		x.onHeap, x.offHeap = *e.OnHeap, *e.OffHeap
	}
}

func (s *Store) executorRemoved(e *listener.ExecutorRemoved) {
	x := s.executors[e.ExecutorID]
	if x == nil {
		return
	}
	x.isActive, x.removed, x.reason = false, e.Timestamp, e.Reason
	for _, id := range slices.Sorted(maps.Keys(s.rdds)) {
		s.rdds[id].executorGone(x.id)
	}
	var gone []*executor
	for _, id := range slices.Sorted(maps.Keys(s.executors)) {
		if x := s.executors[id]; !x.isActive {
			gone = append(gone, x)
		}
	}
	n := len(gone) - s.limits.executors
	slices.SortStableFunc(gone, func(a, b *executor) int { return cmp.Compare(a.removed, b.removed) })
	for _, x := range gone[:max(n, 0)] {
		delete(s.executors, x.id)
	}
}

// executorMetrics takes the peaks of a heartbeat. Those of an attempt of a stage are the stage's too.
func (s *Store) executorMetrics(e *listener.ExecutorMetricsUpdate) {
	x := s.executors[e.ExecutorID]
	for i := range e.Executors {
		m := &e.Executors[i]
		if x != nil {
			x.peaks.Max(&m.Metrics)
		}
		if g := s.stages[stageKey{m.StageID, m.Attempt}]; g != nil {
			g.peaks.Max(&m.Metrics)
			g.executor(e.ExecutorID).peaks.Max(&m.Metrics)
		}
	}
}

func (s *Store) stageExecutorMetrics(e *listener.StageExecutorMetrics) {
	if x := s.executors[e.ExecutorID]; x != nil {
		x.peaks.Max(&e.Metrics)
	}
	if g := s.stages[stageKey{e.StageID, e.Attempt}]; g != nil {
		g.peaks.Max(&e.Metrics)
		g.executor(e.ExecutorID).peaks.Max(&e.Metrics)
	}
}

// exclusion takes the events by their newer names; the older ones say the same.
func (s *Store) exclusion(e *listener.Exclusion) {
	var those []*executor
	for _, id := range slices.Sorted(maps.Keys(s.executors)) {
		if x := s.executors[id]; id == e.ExecutorID || e.HostID != "" && x.host == e.HostID {
			those = append(those, x)
		}
	}
	for _, x := range those {
		switch e.Name {
		case "ExecutorExcluded", "NodeExcluded":
			x.excluded = true
		case "ExecutorUnexcluded", "NodeUnexcluded":
			x.excluded = false
		case "ExecutorExcludedForStage", "NodeExcludedForStage":
			if g := s.stages[stageKey{value(e.StageID), value(e.Attempt)}]; g != nil {
				x.excludedIn[g.info.ID] = true
				g.executor(x.id).excluded = true
			}
		}
	}
}
