package rpcenv_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/fault"
)

func TestABodyWaitsForRoomAndLosesNothing(t *testing.T) {
	inWorlds(t, func(w *world) {
		const n = 5000 // five times what may wait
		a, b := w.make("A", true, narrow(t)), w.make("B", true, narrow(t))
		ep, open := slowly(w, n)
		ref := w.register(a, "Slow", ep)
		open()
		most := 0
		w.do(b, func(b *rpcenv.Blocking) {
			for i := range n {
				if err := b.Send(ref, kib(i)); err != nil {
					t.Error(err)
				}
				_, bytes := waiting(b.Env())
				most = max(most, bytes)
			}
		})
		w.await(fmt.Sprint(n))
		w.wantLog(fmt.Sprint(n)) // each came, in order
		// A window is under way, another one waits, and the message that made it full.
		if most > 140<<10 || most < 64<<10 {
			t.Error(most, "bytes waited")
		}
		if d := w.drops(); len(d) != 0 {
			t.Error(d[:1])
		}
	})
}

func TestASlowEndpointHoldsUpItsOwnMessagesAlone(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.make("A", true, narrow(t)), w.make("B", true, narrow(t))
		ep, open := slowly(w, 500)
		slow, fast := w.register(a, "Slow", ep), w.register(a, "Fast", double(w))
		asker := w.register(b, "Asker", newSender(w))
		w.connect(b, slow)
		w.in(b, asker, func(c *rpcenv.Context) {
			for i := range 500 {
				c.Send(slow, kib(i))
			}
			rpcenv.AskAs(c, fast, num(21), func(r *wrapperspb.Int32Value, err error) { w.note("%d %v", r.GetValue(), err) })
		})
		w.await("42 <nil>")
		if log := w.noted(); !slices.Equal(log, []string{"Slow is behind: true", "42 <nil>"}) {
			t.Error(log)
		}
		if n, _ := waiting(b); n < 400 { // 52 are a window
			t.Error(n, "messages wait")
		}
		open()
		w.await("Slow is behind: false")
		w.await("500")
		if n, _ := waiting(b); n != 0 {
			t.Error(n, "wait")
		}
	})
}

func TestBeyondTheBoundAnAskFails(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.make("A", true, narrow(t)), w.make("B", true, narrow(t))
		ep, open := slowly(w, 50)
		slow := w.register(a, "Slow", ep)
		s := w.register(b, "Sender", newSender(w))
		w.in(b, s, func(c *rpcenv.Context) { c.Send(slow, kib(0)) })
		var failed, answered int
		w.in(b, s, func(c *rpcenv.Context) {
			for i := range 1000 { // 1 MiB and a window are 869
				rpcenv.AskAs(c, slow, kib(i+1), func(_ *wrapperspb.Int32Value, err error) {
					switch {
					case errors.Is(err, rpcenv.ErrUnreachableOverloaded):
						failed++
					case err == nil:
						answered++
					default:
						w.note("%v", err)
					}
					if failed+answered == 1000 {
						w.note("%d failed", failed)
					}
				})
			}
		})
		w.await("Slow is behind: true")
		open()
		w.until("failures", func(log []string) bool {
			return slices.ContainsFunc(log, func(l string) bool { return strings.HasSuffix(l, " failed") })
		})
		if answered < 700 || failed < 100 {
			t.Error(answered, "answered,", failed, "failed")
		}
		w.await("Slow is behind: false")
		if d := w.drops(); len(d) != 0 {
			t.Error("the stream goes on:", d[:1])
		}
	})
}

func TestBeyondTheBoundAMessageEndsTheStream(t *testing.T) {
	inWorlds(t, func(w *world) {
		const n = 2000
		a, b := w.make("A", true, narrow(t)), w.make("B", true, narrow(t))
		ep, open := slowly(w, 10*n)
		slow := w.register(a, "Slow", ep)
		s := w.register(b, "Sender", newSender(w))
		w.connect(b, slow)
		w.in(b, s, func(c *rpcenv.Context) {
			for i := range n {
				c.Send(slow, kib(i))
			}
		})
		w.await("the stream to Slow ended: true")
		open()
		w.await("Slow is behind: false")
		// Each is handled, or an event, but what was on its way when a connection ended: a window each time. An old connection may
		// still make its events when the next one has its first answer.
		handled, dropped, asked := 0, 0, 0
		w.do(b, func(b *rpcenv.Blocking) {
			for tries := 0; tries < 10_000 && handled+dropped < n-200; tries++ {
				if _, err := rpcenv.AskWaitAs[*wrapperspb.Int32Value](b, slow, kib(n)); err == nil {
					asked++
				}
				handled, dropped = int(ep.handled.Load())-asked, len(w.drops())
			}
		})
		if handled+dropped < n-200 || dropped < n/2 || handled > n/2 {
			t.Error(handled, "handled,", dropped, "dropped")
		}
	})
}

func TestWhatAnEndpointNeverTookIsGivenBack(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.make("A", true, narrow(t)), w.make("B", true, narrow(t))
		at := w.register(a, "First", double(w))
		nobody := b.Ref(at.Address, "Late")
		w.do(b, func(b *rpcenv.Blocking) {
			for i := range 1000 { // many windows
				if err := b.Send(nobody, kib(i)); err != nil {
					t.Error(err)
				}
			}
			_, err := rpcenv.AskWaitAs[*wrapperspb.Int32Value](b, nobody, num(1)) // behind them in the stream
			if !errors.Is(err, rpcenv.ErrRefusedNotFound) {
				t.Error(err)
			}
		})
		w.register(a, "Late", double(w))
		w.do(b, func(b *rpcenv.Blocking) {
			if r, err := rpcenv.AskWaitAs[*wrapperspb.Int32Value](b, nobody, num(1)); r.GetValue() != 2 {
				t.Error(r, err)
			}
		})
		// Both sides forget an endpoint that has ended.
		a.Stop("Late")
		w.do(b, func(b *rpcenv.Blocking) {
			for left := true; left && !b.Done(); {
				_, _ = rpcenv.AskWaitAs[*wrapperspb.Int32Value](b, at, num(1)) // time passes
				streams, _ := b.Env().Streams()
				_, ledgers := a.Streams()
				left = slices.Contains(streams, "Late") || slices.Contains(ledgers, "Late")
			}
		})
	})
}

func TestAMessageLargerThanTheWindowGoesAlone(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.make("A", true, narrow(t)), w.make("B", true, narrow(t))
		ref := w.register(a, "E", &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) {
			w.note("%d", len(m.(*wrapperspb.BytesValue).GetValue()))
		}})
		w.do(b, func(b *rpcenv.Blocking) {
			for _, n := range []int{1, 40_000, 3 << 20, 2, 30 << 20, 3} {
				if err := b.Send(ref, wrapperspb.Bytes(make([]byte, n))); err != nil {
					t.Error(err)
				}
			}
			if err := b.Send(ref, wrapperspb.Bytes(make([]byte, rpcenv.MaxMessage))); !errors.Is(err, rpcenv.ErrUnreachableOverloaded) {
				t.Error("too large:", err)
			}
		})
		w.await("3")
		w.wantLog("1", "40000", "3145728", "2", "31457280", "3")
	})
}

func TestTheEndOfAConnectionFailsWhatWaits(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.make("A", true, narrow(t)), w.make("B", true, narrow(t))
		ep, open := slowly(w, 10_000)
		slow := w.register(a, "Slow", ep)
		s := w.register(b, "Sender", newSender(w))
		w.connect(b, slow)
		w.in(b, s, func(c *rpcenv.Context) {
			for i := range 500 {
				c.Send(slow, kib(i))
			}
			rpcenv.AskAs(c, slow, kib(500), func(_ *wrapperspb.Int32Value, err error) {
				w.note("unreachable: %t", errors.Is(err, rpcenv.ErrUnreachableDisconnected))
			})
		})
		w.await("Slow is behind: true")
		waits := b.Go("waits", func(b *rpcenv.Blocking) error {
			defer w.note("the body goes on")
			return b.Send(slow, kib(501))
		})
		defer waits.Stop()
		b.Break()
		w.await("unreachable: true")
		w.await("Slow is behind: false")
		w.await("the body goes on")
		dropped := slices.DeleteFunc(w.drops(), func(d string) bool { return !strings.HasSuffix(d, "ended before it was sent: broken by the test") })
		if len(dropped) < 400 {
			t.Error(len(dropped), "events")
		}
		open()
	})
}

func TestShutdownSendsWhatWaitsForCredit(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.make("A", true, narrow(t)), w.make("B", true, narrow(t))
		ep, open := slowly(w, 500)
		slow := w.register(a, "Slow", ep)
		w.connect(b, slow)
		w.do(b, func(b *rpcenv.Blocking) {
			for i := range 500 {
				if err := b.Env().Send(slow, kib(i)); err != nil {
					t.Error(err)
				}
			}
		})
		w.close(b)
		open()
		w.await("500")
	})
}

func TestALostMessageGivesItsCreditBack(t *testing.T) {
	w := inSim(t)
	a, b := w.make("A", true, narrow(t)), w.make("B", true, narrow(t))
	ref := w.register(a, "E", double(w))
	s := w.register(b, "Sender", newSender(w))
	f, err := fault.Parse("drop B->A:StringValue for=10s")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.sim.Apply(f); err != nil {
		t.Fatal(err)
	}
	w.in(b, s, func(c *rpcenv.Context) {
		for i := range 500 {
			c.Send(ref, kib(i))
		}
	})
	w.sim.Advance(10 * time.Second)
	w.in(b, s, func(c *rpcenv.Context) { c.Send(ref, text("after")) })
	w.await("after")
}

func TestAPeerGivesBackNoMoreThanItGot(t *testing.T) {
	w := inSim(t)
	a, l, c := slow(w)
	c.SetWindow(1000)
	for range 4 {
		if err := c.Send(100); err != nil { // 356 each
			t.Error(err)
		}
	}
	if len(l.sent) != 2 {
		t.Error(l.sent)
	}
	credit := func(endpoint string, n uint32) {
		c.Receive(&rpcenv.Envelope{
			Kind: rpcenv.KindOneWay, Endpoint: rpcenv.VerifierName, Content: content(&rpc.Credit{Endpoint: endpoint, Bytes: n}),
		})
	}
	credit("Nobody", 1<<30)
	credit("E", 1)
	if len(l.sent) != 2 {
		t.Error(l.sent)
	}
	credit("E", 1<<31)
	if len(l.sent) != 4 {
		t.Error(l.sent)
	}
	for range 4 {
		if err := c.Send(100); err != nil {
			t.Error(err)
		}
	}
	if len(l.sent) != 4 { // two are out still
		t.Error(l.sent)
	}
	if n, bytes := waiting(a); n != 0 || bytes != 0 { // the connection stands in no table
		t.Error(n, bytes)
	}
}
