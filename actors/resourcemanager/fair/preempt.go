//coherer:pure

package fair

import (
	"math"
	"slices"
	"time"
)

// kill is what was marked at one time, to be ended at another.
type kill struct {
	at         time.Duration
	app        *app // for which it is
	containers []*container
}

// Preempt marks containers of others for the applications that Update found starving, in turn. They are warned: what is
// Marked ends with KillMarked after Config.WaitBeforeKill. It mirrors FSPreemptionThread.
func (s *Scheduler) Preempt(now time.Duration) []Event {
	s.now = now
	for a := s.nextStarving(); a != nil; a = s.nextStarving() {
		if marked := s.preemptFor(a); len(marked) > 0 {
			s.kills = append(s.kills, kill{now + s.conf.WaitBeforeKill, a, marked})
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
		if s.conf.Compat != Upstream && s.futile(a, want) {
			continue
		}
		near := slices.Clone(s.nodes.named(want.Name, s.conf.Compat))
		var all []*node
		var chosen []*container
		surplus := map[*node]Resource{} // what will be free beside what is wanted
		for range want.Count {
			n, victims := s.victims(a, want, &near, &all)
			if n == nil || len(victims) == 0 && s.conf.Compat == Upstream {
				break // nor will the next one find any
			}
			owed := want.Capability
			if s.conf.Compat == Upstream { // all that is taken, which may be more than was wanted
				owed = sumOf(victims)
			}
			if _, seen := surplus[n]; !seen {
				surplus[n] = n.room()
			}
			for _, c := range victims {
				c.mark()
			}
			n.owe(a, owed)
			surplus[n] = surplus[n].Plus(sumOf(victims)).Minus(owed)
			chosen = append(chosen, victims...)
		}
		if s.conf.Compat != Upstream {
			chosen = relieved(chosen, surplus)
		}
		for _, c := range chosen {
			s.tell(Marked, c)
		}
		marked = append(marked, chosen...)
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
			if s.conf.Compat != Upstream {
				break // nothing less urgent gets room before this one does
			}
			continue
		}
		if fit < ask.Count {
			ask.Count = fit
			ask.Relax = ask.Relax || s.conf.Compat == Upstream
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

// victims are containers of one node whose end makes room for one container. The node is nil when there is none. The fewer
// ApplicationMasters among them the better. Those that are taken only because a near node was asked for, where a farther one
// would do, are not taken when another node has fewer. Nodes that cannot help are taken out of near and all, the others.
func (s *Scheduler) victims(a *app, want Ask, near, all *[]*node) (*node, []*container) {
	best, victims, ams := s.victimsAmong(a, want, near)
	if ams > 0 && want.Name != Any && want.Relax {
		if *all == nil {
			*all = slices.DeleteFunc(slices.Clone(s.nodes.ordered(s.conf.Compat)), func(n *node) bool { return slices.Contains(*near, n) })
		}
		if far, others, fewer := s.victimsAmong(a, want, all); far != nil && fewer < ams {
			best, victims = far, others
		}
	}
	return best, victims
}

func (s *Scheduler) victimsAmong(a *app, want Ask, among *[]*node) (best *node, victims []*container, ams int) {
	most := math.MaxInt
	useless := 0 // at the front of among
	for i, n := range *among {
		chosen, ams, ok := s.victimsOn(a, want, n, most)
		switch {
		case ok:
			best, victims, most = n, chosen, ams
		case best == nil && useless == i:
			useless++ // what is marked later does not make it better
		}
		if best != nil && most == 0 {
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
	if n.drained || n.marked == len(n.containers) && s.conf.Compat == Upstream {
		return nil, 0, false
	}
	room := n.free.lessNotBelowZero(n.committed())
	if s.conf.Compat != Upstream { // Hadoop takes containers also where none is needed, and where none will be used
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
		if s.spared(a, c, chosen[c.app]) {
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
			if s.conf.Compat != Upstream {
				victims, ams = needed(victims, capability, room)
			}
			return victims, ams, true
		}
	}
	return nil, 0, false
}

// needed leaves out victims without whom there is room enough: small ones that were chosen before a large one.
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

// futile reports whether room would not help anywhere: the queue has no room for the container, or for another
// ApplicationMaster.
func (s *Scheduler) futile(a *app, want Ask) bool {
	return s.overAMShare(a) || !a.queue.fitsMaxShare(want.Capability)
}

// answers reports whether a node that has room would be given what is wanted, sooner or later.
func (s *Scheduler) answers(a *app, want Ask, n *node) bool {
	r := a.byKey[want.Key]
	if r == nil || a.blocks(n) || !s.fits(a, r, n) {
		return false
	}
	switch rack, host := r.at(n.rack), r.at(n.host); {
	case rack.pending() > 0 && host.pending() > 0:
		return host.capability == want.Capability
	case !rack.relaxed():
		return false
	case rack.pending() > 0:
		return rack.capability == want.Capability
	default:
		return r.any.relax && r.any.capability == want.Capability
	}
}

// spared reports whether a container may not be taken for a: its queue or one above does not allow it, or its application
// would have less than its fair share without it and what else is taken. Fixed spares a's own, and its queue's when only the
// queue's minimum is not met.
func (s *Scheduler) spared(a *app, c *container, besides Resource) bool {
	v := c.app
	if v.stopped || !v.queue.set.Preemptable {
		return true
	}
	if s.conf.Compat != Upstream && (v == a || v.queue == a.queue && a.fairStarving.IsZero()) {
		return true
	}
	left := v.Usage.Minus(v.markedSum).Minus(c.Resource).Minus(besides)
	return v.queue.policy.Below(left, v.FairShare, s.nodes.total)
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

// relieved lets go who is not needed after all: what was taken for one container may have been too much, and enough with
// what was taken for the next.
func relieved(chosen []*container, surplus map[*node]Resource) (needed []*container) {
	for _, c := range slices.Backward(chosen) {
		if over := surplus[c.node]; c.Resource.Fits(over) {
			surplus[c.node] = over.Minus(c.Resource)
			c.unmark()
			continue
		}
		needed = append(needed, c)
	}
	slices.Reverse(needed)
	return needed
}

func (c *container) mark() {
	c.marked = true
	c.node.marked++
	c.node.markedSum = c.node.markedSum.Plus(c.Resource)
	c.app.marked = append(c.app.marked, c)
	c.app.markedSum = c.app.markedSum.Plus(c.Resource)
}

func (c *container) unmark() {
	if !c.marked {
		return
	}
	c.marked = false
	c.node.marked--
	c.node.markedSum = c.node.markedSum.Minus(c.Resource)
	a := c.app
	a.marked = slices.DeleteFunc(a.marked, func(x *container) bool { return x == c })
	a.markedSum = a.markedSum.Minus(c.Resource)
}

func sumOf(all []*container) (sum Resource) {
	for _, c := range all {
		sum = sum.Plus(c.Resource)
	}
	return sum
}
