package rpcenv_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// bounded are settings under which ten messages of an Env may wait in an inbox of it.
func bounded(t *testing.T) *conf.Conf {
	t.Helper()
	c, err := conf.New(map[string]string{"coherer.rpc.inbox.limit": "10", "spark.rpc.netty.dispatcher.numThreads": "3"}, rpcenv.Settings)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// In each kind of endpoint what is handled does not count any more.
func TestAnInboxTakesAsManyAsItsLimit(t *testing.T) {
	for name, opts := range map[string][]rpcenv.Option{"serial": nil, "concurrent": {rpcenv.Concurrent()}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "memory")
			a := w.make("A", false, bounded(t))
			began, gate := make(chan struct{}, 100), make(chan struct{})
			ref, err := a.Register("E", &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) {
				began <- struct{}{}
				<-gate
				w.note("%s", m.(*wrapperspb.StringValue).GetValue())
				rpcenv.ReplyAs(c, m, m)
			}}, opts...)
			if err != nil {
				t.Fatal(err)
			}
			threads := 1
			if opts != nil {
				threads = 3
			}
			s := w.register(a, "S", newSender(w))
			send := func(n int) {
				w.in(a, s, func(c *rpcenv.Context) {
					for i := range n {
						c.Send(ref, text(fmt.Sprint("m", i)))
					}
				})
			}
			send(threads)
			for range threads { // these are being handled, and wait no more
				<-began
			}
			send(15)
			w.in(a, s, func(c *rpcenv.Context) {
				rpcenv.AskAs(c, ref, text("ask"), func(_ *wrapperspb.StringValue, err error) {
					w.note("the ask failed: %t", errors.Is(err, rpcenv.ErrUnreachableOverloaded))
				})
			})
			w.await("the ask failed: true")
			close(gate)
			w.await("E is behind: false") // nothing waits, but not all are handled yet
			w.until("all are handled", func(log []string) bool {
				handled := 0
				for _, line := range log {
					if strings.HasPrefix(line, "m") {
						handled++
					}
				}
				return handled == threads+10
			})
			if w.count("the stream to E ended: true") != 1 || w.count("E is behind: true") != 1 {
				t.Errorf("%q", w.noted())
			}
			if d := w.drops(); len(d) != 5 {
				t.Errorf("%d events: %q", len(d), d)
			}
		})
	}
}

func TestABodyWaitsForRoomInAnInbox(t *testing.T) {
	inWorlds(t, func(w *world) {
		a := w.make("A", true, bounded(t))
		most := 0
		ref := w.register(a, "E", &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) {
			most = max(most, a.Depth("E"))
			if n := m.(*wrapperspb.Int32Value).GetValue(); n == 999 {
				w.note("999")
			}
		}})
		w.do(a, func(b *rpcenv.Blocking) {
			for i := range 1000 {
				if err := b.Send(ref, num(int32(i))); err != nil {
					t.Error(err)
				}
			}
		})
		w.await("999")
		w.wantLog("999")
		if most > 10 {
			t.Error(most, "messages waited")
		}
		if d := w.drops(); len(d) != 0 {
			t.Error(d[:1])
		}
	})
}

// It is behind from more than half of its room on, and until nothing waits. A state that comes again is reported again.
func TestAnInboxIsBehindFromHalfOfItsRoomUntilNothingWaits(t *testing.T) {
	const behind, ended, caughtUp = "E is behind: true", "the stream to E ended: true", "E is behind: false"
	w := inSim(t)
	a := w.make("A", true, bounded(t))
	ref := w.register(a, "E", &endpoint{receive: func(*rpcenv.Context, rpcenv.Message) {}})
	s := w.register(a, "S", newSender(w))
	w.sim.Cost("A/E", "*", time.Second)
	var want []string
	for _, step := range []struct {
		send  int
		then  time.Duration
		hears []string
	}{
		{5, time.Minute, nil},
		{6, 3 * time.Second, []string{behind}},
		{1, time.Millisecond, nil}, // fewer than half wait, and it is still behind
		{0, time.Minute, []string{caughtUp}},
		{13, time.Second, []string{behind, ended}},
		{0, time.Minute, []string{caughtUp}},
		{13, time.Minute, []string{behind, ended, caughtUp}},
	} {
		w.in(a, s, func(c *rpcenv.Context) {
			for range step.send {
				c.Send(ref, num(1))
			}
		})
		w.sim.Advance(step.then)
		if want = append(want, step.hears...); !slices.Equal(w.noted(), want) {
			t.Fatalf("%q after %d more, want %q", w.noted(), step.send, want)
		}
	}
}

// Who only sent what was lost hears that the endpoint is behind, and that it has caught up.
func TestASenderOfLostMessagesHearsOfBothStates(t *testing.T) {
	w := inSim(t)
	a := w.make("A", true, bounded(t))
	n := 0
	ref := w.register(a, "E", &endpoint{receive: func(*rpcenv.Context, rpcenv.Message) { n++ }})
	other, s := w.register(a, "Other", doer()), w.register(a, "S", newSender(w))
	w.in(a, other, func(c *rpcenv.Context) {
		for range 10 {
			c.Send(ref, num(1))
		}
		c.Send(s, do{f: func(*rpcenv.Context) {}})
	})
	w.quiet()
	w.sim.Cost("A/E", "*", time.Second) // so that S finds the inbox full
	w.in(a, other, func(c *rpcenv.Context) {
		for range 11 {
			c.Send(ref, num(1))
		}
	})
	w.in(a, s, func(c *rpcenv.Context) {
		c.Send(ref, num(1))
		c.Send(ref, num(1))
	})
	w.sim.Advance(time.Minute)
	if want := []string{"E is behind: true", "the stream to E ended: true", "E is behind: false"}; !slices.Equal(w.noted(), want) {
		t.Errorf("%q after %d", w.noted(), n)
	}
}

// What a stopped endpoint did not take leaves its room, so a body that waits for it goes on.
func TestABodyDoesNotWaitForAStoppedEndpoint(t *testing.T) {
	inWorlds(t, func(w *world) {
		a := w.make("A", true, bounded(t))
		ref := w.register(a, "E", &endpoint{receive: func(c *rpcenv.Context, _ rpcenv.Message) { c.Stop() }})
		w.do(a, func(b *rpcenv.Blocking) {
			for range 100 {
				if err := b.Send(ref, num(1)); err != nil {
					t.Error(err)
				}
			}
		})
	})
}

func TestAnInboxHasNoLimitByDefault(t *testing.T) {
	w := inSim(t)
	a := w.env("A")
	n := 0
	ref := w.register(a, "E", &endpoint{receive: func(*rpcenv.Context, rpcenv.Message) { n++ }})
	s := w.register(a, "S", newSender(w))
	w.in(a, s, func(c *rpcenv.Context) {
		for range 100_000 {
			c.Send(ref, num(1))
		}
	})
	w.quiet()
	if n != 100_000 {
		t.Error(n)
	}
	w.wantLog()
}
