//coherer:pure

package fair

import (
	"math"
	"slices"
)

// reservable reports whether an application may reserve a node for a container of that size: it must be below its fair share
// or its queue's minimum, and the container not small.
func (s *Scheduler) reservable(a *app, capability Resource) bool {
	least := s.conf.Increment.scaled(float64(float32(s.conf.ReservationMultiple)))
	cluster := s.nodes.total
	return !a.queue.policy.Less(capability, least, cluster) && a.starved(cluster)
}

// reserve keeps a node for an application. A node has one reservation at most, and an application may reserve only a part of the
// nodes, hosts that it asked for excepted.
func (s *Scheduler) reserve(a *app, k Key, capability Resource, level locality, n *node, again *container) bool {
	if n.reserved != nil && n.reserved.app != a {
		return false
	}
	if level != nodeLocal && a.reservations(s.reach(n, level)) >= s.mostReservations(n, level) {
		return false
	}
	if again != nil { // it keeps its reservation
		return true
	}
	c := s.newContainer(a, k, n, capability)
	c.reserved = true
	n.reserved = c
	a.reserved = append(a.reserved, c)
	a.reserving = a.reserving.Plus(capability)
	s.containers[c.ID] = c
	s.reservations++
	s.emit(Reserved, c)
	return true
}

func (s *Scheduler) reach(n *node, level locality) string {
	if level == offSwitch {
		return ""
	}
	return n.rack
}

// mostReservations is the number of nodes, of the rack or of all, that one application may reserve: a part of them, rounded up. It
// is computed with 32 bits, as in Hadoop: a 20th of 20 nodes is one.
func (s *Scheduler) mostReservations(n *node, level locality) int {
	of := len(s.nodes.all)
	if level != offSwitch {
		of = s.nodes.racks[n.rack]
	}
	return int(math.Ceil(float64(float32(of) * float32(s.conf.ReservableNodes))))
}

// honour offers a node to the application that has reserved it. It reports whether the reservation holds: one that is no longer
// needed, or cannot be used, is dropped.
func (s *Scheduler) honour(n *node) bool {
	c := n.reserved
	a := c.app
	r := a.byKey[c.Key]
	beyond := !s.conf.Faults.boundsAnyOnly && !a.queue.fitsMaxShare(c.Resource)
	if r == nil || !s.fits(a, r, n) || s.overAMShare(a) || beyond {
		s.unreserve(c)
		return false
	}
	if c.Resource.Fits(n.free) {
		s.offerRequests(a, r, n, c)
	}
	return true // also when it was fulfilled just now: then the others get the node with its next update, as in Hadoop
}

// unreserve drops a reservation. Unless place fulfils it, its id is used up.
func (s *Scheduler) unreserve(c *container) {
	a := c.app
	c.reserved = false
	c.node.reserved = nil
	a.reserved = slices.DeleteFunc(a.reserved, func(x *container) bool { return x == c })
	a.reserving = a.reserving.Minus(c.Resource)
	delete(s.containers, c.ID)
	s.reservations--
	s.emit(Unreserved, c)
}
