package rpcenv

import (
	"time"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/trace"
)

// What the trace gets is made here, and nowhere else: where something happens stands one call.

// recordEnv is the record of the Env's beginning.
func (e *Env) recordEnv() {
	if e.recorder == nil {
		return
	}
	e.recorder.Add(&trace.Event{
		Kind: tracepb.Kind_ENV, Env: e.num, Time: nanos(e.host.Now()), Peer: e.cfg.Name, Address: e.addr.String(),
	})
}

// recordSent is the record of a message or an ask that leaves this Env or one of its endpoints.
func (e *Env) recordSent(o *outgoing, id trace.ID, peer, address string) {
	if e.recorder == nil {
		return
	}
	ev := trace.Event{
		Kind: tracepb.Kind_SENT, ID: id, Cause: o.cause, Env: e.num, Time: nanos(o.at),
		Endpoint: o.from, To: o.to.Name, Peer: peer, Address: address, Type: typeName(o.msg), Form: o.form,
	}
	e.addBody(&ev, o)
}

// recordAnswer is the record of a reply or a failure: it carries the type of the question, and its own as name.
func (e *Env) recordAnswer(o *outgoing, id trace.ID, question, peer string) {
	if e.recorder == nil {
		return
	}
	ev := trace.Event{
		Kind: tracepb.Kind_SENT, ID: id, Cause: o.cause, Env: e.num, Time: nanos(o.at),
		Endpoint: o.from, To: o.to.Name, Peer: peer, Type: question, Name: typeName(o.msg), Form: o.form,
	}
	e.addBody(&ev, o)
}

// addBody adds ev with the message as it was encoded for the wire, if it was.
func (e *Env) addBody(ev *trace.Event, o *outgoing) {
	if o.content != nil {
		ev.Body, ev.Bytes = e.table.Body(o.content), uint64(len(o.content))
	} else {
		ev.Message = o.msg
	}
	e.recorder.Add(ev)
}

// record is the record of a handled item.
func (in *Inbox) record(c *Context, it *item, err error) {
	e := in.env
	if e.recorder == nil {
		return
	}
	ev := trace.Event{
		Kind: tracepb.Kind_ITEM, ID: it.id, Cause: it.cause, Env: e.num, Time: nanos(e.host.Now()),
		Endpoint: in.name, Name: it.name, Started: nanos(c.began), Received: nanos(it.received),
	}
	if it.kind == itemMessage || it.kind == itemReply && !it.id.IsZero() {
		ev.Kind = tracepb.Kind_HANDLED
	}
	if ev.Received == 0 {
		ev.Received = ev.Started
	}
	if !it.addr.IsZero() {
		ev.Address = it.addr.String()
	}
	switch {
	case err != nil:
		ev.Outcome = err.Error()
	case c.deferred && !c.answered:
		ev.Outcome = "deferred"
	}
	e.recorder.Add(&ev)
}

// recordAnswered is the record of an answer that a body waited for.
func (b *Blocking) recordAnswered(res result, ask trace.ID) {
	e := b.env
	if e.recorder == nil || res.id.IsZero() {
		return
	}
	received := nanos(res.received)
	e.recorder.Add(&trace.Event{
		Kind: tracepb.Kind_HANDLED, ID: res.id, Cause: ask, Env: e.num, Time: nanos(e.host.Now()),
		Endpoint: b.from, Received: received, Started: received,
	})
}

// recordRefused is the record of a message that came and that no endpoint handled.
func (e *Env) recordRefused(endpoint string, id trace.ID, at time.Time, why string) {
	if e.recorder == nil {
		return
	}
	e.recorder.Add(&trace.Event{
		Kind: tracepb.Kind_HANDLED, ID: id, Env: e.num, Time: nanos(at), Endpoint: endpoint, Outcome: why,
	})
}

// dropped is the trace's event of a message that was not delivered.
func (e *Env) dropped(o *outgoing, typ, why string) {
	e.log.Debugf("dropped %s to %s: %s", typ, o.to, why)
	if e.recorder == nil {
		return
	}
	e.recorder.Add(&trace.Event{
		Kind: tracepb.Kind_DROP, Cause: o.cause, Env: e.num, Time: nanos(e.host.Now()),
		Endpoint: o.from, To: o.to.Name, Address: o.to.Address.String(), Type: typ, Form: o.form, Why: why,
	})
}

// recordConn is the record of the beginning or the end of a connection.
func (e *Env) recordConn(c *conn, name, why string) {
	if e.recorder == nil {
		return
	}
	e.recorder.Add(&trace.Event{
		Kind: tracepb.Kind_CONN, ID: c.itemID(true, 0), Env: e.num, Time: nanos(e.host.Now()),
		Peer: c.peerName, Address: c.peer.String(), Name: name, Why: why,
	})
}

// recordUnreachable is the record of a connection that could not be made.
func (e *Env) recordUnreachable(to Address, err error) {
	if e.recorder == nil {
		return
	}
	e.recorder.Add(&trace.Event{
		Kind: tracepb.Kind_CONN, Env: e.num, Time: nanos(e.host.Now()), Name: "refused", Address: to.String(), Why: err.Error(),
	})
}

// change is a change of state as the trace has it.
type change struct{ kind, id, from, to, why string }

// recordState is the record of a change of state that an endpoint tells, or of the end of the process.
func (e *Env) recordState(endpoint string, cause trace.ID, s change) {
	if e.recorder == nil {
		return
	}
	e.recorder.Add(&trace.Event{
		Kind: tracepb.Kind_STATE, Cause: cause, Env: e.num, Time: nanos(e.host.Now()),
		Endpoint: endpoint, Name: s.kind, Subject: s.id, From: s.from, To: s.to, Why: s.why,
	})
}

// nanos is t as a record has it; 0 for no time.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}
