package sim

import (
	"math/rand/v2"
	"time"

	"github.com/coherer/coherer/rpcenv"
)

// network is the network between Hosts.
type network struct {
	min, max  time.Duration // how long a packet takes
	ports     map[string]int
	listeners map[rpcenv.Address]*listener
	cuts      pairs[struct{}]
	delays    pairs[time.Duration]
	held      []*link         // directions that hold envelopes back because of a cut
	gone      map[string]bool // machines that vanished, by address
	ghosts    []*link         // ends of connections on machines that vanished
}

func newNetwork() network {
	return network{
		min: 100 * time.Microsecond, max: time.Millisecond,
		ports: map[string]int{}, listeners: map[rpcenv.Address]*listener{},
		gone: map[string]bool{},
	}
}

// Latency is how long packets take from now on: between least and most, evenly; in the beginning 100 µs to 1 ms.
func (w *World) Latency(least, most time.Duration) { w.net.min, w.net.max = least, max(least, most) }

// Cut stops what goes from one Host to another, by their names; `*` is any. Connections stay open; what is sent is held.
func (w *World) Cut(from, to string) { w.net.cuts.set(from, to, struct{}{}) }

// Heal ends a cut of the same names: what was held arrives, in order.
func (w *World) Heal(from, to string) {
	w.net.cuts.drop(from, to)
	held := w.net.held
	w.net.held = nil
	for _, l := range held {
		switch {
		case l.to.dead: // its end has dropped what was held
		case w.net.isCut(l.from, l.to): // by another cut, of one of the names or of `*`
			w.net.held = append(w.net.held, l)
		default:
			l.release()
		}
	}
}

// Delay adds to the time that packets take from one Host to another; `*` is any Host, 0 ends it.
func (w *World) Delay(from, to string, d time.Duration) {
	if w.net.delays.drop(from, to); d != 0 {
		w.net.delays.set(from, to, d)
	}
}

// isCut reports whether nothing goes from one Host to another.
func (n *network) isCut(from, to *Host) bool {
	cut := false
	n.cuts.of(from, to, func(struct{}) { cut = true })
	return cut
}

// latency is how long a packet of a connection takes.
func (w *World) latency(from, to *Host) time.Duration { return w.net.travel(w.rnd, from, to) }

// travel is how long a packet takes, drawn from a stream.
func (n *network) travel(rnd *rand.Rand, from, to *Host) time.Duration {
	d := n.min
	if spread := n.max - n.min; spread > 0 {
		d += time.Duration(rnd.Int64N(int64(spread)))
	}
	n.delays.of(from, to, func(late time.Duration) { d += late })
	return d
}
