package rpcenv_test

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/fault"
)

// taking is an endpoint E of A behind a windowed connection; taken is how many messages it has handled.
func taking(t *testing.T) (w *world, l *ownLink, c rpcenv.Conn, taken *int) {
	w = inSim(t)
	a, l, c := windowed(w)
	taken = new(int)
	w.register(a, "E", &endpoint{receive: func(*rpcenv.Context, rpcenv.Message) { *taken++ }})
	w.quiet()
	return w, l, c, taken
}

// A peer may send what stream.open allows, and not a byte more.
func TestAPeerThatSendsMoreThanItsWindowIsCut(t *testing.T) {
	const half = 32 << 10 // of A's own window
	for _, c := range []struct {
		sizes []int // of content; each message counts 256 more
		taken int   // of them
	}{
		{[]int{half - 256, 1 << 20}, 2}, // half of the window is out: the next may come, whatever its size
		{[]int{half - 256, 1 << 20, 100}, 2},
		{[]int{half - 255, half - 257}, 2}, // to the last byte
		{[]int{half - 255, half - 256}, 1},
	} {
		w, l, conn, taken := taking(t)
		for _, n := range c.sizes {
			arrives(conn, "E", n)
		}
		w.quiet()
		cut := 0
		if c.taken < len(c.sizes) {
			cut = 1
		}
		if *taken != c.taken || l.closed != cut {
			t.Errorf("%v: %d were taken and %d links closed, want %d and %d", c.sizes, *taken, l.closed, c.taken, cut)
		}
	}
}

func TestNothingIsTakenAfterAnOverrun(t *testing.T) {
	w, l, c, taken := taking(t)
	for _, n := range []int{60 << 10, 60 << 10, 100} {
		arrives(c, "E", n)
	}
	w.quiet()            // the first one is handled
	arrives(c, "E", 100) // would fit
	arrives(c, "Nobody", 100)
	w.quiet()
	if *taken != 1 || l.closed != 1 {
		t.Error(*taken, "were taken, closed", l.closed)
	}
}

// Answers wait in the asker's inbox as messages do, so they have a window too.
func TestAPeerThatAnswersMoreThanItsWindowIsCut(t *testing.T) {
	w := inSim(t)
	a, l, c := windowed(w)
	c.Attach(func() {})
	asker := w.register(a, "Asker", newSender(w))
	answered := 0
	w.in(a, asker, func(k *rpcenv.Context) {
		for range 4 {
			rpcenv.AskAs(k, rpcenv.Ref{Address: l.at, Name: "E"}, num(1), func(_ *wrapperspb.StringValue, err error) {
				if err == nil {
					answered++
				}
			})
		}
	})
	credits(c, "E", 1<<20)
	if len(l.requests) != 4 {
		t.Fatal(l.requests)
	}
	for _, n := range l.requests {
		c.Receive(&rpcenv.Envelope{Kind: rpcenv.KindResponse, RequestID: n, Content: content(text(strings.Repeat("x", 32<<10)))})
	}
	w.quiet()
	if answered != 1 || l.closed != 1 {
		t.Error(answered, "answers, closed", l.closed)
	}
}

// A copy that a fault of a World made is none of the peer's.
func TestACopyCountsNothing(t *testing.T) {
	w := newWorld(t, "sim")
	a, b := w.make("A", true, narrow(t)), w.make("B", true, narrow(t))
	ep, _ := slowly(w, 1_000_000)
	ref := w.register(a, "Slow", ep)
	w.connect(b, ref)
	f, err := fault.Parse("duplicate B->A:StringValue")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.sim.Apply(f); err != nil {
		t.Fatal(err)
	}
	w.do(b, func(b *rpcenv.Blocking) {
		for i := range 500 {
			if err := b.Send(ref, kib(i)); err != nil {
				t.Error(err)
			}
		}
	})
	w.until("all came", func([]string) bool { return ep.handled.Load() == 1000 })
	if n := b.Metrics().Lost; n != 0 {
		t.Error(n, "connections were lost")
	}
}

func TestWhatWasHandledMayComeAgain(t *testing.T) {
	w, l, c, taken := taking(t)
	for range 100 {
		arrives(c, "E", 60<<10)
		arrives(c, "Nobody", 60<<10)
		w.quiet()
	}
	if *taken != 100 || l.closed != 0 {
		t.Error(*taken, l.closed)
	}
}

func TestAPeerThatShutsDownSendsTheRestWithoutCredit(t *testing.T) {
	w, l, c, taken := taking(t)
	finish := &rpcenv.Envelope{Kind: rpcenv.KindOneWay, Endpoint: rpcenv.VerifierName, Content: content(&rpc.Finish{})}
	arrives(c, "E", 60<<10)
	c.Receive(finish)
	const each = 64<<10 - 256
	for range 16 { // a MiB: as much as may wait at a peer
		arrives(c, "E", each)
	}
	c.Receive(finish) // a second one changes nothing
	if l.closed != 0 {
		t.Error("closed")
	}
	arrives(c, "E", each)
	w.quiet()
	if *taken != 17 || l.closed != 1 {
		t.Error(*taken, "were taken, closed", l.closed)
	}
}

func TestAPeerWithoutAWindowIsRefused(t *testing.T) {
	b, err := table.Append(nil, &rpc.Hello{Version: 1, Env: "S", Incarnation: 7, Connection: 99})
	if err != nil {
		t.Fatal(err)
	}
	w := inSim(t)
	w.stranger(w.env("A").Address(), &rpcenv.Envelope{Kind: rpcenv.KindRequest, RequestID: 1, Endpoint: rpcenv.VerifierName, Content: b})
	w.quiet()
	if log := strings.Join(w.noted(), "\n"); !strings.Contains(log, "the peer takes no messages: its window has 0 bytes") {
		t.Error(log)
	}
}

// A peer that floods an endpoint loses its connection. What it sent until then is all that waits, and others are not harmed.
func TestAFloodFromAHostilePeerIsBounded(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.make("A", true, narrow(t)), w.make("B", true, narrow(t))
		ep, open := slowly(w, 1)
		slow, fast := w.register(a, "Slow", ep), w.register(a, "Fast", double(w))
		w.connect(b, fast)
		s := w.stranger(a.Address(), hello(&rpc.Hello{Version: 1, Env: "S", Incarnation: 7, Connection: 99}))
		w.until("the Welcome", func(log []string) bool { return len(log) > 1 })
		message := content(kib(0))
		for range 10_000 { // 10 MiB
			s.link.Send(&rpcenv.Envelope{Kind: rpcenv.KindOneWay, Endpoint: slow.Name, Content: message})
		}
		w.await("stranger: closed")
		w.say(b, fast, "good")
		w.await("good")
		open()
		w.do(b, func(b *rpcenv.Blocking) { // what waits before it is handled first
			if _, err := rpcenv.AskWaitAs[*wrapperspb.Int32Value](b, slow, kib(0)); err != nil {
				t.Error(err)
			}
		})
		// A window of messages of 1,285 bytes each, and the one of B.
		if n := ep.handled.Load(); n < 25 || n > 53 {
			t.Error(fmt.Sprint(n, " messages came through"))
		}
	})
}
