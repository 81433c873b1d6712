//coherer:pure

package fair

import "slices"

// preempts reports whether anything is to be preempted at all: only when enough of the cluster is in use.
func (s *Scheduler) preempts() bool {
	if !s.conf.Preemption {
		return false
	}
	used, all := s.root.Usage, s.nodes.total
	return float32(s.conf.UtilizationThreshold) < max(float32(used.Memory)/float32(all.Memory), float32(used.VCores)/float32(all.VCores))
}

// updateStarving finds who in a leaf has less than it should for too long. An application that was helped lately is left out.
// It mirrors FSLeafQueue.updateStarvedApps.
func (s *Scheduler) updateStarving(q *queue) {
	upstream := s.conf.Compat == Upstream
	var wanting []*app
	for _, a := range q.apps {
		switch {
		case a.wanting && s.now >= a.nextCheck:
			wanting = append(wanting, a)
		case !a.wanting && !upstream: // Hadoop does not look at it, and what it lacked stays
			a.fairStarving, a.minStarving, a.fairSince = Resource{}, Resource{}, s.now
		}
	}
	slices.SortFunc(wanting, func(a, b *app) int { return q.policy.Compare(&a.Schedulable, &b.Schedulable, s.nodes.total) })
	var fairly Resource
	for _, a := range wanting {
		s.updateFairStarving(a)
		if a.fairStarving.IsZero() {
			if upstream { // it hides those that are served after it
				break
			}
			continue
		}
		s.starves(a)
		fairly = fairly.Plus(a.fairStarving)
	}
	rest := s.minStarvation(q).lessNotBelowZero(fairly)
	for _, a := range wanting {
		if rest.IsZero() {
			a.minStarving = Resource{}
			continue
		}
		part := a.pendingDemand().lessNotBelowZero(a.fairStarving)
		if q.policy.Less(rest, part, s.nodes.total) {
			if part = part.lessNotBelowZero(rest); !upstream { // Hadoop hands on what is left of the demand
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

// updateFairStarving computes by how much an application is below a part of its fair share, when it is so for long enough.
func (s *Scheduler) updateFairStarving(a *app) {
	set := &a.queue.set
	due := a.FairShare.scaled(float64(set.FairSharePreemptionThreshold)).Min(a.Demand)
	below := a.queue.policy.Below(a.Usage, due, s.nodes.total)
	if !below {
		a.fairSince = s.now
	}
	a.fairStarving = Resource{}
	if below && s.now-a.fairSince >= set.FairSharePreemptionTimeout {
		a.fairStarving = due.lessNotBelowZero(a.Usage)
	}
}

// minStarvation is by how much a queue is below its minimum, or below its demand if that is less, when it is so for long
// enough.
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
