package sim

import (
	"slices"
	"time"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/fault"
	"github.com/coherer/coherer/rpcenv/trace"
)

// busy models handlers that take time.
type busy struct {
	costs   []fault.Fault  // the last one that fits counts
	threads map[string]int // by Env
}

// pool are the threads of an Env.
type pool struct {
	working int
	waiting []rpcenv.Turn
}

// Cost makes the handling of a message at an endpoint take d of virtual time, during which it occupies a thread of its Env.
// endpoint is ENV/ENDPOINT, or ENV for all of its endpoints, or `*`; message is a message's short name, the name of another
// item ("OnStart"), or `*`. The last call that fits counts; 0 makes it take no time again. What the handler does happens at
// the end of d.
func (w *World) Cost(endpoint, message string, d time.Duration) {
	w.busy.costs = append(w.busy.costs, fault.Fault{Verb: fault.Cost, A: endpoint, B: message, By: d})
}

// Threads gives an Env n threads, which Spark's Dispatcher has for all endpoints of a process: where handlers take time
// (Cost), an item waits until a thread is free, in the order of arrival. 0 is no limit, as in the beginning.
func (w *World) Threads(env string, n int) {
	if w.busy.threads == nil {
		w.busy.threads = map[string]int{}
	}
	w.busy.threads[env] = n
}

// idle reports whether all handlers take no time.
func (b *busy) idle() bool { return len(b.costs) == 0 }

func (b *busy) cost(t rpcenv.Turn) time.Duration {
	item := t.Item()
	place := t.Env() + "/" + t.Endpoint()
	for _, c := range slices.Backward(b.costs) {
		if f := (trace.Filter{From: "*", To: c.A, Message: c.B}); item != "" && f.MatchNames("", place, trace.ShortName(item)) {
			return c.By
		}
	}
	return 0
}

type dispatcher struct{ h *Host }

func (d dispatcher) Schedule(f func()) { d.h.world.soon(d.h, f) }
func (d dispatcher) Throughput() int   { return 1 }

// turn runs a turn when the World picks it.
func (h *Host) turn(t rpcenv.Turn) {
	if h.world.busy.idle() { // no item holds a thread, so no limit of Threads matters
		h.world.soon(h, t.Run)
		return
	}
	h.world.soon(h, func() { h.begin(t) })
}

// begin gives a turn a thread, or lets it wait for one.
func (h *Host) begin(t rpcenv.Turn) {
	p := h.pools[t.Env()]
	if p == nil {
		p = &pool{}
		if h.pools == nil {
			h.pools = map[string]*pool{}
		}
		h.pools[t.Env()] = p
	}
	if n := h.world.busy.threads[t.Env()]; n > 0 && p.working >= n {
		p.waiting = append(p.waiting, t)
		return
	}
	h.occupy(p, t)
}

// occupy handles an item, which holds a thread for as long as it costs.
func (h *Host) occupy(p *pool, t rpcenv.Turn) {
	d := h.world.busy.cost(t)
	if d == 0 {
		t.Run()
		return
	}
	t.Begin() // the trace has the wait for a thread apart from the handling
	p.working++
	h.world.later(h, d, func() {
		p.working--
		t.Run()
		// The oldest that wait get the free thread. More than one, since an item that costs nothing holds none; and none at all
		// once Run has ended the Host.
		for n := h.world.busy.threads[t.Env()]; len(p.waiting) > 0 && (n <= 0 || p.working < n) && !h.dead; {
			next := p.waiting[0]
			p.waiting = p.waiting[1:]
			h.occupy(p, next)
		}
	})
}
