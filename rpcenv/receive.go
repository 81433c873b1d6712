package rpcenv

import (
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/rpc"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// receive takes an envelope after the handshake.
func (c *conn) receive(env *Envelope) {
	if c.control(env) {
		return
	}
	// Counted before it is decoded: the sender has counted it too, whatever is in it.
	c.env.metrics.Received(len(env.Content))
	id, now := c.itemID(false, c.ordinal(env)), c.came()
	switch env.Kind {
	case KindRequest, KindOneWay:
		c.receiveMessage(env, id, now)
	case KindResponse, KindFailure:
		c.receiveAnswer(env, id, now)
	}
}

// ordinal is the ordinal of a message that came in: that of its Note, since a Host with Notes may lose or double messages, else the next
// one. c.receiving is held.
func (c *conn) ordinal(env *Envelope) uint64 {
	if env.Note != nil {
		return env.Note.ID.N
	}
	c.in++
	return c.in
}

// message is the message in an Envelope.
func (e *Env) message(env *Envelope) (proto.Message, error) {
	if env.Note != nil && env.Note.Message != nil {
		return env.Note.Message.(proto.Message), nil
	}
	return e.table.Decode(env.Content)
}

// receiveMessage gives a message to its inbox.
func (c *conn) receiveMessage(env *Envelope, id record.ID, now time.Time) {
	in, l := c.receiver(env.Endpoint)
	n := cost(len(env.Content))
	if !record.IsCopy(id.N) && !c.takes(l, n) {
		return
	}
	ask := env.Kind == KindRequest
	m, err := c.env.message(env)
	switch {
	case err != nil:
		err = fmt.Errorf("%w: to %s: %w", ErrRefusedUndecodable, env.Endpoint, err)
	case in == nil:
		err = c.env.endpoints.missing(env.Endpoint)
	default:
		it := item{kind: itemMessage, id: id, msg: m, sender: &c.sender, received: nanos(now), untraced: in.untraced || c.env.untraced(m)}
		if ask {
			it.call = c.newIncomingAsk(id, env, m, it.untraced)
			it.call.tags.to = in.tag
		}
		it.ledger, it.bytes = l, int32(n)
		c.gather(in, &it)
		return
	}
	l.add(n)
	if ask {
		c.refuse(id, env.RequestID, env.Endpoint, m != nil && c.env.untraced(m), err) // traced as the question is
		return
	}
	c.env.log.Warnf("Drop a message from %s: %v", c.peer, err)
	c.env.recordRefused(env.Endpoint, id, err)
}

func (c *conn) newIncomingAsk(id record.ID, env *Envelope, q proto.Message, untraced bool) *incomingAsk {
	return &incomingAsk{
		env: c.env, id: id, typ: TypeName(q), sender: c.peer, by: c, request: env.RequestID, to: env.Endpoint, untraced: untraced,
	}
}

// endAsk brings the end of an ask to its asker, the peer.
func (c *conn) endAsk(k *incomingAsk, m Message, err error) {
	o := outgoing{to: Ref{Address: c.peer}, from: k.to, tag: k.tags.to, cause: k.id, msg: m, form: tracepb.Form_REPLY, untraced: k.untraced}
	o.request, o.question = k.request, k.typ
	c.respond(k, o, err)
}

// receiveAnswer ends an ask. A late answer is dropped.
func (c *conn) receiveAnswer(env *Envelope, id record.ID, now time.Time) {
	res := result{id: id, received: now}
	if env.Kind == KindResponse {
		res.ledger, res.bytes = c.ledgerOf(answersTo(env.RequestID)), cost(len(env.Content))
		if !record.IsCopy(id.N) && !c.takes(res.ledger, res.bytes) {
			return
		}
	}
	if env.Kind == KindFailure {
		res.err = parseDispatchFailure(env.Error)
	} else if m, err := c.env.message(env); err != nil {
		res.err = fmt.Errorf("%w: the answer of %s: %w", ErrRefusedUndecodable, c.peer, err)
	} else if f, ok := m.(*rpc.Failure); ok {
		res.err = errorOf(f)
	} else {
		res.msg = m
	}
	p := c.env.asks.takeOf(c.waiting, env.RequestID)
	switch {
	case p == nil:
		res.ledger.add(res.bytes)
		c.env.log.Debugf("Ignored an answer of %s: its ask had ended", c.peer)
		c.env.recordRefused("", id, errLateAnswer)
	case p.queued: // an endpoint handles it later
		res.by = c
		p.deliver(res)
	default:
		res.ledger.add(res.bytes)
		c.settle() // first: the body that waits for the answer may send at once, and what came before the answer is to arrive before that
		p.deliver(res)
	}
}
