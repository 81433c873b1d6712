package swim

import (
	"slices"
	"time"
)

// slots are the moments of an interval at which members probe, each at one of them, which chance gives it.
const slots = 8

// tick lets the members of the next slot probe. One timer of the World stands for those of all members, which are many and mostly change
// nothing: it passes over a member that stands still.
func (r *Ring) tick() {
	r.slot = (r.slot + 1) % slots
	r.world.After(r.cfg.ProbeInterval/slots, r.ticks)
	r.probing[r.slot] = slices.DeleteFunc(r.probing[r.slot], (*Member).gone)
	for _, m := range r.probing[r.slot] {
		if !m.asks && !m.host.Paused() {
			m.probe()
		}
	}
}

// probe looks after the next member, as memberlist does at each ProbeInterval.
func (m *Member) probe() {
	about := m.next()
	if about < 0 {
		return
	}
	p := m.view[about]
	to := m.ring.members[about]
	// A suspect hears of it with the probe, so that it can refute at once.
	if p.state == suspect {
		m.send(m.ring.at[to.place], append(m.queue.take(m, room), news{kind: suspect, about: about, inc: p.inc, from: m.number}))
	} else {
		m.carry(to)
	}
	took, ok := m.echo(to)
	if ok {
		to.carry(m)
	}
	cfg := m.ring.cfg
	if ok && took <= cfg.ProbeTimeout {
		m.feel(-1)
		return
	}
	q := &question{about: about, inc: p.inc, begin: m.now(), interval: cfg.ProbeInterval * time.Duration(m.health+1)}
	m.asks = true
	if ok && took < q.interval {
		m.after(took, func() { m.answered(q) })
	}
	m.after(cfg.ProbeTimeout, func() { m.indirect(q) })
}

// question is a probe whose answer is late.
type question struct {
	about    int32
	inc      uint32
	begin    time.Duration
	interval time.Duration // how long the answer may take, with the help of others
	done     bool
	helpers  int
	nacks    int // helpers that had no answer either
}

// next is whom to probe: -1 if nobody is there.
func (m *Member) next() int32 {
	for range 2 * len(m.order) {
		if m.probeIndex >= len(m.order) {
			m.resetNodes()
			m.probeIndex = 0
		}
		about := m.order[m.probeIndex]
		m.probeIndex++
		if about != m.number && m.knows(about) {
			return about
		}
	}
	return -1
}

// resetNodes begins another round of probes: it forgets those that are long dead, and shuffles the others.
func (m *Member) resetNodes() {
	kept := m.order[:0]
	for _, about := range m.order {
		if m.knows(about) || m.now()-m.view[about].changed <= m.ring.cfg.GossipToTheDeadTime {
			kept = append(kept, about)
			continue
		}
		m.view[about] = peer{queued: m.view[about].queued}
	}
	m.order = kept
	m.rnd.Shuffle(len(kept), func(i, j int) { kept[i], kept[j] = kept[j], kept[i] })
}

// echo is how long a ping to a member and its answer take. Another run at its address does not answer for it.
func (m *Member) echo(to *Member) (time.Duration, bool) {
	if to.ended {
		return 0, false
	}
	return m.host.Echo(to.host)
}

// answered ends a probe well.
func (m *Member) answered(q *question) {
	if q.done {
		return
	}
	q.done, m.asks = true, false
	m.feel(-1)
}

// indirect asks others to probe the member that has not answered in time.
func (m *Member) indirect(q *question) {
	if q.done {
		return
	}
	to := m.ring.members[q.about]
	helpers := m.kRandomNodes(m.ring.cfg.IndirectChecks, func(x int32) bool { return x != q.about && m.view[x].state == alive })
	q.helpers = len(helpers)
	for _, x := range helpers {
		helper := m.ring.members[x]
		m.host.Datagram(helper.host, func() { helper.relay(m, q) })
	}
	// Beside them it tries a connection: the packets that make one go there and back twice.
	rest := q.begin + q.interval - m.now()
	there, ok := m.echo(to)
	back, again := m.echo(to)
	stream := ok && again && there+back <= rest
	m.after(rest, func() {
		if stream {
			m.answered(q)
		}
		m.unanswered(q)
	})
}

// relay probes a member for another one, and says what came of it.
func (m *Member) relay(asker *Member, q *question) {
	if m.ended {
		return
	}
	took, ok := m.echo(m.ring.members[q.about])
	reply := func() { asker.answered(q) }
	if !ok || took > m.ring.cfg.ProbeTimeout {
		took, reply = m.ring.cfg.ProbeTimeout, func() { q.nacks++ }
	}
	m.after(took, func() { m.host.Datagram(asker.host, reply) })
}

// unanswered ends a probe: neither the member nor those that helped have answered. Helpers that do not even say that they had no answer
// are a sign of the member's own bad health.
func (m *Member) unanswered(q *question) {
	if q.done {
		return
	}
	q.done, m.asks = true, false
	m.feel(q.helpers - q.nacks)
	if q.helpers == 0 {
		m.feel(1)
	}
	m.suspectNode(news{kind: suspect, about: q.about, inc: q.inc, from: m.number})
}

// Accuse makes the member suspect another one, as if that had not answered. It refutes if it is there.
func (m *Member) Accuse(other *Member) {
	m.suspectNode(news{kind: suspect, about: other.number, inc: m.peer(other.number).inc, from: m.number})
}
