package tasks

import (
	"cmp"
	"slices"
	"time"
)

// ExecutorLost gives up an executor: map tasks that finished there run again, since their output went with it, and the attempts
// that run there fail. LossPending comes first when nobody knows the reason yet: the executor takes no more tasks, and its
// attempts wait for the reason. It mirrors TaskSchedulerImpl.executorLost and TaskSetManager.executorLost.
func (s *Scheduler) ExecutorLost(id string, l Loss, now time.Time) Effects {
	p := s.places[id]
	if p == nil {
		return Effects{}
	}
	for _, m := range s.sets {
		for _, a := range m.running {
			if a.executor == id {
				delete(s.live, a.id)
			}
		}
	}
	s.out.Revive = p.alive
	s.forget(p)
	if !l.Pending {
		delete(s.places, id)
		for _, m := range s.inOrder() {
			m.executorLost(id, l, now)
		}
	}
	s.health.Removed(id)
	return s.effects()
}

func (m *manager) executorLost(id string, l Loss, now time.Time) {
	m.resubmit(id, l)
	var failed []*attempt
	for _, a := range m.attempts {
		if a.executor == id && !a.ended {
			failed = append(failed, a)
		}
	}
	m.pace.infos.sortAttempts(failed)
	for _, a := range failed {
		loss := l
		// An attempt that never said that it runs may never have reached the executor.
		loss.CausedByApp = l.CausedByApp && !a.launching
		a.failed(executorLost(id, loss), now)
	}
	m.recompute()
}

// resubmit makes the map tasks that finished on an executor run again.
func (m *manager) resubmit(id string, l Loss) {
	// Results have reached the driver. The outputs of a set that is over are DAGScheduler's to compute again. An external shuffle
	// service has outputs longer than the executor, but not than the machine.
	if m.zombie || !m.set.Work.Map || m.s.cfg.ExternalShuffle && !l.Decommissioned {
		return
	}
	var lost []*attempt
	for _, a := range m.attempts {
		finished := a.success || a.ended && !a.unwanted && m.s.cfg.Faults.ResubmitsFailed
		if a.executor == id && finished && !a.moved {
			lost = append(lost, a)
		}
	}
	m.pace.infos.sortAttempts(lost)
	for _, a := range lost {
		t := &m.states[a.index]
		if !t.done { // it runs again already
			continue
		}
		a.success = false // a second loss does not count it again
		t.done = false
		t.copies--
		m.done--
		m.addPending(a.index, false)
		r := Reason{Kind: KindResubmitted, Text: "Resubmitted (resubmitted due to lost executor)"}
		m.s.tell(a.completion(r, nil))
	}
}

// OutputMoved notes that the map output of an attempt lies at another executor from now on, so that it is not lost with the one that
// wrote it. Attempts of sets that are over are DAGScheduler's to know.
func (s *Scheduler) OutputMoved(id int64) {
	for _, m := range s.sets {
		// In the order of their start, which is that of their ids.
		at, found := slices.BinarySearchFunc(m.attempts, id, func(a *attempt, id int64) int { return cmp.Compare(a.id, id) })
		if found && m.set.Work.Map {
			m.attempts[at].moved = true
		}
	}
}
