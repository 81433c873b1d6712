package rpcenv

import (
	"time"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/trace"
)

// recordSent is the record of a message or an ask that leaves this Env or one of its endpoints.
func (e *Env) recordSent(o outgoing, id trace.ID, peer, address string) {
	if e.recorder == nil {
		return
	}
	r := e.newRecord(tracepb.Kind_SENT, id, o.cause, o.at)
	r.Endpoint, r.To, r.Peer, r.Address, r.Type, r.Form = o.from, o.to.Name, peer, address, typeName(o.msg), o.form
	e.setBody(r, o)
	e.recorder.Add(r)
}

// recordAnswer is the record of a reply or a failure: it carries the type of the question, and its own as name.
func (e *Env) recordAnswer(o outgoing, id trace.ID, question, peer string) {
	if e.recorder == nil {
		return
	}
	r := e.newRecord(tracepb.Kind_SENT, id, o.cause, o.at)
	r.Endpoint, r.To, r.Peer, r.Type, r.Name, r.Form = o.from, o.to.Name, peer, question, typeName(o.msg), o.form
	e.setBody(r, o)
	e.recorder.Add(r)
}

func (e *Env) setBody(r *tracepb.Record, o outgoing) {
	if o.content != nil {
		r.Body, r.Bytes = e.table.Body(o.content), uint64(len(o.content))
		return
	}
	r.Body = e.recorder.Body(o.msg)
	r.Bytes = uint64(len(r.Body))
}

func (e *Env) newRecord(kind tracepb.Kind, id, cause trace.ID, at time.Time) *tracepb.Record {
	r := trace.NewRecord(kind, id, cause, at)
	r.Env = e.num
	return r
}

// dropped is the trace's event of a message that was not delivered.
func (e *Env) dropped(o outgoing, typ, why string) {
	e.log.Debugf("dropped %s to %s: %s", typ, o.to, why)
	if e.recorder == nil {
		return
	}
	r := e.newRecord(tracepb.Kind_DROP, trace.ID{}, o.cause, e.host.Now())
	r.Endpoint, r.To, r.Address, r.Type, r.Form, r.Why = o.from, o.to.Name, o.to.Address.String(), typ, o.form, why
	e.recorder.Add(r)
}

// record writes the trace of a handled item.
func (in *Inbox) record(c *Context, it *item, err error) {
	rec := in.env.recorder
	if rec == nil {
		return
	}
	kind := tracepb.Kind_ITEM
	if it.kind == itemMessage || it.kind == itemReply && !it.id.IsZero() {
		kind = tracepb.Kind_HANDLED
	}
	now := in.env.host.Now()
	r := in.env.newRecord(kind, it.id, it.cause, now)
	r.Endpoint, r.Name = in.name, it.name
	r.Started = uint64(c.began.UnixNano())
	r.Received = r.Started
	if !it.received.IsZero() {
		r.Received = uint64(it.received.UnixNano())
	}
	r.Address = it.addr.String()
	switch {
	case err != nil:
		r.Outcome = err.Error()
	case c.deferred && !c.answered:
		r.Outcome = "deferred"
	}
	rec.Add(r)
}

func (e *Env) recordConn(c *conn, name, why string) {
	if e.recorder == nil {
		return
	}
	r := e.newRecord(tracepb.Kind_CONN, c.itemID(true, 0), trace.ID{}, e.host.Now())
	r.Id = &tracepb.Id{Conn: c.id, Back: !c.dialler}
	r.Peer, r.Address, r.Name, r.Why = c.peerName, c.peer.String(), name, why
	e.recorder.Add(r)
}

func (b *Blocking) recordAnswered(res result, ask trace.ID) {
	if b.env.recorder == nil || res.id.IsZero() {
		return
	}
	r := b.env.newRecord(tracepb.Kind_HANDLED, res.id, ask, b.env.host.Now())
	r.Endpoint, r.Received, r.Started = b.from, uint64(res.received.UnixNano()), uint64(res.received.UnixNano())
	b.env.recorder.Add(r)
}

// recordUnreachable is the record of a connection that could not be made.
func (e *Env) recordUnreachable(to Address, err error) {
	if e.recorder == nil {
		return
	}
	r := e.newRecord(tracepb.Kind_CONN, trace.ID{}, trace.ID{}, e.host.Now())
	r.Name, r.Address, r.Why = "refused", to.String(), err.Error()
	e.recorder.Add(r)
}

// change is a change of state as the trace has it.
type change struct{ kind, id, from, to, why string }

// recordState is the record of a change of state that an endpoint tells, or of the end of the process.
func (e *Env) recordState(endpoint string, cause trace.ID, s change) {
	if e.recorder == nil {
		return
	}
	r := e.newRecord(tracepb.Kind_STATE, trace.ID{}, cause, e.host.Now())
	r.Endpoint, r.Name, r.Subject, r.From, r.To, r.Why = endpoint, s.kind, s.id, s.from, s.to, s.why
	e.recorder.Add(r)
}

// recordRefused is the record of a message that came and that no endpoint handled.
func (e *Env) recordRefused(endpoint string, id trace.ID, at time.Time, why string) {
	if e.recorder == nil {
		return
	}
	r := e.newRecord(tracepb.Kind_HANDLED, id, trace.ID{}, at)
	r.Endpoint, r.Outcome = endpoint, why
	e.recorder.Add(r)
}

// recordEnv is the record of the Env's beginning.
func (e *Env) recordEnv() {
	if e.recorder == nil {
		return
	}
	r := e.newRecord(tracepb.Kind_ENV, trace.ID{}, trace.ID{}, e.host.Now())
	r.Peer, r.Address = e.cfg.Name, e.addr.String()
	e.recorder.Add(r)
}
