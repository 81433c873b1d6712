package tasks

import (
	"slices"
	"time"
)

// place is an executor that was offered. It mirrors the maps of TaskSchedulerImpl that are keyed by executors.
type place struct {
	id, host string
	// alive: it takes tasks. One that is not is remembered until the reason of its loss is known.
	alive   bool
	running int
	// leaving: since when it is being decommissioned; workerLeaves: its whole machine goes.
	leaving      time.Time
	workerLeaves bool
}

func (p *place) takesTasks() bool { return p.alive && p.leaving.IsZero() }

// addOffered enters the executors that are new; true when there are any. It mirrors the begin of TaskSchedulerImpl.resourceOffers.
func (s *Scheduler) addOffered(offers []Offer) bool {
	isNew := false
	for i := range offers {
		o := &offers[i]
		if p := s.places[o.Executor]; p != nil && p.alive {
			continue
		}
		p := &place{id: o.Executor, host: o.Host, alive: true}
		s.placeTable.grow(s.alive)
		s.alive++
		s.places[p.id] = p
		s.byHost[p.host] = append(s.byHost[p.host], p)
		if rack := s.rack(p.host); rack != "" && !slices.Contains(s.byRack[rack], p.host) {
			s.byRack[rack] = append(s.byRack[rack], p.host)
		}
		isNew = true
	}
	return isNew
}

// forget takes an executor out of the books of what is alive.
func (s *Scheduler) forget(p *place) {
	if p.alive {
		s.alive--
	}
	p.alive, p.leaving = false, time.Time{}
	s.byHost[p.host] = slices.DeleteFunc(s.byHost[p.host], func(other *place) bool { return other == p })
	if len(s.byHost[p.host]) > 0 {
		return
	}
	delete(s.byHost, p.host)
	rack := s.rack(p.host)
	s.byRack[rack] = slices.DeleteFunc(s.byRack[rack], func(host string) bool { return host == p.host })
}

// rack of a host; "" when nobody knows.
func (s *Scheduler) rack(host string) string {
	if s.cfg.Rack == nil {
		return ""
	}
	return s.cfg.Rack(host)
}

func (s *Scheduler) isAlive(executor string) bool {
	p := s.places[executor]
	return p != nil && p.takesTasks()
}

func (s *Scheduler) hasAliveOn(host string) bool {
	return slices.ContainsFunc(s.byHost[host], (*place).takesTasks)
}

// aliveOn are the executors of a host that take tasks.
func (s *Scheduler) aliveOn(host string) []string {
	var out []string
	for _, p := range s.byHost[host] {
		if p.takesTasks() {
			out = append(out, p.id)
		}
	}
	return out
}

func (s *Scheduler) hasAliveInRack(rack string) bool {
	return slices.ContainsFunc(s.byRack[rack], func(host string) bool {
		return !slices.ContainsFunc(s.byHost[host], func(p *place) bool { return p.workerLeaves })
	})
}

// Decommission notes that an executor is about to go, with its whole machine if worker: nothing waits for it any more. One that
// was never offered is ignored.
func (s *Scheduler) Decommission(executor string, worker bool, now time.Time) Effects {
	if p := s.places[executor]; p != nil {
		p.leaving, p.workerLeaves = now, worker
	}
	for _, m := range s.inOrder() {
		m.recompute()
	}
	s.out.Revive = true
	return s.effects()
}
