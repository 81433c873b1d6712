package rpcenv

import (
	"slices"
	"sync"
)

// owned is what ends with an endpoint, each list in the order of its making. The lock is for endpoints whose callbacks
// overlap.
type owned struct {
	mu      sync.Mutex
	timers  []*timer
	pending []*pending
	bodies  []*Blocking
	held    []*call
	lanes   map[string]*lane
}

// keep adds x to one of the lists of o.
func keep[T any](o *owned, list *[]T, x T) {
	o.mu.Lock()
	defer o.mu.Unlock()
	*list = append(*list, x)
}

// drop takes x out of one of the lists of o.
func drop[T comparable](o *owned, list *[]T, x T) {
	o.mu.Lock()
	defer o.mu.Unlock()
	*list = without(*list, x)
}

// letGo forgets a call that was answered.
func (o *owned) letGo(k *call) { drop(o, &o.held, k) }

// release ends what would outlive the endpoint: timers, pending asks, Runs, unanswered calls.
func (in *Inbox) release() {
	// The lists are taken out first: what follows takes other locks.
	o := &in.owned
	o.mu.Lock()
	timers, asked, bodies, held := o.timers, o.pending, o.bodies, o.held
	o.timers, o.pending, o.bodies, o.lanes, o.held = nil, nil, nil, nil, nil
	o.mu.Unlock()
	for _, t := range timers {
		t.cancel()
	}
	for _, p := range asked {
		in.env.asks.abandon(p)
	}
	for _, b := range bodies { // their ends are items, which this inbox refuses by now
		b.cancel()
	}
	for _, k := range held {
		k.fail(ErrRefusedStopped)
	}
	in.dropHeld()
}

// without returns list without one element.
func without[T comparable](list []T, x T) []T {
	i := slices.Index(list, x)
	if i < 0 {
		return list
	}
	return slices.Delete(list, i, i+1)
}
