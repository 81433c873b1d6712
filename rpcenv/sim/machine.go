package sim

import (
	"slices"
	"time"
)

// retransmitTimeout is after which time TCP gives up a connection whose packets nobody acknowledges: Linux's default of 15
// retries (tcp_retries2).
const retransmitTimeout = 924600 * time.Millisecond

// Pause stops the process as SIGSTOP does: nothing of it runs, what comes for it waits, its timers are late. Its
// connections stay, and the machine accepts new ones for it.
func (h *Host) Pause() {
	if h.dead || h.paused {
		return
	}
	w := h.world
	h.paused = true
	w.work -= h.work
	// Set aside rather than left: what is ready runs at this instant, and Quiet waits for it.
	w.ready = slices.DeleteFunc(w.ready, func(t task) bool {
		if t.host == h {
			h.stuck = append(h.stuck, t)
		}
		return t.host == h
	})
}

// Paused reports whether the process stands still.
func (h *Host) Paused() bool { return h.paused }

// Resume lets a paused process go on as SIGCONT does, with all that waited for it.
func (h *Host) Resume() {
	if !h.paused {
		return
	}
	w := h.world
	h.paused = false
	w.work += h.work
	stuck, late := h.stuck, h.late
	h.stuck, h.late = nil, nil
	w.ready = append(w.ready, stuck...)
	for _, e := range late { // in the order of their times, which their new sequence keeps
		e.at = w.now.Sub(Start)
		w.events.push(e)
	}
}

// Vanish ends the machine, as when its power fails: all processes on it are gone, and no peer hears of it.
// Connections are half open: what is sent to them goes nowhere, until a new process appears at the address, which resets
// them, or TCP gives up after 15 minutes. Nobody answers dials.
func (h *Host) Vanish() {
	w := h.world
	w.net.gone[h.ip] = true
	for _, o := range w.hosts {
		if o.ip == h.ip && !o.dead {
			o.vanish()
		}
	}
}

func (h *Host) vanish() {
	// All that crash would report is taken from it first: the ends of connections, and the exit to the parent.
	ends := h.ends
	h.ends, h.onExit, h.code = nil, nil, -1
	for _, l := range ends {
		l.closed, l.ghost = true, true
	}
	h.crash()
	for _, l := range ends {
		unheard := len(l.queue) > 0 // it was on its way here: its sender waits for an acknowledgement already
		l.dropAll()
		h.world.net.ghosts = append(h.world.net.ghosts, l)
		if unheard {
			l.unheard()
		}
	}
}

// appear is when a process begins on a machine: one that had vanished resets the connections of before, where somebody
// still waits for an acknowledgement.
func (w *World) appear(ip string) {
	if !w.net.gone[ip] {
		return
	}
	delete(w.net.gone, ip)
	for _, l := range w.net.ghosts {
		if l.to.ip == ip && l.waiting {
			l.unheard()
		}
	}
}

// unheard is what comes of a packet for an end on a machine that has vanished: in time a reset, or the end of patience.
func (l *link) unheard() {
	w, living := l.world, l.peer
	end := func(err error) func() {
		return func() {
			living.closed = true
			living.ended(err)
			w.net.ghosts = without(w.net.ghosts, l)
		}
	}
	switch {
	case living.over != nil || living.to.dead || l.reset: // the living end is over, or its end is on the way
	case !w.net.gone[l.to.ip]:
		l.reset = true
		w.later(living.to, w.latency(living.to, l.to)+w.latency(l.to, living.to), end(errReset))
	case !l.waiting:
		l.waiting = true
		w.later(living.to, retransmitTimeout, end(errTimeout))
	}
}

// load counts what is under way on the Host; on one that is paused it does not count for the World.
func (h *Host) load(n int) {
	h.work += n
	if !h.paused {
		h.world.work += n
	}
}
