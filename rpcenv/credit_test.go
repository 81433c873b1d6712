package rpcenv_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/fault"
)

// narrow are settings under which little is much: a window of 64 KiB, of which the half has 25 messages of a KiB, and a bound of 1 MiB.
func narrow(t *testing.T) *conf.Conf {
	t.Helper()
	c, err := conf.New(map[string]string{"coherer.rpc.window": "64k", "coherer.rpc.outbox.limit": "1m"}, rpcenv.Settings)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// kib is the n-th message of a KiB.
func kib(n int) *wrapperspb.StringValue {
	return text(fmt.Sprintf("%d %s", n, strings.Repeat("x", 1<<10)))
}

// gauge notes the numbers of the messages that it gets, when they do not follow one another, and every so many.
type gauge struct {
	w       *world
	next    int
	every   int
	handled atomic.Int64
	gate    chan struct{} // of a real world: closed when it may begin
}

// slowly makes a gauge that handles nothing before open is called; in a simulation it takes its time from the start.
func slowly(w *world, every int) (ep *gauge, open func()) {
	ep = &gauge{w: w, every: every, gate: make(chan struct{})}
	if w.sim != nil {
		w.sim.Cost("A/Slow", "*", time.Millisecond)
		return ep, func() {}
	}
	return ep, func() { close(ep.gate) }
}

func (e *gauge) Receive(c *rpcenv.Context, m rpcenv.Message) {
	if e.w.sim == nil {
		<-e.gate
	}
	e.handled.Add(1)
	n := 0
	if _, err := fmt.Sscan(m.(*wrapperspb.StringValue).GetValue(), &n); err != nil || n != e.next {
		e.w.note("%d comes after %d: %v", n, e.next-1, err)
	}
	if e.next = n + 1; e.next%e.every == 0 {
		e.w.note("%d", e.next)
	}
	rpcenv.ReplyAs(c, m, num(int32(n)))
}

// sender does what a do says, and notes what it hears of its peers.
type sender struct {
	*endpoint
	w *world
}

func newSender(w *world) *sender { return &sender{doer(), w} }

func (s *sender) OnBehind(_ *rpcenv.Context, to rpcenv.Ref, behind bool) {
	s.w.note("%s is behind: %t", to.Name, behind)
}

func (s *sender) OnStreamEnded(_ *rpcenv.Context, to rpcenv.Ref, err error) {
	s.w.note("the stream to %s ended: %t", to.Name, errors.Is(err, rpcenv.ErrUnreachableOverloaded))
}

// count is how often a line was noted.
func (w *world) count(line string) (n int) {
	for _, l := range w.noted() {
		if l == line {
			n++
		}
	}
	return n
}

// connect makes b look an endpoint up, by which it is connected.
func (w *world) connect(b *rpcenv.Env, to rpcenv.Ref) {
	w.do(b, func(b *rpcenv.Blocking) {
		if _, err := rpcenv.ResolveWait(b, to.String()); err != nil {
			w.t.Error(err)
		}
	})
}

// waiting is what waits at e for its peers.
func waiting(e *rpcenv.Env) (messages, bytes int) {
	for _, p := range e.Metrics().Peers {
		messages += p.Messages
		bytes += p.Bytes
	}
	return messages, bytes
}

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

func TestAnswersWaitForASlowAskerAlone(t *testing.T) {
	inWorlds(t, func(w *world) {
		const n = 500
		a, b := w.make("A", true, narrow(t)), w.make("B", true, narrow(t))
		ref := w.register(a, "E", &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) {
			i, ok := m.(*wrapperspb.Int32Value)
			if !ok {
				c.Unsupported(m)
				return
			}
			rpcenv.ReplyAs(c, m, kib(int(i.GetValue())))
		}})
		slow, fast := w.register(b, "Slow", doer()), w.register(b, "Fast", doer())
		gate, next := make(chan struct{}), 0
		if w.sim != nil {
			w.sim.Cost("B/Slow", "*", time.Millisecond)
			close(gate)
		}
		w.connect(b, ref)
		w.in(b, slow, func(c *rpcenv.Context) {
			for i := range n {
				rpcenv.AskAs(c, ref, num(int32(i)), func(r *wrapperspb.StringValue, err error) {
					<-gate
					if want := fmt.Sprint(i, " "); err != nil || !strings.HasPrefix(r.GetValue(), want) || i != next {
						t.Error(i, next, err)
					}
					if next++; next == n {
						w.note("all")
					}
				})
			}
		})
		// When an answer of the fast one is there, all that came before it is at A: what it may not send waits there.
		w.in(b, fast, func(c *rpcenv.Context) {
			rpcenv.AskAs(c, ref, num(n), func(*wrapperspb.StringValue, error) { w.note("fast") })
		})
		w.await("fast")
		if left, _ := waiting(a); left < 300 || left > n-40 {
			t.Error(left, "answers wait")
		}
		if d := b.Depth("Slow"); d > 60 {
			t.Error(d, "answers are in the inbox")
		}
		if w.sim == nil {
			close(gate)
		}
		w.await("all")
	})
}

func TestAnAnswerWithoutRoomFailsItsAskAlone(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.make("A", true, narrow(t)), w.make("B", true, narrow(t))
		ep := &watcher{w: w}
		ep.receive = func(c *rpcenv.Context, m rpcenv.Message) { rpcenv.ReplyAs(c, m, text(strings.Repeat("x", 100<<10))) }
		ref := w.register(a, "E", ep)
		asker, fast := w.register(b, "Asker", doer()), w.register(b, "Fast", doer())
		gate := make(chan struct{})
		if w.sim != nil {
			w.sim.Cost("B/Asker", "*", time.Second)
			close(gate)
		}
		w.in(b, asker, func(c *rpcenv.Context) {
			for range 30 { // 3 MB
				rpcenv.AskAs(c, ref, num(1), func(_ *wrapperspb.StringValue, err error) {
					<-gate
					w.note("answered: %t, no room: %t", err == nil, errors.Is(err, rpcenv.ErrRefusedNoRoom))
				})
			}
		})
		// When this one is answered, so were all before it.
		w.in(b, fast, func(c *rpcenv.Context) {
			rpcenv.AskAs(c, ref, num(1), func(_ *wrapperspb.StringValue, err error) { w.note("fast: %v", err) })
		})
		w.await("fast: <nil>")
		if w.sim == nil {
			close(gate)
		}
		w.awaitLines(32) // one is the connection's beginning
		if ok, failed := w.count("answered: true, no room: false"), w.count("answered: false, no room: true"); ok < 10 || ok+failed != 30 {
			t.Error(ok, failed, w.noted())
		}
		if d := w.drops(); len(d) < 18 || !strings.Contains(d[0], "no room") {
			t.Error(len(d), d[:1])
		}
	})
}
