package rpcenv

import (
	"container/heap"
	"fmt"
	"slices"
	"sync"
	"time"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/trace"
)

// AskOption changes one ask.
type AskOption func(*pending)

// Timeout sets the time an ask may take, and the setting that its failure names as the one that controls it.
func Timeout(key string, d time.Duration) AskOption {
	return func(p *pending) { p.key, p.limit = key, d }
}

// AbortHandle ends an ask early; get one with the option Abort.
type AbortHandle struct {
	p *pending
}

// Abort fills h, by which the ask can be ended early.
func Abort(h *AbortHandle) AskOption { return func(p *pending) { h.p = p } }

// Abort ends the ask with cause; after its end it does nothing.
func (h AbortHandle) Abort(cause error) {
	if h.p != nil {
		h.p.env.asks.fail(h.p, cause)
	}
}

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
	p := in.env.newPending(opts)
	// An answer takes its place in the inbox among messages, in the order of arrival. In Spark it completes a future in any thread,
	// and may overtake them (SPARK-13112).
	p.deliver = func(res result) {
		it := item{kind: itemReply, id: res.id, cause: p.id, received: res.received, sender: to.Address, conn: to.conn, ctx: c}
		it.untraced, it.recorded = p.untraced, res.recorded
		if res.id.IsZero() {
			it.kind, it.id, it.name = itemFailed, in.env.nextID(), "ask failed"
		}
		it.fn = func() {
			drop(&in.owned, &in.owned.pending, p)
			then(answerAs[R](res))
		}
		if !in.post(it) { // the endpoint has stopped: nobody handles the answer
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

// answerAs gives a result its type.
func answerAs[R Message](res result) (R, error) {
	var zero R
	if res.err != nil {
		return zero, res.err
	}
	r, ok := res.msg.(R)
	if !ok {
		return zero, fmt.Errorf("%w: the answer is a %s, want %T", ErrRefusedUndecodable, TypeName(res.msg), zero)
	}
	return r, nil
}

// result is the end of an ask. id is the item of the answer, zero without an answer.
type result struct {
	msg      Message
	err      error
	id       trace.ID
	received time.Time
	recorded bool // as the ask was
}

// pending is an ask at its asker.
type pending struct {
	env     *Env
	id      trace.ID // the ask's item; until it was sent, the item that asks
	typ     string
	key     string
	limit   time.Duration
	to      Ref
	deliver func(result)
	// untraced asks are counted, not recorded, nor are their answers.
	untraced bool

	// Guarded by asks.mu, until ended is set: then nobody changes them.
	conn     *conn // that it was sent on
	request  int64
	deadline time.Time
	index    int // in the heap, -1 when not there
	ended    bool
}

// asks are an Env's pending asks: one timer, armed for the earliest deadline.
type asks struct {
	env  *Env
	mu   sync.Mutex // see the lock order in outbox.go
	heap pendingHeap
	stop func()    // of the timer; nil: none is set
	at   time.Time // when it fires
}

func (e *Env) newPending(opts []AskOption) *pending {
	p := &pending{env: e, index: -1, key: conf.RPCAskTimeout.Source(e.cfg.Conf), limit: conf.RPCAskTimeout.Get(e.cfg.Conf)}
	for _, o := range opts {
		o(p)
	}
	return p
}

// add starts the ask's clock, once.
func (a *asks) add(p *pending) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.addLocked(p)
}

// bind is add for an ask that goes out on a connection as the item id. False: it has ended meanwhile, and nobody waits for it. The
// connection's mu is held.
func (a *asks) bind(p *pending, c *conn, request int64, id trace.ID) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if p.ended {
		return false
	}
	p.conn, p.request, p.id = c, request, id
	a.addLocked(p)
	return true
}

func (a *asks) addLocked(p *pending) {
	if p.ended || !p.deadline.IsZero() {
		return
	}
	p.deadline = a.env.host.Now().Add(p.limit)
	heap.Push(&a.heap, p)
	a.armLocked()
}

// take ends p; false if it had ended before.
func (a *asks) take(p *pending) bool {
	a.mu.Lock()
	if p.ended {
		a.mu.Unlock()
		return false
	}
	p.ended = true // whatever else ends p comes too late: an ask ends exactly once
	if p.index >= 0 {
		heap.Remove(&a.heap, p.index)
	}
	a.mu.Unlock()
	p.forget()
	return true
}

// forget takes an ask that has ended out of its connection's table: a callee that never answers costs nothing. asks.mu is not held,
// since a connection's mu comes before it. A send that has just bound the ask holds that mu until its entry is there to be removed.
func (p *pending) forget() {
	if p.conn != nil {
		p.conn.mu.Lock()
		delete(p.conn.waiting, p.request)
		p.conn.mu.Unlock()
	}
}

// finish ends p with its answer.
func (a *asks) finish(p *pending, res result) bool {
	if !a.take(p) {
		return false
	}
	p.deliver(res)
	return true
}

// fail ends p without an answer.
func (a *asks) fail(p *pending, err error) { a.finish(p, result{err: err}) }

// abandon ends p and notifies nobody.
func (a *asks) abandon(p *pending) { a.take(p) }

// armLocked sets the one timer to the earliest deadline, if it is not set to an earlier time already.
func (a *asks) armLocked() {
	if len(a.heap) == 0 {
		return
	}
	// The end of an ask leaves the timer as it is: one that comes too early finds nothing late, and arms the next.
	first := a.heap[0].deadline
	if a.stop != nil && !first.Before(a.at) {
		return
	}
	if a.stop != nil {
		a.stop()
	}
	a.at = first
	a.stop = a.env.host.After(first.Sub(a.env.host.Now()), a.expire)
}

// expire fails the asks whose time is over.
func (a *asks) expire() {
	now := a.env.host.Now()
	var late []*pending
	a.mu.Lock()
	a.stop = nil
	for len(a.heap) > 0 && !a.heap[0].deadline.After(now) {
		p := heap.Pop(&a.heap).(*pending)
		p.ended = true
		late = append(late, p)
	}
	a.armLocked()
	a.mu.Unlock()
	// Without the lock: deliver may ask again.
	for _, p := range late {
		p.forget()
		p.deliver(result{err: p.timedOut()})
	}
}

// timedOut is the error of an ask whose time is over, in the words of Spark's RpcTimeout.
func (p *pending) timedOut() error {
	return fmt.Errorf("%w: %s to %s: Cannot receive any reply from %s in %s. This timeout is controlled by %s",
		ErrUnreachableTimeout, p.typ, p.to.Name, p.to.Address, scalaDuration(p.limit), p.key)
}

// scalaDuration writes d as Scala does, in seconds or, if it is not whole seconds, in milliseconds.
func scalaDuration(d time.Duration) string {
	unit, n := "second", int64(d/time.Second)
	if d%time.Second != 0 {
		unit, n = "millisecond", d.Milliseconds()
	}
	if n != 1 {
		unit += "s"
	}
	return fmt.Sprint(n, " ", unit)
}

// close ends the clock: pending asks fail.
func (a *asks) close() {
	a.mu.Lock()
	if a.stop != nil {
		a.stop()
		a.stop = nil
	}
	open := slices.Clone(a.heap)
	a.mu.Unlock()
	for _, p := range open {
		a.fail(p, ErrStopped)
	}
}

// discard stops the clock: the Env crashed. Its asks end without a word, as those of a killed process.
func (a *asks) discard() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stop != nil {
		a.stop()
	}
	for _, p := range a.heap {
		p.ended, p.index = true, -1
	}
	a.stop, a.heap = nil, nil
}

type pendingHeap []*pending

func (h pendingHeap) Len() int           { return len(h) }
func (h pendingHeap) Less(i, j int) bool { return h[i].deadline.Before(h[j].deadline) }
func (h pendingHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *pendingHeap) Push(x any) {
	p := x.(*pending)
	p.index = len(*h)
	*h = append(*h, p)
}

func (h *pendingHeap) Pop() any {
	old := *h
	p := old[len(old)-1]
	old[len(old)-1] = nil
	p.index = -1
	*h = old[:len(old)-1]
	return p
}
