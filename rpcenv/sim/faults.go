package sim

import "time"

// Cut stops what goes from one Host to another, by their names. Connections stay open; what is sent is held.
func (w *World) Cut(from, to string) { w.cuts[[2]string{from, to}] = true }

// Heal ends a cut: what was held arrives, in order.
func (w *World) Heal(from, to string) {
	delete(w.cuts, [2]string{from, to})
	held := w.links
	w.links = nil
	for _, l := range held {
		if l.to.dead {
			continue
		}
		if w.cuts[[2]string{l.from.name, l.to.name}] {
			w.links = append(w.links, l)
			continue
		}
		l.held = false
		w.inFlight += len(l.queue)
		for range l.queue {
			l.last = w.now.Add(w.latency(l.from, l.to))
			w.later(l.to, l.last.Sub(w.now), l.deliver)
		}
	}
}

// Delay adds to the time that packets take from one Host to another; 0 ends it.
func (w *World) Delay(from, to string, d time.Duration) { w.delays[[2]string{from, to}] = d }
