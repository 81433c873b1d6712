package rpcenv

import (
	"time"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// All records for the trace are made here; the place where something happens has one call.

// recordEnv is the record of the Env's beginning.
func (e *Env) recordEnv() {
	if e.recorder == nil {
		return
	}
	ev := record.Event{Kind: tracepb.Kind_ENV, Env: e.num, Time: nanos(e.host.Now()), Peer: e.cfg.Name, Address: e.addr.String()}
	e.recorder.NoteEvent(&ev, true)
	e.recorder.Add(&ev) // even if nothing else is recorded: the file says whose it is
}

// labels are a one-entry cache for each text of a connection's messages: its number in the ring, as the last message used it.
type labels struct{ peer, address, to, from, typ label }

type label struct {
	text string
	name record.Name
}

// of is the number of a text. Messages in a row mostly have the same texts, and to compare a string with itself costs nothing.
func (l *label) of(r *record.Recorder, text string) record.Name {
	if l.text != text {
		l.text, l.name = text, r.Name(text)
	}
	return l.name
}

// recordSentLocal is the record of a message or an ask to an endpoint of this Env; to is nil if no endpoint has the
// name.
func (e *Env) recordSentLocal(o *outgoing, id record.ID, to *inbox) {
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
	n := record.Note{
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
		e.addMessage(o, &record.Event{
			Kind: tracepb.Kind_SENT, ID: id, Cause: o.cause, Env: e.num, Time: n.Time,
			Endpoint: o.from, To: o.to.Name, Peer: e.cfg.Name, Type: t.Text, Form: o.form,
		})
	}
}

// recordSent is the record of a message or an ask that leaves this Env. The connection's lock is held.
func (c *conn) recordSent(o *outgoing, id record.ID) {
	e, r, l := c.env, c.env.recorder, &c.labels
	if r == nil {
		return
	}
	t := r.TypeOf(o.msg, describeType)
	o.recorded = e.switches.Load().records(o.from)
	if !e.traced(o, t) {
		return
	}
	n := record.Note{
		Kind: tracepb.Kind_SENT, ID: id, Cause: o.cause, Env: e.num, Time: e.noteTime(o), Size: uint64(len(o.content)),
		Endpoint: l.from.of(r, o.from), To: l.to.of(r, o.to.Name), Peer: l.peer.of(r, c.peerName), Address: l.address.of(r, c.peerText),
		Type: t.Name, Form: o.form, Recorded: o.recorded,
	}
	r.Note(&n)
	if o.recorded {
		e.addMessage(o, &record.Event{
			Kind: tracepb.Kind_SENT, ID: id, Cause: o.cause, Env: e.num, Time: n.Time,
			Endpoint: o.from, To: o.to.Name, Peer: c.peerName, Address: c.peerText, Type: t.Text, Form: o.form,
		})
	}
}

// recordAnswer is the record of a reply or a failure: it carries the type of the question, and its own as name. l is
// that of a connection, whose lock is held, or an empty one.
func (e *Env) recordAnswer(o *outgoing, id record.ID, question, peer string, l *labels) {
	r := e.recorder
	if r == nil {
		return
	}
	t := r.TypeOf(o.msg, describeType)
	o.recorded = o.recorded || e.switches.Load().records(o.from)
	if !e.traced(o, t) {
		return
	}
	n := record.Note{
		Kind: tracepb.Kind_SENT, ID: id, Cause: o.cause, Env: e.num, Time: e.noteTime(o), Size: uint64(len(o.content)),
		Endpoint: l.from.of(r, o.from), To: l.to.of(r, o.to.Name), Peer: l.peer.of(r, peer), Type: l.typ.of(r, question),
		Name: t.Name, Form: o.form, Recorded: o.recorded,
	}
	r.Note(&n)
	if o.recorded {
		e.addMessage(o, &record.Event{
			Kind: tracepb.Kind_SENT, ID: id, Cause: o.cause, Env: e.num, Time: n.Time,
			Endpoint: o.from, To: o.to.Name, Peer: peer, Type: question, Name: t.Text, Form: o.form,
		})
	}
}

// traced counts what is untraced; true: it goes on to the ring.
func (e *Env) traced(o *outgoing, t *record.Type) bool {
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
func (e *Env) addMessage(o *outgoing, ev *record.Event) {
	if o.content != nil {
		ev.Body, ev.Bytes = e.table.Body(o.content), uint64(len(o.content))
	} else {
		ev.Message = o.msg
	}
	e.recorder.Add(ev)
}

// recordConn is the record of the beginning or the end of a connection.
func (e *Env) recordConn(c *conn, name, why string) {
	e.addRare("", &record.Event{
		Kind: tracepb.Kind_CONN, ID: c.itemID(true, 0),
		Peer: c.peerName, Address: c.peer.String(), Name: name, Why: why,
	})
}

// recordUnreachable is the record of a connection that could not be made.
func (e *Env) recordUnreachable(to Address, err error) {
	e.addRare("", &record.Event{
		Kind: tracepb.Kind_CONN, Name: "refused", Address: to.String(), Why: err.Error(),
	})
}

// change is a change of state as the trace has it.
type change struct{ kind, id, from, to, why string }

// recordState is the record of a change of state that an endpoint reports, or of the end of the process.
func (e *Env) recordState(endpoint string, cause record.ID, s change) {
	e.addRare(endpoint, &record.Event{
		Kind: tracepb.Kind_STATE, Cause: cause,
		Endpoint: endpoint, Name: s.kind, Subject: s.id, From: s.from, To: s.to, Why: s.why,
	})
}

// addRare adds a rare event of an endpoint; of the Env itself if the name is empty.
func (e *Env) addRare(endpoint string, ev *record.Event) {
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
