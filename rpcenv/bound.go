package rpcenv

import (
	"fmt"
	"slices"
	"sync"
)

// bound is how many messages of its own Env may wait for an endpoint (coherer.rpc.inbox.limit). What peers send has a bound of its own,
// their window. Spark has neither.
type bound struct {
	limit int

	mu    sync.Mutex // see the lock order in outbox.go
	waits int        // messages that were taken, and whose handling has not begun
	lag
	ended []route // the streams that have lost a message since the endpoint is behind
}

// take makes room for o. Its error says that there is none, errNoRoom for a sender that would rather wait. Those leave half of the
// room to those that cannot.
func (b *bound) take(e *Env, o *outgoing) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case o.body != nil && b.behind:
		return errNoRoom
	case b.waits == b.limit:
		return fmt.Errorf("%w: %d messages wait for %s (coherer.rpc.inbox.limit)", ErrUnreachableOverloaded, b.waits, o.to.Name)
	}
	b.waits++
	b.behind = b.behind || 2*b.waits > b.limit
	b.notify(e, o.route())
	return nil
}

// leave is for when the handling of a message begins, or when it was not queued.
func (b *bound) leave(e *Env) {
	b.mu.Lock()
	var wakes []func()
	if b.waits--; b.waits == 0 && b.behind {
		wakes, b.ended = b.caughtUp(e), nil
	}
	b.mu.Unlock()
	wakeAll(wakes)
}

// room is lag.room for any goroutine.
func (b *bound) room(wake func()) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lag.room(wake)
}

// declined is for what take did not take. A stream that has ended is reported once, until the endpoint has caught up.
func (b *bound) declined(e *Env, o outgoing, err error) {
	e.undelivered(o, err)
	if o.pending != nil {
		return
	}
	b.mu.Lock()
	first := !slices.Contains(b.ended, o.route())
	if first {
		b.ended = append(b.ended, o.route())
	}
	b.mu.Unlock()
	if first {
		e.streamEnded(o.route(), err)
	}
}
