package sim_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/sim"
)

type (
	again struct{ rpcenv.Local }
	ball  struct{ rpcenv.Local }
)

// handler is an endpoint of functions.
type handler struct {
	start   func(c *rpcenv.Context)
	receive func(c *rpcenv.Context, m rpcenv.Message)
}

func (h handler) OnStart(c *rpcenv.Context) {
	if h.start != nil {
		h.start(c)
	}
}

func (h handler) Receive(c *rpcenv.Context, m rpcenv.Message) { h.receive(c, m) }

// spinning are Worlds whose time stands still, and what is said of them.
var spinning = map[string]struct {
	make func(e *rpcenv.Env) error
	want []string
	busy bool // also without timers
}{
	"a handler that sends to itself": {func(e *rpcenv.Env) error {
		loop := func(c *rpcenv.Context) { c.Send(c.Self(), again{}) }
		_, err := e.Register("Loop", handler{loop, func(c *rpcenv.Context, _ rpcenv.Message) { loop(c) }})
		return err
	}, []string{"E/Loop handles again."}, true},
	"a timer of no time": {func(e *rpcenv.Env) error {
		loop := func(c *rpcenv.Context) { c.After(0, again{}) }
		_, err := e.Register("Timer", handler{loop, func(c *rpcenv.Context, _ rpcenv.Message) { loop(c) }})
		return err
	}, []string{"E/Timer handles timer again."}, false},
	"two that play": {func(e *rpcenv.Env) error {
		back := func(to string) func(c *rpcenv.Context, _ rpcenv.Message) {
			return func(c *rpcenv.Context, _ rpcenv.Message) { c.Send(e.Ref(e.Address(), to), ball{}) }
		}
		if _, err := e.Register("Ping", handler{receive: back("Pong")}); err != nil {
			return err
		}
		_, err := e.Register("Pong", handler{func(c *rpcenv.Context) { back("Ping")(c, nil) }, back("Ping")})
		return err
	}, []string{"E/Ping handles ball, E/Pong handles ball."}, true},
	"a body that sleeps for no time": {func(e *rpcenv.Env) error {
		e.Go("body", func(b *rpcenv.Blocking) error {
			for {
				if err := b.Sleep(0); err != nil {
					return err
				}
			}
		})
		return nil
	}, []string{"a body (of Run or Env.Go) that waits for no time"}, false},
}

// A World that spins ends, in whatever way it is run, and says what spins.
func TestAWorldInWhichTimeStandsStillEnds(t *testing.T) {
	for name, test := range spinning {
		for how, run := range map[string]func(w *sim.World){
			"Run": func(w *sim.World) {
				if err := w.Run(func() bool { return false }, time.Hour); !errors.Is(err, sim.ErrSpins) || !errors.Is(err, w.Err()) {
					t.Error(err)
				}
			},
			"Advance": func(w *sim.World) { w.Advance(time.Hour) },
			"Settle":  (*sim.World).Settle,
			"Step": func(w *sim.World) {
				for w.Step() {
				}
			},
		} {
			if how == "Settle" && !test.busy {
				continue // it waits for no timer
			}
			t.Run(name+"/"+how, func(t *testing.T) {
				w := sim.New(1, 0)
				defer w.Close()
				w.TurnLimit = 20_000
				w.Advance(3 * time.Second)
				e, err := rpcenv.New(w.Host("E", "10.0.0.1"), rpcenv.Config{Name: "E", Listen: rpcenv.Address{Host: "10.0.0.1", Port: 7077}})
				if err != nil {
					t.Fatal(err)
				}
				w.Settle()
				if err := test.make(e); err != nil {
					t.Fatal(err)
				}
				run(w)
				got := w.Err()
				if !errors.Is(got, sim.ErrSpins) {
					t.Fatal(got)
				}
				for _, want := range append(test.want, "time stands still: 20000 steps at 3s of virtual time: ") {
					if !strings.Contains(got.Error(), want) {
						t.Errorf("%v\nwant %s", got, want)
					}
				}
				now := w.Now()
				w.Advance(time.Hour) // it has ended
				if w.Step() || !w.Now().Equal(now) || w.Now().Sub(sim.Start) != 3*time.Second {
					t.Error("it went on to", w.Now())
				}
			})
		}
	}
}

// countdown sends to itself n times.
func countdown(n int) handler {
	f := func(c *rpcenv.Context) {
		if n--; n > 0 {
			c.Send(c.Self(), again{})
		}
	}
	return handler{f, func(c *rpcenv.Context, _ rpcenv.Message) { f(c) }}
}

// The limit is for one call at one instant: many steps in many calls, or over time, are none too many.
func TestTheTurnLimitIsForOneInstantOfOneCall(t *testing.T) {
	for n, ends := range map[int]bool{20_000: true, 20_001: false} {
		w := sim.New(1, 0)
		w.TurnLimit = 20_000
		e, err := rpcenv.New(w.Host("E", "10.0.0.1"), rpcenv.Config{Name: "E"})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"A", "B"} { // each within its own call
			if _, err := e.Register(name, countdown(n)); err != nil {
				t.Fatal(err)
			}
			w.Settle()
		}
		if (w.Err() == nil) != ends {
			t.Error(n, "steps:", w.Err())
		}
		w.Close()
	}
	w := sim.New(1, 0)
	defer w.Close()
	w.TurnLimit = 10
	ticks := 0
	e, err := rpcenv.New(w.Host("E", "10.0.0.1"), rpcenv.Config{Name: "E"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = e.Register("Ticker", handler{
		func(c *rpcenv.Context) { c.Every(time.Second, time.Second, tick{}) },
		func(*rpcenv.Context, rpcenv.Message) { ticks++ },
	})
	if err != nil {
		t.Fatal(err)
	}
	w.Advance(time.Hour)
	if w.Err() != nil || ticks != 3600 {
		t.Error(ticks, "ticks,", w.Err())
	}
}

// A World that sets no limit has one, and one that wants none has none.
func TestTheTurnLimitIsAMillion(t *testing.T) {
	for limit, ends := range map[int]bool{0: false, -1: true} {
		w := sim.NewWith(1, nil)
		w.TurnLimit = limit
		e, err := rpcenv.New(w.Host("E", "10.0.0.1"), rpcenv.Config{Name: "E"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Register("Loop", countdown(1_000_001)); err != nil {
			t.Fatal(err)
		}
		w.Settle()
		if (w.Err() == nil) != ends {
			t.Error("limit", limit, w.Err())
		}
		w.Close()
	}
}
