package rpcenv

import (
	"time"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/metrics"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// handling is what a record says of an item that was handled, beside the item.
type handling struct {
	endpoint string
	tag      record.Name // endpoint, in the ring
	outcome  string
	recorded bool
	began    time.Time
	ended    time.Time // zero unless recorded
}

// handledKind is what the record of a handled item is: HANDLED belongs to a SENT of the same id, other items begin here.
func (it *item) handledKind() tracepb.Kind {
	if it.kind == itemMessage || it.kind == itemReply {
		return tracepb.Kind_HANDLED
	}
	return tracepb.Kind_ITEM
}

// noteHandled records in the ring alone an item that was handled without an error, as most are.
func (e *Env) noteHandled(it *item, endpoint record.Name) {
	r, name := e.recorder, record.Name(0)
	if it.rare != nil {
		name = r.Name(it.rare.name)
	}
	r.NoteItem(it.handledKind(), 0, &it.id, &it.cause, e.num, e.ringTime(), 0, false, endpoint, 0, record.TextsOf(0, 0, 0, name))
}

// recordHandled records a handled item.
func (e *Env) recordHandled(it *item, h handling) {
	r, kind := e.recorder, it.handledKind()
	n := record.Note{
		Kind: kind, ID: it.id, Cause: it.cause, Env: e.num, Endpoint: h.tag, Name: r.Name(it.name()), Outcome: r.Name(h.outcome),
		Recorded: h.recorded,
	}
	address := ""
	if it.happened() {
		address = it.rare.addr.String()
		n.Address = r.Name(address)
	}
	if !h.recorded { // the ring alone: no clock is read and no Event made
		n.Time = e.ringTime()
		r.Note(&n)
		return
	}
	x := record.Exact{Received: it.received, Started: nanos(h.began)}
	if x.Received == 0 {
		x.Received = x.Started
	}
	n.Time = nanos(h.ended)
	if x.Started != 0 {
		n.Size = uint64(max(n.Time-x.Started, 0)) / uint64(time.Microsecond)
	}
	// Of an endpoint that was switched on alone the sender may not be recorded: say what its record would.
	alone := kind == tracepb.Kind_HANDLED && !it.recorded && it.msg != nil && !e.switches.Load().all
	n.Whole = !alone && record.Whole(n.Endpoint, h.endpoint) && record.Whole(n.Outcome, h.outcome) && record.Whole(n.Address, address) &&
		record.Whole(n.Name, it.name())
	if r.Record(&n, &x) {
		return
	}
	ev := record.Event{
		Kind: kind, ID: it.id, Cause: it.cause, Env: e.num, Time: n.Time,
		Endpoint: h.endpoint, Name: it.name(), Started: x.Started, Received: x.Received, Outcome: h.outcome, Address: address,
	}
	if alone {
		ev.Type, ev.Message = TypeName(it.msg), it.msg
		if it.call != nil {
			ev.Form = tracepb.Form_ASK
		}
	}
	r.Add(&ev)
}

// recordAnswered is the record of an answer that a body waited for.
func (b *Blocking) recordAnswered(res result, ask *outgoingAsk) {
	e, r := b.env, b.env.recorder
	switch {
	case r == nil || res.id.IsZero():
		return
	case ask.untraced:
		r.CountUntraced()
		return
	}
	if !res.recorded && !e.switches.Load().records(b.from) {
		r.NoteItem(tracepb.Kind_HANDLED, 0, &res.id, &ask.id, e.num, e.ringTime(), 0, false, b.tag, 0, record.TextsOf(0, 0, 0, e.inBody))
		return
	}
	at := nanos(res.received)
	if at == 0 { // recording was switched on meanwhile
		at = nanos(e.host.Now())
	}
	n := record.Note{
		Kind: tracepb.Kind_HANDLED, ID: res.id, Cause: ask.id, Env: e.num, Time: at, Endpoint: b.tag, Name: e.inBody,
		Recorded: true, Whole: record.Whole(b.tag, b.from) && record.Whole(e.inBody, record.InBody),
	}
	if !r.Record(&n, &record.Exact{Received: at, Started: at}) {
		r.Add(&record.Event{
			Kind: tracepb.Kind_HANDLED, ID: res.id, Cause: ask.id, Env: e.num, Time: at, Endpoint: b.from, Name: record.InBody,
			Started: at, Received: at,
		})
	}
}

func (c *Context) begin(it *item) {
	c.item, c.began = it, c.beginning(it)
	c.answered, c.deferred, c.failed = false, false, nil
	if c.began.IsZero() && c.in.env.metrics.Timed() {
		c.began = c.in.env.host.Now()
	}
}

// beginning is when the handling of an item begins, for the trace; zero when it is not recorded, unless its World says when.
// Within a turn it is when that of the last one ended.
func (c *Context) beginning(it *item) time.Time {
	e, began := c.in.env, it.began()
	switch {
	case !began.IsZero():
		return began
	case !it.recorded && !e.switches.Load().records(c.in.name):
		return time.Time{}
	case c.ended.IsZero():
		return e.host.Now()
	case it.received > nanos(c.ended): // the turn was idle in between
		return time.Unix(0, it.received)
	}
	return c.ended
}

// finish records and counts an item whose callback has ended.
func (c *Context) finish(it *item, err error) {
	in, e := c.in, c.in.env
	switch {
	case e.recorder == nil:
	case it.untraced || in.untraced:
		e.recorder.CountUntraced()
	default:
		c.record(it, err)
	}
	c.count(it, err)
}

// record records an item whose callback has ended.
func (c *Context) record(it *item, err error) {
	in, e := c.in, c.in.env
	recorded, deferred := it.recorded || e.switches.Load().records(in.name), c.deferred && !c.answered
	if !recorded && err == nil && !deferred && !it.happened() {
		e.noteHandled(it, in.tag)
		return
	}
	h := handling{endpoint: in.name, tag: in.tag, recorded: recorded, began: c.began}
	switch {
	case err != nil:
		h.outcome = err.Error()
	case deferred:
		h.outcome = record.OutcomeDeferred
	}
	if h.recorded {
		h.ended = c.end()
	}
	e.recordHandled(it, h)
}

// end is when the handling of the item ends.
func (c *Context) end() time.Time {
	now := c.in.env.host.Now()
	if c.in.kind.serial() { // elsewhere the item before may still be in its callback
		c.ended = now
	}
	return now
}

// count counts an item whose callback has ended.
func (c *Context) count(it *item, err error) {
	in := c.in
	if it.kind == itemStart || it.kind == itemStop {
		return
	}
	var s *metrics.Series
	if in.kind.serial() { // callbacks that overlap cannot share the last series
		s = in.meter.handled.of(in.meter.counts, it)
	} else {
		s = seriesOf(in.meter.counts, it)
	}
	if in.env.metrics.Timed() && !c.began.IsZero() && it.received != 0 { // else it came before times were measured
		s.Observe(time.Duration(nanos(c.began)-it.received), in.env.host.Now().Sub(c.began))
	}
	s.Handled(err != nil)
}
