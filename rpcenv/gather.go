package rpcenv

import (
	"fmt"
	"time"
)

// gathered is what came by a connection for one inbox and is not posted yet. A Link that read several envelopes at once hands them over
// at once: those in a row for one inbox are posted together, at the price of one lock and one look at the clock. So an inbox gets all in
// the order of their arrival.
type gathered struct {
	in    *inbox
	items *items
	batch bool      // more may come at once; else everything is posted right away
	at    time.Time // when it came
}

// gather posts an item that came by the connection, or keeps it until settle. c.receiving is held.
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

// came is when the envelope came that is received, for records: all that were read at once have one time. c.receiving is held.
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

// postGathered is settle. If own is set, the caller gets the turn that the inbox needs, if it needs one. c.receiving is held.
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

// postAll is post for all items of q. It returns a queue that the caller may use: with the items, if they were not taken, else empty. If
// own is set, a turn that has to be ordered is the caller's.
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
	if in.queue.len() == 0 { // nothing is copied
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

// claimTurnLocked returns the turn of a serial endpoint that somebody has to run; nil if one is ordered already.
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

// unposted is the end of an item that came by the connection for an endpoint which has been stopped since it was found.
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
