package rpcenv_test

import (
	"testing"
	"time"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport"
)

// handClock is a Host whose timers fire when the test says so.
type handClock struct {
	*transport.Host
	fire    []func()
	stopped int
}

func (h *handClock) After(_ time.Duration, f func()) (stop func()) {
	h.fire = append(h.fire, f)
	return func() { h.stopped++ }
}

// handTimed makes an Env with a handClock, in client mode so that no connection has a timer.
func handTimed(w *world) (*rpcenv.Env, *handClock) {
	h := &handClock{Host: w.hostOf("A", "").(*transport.Host)}
	e, err := rpcenv.New(h, rpcenv.Config{Name: "A"})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { w.close(e) })
	return e, h
}

// ticking notes ticks, and runs the functions that it gets.
func ticking(w *world) *endpoint {
	ep := doer()
	inner := ep.receive
	ep.receive = func(c *rpcenv.Context, m rpcenv.Message) {
		if s, ok := m.(say); ok {
			w.note("%s", s.text)
			return
		}
		inner(c, m)
	}
	return ep
}

func TestAtMostOneTickOfATimerWaits(t *testing.T) {
	w := newWorld(t, "memory")
	e, clock := handTimed(w)
	ref := w.register(e, "E", ticking(w))
	for range 2 {
		w.in(e, ref, func(c *rpcenv.Context) {
			if len(clock.fire) == 0 {
				c.Every(time.Second, time.Second, say{text: "tick"})
			}
			for range 3 { // the endpoint is busy for three periods
				clock.fire[len(clock.fire)-1]()
			}
			c.Send(c.Self(), say{text: "next"})
		})
		w.in(e, ref, func(*rpcenv.Context) {})
	}
	w.wantLog("tick", "next", "tick", "next")
}

func TestACancelledTimerDoesNotTickThoughItsTickIsQueued(t *testing.T) {
	w := newWorld(t, "memory")
	e, clock := handTimed(w)
	ref := w.register(e, "E", ticking(w))
	w.in(e, ref, func(c *rpcenv.Context) {
		timer := c.After(time.Second, say{text: "cancelled"})
		clock.fire[0]()
		c.Cancel(timer)
		c.Cancel(timer)
		c.Cancel(rpcenv.Timer{})
		if timer.Active() || (rpcenv.Timer{}).Active() {
			t.Error("a cancelled timer is active")
		}
		c.Send(c.Self(), say{text: "next"})
	})
	w.in(e, ref, func(*rpcenv.Context) {})
	w.wantLog("next")
}

func TestATimerTicksEachPeriodUntilItIsCancelled(t *testing.T) {
	w := inSim(t)
	e := w.env("A")
	ref := w.register(e, "E", ticking(w))
	var timer rpcenv.Timer
	w.in(e, ref, func(c *rpcenv.Context) { timer = c.Every(0, time.Second, say{text: "tick"}) })
	w.sim.Advance(2500 * time.Millisecond)
	w.in(e, ref, func(c *rpcenv.Context) { c.Cancel(timer) })
	w.sim.Advance(10 * time.Second)
	w.wantLog("tick", "tick", "tick")
}

func TestATimerOfOneTickEnds(t *testing.T) {
	inWorlds(t, func(w *world) {
		e := w.env("A")
		var timer rpcenv.Timer
		ep := &endpoint{receive: func(_ *rpcenv.Context, m rpcenv.Message) { w.note("%s %v", m.(say).text, timer.Active()) }}
		ep.start = func(c *rpcenv.Context) { timer = c.After(0, say{text: "tick: active"}) }
		w.register(e, "E", ep)
		w.await("tick: active false")
	})
}

func TestTimersEndAtOnStop(t *testing.T) {
	w := inSim(t)
	e := w.env("A")
	ep := ticking(w)
	var timer rpcenv.Timer
	ep.stop = func(c *rpcenv.Context) {
		w.note("OnStop")
		if timer.Active() {
			t.Error("a timer is active in OnStop")
		}
		if c.Every(0, time.Second, say{}).Active() {
			t.Error("a timer armed in OnStop")
		}
	}
	ref := w.register(e, "E", ep)
	w.in(e, ref, func(c *rpcenv.Context) {
		timer = c.Every(time.Second, time.Second, say{text: "tick"})
		c.After(2500*time.Millisecond, do{f: func(c *rpcenv.Context) { c.Stop() }})
	})
	w.sim.Advance(10 * time.Second)
	w.wantLog("tick", "tick", "OnStop")
}

func TestATimerOfWhatIsNoMessageFailsTheHandler(t *testing.T) {
	inWorlds(t, func(w *world) {
		e := w.env("A")
		ep := &faulty{onError: func(_ *rpcenv.Context, err error) { w.note("%v", err) }}
		ep.start = func(c *rpcenv.Context) { c.After(0, "text") }
		w.register(e, "E", ep)
		w.await("rpcenv: cannot be sent: string is neither a protobuf message nor embeds rpcenv.Local")
	})
}

// A Host may be late in stopping a timer: what it fires then is no item any more.
func TestATimerThatFiresAfterItsEndIsNothing(t *testing.T) {
	w := newWorld(t, "memory")
	e, clock := handTimed(w)
	ref := w.register(e, "E", ticking(w))
	w.in(e, ref, func(c *rpcenv.Context) {
		c.Cancel(c.Every(time.Second, time.Second, say{text: "cancelled"}))
		clock.fire[0]()
	})
	w.in(e, ref, func(*rpcenv.Context) {})
	if len(clock.fire) != 1 || clock.stopped != 1 {
		t.Error("it is armed again, or the Host goes on:", len(clock.fire), clock.stopped)
	}
	if got := rows(e.Metrics(), "E"); got != "message do 2 0 2 0" {
		t.Error(got)
	}
}

func TestATimerOfOneTickIsArmedOnce(t *testing.T) {
	w := newWorld(t, "memory")
	e, clock := handTimed(w)
	ref := w.register(e, "E", ticking(w))
	w.in(e, ref, func(c *rpcenv.Context) {
		c.After(time.Second, say{text: "tick"})
		clock.fire[0]()
	})
	w.in(e, ref, func(*rpcenv.Context) {})
	w.wantLog("tick")
	if len(clock.fire) != 1 {
		t.Error("it is armed", len(clock.fire), "times")
	}
}
