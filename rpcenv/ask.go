package rpcenv

import (
	"sync"

	tracepb "github.com/coherer/coherer/messages/trace"
)

// Ask asks and goes on: then is called later in this inbox, exactly once, with the answer or with the reason why none came, unless
// the endpoint stops before. It may take spark.rpc.askTimeout.
func Ask[Q Asks[R], R Message](c *Context, to Ref, q Q, then func(R, error), opts ...AskOption) {
	ask(c, to, q, then, opts)
}

// AskAs is Ask without the compiler's check of the answer's type, for messages whose ReplyType nobody generated.
func AskAs[R Message](c *Context, to Ref, q Message, then func(R, error), opts ...AskOption) {
	ask(c, to, q, then, opts)
}

func ask[R Message](c *Context, to Ref, q Message, then func(R, error), opts []AskOption) {
	in := c.in
	p := in.env.newOutgoingAsk(opts)
	p.asker, p.queued = in.number, true
	// An answer takes its place in the inbox among messages, in the order of arrival. In Spark it completes a future in any thread,
	// and may overtake them (SPARK-13112).
	p.deliver = func(res result) {
		it := item{kind: itemReply, id: res.id, cause: p.id, received: res.received, sender: to.Address, conn: to.conn, ctx: c}
		it.untraced, it.recorded = p.untraced, res.recorded
		it.ledger, it.bytes = res.ledger, int32(res.bytes)
		if res.id.IsZero() {
			it.kind, it.id, it.name = itemFailed, in.env.nextID(), "ask failed"
		}
		it.fn = func() {
			drop(&in.owned, &in.owned.pending, p)
			then(answerAs[R](res))
		}
		if !in.post(it) { // the endpoint has stopped: nobody handles the answer
			res.ledger.add(res.bytes)
			in.env.recordUnheard(in.name, p, res)
		}
	}
	keep(&in.owned, &in.owned.pending, p) // before it is sent: it may end at once
	o := outgoing{to: to, msg: q, cause: c.cause(), from: in.name, form: tracepb.Form_ASK, pending: p, untraced: in.untraced}
	if err := in.send(o); err != nil {
		drop(&in.owned, &in.owned.pending, p)
		panic(err) // recovered in handle: the handler fails with err
	}
}

// AskWait asks and waits for the answer.
func AskWait[Q Asks[R], R Message](b *Blocking, to Ref, q Q, opts ...AskOption) (R, error) {
	return AskWaitAs[R](b, to, q, opts...)
}

// AskWaitAs is AskWait without the compiler's check of the answer's type.
func AskWaitAs[R Message](b *Blocking, to Ref, q Message, opts ...AskOption) (R, error) {
	var zero R
	p := b.env.newOutgoingAsk(opts)
	var mu sync.Mutex
	var res result
	err := b.wait(func(wake func()) {
		// deliver runs in another goroutine than the body, and may still run when the body's wait has ended: hence mu.
		p.deliver = func(r result) {
			b.recordAnswered(r, p)
			mu.Lock()
			res = r
			mu.Unlock()
			wake()
		}
		o := outgoing{to: to, msg: q, cause: b.cause, from: b.from, form: tracepb.Form_ASK, pending: p}
		if err := b.env.send(o); err != nil {
			b.env.asks.fail(p, err)
		}
	})
	if err != nil {
		b.env.asks.abandon(p)
		return zero, err
	}
	mu.Lock()
	defer mu.Unlock()
	return answerAs[R](res)
}
