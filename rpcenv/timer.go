package rpcenv

import (
	"sync/atomic"
	"time"

	"github.com/coherer/coherer/rpcenv/trace"
)

// Timer is a timer of an endpoint. The zero Timer is none. It mirrors the futures of a ScheduledExecutorService.
type Timer struct{ t *timer }

// Active reports whether the timer will tick again.
func (t Timer) Active() bool { return t.t != nil && !t.t.dead.Load() }

type timer struct {
	in      *Inbox
	msg     Message
	name    string
	cause   trace.ID // the item that armed it
	period  time.Duration
	quiet   bool // its ticks are counted, not recorded
	stop    func()
	waiting atomic.Bool // a tick is in the inbox
	dead    atomic.Bool
}

// After sends msg to the endpoint itself, once, d from now. In OnStop it does nothing, as Every: there is no later.
func (c *Context) After(d time.Duration, msg Message) Timer { return c.arm(d, 0, msg) }

// Every sends msg to the endpoint itself, first after first and then each period. At most one tick waits in the inbox:
// an endpoint that is late does not get the ticks it missed.
func (c *Context) Every(first, period time.Duration, msg Message) Timer {
	return c.arm(first, period, msg)
}

// Cancel ends a timer, also when its tick is already in the inbox. It may be called again, and for the zero Timer.
func (c *Context) Cancel(t Timer) {
	if t.t == nil {
		return
	}
	t.t.cancel()
	drop(&c.in.owned, &c.in.owned.timers, t.t)
}

func (c *Context) arm(first, period time.Duration, msg Message) Timer {
	if err := checkMessage(msg, true); err != nil {
		panic(err) // recovered in handle: the handler fails with err
	}
	if c.stopping() {
		return Timer{}
	}
	// Kept before it is armed: it may fire at once.
	t := &timer{in: c.in, msg: msg, name: "timer " + TypeName(msg), cause: c.cause(), period: period, quiet: c.in.env.untraced(msg)}
	keep(&c.in.owned, &c.in.owned.timers, t)
	c.in.env.schedule(t, first)
	return Timer{t}
}

// fire runs on the Host's side: it posts a tick and arms the next.
func (t *timer) fire() {
	if t.dead.Load() || t.in.env.exiting.Load() {
		return
	}
	// At most one tick waits: an endpoint that is late does not find its inbox full of them. In Spark two may wait.
	if t.waiting.CompareAndSwap(false, true) {
		env := t.in.env
		t.in.post(item{kind: itemTick, id: env.nextID(), cause: t.cause, msg: t.msg, name: t.name, timer: t, sender: env.addr, untraced: t.quiet})
	}
	if t.period > 0 {
		t.in.env.schedule(t, t.period)
	}
}

// ticked is called when the tick is handled; false if the timer was cancelled meanwhile.
func (t *timer) ticked() bool {
	t.waiting.Store(false)
	if t.dead.Load() {
		return false
	}
	if t.period == 0 {
		t.dead.Store(true) // Active is false within the handler of its tick
		drop(&t.in.owned, &t.in.owned.timers, t)
	}
	return true
}

func (t *timer) cancel() {
	// dead before stop is read: schedule, which fire may be in, arms nothing after this, and what it armed before is stopped here.
	t.dead.Store(true)
	t.in.env.timerMu.Lock()
	stop := t.stop
	t.in.env.timerMu.Unlock()
	stop()
}

// schedule starts t's next wait. Its stop is shared between the Host's side and the endpoint's.
func (e *Env) schedule(t *timer, d time.Duration) {
	e.timerMu.Lock()
	defer e.timerMu.Unlock()
	if !t.dead.Load() {
		t.stop = e.host.After(d, t.fire)
	}
}
