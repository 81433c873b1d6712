package sim

import (
	"math/rand/v2"
	"time"
)

// packets are the packets beside connections, as of UDP. They draw from a stream of their own: a World without them does what it did.
type packets struct {
	rnd    *rand.Rand
	losses pairs[float64]
}

func newPackets(seed uint64) packets {
	return packets{rnd: rand.New(rand.NewPCG(seed, 0x7061636b657473))}
}

// Datagram sends a packet to another process, as UDP does: arrive runs there after the time that packets take. It does not run if the packet
// is lost (Lose), arrives during a cut, or finds no process; nobody hears of that. A process that is paused gets it when it goes on. Packets
// are in no trace, no rule of messages means them, and Settle does not wait for them.
func (h *Host) Datagram(to *Host, arrive func()) {
	w := h.world
	if h.dead || to.dead || w.loses(h, to) {
		return
	}
	w.later(to, w.net.travel(w.packets.rnd, h, to), func() {
		if !w.net.isCut(h, to) {
			arrive()
		}
	})
}

// Echo is how long a packet to another process and its answer take. Not ok: one of the two is lost or meets a cut, or nobody answers there. It
// is decided at once, by the network and the process as they are now, so that thousands of Hosts can look after each other.
func (h *Host) Echo(to *Host) (d time.Duration, ok bool) {
	w := h.world
	if h.dead || to.dead || to.paused || w.net.isCut(h, to) || w.net.isCut(to, h) || w.loses(h, to) || w.loses(to, h) {
		return 0, false
	}
	return w.net.travel(w.packets.rnd, h, to) + w.net.travel(w.packets.rnd, to, h), true
}

// Lose lets packets from one Host to another get lost with a probability; `*` is any Host, 0 ends it. Where two names and `*` give different
// ones, the highest counts. Connections lose nothing: TCP sends again.
func (w *World) Lose(from, to string, p float64) {
	if w.packets.losses.drop(from, to); p > 0 {
		w.packets.losses.set(from, to, p)
	}
}

// loses reports whether the next packet from one Host to another gets lost.
func (w *World) loses(from, to *Host) bool {
	p := 0.0
	w.packets.losses.of(from, to, func(x float64) { p = max(p, x) })
	return p > 0 && w.packets.rnd.Float64() < p
}

// Vanished reports whether the machine at an address has vanished: nobody there refuses anything.
func (w *World) Vanished(ip string) bool { return w.net.gone[ip] }
