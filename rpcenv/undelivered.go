package rpcenv

import (
	"errors"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/metrics"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// dropped is the trace's event of a message that was not delivered.
func (e *Env) dropped(o *outgoing, typ string, why error) {
	e.metrics.Drop(dropReason(o.form, why))
	e.log.Debugf("dropped %s to %s: %s", typ, o.to, why)
	if o.untraced {
		return
	}
	e.recordRare(o.from, &record.Event{
		Kind: tracepb.Kind_DROP, Cause: o.cause,
		Endpoint: o.from, To: o.to.Name, Address: o.to.Address.String(), Type: typ, Form: o.form, Why: why.Error(),
	})
}

// undelivered ends an ask, and makes an event of anything else.
func (e *Env) undelivered(o outgoing, err error) {
	if o.pending != nil {
		e.asks.fail(o.pending, err)
		return
	}
	e.dropped(&o, TypeName(o.msg), err)
}

// recordRefused is the record of a message that came and that no endpoint handled.
func (e *Env) recordRefused(endpoint string, id record.ID, why error) {
	e.metrics.Drop(dropReason(tracepb.Form_SEND, why))
	e.recordRare(endpoint, &record.Event{Kind: tracepb.Kind_HANDLED, ID: id, Endpoint: endpoint, Outcome: why.Error()})
}

// recordUnheard is the record of the end of an ask whose endpoint has been stopped meanwhile.
func (e *Env) recordUnheard(endpoint string, p *outgoingAsk, res result) {
	switch {
	case p.untraced:
	case res.id.IsZero():
		e.dropped(&outgoing{from: endpoint, to: p.to, cause: p.id, form: tracepb.Form_ASK}, p.typ, res.err)
	default:
		e.recordRefused("", res.id, errAskerStopped)
	}
}

// dropReasons are the families of what is not delivered. An error may be of several: the first one counts, which is the
// last that happened.
var dropReasons = []struct {
	err    error
	reason metrics.Reason
}{
	{ErrUnreachableDisconnected, metrics.ReasonDisconnected},
	{ErrUnreachableOverloaded, metrics.ReasonOverloaded},
	{ErrRefusedNotFound, metrics.ReasonNotFound},
	{ErrRefusedUndecodable, metrics.ReasonUndecodable},
	{ErrRefusedStopped, metrics.ReasonStopped},
	{ErrStopped, metrics.ReasonStopped},
	{errLateAnswer, metrics.ReasonAnswer},
	{errAskerStopped, metrics.ReasonAnswer},
}

// dropReason is the family of a drop.
func dropReason(form tracepb.Form, why error) metrics.Reason {
	if form == tracepb.Form_REPLY || form == tracepb.Form_FAIL {
		return metrics.ReasonAnswer
	}
	for _, d := range dropReasons {
		if errors.Is(why, d.err) {
			return d.reason
		}
	}
	return metrics.ReasonOther
}
