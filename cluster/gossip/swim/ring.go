package swim

import (
	"math/rand/v2"
	"time"

	"github.com/hashicorp/memberlist"

	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/sim"
)

// Ring is the gossip of one cluster in a World. It belongs to the World's goroutine.
type Ring struct {
	world   *sim.World
	cfg     *memberlist.Config
	members []*Member        // of all runs of all processes, by number
	places  map[string]int32 // the numbers of addresses
	at      []*Member        // who listened last at each

	probing [slots][]*Member
	slot    int
	ticks   func() // tick, made once
}

// New makes a Ring without members. cfg has the times and numbers, such as gossip.Pace; the rest of it does not count.
func New(w *sim.World, cfg *memberlist.Config) *Ring {
	r := &Ring{world: w, cfg: cfg, places: map[string]int32{}}
	r.ticks = r.tick
	return r
}

// Member is a process's place in a Ring, and its membership.Discovery.
type Member struct {
	ring   *Ring
	host   *sim.Host
	self   membership.Member
	number int32
	place  int32
	rnd    *rand.Rand
	ended  bool

	view       []peer  // what it knows of each member, by number
	order      []int32 // whom it knows, itself included, in the order of its probes
	probeIndex int
	asks       bool // a probe has had no answer yet
	present    int  // of these, how many are alive or suspected
	suspicions map[int32]*suspicion
	health     int // 0 is well: memberlist's awareness

	queue   queue
	ticking bool
	phase   time.Duration // of its ticks of gossip

	calls   []int32 // addresses that it was given
	lost    []int32 // and where members failed
	calling bool
	again   bool // it was given another one meanwhile

	notify func(rpcenv.Message) // nil: nobody watches
}

var _ membership.Discovery = (*Member)(nil)

// Join makes a process a member, which calls on the given addresses of others; with none it is alone until somebody calls on it. Its own
// address is that of its Env, so that a process that starts again is another member at the same address.
func (r *Ring) Join(h *sim.Host, m membership.Member, calls ...string) *Member {
	x := &Member{
		ring: r, host: h, self: m, number: int32(len(r.members)), place: r.placeOf(m.RPC.String()),
		rnd: rand.New(rand.NewPCG(h.Entropy("gossip"), 0)), suspicions: map[int32]*suspicion{},
	}
	x.phase = x.within(r.cfg.GossipInterval)
	r.members = append(r.members, x)
	r.at[x.place] = x
	p := x.peer(x.number)
	*p = peer{inc: 1, state: alive, changed: x.now()}
	x.order, x.present = []int32{x.number}, 1
	x.broadcast(news{kind: alive, about: x.number, inc: 1})
	slot := x.rnd.IntN(slots)
	r.probing[slot] = append(r.probing[slot], x)
	if x.number == 0 {
		r.tick()
	}
	x.after(x.within(r.cfg.PushPullInterval)+r.cfg.PushPullInterval, x.pushPull)
	x.after(x.within(upkeep), x.upkeep)
	for _, at := range calls {
		x.Meet(at)
	}
	return x
}

func (r *Ring) placeOf(at string) int32 {
	p, ok := r.places[at]
	if !ok {
		p = int32(len(r.at))
		r.places[at] = p
		r.at = append(r.at, nil)
	}
	return p
}

// Self is the member as others hear of it.
func (m *Member) Self() membership.Member { return m.self }

// At is the member's address.
func (m *Member) At() string { return m.self.RPC.String() }

// Watch reports the members that are there, in the order of their coming to the Ring, then what happens to them.
func (m *Member) Watch(notify func(rpcenv.Message)) (stop func()) {
	m.notify = notify
	for about := range m.view {
		if about := int32(about); m.knows(about) && about != m.number {
			m.report(membership.MemberJoined{Member: m.ring.members[about].self})
			if s := m.suspicions[about]; s != nil {
				m.report(membership.MemberSuspected{Member: m.ring.members[about].self, By: m.ring.members[s.from[0]].self.Name})
			}
		}
	}
	return func() { m.notify = nil }
}

func (m *Member) report(news rpcenv.Message) {
	if m.notify != nil && !m.ended {
		m.notify(news)
	}
}

// Leave says goodbye to the others, and ends the member.
func (m *Member) Leave() {
	if m.gone() {
		return
	}
	bye := []news{{kind: left, about: m.number, inc: m.view[m.number].inc, from: m.number}}
	for _, to := range m.order {
		if to != m.number && m.knows(to) {
			m.send(m.ring.at[m.ring.members[to].place], bye)
		}
	}
	m.ended = true
}

// Runs reports whether the member is there: it has not left, nor has its process ended.
func (m *Member) Runs() bool { return !m.gone() }

// gone reports whether the member has left, or its process has ended.
func (m *Member) gone() bool {
	_, dead := m.host.Exited()
	return m.ended || dead
}

// Members are those that the member takes for present, itself included, in the order of their coming to the Ring.
func (m *Member) Members() []membership.Member {
	var out []membership.Member
	for about := range m.view {
		if m.knows(int32(about)) {
			out = append(out, m.ring.members[about].self)
		}
	}
	return out
}

// Present is how many Members there are.
func (m *Member) Present() int { return m.present }

// now is the virtual time since the beginning of the World.
func (m *Member) now() time.Duration { return m.ring.world.Now().Sub(sim.Start) }

// within is a time of chance below d.
func (m *Member) within(d time.Duration) time.Duration { return time.Duration(m.rnd.Int64N(int64(d))) }

// after calls f after d, unless the member has ended by then.
func (m *Member) after(d time.Duration, f func()) (stop func()) {
	return m.host.After(d, func() {
		if !m.ended {
			f()
		}
	})
}
