package rpcenv

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coherer/coherer/rpcenv/trace/record"
)

// Blocking is what a body waits by. Its methods are for that body alone.
type Blocking struct {
	env     *Env
	at      int32 // its place among the bodies of the Env, which guards it
	atOwner int32 // and among those of its endpoint
	from    string
	tag     record.Name // from, in the ring
	cause   record.ID
	ctx     context.Context
	cancel  context.CancelFunc
	parker  Parker
	stage   atomic.Int32
	caller  bool        // an ordinary goroutine: what it does is no work of the Env
	unwatch func() bool // of the context of an ordinary goroutine
	refused bool        // its last Send found no room

	mu   sync.Mutex
	wake func() // of the wait that is under way
	over int    // waits since the end; the body's alone
}

// The stages of a body: waiting in its lane, ordered from the Host, running or past.
const (
	bodyWaits int32 = iota
	bodyOrdered
	bodyBegan
)

// stopBody is the panic that ends a body which goes on waiting after its end.
type stopBody struct{}

// Unwinds marks it for code that recovers from panics of users: such code must let it pass.
func (stopBody) Unwinds() {}

func (e *Env) newBlocking(ctx context.Context, from string, cause record.ID) *Blocking {
	b := &Blocking{env: e, from: from, tag: e.recorder.Name(from), cause: cause}
	ctx, cancel := context.WithCancelCause(ctx)
	b.ctx = ctx
	// A wait does not watch the context: in a simulation no goroutine could. So the end of the context wakes it.
	b.cancel = func() {
		cancel(ErrStopped) // unless it has a cause already
		b.release()
	}
	if !e.bodies.add(b) {
		cancel(ErrStopped)
	}
	return b
}

// bodies are the Blockings of an Env that have not ended.
type bodies struct {
	env *Env

	mu   sync.Mutex // see the lock order in outbox.go
	list ordered[*Blocking]
}

func (b *Blocking) place() *int32 { return &b.at }

// add is false once the Env stops: its list of those to cancel is without b.
func (t *bodies) add(b *Blocking) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.env.life.stage() >= envStops {
		return false
	}
	t.list.add(b)
	return true
}

func (t *bodies) remove(b *Blocking) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.list.remove(b)
}

func (t *bodies) all() []*Blocking {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.list.all()
}

// release ends the wait of a Blocking whose context has ended.
func (b *Blocking) release() {
	if b.stage.Load() != bodyOrdered { // else the Env must find it in a crash, since discard counts it out
		b.env.bodies.remove(b)
	}
	b.mu.Lock()
	wake := b.wake
	b.mu.Unlock()
	// A wait that registers its wake after this finds the context ended, and wakes itself.
	if wake != nil {
		wake()
	}
}

// start runs body on the Host and calls end once with its panic, if any.
func (b *Blocking) start(name string, body func(), end func(error)) {
	b.env.busy(1)
	b.stage.Store(bodyOrdered)
	b.env.host.Block(name, func(p Parker) {
		if !b.stage.CompareAndSwap(bodyOrdered, bodyBegan) {
			return // discarded by a crash, which has counted it out
		}
		b.parker = p
		var failure error
		defer func() {
			if v := recover(); v != nil {
				failure = ErrStopped
				if _, ok := v.(stopBody); !ok {
					failure = newPanic(v)
				}
			}
			b.cancel()
			end(failure)
			b.env.busy(-1) // after end, which posts the result
		}()
		body()
	})
}

// Context ends when the body should: hand it to I/O. Its cause (context.Cause) is what the waits return.
func (b *Blocking) Context() context.Context { return b.ctx }

// Done reports whether the body should end.
func (b *Blocking) Done() bool { return b.ctx.Err() != nil }

// Env is the Env that the body runs in.
func (b *Blocking) Env() *Env { return b.env }

// Now is the time.
func (b *Blocking) Now() time.Time { return b.env.host.Now() }

// Sleep waits for d; ErrStopped when the body should end. For an ordinary goroutine whose context has ended this and all
// other waits return the context's cause, such as context.DeadlineExceeded.
func (b *Blocking) Sleep(d time.Duration) error {
	stop := func() {}
	err := b.wait(func(wake func()) { stop = b.env.host.After(d, wake) })
	stop()
	return err
}

// Wait calls register with a wake function and waits until it is called: the bridge to whatever reports its end by a callback.
// ErrStopped when the body should end first.
func (b *Blocking) Wait(register func(wake func())) error { return b.wait(register) }

// wait parks the body until it is woken or should end.
func (b *Blocking) wait(register func(wake func())) error {
	if b.Done() {
		return b.stopped()
	}
	// A body that waits is no work under way. It counts again from the moment when it is woken, not when it goes on: in between the
	// Env would seem quiet.
	b.busy(-1)
	b.parker.Park(func(wake func()) {
		var once sync.Once // what it waits for and the end of the context may both wake it
		back := func() { once.Do(func() { b.busy(1); wake() }) }
		b.mu.Lock()
		b.wake = back
		b.mu.Unlock()
		register(back)
		if b.Done() { // it ended before release could find the wake
			back()
		}
	})
	b.mu.Lock()
	b.wake = nil
	b.mu.Unlock()
	if b.Done() {
		return b.stopped()
	}
	return nil
}

// discard drops a body that has not begun: the Env crashed.
func (b *Blocking) discard() {
	if b.stage.CompareAndSwap(bodyOrdered, bodyBegan) {
		b.env.busy(-1)
	}
	b.cancel()
}

func (b *Blocking) busy(n int) {
	if !b.caller {
		b.env.busy(n)
	}
}

// stopped is why the body should end, once; one that waits on gets no second chance. An ordinary goroutine is its owner's.
func (b *Blocking) stopped() error {
	b.over++
	if b.over > 1 && !b.caller {
		panic(stopBody{})
	}
	return context.Cause(b.ctx)
}

// Blocking is for an ordinary goroutine that wants to ask and to wait, until ctx ends; the goroutine closes it. Then its
// waits return the cause of ctx; ErrStopped if the Env ended first. Not in a simulation, whose clock stands still while the
// goroutine waits: use Go there.
func (e *Env) Blocking(ctx context.Context) *Blocking {
	b := e.newBlocking(ctx, "caller", record.ID{})
	b.parker, b.caller = goroutineParker{}, true
	b.unwatch = context.AfterFunc(b.ctx, b.release) // of b.ctx: it has its cause by then
	return b
}

// Close gives a Blocking of an ordinary goroutine up: its waits return ErrStopped. It may be called again; one of a body
// ends with the body and is left alone.
func (b *Blocking) Close() {
	if b.caller {
		b.unwatch()
		b.cancel()
	}
}

type goroutineParker struct{}

func (goroutineParker) Park(register func(wake func())) {
	c := make(chan struct{}, 1)
	register(func() {
		select {
		case c <- struct{}{}:
		default:
		}
	})
	<-c
}
