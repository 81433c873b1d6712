//coherer:pure

package fair

import (
	"fmt"
	"slices"
	"time"

	"github.com/coherer/coherer/actors/exitstatus"
	"github.com/coherer/coherer/actors/ids"
)

// Demand is what an application says with one allocate call.
type Demand struct {
	Asks            []Ask
	Release         []ids.Container
	BlacklistAdd    []string // hosts and racks
	BlacklistRemove []string
}

// Grant is the answer to a Demand.
type Grant struct {
	Containers []Container     // allocated since the last call, in the order of allocation; they count as acquired now
	Headroom   Resource        // what may still be asked for with success
	Preempt    []ids.Container // all that are to be preempted, in the order of marking: Hadoop's strict contract
	Events     []Event         // Gone, for what was released
}

// Allocate takes what an attempt asks, releases and does not want, and hands over what it was given. Nothing is scheduled by
// it: nodes are. An ask that can never be given is a ZeroShareError, and then nothing of the Demand counts. Asks are
// normalised; they are not checked against the maximum, but cut to it (CheckAsk). A container to be released that is not
// there is no error.
func (s *Scheduler) Allocate(now time.Duration, id ids.Attempt, d Demand) (Grant, error) {
	s.now = now
	a := s.attempts[id]
	if a == nil {
		return Grant{}, fmt.Errorf("attempt %s is %w", id, ErrUnknown)
	}
	for _, ask := range d.Asks {
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

// release ends a container. Fixed lets go only what the application has; in Hadoop that is left to the caller alone.
func (s *Scheduler) release(a *app, id ids.Container) {
	c := s.containers[id]
	if c == nil || c.app != a && s.conf.Compat != Upstream {
		return
	}
	s.complete(c, End{ExitStatus: exitstatus.Aborted, Diagnostics: DiagnosticsReleased, Cause: Released})
}

// ask keeps asks. Of several of one key and name the last counts.
func (s *Scheduler) ask(a *app, asks []Ask) {
	most := s.MaximumAllocation(s.now, a.queue.Name)
	for _, ask := range s.onePerPlace(asks) {
		ask.Capability = s.conf.normalise(ask.Capability, most)
		s.lessGiven(a, &ask)
		a.replace(ask)
	}
}

// onePerPlace leaves of asks for the same the last, in the place of the first, and puts those of Any behind the others, or
// those for none, which forget the places of their key.
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
	upstream := s.conf.Compat == Upstream
	if upstream {
		historicBatch(one)
	}
	var last []Ask
	one = slices.DeleteFunc(one, func(x Ask) bool {
		behind := x.Name == Any && (x.Count <= 0 || !upstream)
		if behind {
			last = append(last, x)
		}
		return behind
	})
	return append(one, last...)
}

// lessGiven takes off an ask what was given and not pulled yet: who asks does not know of it, and counts it among what it
// wants. What is more than it wants is taken back. It mirrors AbstractYarnScheduler.autoCorrectContainerAllocation
// (YARN-11702), which Hadoop 3.4 does not have.
func (s *Scheduler) lessGiven(a *app, ask *Ask) {
	if s.conf.Compat == Upstream || s.conf.Crossing {
		return
	}
	for _, c := range a.fresh { // the oldest first
		switch {
		case c.gone || !c.taken.of(*ask):
		case ask.Count > 0:
			ask.Count--
		case ask.Name == Any: // which forgets all that is asked with this key, also what complete asks again
			s.complete(c, End{ExitStatus: exitstatus.Aborted, Diagnostics: DiagnosticsNotAsked, Cause: Killed})
		}
	}
}

// pull hands over what was allocated since the last call.
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

// headroom is what of the free resources the application may have: within its queue's maximum and fair share, and without
// nodes that it has blacklisted.
func (s *Scheduler) headroom(a *app) Resource {
	free, blocked := s.available, a.blockedNodes
	if s.conf.Compat != Upstream { // Hadoop looks for the nodes when the blacklist changes, and then no more
		blocked = s.blockedBy(a)
	}
	for _, n := range blocked {
		free = free.lessNotBelowZero(n.free)
	}
	q := a.queue
	most := free.Min(q.MaxShare.Minus(q.Usage))
	if s.conf.Compat != Upstream { // in Hadoop there is less than nothing in a queue above its maximum
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

// preempted are the ids of what is marked.
func (a *app) preempted() []ids.Container {
	var marked []ids.Container
	for _, c := range a.marked {
		marked = append(marked, c.ID)
	}
	return marked
}
