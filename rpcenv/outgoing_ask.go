package rpcenv

import (
	"cmp"
	"container/heap"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/coherer/coherer/rpcenv/trace/record"
)

// AskOption changes one ask.
type AskOption func(*outgoingAsk)

// Timeout sets the time an ask may take, and the setting that its failure names as the one that controls it.
func Timeout(key string, d time.Duration) AskOption {
	return func(p *outgoingAsk) { p.key, p.limit = key, d }
}

// AbortHandle ends an ask early; get one with the option Abort.
type AbortHandle struct {
	p *outgoingAsk
}

// Abort fills h, by which the ask can be ended early.
func Abort(h *AbortHandle) AskOption { return func(p *outgoingAsk) { h.p = p } }

// Abort ends the ask with cause; after its end it does nothing.
func (h AbortHandle) Abort(cause error) {
	if h.p != nil {
		h.p.env.asks.fail(h.p, cause)
	}
}

// result is the end of an ask. id is the item of the answer, zero without an answer.
type result struct {
	msg      Message
	err      error
	id       record.ID
	received time.Time
	recorded bool    // as the ask was
	ledger   *ledger // gets its bytes when it has been handled
	bytes    int
}

// answerAs gives an answer its type, unless err says that there is none.
func answerAs[R Message](m Message, err error) (R, error) {
	var zero R
	if err != nil {
		return zero, err
	}
	r, ok := m.(R)
	if !ok {
		return zero, fmt.Errorf("%w: the answer is a %s, want %T", ErrRefusedUndecodable, TypeName(m), zero)
	}
	return r, nil
}

// outgoingAsk is an ask at its asker.
type outgoingAsk struct {
	env    *Env
	id     record.ID // the ask's item; until it was sent, the item that asks
	typ    string
	key    string
	limit  time.Duration
	to     Ref
	by     askEnder
	asker  uint16 // the endpoint's number, as the peer knows it; 0: none
	queued bool   // its answer is an item of an inbox
	// untraced asks are counted, not recorded, nor are their answers.
	untraced bool
	at       int32 // its place in owned, which guards it

	// Guarded by asks.mu, until ended is set: then nobody changes them.
	on       waiting // of the connection that it was sent on
	request  int64
	deadline time.Time
	index    int // in the heap, -1 when not there
	ended    bool
}

// askEnder gets the end of an ask, once.
type askEnder interface{ askEnded(res result) }

// onEnd is an askEnder that is a function.
type onEnd func(res result)

func (f onEnd) askEnded(res result) { f(res) }

func (p *outgoingAsk) deliver(res result) { p.by.askEnded(res) }

// waiting are the asks of a connection that have no answer, by request id. Guarded by asks.mu.
type waiting map[int64]*outgoingAsk

// asks are an Env's pending asks: one timer, armed for the earliest deadline.
type asks struct {
	env  *Env
	mu   sync.Mutex // see the lock order in outbox.go
	heap askHeap
	stop func()    // of the timer; nil: none is set
	at   time.Time // when it fires
}

func (e *Env) newOutgoingAsk(end onEnd, opts ...AskOption) *outgoingAsk {
	p := &outgoingAsk{}
	p.init(e, end, opts)
	return p
}

// init makes p, which is zero, an ask whose end by gets.
func (p *outgoingAsk) init(e *Env, by askEnder, opts []AskOption) {
	p.env, p.by, p.index, p.key, p.limit = e, by, -1, RPCAskTimeout.Source(e.cfg.Conf), RPCAskTimeout.Get(e.cfg.Conf)
	for _, o := range opts {
		o(p)
	}
}

// add starts the ask's clock, once.
func (a *asks) add(p *outgoingAsk) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.addLocked(p)
}

// bind is add for an ask that goes out on a connection as the item id, unless it has ended meanwhile: then nobody waits for it.
func (a *asks) bind(p *outgoingAsk, on waiting, request int64, id record.ID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if p.ended {
		return
	}
	p.on, p.request, p.id = on, request, id
	on[request] = p
	a.addLocked(p)
}

func (a *asks) addLocked(p *outgoingAsk) {
	if p.ended || !p.deadline.IsZero() {
		return
	}
	p.deadline = a.env.host.Now().Add(p.limit)
	heap.Push(&a.heap, p)
	a.armLocked()
}

// take ends p; false if it had ended before.
func (a *asks) take(p *outgoingAsk) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if p.ended {
		return false
	}
	if p.index >= 0 {
		heap.Remove(&a.heap, p.index)
	}
	p.endLocked()
	return true
}

// endLocked ends p: whatever else would, comes too late. Its connection forgets it, so a callee that never answers costs nothing.
func (p *outgoingAsk) endLocked() {
	p.ended = true
	delete(p.on, p.request)
}

// find is the ask of that request, nil if it has ended.
func (a *asks) find(on waiting, request int64) *outgoingAsk {
	a.mu.Lock()
	defer a.mu.Unlock()
	return on[request]
}

// all are the asks that wait on a connection, in the order in which they were asked: a map's would differ from run to run, and a
// simulation has to repeat.
func (a *asks) all(on waiting) []*outgoingAsk {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.SortedFunc(maps.Values(on), func(a, b *outgoingAsk) int { return cmp.Compare(a.request, b.request) })
}

// finish ends p with its answer.
func (a *asks) finish(p *outgoingAsk, res result) bool {
	if !a.take(p) {
		return false
	}
	p.deliver(res)
	return true
}

// fail ends p without an answer.
func (a *asks) fail(p *outgoingAsk, err error) { a.finish(p, result{err: err}) }

// abandon ends p and notifies nobody.
func (a *asks) abandon(p *outgoingAsk) { a.take(p) }

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
	var late []*outgoingAsk
	a.mu.Lock()
	a.stop = nil
	for len(a.heap) > 0 && !a.heap[0].deadline.After(now) {
		p := heap.Pop(&a.heap).(*outgoingAsk)
		p.endLocked()
		late = append(late, p)
	}
	a.armLocked()
	a.mu.Unlock()
	// Without the lock: deliver may ask again.
	for _, p := range late {
		p.deliver(result{err: p.timedOut()})
	}
}

// timedOut is the error of an ask whose time is over, in the words of Spark's RpcTimeout.
func (p *outgoingAsk) timedOut() error {
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

type askHeap []*outgoingAsk

func (h askHeap) Len() int { return len(h) }

func (h askHeap) Less(i, j int) bool { return h[i].deadline.Before(h[j].deadline) }

func (h askHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *askHeap) Push(x any) {
	p := x.(*outgoingAsk)
	p.index = len(*h)
	*h = append(*h, p)
}

func (h *askHeap) Pop() any {
	old := *h
	p := old[len(old)-1]
	old[len(old)-1] = nil
	p.index = -1
	*h = old[:len(old)-1]
	return p
}
