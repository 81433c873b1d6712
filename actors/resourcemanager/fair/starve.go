//coherer:pure

package fair

import "slices"

// preempts reports whether preemption is on and enough of the cluster is in use for it.
func (s *Scheduler) preempts() bool {
	if !s.conf.Preemption {
		return false
	}
	used, all := s.root.Usage, s.nodes.total
	return float32(s.conf.UtilizationThreshold) < max(float32(used.Memory)/float32(all.Memory), float32(used.VCores)/float32(all.VCores))
}

// updateStarving finds the applications of a leaf that have had less than they should for too long. One that was helped lately is
// left out. It mirrors FSLeafQueue.updateStarvedApps.
func (s *Scheduler) updateStarving(q *queue) {
	var wanting []*app
	for _, a := range q.apps {
		switch {
		case a.wanting && s.now >= a.nextCheck:
			wanting = append(wanting, a)
		case !a.wanting:
			if !s.conf.Faults.hidesStarving {
				a.fairStarving, a.minStarving = Resource{}, Resource{}
			}
			if !s.conf.Faults.starvesIdle {
				a.fairSince = s.now
			}
		}
	}
	// In the order of service: those served first get the queue's lack to its minimum first.
	slices.SortFunc(wanting, func(a, b *app) int { return q.policy.Compare(&a.schedulable, &b.schedulable, s.nodes.total) })
	var fairly Resource
	for _, a := range wanting {
		s.updateFairStarving(a)
		if a.fairStarving.IsZero() {
			if s.conf.Faults.hidesStarving { // it takes for granted that those served after it do not starve either
				break
			}
			continue
		}
		s.starves(a)
		fairly = fairly.Plus(a.fairStarving)
	}
	// Room for the fair shares also helps the queue to its minimum: only the rest of that lack is distributed.
	rest := s.minStarvation(q).lessNotBelowZero(fairly)
	for _, a := range wanting {
		if rest.IsZero() {
			a.minStarving = Resource{}
			continue
		}
		part := a.pendingDemand().lessNotBelowZero(a.fairStarving)
		if q.policy.Less(rest, part, s.nodes.total) {
			if part = part.lessNotBelowZero(rest); !s.conf.Faults.wrongPart {
				part = rest
			}
			rest = Resource{}
		} else {
			rest = rest.lessNotBelowZero(part)
		}
		a.minStarving = part
		s.starves(a)
	}
}

// updateFairStarving computes the amount by which an application has been below a part of its fair share for long enough.
func (s *Scheduler) updateFairStarving(a *app) {
	set := &a.queue.set
	due := a.FairShare.scaled(float64(set.FairSharePreemptionThreshold)).Min(a.Demand) // none starves for what it does not want
	below := a.queue.policy.Below(a.Usage, due, s.nodes.total)
	if !below {
		a.fairSince = s.now
	}
	a.fairStarving = Resource{}
	if below && s.now-a.fairSince >= set.FairSharePreemptionTimeout {
		a.fairStarving = due.lessNotBelowZero(a.Usage)
	}
}

// minStarvation is the amount by which a queue has been below its minimum, or its demand if that is less, for long enough.
func (s *Scheduler) minStarvation(q *queue) Resource {
	lacking := q.MinShare.Min(q.Demand).lessNotBelowZero(q.Usage)
	if lacking.IsZero() {
		q.atMinShareSince = s.now
	}
	if s.now-q.atMinShareSince < q.set.MinSharePreemptionTimeout {
		return Resource{}
	}
	return lacking
}

func (s *Scheduler) starves(a *app) {
	if !slices.Contains(s.starving, a) {
		s.starving = append(s.starving, a)
	}
}
