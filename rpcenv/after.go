package rpcenv

import (
	"time"
)

// After sends msg to the endpoint itself, once, d from now. In OnStop it does nothing, as Every: there is no later.
func (c *Context) After(d time.Duration, msg Message) Timer { return c.arm(d, 0, msg) }

// Every sends msg to the endpoint itself, first after first and then each period. At most one tick waits in the inbox:
// an endpoint that is late does not get the ticks it missed.
func (c *Context) Every(first, period time.Duration, msg Message) Timer {
	return c.arm(first, period, msg)
}

// armed is a timer together with what the items of its ticks share: one allocation for both.
type armed struct {
	timer
	ticks rare
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
	a := &armed{timer: timer{msg: msg, cause: c.cause(), period: period, quiet: c.in.env.untraced(msg)}}
	t := &a.timer
	a.ticks = rare{name: "timer " + TypeName(msg), timer: t}
	keep(&c.in.owned, &c.in.owned.timers, t)
	t.fire = func() { c.in.fire(a) }
	t.schedule(c.in.env.host, first)
	return Timer{t}
}

// fire runs on the Host's side: it posts a tick and arms the next.
func (in *inbox) fire(t *armed) {
	env := in.env
	if t.dead.Load() || env.life.stage() >= envExits {
		return
	}
	// At most one tick waits: an endpoint that is late does not find its inbox full of them. In Spark two may wait.
	if t.waiting.CompareAndSwap(false, true) {
		in.post(&item{kind: itemTick, id: env.nextID(), cause: t.cause, msg: t.msg, sender: &env.self, untraced: t.quiet, rare: &t.ticks})
	}
	if t.period > 0 {
		t.schedule(env.host, t.period)
	}
}

// ticked is called when the tick is handled; false if the timer was cancelled meanwhile.
func (in *inbox) ticked(t *timer) bool {
	t.waiting.Store(false)
	if t.dead.Load() {
		return false
	}
	if t.period == 0 {
		t.dead.Store(true) // Active is false within the handler of its tick
		drop(&in.owned, &in.owned.timers, t)
	}
	return true
}
