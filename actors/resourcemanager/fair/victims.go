//coherer:pure

package fair

import (
	"math"
	"slices"
)

// victims are containers of one node whose end makes room for one container. The node is nil if no node can help. The fewer
// ApplicationMasters among them the better: if a farther node would do and needs fewer, it replaces the near one. Nodes that
// cannot help are removed from near and all.
func (s *Scheduler) victims(a *app, want Ask, near, all *[]*node) (*node, []*container) {
	best, victims, ams := s.victimsAmong(a, want, near)
	if ams == 0 || want.Name == Any || !want.Relax {
		return best, victims
	}
	far, others, fewer := s.victimsAmong(a, want, all)
	if fewer < ams || s.conf.Faults.preemptsInVain { // with it a far one with as many does
		return far, others
	}
	return best, victims
}

func (s *Scheduler) victimsAmong(a *app, want Ask, among *[]*node) (best *node, victims []*container, ams int) {
	most := math.MaxInt
	useless := 0 // at the front of among
	for _, n := range *among {
		chosen, ams, ok := s.victimsOn(a, want, n, most)
		switch {
		case ok:
			best, victims, most = n, chosen, ams
		case best == nil:
			useless++ // later marks do not make it better: the next search may skip it
		}
		if most == 0 { // no node can be better
			break
		}
	}
	*among = (*among)[useless:]
	if best == nil {
		return nil, nil, 0
	}
	return best, victims, most
}

// victimsOn are containers of a node whose end makes room, with fewer ApplicationMasters than most.
func (s *Scheduler) victimsOn(a *app, want Ask, n *node, most int) (victims []*container, ams int, ok bool) {
	capability := want.Capability
	if n.drained {
		return nil, 0, false
	}
	room := n.free.lessNotBelowZero(n.committed())
	if !s.conf.Faults.preemptsInVain {
		if !s.answers(a, want, n) {
			return nil, 0, false
		}
		room = n.room()
		if capability.Fits(room) {
			return nil, 0, true
		}
	}
	chosen := map[*app]Resource{}
	for _, c := range s.victimOrder(n) {
		if c.marked {
			continue
		}
		if s.spared(a, c, chosen[c.app]) {
			if capability.Fits(room) { // only with preemptsInVain: Hadoop looks at the room after each container, also a spared one
				return nil, 0, true
			}
			continue
		}
		if c.AM {
			if ams++; ams >= most { // a node found before does with fewer
				return nil, 0, false
			}
		}
		victims = append(victims, c)
		chosen[c.app] = chosen[c.app].Plus(c.Resource)
		if room = room.Plus(c.Resource); capability.Fits(room) {
			if !s.conf.Faults.preemptsInVain {
				victims, ams = needed(victims, capability, room)
			}
			return victims, ams, true
		}
	}
	return nil, 0, false
}

// needed leaves out superfluous victims: small ones that were chosen before a large one made room alone.
func needed(victims []*container, capability, room Resource) (some []*container, ams int) {
	for _, c := range victims {
		if less := room.Minus(c.Resource); capability.Fits(less) {
			room = less
			continue
		}
		some = append(some, c)
		if c.AM {
			ams++
		}
	}
	return some, ams
}

// futile reports whether room on no node would help: the container would exceed the queue's maximum, or its share of
// ApplicationMasters.
func (s *Scheduler) futile(a *app, want Ask) bool {
	return s.overAMShare(a) || !a.queue.fitsMaxShare(want.Capability)
}

// answers reports whether offers of the node, if it had room, would come to this ask: not when a more urgent ask for which no room
// was made could go there, since that ends each offer of the node.
func (s *Scheduler) answers(a *app, want Ask, n *node) bool {
	r := a.byKey[want.Key]
	if a.blocks(n) || !s.fits(a, r, n) {
		return false
	}
	for _, first := range a.active {
		if compareKeys(first.Key, want.Key) >= 0 {
			break
		}
		if first.any.count > a.helped[first.Key] && s.fits(a, first, n) {
			return false
		}
	}
	// As in offerRequests: the nearest ask counts, with its size.
	switch rack, host := r.at(n.rack), r.at(n.host); {
	case rack.pending() > 0 && host.pending() > 0:
		return host.capability == want.Capability
	case !rack.relaxed():
		return false
	case rack.pending() > 0:
		return rack.capability == want.Capability
	default:
		return r.any.capability == want.Capability
	}
}

// spared reports whether a container must not be preempted for a: its queue or one above forbids it, or its application
// would have less than its fair share without it and besides. So are a's own, and its queue's when only the queue's
// minimum is not met.
func (s *Scheduler) spared(a *app, c *container, besides Resource) bool {
	v := c.app
	if v.stopped || !v.queue.set.Preemptable {
		return true
	}
	if !s.conf.Faults.preemptsInVain && (v == a || v.queue == a.queue && a.fairStarving.IsZero()) {
		return true
	}
	left := v.Usage.Minus(v.markedSum).Minus(c.Resource).Minus(besides)
	return v.queue.policy.Below(left, v.FairShare, s.nodes.total)
}

// victimOrder are the containers of a node in the order of preemption: the newest first, ApplicationMasters last; or
// Hadoop's. It is kept until a container comes or goes.
func (s *Scheduler) victimOrder(n *node) []*container {
	if n.victims != nil {
		return n.victims
	}
	all := inOrder(n.containers)
	if s.conf.Faults.hashOrder {
		historicVictims(all, n.most)
	}
	slices.Reverse(all)
	var ams []*container
	all = slices.DeleteFunc(all, func(c *container) bool {
		if c.AM {
			ams = append(ams, c)
		}
		return c.AM
	})
	if s.conf.Faults.hashOrder {
		slices.Reverse(ams)
	}
	n.victims = append(all, ams...)
	return n.victims
}
