package rpcenv

import (
	"fmt"
	"sync"
)

// outboxLimit bounds what may wait for one peer, in bytes.
const outboxLimit = 64 << 20

// Outbox is the way to one listening peer: a queue while the connection is being made, then that connection, until it
// ends. The next send makes a new one. Nothing is sent twice. It mirrors org.apache.spark.rpc.netty.Outbox.
//
// A connection that is in use is kept even when a second one to the same peer comes up (both sides dialled at once):
// changing it in mid-stream could let a message overtake an earlier one.
type Outbox struct {
	env *Env
	to  Address

	mu      sync.Mutex
	conn    *conn
	dialing bool
	queue   []outgoing
	bytes   int
}

// outbox is the Outbox for a peer, made if missing.
func (e *Env) outbox(to Address) *Outbox {
	e.mu.Lock()
	defer e.mu.Unlock()
	ob := e.outboxes[to]
	if ob == nil {
		ob = &Outbox{env: e, to: to}
		e.outboxes[to] = ob
	}
	return ob
}

// send sends o over the connection, or queues it and makes one.
func (ob *Outbox) send(o outgoing) {
	ob.env.busy(1)
	ob.mu.Lock()
	if ob.conn != nil {
		err := ob.conn.send(o)
		ob.mu.Unlock()
		if err != nil {
			ob.env.undelivered(o, err)
		}
		ob.env.busy(-1)
		return
	}
	if ob.bytes+len(o.content) > outboxLimit {
		ob.overflowLocked(o)
		return
	}
	ob.queue = append(ob.queue, o)
	ob.bytes += len(o.content)
	dial := !ob.dialing
	ob.dialing = true
	ob.mu.Unlock()
	if o.pending != nil {
		ob.env.asks.add(o.pending)
	}
	if dial {
		ob.env.dial(ob.to, ob.connected)
	}
}

// overflowLocked refuses an ask, or gives up the stream of a tell: a stream may end, it never has a hole. It unlocks.
func (ob *Outbox) overflowLocked(o outgoing) {
	err := fmt.Errorf("%w: %d bytes wait for %s", ErrUnreachableOverloaded, ob.bytes, ob.to)
	if o.pending != nil {
		ob.mu.Unlock()
		ob.env.undelivered(o, err)
		ob.env.busy(-1)
		return
	}
	failed := append(ob.queue, o)
	ob.queue, ob.bytes = nil, 0
	ob.mu.Unlock()
	ob.failAll(failed, err)
}

// connected is the end of a dial.
func (ob *Outbox) connected(err error) {
	ob.mu.Lock()
	ob.dialing = false
	if err == nil || ob.conn != nil { // attach has taken care of the queue
		ob.mu.Unlock()
		return
	}
	failed := ob.queue
	ob.queue, ob.bytes = nil, 0
	ob.mu.Unlock()
	ob.failAll(failed, fmt.Errorf("%w: %s: %w", ErrUnreachableDisconnected, ob.to, err))
}

// attach gives the Outbox a connection, unless it has one, and sends what waits.
func (ob *Outbox) attach(c *conn) {
	ob.mu.Lock()
	if ob.conn != nil {
		ob.mu.Unlock()
		return
	}
	ob.conn = c
	queue := ob.queue
	ob.queue, ob.bytes = nil, 0
	type failure struct {
		o   outgoing
		err error
	}
	var failed []failure
	for _, o := range queue {
		if err := c.send(o); err != nil {
			failed = append(failed, failure{o, err})
		}
	}
	ob.mu.Unlock()
	for _, f := range failed {
		ob.env.undelivered(f.o, f.err)
	}
	ob.env.busy(-len(queue))
}

// detach takes the connection away after its end.
func (ob *Outbox) detach(c *conn) {
	ob.mu.Lock()
	defer ob.mu.Unlock()
	if ob.conn == c {
		ob.conn = nil
	}
}

func (ob *Outbox) failAll(failed []outgoing, err error) {
	for _, o := range failed {
		ob.env.undelivered(o, err)
	}
	ob.env.busy(-len(failed))
}

// discard drops what waits: the Env crashed.
func (ob *Outbox) discard() {
	ob.mu.Lock()
	n := len(ob.queue)
	ob.queue, ob.bytes = nil, 0
	ob.mu.Unlock()
	ob.env.busy(-n)
}
