package rpcenv

import (
	"errors"
	"fmt"
	"sync"
)

// outboxLimit bounds what may wait for one peer, in bytes.
const outboxLimit = 64 << 20

// MaxMessage is the size in bytes of the largest message that can be sent to another address. A tell that is larger ends
// the connection, as any beyond what may wait.
const MaxMessage = outboxLimit

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
	gone    bool // out of the Env's table: another one has its place
}

// outbox is the Outbox for a peer, made if missing; nil once the Env closes its connections.
func (e *Env) outbox(to Address) *Outbox {
	e.mu.Lock()
	defer e.mu.Unlock()
	ob := e.outboxes[to]
	if ob == nil && !e.closing {
		ob = &Outbox{env: e, to: to}
		e.outboxes[to] = ob
	}
	return ob
}

// sendTo sends o by the Outbox of its address.
func (e *Env) sendTo(o outgoing) {
	for {
		ob := e.outbox(o.to.Address)
		if ob == nil {
			e.undelivered(o, fmt.Errorf("%w: RpcEnv has been stopped", ErrStopped))
			return
		}
		if ob.send(o) {
			return
		}
	}
}

// send sends o over the connection, or queues it and makes one. False: the Outbox is gone, there is another.
func (ob *Outbox) send(o outgoing) bool {
	ob.mu.Lock()
	if ob.gone {
		ob.mu.Unlock()
		return false
	}
	ob.env.busy(1)
	if ob.conn != nil {
		// The end of a connection is told before detach: who heard of it may send at once, and is not to lose that.
		if err := ob.conn.send(o); !errors.Is(err, errConnEnded) {
			ob.mu.Unlock()
			if err != nil {
				ob.env.undelivered(o, err)
			}
			ob.env.busy(-1)
			return true
		}
	}
	if ob.bytes+len(o.content) > outboxLimit {
		ob.overflowLocked(o)
		return true
	}
	ob.queue = append(ob.queue, o)
	ob.bytes += len(o.content)
	dial := !ob.dialing && ob.conn == nil // else detach dials
	ob.dialing = ob.dialing || dial
	ob.mu.Unlock()
	if o.pending != nil {
		ob.env.asks.add(o.pending)
	}
	if dial {
		ob.env.dial(ob.to, ob.dialled)
	}
	return true
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

// dialled is the end of a dial: without a connection everything that waits fails.
func (ob *Outbox) dialled(err error) {
	ob.mu.Lock()
	ob.dialing = false
	var failed []outgoing
	if ob.conn == nil { // else attach has taken care of the queue
		failed, ob.queue, ob.bytes = ob.queue, nil, 0
	}
	ob.forgetLocked()
	ob.mu.Unlock()
	if err == nil {
		err = errors.New("the connection ended at once")
	}
	ob.failAll(failed, fmt.Errorf("%w: %s: %w", ErrUnreachableDisconnected, ob.to, err))
}

// attach gives the Outbox for an address a connection.
func (e *Env) attach(to Address, c *conn) {
	for {
		if ob := e.outbox(to); ob == nil || ob.attach(c) {
			return
		}
	}
}

// attach gives the Outbox a connection, unless it has one, and sends what waits. False: the Outbox is gone.
func (ob *Outbox) attach(c *conn) bool {
	ob.mu.Lock()
	if ob.gone {
		ob.mu.Unlock()
		return false
	}
	if ob.conn != nil || !c.join(ob) {
		ob.forgetLocked()
		ob.mu.Unlock()
		return true
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
	return true
}

// detach takes the connection away after its end. What was sent since the end was told goes by the next one.
func (ob *Outbox) detach(c *conn) {
	ob.mu.Lock()
	if ob.conn == c {
		ob.conn = nil
	}
	dial := ob.conn == nil && len(ob.queue) > 0 && !ob.dialing
	ob.dialing = ob.dialing || dial
	ob.forgetLocked()
	ob.mu.Unlock()
	switch {
	case !dial:
	case ob.env.isClosing():
		ob.dialled(fmt.Errorf("%w: RpcEnv has been stopped", ErrStopped))
	default:
		ob.env.dial(ob.to, ob.dialled)
	}
}

// forgetLocked takes the Outbox out of the Env's table when it has nothing: peers come and go.
func (ob *Outbox) forgetLocked() {
	if ob.conn != nil || ob.dialing || len(ob.queue) > 0 || ob.gone {
		return
	}
	ob.gone = true
	ob.env.mu.Lock()
	defer ob.env.mu.Unlock()
	if ob.env.outboxes[ob.to] == ob {
		delete(ob.env.outboxes, ob.to)
	}
}

// fail gives up what waits for a connection: the Env closes them.
func (ob *Outbox) fail(err error) {
	ob.mu.Lock()
	failed := ob.queue
	ob.queue, ob.bytes = nil, 0
	ob.mu.Unlock()
	ob.failAll(failed, err)
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
