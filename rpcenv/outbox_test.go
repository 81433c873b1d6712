package rpcenv_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/rpcenv"
)

// inOrder checks that texts "SENDER N" come in order from each sender and notes "all" after that many.
func inOrder(w *world, all int) *endpoint {
	next := map[string]int{}
	count := 0
	return &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) {
		var sender string
		var n int
		_, _ = fmt.Sscan(m.(*wrapperspb.StringValue).GetValue(), &sender, &n)
		if next[sender] != n {
			w.t.Errorf("%s: from %s message %d, want %d", c.Self().Name, sender, n, next[sender])
		}
		next[sender] = n + 1
		if count++; count == all {
			w.note("%s has all", c.Self().Name)
		}
	}}
}

func TestMessagesKeepTheirOrderWhileTheConnectionIsMade(t *testing.T) {
	inWorlds(t, func(w *world) {
		const n = 500
		a, b := w.env("A"), w.env("B")
		ref := w.register(a, "E", inOrder(w, n))
		w.do(b, func(b *rpcenv.Blocking) {
			for i := range n {
				_ = b.Send(ref, text(fmt.Sprint("B ", i)))
			}
		})
		w.await("E has all")
		if boxes, conns, _ := b.Held(); boxes != 1 || conns != 1 {
			t.Errorf("%d outboxes, %d connections", boxes, conns)
		}
	})
}

func TestBothSidesMayDialAtOnce(t *testing.T) {
	inWorlds(t, func(w *world) {
		const n = 200
		a, b := w.env("A"), w.env("B")
		toA, toB := w.register(a, "OfA", inOrder(w, n)), w.register(b, "OfB", inOrder(w, n))
		send := func(e *rpcenv.Env, to rpcenv.Ref) {
			e.Go("sender", func(b *rpcenv.Blocking) error {
				for i := range n {
					if err := b.Send(to, text(fmt.Sprint(e.Name(), " ", i))); err != nil {
						return err
					}
				}
				return nil
			})
		}
		send(a, toB)
		send(b, toA)
		w.await("OfA has all")
		w.await("OfB has all")
		for _, e := range []*rpcenv.Env{a, b} {
			if boxes, conns, _ := e.Held(); boxes != 1 || conns < 1 || conns > 2 {
				t.Errorf("%s: %d outboxes, %d connections", e.Name(), boxes, conns)
			}
		}
	})
}

func TestAllThatWaitsFailsWithTheDialAndTheNextSendDialsAgain(t *testing.T) {
	inWorlds(t, func(w *world) {
		first, b := w.env("A"), w.env("B")
		at := first.Address()
		w.close(first)
		ep := &watcher{w: w}
		ep.receive = doer().receive
		asker := w.register(b, "Asker", ep)
		to := rpcenv.Ref{Address: at, Name: "E"}
		w.in(b, asker, func(c *rpcenv.Context) {
			for i := range 2 {
				c.Send(to, text("lost"))
				rpcenv.AskAs(c, to, num(1), func(_ rpcenv.Message, err error) {
					w.note("ask %d unreachable %v", i, errors.Is(err, rpcenv.ErrUnreachableDisconnected))
				})
			}
		})
		w.await("ask 0 unreachable true")
		w.await("ask 1 unreachable true")
		w.await("B: network error " + at.String())
		if n := len(w.noted()); n != 3 && w.sim != nil { // a real dial may fail before the last message is sent
			t.Error("one dial is one network error:", w.noted())
		}
		if d := w.drops(); len(d) != 2 || !strings.HasPrefix(d[0], "google.protobuf.StringValue: no connection") {
			t.Error("messages that were not delivered are events:", d)
		}
		if boxes, _, _ := b.Held(); boxes != 0 {
			t.Error("an outbox is left")
		}

		second := w.makeAt(rpcenv.Config{Name: "A2", Listen: at}, at.Host)
		w.register(second, "E", double(w))
		w.in(b, asker, func(c *rpcenv.Context) { c.Send(to, text("found")) })
		w.await("found")
	})
}

func TestAnOutboxIsBounded(t *testing.T) {
	w := inSim(t)
	a, b := w.env("A"), w.env("B")
	ep := double(w)
	inner := ep.receive
	ep.receive = func(c *rpcenv.Context, m rpcenv.Message) {
		if _, ok := m.(*wrapperspb.BytesValue); !ok {
			inner(c, m)
			return
		}
		w.note("big")
	}
	ref := w.register(a, "E", ep)
	big := wrapperspb.Bytes(make([]byte, 30<<20))
	w.sim.Cut("B", "A")
	w.do(b, func(b *rpcenv.Blocking) {
		_ = b.Env().Send(ref, big)
		_ = b.Env().Send(ref, big)
		if _, err := rpcenv.AskWaitAs[rpcenv.Message](b, ref, big); !errors.Is(err, rpcenv.ErrUnreachableOverloaded) {
			t.Error("an ask beyond the bound:", err)
		}
	})
	if d := w.drops(); len(d) != 0 {
		t.Error("an ask beyond the bound costs nobody else:", d)
	}
	w.do(b, func(b *rpcenv.Blocking) { _ = b.Env().Send(ref, big) })
	if d := w.drops(); len(d) != 3 {
		t.Error("a message beyond the bound ends the stream, an event each:", d)
	}
	w.sim.Heal("B", "A")
	w.do(b, func(b *rpcenv.Blocking) { _ = b.Send(ref, text("after")) })
	w.await("after")
	w.quiet()
	w.wantLog("after") // of what was given up nothing comes
	if !w.sim.Quiet() {
		t.Error("something is under way")
	}

	// The same on an open connection.
	w.sim.Cut("B", "A")
	w.do(b, func(b *rpcenv.Blocking) {
		for range 4 { // one is on the way, two wait
			_ = b.Env().Send(ref, big)
		}
	})
	w.sim.Advance(time.Second)
	if d := w.drops(); len(d) != 6 {
		t.Error("a message beyond the bound ends the connection:", d)
	}
	w.sim.Heal("B", "A")
	w.sim.Advance(time.Second)
	w.do(b, func(b *rpcenv.Blocking) { _ = b.Send(ref, text("again")) })
	w.await("again")
}

func TestAnEnvForgetsPeersThatWent(t *testing.T) {
	inWorlds(t, func(w *world) {
		const peers = 20
		a := w.env("A")
		ep := &watcher{w: w}
		ep.receive = double(w).receive
		ref := w.register(a, "E", ep)
		for i := range peers {
			p := w.make(fmt.Sprint("P", i), i%2 == 0, nil)
			w.do(p, func(b *rpcenv.Blocking) {
				if _, err := rpcenv.AskWaitAs[rpcenv.Message](b, ref, num(1)); err != nil {
					t.Error(err)
				}
			})
			w.close(p)
		}
		w.awaitLines(2 * peers)
		if w.sim != nil {
			w.quiet()
		}
		// Endpoints hear of the end of a connection before its outbox lets it go, which nobody reports.
		boxes, conns, asks := a.Held()
		for until := time.Now().Add(10 * time.Second); boxes != 0 && w.sim == nil && time.Now().Before(until); boxes, conns, asks = a.Held() {
			runtime.Gosched()
		}
		if boxes != 0 || conns > 1 || asks != 0 {
			t.Errorf("held: %d outboxes, %d connections, %d asks", boxes, conns, asks)
		}
	})
}

func TestAnAskThatEndedIsForgottenThoughNobodyAnswers(t *testing.T) {
	w := inSim(t)
	a, b := w.env("A"), w.env("B")
	ref := w.register(a, "E", &endpoint{receive: func(*rpcenv.Context, rpcenv.Message) {}})
	asker := w.register(b, "Asker", doer())
	var h rpcenv.AbortHandle
	w.in(b, asker, func(c *rpcenv.Context) { c.Send(ref, text("open the connection")) })
	w.quiet()
	w.sim.Cut("B", "A")
	w.in(b, asker, func(c *rpcenv.Context) {
		then := func(rpcenv.Message, error) { w.note("ended") }
		rpcenv.AskAs(c, ref, num(1), then, rpcenv.Timeout("test", time.Second))
		rpcenv.AskAs(c, ref, num(1), then, rpcenv.Abort(&h))
	})
	if _, _, asks := b.Held(); asks != 2 {
		t.Error(asks, "asks are under way")
	}
	w.in(b, asker, func(*rpcenv.Context) { h.Abort(errFull) })
	w.awaitLines(2)
	if _, _, asks := b.Held(); asks != 0 {
		t.Error(asks, "asks are kept")
	}
}
