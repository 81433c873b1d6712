//coherer:pure

package fair

import (
	"fmt"
	"slices"
	"time"

	"github.com/coherer/coherer/actors/hadoop/exitstatus"
	"github.com/coherer/coherer/actors/ids"
)

// Demand is the content of one allocate call of an application.
type Demand struct {
	Asks            []Ask
	Release         []ids.Container
	BlacklistAdd    []string // hosts and racks
	BlacklistRemove []string
}

// Grant is the answer to a Demand.
type Grant struct {
	Containers []Container     // allocated since the last call, in the order of allocation; they count as acquired now
	Headroom   Resource        // the amount that may still be asked for with success
	Preempt    []ids.Container // all that will be preempted, in the order of marking: Hadoop's strict contract
	Events     []Event         // Gone, for released containers
}

// Allocate takes an attempt's asks, releases and blacklist, and hands over the containers that it was given since. It schedules
// nothing: offers of nodes do. An ask that can never be met is a ZeroShareError, and then nothing of the Demand counts. Asks are
// normalised; they are not checked against the maximum, but cut to it (CheckAsk). The release of an unknown container is no
// error.
func (s *Scheduler) Allocate(now time.Duration, id ids.Attempt, d Demand) (Grant, error) {
	s.now = now
	a := s.attempts[id]
	if a == nil {
		return Grant{}, fmt.Errorf("attempt %s is %w", id, ErrUnknown)
	}
	for _, ask := range d.Asks { // all before the first effect
		if hasNothingOf(a.queue.MaxShare, ask.Capability) {
			return Grant{}, &ZeroShareError{Queue: a.queue.Name, MaxShare: a.queue.MaxShare, Asked: ask.Capability}
		}
	}
	for _, c := range d.Release {
		s.release(a, c)
	}
	s.ask(a, d.Asks)
	if a.block(d.BlacklistAdd, d.BlacklistRemove) {
		a.blockedNodes = s.blockedBy(a)
	}
	return Grant{Containers: a.pull(), Headroom: s.headroom(a), Preempt: a.preempted(), Events: s.take()}, nil
}

// release ends a container. Without releasesAny only the application's own ends; Hadoop leaves that check to the caller.
func (s *Scheduler) release(a *app, id ids.Container) {
	c := s.containers[id]
	if c == nil || c.app != a && !s.conf.Faults.releasesAny {
		return
	}
	s.complete(c, End{ExitStatus: exitstatus.Aborted, Diagnostics: DiagnosticsReleased, Cause: Released})
}

// ask books asks. Of several with one key and name the last counts.
func (s *Scheduler) ask(a *app, asks []Ask) {
	most := s.MaximumAllocation(s.now, a.queue.Name)
	for _, ask := range s.onePerPlace(asks) {
		ask.Capability = s.conf.normalise(ask.Capability, most)
		s.lessGiven(a, &ask)
		a.replace(ask)
	}
}

// onePerPlace keeps the last of several asks for one key and name, at the index of the first. It moves those for Any behind the
// others, with hashOrder only those with a count of 0: these forget the places of their key.
func (s *Scheduler) onePerPlace(asks []Ask) []Ask {
	type place struct {
		Key
		name string
	}
	at := make(map[place]int, len(asks))
	one := make([]Ask, 0, len(asks))
	for _, ask := range asks {
		p := place{ask.Key, ask.Name}
		if i, ok := at[p]; ok {
			one[i] = ask
			continue
		}
		at[p] = len(one)
		one = append(one, ask)
	}
	hashed := s.conf.Faults.hashOrder
	if hashed {
		historicBatch(one)
	}
	var last []Ask
	one = slices.DeleteFunc(one, func(x Ask) bool {
		behind := x.Name == Any && (x.Count <= 0 || !hashed)
		if behind {
			last = append(last, x)
		}
		return behind
	})
	return append(one, last...)
}

// lessGiven subtracts from an ask the containers that were given and not pulled yet: the application does not know of them and
// still counts them as wanted. Surplus containers are taken back. It mirrors
// AbstractYarnScheduler.autoCorrectContainerAllocation (YARN-11702), which Hadoop 3.4 does not have.
func (s *Scheduler) lessGiven(a *app, ask *Ask) {
	if s.conf.Faults.CrossingAsks {
		return
	}
	for _, c := range a.fresh { // the oldest first
		switch {
		case c.gone || !c.taken.of(*ask):
		case ask.Count > 0:
			ask.Count--
		case ask.Name == Any: // its count of 0 forgets all asks of this key, also those that complete puts back
			s.complete(c, End{ExitStatus: exitstatus.Aborted, Diagnostics: diagnosticsNotAsked, Cause: Killed})
		}
	}
}

// pull hands over the containers allocated since the last call. From now on their end puts no ask back: the application knows
// them and asks again itself.
func (a *app) pull() []Container {
	pulled := make([]Container, 0, len(a.fresh))
	for _, c := range a.fresh {
		if c.gone {
			continue
		}
		c.taken = nil
		pulled = append(pulled, c.Container)
	}
	a.fresh = nil
	return pulled
}

// headroom is the part of the free resources that the application may have: within its queue's maximum and fair share, and
// without nodes that it has blacklisted.
func (s *Scheduler) headroom(a *app) Resource {
	free, blocked := s.available, a.blockedNodes
	if !s.conf.Faults.badHeadroom { // with it those of the last change of the blacklist count, without nodes that came later
		blocked = s.blockedBy(a)
	}
	for _, n := range blocked {
		free = free.lessNotBelowZero(n.free)
	}
	q := a.queue
	most := free.Min(q.MaxShare.Minus(q.Usage))
	if !s.conf.Faults.badHeadroom {
		most = most.Max(Resource{})
	}
	return q.policy.Headroom(q.FairShare, q.Usage, most)
}

// blockedBy are the nodes that an application has blacklisted.
func (s *Scheduler) blockedBy(a *app) (blocked []*node) {
	if len(a.blocked) == 0 {
		return nil
	}
	for _, n := range s.nodes.all {
		if a.blocks(n) {
			blocked = append(blocked, n)
		}
	}
	return blocked
}

// preempted are the ids of the marked containers.
func (a *app) preempted() []ids.Container {
	var marked []ids.Container
	for _, c := range a.marked {
		marked = append(marked, c.ID)
	}
	return marked
}
