package rpcenv_test

import (
	"slices"
	"testing"
	"time"

	"github.com/coherer/coherer/rpcenv"
)

// In a simulation a handler takes no time; in it an endpoint is kept busy by items that wait.
func TestAtMostOneTickOfATimerWaits(t *testing.T) {
	inWorlds(t, func(w *world) {
		e := w.env("A")
		release := make(chan struct{})
		ep := doer()
		inner := ep.receive
		ticks := 0
		ep.receive = func(c *rpcenv.Context, m rpcenv.Message) {
			if _, ok := m.(say); ok {
				ticks++
				w.note("tick")
				return
			}
			inner(c, m)
		}
		ref := w.register(e, "E", ep)
		if w.sim != nil {
			var timer rpcenv.Timer
			w.in(e, ref, func(c *rpcenv.Context) { timer = c.Every(time.Second, time.Second, say{}) })
			w.sim.Advance(3500 * time.Millisecond)
			if ticks != 3 || !timer.Active() {
				t.Errorf("%d ticks in 3.5 s", ticks)
			}
			return
		}
		// The handler waits, which is against the rule, while the timer goes on: that is what is tested.
		other := w.register(e, "Clock", doer())
		go func() {
			for range 20 {
				w.in(e, other, func(*rpcenv.Context) {})
			}
			close(release)
		}()
		w.in(e, ref, func(c *rpcenv.Context) {
			c.Every(0, time.Microsecond, say{})
			<-release
			c.Send(c.Self(), do{f: func(c *rpcenv.Context) { w.note("%d", ticks); c.Stop() }})
		})
		w.until("the stop", func(log []string) bool { return slices.Contains(log, "0") || slices.Contains(log, "1") })
	})
}

func TestACancelledTimerDoesNotTickThoughItsTickIsQueued(t *testing.T) {
	w := inSim(t)
	e := w.env("A")
	var timer, never rpcenv.Timer
	ep := doer()
	inner := ep.receive
	ep.receive = func(c *rpcenv.Context, m rpcenv.Message) {
		switch m := m.(type) {
		case say:
			w.note("%s", m.text)
			if m.text == "canceller" {
				c.Cancel(timer)
				c.Cancel(timer)
				c.Cancel(never)
			}
		default:
			inner(c, m)
		}
	}
	ref := w.register(e, "E", ep)
	w.in(e, ref, func(c *rpcenv.Context) {
		timer = c.After(time.Second, say{text: "cancelled"})
		c.After(time.Second, say{text: "canceller"})
		c.Cancel(c.After(time.Second, say{text: "cancelled at once"}))
	})
	// Both ticks are due at one time: the canceller must come first for the test to say something.
	w.in(e, ref, func(c *rpcenv.Context) {
		c.Cancel(timer)
		timer = c.After(time.Second, say{text: "cancelled"})
	})
	w.sim.Advance(3 * time.Second)
	w.wantLog("canceller")
	if timer.Active() || never.Active() {
		t.Error("a cancelled timer is active")
	}
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
	ep := doer()
	inner := ep.receive
	ep.receive = func(c *rpcenv.Context, m rpcenv.Message) {
		if _, ok := m.(say); ok {
			w.note("tick")
			return
		}
		inner(c, m)
	}
	ep.stop = func(c *rpcenv.Context) {
		w.note("OnStop")
		if c.Every(0, time.Second, say{}).Active() {
			t.Error("a timer armed in OnStop")
		}
	}
	ref := w.register(e, "E", ep)
	w.in(e, ref, func(c *rpcenv.Context) {
		c.Every(time.Second, time.Second, say{})
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
