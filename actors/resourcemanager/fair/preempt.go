//coherer:pure

package fair

import (
	"slices"
	"time"

	"github.com/coherer/coherer/actors/hadoop/exitstatus"
)

// kill is a group of containers that were marked together and will end together.
type kill struct {
	at         time.Duration
	app        *app // that gets the room
	containers []*container
}

// Preempt marks containers of others for the applications that Update found starving, in turn. Their owners are warned:
// KillMarked ends marked containers after Config.WaitBeforeKill. It mirrors FSPreemptionThread.
func (s *Scheduler) Preempt(now time.Duration) []Event {
	s.now = now
	for a := s.nextStarving(); a != nil; a = s.nextStarving() {
		if marked := s.preemptFor(a); len(marked) > 0 {
			s.kills = append(s.kills, kill{s.now + s.conf.WaitBeforeKill, a, marked}) // stays sorted: all wait equally long
		}
		// Also without a victim. Before the marked ones have ended and their room was offered, it would still look starved, and
		// more would be preempted for the same lack.
		a.nextCheck = s.now + s.conf.WaitBeforeKill + s.someOffers() + s.conf.WaitBeforeCheck
	}
	return s.take()
}

// someOffers is the time in which an application that was helped may take the offered room.
func (s *Scheduler) someOffers() time.Duration {
	switch {
	case s.conf.Continuous:
		return 10 * s.conf.ContinuousSleep
	case s.conf.Faults.noTimeToTake:
		return 0
	}
	return 4 * s.conf.NodeHeartbeat
}

// nextStarving takes the application that lacks the most of memory, then of cores.
func (s *Scheduler) nextStarving() *app {
	if len(s.starving) == 0 {
		return nil
	}
	if s.conf.Faults.leastFirst {
		return s.historicStarving()
	}
	first := slices.MaxFunc(s.starving, func(a, b *app) int {
		x, y := a.starvation(), b.starvation()
		return sign(float64(x.Memory-y.Memory)*1e9 + float64(x.VCores-y.VCores))
	})
	s.starving = slices.DeleteFunc(s.starving, func(a *app) bool { return a == first })
	return first
}

// NextKill is the time at which KillMarked has containers to end; ok is false if none is marked.
func (s *Scheduler) NextKill() (at time.Duration, ok bool) {
	if len(s.kills) == 0 {
		return 0, false
	}
	return s.kills[0].at, true
}

// KillMarked ends the containers that were marked long enough ago and have not ended by themselves.
func (s *Scheduler) KillMarked(now time.Duration) []Event {
	s.now = now
	for len(s.kills) > 0 && s.kills[0].at <= now {
		for _, c := range s.kills[0].containers {
			switch {
			case !c.gone:
				s.complete(c, End{ExitStatus: exitstatus.Preempted, Diagnostics: DiagnosticsPreempted, Cause: Killed})
			case s.conf.Faults.asksAgain:
				c.historicAskAgain()
			}
		}
		s.kills = s.kills[1:]
	}
	return s.take()
}

// preemptFor marks enough containers to cover what an application lacks.
func (s *Scheduler) preemptFor(a *app) []*container {
	if !slices.ContainsFunc(s.leaves, s.hasVictims) { // cheap, and spares a search over all nodes for each ask
		return nil
	}
	var chosen []*container
	a.helped = map[Key]int64{}
	for _, want := range s.starvedAsks(a) {
		if !s.conf.Faults.preemptsInVain && s.futile(a, want) {
			continue
		}
		near, all := s.nodes.named(want.Name, s.conf.Faults), s.nodes.ordered(s.conf.Faults) // victims shortens both as it goes
		for range want.Count {
			if !s.conf.Faults.preemptsInVain && a.helped[want.Key] >= a.byKey[want.Key].any.count {
				break // the asks for places sum to more than the total
			}
			n, victims := s.victims(a, want, &near, &all)
			if n == nil || len(victims) == 0 && s.conf.Faults.preemptsInVain {
				break // the next one would find none either
			}
			a.helped[want.Key]++
			owed := want.Capability
			if s.conf.Faults.owesAllVictims { // all their room, which may be more than was wanted
				owed = sumOf(victims)
			}
			// At once, also where free room suffices: the next container must not count on the same room.
			for _, c := range victims {
				c.mark()
			}
			n.owe(a, owed)
			chosen = append(chosen, victims...)
		}
	}
	if !s.conf.Faults.preemptsInVain {
		chosen = relieved(chosen)
	}
	for _, c := range chosen {
		s.emit(Marked, c)
	}
	return chosen
}

// hasVictims reports whether an application of the leaf has at least its fair share, and may lose containers.
func (s *Scheduler) hasVictims(q *queue) bool {
	return q.set.Preemptable && slices.ContainsFunc(slices.Concat(q.apps, q.waiting), func(a *app) bool {
		return !q.policy.Less(a.Usage.Minus(a.markedSum), a.FairShare, s.nodes.total) && len(a.live) > len(a.marked)
	})
}

// relieved unmarks the containers that are not needed after all: the room for one container may have been too much, and the
// rest of it enough for the next.
func relieved(chosen []*container) (needed []*container) {
	for _, c := range slices.Backward(chosen) {
		if c.Resource.Fits(c.node.room()) {
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
	c.node.markedSum = c.node.markedSum.Plus(c.Resource)
	c.app.marked = append(c.app.marked, c)
	c.app.markedSum = c.app.markedSum.Plus(c.Resource)
}

func (c *container) unmark() {
	if !c.marked {
		return
	}
	c.marked = false
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
