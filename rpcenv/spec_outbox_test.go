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
)

// What was on the wire of a connection that broke is not sent again by the next one.
func TestNothingIsSentTwice(t *testing.T) {
	w := inSim(t)
	a, b := w.env("A"), w.env("B")
	ref := w.register(a, "E", watching(w))
	w.do(b, func(b *rpcenv.Blocking) { _ = b.Send(ref, text("first")) })
	w.await("A: first")
	w.sim.Cut("B", "A")
	w.do(b, func(b *rpcenv.Blocking) {
		for i := range 3 {
			_ = b.Send(ref, text(fmt.Sprint("lost ", i)))
		}
	})
	a.Break()
	w.sim.Advance(time.Second)
	w.sim.Heal("B", "A")
	w.do(b, func(b *rpcenv.Blocking) { _ = b.Send(ref, text("after")) })
	w.await("A: after")
	w.sim.Advance(time.Minute)
	at := b.Address().String()
	w.wantLog("A: connected "+at, "A: first", "A: disconnected "+at, "A: connected "+at, "A: after")
}

// An ask that timed out while the connection was made stays in the queue, as in Spark: it is heard, its answer is not.
func TestAnAskThatTimesOutBeforeTheConnectionIsSentAllTheSame(t *testing.T) {
	w := inSim(t)
	a, b := w.env("A"), w.env("B")
	ref := w.register(a, "E", &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) {
		w.note("asked")
		rpcenv.ReplyAs(c, m, m)
	}})
	w.sim.Cut("B", "A")
	w.do(b, func(b *rpcenv.Blocking) {
		_, err := rpcenv.AskWaitAs[rpcenv.Message](b, ref, num(1), rpcenv.Timeout("test", time.Second))
		if !errors.Is(err, rpcenv.ErrUnreachableTimeout) {
			t.Error(err)
		}
	})
	w.sim.Heal("B", "A")
	w.await("asked")
	w.quiet()
	if _, _, asks := b.Held(); asks != 0 {
		t.Error(asks, "asks are kept")
	}
}

func TestOneDialServesAllThatWaits(t *testing.T) {
	w := inSim(t)
	a, b := w.env("A"), w.env("B")
	ref := w.register(a, "E", watching(w))
	w.sim.Cut("B", "A")
	sender := w.register(b, "Sender", doer())
	w.in(b, sender, func(c *rpcenv.Context) {
		for i := range 10 {
			c.Send(ref, text(fmt.Sprint(i)))
		}
	})
	w.sim.Advance(5 * time.Second)
	w.sim.Heal("B", "A")
	w.await("A: 9")
	want := []string{"A: connected " + b.Address().String()}
	for i := range 10 {
		want = append(want, fmt.Sprint("A: ", i))
	}
	w.wantLog(want...)
}

func TestASendAfterTheStopOfTheOutboxesIsAnEvent(t *testing.T) {
	w := inSim(t)
	a, b := w.env("A"), w.env("B")
	ref := w.register(a, "E", double(w))
	w.register(b, "Sender", &endpoint{stop: func(c *rpcenv.Context) { c.Send(ref, text("lost")) }})
	w.quiet()
	w.close(b)
	want := "google.protobuf.StringValue: rpcenv: stopped: Message is dropped because Outbox is stopped: the Env was shut down"
	if d := w.drops(); len(d) != 1 || d[0] != want {
		t.Error(d)
	}
	w.sim.Advance(time.Minute)
	w.wantLog()
}

func TestTheOutboxHasNoSettings(t *testing.T) {
	c := settings(t, "spark.rpc.outbox.capacity", "1", "spark.rpc.numRetries", "3")
	got := c.Warnings()
	for i, key := range []string{"spark.rpc.numRetries", "spark.rpc.outbox.capacity"} {
		if i >= len(got) || !strings.HasPrefix(got[i], "unknown setting "+key) {
			t.Error(got)
		}
	}
}

func TestAConnectionIsUsedBothWays(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.env("A"), w.env("B")
		toA, toB := w.register(a, "E", watching(w)), w.register(b, "E", watching(w))
		w.do(b, func(b *rpcenv.Blocking) { _ = b.Send(toA, text("there")) })
		w.await("A: there")
		w.do(a, func(b *rpcenv.Blocking) { _ = b.Send(toB, text("and back")) })
		w.await("B: and back")
		for _, e := range []*rpcenv.Env{a, b} {
			if boxes, conns, _ := e.Held(); boxes != 1 || conns != 1 {
				t.Errorf("%s: %d outboxes, %d connections", e.Name(), boxes, conns)
			}
		}
	})
}

func TestBothSidesHearOfTheEndOfAConnection(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.env("A"), w.env("B")
		toA := w.register(a, "E", watching(w))
		w.register(b, "E", watching(w))
		w.do(b, func(b *rpcenv.Blocking) { _ = b.Send(toA, text("hello")) })
		w.await("A: hello")
		w.await("B: connected " + a.Address().String())
		b.Break()
		w.await("A: disconnected " + b.Address().String())
		w.await("B: disconnected " + a.Address().String())
		for _, line := range w.noted() {
			if strings.Contains(line, "network error") {
				t.Error("an end is no error:", line)
			}
		}
		w.do(b, func(b *rpcenv.Blocking) { _ = b.Send(toA, text("again")) })
		w.await("A: again")
	})
}

// persistent sends to a peer when the connection to it has ended.
type persistent struct {
	*watcher
	to rpcenv.Ref
	n  int
}

func (e *persistent) OnDisconnected(c *rpcenv.Context, _ rpcenv.Address) {
	e.n++
	c.Send(e.to, text(fmt.Sprint("again ", e.n)))
}

func TestWhoHearsOfTheEndCanSendAtOnce(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.env("A"), w.env("B")
		ep := &persistent{watcher: &watcher{w: w}, to: w.register(a, "E", double(w))}
		w.register(b, "E", ep)
		w.do(b, func(b *rpcenv.Blocking) { _ = b.Send(ep.to, text("again 0")) })
		for i := range 30 {
			w.await(fmt.Sprint("again ", i))
			b.Break()
		}
		w.await("again 30")
	})
}

func TestWhatIsSentBeforeTheOutboxHearsOfTheEndIsNotLost(t *testing.T) {
	w := inSim(t)
	a, b := w.env("A"), w.env("B")
	ref := w.register(a, "E", double(w))
	w.do(b, func(b *rpcenv.Blocking) { _ = b.Send(ref, text("before")) })
	w.await("before")
	b.EndAround(a.Address(), func() {
		for _, s := range []string{"1", "2"} {
			if err := b.Send(ref, text(s)); err != nil {
				t.Error(err)
			}
		}
	})
	if err := b.Send(ref, text("3")); err != nil { // the next dial is under way
		t.Error(err)
	}
	w.await("3")
	w.quiet()
	w.wantLog("before", "1", "2", "3")
	if n := a.Metrics().Opened; n != 2 {
		t.Error(n, "connections were opened, one and its successor are two")
	}
	if d := w.drops(); len(d) != 0 {
		t.Error(d)
	}
}

// In Spark a connection that breaks is a network error and an end.
func TestABreakIsAnEndAlone(t *testing.T) {
	inCrashingWorlds(t, func(w *world) {
		a, b := w.env("A"), w.env("B")
		ref := w.register(a, "E", watching(w))
		w.do(b, func(b *rpcenv.Blocking) { _ = b.Send(ref, text("hello")) })
		w.await("A: hello")
		w.crash(b)
		at := b.Address().String()
		w.await("A: disconnected " + at)
		w.close(a)
		w.wantLog("A: connected "+at, "A: hello", "A: disconnected "+at)
	})
}

func TestSeveralConnectionsAreSeveralEvents(t *testing.T) {
	w := inSim(t)
	a, b := w.env("A"), w.env("B")
	toA, toB := w.register(a, "E", watching(w)), w.register(b, "E", watching(w))
	// Both dial before either is heard.
	if err := errors.Join(a.Send(toB, text("hello")), b.Send(toA, text("hello"))); err != nil {
		t.Error(err)
	}
	w.sim.Advance(time.Second)
	a.Break()
	w.sim.Advance(time.Second)
	count := map[string]int{}
	for _, line := range w.noted() {
		count[line]++
	}
	for _, line := range []string{"A: connected " + b.Address().String(), "A: disconnected " + b.Address().String(), "B: connected " + a.Address().String(), "B: disconnected " + a.Address().String()} {
		if count[line] != 2 {
			t.Errorf("%d times %s", count[line], line)
		}
	}
}

func TestTheLimitOfMessagesIsNotTheRuntimes(t *testing.T) {
	inWorlds(t, func(w *world) {
		limited := settings(t, "spark.rpc.message.maxSize", "1")
		a, b := w.make("A", true, limited), w.make("B", true, limited)
		ref := w.register(a, "E", &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) {
			rpcenv.ReplyAs(c, m, num(int32(len(m.(*wrapperspb.BytesValue).GetValue()))))
		}})
		w.do(b, func(b *rpcenv.Blocking) {
			r, err := rpcenv.AskWaitAs[*wrapperspb.Int32Value](b, ref, wrapperspb.Bytes(make([]byte, 3<<20)))
			if err != nil || r.GetValue() != 3<<20 {
				t.Error(r, err)
			}
		})
	})
}

func TestAnEnvInClientModeHasNoVerifier(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, k := w.env("A"), w.client("K")
		var verifier rpcenv.Ref
		ep := doer()
		inner := ep.receive
		ep.receive = func(c *rpcenv.Context, m rpcenv.Message) {
			if _, ok := m.(*wrapperspb.StringValue); ok {
				verifier = c.Ref(&rpc.EndpointRef{Name: rpcenv.VerifierName})
				w.note("heard")
				return
			}
			inner(c, m)
		}
		ref := w.register(a, "E", ep)
		w.do(k, func(b *rpcenv.Blocking) { _ = b.Send(ref, text("hello")) })
		w.await("heard")
		w.do(a, func(b *rpcenv.Blocking) {
			_, err := rpcenv.AskWait(b, verifier, &rpc.CheckExistence{Name: "E"})
			if !errors.Is(err, rpcenv.ErrRefusedNotFound) || !strings.Contains(err.Error(), "Could not find endpoint-verifier.") {
				t.Error(err)
			}
		})
	})
}

// The socket's address names a peer in client mode; one that listens is named by where it listens.
func TestAPeerIsNamedByItsSocketOnlyInClientMode(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, k := w.env("A"), w.client("K")
		ref := w.register(a, "E", watching(w))
		w.register(k, "E", watching(w))
		w.do(k, func(b *rpcenv.Blocking) { _ = b.Send(ref, text("hello")) })
		w.await("A: hello")
		w.await("K: connected " + a.Address().String())
		i := slices.IndexFunc(w.noted(), func(line string) bool { return strings.HasPrefix(line, "A: connected ") })
		at, err := rpcenv.ParseAddress(strings.TrimPrefix(w.noted()[i], "A: connected "))
		if err != nil || at.Port == 0 || at == a.Address() {
			t.Error(at, err)
		}
		w.close(k)
		w.await("A: disconnected " + at.String())
	})
}
