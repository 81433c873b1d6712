package rpcenv

import (
	"time"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/trace"
)

// All records for the trace are made here; the place where something happens has one call.

// recordEnv is the record of the Env's beginning.
func (e *Env) recordEnv() {
	if e.recorder == nil {
		return
	}
	ev := trace.Event{Kind: tracepb.Kind_ENV, Env: e.num, Time: nanos(e.host.Now()), Peer: e.cfg.Name, Address: e.addr.String()}
	e.recorder.NoteEvent(&ev, true)
	e.recorder.Add(&ev) // even if nothing else is recorded: the file says whose it is
}

// labels are a one-entry cache for each text of a connection's messages: its number in the ring, as the last message used it.
type labels struct{ peer, address, to, from, typ label }

type label struct {
	text string
	name trace.Name
}

// of is the number of a text. Messages in a row mostly have the same texts, and to compare a string with itself costs nothing.
func (l *label) of(r *trace.Recorder, text string) trace.Name {
	if l.text != text {
		l.text, l.name = text, r.Name(text)
	}
	return l.name
}

// recordSentLocal is the record of a message or an ask to an endpoint of this Env; to is nil if no endpoint has the
// name.
func (e *Env) recordSentLocal(o *outgoing, id trace.ID, to *Inbox) {
	r := e.recorder
	if r == nil {
		return
	}
	t := r.TypeOf(o.msg, describeType)
	// Within the process one record serves both ends: it is made if either of them is recorded.
	if to != nil {
		s := e.switches.Load()
		o.untraced, o.recorded = o.untraced || to.untraced, s.records(o.from) || s.records(to.name)
	} else {
		o.recorded = e.switches.Load().records(o.from)
	}
	if !e.traced(o, t) {
		return
	}
	n := trace.Note{
		Kind: tracepb.Kind_SENT, ID: id, Cause: o.cause, Env: e.num, Time: e.noteTime(o),
		Endpoint: r.Name(o.from), Peer: e.tag, Type: t.Name, Form: o.form, Recorded: o.recorded,
	}
	if to != nil {
		n.To = to.tag
	} else {
		n.To = r.Name(o.to.Name)
	}
	r.Note(&n)
	if o.recorded {
		e.addMessage(o, &trace.Event{
			Kind: tracepb.Kind_SENT, ID: id, Cause: o.cause, Env: e.num, Time: n.Time,
			Endpoint: o.from, To: o.to.Name, Peer: e.cfg.Name, Type: t.Text, Form: o.form,
		})
	}
}

// recordSent is the record of a message or an ask that leaves this Env. The connection's lock is held.
func (c *conn) recordSent(o *outgoing, id trace.ID) {
	e, r, l := c.env, c.env.recorder, &c.labels
	if r == nil {
		return
	}
	t := r.TypeOf(o.msg, describeType)
	o.recorded = e.switches.Load().records(o.from)
	if !e.traced(o, t) {
		return
	}
	n := trace.Note{
		Kind: tracepb.Kind_SENT, ID: id, Cause: o.cause, Env: e.num, Time: e.noteTime(o), Size: uint64(len(o.content)),
		Endpoint: l.from.of(r, o.from), To: l.to.of(r, o.to.Name), Peer: l.peer.of(r, c.peerName), Address: l.address.of(r, c.peerText),
		Type: t.Name, Form: o.form, Recorded: o.recorded,
	}
	r.Note(&n)
	if o.recorded {
		e.addMessage(o, &trace.Event{
			Kind: tracepb.Kind_SENT, ID: id, Cause: o.cause, Env: e.num, Time: n.Time,
			Endpoint: o.from, To: o.to.Name, Peer: c.peerName, Address: c.peerText, Type: t.Text, Form: o.form,
		})
	}
}

// recordAnswer is the record of a reply or a failure: it carries the type of the question, and its own as name. l is
// that of a connection, whose lock is held, or an empty one.
func (e *Env) recordAnswer(o *outgoing, id trace.ID, question, peer string, l *labels) {
	r := e.recorder
	if r == nil {
		return
	}
	t := r.TypeOf(o.msg, describeType)
	o.recorded = o.recorded || e.switches.Load().records(o.from)
	if !e.traced(o, t) {
		return
	}
	n := trace.Note{
		Kind: tracepb.Kind_SENT, ID: id, Cause: o.cause, Env: e.num, Time: e.noteTime(o), Size: uint64(len(o.content)),
		Endpoint: l.from.of(r, o.from), To: l.to.of(r, o.to.Name), Peer: l.peer.of(r, peer), Type: l.typ.of(r, question),
		Name: t.Name, Form: o.form, Recorded: o.recorded,
	}
	r.Note(&n)
	if o.recorded {
		e.addMessage(o, &trace.Event{
			Kind: tracepb.Kind_SENT, ID: id, Cause: o.cause, Env: e.num, Time: n.Time,
			Endpoint: o.from, To: o.to.Name, Peer: peer, Type: question, Name: t.Text, Form: o.form,
		})
	}
}

// traced counts what is untraced; true: it goes on to the ring.
func (e *Env) traced(o *outgoing, t *trace.Type) bool {
	if o.untraced = o.untraced || t.Untraced; o.untraced {
		e.recorder.CountUntraced()
	}
	return !o.untraced
}

// noteTime is when o was sent: exact when it is recorded.
func (e *Env) noteTime(o *outgoing) int64 {
	switch {
	case !o.recorded:
		return e.ringTime()
	case o.at.IsZero(): // an answer, or recording was switched on since
		return nanos(e.host.Now())
	}
	return nanos(o.at)
}

// addMessage adds ev with the message as it was encoded for the wire, if it was.
func (e *Env) addMessage(o *outgoing, ev *trace.Event) {
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
	// HANDLED belongs to a SENT of the same id; other items begin here.
	kind := tracepb.Kind_ITEM
	if it.kind == itemMessage || it.kind == itemReply {
		kind = tracepb.Kind_HANDLED
	}
	outcome := ""
	switch {
	case err != nil:
		outcome = err.Error()
	case c.deferred && !c.answered:
		outcome = trace.OutcomeDeferred
	}
	n := trace.Note{
		Kind: kind, ID: it.id, Cause: it.cause, Env: e.num, Endpoint: in.tag, Name: r.Name(it.name), Outcome: r.Name(outcome),
		Recorded: it.recorded || e.switches.Load().records(in.name),
	}
	address := it.addr.String()
	if address != "" {
		n.Address = r.Name(address)
	}
	if !n.Recorded { // the ring alone: no clock is read and no Event made
		n.Time = e.ringTime()
		r.Note(&n)
		return
	}
	ev := trace.Event{
		Kind: kind, ID: it.id, Cause: it.cause, Env: e.num, Time: nanos(c.end()),
		Endpoint: in.name, Name: it.name, Started: nanos(c.began), Received: nanos(it.received), Outcome: outcome, Address: address,
	}
	if ev.Received == 0 {
		ev.Received = ev.Started
	}
	n.Time = ev.Time
	if ev.Started != 0 {
		n.Size = uint64(max(ev.Time-ev.Started, 0)) / uint64(time.Microsecond)
	}
	r.Note(&n)
	if kind == tracepb.Kind_HANDLED && !it.recorded && it.msg != nil {
		e.describeHandled(&ev, it)
	}
	r.Add(&ev)
}

// beginning is when the handling of an item begins, for the trace; zero when it is not recorded, unless its World says when.
// Within a turn it is when that of the last one ended.
func (c *Context) beginning(it *item) time.Time {
	e := c.in.env
	switch {
	case !it.began.IsZero():
		return it.began
	case !it.recorded && !e.switches.Load().records(c.in.name):
		return time.Time{}
	case c.ended.IsZero():
		return e.host.Now()
	case it.received.After(c.ended): // the turn was idle in between
		return it.received
	}
	return c.ended
}

// end is when the handling of the item ends.
func (c *Context) end() time.Time {
	now := c.in.env.host.Now()
	if c.in.kind.serial() { // elsewhere the item before may still be in its callback
		c.ended = now
	}
	return now
}

// describeHandled adds what the sender's record says of a message, for an endpoint that was switched on alone: the sender may not be
// recorded.
func (e *Env) describeHandled(ev *trace.Event, it *item) {
	if e.switches.Load().all {
		return
	}
	ev.Type, ev.Message = TypeName(it.msg), it.msg
	if it.call != nil {
		ev.Form = tracepb.Form_ASK
	}
}

// recordAnswered is the record of an answer that a body waited for.
func (b *Blocking) recordAnswered(res result, ask *pending) {
	e, r := b.env, b.env.recorder
	if r == nil || res.id.IsZero() {
		return
	}
	if ask.untraced {
		r.CountUntraced()
		return
	}
	n := trace.Note{
		Kind: tracepb.Kind_HANDLED, ID: res.id, Cause: ask.id, Env: e.num, Endpoint: r.Name(b.from), Name: r.Name(trace.InBody),
		Recorded: res.recorded || e.switches.Load().records(b.from),
	}
	if !n.Recorded {
		n.Time = e.ringTime()
		r.Note(&n)
		return
	}
	if n.Time = nanos(res.received); n.Time == 0 { // recording was switched on meanwhile
		n.Time = nanos(e.host.Now())
	}
	r.Note(&n)
	r.Add(&trace.Event{
		Kind: tracepb.Kind_HANDLED, ID: res.id, Cause: ask.id, Env: e.num, Time: n.Time,
		Endpoint: b.from, Name: trace.InBody, Received: n.Time, Started: n.Time,
	})
}

// recordRefused is the record of a message that came and that no endpoint handled.
func (e *Env) recordRefused(endpoint string, id trace.ID, why error) {
	e.metrics.Drop(dropReason(tracepb.Form_SEND, why))
	e.addRare(endpoint, &trace.Event{Kind: tracepb.Kind_HANDLED, ID: id, Endpoint: endpoint, Outcome: why.Error()})
}

// recordUnheard is the record of the end of an ask whose endpoint has been stopped meanwhile.
func (e *Env) recordUnheard(endpoint string, p *pending, res result) {
	switch {
	case p.untraced:
	case res.id.IsZero():
		e.dropped(&outgoing{from: endpoint, to: p.to, cause: p.id, form: tracepb.Form_ASK}, p.typ, res.err)
	default:
		e.recordRefused("", res.id, errAskerStopped)
	}
}

// dropped is the trace's event of a message that was not delivered.
func (e *Env) dropped(o *outgoing, typ string, why error) {
	e.metrics.Drop(dropReason(o.form, why))
	e.log.Debugf("dropped %s to %s: %s", typ, o.to, why)
	if o.untraced {
		return
	}
	e.addRare(o.from, &trace.Event{
		Kind: tracepb.Kind_DROP, Cause: o.cause,
		Endpoint: o.from, To: o.to.Name, Address: o.to.Address.String(), Type: typ, Form: o.form, Why: why.Error(),
	})
}

// recordConn is the record of the beginning or the end of a connection.
func (e *Env) recordConn(c *conn, name, why string) {
	e.addRare("", &trace.Event{
		Kind: tracepb.Kind_CONN, ID: c.itemID(true, 0),
		Peer: c.peerName, Address: c.peer.String(), Name: name, Why: why,
	})
}

// recordUnreachable is the record of a connection that could not be made.
func (e *Env) recordUnreachable(to Address, err error) {
	e.addRare("", &trace.Event{
		Kind: tracepb.Kind_CONN, Name: "refused", Address: to.String(), Why: err.Error(),
	})
}

// change is a change of state as the trace has it.
type change struct{ kind, id, from, to, why string }

// recordState is the record of a change of state that an endpoint reports, or of the end of the process.
func (e *Env) recordState(endpoint string, cause trace.ID, s change) {
	e.addRare(endpoint, &trace.Event{
		Kind: tracepb.Kind_STATE, Cause: cause,
		Endpoint: endpoint, Name: s.kind, Subject: s.id, From: s.from, To: s.to, Why: s.why,
	})
}

// addRare adds a rare event of an endpoint; of the Env itself if the name is empty.
func (e *Env) addRare(endpoint string, ev *trace.Event) {
	if e.recorder == nil {
		return
	}
	ev.Env, ev.Time = e.num, nanos(e.host.Now())
	recorded := e.switches.Load().records(endpoint)
	e.recorder.NoteEvent(ev, recorded)
	if recorded {
		e.recorder.Add(ev)
	}
}

// nanos is t as a record has it; 0 for no time.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}
