package rpcenv

import (
	"time"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/metrics"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// record is the record of a handled item.
func (in *inbox) record(c *Context, it *item, err error) {
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
		outcome = record.OutcomeDeferred
	}
	n := record.Note{
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
	ev := record.Event{
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
func (e *Env) describeHandled(ev *record.Event, it *item) {
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
	n := record.Note{
		Kind: tracepb.Kind_HANDLED, ID: res.id, Cause: ask.id, Env: e.num, Endpoint: r.Name(b.from), Name: r.Name(record.InBody),
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
	r.Add(&record.Event{
		Kind: tracepb.Kind_HANDLED, ID: res.id, Cause: ask.id, Env: e.num, Time: n.Time,
		Endpoint: b.from, Name: record.InBody, Received: n.Time, Started: n.Time,
	})
}

func (c *Context) begin(it *item) {
	c.item, c.began = it, c.beginning(it)
	c.answered, c.deferred, c.failed = false, false, nil
}

// time notes when a callback begins, if times are measured.
func (in *inbox) time(c *Context) {
	if c.began.IsZero() && in.env.metrics.Timed() {
		c.began = in.env.host.Now()
	}
}

// countHandled counts an item whose callback has ended.
func (in *inbox) countHandled(c *Context, it *item, err error) {
	if it.kind == itemStart || it.kind == itemStop {
		return
	}
	var s *metrics.Series
	if in.kind.serial() { // callbacks that overlap cannot share the last series
		s = in.meter.handled.of(in.meter.counts, it)
	} else {
		s = seriesOf(in.meter.counts, it)
	}
	if in.env.metrics.Timed() && !c.began.IsZero() && !it.received.IsZero() { // else it came before times were measured
		s.Observe(c.began.Sub(it.received), in.env.host.Now().Sub(c.began))
	}
	s.Handled(err != nil)
}
