//coherer:pure

package fair

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/coherer/coherer/actors/ids"
)

// NodeUpdate takes the news of a node's heartbeat, containers that run now and containers that ended, and offers its free room.
// Unknown containers get a CleanUp; their ends are no error.
func (s *Scheduler) NodeUpdate(now time.Duration, id string, launched []ids.Container, ended []Ended) ([]Event, error) {
	n, err := s.news(now, id, launched, ended)
	if err != nil {
		return nil, err
	}
	s.schedule(n)
	return s.take(), nil
}

// news books a node's report.
func (s *Scheduler) news(now time.Duration, id string, launched []ids.Container, ended []Ended) (*node, error) {
	s.now = now
	n := s.nodes.byID[id]
	if n == nil {
		return nil, fmt.Errorf("node %s is %w", id, ErrUnknown)
	}
	for _, l := range launched {
		if c := s.containers[l]; c != nil && c.node == n && !c.reserved { // a node may report anything, also a reservation's id
			c.launched = true
		} else {
			s.events = append(s.events, Event{Kind: CleanUp, Container: l, Attempt: l.Attempt, Node: id})
		}
	}
	for _, e := range ended {
		if c := s.containers[e.ID]; c != nil && c.node == n && !c.reserved {
			s.complete(c, End{ExitStatus: e.ExitStatus, Diagnostics: e.Diagnostics, Cause: Finished})
		}
	}
	return n, nil
}

// Ended is a container's end as its node reports it.
type Ended struct {
	ID          ids.Container
	ExitStatus  int32
	Diagnostics string
}

// ContinuousPass offers each node that has room for the smallest container once, those with the most free memory first.
func (s *Scheduler) ContinuousPass(now time.Duration) []Event {
	s.now = now
	// Nothing to give: such passes come every few milliseconds. With preemption, schedule has claims to forgive.
	if s.root.wanting == 0 && s.reservations == 0 && !s.conf.Preemption {
		return s.take()
	}
	all := freest(s.nodes.ordered(s.conf.Faults), s.conf.Minimum.Memory)
	if s.conf.Faults.onePerRoom {
		all = historicPass(all)
	}
	for _, n := range all {
		if s.conf.Minimum.Fits(n.free) { // freest looks at memory alone
			s.schedule(n)
		}
	}
	return s.take()
}

// Update computes demands and fair shares, and, with preemption, which applications starve.
func (s *Scheduler) Update(now time.Duration) {
	s.now = now
	s.updateDemand(s.root) // first: the weight of an application, and starvation, go by its demand
	s.root.FairShare = s.nodes.total
	s.root.shares()
	s.refresh()
	if s.preempts() {
		for _, q := range s.leaves {
			s.updateStarving(q)
		}
	}
}

// updateDemand sums up demands from the leaves; the demand of a queue is at most its maximum.
func (s *Scheduler) updateDemand(q *queue) {
	var sum Resource
	for _, c := range q.children {
		s.updateDemand(c)
		sum = sum.Plus(c.Demand).Min(q.MaxShare)
	}
	for _, a := range q.apps {
		a.updateDemand(s.conf.SizeBasedWeight)
		sum = sum.Plus(a.Demand)
	}
	for _, a := range q.waiting {
		a.updateDemand(s.conf.SizeBasedWeight)
		sum = sum.Plus(a.Demand)
	}
	sum = sum.Min(q.MaxShare)
	if sum != q.Demand {
		q.Demand = sum
		if q.parent != nil { // policies compare by demand
			q.parent.order.touch(&q.member)
		}
	}
}

// shares divides the queue's share among its children or its applications.
func (q *queue) shares() {
	q.policy.ComputeShares(q.items(), q.FairShare)
	for _, c := range q.children {
		c.shares()
	}
}

// Complete ends a container for another reason than its node's report: not used in time, killed. An unknown one is no error: it
// has ended already.
func (s *Scheduler) Complete(now time.Duration, id ids.Container, end End) []Event {
	s.now = now
	if c := s.containers[id]; c != nil {
		s.complete(c, end)
	}
	return s.take()
}

// complete takes a container off the books. If its application did not know of it yet, it is asked for again.
func (s *Scheduler) complete(c *container, end End) {
	if c.reserved {
		s.unreserve(c)
		return
	}
	a := c.app
	c.gone = true
	a.removeLive(c)
	c.unmark()
	if !a.stopped { // else dismiss has taken the whole attempt off the queue
		a.queue.free(c.Resource)
	}
	c.node.remove(c)
	delete(s.containers, c.ID)
	s.events = append(s.events, Event{
		Kind: Gone, Container: c.ID, Attempt: a.id, Node: c.Node, Resource: c.Resource, Key: c.Key, AM: c.AM,
		ExitStatus: end.ExitStatus, Diagnostics: end.Diagnostics, Cause: end.Cause,
	})
	if c.taken != nil {
		a.putBack(c.taken)
	}
	a.touch()
	s.refresh()
}

// Recover books a container that a node reports, after the scheduler's own restart. Its application must be known.
func (s *Scheduler) Recover(now time.Duration, c Container) error {
	s.now = now
	n := s.nodes.byID[c.Node]
	if n == nil {
		return fmt.Errorf("container %s: node %s is %w", c.ID, c.Node, ErrUnknown)
	}
	owner := s.applications[c.ID.Attempt.App]
	if owner == nil || owner.attempt == nil || owner.attempt.stopped {
		return fmt.Errorf("container %s: its application is %w", c.ID, ErrUnknown)
	}
	if s.containers[c.ID] != nil {
		return nil
	}
	a := owner.attempt
	c.Host = n.host
	k := &container{Container: c, app: a, node: n, launched: true}
	a.addLive(k)
	a.queue.use(c.Resource)
	n.add(k)
	s.births++
	k.born = s.births
	s.containers[c.ID] = k
	// Ids of an earlier epoch cannot come again. One of this epoch is of a node that was given up and came back.
	if c.ID.Epoch == s.conf.Epoch && c.ID.Attempt == a.id {
		a.sequence = max(a.sequence, c.ID.Seq)
	}
	if c.AM && a.managed && !a.amRunning {
		a.amRunning = true
		a.amCounts(c.Resource)
	}
	a.touch()
	s.refresh()
	return nil
}

// inOrder is a copy, the oldest first.
func inOrder(all []*container) []*container {
	sorted := slices.Clone(all)
	slices.SortFunc(sorted, func(a, b *container) int { return cmp.Compare(a.born, b.born) })
	return sorted
}
