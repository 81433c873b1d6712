package rpcenv_test

import (
	"fmt"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/rpcenv"
)

// watching notes connection events and texts.
func watching(w *world) *watcher {
	ep := &watcher{w: w}
	ep.receive = func(c *rpcenv.Context, m rpcenv.Message) {
		if s, ok := m.(*wrapperspb.StringValue); ok {
			w.note("%s: %s", c.Env().Name(), s.GetValue())
		}
	}
	return ep
}

func TestConnectionEventsEncloseTheMessages(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.env("A"), w.env("B")
		ref := w.register(a, "E", watching(w))
		w.do(b, func(b *rpcenv.Blocking) {
			for i := range 3 {
				_ = b.Send(ref, text(fmt.Sprint(i)))
			}
		})
		w.await("A: 2")
		w.close(b)
		at := b.Address().String()
		w.await("A: disconnected " + at)
		w.wantLog("A: connected "+at, "A: 0", "A: 1", "A: 2", "A: disconnected "+at)
	})
}

func TestAllThatWasSentBeforeAShutdownIsHeard(t *testing.T) {
	inWorlds(t, func(w *world) {
		const n = 300
		a, b := w.env("A"), w.env("B")
		count := 0
		ep := watching(w)
		ep.receive = func(*rpcenv.Context, rpcenv.Message) {
			switch count++; count {
			case 1:
				w.note("open")
			case n:
				w.note("all")
			}
		}
		ref := w.register(a, "E", ep)
		w.register(b, "Sender", &endpoint{stop: func(c *rpcenv.Context) {
			for range n - 1 {
				c.Send(ref, text("x"))
			}
		}})
		w.do(b, func(b *rpcenv.Blocking) { _ = b.Send(ref, text("open the connection")) })
		w.await("open")
		w.close(b)
		w.await("A: disconnected " + b.Address().String())
		w.wantLog("A: connected "+b.Address().String(), "open", "all", "A: disconnected "+b.Address().String())
	})
}

func TestEachConnectionIsOneEventNamedByTheListeningAddress(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.env("A"), w.env("B")
		ref := w.register(a, "E", watching(w))
		w.register(b, "E", watching(w))
		w.do(b, func(b *rpcenv.Blocking) { _ = b.Send(ref, text("hello")) })
		w.awaitLines(3)
		if w.sim != nil {
			w.quiet()
		}
		count := map[string]int{}
		for _, line := range w.noted() {
			count[line]++
		}
		if len(count) != 3 || count["A: connected "+b.Address().String()] != 1 || count["B: connected "+a.Address().String()] != 1 {
			t.Error(w.noted())
		}
	})
}

// B crashes unheard, and another process takes its address. An endpoint that watches hears the end of the old one first.
func TestANewIncarnationEndsTheConnectionsOfTheOldOneFirst(t *testing.T) {
	w := inSim(t)
	a := w.env("A")
	ref := w.register(a, "E", watching(w))
	at := rpcenv.Address{Host: "10.0.1.1", Port: 7078}
	start := func(name string) *rpcenv.Env { return w.makeAt(rpcenv.Config{Name: name, Listen: at}, at.Host) }
	old := start("B")
	w.do(old, func(b *rpcenv.Blocking) { _ = b.Send(ref, text("old")) })
	w.await("A: old")
	asker := w.register(a, "Asker", doer())
	w.sim.Cut("B", "A")
	w.in(a, asker, func(c *rpcenv.Context) {
		rpcenv.AskAs(c, rpcenv.Ref{Address: at, Name: "Nobody"}, num(1), func(rpcenv.Message, error) { w.note("A: its ask failed") })
	})
	w.crash(old)
	young := start("B2")
	w.do(young, func(b *rpcenv.Blocking) { _ = b.Send(ref, text("young")) })
	w.await("A: young")
	w.sim.Heal("B", "A")
	w.sim.Advance(time.Second)
	w.wantLog("A: connected "+at.String(), "A: old", "A: disconnected "+at.String(), "A: its ask failed", "A: connected "+at.String(), "A: young")
	w.in(a, asker, func(c *rpcenv.Context) {
		rpcenv.AskAs(c, rpcenv.Ref{Address: at, Name: rpcenv.VerifierName}, num(1), func(_ rpcenv.Message, err error) { w.note("the young one answers") })
	})
	w.await("the young one answers")
	w.close(young)
}

func TestACrashIsADisconnection(t *testing.T) {
	inCrashingWorlds(t, func(w *world) {
		a, b := w.env("A"), w.env("B")
		ref := w.register(a, "E", watching(w))
		w.do(b, func(b *rpcenv.Blocking) { _ = b.Send(ref, text("hello")) })
		w.await("A: hello")
		w.crash(b)
		w.await("A: disconnected " + b.Address().String())
	})
}
