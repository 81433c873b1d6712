package rpcenv

import (
	"errors"
	"fmt"
	"time"

	tracepb "github.com/coherer/coherer/messages/trace"
)

// send takes a message to its inbox or outbox. Its error is ErrNotMessage or an encoding that fails; any later failure ends the ask,
// or is an event of the trace.
func (e *Env) send(o outgoing) error {
	if err := e.prepare(&o); err != nil {
		return err
	}
	e.dispatch(&o, nil)
	return nil
}

// prepare checks and encodes o. As in Spark the sender's goroutine does it, so that a mistake fails the handler that made it.
func (e *Env) prepare(o *outgoing) error {
	local := e.isLocal(o.to)
	if err := checkMessage(o.msg, local); err != nil || local {
		return err
	}
	if err := o.encode(e); err != nil {
		return fmt.Errorf("%w: %w", ErrNotMessage, err)
	}
	return nil
}

// dispatch brings what is prepared on its way; by is the sending endpoint, if a callback of one sends.
func (e *Env) dispatch(o *outgoing, by *inbox) {
	o.at = e.traceTime()
	if o.pending != nil {
		o.pending.to, o.pending.typ, o.pending.id = o.to, TypeName(o.msg), o.cause
		o.pending.untraced = o.untraced || e.untraced(o.msg)
	}
	// The Env's own address never goes over a connection: a message to it is handed over by reference, as in Spark.
	switch {
	case e.isLocal(o.to):
		e.sendLocal(o, by)
	case o.to.conn != 0:
		e.sendOn(o)
	case o.to.Address.IsZero():
		e.undelivered(*o, fmt.Errorf("%w: Cannot send message to client endpoint with no listen address.", ErrUnreachableDisconnected))
	default:
		e.outboxes.send(o)
	}
}

// send is Env.send for what the endpoint's callbacks send: a Journal may hold it back.
func (in *inbox) send(o *outgoing) error {
	if err := in.env.prepare(o); err != nil {
		return err
	}
	if in.held == nil || !in.holdBack(*o) { // without a Journal o stays off the heap
		in.env.dispatch(o, in)
	}
	return nil
}

func (in *inbox) holdBack(o outgoing) bool {
	return in.held.takes(heldItem{send: func() { in.env.dispatch(&o, in) }, drop: func(err error) { in.env.undelivered(o, err) }})
}

func (e *Env) isLocal(to Ref) bool { return to.conn == 0 && to.Address == e.addr }

func (e *Env) sendLocal(o *outgoing, by *inbox) {
	id := e.nextID()
	in := e.endpoints.findFor(by, o.to.Name)
	bounded := in != nil && in.bound != nil
	if bounded {
		switch err := in.bound.take(e, o); {
		case err == nil:
		case errors.Is(err, errNoRoom):
			o.body.refused = true
			return
		default:
			in.bound.declined(e, *o, err)
			return
		}
	}
	var names localNames
	if in != nil { // within the process one record serves both ends: it is made if either of them is recorded
		o.untraced, o.recorded = o.untraced || in.untraced, e.switches.Load().records(in.name)
		names.to = in.tag
	}
	typ := e.recordLocal(o, id, "", names)
	var it item // filled field by field: a literal is made elsewhere and copied
	it.kind, it.id, it.cause, it.msg, it.sender, it.received = itemMessage, id, o.cause, o.msg, &e.self, nanos(o.at)
	it.untraced, it.recorded, it.bounded = o.untraced, o.recorded, bounded
	if p := o.pending; p != nil {
		p.id, p.untraced = id, o.untraced // before the item is posted: its answer, which may come at once, names them
		e.asks.add(p)
		it.call = &incomingAsk{
			env: e, id: id, typ: p.typ, sender: e.addr, by: e, asked: p, from: o.from, to: o.to.Name, untraced: o.untraced, recorded: o.recorded,
			tags: askTags{from: o.tag, to: names.to, typ: typ},
		}
	}
	if in == nil {
		e.undelivered(*o, e.endpoints.missing(o.to.Name))
		return
	}
	if err := in.offer(&it); err != nil {
		if bounded {
			in.bound.leave(e)
		}
		e.undelivered(*o, err)
	}
}

// endAsk brings the end of an ask to an asker in this Env.
func (e *Env) endAsk(k *incomingAsk, m Message, err error) {
	r := outgoing{to: Ref{Address: e.addr, Name: k.from}, msg: m, cause: k.id, from: k.to, form: tracepb.Form_REPLY, at: e.traceTime()}
	r.untraced, r.recorded = k.untraced, k.recorded
	if err != nil {
		r.form, r.msg = tracepb.Form_FAIL, failureOf(err)
	}
	id := e.nextID()
	r.tag = k.tags.to
	e.recordLocal(&r, id, k.typ, localNames{to: k.tags.from, question: k.tags.typ})
	// The answer was recorded as sent; if the ask has ended meanwhile, that it came to nothing is an event too.
	if !e.asks.finish(k.asked, result{msg: m, err: err, id: id, received: r.at, recorded: r.recorded}) {
		e.dropped(&r, k.typ, errAskEnded)
	}
}

// sendOn sends over one particular connection, to a peer in client mode.
func (e *Env) sendOn(o *outgoing) {
	c := e.connections.find(o.to.conn)
	e.busy(1) // until the Link has it, and counts it itself
	if c == nil {
		e.busy(-1)
		e.undelivered(*o, fmt.Errorf("%w: the connection of %s is gone, or is another Env's: "+
			"an endpoint in client mode is reached from the other end of its connection only", ErrUnreachableDisconnected, o.to))
		return
	}
	e.declined(o, c.send(o))
	e.busy(-1)
}

// Send sends m and never waits. Delivery is at most once and in order for each pair of sending Env and endpoint; what
// cannot be delivered is an event of the trace. Sending what is no message is an error of the handler.
func (c *Context) Send(to Ref, m Message) {
	if err := c.in.send(&outgoing{to: to, msg: m, cause: c.cause(), from: c.in.name, tag: c.in.tag, untraced: c.in.untraced}); err != nil {
		panic(err) // recovered in handle: the handler fails with err
	}
}

// Send sends a message as Context.Send does, but while the peer is behind it waits. Its error is also ErrStopped, when the body
// should end, or ErrUnreachableOverloaded for a message larger than MaxMessage.
func (b *Blocking) Send(to Ref, m Message) error {
	if b.Done() {
		return b.stopped()
	}
	o := outgoing{to: to, msg: m, cause: b.cause, from: b.from, tag: b.tag, body: b}
	if err := b.env.prepare(&o); err != nil {
		return err
	}
	if n := len(o.content); n > MaxMessage {
		return fmt.Errorf("%w: %s has %d bytes, a message at most %d", ErrUnreachableOverloaded, TypeName(m), n, MaxMessage)
	}
	for {
		b.refused = false
		if b.env.dispatch(&o, nil); !b.refused {
			return nil
		}
		if err := b.waitForRoom(to); err != nil {
			return err
		}
	}
}

// roomTime is how long a body waits before it tries again when other endpoints of the peer have taken all room.
const roomTime = 5 * time.Millisecond

// waitForRoom waits until the peer has caught up.
func (b *Blocking) waitForRoom(to Ref) error {
	stop := func() {}
	err := b.wait(func(wake func()) {
		if b.env.room(to, wake) {
			stop = b.env.host.After(roomTime, wake)
		}
	})
	stop()
	return err
}

// room reports whether what goes to an endpoint finds room; if not it calls wake when there may be.
func (e *Env) room(to Ref, wake func()) bool {
	switch {
	case e.isLocal(to):
		in := e.endpoints.find(to.Name)
		return in == nil || in.bound == nil || in.bound.room(wake)
	case to.conn == 0:
		return e.outboxes.room(to, wake)
	}
	c := e.connections.find(to.conn)
	return c == nil || c.room(to.Name, wake)
}

// Send sends m from outside all endpoints; it may be called from any goroutine. Its error is ErrNotMessage.
func (e *Env) Send(to Ref, m Message) error {
	return e.send(outgoing{to: to, msg: m, from: "outside"})
}
