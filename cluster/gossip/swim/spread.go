package swim

import (
	"math"
	"slices"
)

// The sizes of messages and packets, in bytes: those of members with names and metadata as daemons have.
const (
	aliveSize   = 180
	suspectSize = 100 // and of the dead
	packetSize  = 1400
	// room is what a probe or its answer leaves for news.
	room = packetSize - 120
)

func (x news) size() int {
	if x.kind == alive {
		return aliveSize
	}
	return suspectSize
}

// queue are the news that a member has to pass on: by how often it did, the youngest of them last.
type queue struct {
	tiers [][]queued
	n     int    // how many, with those that younger news about the same member have replaced
	last  uint32 // the number of the youngest
	moved [2][]queued
}

type queued struct {
	news
	number uint32
}

// broadcast queues news for the others, instead of older ones about the same member.
func (m *Member) broadcast(x news) {
	q := &m.queue
	if len(q.tiers) == 0 {
		q.tiers = make([][]queued, 1)
	}
	q.last++
	m.peer(x.about).queued = q.last
	q.tiers[0] = append(q.tiers[0], queued{x, q.last})
	q.n++
	m.tick()
}

// take gives the news for a packet of that size: those that were sent least often first.
func (q *queue) take(m *Member, size int) []news {
	if q.n == 0 {
		return nil
	}
	limit := retransmitLimit(m.ring.cfg.RetransmitMult, len(m.order))
	out := make([]news, 0, size/suspectSize)
	// What moves up from the tier below joins its tier once that has been looked at, or a packet would have news twice.
	var moved []queued
	for t := 0; t < len(q.tiers) && (size >= suspectSize || len(moved) > 0); t++ {
		tier, from := q.tiers[t], moved
		moved = q.moved[t%2][:0]
		for len(tier) > 0 {
			x := tier[len(tier)-1]
			if m.view[x.about].queued != x.number {
				tier = tier[:len(tier)-1]
				q.n--
				continue
			}
			if x.size() > size {
				break
			}
			tier = tier[:len(tier)-1]
			size -= x.size()
			out = append(out, x.news)
			if t+1 < limit {
				moved = append(moved, x)
			} else {
				q.n--
			}
		}
		q.tiers[t], q.moved[t%2] = append(tier, from...), moved
		if len(moved) > 0 && t+1 == len(q.tiers) {
			q.tiers = append(q.tiers, nil)
		}
	}
	return out
}

// retransmitLimit is how often news are passed on in a cluster of n.
func retransmitLimit(mult, n int) int { return mult * int(math.Ceil(math.Log10(float64(n+1)))) }

// tick lets the next tick of gossip come, if there is something to tell, and somebody to tell it to.
func (m *Member) tick() {
	if m.ticking || m.queue.n == 0 || len(m.order) < 2 {
		return
	}
	m.ticking = true
	every := m.ring.cfg.GossipInterval
	m.after(every-(m.now()+m.phase)%every, m.gossip)
}

// gossip tells some members the news.
func (m *Member) gossip() {
	m.ticking = false
	cfg := m.ring.cfg
	to := m.kRandomNodes(cfg.GossipNodes, func(x int32) bool {
		p := m.view[x]
		return p.state == alive || p.state == suspect || p.state == dead && m.now()-p.changed <= cfg.GossipToTheDeadTime
	})
	for _, x := range to {
		m.send(m.ring.at[m.ring.members[x].place], m.queue.take(m, packetSize))
	}
	if len(to) > 0 { // else nobody is there, and the next one that comes lets it tick again
		m.tick()
	}
}

// carry sends a member the news that a probe of it, or an answer to it, has room for.
func (m *Member) carry(to *Member) {
	if !m.ended {
		m.send(m.ring.at[to.place], m.queue.take(m, room))
	}
}

// send sends news to whoever listens where a member did: it may be another run of its process.
func (m *Member) send(to *Member, packet []news) {
	if len(packet) == 0 || to == m {
		return
	}
	m.host.Datagram(to.host, func() {
		for _, x := range packet {
			if !to.ended {
				to.hear(x)
			}
		}
	})
}

// kRandomNodes are up to k other members, of those that fit.
func (m *Member) kRandomNodes(k int, fits func(int32) bool) []int32 {
	n := len(m.order)
	out := make([]int32, 0, k)
	add := func(x int32) {
		if x != m.number && fits(x) && !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	// Among few, chance could miss the only one that fits.
	if n < 3*k {
		for _, i := range m.rnd.Perm(n) {
			if len(out) < k {
				add(m.order[i])
			}
		}
		return out
	}
	for i := 0; i < 3*n && len(out) < k; i++ {
		add(m.order[m.rnd.IntN(n)])
	}
	return out
}
