//coherer:pure

package fair

import (
	"time"

	"github.com/coherer/coherer/actors/ids"
)

// outcome is the result of an offer of a node to a queue or an application.
type outcome struct {
	kind     int // nothing, reserves or assigns
	assigned Resource
}

const (
	nothing = iota
	reserves
	assigns
)

// schedule offers the free room of a node: first to applications for which containers were preempted there, then to the one that
// has reserved it, then, unless that reservation still holds, to the queues. It mirrors FairScheduler.attemptScheduling.
func (s *Scheduler) schedule(n *node) {
	if n.drained {
		return
	}
	s.payOwed(n)
	held := false
	if n.reserved != nil {
		held = s.honour(n)
	}
	if !held {
		half, sum := n.free.scaled(0.5), Resource{}
		for count := 0; n.reserved == nil; { // an offer may end in a reservation, which keeps the node from all others
			out := s.offerQueue(s.root, n)
			if out.kind == nothing {
				break
			}
			count++
			sum = sum.Plus(out.assigned)
			if !s.goesOn(count, sum, half) {
				break
			}
		}
	}
	s.refresh()
}

// goesOn reports whether a node that gave count containers, sum in all, is offered again; half is half of its free room at the
// start. A sum equal to half goes on, which gives one container more than half, as in Hadoop.
func (s *Scheduler) goesOn(count int, sum, half Resource) bool {
	switch {
	case !s.conf.AssignMultiple:
		return false
	case s.conf.DynamicMaxAssign:
		return sum.Fits(half)
	}
	return s.conf.MaxAssign <= 0 || count < s.conf.MaxAssign
}

// payOwed gives applications the room that was preempted for them here, in turn, until the claim is met or an offer fails.
func (s *Scheduler) payOwed(n *node) {
	// An application may have found room elsewhere since: its claim would keep the node's room from others.
	n.forgive(func(a *app) bool {
		return a.stopped || !a.starved(s.nodes.total) || a.starvation().IsZero()
	})
	for _, o := range append([]owed(nil), n.owed...) { // a copy: give pays claims, which removes them from n.owed
		for left := o.amount; !s.paid(left, o.amount); {
			out := s.offerApp(o.app, n)
			if out.kind != assigns {
				break
			}
			left = left.lessNotBelowZero(out.assigned)
		}
	}
}

// paid reports whether a claim is met: nothing is left of one of its types, since a container needs both. Hadoop waits for all.
func (s *Scheduler) paid(left, of Resource) bool {
	short := of.Memory > 0 && left.Memory <= 0 || of.VCores > 0 && left.VCores <= 0
	return left.IsZero() || short && !s.conf.Faults.owesEachType
}

// offerQueue offers a node to a queue's members in the order of its policy; the first that takes something ends the offer.
func (s *Scheduler) offerQueue(q *queue, n *node) outcome {
	// Ending with the first is also what makes the order safe to walk: an assignment changes it.
	for _, m := range q.order.in(s.nodes.total) {
		var out outcome
		switch {
		case m.app == nil:
			out = s.offerQueue(m.queue, n)
		case !m.app.blocks(n):
			out = s.offerApp(m.app, n)
		}
		if out.kind != nothing {
			return out
		}
	}
	return outcome{}
}

// offerApp offers a node to an application, for each of its keys in turn, the most urgent first.
func (s *Scheduler) offerApp(a *app, n *node) outcome {
	if s.overAMShare(a) {
		return outcome{}
	}
	for _, r := range a.active {
		if !s.fits(a, r, n) {
			continue
		}
		// An ended offer may have given nothing: a less urgent key must not take the room that a more urgent one waits for.
		if out, ended := s.offerRequests(a, r, n, nil); ended {
			return out
		}
	}
	return outcome{}
}

// overAMShare reports whether the next container is an ApplicationMaster's for which the queue has no room.
func (s *Scheduler) overAMShare(a *app) bool {
	if a.amRunning || !a.managed {
		return false
	}
	// Before it runs, the first container is the ApplicationMaster's, and its most urgent key asks for it.
	return len(a.active) == 0 || !s.mayRunAM(a.queue, a.active[0].any.capability)
}

// fits reports whether a request of the key could be met by the node if all of it were free. It mirrors
// FSAppAttempt.hasContainerForNode.
func (s *Scheduler) fits(a *app, r *requests, n *node) bool {
	if r.any.count <= 0 || !r.any.capability.Fits(n.total) {
		return false
	}
	rack := r.at(n.rack)
	if !r.any.relax && rack.pending() <= 0 {
		return false
	}
	if rack.pending() > 0 && !rack.relax && r.at(n.host).pending() <= 0 {
		return false
	}
	return a.queue.fitsMaxShare(r.any.capability)
}

// offerRequests offers a node to the requests of one key. ended is false when the next key may try. It mirrors the body of
// the loop of FSAppAttempt.assignContainer.
func (s *Scheduler) offerRequests(a *app, r *requests, n *node, reserved *container) (out outcome, ended bool) {
	r.delay.missed++ // before allowed: this offer counts, as in Hadoop
	level := s.allowed(r.delay, s.now)
	host, rack := r.at(n.host), r.at(n.rack)
	if rack.pending() > 0 && host.pending() > 0 {
		return s.place(a, r, host.capability, nodeLocal, n, reserved), true
	}
	if !rack.relaxed() {
		return outcome{}, false
	}
	if rack.pending() > 0 && level != nodeLocal {
		return s.place(a, r, rack.capability, rackLocal, n, reserved), true
	}
	// A key with nothing but Any has no near place to wait for.
	if r.locations() <= 1 || level == offSwitch {
		return s.place(a, r, r.any.capability, offSwitch, n, reserved), true
	}
	return outcome{}, false
}

func (s *Scheduler) allowed(d *delay, now time.Duration) locality {
	if s.conf.Continuous {
		return d.byTime(now, s.conf.NodeDelay, s.conf.RackDelay)
	}
	return d.byOffers(len(s.nodes.all), s.conf.NodeThreshold, s.conf.RackThreshold)
}

// place gives an application a container on a node, or reserves the node if the container does not fit.
func (s *Scheduler) place(a *app, r *requests, capability Resource, level locality, n *node, reserved *container) outcome {
	if !s.conf.Faults.boundsAnyOnly && !a.queue.fitsMaxShare(capability) {
		return outcome{}
	}
	if capability.Fits(n.free) {
		c := reserved
		if c == nil {
			c = s.newContainer(a, r.Key, n, capability)
		} else {
			s.unreserve(c)
		}
		first := !a.amRunning && a.managed // before give, which makes it run
		s.give(c, r, level)
		if first && s.conf.Faults.amAskedSize {
			a.amCounts(capability)
		}
		return outcome{assigns, capability}
	}
	// No reservation where the node owes it room: that comes when the marked containers end.
	if s.reservable(a, capability) && !n.owes(a) && s.reserve(a, r.Key, capability, level, n, reserved) {
		return outcome{kind: reserves}
	}
	return outcome{}
}

// newContainer makes the next container of an attempt.
func (s *Scheduler) newContainer(a *app, k Key, n *node, capability Resource) *container {
	a.sequence++
	return &container{
		Container: Container{
			ID:   ids.Container{Attempt: a.id, Epoch: s.conf.Epoch, Seq: a.sequence},
			Node: n.id, Host: n.host, Resource: capability, Key: k,
		},
		app: a, node: n,
	}
}

// give books a container for its application and its node.
func (s *Scheduler) give(c *container, r *requests, level locality) {
	a, n := c.app, c.node
	r.delay.given(level)
	t := a.take(r, level, n.host, n.rack)
	c.taken = &t
	a.addLive(c)
	a.fresh = append(a.fresh, c)
	a.queue.use(c.Resource)
	n.add(c)
	n.pay(a, c.Resource, s.paid) // whichever way it got the container: else it would get the same room twice
	a.begun = true
	s.births++
	c.born = s.births
	s.containers[c.ID] = c
	if !a.amRunning && a.managed {
		a.amRunning, c.AM = true, true
		a.amCounts(c.Resource)
	}
	a.touch()
	s.emit(Allocated, c) // last: the event says whether it is the ApplicationMaster's
}
