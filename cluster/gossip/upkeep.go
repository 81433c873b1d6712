package gossip

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/coherer/coherer/rpcenv"
)

// memberlist never calls on a member again that it took for dead, and a member that was cut off for long knows nobody who
// calls on it: when all others were started again meanwhile it would stay alone for ever. So each member calls, from time
// to time, on the addresses that it was given, or that Meet was, and on those where it knew members that failed.

// latest are the last of all, at most most of them.
func latest[T any](all []T, most int) []T {
	return slices.Delete(all, 0, max(len(all)-most, 0))
}

// keep looks after the membership until this member ends.
func (m *Member) keep(c Config) {
	defer close(m.keeper)
	period := c.Upkeep
	if period <= 0 {
		period = Upkeep
	}
	ticker := time.NewTicker(period)
	defer ticker.Stop()
	m.refresh(c.Vitals)
	for {
		select {
		case <-m.closed:
			return
		case <-ticker.C:
		case <-m.called:
		}
		if err := m.rekey(); err != nil {
			m.warn("gossip: the keys in use stay: %v", err)
		}
		m.sum()
		m.refresh(c.Vitals)
		m.profess(false)
		for _, call := range m.missing() {
			if m.isClosed() {
				return
			}
			m.answered(call, m.joinOne(context.Background(), call))
		}
	}
}

// call is an address to call on, and why.
type call struct {
	address string
	why     reason
}

// missing are the addresses to call on, at which no member is known: those of calls and of Meet, and those of lost members as far as this
// member is one of the Callers this time.
func (m *Member) missing() (out []call) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var known []string
	for _, i := range m.books.members() {
		// One that has not heard yet that it is of this cluster hears it by the next call.
		if i.Cluster == m.books.cluster {
			known = append(known, i.Gossip.String())
		}
	}
	// A member is known there again: the failed one itself, or a new run of its daemon.
	m.lost = slices.DeleteFunc(m.lost, func(a rpcenv.Address) bool { return slices.Contains(known, a.String()) })
	add := func(a string, why reason) {
		if !slices.Contains(known, a) && !slices.ContainsFunc(out, func(c call) bool { return c.address == a }) {
			out = append(out, call{a, why})
		}
	}
	for _, a := range m.told {
		add(a, fresh)
	}
	m.told = nil
	for _, a := range m.calls {
		add(a, named)
	}
	for _, a := range m.met {
		add(a, met)
	}
	for _, a := range m.lost {
		if isCaller(len(known)) {
			add(a.String(), lost)
		}
	}
	return out
}

// isCaller decides by chance whether a member, one of so many, is one of the Callers.
func isCaller(among int) bool { return among <= Callers || rand.IntN(among) < Callers }

// lose remembers where a failed member was; it wants m.mu.
func (m *Member) lose(at rpcenv.Address) {
	m.lost = latest(append(slices.DeleteFunc(m.lost, func(a rpcenv.Address) bool { return a == at }), at), MostCalls)
}
