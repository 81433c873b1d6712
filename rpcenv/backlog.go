package rpcenv

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
)

// itemCost is what a message counts beside its content, in bytes: about what it takes in a queue. Else any number of empty messages
// would fit.
const itemCost = 256

// cost is what n bytes of content count.
func cost(n int) int { return n + itemCost }

// errNoRoom means that a message was not taken, since its sender would rather wait for room.
var errNoRoom = errors.New("no room")

var outgoingQueues queues[outgoing]

// backlog is what waits for a peer, in order.
type backlog struct {
	queue *queue[outgoing] // nil: nothing waits
	bytes int              // of queue
	lag
}

// mayTake reports whether n more bytes may wait where bytes do. One message alone always may, up to MaxMessage.
func mayTake(bytes, n, limit int) bool { return n <= MaxMessage && (bytes == 0 || bytes+n <= limit) }

// mayWait is mayTake for o. A sender that can wait leaves half of the room to those that cannot: the messages of handlers and Credits,
// which would end the connection, and answers, which would fail.
func (o *outgoing) mayWait(bytes, limit int) bool {
	return (o.body == nil || bytes <= limit/2) && mayTake(bytes, len(o.content), limit)
}

// push adds o. Once more than a window waits, the peer is behind: push reports that once to each endpoint whose messages wait.
func (b *backlog) push(e *Env, o outgoing) {
	o.body = nil // it has been taken
	o.keep()
	b.queue = outgoingQueues.push(b.queue, o)
	b.bytes += len(o.content)
	b.behind = b.behind || b.cost() > e.window
	b.notify(e, o.route())
}

// keep readies a message for waiting: it copies the content out of a much larger buffer, so that the message holds at most twice the
// memory that it counts.
func (o *outgoing) keep() {
	if o.buffer != nil && cap(o.buffer.b) > 2*cost(len(o.content)) {
		kept := bytes.Clone(o.content)
		o.sent()
		o.content = kept
	}
}

// cost is what all that waits counts.
func (b *backlog) cost() int { return b.bytes + b.queue.len()*itemCost }

// pop takes the first one, which is there.
func (b *backlog) pop() outgoing {
	p := outgoingQueues.next(b.queue)
	o := *p
	*p = outgoing{}
	b.bytes -= len(o.content)
	if b.queue.len() == 0 {
		outgoingQueues.release(b.queue)
		b.queue = nil
	}
	return o
}

// take takes all.
func (b *backlog) take() []outgoing {
	all := make([]outgoing, 0, b.queue.len())
	for b.queue.len() > 0 {
		all = append(all, b.pop())
	}
	return all
}

// caughtUp follows each pop and take. Once nothing waits for a peer that was behind, it notifies the endpoints and returns the wakes;
// the caller calls them without a lock.
func (b *backlog) caughtUp(e *Env) (wakes []func()) {
	if !b.behind || b.queue.len() > 0 {
		return nil
	}
	return b.lag.caughtUp(e)
}

// lost gives up messages. If there was no room for them, it notifies each sender once.
func (e *Env) lost(failed []outgoing, err error) {
	var heard []route
	for _, o := range failed {
		e.undelivered(o, err)
		if t := o.route(); o.pending == nil && errors.Is(err, ErrUnreachableOverloaded) && !slices.Contains(heard, t) {
			heard = append(heard, t)
		}
	}
	for _, t := range heard {
		e.streamEnded(t, err)
	}
}

// overloaded is the error of what finds no room where bytes wait.
func overloaded(bytes int, to Address) error {
	return fmt.Errorf("%w: %d bytes wait for %s", ErrUnreachableOverloaded, bytes, to)
}

// declined handles the error with which a connection or an outbox refused o; nil means that it took o.
func (e *Env) declined(o *outgoing, err error) {
	switch {
	case err == nil:
	case errors.Is(err, errNoRoom):
		o.body.refused = true
	default:
		e.lost([]outgoing{*o}, err)
	}
}
