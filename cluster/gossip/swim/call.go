package swim

import (
	"slices"
	"time"

	"github.com/coherer/coherer/cluster/gossip"
)

// How long a member waits for the answer to a question over a stream before it sends it again, the first time.
const resend = 250 * time.Millisecond

// refusal is how long it takes to hear that nobody listens at an address.
const refusal = time.Millisecond

// upkeep is how often a member calls on addresses where it misses one.
const upkeep = gossip.Upkeep

// Meet calls on an address, now and whenever no member is known there; of many addresses only the latest count.
func (m *Member) Meet(at string) {
	place := m.ring.placeOf(at)
	if slices.Contains(m.calls, place) {
		return
	}
	m.calls = latest(append(m.calls, place))
	m.after(0, m.call)
}

// lose remembers where a member failed.
func (m *Member) lose(place int32) {
	m.lost = latest(append(slices.DeleteFunc(m.lost, func(p int32) bool { return p == place }), place))
}

func latest(places []int32) []int32 {
	return slices.Delete(places, 0, max(len(places)-gossip.MostCalls, 0))
}

func (m *Member) upkeep() {
	m.after(upkeep, m.upkeep)
	m.call()
}

// call calls on the addresses where a member is missed, one after the other.
func (m *Member) call() {
	if m.calling {
		m.again = true
		return
	}
	m.calling = true
	m.callEach(m.missing())
}

func (m *Member) callEach(places []int32) {
	switch {
	case len(places) > 0:
		m.exchange(places[0], func() { m.callEach(places[1:]) })
	case m.again:
		m.again = false
		m.callEach(m.missing())
	default:
		m.calling = false
	}
}

// missing are the addresses to call on, at which no member is known: those of calls, and those of members that failed as far as this member is
// one of the Callers this time.
func (m *Member) missing() []int32 {
	if len(m.calls)+len(m.lost) == 0 {
		return nil
	}
	known := func(place int32) bool { // its own too
		return slices.ContainsFunc(m.order, func(about int32) bool { return m.ring.members[about].place == place && m.knows(about) })
	}
	m.lost = slices.DeleteFunc(m.lost, known)
	var out []int32
	for _, p := range m.lost {
		if m.present <= gossip.Callers || m.rnd.IntN(m.present) < gossip.Callers {
			out = append(out, p)
		}
	}
	for _, p := range m.calls {
		if !known(p) && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// pushPull exchanges all that is known with a member of chance.
func (m *Member) pushPull() {
	m.after(pushPullScale(m.ring.cfg.PushPullInterval, len(m.order)), m.pushPull)
	if to := m.kRandomNodes(1, func(x int32) bool { return m.view[x].state == alive }); len(to) > 0 {
		m.exchange(m.ring.members[to[0]].place, func() {})
	}
}

// exchange sends all that the member knows to whoever listens at an address, and hears what that knows. then is called once, when that is
// done or has failed.
func (m *Member) exchange(place int32, then func()) {
	over := false
	end := func() {
		if !over {
			over = true
			then()
		}
	}
	mine := m.snapshot()
	var try func(wait time.Duration)
	try = func(wait time.Duration) {
		if over {
			return
		}
		to := m.ring.at[place]
		if to == nil || to.refuses() {
			m.after(refusal, end)
			return
		}
		m.host.Datagram(to.host, func() {
			if to.ended {
				return
			}
			theirs := to.snapshot()
			to.merge(mine, m)
			to.host.Datagram(m.host, func() {
				if !over && !m.ended {
					m.merge(theirs, to)
					end()
				}
			})
		})
		m.after(wait, func() { try(2 * wait) })
	}
	try(resend)
	m.after(m.ring.cfg.TCPTimeout, end)
}

// refuses reports whether the member's machine is there and nobody listens at its address.
func (m *Member) refuses() bool { return m.gone() && !m.ring.world.Vanished(m.host.IP()) }

// snapshot is all that the member knows.
func (m *Member) snapshot() []news {
	out := make([]news, len(m.order))
	for i, about := range m.order {
		p := m.view[about]
		out[i] = news{kind: p.state, about: about, inc: p.inc}
	}
	return out
}

// merge takes what another member knows. Whom that takes for dead is only suspected: it may be there all the same.
func (m *Member) merge(all []news, other *Member) {
	for _, x := range all {
		x.from = other.number
		if x.kind == dead {
			x.kind = suspect
		}
		m.hear(x)
	}
}
