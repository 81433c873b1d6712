package rpcenv

import (
	"time"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/trace"
)

// What the trace gets is made here, and nowhere else: where something happens stands one call.

// recordEnv is the record of the Env's beginning.
func (e *Env) recordEnv() {
	if e.recorder != nil { // always: who it is
		e.recorder.Add(&trace.Event{
			Kind: tracepb.Kind_ENV, Env: e.num, Time: nanos(e.host.Now()), Peer: e.cfg.Name, Address: e.addr.String(),
		})
	}
}

// recordSent is the record of a message or an ask that leaves this Env or one of its endpoints: to, if it is in this Env.
func (e *Env) recordSent(o *outgoing, id trace.ID, peer, address string, to *Inbox) {
	r := e.recorder
	if r == nil {
		return
	}
	t := r.TypeOf(o.msg, describeType)
	o.untraced = o.untraced || t.Untraced || to != nil && to.untraced
	s := e.switches.Load()
	o.recorded = !o.untraced && (s.records(o.from) || to != nil && s.records(to.name))
	switch {
	case o.untraced:
		r.CountUntraced()
	case o.recorded:
		e.addMessage(o, &trace.Event{
			Kind: tracepb.Kind_SENT, ID: id, Cause: o.cause, Env: e.num, Time: nanos(o.at),
			Endpoint: o.from, To: o.to.Name, Peer: peer, Address: address, Type: t.Text, Form: o.form,
		})
	default:
		r.Note(&trace.Note{
			Kind: tracepb.Kind_SENT, ID: id, Cause: o.cause, Env: e.num, Time: e.ringTime(), Bytes: uint64(len(o.content)),
			Endpoint: r.Name(o.from), To: r.Name(o.to.Name), Peer: r.Name(peer), Address: r.Name(address), Type: t.Name, Form: o.form,
		})
	}
}

// recordAnswer is the record of a reply or a failure: it carries the type of the question, and its own as name.
func (e *Env) recordAnswer(o *outgoing, id trace.ID, question, peer string) {
	r := e.recorder
	if r == nil {
		return
	}
	t := r.TypeOf(o.msg, describeType)
	o.untraced = o.untraced || t.Untraced
	switch {
	case o.untraced:
		r.CountUntraced()
	case o.recorded || e.switches.Load().records(o.from):
		e.addMessage(o, &trace.Event{
			Kind: tracepb.Kind_SENT, ID: id, Cause: o.cause, Env: e.num, Time: nanos(o.at),
			Endpoint: o.from, To: o.to.Name, Peer: peer, Type: question, Name: t.Text, Form: o.form,
		})
	default:
		r.Note(&trace.Note{
			Kind: tracepb.Kind_SENT, ID: id, Cause: o.cause, Env: e.num, Time: e.ringTime(), Bytes: uint64(len(o.content)),
			Endpoint: r.Name(o.from), To: r.Name(o.to.Name), Peer: r.Name(peer), Type: r.Name(question), Name: t.Name, Form: o.form,
		})
	}
}

// addMessage adds ev with the message as it was encoded for the wire, if it was.
func (e *Env) addMessage(o *outgoing, ev *trace.Event) {
	if ev.Time == 0 { // it was sent before recording was switched on
		ev.Time = nanos(e.host.Now())
	}
	if o.content != nil {
		ev.Body, ev.Bytes = e.table.Body(o.content), uint64(len(o.content))
	} else {
		ev.Message = o.msg
	}
	e.recorder.Add(ev)
}

// record is the record of a handled item.
func (in *Inbox) record(c *Context, it *item, err error) {
	e, r := in.env, in.env.recorder
	if r == nil {
		return
	}
	if it.untraced || in.untraced {
		r.CountUntraced()
		return
	}
	kind := tracepb.Kind_ITEM
	if it.kind == itemMessage || it.kind == itemReply && !it.id.IsZero() {
		kind = tracepb.Kind_HANDLED
	}
	outcome := ""
	switch {
	case err != nil:
		outcome = err.Error()
	case c.deferred && !c.answered:
		outcome = "deferred"
	}
	if !it.recorded && !e.switches.Load().records(in.name) {
		n := trace.Note{
			Kind: kind, ID: it.id, Cause: it.cause, Env: e.num, Time: e.ringTime(),
			Endpoint: in.tag, Name: r.Name(it.name), Outcome: r.Name(outcome),
		}
		if !it.addr.IsZero() {
			n.Address = r.Name(it.addr.String())
		}
		r.Note(&n)
		return
	}
	ev := trace.Event{
		Kind: kind, ID: it.id, Cause: it.cause, Env: e.num, Time: nanos(e.host.Now()),
		Endpoint: in.name, Name: it.name, Started: nanos(c.began), Received: nanos(it.received), Outcome: outcome,
	}
	if ev.Received == 0 {
		ev.Received = ev.Started
	}
	if !it.addr.IsZero() {
		ev.Address = it.addr.String()
	}
	if kind == tracepb.Kind_HANDLED && !it.recorded && it.msg != nil {
		e.describeHandled(&ev, it)
	}
	r.Add(&ev)
}

// describeHandled tells of a message what its sender's record does not say if the sender is not recorded: an endpoint that
// was switched on alone shows what it got.
func (e *Env) describeHandled(ev *trace.Event, it *item) {
	if s := e.switches.Load(); s.all || len(s.only) == 0 {
		return
	}
	ev.Type, ev.Message = typeName(it.msg), it.msg
	if it.call != nil {
		ev.Form = tracepb.Form_ASK
	}
}

// recordAnswered is the record of an answer that a body waited for.
func (b *Blocking) recordAnswered(res result, ask *pending) {
	e, r := b.env, b.env.recorder
	switch {
	case r == nil || res.id.IsZero():
	case ask.untraced:
		r.CountUntraced()
	case e.switches.Load().records(b.from):
		received := nanos(res.received)
		r.Add(&trace.Event{
			Kind: tracepb.Kind_HANDLED, ID: res.id, Cause: ask.id, Env: e.num, Time: nanos(e.host.Now()),
			Endpoint: b.from, Received: received, Started: received,
		})
	default:
		r.Note(&trace.Note{
			Kind: tracepb.Kind_HANDLED, ID: res.id, Cause: ask.id, Env: e.num, Time: e.ringTime(), Endpoint: r.Name(b.from),
		})
	}
}

// recordRefused is the record of a message that came and that no endpoint handled.
func (e *Env) recordRefused(endpoint string, id trace.ID, at time.Time, why string) {
	e.tellTrace(endpoint, &trace.Event{Kind: tracepb.Kind_HANDLED, ID: id, Time: nanos(at), Endpoint: endpoint, Outcome: why})
}

// dropped is the trace's event of a message that was not delivered.
func (e *Env) dropped(o *outgoing, typ, why string) {
	e.log.Debugf("dropped %s to %s: %s", typ, o.to, why)
	if o.untraced {
		return
	}
	e.tellTrace(o.from, &trace.Event{
		Kind: tracepb.Kind_DROP, Cause: o.cause,
		Endpoint: o.from, To: o.to.Name, Address: o.to.Address.String(), Type: typ, Form: o.form, Why: why,
	})
}

// recordConn is the record of the beginning or the end of a connection.
func (e *Env) recordConn(c *conn, name, why string) {
	e.tellTrace("", &trace.Event{
		Kind: tracepb.Kind_CONN, ID: c.itemID(true, 0),
		Peer: c.peerName, Address: c.peer.String(), Name: name, Why: why,
	})
}

// recordUnreachable is the record of a connection that could not be made.
func (e *Env) recordUnreachable(to Address, err error) {
	e.tellTrace("", &trace.Event{
		Kind: tracepb.Kind_CONN, Name: "refused", Address: to.String(), Why: err.Error(),
	})
}

// change is a change of state as the trace has it.
type change struct{ kind, id, from, to, why string }

// recordState is the record of a change of state that an endpoint tells, or of the end of the process.
func (e *Env) recordState(endpoint string, cause trace.ID, s change) {
	e.tellTrace(endpoint, &trace.Event{
		Kind: tracepb.Kind_STATE, Cause: cause,
		Endpoint: endpoint, Name: s.kind, Subject: s.id, From: s.from, To: s.to, Why: s.why,
	})
}

// tellTrace adds what is rare, and told by an endpoint; by the Env itself if its name is empty.
func (e *Env) tellTrace(endpoint string, ev *trace.Event) {
	if e.recorder == nil {
		return
	}
	ev.Env = e.num
	if ev.Time == 0 {
		ev.Time = nanos(e.host.Now())
	}
	if e.switches.Load().records(endpoint) {
		e.recorder.Add(ev)
		return
	}
	e.recorder.NoteEvent(ev)
}

// nanos is t as a record has it; 0 for no time.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}
