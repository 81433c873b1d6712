package tasks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// heldTask is a task of a barrier set for which a place was found.
type heldTask struct {
	choice
	offer int
	share Share
}

func (m *manager) hold(c choice, offer int, share Share) {
	if m.held == nil {
		m.held = map[int32]heldTask{}
	}
	m.held[c.index] = heldTask{c, offer, share}
}

// startBarrier starts the tasks of a barrier set if each has a place. Otherwise it gives all places back, for the next set.
func (r *round) startBarrier(m *manager) {
	held := make([]heldTask, 0, len(m.held))
	for _, h := range m.held {
		held = append(held, h)
	}
	m.held = nil
	slices.SortFunc(held, func(a, b heldTask) int { return cmp.Compare(a.index, b.index) })
	if len(held) < len(m.states) {
		for _, h := range held {
			r.offers[h.offer].Cores += r.s.profile(m).CPUs
			r.free[h.offer].give(h.share)
			m.addPending(h.index, false)
		}
		// Each start of a task would begin the wait anew, and the set would never find all its places.
		if r.s.cfg.LegacyReset {
			m.fail(fmt.Sprintf("Fail resource offers for barrier stage %d because only %d out of a total number of %d tasks got resource "+
				"offers. We highly recommend you to use the non-legacy delay scheduling by setting "+
				"spark.locality.wait.legacyResetOnTaskLaunch to false to get rid of this error.", m.set.ID.Stage, len(held), len(m.states)),
				Reason{}, r.now)
		}
		return
	}
	var addresses []string // by partition, as the tasks are
	for _, h := range held {
		addresses = append(addresses, r.offers[h.offer].Address)
	}
	m.addresses = strings.Join(addresses, ",")
	for _, h := range held {
		r.start(m, h.choice, h.offer, h.share)
	}
}

// slots is how many tasks of a set the round has room for at once.
func (r *round) slots(m *manager) int {
	p, n := r.s.profile(m), 0
	for i := range r.offers {
		if r.offers[i].Profile != m.set.Profile {
			continue
		}
		room := r.offers[i].Cores / p.CPUs
		for name, amount := range p.Resources {
			room = min(room, int(float64(len(r.free[i][name]))/amount))
		}
		n += room
	}
	return n
}
