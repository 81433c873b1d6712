package swim

import (
	"math"
	"slices"
	"time"

	"github.com/hashicorp/memberlist"

	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/rpcenv"
)

// state is what a member knows of another one.
type state uint8

const (
	unknown state = iota
	alive
	suspect
	dead
	left
)

// peer is one member's knowledge of another. There are as many as pairs of members, so it is small.
type peer struct {
	inc     uint32
	queued  uint32        // the number of the youngest news about it in the queue: older ones are not sent any more
	changed time.Duration // when its state did, since the beginning
	state   state
}

// news are a message of gossip: what a member is said to be, in which incarnation, and who says so of a suspect or a dead one.
type news struct {
	kind  state
	about int32
	inc   uint32
	from  int32
}

// peer is what is known of a member. The pointer holds until the next call.
func (m *Member) peer(about int32) *peer {
	if n := len(m.ring.members); int(about) >= len(m.view) {
		m.view = append(m.view, make([]peer, n-len(m.view))...)
	}
	return &m.view[about]
}

// knows reports whether a member is taken for present.
func (m *Member) knows(about int32) bool {
	s := m.peer(about).state
	return s == alive || s == suspect
}

// hear takes a piece of news.
func (m *Member) hear(x news) {
	switch x.kind {
	case alive:
		m.aliveNode(x)
	case suspect:
		m.suspectNode(x)
	case dead, left:
		m.deadNode(x)
	}
}

// aliveNode: only a higher incarnation than the known one says that a member is there.
func (m *Member) aliveNode(x news) {
	p := m.peer(x.about)
	if x.about == m.number || p.state != unknown && x.inc <= p.inc {
		return
	}
	m.acquit(x.about)
	was := p.state
	p.inc = x.inc
	if was != alive {
		p.state, p.changed = alive, m.now()
	}
	if was == unknown {
		// At a place of chance: at the end, members that come together would be probed together.
		m.order = append(m.order, x.about)
		i, last := m.rnd.IntN(len(m.order)), len(m.order)-1
		m.order[i], m.order[last] = m.order[last], m.order[i]
	}
	m.broadcast(x)
	switch who := m.ring.members[x.about].self; was {
	case unknown, dead, left:
		m.present++
		m.report(membership.MemberJoined{Member: who})
	case suspect:
		m.report(membership.MemberRefuted{Member: who})
	}
}

// suspectNode: an accusation of an earlier incarnation is void, and the accused one refutes it.
func (m *Member) suspectNode(x news) {
	p := m.peer(x.about)
	if p.state == unknown || x.inc < p.inc {
		return
	}
	who := membership.MemberSuspected{Member: m.ring.members[x.about].self, By: m.ring.members[x.from].self.Name}
	if s := m.suspicions[x.about]; s != nil {
		if s.confirm(m, x.from) {
			m.broadcast(x)
			m.report(who)
		}
		return
	}
	if p.state != alive {
		return
	}
	if x.about == m.number {
		m.refute(x.inc)
		return
	}
	m.broadcast(x)
	p.inc, p.state, p.changed = x.inc, suspect, m.now()
	m.suspicions[x.about] = newSuspicion(m, x)
	m.report(who)
}

// deadNode: a member that is said to be dead refutes that too.
func (m *Member) deadNode(x news) {
	p := m.peer(x.about)
	if p.state == unknown || x.inc < p.inc {
		return
	}
	m.acquit(x.about)
	if p.state == dead || p.state == left {
		return
	}
	if x.about == m.number {
		m.refute(x.inc)
		return
	}
	m.broadcast(x)
	p.inc, p.state, p.changed = x.inc, x.kind, m.now()
	m.present--
	gone := m.ring.members[x.about]
	var what rpcenv.Message = membership.MemberLeft{Member: gone.self}
	if x.kind == dead {
		m.lose(gone.place)
		what = membership.MemberFailed{Member: gone.self}
	}
	m.report(what)
}

// refute answers an accusation by a higher incarnation. To be accused is a sign of bad health.
func (m *Member) refute(accused uint32) {
	p := m.peer(m.number)
	p.inc = max(p.inc, accused) + 1
	m.feel(1)
	m.broadcast(news{kind: alive, about: m.number, inc: p.inc})
}

// feel changes the member's health: in a bad one it waits longer before it accuses others.
func (m *Member) feel(delta int) {
	m.health = min(max(m.health+delta, 0), m.ring.cfg.AwarenessMaxMultiplier-1)
}

// suspicion is a suspect's time.
type suspicion struct {
	about       int32
	begin       time.Duration
	from        []int32 // the accusers
	k           int     // so many further ones make the time the least
	least, most time.Duration
	stop        func()
}

func newSuspicion(m *Member, x news) *suspicion {
	cfg, n := m.ring.cfg, len(m.order)
	s := &suspicion{about: x.about, begin: m.now(), from: []int32{x.from}, k: cfg.SuspicionMult - 2, least: suspicionTimeout(cfg, n)}
	if n-2 < s.k { // there are not so many
		s.k = 0
	}
	s.most = time.Duration(cfg.SuspicionMaxTimeoutMult) * s.least
	wait := s.most
	if s.k < 1 {
		wait = s.least
	}
	s.start(m, wait)
	return s
}

// suspicionTimeout is how long a suspect has, in a cluster of n, to refute.
func suspicionTimeout(cfg *memberlist.Config, n int) time.Duration {
	scale := max(1, math.Log10(max(1, float64(n))))
	return time.Duration(cfg.SuspicionMult) * time.Duration(scale*1000) * cfg.ProbeInterval / 1000
}

// start waits for the suspect's end.
func (s *suspicion) start(m *Member, wait time.Duration) {
	s.stop = m.after(wait, func() {
		m.deadNode(news{kind: dead, about: s.about, inc: m.peer(s.about).inc, from: m.number})
	})
}

// confirm notes a further accuser and reports whether it is one.
func (s *suspicion) confirm(m *Member, from int32) bool {
	if len(s.from)-1 >= s.k || slices.Contains(s.from, from) {
		return false
	}
	s.from = append(s.from, from)
	share := math.Log(float64(len(s.from))) / math.Log(float64(s.k)+1)
	wait := max(s.least, s.most-time.Duration(share*float64(s.most-s.least)))
	s.stop()
	s.start(m, wait-(m.now()-s.begin))
	return true
}

// acquit ends a suspicion.
func (m *Member) acquit(about int32) {
	if s := m.suspicions[about]; s != nil {
		s.stop()
		delete(m.suspicions, about)
	}
}
