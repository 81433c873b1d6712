package rpcenv

import (
	"fmt"
	"slices"
	"sync"
)

// bound limits how many messages of its own Env may wait for an endpoint (coherer.rpc.inbox.limit). Messages of peers are limited by
// their window. Spark has neither.
type bound struct {
	limit int

	mu    sync.Mutex // see the lock order in outbox.go
	waits int        // messages taken whose handling has not begun
	lag
	ended []route // routes that lost a message since the endpoint fell behind
}

// take makes room for o. Without room its error is errNoRoom for a body, which can wait, else ErrUnreachableOverloaded. An endpoint
// that is behind takes nothing from bodies, so half of the room is left to senders that cannot wait.
func (b *bound) take(e *Env, o *outgoing) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case o.body != nil && b.behind:
		return errNoRoom
	case b.waits == b.limit:
		b.notify(e, o.route()) // it hears of the end of this state too, though all that it sent was lost
		return fmt.Errorf("%w: %d messages wait for %s (coherer.rpc.inbox.limit)", ErrUnreachableOverloaded, b.waits, o.to.Name)
	}
	b.waits++
	b.behind = b.behind || 2*b.waits > b.limit
	b.notify(e, o.route())
	return nil
}

// leave gives back the room of a message when its handling begins, or when it was not queued.
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

// declined handles a message that take refused. It reports the end of a stream once, until the endpoint has caught up.
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
