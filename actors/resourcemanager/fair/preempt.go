//coherer:pure

package fair

import (
	"slices"
	"time"
)

// kill is what was marked at one time, to be ended at another.
type kill struct {
	at         time.Duration
	containers []*container
}

// Preempt marks containers of others for the applications that Update found starving, in turn. They are warned: what is
// Marked ends with KillMarked after Config.WaitBeforeKill. It mirrors FSPreemptionThread.
func (s *Scheduler) Preempt(now time.Duration) []Event {
	s.now = now
	for a := s.nextStarving(); a != nil; a = s.nextStarving() {
		if marked := s.preemptFor(a); len(marked) > 0 {
			s.kills = append(s.kills, kill{now + s.conf.WaitBeforeKill, marked})
		}
		offers := 4 * s.conf.NodeHeartbeat
		if s.conf.Continuous {
			offers = 10 * s.conf.ContinuousSleep
		}
		a.nextCheck = now + s.conf.WaitBeforeKill + offers + s.conf.WaitBeforeCheck
	}
	return s.take()
}

// nextStarving takes the application that lacks the most of memory, then of cores.
func (s *Scheduler) nextStarving() *app {
	if len(s.starving) == 0 {
		return nil
	}
	if s.conf.Compat == Upstream {
		return s.historicStarving()
	}
	first := slices.MaxFunc(s.starving, func(a, b *app) int {
		x, y := a.starvation(), b.starvation()
		return sign(float64(x.Memory-y.Memory)*1e9 + float64(x.VCores-y.VCores))
	})
	s.starving = slices.DeleteFunc(s.starving, func(a *app) bool { return a == first })
	return first
}

// NextKill is when KillMarked has something to end; ok is false when it has not.
func (s *Scheduler) NextKill() (at time.Duration, ok bool) {
	if len(s.kills) == 0 {
		return 0, false
	}
	return s.kills[0].at, true
}

// KillMarked ends what was marked long enough ago and has not ended by itself.
func (s *Scheduler) KillMarked(now time.Duration) []Event {
	s.now = now
	for len(s.kills) > 0 && s.kills[0].at <= now {
		for _, c := range s.kills[0].containers {
			if !c.gone {
				s.complete(c, End{ExitStatus: ExitPreempted, Diagnostics: DiagnosticsPreempted, Cause: Killed})
			}
		}
		s.kills = s.kills[1:]
	}
	return s.take()
}

// preemptFor marks enough for what an application lacks.
func (s *Scheduler) preemptFor(a *app) []*container {
	var marked []*container
	for _, want := range s.starvedAsks(a) {
		for range want.Count {
			victims := s.victims(want)
			if len(victims) == 0 {
				continue
			}
			var sum Resource
			for _, c := range victims {
				s.mark(c)
				sum = sum.Plus(c.Resource)
			}
			victims[0].node.owe(a, sum)
			marked = append(marked, victims...)
		}
	}
	return marked
}

// starvedAsks are as many of an application's requests as its starvation covers; of a request at several places one counts.
func (s *Scheduler) starvedAsks(a *app) []Ask {
	var some []Ask
	left := a.starvation()
	seen := visits{}
	for _, ask := range s.visitOrder(a) {
		if left.IsZero() {
			break
		}
		if !seen.visit(s, ask) || ask.Capability.Memory <= 0 {
			continue
		}
		fit := left.Memory / ask.Capability.Memory
		if fit == 0 {
			continue
		}
		if fit < ask.Count {
			ask.Count, ask.Relax = fit, true
		}
		some = append(some, ask)
		left = left.lessNotBelowZero(ask.Capability.times(ask.Count))
	}
	return some
}

// visitOrder are the requests in the order in which preemption looks at them: hosts, then racks, then Any; or Hadoop's.
func (s *Scheduler) visitOrder(a *app) []Ask {
	asks := a.asks()
	if s.conf.Compat == Upstream {
		historicAsks(asks)
		return asks
	}
	width := func(x Ask) int {
		switch {
		case x.Name == Any:
			return 2
		case s.nodes.racks[x.Name] > 0:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(asks, func(x, y Ask) int {
		if c := compareKeys(x.Key, y.Key); c != 0 {
			return c
		}
		return width(x) - width(y)
	})
	return asks
}

// visits are the places of requests that were looked at, by priority and size: a request that is asked at a host, its rack
// and Any is looked at once.
type visits map[visitKey]*visit

type visitKey struct {
	priority   int32
	capability Resource
}

type visit struct {
	racks, racksOfNodes map[string]bool
	any                 bool
}

func (v visits) visit(s *Scheduler, ask Ask) bool {
	key := visitKey{ask.Priority, ask.Capability}
	t := v[key]
	if t == nil {
		t = &visit{racks: map[string]bool{}, racksOfNodes: map[string]bool{}}
		v[key] = t
	}
	if ask.Name == Any {
		if len(t.racks) == 0 && len(t.racksOfNodes) == 0 {
			t.any = true
		}
		return t.any
	}
	nodes := s.nodes.named(ask.Name, s.conf.Compat)
	switch {
	case len(nodes) == 0 || t.any:
		return false
	case nodes[0].host == ask.Name && (len(nodes) == 1 || s.conf.Compat != Upstream): // Hadoop takes a host with two nodes for a rack
		if t.racks[nodes[0].rack] {
			return false
		}
		t.racksOfNodes[nodes[0].rack] = true
	default:
		if t.racksOfNodes[ask.Name] {
			return false
		}
		t.racks[ask.Name] = true
	}
	return true
}

// victims are containers of one node whose end makes room for one container; nil when there is no such node. The fewer
// ApplicationMasters among them the better. Those that are taken only because a near node was asked for, where a farther one
// would do, are not taken: then all nodes are looked at.
func (s *Scheduler) victims(want Ask) []*container {
	best, ams := s.victimsAmong(s.nodes.named(want.Name, s.conf.Compat), want.Capability)
	if ams > 0 && want.Name != Any && want.Relax {
		best, _ = s.victimsAmong(s.nodes.ordered(s.conf.Compat), want.Capability)
	}
	return best
}

func (s *Scheduler) victimsAmong(among []*node, capability Resource) (best []*container, ams int) {
	most := int(^uint(0) >> 1)
	for _, n := range among {
		victims, ams, ok := s.victimsOn(n, capability, most)
		if !ok {
			continue
		}
		best, most = victims, ams
		if ams == 0 {
			return best, 0
		}
	}
	if best == nil {
		return nil, 0
	}
	return best, most
}

// victimsOn are containers of a node whose end makes room, with fewer ApplicationMasters than most.
func (s *Scheduler) victimsOn(n *node, capability Resource, most int) (victims []*container, ams int, ok bool) {
	room := n.free.lessNotBelowZero(n.committed())
	chosen := map[*app]Resource{}
	for _, c := range s.victimOrder(n) {
		if s.spared(c, chosen[c.app]) {
			if capability.Fits(room) {
				return victims, ams, true
			}
			continue
		}
		if c.AM {
			if ams++; ams >= most {
				return nil, 0, false
			}
		}
		victims = append(victims, c)
		chosen[c.app] = chosen[c.app].Plus(c.Resource)
		if room = room.Plus(c.Resource); capability.Fits(room) {
			return victims, ams, true
		}
	}
	return nil, 0, false
}

// spared reports whether a container may not be taken: its queue or one above does not allow it, or its application would
// have less than its fair share without it and what else is taken.
func (s *Scheduler) spared(c *container, besides Resource) bool {
	a := c.app
	if !a.queue.set.Preemptable {
		return true
	}
	left := a.Usage.Minus(a.markedSum).Minus(c.Resource).Minus(besides)
	return a.queue.policy.Less(left, a.FairShare, s.nodes.total)
}

// victimOrder are the containers of a node that are not marked yet, in the order of their taking: the newest first,
// ApplicationMasters last; or Hadoop's.
func (s *Scheduler) victimOrder(n *node) []*container {
	all := inOrder(n.containers)
	if s.conf.Compat == Upstream {
		historicVictims(all, n.most)
	}
	slices.Reverse(all)
	var ams []*container
	all = slices.DeleteFunc(all, func(c *container) bool {
		if c.AM && !c.marked {
			ams = append(ams, c)
		}
		return c.AM || c.marked
	})
	slices.Reverse(ams)
	return append(all, ams...)
}

func (s *Scheduler) mark(c *container) {
	c.marked = true
	c.node.marked++
	c.app.marked = append(c.app.marked, c)
	c.app.markedSum = c.app.markedSum.Plus(c.Resource)
	s.tell(Marked, c)
}

func (s *Scheduler) unmark(c *container) {
	if !c.marked {
		return
	}
	a := c.app
	a.marked = slices.DeleteFunc(a.marked, func(x *container) bool { return x == c })
	a.markedSum = a.markedSum.Minus(c.Resource)
}
