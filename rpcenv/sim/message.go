package sim

import (
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/codec"
	"github.com/coherer/coherer/rpcenv/fault"
	"github.com/coherer/coherer/rpcenv/trace"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// message is a message on its way from one Host to another, as rules see it.
type message struct {
	*rpcenv.Note
	from, to *Host
}

// fits reports whether a pattern means the message; FROM and TO may be names of its Hosts instead of its Envs.
func (m *message) fits(p trace.Filter) bool {
	what := trace.ShortName(m.Type)
	for _, from := range []string{m.From, m.from.name} {
		for _, to := range []string{m.To, m.to.name} {
			if p.MatchNames(from+"/"+m.Sender, to+"/"+m.Receiver, what) {
				return true
			}
		}
	}
	return false
}

// Send puts a copy of e on the way to the peer, unless a fault has it otherwise.
func (l *link) Send(e *rpcenv.Envelope) {
	if l.closed || l.to.dead {
		return
	}
	c := *e
	c.Content = slices.Clone(e.Content)
	// A handshake has no Note, and so no rule can mean it.
	if len(l.world.faults.rules) == 0 || e.Note == nil {
		l.peer.enqueue(parcel{e: &c})
		return
	}
	l.sendFaulty(&c)
}

func (l *link) sendFaulty(e *rpcenv.Envelope) {
	w := l.world
	m := &message{Note: e.Note, from: l.to, to: l.from}
	var late, held time.Duration
	var copies []*rpcenv.Envelope
	for _, r := range w.faults.acting(m, w.now) {
		switch r.Verb {
		case fault.Drop:
			w.recordLost(m, r.Fault)
			if e.Note.Lost != nil {
				w.later(l.to, 0, e.Note.Lost)
			}
			return
		case fault.Duplicate:
			w.recordDone(m, r.Fault, "duplicated")
			copies = append(copies, w.double(e, len(copies)+1))
		case fault.Delay:
			w.recordDone(m, r.Fault, "delayed")
			late += r.By
		case fault.Reorder:
			w.recordDone(m, r.Fault, "reordered")
			if held += r.By; r.By == 0 {
				held += fault.DefaultReorder
			}
		}
	}
	// Only after the loop: what the rules do to a message adds up, and holds for its copies too.
	for _, c := range append([]*rpcenv.Envelope{e}, copies...) {
		l.sendLate(c, late, held)
	}
}

// sendLate sends what arrives later, after it was held back, while others may overtake it.
func (l *link) sendLate(e *rpcenv.Envelope, late, held time.Duration) {
	w := l.world
	if held == 0 {
		l.peer.enqueue(parcel{e: e, late: late})
		return
	}
	// Outside of the link's queue, or it would hold up what follows. So it must be counted here, for Settle to wait for it.
	w.work++
	w.later(nil, held, func() {
		w.work--
		if !l.closed && !l.to.dead {
			l.peer.enqueue(parcel{e: e, late: late})
		}
	})
}

// double makes a copy, which the trace knows as a message of its own.
func (w *World) double(e *rpcenv.Envelope, k int) *rpcenv.Envelope {
	c, n := *e, *e.Note
	n.ID.N = record.CopyOf(n.ID.N, k)
	c.Note, c.Content = &n, slices.Clone(e.Content)
	ev := record.Event{
		Kind: tracepb.Kind_SENT, ID: n.ID, Cause: n.Cause, Env: n.Env, Endpoint: n.Sender, To: n.Receiver, Peer: n.To,
		Address: n.Address, Type: n.Type, Name: n.Own, Form: n.Form,
	}
	if b, err := content(e); err == nil {
		ev.Body, ev.Bytes = b, uint64(len(e.Content))
	}
	w.record(&ev)
	return &c
}

// content is the encoding of the message in an Envelope.
func content(e *rpcenv.Envelope) ([]byte, error) {
	if p, ok := e.Note.Message.(proto.Message); ok {
		return proto.MarshalOptions{Deterministic: true}.Marshal(p)
	}
	table, err := codec.Load()
	if err != nil {
		return nil, err
	}
	return table.Body(e.Content), nil
}

// recordLost records a message that a fault lost: caused by the message itself.
func (w *World) recordLost(m *message, f fault.Fault) {
	w.faults.n++
	w.record(&record.Event{
		Kind: tracepb.Kind_DROP, ID: record.ID{Env: record.WorldEnv, N: w.faults.n}, Cause: m.ID, Env: m.Env, Endpoint: m.Sender,
		To: m.Receiver, Peer: m.To, Address: m.Address, Type: m.Type, Form: m.Form, Why: "lost by fault: " + f.String(),
	})
}

// recordDone records anything else that a fault did to a message.
func (w *World) recordDone(m *message, f fault.Fault, what string) {
	w.record(&record.Event{
		Kind: tracepb.Kind_STATE, Cause: m.ID, Env: record.WorldEnv, Name: "fault", Subject: m.Type, To: what, Why: f.String(),
	})
}
