package rpcenv

import (
	"sync"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/trace/record"
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

// continued is an ask of an endpoint together with its continuation: one allocation for both.
type continued[R Message] struct {
	outgoingAsk
	c    *Context
	then func(R, error)
	msg  Message // the answer; nil when err is set
	err  error   // why no answer came; both are set before the item is posted
}

func ask[R Message](c *Context, to Ref, q Message, then func(R, error), opts []AskOption) {
	in := c.in
	k := &continued[R]{c: c, then: then}
	p := &k.outgoingAsk
	p.init(in.env, k, opts)
	p.asker, p.queued, p.to = in.number, true, to
	keep(&in.owned, &in.owned.pending, p) // before it is sent: it may end at once
	o := outgoing{to: to, msg: q, cause: c.cause(), from: in.name, tag: in.tag, form: tracepb.Form_ASK, pending: p, untraced: in.untraced}
	if err := in.send(&o); err != nil {
		drop(&in.owned, &in.owned.pending, p)
		panic(err) // recovered in handle: the handler fails with err
	}
}

// askEnded posts the end of the ask to the inbox. An answer queues there behind the messages that arrived before it. In Spark it completes
// a future in any thread, and may overtake them (SPARK-13112).
func (k *continued[R]) askEnded(res result) {
	p, in := &k.outgoingAsk, k.c.in
	k.msg, k.err = res.msg, res.err
	it := item{kind: itemReply, id: res.id, cause: p.id, received: nanos(res.received), sender: &p.to, then: k}
	it.untraced, it.recorded = p.untraced, res.recorded
	it.ledger, it.bytes = res.ledger, int32(res.bytes)
	if res.id.IsZero() {
		it.kind, it.id, it.rare = itemFailed, in.env.nextID(), rareFailed
	}
	if res.by != nil {
		res.by.gather(in, &it)
		return
	}
	if !in.post(&it) {
		it.ledger.add(int(it.bytes))
		k.unheard(&it)
	}
}

// unheard records the end of an ask whose endpoint has stopped: nobody handles it.
func (k *continued[R]) unheard(it *item) {
	in, id := k.c.in, it.id
	if it.kind == itemFailed { // there is no answer: its id is the item's own
		id = record.ID{}
	}
	in.env.recordUnheard(in.name, &k.outgoingAsk, result{id: id, err: k.err})
}

func (k *continued[R]) context() *Context { return k.c }

// goOn runs then, when the endpoint handles the item.
func (k *continued[R]) goOn() {
	in := k.c.in
	drop(&in.owned, &in.owned.pending, &k.outgoingAsk)
	k.then(answerAs[R](k.msg, k.err))
}

// AskWait asks and waits for the answer.
func AskWait[Q Asks[R], R Message](b *Blocking, to Ref, q Q, opts ...AskOption) (R, error) {
	return AskWaitAs[R](b, to, q, opts...)
}

// AskWaitAs is AskWait without the compiler's check of the answer's type.
func AskWaitAs[R Message](b *Blocking, to Ref, q Message, opts ...AskOption) (R, error) {
	w := &awaited{b: b}
	w.init(b.env, w, opts)
	err := b.wait(func(wake func()) {
		w.wake = wake
		o := outgoing{to: to, msg: q, cause: b.cause, from: b.from, tag: b.tag, form: tracepb.Form_ASK, pending: &w.outgoingAsk}
		if err := b.env.send(o); err != nil {
			b.env.asks.fail(&w.outgoingAsk, err)
		}
	})
	if err != nil {
		b.env.asks.abandon(&w.outgoingAsk)
		var zero R
		return zero, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return answerAs[R](w.msg, w.err)
}

// awaited is an ask of a body together with the body's wait: one allocation for both.
type awaited struct {
	outgoingAsk
	b    *Blocking
	wake func()

	mu  sync.Mutex // askEnded runs in another goroutine than the body, and may still run when the body's wait has ended
	msg Message
	err error
}

func (w *awaited) askEnded(res result) {
	w.b.recordAnswered(res, &w.outgoingAsk)
	w.mu.Lock()
	w.msg, w.err = res.msg, res.err
	w.mu.Unlock()
	w.wake()
}
