package rpcenv

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/coherer/coherer/rpcenv/trace/record"
)

// AskOption changes one ask.
type AskOption func(*outgoingAsk)

// Timeout sets the time an ask may take, and the setting that its failure names as the one that controls it.
func Timeout(key string, d time.Duration) AskOption {
	return func(p *outgoingAsk) { p.limit = &askLimit{key, d} }
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
	by       *conn // by which it came, with receiving held; nil for what ended in this Env
}

// answerAs gives an answer its type; with an err, which an ask without an answer has, it returns that.
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
	limit  *askLimit
	to     Ref
	by     askEnder
	asker  uint16 // the endpoint's number, as the peer knows it; 0: none
	queued bool   // its answer is an item of an inbox
	// untraced asks are counted, not recorded, nor are their answers.
	untraced bool
	at       int32 // its place in owned, which guards it

	// Guarded by asks.mu, until ended is set: then nobody changes them.
	on            waiting // of the connection that it was sent on
	request       int64
	deadline      time.Duration // since the Env's beginning
	queue         *askQueue     // nil: its clock does not run
	before, after *outgoingAsk  // in queue
	ended         bool
}

// askLimit is the time that an ask may take, and the setting that controls it.
type askLimit struct {
	key string
	d   time.Duration
}

// askEnder gets the end of an ask, once.
type askEnder interface{ askEnded(res result) }

// onEnd makes a function an askEnder.
type onEnd func(res result)

func (f onEnd) askEnded(res result) { f(res) }

func (p *outgoingAsk) deliver(res result) { p.by.askEnded(res) }

// waiting are the asks of a connection that have no answer, by request id. Guarded by asks.mu.
type waiting map[int64]*outgoingAsk

// asks are an Env's pending asks: one timer, armed for the earliest deadline.
type asks struct {
	env   *Env
	usual askLimit
	began time.Time // deadlines count from here

	mu        sync.Mutex // of this block; see the lock order in outbox.go
	deadlines deadlines
	stop      func()        // of the timer; nil: none is set
	at        time.Duration // when it fires
}

// begin makes a ready.
func (a *asks) begin(e *Env) {
	a.env, a.began = e, e.host.Now()
	a.usual = askLimit{RPCAskTimeout.Source(e.cfg.Conf), RPCAskTimeout.Get(e.cfg.Conf)}
}

func (a *asks) now() time.Duration { return a.env.host.Now().Sub(a.began) }

func (e *Env) newOutgoingAsk(end onEnd, opts ...AskOption) *outgoingAsk {
	p := &outgoingAsk{}
	p.init(e, end, opts)
	return p
}

// init makes the zero p an ask; by gets its end.
func (p *outgoingAsk) init(e *Env, by askEnder, opts []AskOption) {
	p.env, p.by, p.limit = e, by, &e.asks.usual
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
	if p.ended || p.queue != nil {
		return
	}
	now := a.now()
	a.deadlines.enter(p, now)
	a.armLocked(now)
}

// take ends p; false if it had ended before.
func (a *asks) take(p *outgoingAsk) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if p.ended {
		return false
	}
	a.endLocked(p)
	return true
}

// endLocked ends p: whatever else would, comes too late. Its connection forgets it, so a callee that never answers costs nothing.
func (a *asks) endLocked(p *outgoingAsk) {
	p.ended = true
	a.deadlines.leave(p)
	delete(p.on, p.request)
}

// takeOf ends the ask of that request and returns it; nil if it had ended before.
func (a *asks) takeOf(on waiting, request int64) *outgoingAsk {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := on[request]
	if p != nil {
		a.endLocked(p)
	}
	return p
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
func (a *asks) armLocked(now time.Duration) {
	// The end of an ask leaves the timer as it is: one that comes too early finds nothing late, and arms the next.
	first := a.deadlines.earliest()
	if first == nil || a.stop != nil && first.deadline >= a.at {
		return
	}
	if a.stop != nil {
		a.stop()
	}
	a.at = first.deadline
	a.stop = a.env.host.After(a.at-now, a.expire)
}

// expire fails the asks whose time is over.
func (a *asks) expire() {
	a.mu.Lock()
	a.stop = nil
	now := a.now()
	late := a.endUntilLocked(now)
	a.armLocked(now)
	a.mu.Unlock()
	// Without the lock: deliver may ask again.
	for _, p := range late {
		p.deliver(result{err: p.timedOut()})
	}
}

// endUntilLocked ends the asks whose deadline is at or before t, and returns them in the order of their deadlines.
func (a *asks) endUntilLocked(t time.Duration) (ended []*outgoingAsk) {
	for p := a.deadlines.earliest(); p != nil && p.deadline <= t; p = a.deadlines.earliest() {
		a.endLocked(p)
		ended = append(ended, p)
	}
	return ended
}

// timedOut is the error of an ask whose time is over, in the words of Spark's RpcTimeout.
func (p *outgoingAsk) timedOut() error {
	return fmt.Errorf("%w: %s to %s: Cannot receive any reply from %s in %s. This timeout is controlled by %s",
		ErrUnreachableTimeout, p.typ, p.to.Name, p.to.Address, scalaDuration(p.limit.d), p.limit.key)
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
	open := a.endUntilLocked(math.MaxInt64)
	a.mu.Unlock()
	for _, p := range open {
		p.deliver(result{err: ErrStopped})
	}
}

// discard stops the clock: the Env crashed. Its asks end without a word, as those of a killed process.
func (a *asks) discard() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stop != nil {
		a.stop()
		a.stop = nil
	}
	a.endUntilLocked(math.MaxInt64)
}
