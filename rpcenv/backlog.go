package rpcenv

import (
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

// backlog is what waits for a peer, in order.
type backlog struct {
	queue []outgoing
	bytes int // of queue
	// behind: so much waited that those who can wait do, and those who cannot were notified. It lasts until nothing waits.
	behind   bool
	notified []route  // those that were
	wakes    []func() // of those that wait for room
}

// route is the way of messages: from an endpoint here to one of a peer.
type route struct {
	from string
	to   Ref
}

// mayTake reports whether n more bytes may wait where bytes do. One message alone always may, up to MaxMessage.
func mayTake(bytes, n, limit int) bool { return n <= MaxMessage && (bytes == 0 || bytes+n <= limit) }

// mayWait is mayTake for o. A sender that can wait leaves half of the room to those that cannot: the messages of handlers and Credits,
// which would end the connection, and answers, which would fail.
func (o *outgoing) mayWait(bytes, limit int) bool {
	return (o.body == nil || bytes <= limit/2) && mayTake(bytes, len(o.content), limit)
}

// push adds o. More than a window makes the peer one that is behind, which each endpoint whose messages wait hears once.
func (b *backlog) push(e *Env, o outgoing) {
	o.body = nil // it has been taken
	b.queue = append(b.queue, o)
	b.bytes += len(o.content)
	b.behind = b.behind || b.cost() > e.window
	if t := (route{o.from, o.to}); b.behind && !slices.Contains(b.notified, t) {
		b.notified = append(b.notified, t)
		e.endpoints.report(t.from, &peerEvent{to: t.to, behind: true})
	}
}

// cost is what all that waits counts.
func (b *backlog) cost() int { return b.bytes + len(b.queue)*itemCost }

// pop takes the first one, which is there.
func (b *backlog) pop() outgoing {
	o := b.queue[0]
	b.queue[0] = outgoing{} // the slice keeps its place
	b.queue = b.queue[1:]
	b.bytes -= len(o.content)
	return o
}

// take takes all.
func (b *backlog) take() []outgoing {
	all := b.queue
	b.queue, b.bytes = nil, 0
	return all
}

// caughtUp is for when something has been taken. If nothing is left of what a peer was behind with, it notifies the endpoints and
// returns the wakes, which the caller calls without a lock.
func (b *backlog) caughtUp(e *Env) (wakes []func()) {
	if !b.behind || len(b.queue) > 0 {
		return nil
	}
	for _, t := range b.notified {
		e.endpoints.report(t.from, &peerEvent{to: t.to})
	}
	wakes, b.behind, b.notified, b.wakes = b.wakes, false, nil, nil
	return wakes
}

// wakeAll wakes those that waited for room. No lock is held: a body may send at once.
func wakeAll(wakes []func()) {
	for _, wake := range wakes {
		wake()
	}
}

// room reports whether there is room for those who can wait; if not it calls wake when there is.
func (b *backlog) room(wake func()) bool {
	if b.behind {
		b.wakes = append(b.wakes, wake)
	}
	return !b.behind
}

// report gives an event to an endpoint that wants such.
func (t *endpoints) report(name string, ev *peerEvent) {
	in := t.find(name)
	if in == nil {
		return
	}
	if _, ok := in.ep.(BacklogWatcher); ok {
		in.post(item{kind: itemPeer, id: t.env.nextID(), name: ev.name(), rare: &rare{addr: ev.to.Address, peer: ev}}) // false if it has stopped since
	}
}

// lost gives up messages. If there was no room for them, those who sent them hear of it, each once.
func (e *Env) lost(failed []outgoing, err error) {
	var heard []route
	for _, o := range failed {
		e.undelivered(o, err)
		if t := (route{o.from, o.to}); o.pending == nil && errors.Is(err, ErrUnreachableOverloaded) && !slices.Contains(heard, t) {
			heard = append(heard, t)
		}
	}
	for _, t := range heard {
		e.log.Warnf("The stream from %s to %s has ended: %v", t.from, t.to, err)
		e.endpoints.report(t.from, &peerEvent{to: t.to, err: err})
	}
}

// overloaded is the error of what finds no room where bytes wait.
func overloaded(bytes int, to Address) error {
	return fmt.Errorf("%w: %d bytes wait for %s", ErrUnreachableOverloaded, bytes, to)
}

// declined is for what a connection or an outbox did not take, with its error, or nil.
func (e *Env) declined(o outgoing, err error) {
	switch {
	case err == nil:
	case errors.Is(err, errNoRoom):
		o.body.refused = true
	default:
		e.lost([]outgoing{o}, err)
	}
}
