package tasks

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/coherer/coherer/actors/driver/exclude"
)

// Excludes reports whether the application excludes an executor or its host.
func (s *Scheduler) Excludes(executor, host string) bool {
	return s.health.Executor(executor) || s.health.Node(host)
}

// ExcludedNodes are the nodes that the application excludes, sorted: where the cluster is to start no executor.
func (s *Scheduler) ExcludedNodes() []string { return s.health.Nodes() }

// excludes reports whether failures keep a task from an executor.
func (m *manager) excludes(index int32, o *Offer) bool {
	return m.excluded.NodeForTask(o.Host, int(index)) || m.excluded.ExecutorForTask(o.Executor, int(index))
}

// excludesAll reports whether failures keep the whole set from an executor.
func (m *manager) excludesAll(o *Offer) bool {
	return m.excluded.Node(o.Host) || m.excluded.Executor(o.Executor)
}

// nowhere finds a task that is to be started and that no executor may run. It looks at one task alone: another such is found when
// it is the last one. It mirrors TaskSetManager.getCompletelyExcludedTaskIfAny.
func (m *manager) nowhere() (index int32, found bool) {
	s := m.s
	if m.excluded == nil || len(s.byHost) == 0 {
		return 0, false
	}
	all := m.pending.all
	for at := len(all) - 1; at >= 0 && !found; at-- {
		t := &m.states[all[at]]
		index, found = all[at], t.copies == 0 && !t.done
	}
	if !found {
		return 0, false
	}
	for host, places := range s.byHost {
		for _, p := range places {
			o := Offer{Executor: p.id, Host: host}
			if !s.health.Node(host) && !s.health.Executor(p.id) && !m.excludesAll(&o) && !m.excludes(index, &o) {
				return 0, false
			}
		}
	}
	return index, true
}

// checkUnschedulable follows a round that started nothing of a set. If no executor may run it, an idle one is ended so that another
// takes its place (when failures exclude executors from the application), or another one is asked for, and the set gets some time;
// without either it fails at once.
func (s *Scheduler) checkUnschedulable(m *manager, now time.Time) {
	index, found := m.nowhere()
	if !found {
		return
	}
	idle := s.idle()
	switch {
	case idle == nil && !s.cfg.DynamicAllocation:
		m.failUnschedulable(index, now)
	case !m.abort.IsZero(): // it has got its time
	case idle != nil:
		if k, ok := s.health.KillIdle(idle.id); ok {
			s.excluded(exclude.Outcome{Kills: []exclude.Kill{k}})
		}
		s.expectAbort(m, index, now)
	default:
		s.tell(UnschedulableSet{Set: m.set.ID})
		s.expectAbort(m, index, now)
	}
}

// idle is an executor that runs nothing; nil: each one runs something.
func (s *Scheduler) idle() *place {
	var idle []*place
	for _, p := range s.places {
		if p.alive && p.running == 0 {
			idle = append(idle, p)
		}
	}
	if len(idle) == 0 {
		return nil
	}
	return slices.MinFunc(idle, func(a, b *place) int {
		return cmp.Or(s.placeTable.compare(hashOfText(a.id), hashOfText(b.id)), cmp.Compare(a.id, b.id))
	})
}

func (s *Scheduler) expectAbort(m *manager, index int32, now time.Time) {
	m.abort = now.Add(s.cfg.UnschedulableTimeout)
	s.out.Aborts = append(s.out.Aborts, Abort{Set: m.set.ID, Index: index, At: m.abort})
}

// schedulableAgain follows a round that started a task: as long as something may run, all sets have time.
func (s *Scheduler) schedulableAgain(m *manager) {
	waited := false
	for _, other := range s.sets {
		waited = waited || !other.abort.IsZero()
		other.abort = time.Time{}
	}
	if waited {
		s.tell(UnschedulableSet{Set: m.set.ID, Schedulable: true})
	}
}

// AbortUnschedulable fails a set whose time is over.
func (s *Scheduler) AbortUnschedulable(a Abort, now time.Time) Effects {
	for _, m := range s.of(a.Set.Stage) {
		if m.set.ID == a.Set && !m.abort.IsZero() && !m.abort.After(now) {
			m.failUnschedulable(a.Index, now)
		}
	}
	return s.effects()
}

// failUnschedulable mirrors TaskSetManager.abortSinceCompletelyExcludedOnFailure.
func (m *manager) failUnschedulable(index int32, now time.Time) {
	m.fail(fmt.Sprintf("\nAborting TaskSet %s because task %d (partition %d)\ncannot run anywhere due to node and executor excludeOnFailure.\n"+
		"Most recent failure:\n%s\n\nExcludeOnFailure behavior can be configured via spark.excludeOnFailure.*.\n",
		m.set.ID, index, m.set.Tasks[index].Partition, m.excluded.LatestFailure()), Reason{}, now)
}
