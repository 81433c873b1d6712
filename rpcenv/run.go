package rpcenv

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/trace"
)

// laneLimit is how many bodies may wait in one lane.
const laneLimit = 10_000

// lane is a queue of bodies that run one after the other.
type lane struct {
	busy  bool
	queue []func()
}

// Run runs body outside the inbox, where it may wait and take long; then is called later in this inbox with its result.
// Bodies of one lane run in order, one at a time; those of the empty lane side by side. In production body is a
// goroutine, in a simulation a coroutine. It waits only through b and does I/O only through interfaces that it was
// handed. A panic of body is its error. At the endpoint's stop b is cancelled and then is not called.
//
// cancel ends b early: its waits return ErrStopped and b.Done is true; then is called with what body makes of it.
func Run[T any](c *Context, name string, body func(b *Blocking) (T, error), then func(T, error)) (cancel func()) {
	in := c.in
	b := in.env.newBlocking(context.Background(), in.name, c.cause())
	if c.stopping() {
		b.cancel()
	} else {
		keep(&in.owned, &in.owned.bodies, b)
	}
	var result T
	var err error
	start := func() {
		b.start("run "+name, func() { result, err = body(b) }, func(failure error) {
			if failure != nil {
				err = failure
			}
			in.post(item{kind: itemRun, id: in.env.nextID(), cause: b.cause, name: "run " + name, ctx: c, fn: func() {
				drop(&in.owned, &in.owned.bodies, b)
				in.owned.leaveLane(name)
				then(result, err)
			}})
		})
	}
	if err := in.owned.enterLane(name, in.name, start); err != nil {
		drop(&in.owned, &in.owned.bodies, b)
		b.cancel()
		c.later("run "+name, func() {
			var zero T
			then(zero, err)
		})
	}
	return b.cancel
}

// enterLane starts a body, or queues it behind the others of its lane.
func (o *owned) enterLane(name, endpoint string, start func()) error {
	if name == "" {
		start()
		return nil
	}
	o.mu.Lock()
	l := o.lanes[name]
	if l == nil {
		l = &lane{}
		if o.lanes == nil {
			o.lanes = map[string]*lane{}
		}
		o.lanes[name] = l
	}
	free := !l.busy
	l.busy = true
	waiting := len(l.queue)
	if !free && waiting < laneLimit {
		l.queue = append(l.queue, start)
	}
	o.mu.Unlock()
	switch {
	case free:
		start()
	case waiting >= laneLimit:
		return fmt.Errorf("%w: %d bodies wait in lane %s of %s", ErrUnreachableOverloaded, waiting, name, endpoint)
	}
	return nil
}

// leaveLane starts the next body of a lane.
func (o *owned) leaveLane(name string) {
	o.mu.Lock()
	l := o.lanes[name]
	if l == nil {
		o.mu.Unlock()
		return
	}
	if len(l.queue) == 0 {
		delete(o.lanes, name)
		o.mu.Unlock()
		return
	}
	start := l.queue[0]
	l.queue = l.queue[1:]
	o.mu.Unlock()
	start()
}

// Blocking is what a body waits by. Its methods are for that body alone.
type Blocking struct {
	env     *Env
	from    string
	cause   trace.ID
	ctx     context.Context
	cancel  context.CancelFunc
	parker  Parker
	stage   atomic.Int32
	caller  bool        // an ordinary goroutine: what it does is no work of the Env
	unwatch func() bool // of the context of an ordinary goroutine

	mu   sync.Mutex
	wake func() // of the wait that is under way
	over int    // waits since the end
}

// The stages of a body: waiting in its lane, ordered from the Host, running or past.
const (
	bodyWaits int32 = iota
	bodyOrdered
	bodyBegan
)

// stopBody is the panic that ends a body which goes on waiting after its end.
type stopBody struct{}

func (e *Env) newBlocking(ctx context.Context, from string, cause trace.ID) *Blocking {
	b := &Blocking{env: e, from: from, cause: cause}
	ctx, cancel := context.WithCancelCause(ctx)
	b.ctx = ctx
	b.cancel = func() {
		cancel(ErrStopped) // unless it has a cause already
		b.release()
	}
	e.mu.Lock()
	stopping := e.stopping
	if !stopping {
		e.bodies = append(e.bodies, b)
	}
	e.mu.Unlock()
	if stopping {
		cancel(ErrStopped)
	}
	return b
}

// release ends the wait of a Blocking whose context has ended.
func (b *Blocking) release() {
	if b.stage.Load() != bodyOrdered { // else the Env must know it, should it crash
		b.env.mu.Lock()
		b.env.bodies = without(b.env.bodies, b)
		b.env.mu.Unlock()
	}
	b.mu.Lock()
	wake := b.wake
	b.mu.Unlock()
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
			return // discarded
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
			b.env.busy(-1)
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

// Send sends a message, as Context.Send.
func (b *Blocking) Send(to Ref, m Message) error {
	if b.Done() {
		return b.stopped()
	}
	return b.env.send(outgoing{to: to, msg: m, cause: b.cause, from: b.from})
}

// Sleep waits for d; ErrStopped when the body should end. For an ordinary goroutine whose context has ended this and all
// other waits return the context's cause, such as context.DeadlineExceeded.
func (b *Blocking) Sleep(d time.Duration) error {
	stop := func() {}
	err := b.wait(func(wake func()) { stop = b.env.host.After(d, wake) })
	stop()
	return err
}

// Wait calls register with a wake function and waits until it is called: the bridge to whatever tells its end by a
// callback. ErrStopped when the body should end first.
func (b *Blocking) Wait(register func(wake func())) error { return b.wait(register) }

// AskWait asks and waits for the answer.
func AskWait[Q Asks[R], R Message](b *Blocking, to Ref, q Q, opts ...AskOption) (R, error) {
	return AskWaitAs[R](b, to, q, opts...)
}

// AskWaitAs is AskWait without the compiler's check of the answer's type.
func AskWaitAs[R Message](b *Blocking, to Ref, q Message, opts ...AskOption) (R, error) {
	var zero R
	p := b.env.newPending(opts)
	var mu sync.Mutex
	var res result
	err := b.wait(func(wake func()) {
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

// wait parks the body until it is woken or should end.
func (b *Blocking) wait(register func(wake func())) error {
	if b.Done() {
		return b.stopped()
	}
	b.busy(-1)
	b.parker.Park(func(wake func()) {
		var once sync.Once
		back := func() { once.Do(func() { b.busy(1); wake() }) }
		b.mu.Lock()
		b.wake = back
		b.mu.Unlock()
		register(back)
		if b.Done() {
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

// Job is a program that Env.Go started.
type Job struct {
	b    *Blocking
	done chan struct{}

	mu     sync.Mutex
	err    error
	onDone []func(error)
}

// Go runs body outside all inboxes: a driver program, a test, a command. It ends with the Env.
func (e *Env) Go(name string, body func(*Blocking) error) *Job {
	b := e.newBlocking(context.Background(), name, trace.ID{})
	j := &Job{b: b, done: make(chan struct{})}
	var err error
	b.start(name, func() { err = body(b) }, func(failure error) {
		if failure != nil {
			err = failure
		}
		j.finish(err)
	})
	return j
}

func (j *Job) finish(err error) {
	j.mu.Lock()
	j.err = err
	fs := j.onDone
	j.onDone = nil
	close(j.done)
	j.mu.Unlock()
	for _, f := range fs {
		f(err)
	}
}

// Stop makes the body's waits return ErrStopped.
func (j *Job) Stop() { j.b.cancel() }

// Done is closed after the body returned.
func (j *Job) Done() <-chan struct{} { return j.done }

// Err is the body's error after its end.
func (j *Job) Err() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

// OnDone calls f once with the body's error, at once if it has ended. In a simulation it is the way to wait.
func (j *Job) OnDone(f func(error)) {
	j.mu.Lock()
	select {
	case <-j.done:
		err := j.err
		j.mu.Unlock()
		f(err)
	default:
		j.onDone = append(j.onDone, f)
		j.mu.Unlock()
	}
}

// Blocking is for an ordinary goroutine that wants to ask and to wait, until ctx ends; the goroutine closes it. Then its
// waits return the cause of ctx; ErrStopped if the Env ended first. Not in a simulation, whose clock stands still while the
// goroutine waits: use Go there.
func (e *Env) Blocking(ctx context.Context) *Blocking {
	b := e.newBlocking(ctx, "caller", trace.ID{})
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
