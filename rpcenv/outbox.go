package rpcenv

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// Lock order: while a goroutine holds one of these locks, it takes only locks of later numbers.
//
//  1. Context.callback: one callback at a time in a Context of a concurrent endpoint. A callback may take every lock below.
//  2. conn.receiving: one envelope at a time, and the end of the connection after the last one.
//  3. conn.mu of a connection in its handshake. conn.opened holds it until the endpoints have heard of the connection; meanwhile
//     it makes the peer's outbox await the connection, and ends connections of an older process there, for which it takes their
//     receiving and mu. A connection waits only for those that were entered in connections.peers before it, so no two wait for each other.
//  4. outbox.mu: the connection, and what waits for one. It is held while the queue is written to the connection: no later message
//     overtakes an earlier one. So is bound.mu, which a goroutine holds alone of this line.
//  5. conn.mu of an open connection: its state, the ordinals of what it sends. It is held while an envelope is given to the Link, so
//     that ordinals and the order on the wire agree.
//  6. The mu of the Env's tables, each for itself: endpoints, connections, outboxes, bodies, orphans, and asks (the clock of the pending asks,
//     which of them have ended, and which wait on a connection). inbox.mu: the queue and its turns. Env.mu: what waits for its end.
//     owned.mu, timer.mu, Blocking.mu, Job.mu and pids. A goroutine holds one of this line at a time.
//  7. The locks of packages metrics and record, of the log, and of the Host.
//
// spawner.mu is held around protoactor's spawn, which takes inbox.mu.
//
// Under 4 to 6 never call outgoingAsk.deliver, Env.undelivered, a wake function, what OnDone was given, or the end of a dial: each may
// send, and so take an outbox. deliver is called under 2 and 3; so it takes no conn.receiving (askOwner, which has to, goes
// through Host.After). No callback of an endpoint runs under 2 to 6. The Host's After, Dial and Schedule and the Link's Send, Open
// and Close are called under them, and call nothing back before they have returned.

// outbox is the way to one listening peer: a queue while the connection is being made, then that connection, until it
// ends. The next send makes a new one. Nothing is sent twice. It mirrors org.apache.spark.rpc.netty.Outbox.
//
// A connection that is in use is kept even when a second one to the same peer comes up (both sides dialled at once):
// changing it in mid-stream could let a message overtake an earlier one.
type outbox struct {
	env *Env
	to  Address

	mu      sync.Mutex
	conn    *conn // nil while none is open
	awaited int   // connections that are being made: attach or dialled will be called for each
	gone    bool  // out of the Env's table: another one has its place
	backlog       // what waits for the connection
}

// outboxes are those of an Env, by the address of the peer.
type outboxes struct {
	env  *Env
	dial func(to Address, done func(*conn, error))

	latest atomic.Pointer[outbox] // that was sent by

	mu sync.Mutex
	to map[Address]*outbox
}

// of is the outbox for a peer, made if missing; nil once the Env closes its connections.
func (t *outboxes) of(to Address) *outbox {
	t.mu.Lock()
	defer t.mu.Unlock()
	ob := t.to[to]
	if ob == nil && t.env.life.stage() < envCloses {
		ob = &outbox{env: t.env, to: to}
		t.to[to] = ob
	}
	return ob
}

// room reports whether what goes to an endpoint finds room; if not it calls wake when there may be.
func (t *outboxes) room(to Ref, wake func()) bool {
	t.mu.Lock()
	ob := t.to[to.Address]
	t.mu.Unlock()
	if ob == nil {
		return true
	}
	ob.mu.Lock()
	defer ob.mu.Unlock()
	if ob.conn != nil {
		return ob.conn.room(to.Name, wake)
	}
	return ob.room(wake)
}

// all are the outboxes, in the order of their addresses.
func (t *outboxes) all() []*outbox {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.SortedFunc(maps.Values(t.to), func(a, b *outbox) int {
		return cmp.Or(cmp.Compare(a.to.Host, b.to.Host), cmp.Compare(a.to.Port, b.to.Port))
	})
}

// send sends o by the outbox of its address.
func (t *outboxes) send(o *outgoing) {
	for {
		// Most messages go where the one before went. If that outbox is gone, it does not send.
		if ob := t.latest.Load(); ob != nil && ob.to == o.to.Address && ob.send(o) {
			return
		}
		ob := t.of(o.to.Address)
		if ob == nil {
			t.env.undelivered(*o, fmt.Errorf("%w: RpcEnv has been stopped", ErrStopped))
			return
		}
		// It may have left the table since, when it had nothing to do. Then the next look-up finds its successor: of two outboxes
		// for one peer, messages could overtake each other.
		if ob.send(o) {
			t.latest.Store(ob)
			return
		}
	}
}

// send sends o over the connection, or queues o and dials. False: the outbox is gone, and nothing was done.
func (ob *outbox) send(o *outgoing) bool {
	ob.mu.Lock()
	if ob.gone {
		ob.mu.Unlock()
		return false
	}
	ob.env.busy(1)
	if ob.conn != nil {
		// Endpoints hear of the end of a connection before detach runs. What one of them sends from OnDisconnected waits for the
		// next connection; it does not fail.
		if err := ob.conn.send(o); !errors.Is(err, errConnEnded) {
			ob.mu.Unlock() // before declined, which may call a program
			ob.env.declined(o, err)
			ob.env.busy(-1)
			return true
		}
	}
	fits := mayTake(ob.cost(), len(o.content), ob.env.outboxLimit)
	if o.body != nil && (ob.behind || !fits) {
		ob.mu.Unlock()
		ob.env.declined(o, errNoRoom)
		ob.env.busy(-1)
		return true
	}
	if !fits {
		failed, wakes, err := ob.overflowLocked(*o)
		ob.mu.Unlock()
		ob.failAll(failed, wakes, err)
		return true
	}
	ob.push(ob.env, *o)
	dial := ob.mustDialLocked() // not while a connection that has ended is still here: detach dials
	ob.mu.Unlock()
	// An ask's time runs from here, while it waits for the connection too.
	if o.pending != nil {
		ob.env.asks.add(o.pending)
	}
	if dial {
		ob.env.outboxes.dial(ob.to, ob.dialled)
	}
	return true
}

// mustDialLocked reports whether the caller dials: something waits, and no connection is here or awaited. Its dial is awaited then.
func (ob *outbox) mustDialLocked() bool {
	if ob.conn != nil || ob.awaited > 0 || ob.queue.len() == 0 {
		return false
	}
	ob.awaited++
	return true
}

// overflowLocked returns what fails because o has no room, and why: an ask alone, whose asker gets the error; with any other
// message the whole queue, which is emptied. A stream may end, it never has a hole.
func (ob *outbox) overflowLocked(o outgoing) (failed []outgoing, wakes []func(), err error) {
	err = overloaded(ob.cost(), ob.to)
	if o.pending != nil {
		return []outgoing{o}, nil, err
	}
	failed = append(ob.take(), o)
	return failed, ob.caughtUp(ob.env), err
}

// dialled is the end of a dial. If it failed, and no other connection is here or awaited, everything that waits fails.
func (ob *outbox) dialled(c *conn, err error) {
	if err == nil {
		ob.attach(c)
		return
	}
	ob.mu.Lock()
	ob.awaited--
	var failed []outgoing
	if ob.conn == nil && ob.awaited == 0 {
		failed = ob.take()
	}
	wakes := ob.caughtUp(ob.env)
	ob.forgetLocked()
	ob.mu.Unlock()
	ob.failAll(failed, wakes, fmt.Errorf("%w: %s: %w", ErrUnreachableDisconnected, ob.to, err))
}

// await is the outbox for a peer that is about to have a connection, with which the caller then calls attach. Until then a send
// waits for that one and does not dial. It is nil once the Env closes its connections.
func (t *outboxes) await(to Address) *outbox {
	for {
		ob := t.of(to)
		if ob == nil {
			return nil
		}
		ob.mu.Lock()
		gone := ob.gone
		if !gone {
			ob.awaited++
		}
		ob.mu.Unlock()
		if !gone {
			return ob
		}
	}
}

// attach gives the outbox a connection that it awaits, and sends what waits.
func (ob *outbox) attach(c *conn) {
	ob.mu.Lock()
	ob.awaited--
	// A connection in use stays: see outbox. One whose end detach is about to report is not in use: c takes over what waits for it.
	if ob.conn != nil && ob.conn.life.stage() != connEnded || !c.join(ob.detach) {
		// A connection that ended before it was taken leaves what waits behind, as one that is detached does.
		dial := ob.mustDialLocked()
		ob.forgetLocked()
		ob.mu.Unlock()
		ob.dialAgain(dial)
		return
	}
	ob.conn = c
	queue := ob.take()
	wakes := ob.caughtUp(ob.env) // before the connection may be behind
	type failure struct {
		o   *outgoing
		err error
	}
	var failed []failure
	// mu is held throughout: what others send now comes behind the queue.
	for i := range queue {
		if err := c.send(&queue[i]); err != nil {
			failed = append(failed, failure{&queue[i], err})
		}
	}
	ob.mu.Unlock()
	for _, f := range failed {
		ob.env.declined(f.o, f.err)
	}
	wakeAll(wakes)
	ob.env.busy(-len(queue))
}

// detach takes the connection away after its end. What was sent after the endpoints heard of it goes by the next one.
func (ob *outbox) detach(c *conn) {
	ob.mu.Lock()
	if ob.conn == c {
		ob.conn = nil
	}
	dial := ob.mustDialLocked()
	ob.forgetLocked()
	ob.mu.Unlock()
	ob.dialAgain(dial)
}

// dialAgain dials, if mustDialLocked said so, for what waits since a connection was lost. No lock of the outbox is held: the dial of
// an Env that closes fails at once.
func (ob *outbox) dialAgain(dial bool) {
	switch {
	case !dial:
	case ob.env.life.stage() >= envCloses: // the Env makes no connection any more
		ob.dialled(nil, fmt.Errorf("%w: RpcEnv has been stopped", ErrStopped))
	default:
		ob.env.outboxes.dial(ob.to, ob.dialled)
	}
}

// forgetLocked takes the outbox out of the Env's table when it has nothing: peers come and go.
func (ob *outbox) forgetLocked() {
	if ob.conn != nil || ob.awaited > 0 || ob.queue.len() > 0 || ob.gone {
		return
	}
	ob.gone = true
	t := &ob.env.outboxes
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.to, ob.to)
}

// fail gives up what waits for a connection, because the Env closes.
func (ob *outbox) fail(err error) {
	ob.mu.Lock()
	failed := ob.take()
	wakes := ob.caughtUp(ob.env)
	ob.mu.Unlock()
	ob.failAll(failed, wakes, err)
}

func (ob *outbox) failAll(failed []outgoing, wakes []func(), err error) {
	ob.env.lost(failed, err)
	wakeAll(wakes)
	ob.env.busy(-len(failed))
}

// discard drops what waits: the Env crashed.
func (ob *outbox) discard() {
	ob.mu.Lock()
	n := len(ob.take())
	ob.mu.Unlock()
	ob.env.busy(-n)
}
