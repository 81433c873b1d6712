package rpcenv_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/sim"
)

// gate is an endpoint whose handlers of text stop until the gate opens, as no handler should: it is how a test sees that
// callbacks overlap.
type gate struct {
	endpoint
	w    *world
	open chan struct{}
	in   atomic.Int32
	most atomic.Int32
}

func newGate(w *world) *gate {
	g := &gate{w: w, open: make(chan struct{})}
	g.stop = func(*rpcenv.Context) {
		if n := g.in.Load(); n != 0 {
			w.t.Errorf("OnStop while %d callbacks run", n)
		}
		w.note("OnStop")
	}
	g.receive = func(_ *rpcenv.Context, m rpcenv.Message) {
		n := g.in.Add(1)
		for most := g.most.Load(); n > most && !g.most.CompareAndSwap(most, n); most = g.most.Load() {
		}
		w.note("in %s", m.(say).text)
		<-g.open
		g.in.Add(-1)
		w.note("out %s", m.(say).text)
	}
	return g
}

func (w *world) registerAs(e *rpcenv.Env, name string, ep rpcenv.Endpoint, opts ...rpcenv.Option) rpcenv.Ref {
	w.t.Helper()
	ref, err := e.Register(name, ep, opts...)
	if err != nil {
		w.t.Fatal(err)
	}
	return ref
}

func (w *world) send(e *rpcenv.Env, to rpcenv.Ref, words ...string) {
	w.t.Helper()
	for _, word := range words {
		if err := e.Send(to, say{text: word}); err != nil {
			w.t.Fatal(err)
		}
	}
}

func threads(t *testing.T, n string) *conf.Conf {
	c, err := conf.New(map[string]string{rpcenv.RPCDispatcherThreads.Key(): n})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCallbacksOfAConcurrentEndpointOverlapUpToTheThreadsOfTheDispatcher(t *testing.T) {
	w := newWorld(t, "memory")
	e := w.make("A", true, threads(t, "2"))
	g := newGate(w)
	ref := w.registerAs(e, "E", g, rpcenv.Concurrent())
	w.send(e, ref, "1", "2", "3", "4")
	w.awaitLines(2) // both are in at once, or this would never come
	close(g.open)
	w.awaitLines(8)
	if g.most.Load() != 2 {
		t.Errorf("%d callbacks at once, want 2", g.most.Load())
	}
}

func TestAnIsolatedEndpointHasItsOwnThreads(t *testing.T) {
	w := newWorld(t, "memory")
	e := w.make("A", true, threads(t, "1"))
	g := newGate(w)
	ref := w.registerAs(e, "E", g, rpcenv.Isolated(3))
	w.send(e, ref, "1", "2", "3", "4")
	w.awaitLines(3)
	close(g.open)
	w.awaitLines(8)
	if g.most.Load() != 3 {
		t.Errorf("%d callbacks at once, want 3", g.most.Load())
	}
}

func TestAnIsolatedEndpointOfOneThreadIsSerialAndInOrder(t *testing.T) {
	w := newWorld(t, "memory")
	e := w.env("A")
	g := newGate(w)
	close(g.open)
	ref := w.registerAs(e, "E", g, rpcenv.Isolated(1))
	want := []string{}
	for i := range 100 {
		w.send(e, ref, fmt.Sprint(i))
		want = append(want, fmt.Sprint("in ", i), fmt.Sprint("out ", i))
	}
	w.awaitLines(200)
	w.wantLog(want...)
}

func TestASerialEndpointNeverOverlaps(t *testing.T) {
	w := newWorld(t, "memory")
	e := w.env("A")
	g := newGate(w)
	close(g.open)
	ref := w.register(e, "E", g)
	var senders sync.WaitGroup
	for range 4 {
		senders.Go(func() {
			for range 100 {
				_ = e.Send(ref, say{text: "x"})
			}
		})
	}
	senders.Wait()
	w.awaitLines(800)
	if g.most.Load() != 1 {
		t.Errorf("%d callbacks at once", g.most.Load())
	}
}

func TestAConcurrentEndpointIsConcurrentOnlyAfterOnStart(t *testing.T) {
	w := newWorld(t, "memory")
	e := w.make("A", true, threads(t, "4"))
	g := newGate(w)
	begun := make(chan struct{})
	g.start = func(*rpcenv.Context) {
		<-begun
		w.note("OnStart")
	}
	ref := w.registerAs(e, "E", g, rpcenv.Concurrent())
	w.send(e, ref, "1", "2")
	close(begun)
	w.awaitLines(3)
	close(g.open)
	w.awaitLines(5)
	if log := w.noted(); log[0] != "OnStart" {
		t.Errorf("a message came before the end of OnStart: %v", log)
	}
}

func TestIfOnStartFailsConcurrencyStaysOff(t *testing.T) {
	w := newWorld(t, "memory")
	e := w.make("A", true, threads(t, "4"))
	g := newGate(w)
	close(g.open)
	g.start = func(*rpcenv.Context) { panic("no start") }
	ref := w.registerAs(e, "E", g, rpcenv.Concurrent())
	var want []string
	for i := range 50 {
		w.send(e, ref, fmt.Sprint(i))
		want = append(want, fmt.Sprint("in ", i), fmt.Sprint("out ", i))
	}
	w.awaitLines(100)
	w.wantLog(want...)
}

func TestOnStopOfAConcurrentEndpointWaitsForAllOthersAndIsLast(t *testing.T) {
	w := newWorld(t, "memory")
	e := w.make("A", true, threads(t, "3"))
	g := newGate(w)
	ref := w.registerAs(e, "E", g, rpcenv.Concurrent())
	w.send(e, ref, "1", "2", "3", "4", "5")
	w.awaitLines(3)
	if !e.Stop("E") || e.Stop("E") {
		t.Error("the name is free at once")
	}
	w.send(e, ref, "6")
	close(g.open)
	w.await("OnStop")
	w.close(e)
	log := w.noted()
	if len(log) != 11 || log[10] != "OnStop" {
		t.Fatalf("what was queued is handled, then OnStop, then nothing: %v", log)
	}
	for i, line := range log[3:10] {
		if line == "in 5" && (log[3+i-1] != "out 4" || log[3+i+1] != "out 5") {
			t.Errorf("after a stop messages come one by one: %v", log)
		}
	}
	w.wantDrop("Could not find E.")
}

// wantDrop fails the test unless a message was dropped with that reason.
func (w *world) wantDrop(why string) {
	w.t.Helper()
	if !slices.ContainsFunc(w.drops(), func(d string) bool { return strings.Contains(d, why) }) {
		w.t.Errorf("dropped: %q, want one of %q", w.drops(), why)
	}
}

// In a World the callbacks of a concurrent endpoint come one by one, each order for some seed, the same for one seed.
func TestMessagesOfAConcurrentEndpointComeInSeededOrder(t *testing.T) {
	order := func(seed uint64) string {
		w := &world{t: t, kind: "sim", sim: sim.New(seed, 0), crashed: map[*rpcenv.Env]bool{}}
		w.changed = sync.NewCond(&w.mu)
		w.rec = w.sim.Recorder()
		defer w.sim.Close()
		e, err := rpcenv.New(w.sim.Host("A", "10.0.0.1"), rpcenv.Config{Name: "A"})
		if err != nil {
			t.Fatal(err)
		}
		ref := w.registerAs(e, "E", noting(w), rpcenv.Concurrent())
		w.quiet()
		w.send(e, ref, "1", "2", "3")
		w.quiet()
		e.Shutdown()
		w.quiet()
		return strings.Join(w.noted(), " ")
	}
	seen := map[string]bool{}
	for seed := range uint64(100) {
		got := order(seed)
		if got != order(seed) {
			t.Fatalf("seed %d: two runs differ", seed)
		}
		seen[got] = true
	}
	if len(seen) != 6 {
		t.Errorf("%d orders of 3 messages, want 6: %v", len(seen), seen)
	}
	for o := range seen {
		if !strings.HasPrefix(o, "OnStart ") || !strings.HasSuffix(o, " OnStop") {
			t.Error(o)
		}
	}
}

func TestAConcurrentEndpointHasAContextForEachMessageAndItsContinuationsUseIt(t *testing.T) {
	inWorlds(t, func(w *world) {
		e := w.make("A", true, threads(w.t, "4"))
		answering := w.register(e, "Double", double(w))
		ep := doer()
		ref := w.registerAs(e, "E", ep, rpcenv.Concurrent())
		contexts := make([]*rpcenv.Context, 2)
		for i := range contexts {
			w.in(e, ref, func(c *rpcenv.Context) {
				contexts[i] = c
				rpcenv.AskAs(c, answering, num(4), func(r *wrapperspb.Int32Value, err error) {
					w.note("%d answered %d %v", i, r.GetValue(), err)
					c.Send(answering, text(fmt.Sprint(i, " sent from the continuation")))
				})
			})
		}
		for i := range contexts {
			w.await(fmt.Sprint(i, " answered 8 <nil>"))
			w.await(fmt.Sprint(i, " sent from the continuation"))
		}
		if contexts[0] == contexts[1] {
			w.t.Error("two messages had one Context")
		}
	})
}

func TestAContinuationComesAfterItsHandler(t *testing.T) {
	w := newWorld(t, "memory")
	e := w.make("A", true, threads(t, "4"))
	ep := doer()
	ref := w.registerAs(e, "E", ep, rpcenv.Concurrent())
	answering := w.register(e, "Double", double(w))
	answered := make(chan struct{})
	if err := e.Send(ref, do{f: func(c *rpcenv.Context) {
		rpcenv.AskAs(c, answering, num(1), func(*wrapperspb.Int32Value, error) { w.note("continuation") })
		rpcenv.Run(c, "", func(*rpcenv.Blocking) (int, error) {
			close(answered)
			return 0, nil
		}, func(int, error) { w.note("run") })
		<-answered // the ends are on their way or in the inbox, where other turns are free for them
		w.note("handler ends")
	}}); err != nil {
		t.Fatal(err)
	}
	w.awaitLines(3)
	if log := w.noted(); log[0] != "handler ends" {
		t.Error(log)
	}
}

func TestADeferredAskOfAConcurrentEndpointFailsAtOnStop(t *testing.T) {
	inWorlds(t, func(w *world) {
		e := w.make("A", true, threads(w.t, "4"))
		ref := w.registerAs(e, "E", &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) {
			rpcenv.Defer(c, m.(answered))
			c.Stop()
		}}, rpcenv.Concurrent())
		w.do(e, func(b *rpcenv.Blocking) {
			if _, err := rpcenv.AskWait(b, ref, answered{}); !errors.Is(err, rpcenv.ErrRefusedStopped) {
				w.t.Error(err)
			}
		})
	})
}

type answered struct{ rpcenv.Local }

func (answered) ReplyType() *wrapperspb.Int32Value { return nil }

func TestTimersOfAConcurrentEndpointTickAndEndWithIt(t *testing.T) {
	w := inSim(t)
	e := w.make("A", true, threads(t, "4"))
	ticks := 0
	w.registerAs(e, "E", &endpoint{
		start:   func(c *rpcenv.Context) { c.Every(0, time.Second, say{text: "tick"}) },
		receive: func(*rpcenv.Context, rpcenv.Message) { ticks++ },
	}, rpcenv.Concurrent())
	w.sim.Advance(9500 * time.Millisecond)
	e.Stop("E")
	w.sim.Advance(time.Minute)
	if ticks != 10 {
		t.Errorf("%d ticks", ticks)
	}
}

func TestABlockedEndpointHoldsUpNoOther(t *testing.T) {
	w := newWorld(t, "memory")
	e := w.make("A", true, threads(t, "1"))
	var gates []*gate
	for i := range 8 {
		g := newGate(w)
		gates = append(gates, g)
		w.send(e, w.register(e, fmt.Sprint("G", i), g), "x")
	}
	w.awaitLines(8)
	w.send(e, w.register(e, "E", noting(w)), "heard")
	w.await("heard")
	for _, g := range gates {
		close(g.open)
	}
}
