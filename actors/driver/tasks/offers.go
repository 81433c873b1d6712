package tasks

import (
	"time"

	"github.com/coherer/coherer/messages/app"
)

// Offer is what is free of one executor. It mirrors org.apache.spark.scheduler.WorkerOffer.
type Offer struct {
	Executor, Host string
	Cores          int
	// Address is HOST:PORT of the executor, for the tasks of a barrier stage.
	Address   string
	Resources Amounts
	Profile   int32
}

// Launch is an attempt to be started.
type Launch struct {
	Executor    string
	Description *app.TaskDescription
	// Level is how near to its data it runs; Speculative: it is a second copy of a slow task.
	Level       Level
	Speculative bool
	// Resources that it takes.
	Resources Share
	Started   time.Time
}

// round is one call of Offers.
type round struct {
	s       *Scheduler
	now     time.Time
	offers  []Offer
	free    []free // of each offer
	started []*attempt
}

// Offers starts tasks on what is offered, at most one an executor and turn, sets in the order of their pools. all says that these
// are all the free cores. shuffle is that of a random stream: it decides which executors come first. It mirrors
// TaskSchedulerImpl.resourceOffers.
func (s *Scheduler) Offers(offers []Offer, all bool, shuffle func(n int, swap func(i, j int)), now time.Time) ([]Launch, Effects) {
	isNew := s.addOffered(offers)
	r := &round{s: s, now: now, offers: s.usable(offers, now)}
	shuffle(len(r.offers), func(i, j int) { r.offers[i], r.offers[j] = r.offers[j], r.offers[i] })
	r.free = make([]free, len(r.offers))
	for i := range r.offers {
		r.free[i] = newFree(r.offers[i].Resources)
	}
	sets := s.schedulable()
	for _, m := range sets {
		if isNew {
			m.recompute()
		}
	}
	for _, m := range sets {
		r.offer(m, all)
	}
	return r.result(), s.effects()
}

// schedulable are the sets that could start a task, in the order of their pools.
func (s *Scheduler) schedulable() []*manager {
	var out []*manager
	for _, m := range s.queue.Sorted() {
		if m.schedulable() {
			out = append(out, m)
		}
	}
	return out
}

// usable are the offers of executors that no failures exclude.
func (s *Scheduler) usable(offers []Offer, now time.Time) []Offer {
	s.excluded(s.health.Expire(now))
	return s.notExcluded(offers)
}

// notExcluded is a copy without the offers of executors that the application excludes.
func (s *Scheduler) notExcluded(offers []Offer) []Offer {
	out := make([]Offer, 0, len(offers))
	for i := range offers {
		if !s.health.Node(offers[i].Host) && !s.health.Executor(offers[i].Executor) {
			out = append(out, offers[i])
		}
	}
	return out
}

// offer gives a set what it takes of the round.
func (r *round) offer(m *manager, all bool) {
	if m.set.Barrier && r.slots(m) < len(m.states) {
		return
	}
	refused, started := false, false
	nearest := Any
	for _, limit := range m.levels {
		for more := true; more; {
			more = false
			for i := range r.offers {
				level, ok, no := r.offerOne(m, i, limit)
				refused = refused || no
				if ok {
					more, started = true, true
					nearest = min(nearest, level)
				}
			}
		}
	}
	if !r.s.cfg.LegacyReset {
		switch {
		case refused:
			m.refused = true
		case started && (all || !m.refused):
			m.resetTimer(r.now, nearest)
			m.refused = false
		}
	}
	if started {
		r.s.schedulableAgain(m)
	} else {
		r.s.checkUnschedulable(m, r.now)
	}
	if started && m.set.Barrier {
		r.startBarrier(m)
	}
}

// offerOne offers one executor to a set. refused: the set has tasks, and waits for a nearer executor. It mirrors
// TaskSetManager.resourceOffer.
func (r *round) offerOne(m *manager, i int, limit Level) (level Level, ok, refused bool) {
	o := &r.offers[i]
	p := r.s.profile(m)
	if o.Profile != m.set.Profile || o.Cores < p.CPUs {
		return 0, false, false
	}
	share, ok := r.free[i].assign(p)
	if !ok || m.excludesAll(o) {
		return 0, false, false
	}
	allowed := limit
	if limit != NoPref { // a task without a preference waits for nothing
		allowed = min(limit, m.allowed(r.now))
	}
	c, ok := m.dequeue(o, allowed)
	if !ok {
		return 0, false, limit == Any && m.schedulable()
	}
	if r.s.cfg.LegacyReset && limit != NoPref {
		m.resetTimer(r.now, c.level)
	}
	o.Cores -= p.CPUs
	r.free[i].take(share)
	if m.set.Barrier {
		m.hold(c, i, share)
	} else {
		r.start(m, c, i, share)
	}
	return c.level, true, false
}

// start begins an attempt on an offer.
func (r *round) start(m *manager, c choice, i int, share Share) {
	a := m.start(c, &r.offers[i], share, r.now)
	r.s.live[a.id] = a
	r.s.launched = true
	r.s.places[a.executor].running++
	r.started = append(r.started, a)
}

// result is what the round starts.
func (r *round) result() []Launch {
	out := make([]Launch, 0, len(r.started))
	for _, a := range r.started {
		out = append(out, Launch{a.executor, a.describe(), a.level, a.speculative, a.share, a.started})
	}
	return out
}

func (s *Scheduler) profile(m *manager) *Profile { return s.cfg.Profiles[m.set.Profile] }
