package rpcenv

import (
	"fmt"
	"time"
)

// gathered holds items that came by a connection for one inbox and are not posted yet. A Link hands over all envelopes that it has read at
// once (BatchReceiver). Items in a row for one inbox are posted together, under one lock and with one look at the clock; so each inbox still
// gets its items in the order of their arrival.
type gathered struct {
	in    *inbox
	items *items
	batch bool      // the Link is handing over a batch; else each item is posted at once
	at    time.Time // when the batch came; zero: nobody has asked yet
}

// gather keeps an item that came by the connection until settle; outside of a batch it posts the item. c.receiving is held.
func (c *conn) gather(in *inbox, it *item) {
	g := &c.gathered
	if g.in != in {
		c.settle()
		g.in = in
	}
	g.items = itemQueues.push(g.items, *it)
	if !g.batch {
		c.settle()
	}
}

// came is when the current envelope came, for records: all envelopes of a batch have one time. c.receiving is held.
func (c *conn) came() time.Time {
	g := &c.gathered
	if !g.batch {
		return c.env.traceTime()
	}
	if g.at.IsZero() {
		g.at = c.env.traceTime()
	}
	return g.at
}

// settle posts what was gathered. c.receiving is held.
func (c *conn) settle() { c.postGathered(false) }

// postGathered is settle. If own is set, and the inbox needs a turn, the caller gets the turn and has to run it. c.receiving is held.
func (c *conn) postGathered(own bool) (turn func()) {
	g := &c.gathered
	if g.items.len() == 0 {
		return nil
	}
	in, q, taken := g.in, g.items, false
	g.in, g.items = nil, nil
	if q, turn, taken = in.postAll(q, own); !taken {
		for q.len() > 0 {
			it := itemQueues.next(q)
			c.unposted(in, it)
			*it = item{}
		}
	}
	itemQueues.release(q)
	return turn
}

// postAll is post for all items of q, in one step; taken is false if the endpoint is stopped. left is a queue that belongs to the caller:
// empty, or with all items if they were not taken. If own is set, a turn of a serial endpoint that nobody has ordered is the caller's.
func (in *inbox) postAll(q *items, own bool) (left *items, turn func(), taken bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.stopped {
		return q, nil, false
	}
	in.env.busy(q.len())
	if in.meter == nil {
		in.meter = &meter{counts: in.env.metrics.Endpoint(in.name)}
	}
	for i, s := q.head, q.first; s != nil; i, s = 0, s.next {
		end := segmentEntries
		if s == q.last {
			end = q.tail
		}
		for ; i < end; i++ {
			in.meter.countReceived(in.env, &s.entries[i])
		}
	}
	if in.queue.len() == 0 { // swapped, so that no item is copied
		in.queue, q = q, in.queue
	}
	for q.len() > 0 {
		it := itemQueues.next(q)
		in.queue = itemQueues.push(in.queue, *it)
		*it = item{}
	}
	if own && in.invoker != nil && in.kind.serial() && in.env.hooks.Turn == nil {
		return q, in.claimTurnLocked(), true
	}
	in.scheduleLocked()
	return q, nil, true
}

// claimTurnLocked returns a turn of a serial endpoint, which the caller has to run; nil if one is ordered already.
func (in *inbox) claimTurnLocked() func() {
	if in.scheduled {
		return nil
	}
	in.scheduled = true
	if in.run == nil {
		in.run = in.runTurn
	}
	return in.run
}

// unposted refuses an item that came by the connection: its endpoint was found and has been stopped since.
func (c *conn) unposted(in *inbox, it *item) {
	it.ledger.add(int(it.bytes))
	if k, ok := it.then.(interface{ unheard(it *item) }); ok {
		k.unheard(it)
		return
	}
	err := fmt.Errorf("%w: Drop %s because endpoint %s is stopped", ErrRefusedStopped, TypeName(it.msg), in.name)
	if it.call != nil {
		// In Spark an ask that meets a stopped inbox has no answer and runs into its time-out.
		c.refuse(it.id, it.call.request, in.name, c.env.untraced(it.msg), err)
		return
	}
	c.env.log.Warnf("Drop a message from %s: %v", c.peer, err)
	c.env.recordRefused(in.name, it.id, err)
}
