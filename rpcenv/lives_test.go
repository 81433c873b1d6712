package rpcenv_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/sim"
	"github.com/coherer/coherer/rpcenv/transport"
)

// hasActor reports whether an endpoint's actor is there.
func hasActor(id string) bool {
	_, found := rpcenv.ActorSystem().ProcessRegistry.GetLocal(id)
	return found
}

// The actor that an endpoint is ends with it, also in a crash; its Env keeps nothing of it.
func TestAnEndpointsActorEndsWithIt(t *testing.T) {
	for name, opts := range map[string][]rpcenv.Option{"serial": nil, "concurrent": {rpcenv.Concurrent()}, "isolated": {rpcenv.Isolated(1)}} {
		t.Run(name, func(t *testing.T) {
			w := inSim(t)
			e := w.env("A")
			stopped := e.NextActor("Stopped")
			w.registerAs(e, "Stopped", noting(w), opts...)
			crashed := e.NextActor("Crashed")
			w.registerAs(e, "Crashed", noting(w), opts...)
			w.quiet()
			if n, _ := e.Living(); n != 3 || !hasActor(stopped) || !hasActor(crashed) {
				t.Error(n, hasActor(stopped), hasActor(crashed))
			}
			e.Stop("Stopped")
			w.quiet()
			if n, _ := e.Living(); n != 2 || hasActor(stopped) || !hasActor(crashed) || !w.sim.Quiet() {
				t.Error(n, hasActor(stopped), hasActor(crashed), w.sim.Quiet())
			}
			w.crash(e)
			if hasActor(crashed) {
				t.Error("the actor outlives the crash")
			}
			if _, err := e.Register("Late", noting(w)); !errors.Is(err, rpcenv.ErrStopped) {
				t.Error(err)
			}
		})
	}
}

// What a PID's actor is sent directly is for the endpoint.
func TestAMessageToAnEndpointsActorIsForTheEndpoint(t *testing.T) {
	w := newWorld(t, "memory")
	e := w.env("A")
	id := e.NextActor("E")
	w.register(e, "E", double(w))
	rpcenv.ActorSystem().Root.Send(actor.NewPID("nonhost", id), text("direct"))
	w.await("direct")
}

// Until OnStart has gone well, and from a stop on, the messages of a concurrent endpoint come in order.
func TestAConcurrentEndpointThatDidNotStartWellIsInOrder(t *testing.T) {
	for name, start := range map[string]func(c *rpcenv.Context){
		"it fails": func(*rpcenv.Context) { panic("no start") },
		"it stops": func(c *rpcenv.Context) { c.Stop() },
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(20) {
				w := &world{t: t, kind: "sim", sim: sim.New(seed, 0), crashed: map[*rpcenv.Env]bool{}}
				w.changed = sync.NewCond(&w.mu)
				e, err := rpcenv.New(w.sim.Host("A", "10.0.0.1"), rpcenv.Config{Name: "A", Log: rpcenv.NoLog()})
				if err != nil {
					t.Fatal(err)
				}
				ep := noting(w)
				ep.start = start
				ref := w.registerAs(e, "E", ep, rpcenv.Concurrent())
				w.send(e, ref, "1", "2", "3", "4")
				w.quiet()
				e.Stop("E")
				w.quiet()
				if got := strings.Join(w.noted(), " "); got != "1 2 3 4 OnStop" {
					t.Errorf("seed %d: %s", seed, got)
				}
				w.sim.Close()
			}
		})
	}
}

// An Env in client mode lives on without endpoints and connections; Shutdown alone ends it.
func TestAnEnvWithoutEndpointsLivesOn(t *testing.T) {
	w := inSim(t)
	a, k := w.env("A"), w.client("K")
	ref := w.register(a, "E", double(w))
	w.register(k, "C", noting(w))
	w.say(k, ref, "hello")
	w.await("hello")
	k.Stop("C")
	w.quiet()
	if _, conns, _ := k.Held(); conns != 1 || over(k) {
		t.Error(conns, "connections", over(k))
	}
	w.say(k, ref, "again")
	w.await("again")
}

// A second stop of an endpoint does not stop the one that has its name since.
func TestASecondStopLeavesTheNextOfTheName(t *testing.T) {
	w := inSim(t)
	e := w.env("A")
	ref := w.register(e, "E", doer())
	w.in(e, ref, func(c *rpcenv.Context) {
		c.Stop()
		w.register(e, "E", noting(w))
		c.Stop()
	})
	w.send(e, ref, "for the next")
	w.quiet()
	w.wantLog("OnStart", "for the next")
}

func TestWhatComesFromOutsideIsOfTheEnvItself(t *testing.T) {
	w := inSim(t)
	e := w.env("A")
	ref := w.register(e, "E", doer())
	w.in(e, ref, func(c *rpcenv.Context) {
		c.Outside("news")(do{f: func(c *rpcenv.Context) { w.note("from %s", c.Sender()) }})
	})
	w.await("from " + e.Address().String())
}

func TestWhatIsNoMessageIsNotSentFromOutside(t *testing.T) {
	w := inSim(t)
	e := w.env("A")
	ep := &endpoint{start: func(c *rpcenv.Context) {
		if c.Sender() != e.Address() {
			t.Error(c.Sender())
		}
	}}
	if err := e.Send(w.register(e, "E", ep), 7); !errors.Is(err, rpcenv.ErrNotMessage) {
		t.Error(err)
	}
	w.quiet()
}

// A body that is cancelled forgets its ask, waits no more, and is forgotten by its Env.
func TestABodyThatEndsLeavesNothing(t *testing.T) {
	w := inSim(t)
	a, b := w.env("A"), w.env("B")
	ref := w.register(a, "E", keeper(w))
	registered := 0
	job := b.Go("asks", func(b *rpcenv.Blocking) error {
		_, err := rpcenv.AskWait(b, ref, &rpc.CheckExistence{})
		_ = b.Wait(func(func()) { registered++ }) // a second wait ends the body
		return err
	})
	w.await("asked")
	if _, bodies := b.Living(); bodies != 1 {
		t.Error(bodies, "bodies")
	}
	job.Stop()
	w.quiet()
	if _, _, asks := b.Held(); asks != 0 || registered != 0 || !errors.Is(job.Err(), rpcenv.ErrStopped) {
		t.Error(asks, "asks", registered, "waits", job.Err())
	}
	w.do(b, func(b *rpcenv.Blocking) {
		b.Close() // of a body: nothing
		if err := b.Sleep(time.Second); err != nil {
			t.Error(err)
		}
	})
	if _, bodies := b.Living(); bodies != 0 || !w.sim.Quiet() {
		t.Error(bodies, "bodies", w.sim.Quiet())
	}
}

// An ordinary goroutine may go on waiting: each wait returns why it is over.
func TestEachWaitOfAGoroutineReturnsTheCause(t *testing.T) {
	w := newWorld(t, "memory")
	e := w.env("A")
	ctx, cancel := context.WithCancelCause(t.Context())
	b := e.Blocking(ctx)
	cancel(errFull)
	for range 3 {
		if err := b.Sleep(time.Hour); !errors.Is(err, errFull) {
			t.Error(err)
		}
	}
	b.Close()
	if _, bodies := e.Living(); bodies != 0 {
		t.Error(bodies, "bodies")
	}
}

// busyHost is a real Host that wants to know when nothing is under way.
type busyHost struct {
	*transport.Host
	work atomic.Int64
	idle chan struct{}
}

func (h *busyHost) Hooks() rpcenv.Hooks {
	return rpcenv.Hooks{Busy: func(n int) {
		if h.work.Add(int64(n)) == 0 {
			h.idle <- struct{}{}
		}
	}}
}

// Work under way is counted in the real world too, where tests wait until all is quiet.
func TestAProcessIsIdleOnlyBetweenItsItems(t *testing.T) {
	w := newWorld(t, "memory")
	h := &busyHost{Host: w.hostOf("A", "").(*transport.Host), idle: make(chan struct{}, 10)}
	e, err := rpcenv.New(h, rpcenv.Config{Name: "A", Log: rpcenv.NoLog()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	ref := w.register(e, "E", &endpoint{receive: func(*rpcenv.Context, rpcenv.Message) { w.note("idle %v", h.work.Load() == 0) }})
	<-h.idle // after OnStart
	w.send(e, ref, "x")
	<-h.idle
	w.wantLog("idle false")
}

// The PIDs of an Env end with a crash too.
func TestACrashEndsPIDs(t *testing.T) {
	w := inSim(t)
	e := w.env("A")
	_ = e.PID(w.register(e, "E", double(w)))
	if !rpcenv.HasPIDs(e) {
		t.Error("it has none")
	}
	w.crash(e)
	if rpcenv.HasPIDs(e) {
		t.Error("an Env that has crashed is kept for its PIDs")
	}
}

// What an endpoint asked for is forgotten when it stops.
func TestAStoppedEndpointsAsksAreForgotten(t *testing.T) {
	w := inSim(t)
	a, b := w.env("A"), w.env("B")
	ref := w.register(a, "E", keeper(w))
	asker := w.register(b, "Asker", doer())
	w.in(b, asker, func(c *rpcenv.Context) {
		rpcenv.Ask(c, ref, &rpc.CheckExistence{}, func(*rpc.Bool, error) { t.Error("called after the stop") })
	})
	w.await("asked")
	b.Stop("Asker")
	w.quiet()
	if _, _, asks := b.Held(); asks != 0 {
		t.Error(asks, "asks are kept")
	}
}

// Lanes are queues of their own: a new one leaves what waits in the others.
func TestLanesDoNotDisturbEachOther(t *testing.T) {
	w := inSim(t)
	e := w.env("A")
	ref := w.register(e, "E", doer())
	w.in(e, ref, func(c *rpcenv.Context) {
		for _, lane := range []string{"a", "a", "b", "b", "a"} {
			rpcenv.Run(c, lane, func(b *rpcenv.Blocking) (int, error) { return 0, b.Sleep(time.Second) }, func(int, error) {
				w.note("%s at %s", lane, c.Now().Format("5"))
			})
		}
	})
	w.sim.Advance(time.Minute)
	got := w.noted()
	slices.Sort(got)
	if want := []string{"a at 1", "a at 2", "a at 3", "b at 1", "b at 2"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestTenThousandBodiesMayWaitInALane(t *testing.T) {
	w := inSim(t)
	e := w.env("A")
	ref := w.register(e, "E", doer())
	ran, told := 0, 0
	w.in(e, ref, func(c *rpcenv.Context) {
		for i := range 10_003 {
			rpcenv.Run(c, "lane", func(*rpcenv.Blocking) (int, error) {
				ran++
				return 0, nil
			}, func(_ int, err error) {
				told++
				if over := i > 10_000; errors.Is(err, rpcenv.ErrUnreachableOverloaded) != over {
					t.Errorf("%d: %v", i, err)
				}
				if err != nil && err.Error() != "no room: 10000 bodies wait in lane lane of E" {
					t.Error(err)
				}
			})
		}
	})
	w.quiet()
	if ran != 10_001 || told != 10_003 {
		t.Error(ran, told)
	}
	if _, bodies := e.Living(); bodies != 0 {
		t.Error(bodies, "bodies are kept")
	}
}

func TestNoLogSaysNothing(t *testing.T) {
	l := rpcenv.NoLog().Logger
	if l.Out != io.Discard || l.IsLevelEnabled(logrus.ErrorLevel) {
		t.Error(l.Out, l.Level)
	}
	rpcenv.Door{At: "0.0.0.0:1"}.Warn(nil)
}

// The stack of a panic is the user's: of a handler and of a body.
func TestTheStackOfAPanicIsTheUsersAlone(t *testing.T) {
	w := inSim(t)
	a, b := w.env("A"), w.env("B")
	ref := w.register(a, "E", &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) {
		q, later := m.(*rpc.CheckExistence)
		if !later {
			panic("of the handler")
		}
		call := rpcenv.Defer(c, q)
		rpcenv.Run(c, "", func(*rpcenv.Blocking) (int, error) { panic("of the body") }, func(_ int, err error) { call.Fail(err) })
	}})
	w.do(b, func(blocking *rpcenv.Blocking) {
		for _, m := range []rpcenv.Message{num(1), &rpc.CheckExistence{}} {
			_, err := rpcenv.AskWaitAs[rpcenv.Message](blocking, ref, m)
			r, ok := errors.AsType[*rpcenv.RemoteError](err)
			if !ok || !strings.Contains(r.Stack, "TestTheStackOfAPanic") {
				t.Fatalf("%#v", err)
			}
			for _, own := range []string{"runtime.", "(*inbox)", "(*Blocking)", "sim."} {
				if strings.Contains(r.Stack, own) {
					t.Errorf("%s in %s", own, r.Stack)
				}
			}
		}
	})
}
