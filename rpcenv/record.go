package rpcenv

import (
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/codec"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// Records for the trace are made in three ways: recordSent for what goes out, recordHandled for an item, recordRare for the rest.

// way is where messages go, as records name it. For each text it keeps the number in the ring that the last message used.
type way struct {
	peer, address string // the other Env's name, and where it listens; within an Env no address
	names         struct{ peer, address, to, from, typ label }
}

type label struct {
	text string
	name record.Name
	part bool // name stands for a part of text only: see record.Whole
}

// of is the number of a text. Messages in a row mostly have the same texts, and to compare a string with itself costs nothing.
func (l *label) of(r *record.Recorder, text string) record.Name {
	if l.text != text {
		l.text, l.name = text, r.Name(text)
		l.part = !record.Whole(l.name, text)
	}
	return l.name
}

// from is the number of the sender's name.
func (w *way) from(r *record.Recorder, o *outgoing) record.Name {
	if o.tag != 0 {
		return o.tag
	}
	return w.names.from.of(r, o.from)
}

// whole reports whether the numbers of the last message stand for all of its texts, beside that of its type.
func (w *way) whole(o *outgoing) bool {
	n := &w.names
	return !n.peer.part && !n.address.part && !n.to.part && !n.typ.part && (o.tag == 0 && !n.from.part || record.Whole(o.tag, o.from))
}

// recordSent is the record of a message, an ask or an answer that is sent. An answer has the type of its question, and its own as name.
// Of a connection's way the lock is held. o is recorded if it was before, because of its receiver, or if its sender is.
func (e *Env) recordSent(o *outgoing, id record.ID, question string, w *way) {
	r := e.recorder
	if r == nil {
		return
	}
	t := r.TypeOf(o.msg, describeType)
	o.recorded = o.recorded || e.switches.Load().records(o.from)
	if o.untraced = o.untraced || t.Untraced; o.untraced {
		r.CountUntraced()
		return
	}
	at, size := e.noteTime(o), uint64(len(o.content))
	from, to, peer := w.from(r, o), w.names.to.of(r, o.to.Name), w.names.peer.of(r, w.peer)
	typ, own, address := t.Name, record.Name(0), record.Name(0)
	answer := o.isAnswer()
	if answer {
		typ, own = w.names.typ.of(r, question), t.Name
	} else {
		address = w.names.address.of(r, w.address)
	}
	if !o.recorded {
		r.NoteItem(tracepb.Kind_SENT, o.form, &id, &o.cause, e.num, at, size, false, from, to, record.TextsOf(typ, peer, address, own))
		return
	}
	n := record.Note{
		Kind: tracepb.Kind_SENT, ID: id, Cause: o.cause, Env: e.num, Time: at, Size: size, Endpoint: from, To: to,
		Peer: peer, Address: address, Type: typ, Name: own, Form: o.form, Recorded: true,
	}
	n.Whole = t.Whole && w.whole(o)
	x := record.Exact{Body: e.table.Body(o.content)}
	if o.content == nil {
		x.Message = o.msg
	}
	if !r.Record(&n, &x) {
		place := w.address
		if answer {
			place = ""
		}
		e.addSent(o, id, at, t.Text, question, w.peer, place)
	}
}

// localNames are the ring's numbers of the texts of a message within the Env; 0: not looked up yet.
type localNames struct{ to, question record.Name }

// recordLocal is recordSent for what stays in the Env. It returns the number of the message's own type.
func (e *Env) recordLocal(o *outgoing, id record.ID, question string, names localNames) record.Name {
	r := e.recorder
	if r == nil {
		return 0
	}
	t := r.TypeOf(o.msg, describeType)
	o.recorded = o.recorded || e.switches.Load().records(o.from)
	if o.untraced = o.untraced || t.Untraced; o.untraced {
		r.CountUntraced()
		return t.Name
	}
	if o.tag == 0 {
		o.tag = r.Name(o.from)
	}
	if names.to == 0 {
		names.to = r.Name(o.to.Name)
	}
	typ, own := t.Name, record.Name(0)
	if o.isAnswer() {
		if typ, own = names.question, t.Name; typ == 0 {
			typ = r.Name(question)
		}
	}
	at := e.noteTime(o)
	if !o.recorded {
		r.NoteItem(tracepb.Kind_SENT, o.form, &id, &o.cause, e.num, at, 0, false, o.tag, names.to, record.TextsOf(typ, e.tag, 0, own))
		return t.Name
	}
	n := record.Note{
		Kind: tracepb.Kind_SENT, ID: id, Cause: o.cause, Env: e.num, Time: at, Endpoint: o.tag, To: names.to, Peer: e.tag,
		Type: typ, Name: own, Form: o.form, Recorded: true,
	}
	n.Whole = t.Whole && record.Whole(o.tag, o.from) && record.Whole(names.to, o.to.Name) && record.Whole(e.tag, e.cfg.Name) &&
		(own == 0 || record.Whole(typ, question))
	if !r.Record(&n, &record.Exact{Message: o.msg}) {
		e.addSent(o, id, at, t.Text, question, e.cfg.Name, "")
	}
	return t.Name
}

// addSent records what was sent and has texts or numbers that are too large for Record.
func (e *Env) addSent(o *outgoing, id record.ID, at int64, typ, question, peer, address string) {
	ev := record.Event{
		Kind: tracepb.Kind_SENT, ID: id, Cause: o.cause, Env: e.num, Time: at,
		Endpoint: o.from, To: o.to.Name, Peer: peer, Address: address, Type: typ, Form: o.form,
	}
	if o.isAnswer() {
		ev.Type, ev.Name = question, typ
	}
	if o.content != nil { // as it was encoded for the wire
		ev.Body, ev.Bytes = e.table.Body(o.content), uint64(len(o.content))
	} else {
		ev.Message = o.msg
	}
	e.recorder.Add(&ev)
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

// recordEnv is the record of the Env's beginning.
func (e *Env) recordEnv() {
	if e.recorder == nil {
		return
	}
	ev := record.Event{Kind: tracepb.Kind_ENV, Env: e.num, Time: nanos(e.host.Now()), Peer: e.cfg.Name, Address: e.addr.String()}
	e.recorder.NoteEvent(&ev, true)
	e.recorder.Add(&ev) // even if nothing else is recorded: the file says whose it is
}

// recordConn is the record of the beginning or the end of a connection, or that it could not be made.
func (e *Env) recordConn(id record.ID, peer string, at Address, name, why string) {
	e.recordRare("", &record.Event{Kind: tracepb.Kind_CONN, ID: id, Peer: peer, Address: at.String(), Name: name, Why: why})
}

// change is a change of state as the trace has it.
type change struct{ kind, id, from, to, why string }

// recordState is the record of a change of state that an endpoint reports, or of the end of the process.
func (e *Env) recordState(endpoint string, cause record.ID, s change) {
	e.recordRare(endpoint, &record.Event{
		Kind: tracepb.Kind_STATE, Cause: cause,
		Endpoint: endpoint, Name: s.kind, Subject: s.id, From: s.from, To: s.to, Why: s.why,
	})
}

// recordRare is the record of a rare event of an endpoint; of the Env itself if the name is empty.
func (e *Env) recordRare(endpoint string, ev *record.Event) {
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

// beginRecording sets the switches as the settings say.
func (e *Env) beginRecording() {
	e.switches.Store(&switches{all: e.recorder.CanRecord() && TraceEnabled.Get(e.cfg.Conf)})
}

// traceTime is the time that records of a message have; zero while nothing is recorded: the ring has a cheaper clock.
func (e *Env) traceTime() time.Time {
	if s := e.switches.Load(); !s.all && len(s.only) == 0 {
		return time.Time{}
	}
	return e.host.Now()
}

// ringTime is the time of a record for the ring alone.
func (e *Env) ringTime() int64 {
	if now, ok := e.recorder.Now(); ok {
		return now
	}
	return e.host.Now().UnixNano()
}

// untraced reports whether messages of m's type are counted and not recorded.
func (e *Env) untraced(m Message) bool {
	return e.recorder != nil && e.recorder.TypeOf(m, describeType).Untraced
}

// describeType describes a type of messages to the trace, which calls it once for each type.
func describeType(m any) (name string, untraced, dynamic bool) {
	name = TypeName(m)
	p, ok := m.(proto.Message)
	if !ok {
		_, untraced = m.(interface{ untracedMessage() })
		return name, untraced, false
	}
	t, _ := codec.Load() // no error: there is an Env
	untraced = t.Protocol(protoreflect.FullName(name)).GetUntraced()
	_, dynamic = p.(*dynamicpb.Message)
	return name, untraced, dynamic
}
