package rpcenv_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/rpcenv"
)

// noting is an endpoint that notes everything.
func noting(w *world) *endpoint {
	return &endpoint{
		start: func(*rpcenv.Context) { w.note("OnStart") },
		stop:  func(*rpcenv.Context) { w.note("OnStop") },
		receive: func(_ *rpcenv.Context, m rpcenv.Message) {
			if s, ok := m.(say); ok {
				w.note("%s", s.text)
			}
		},
	}
}

func TestOnStartIsFirstAndOnStopLastAndOnce(t *testing.T) {
	inWorlds(t, func(w *world) {
		e := w.env("A")
		ep := noting(w)
		ref := w.register(e, "E", ep)
		ep.receive = func(c *rpcenv.Context, m rpcenv.Message) {
			w.note("%s", m.(say).text)
			if m.(say).text == "last" {
				c.Stop()
				c.Stop()
			}
		}
		w.do(e, func(b *rpcenv.Blocking) {
			_ = b.Send(ref, say{text: "first"})
			_ = b.Send(ref, say{text: "last"})
		})
		w.await("OnStop")
		w.close(e)
		w.wantLog("OnStart", "first", "last", "OnStop")
	})
}

func TestWhatWasQueuedBeforeAStopIsHandled(t *testing.T) {
	inWorlds(t, func(w *world) {
		e := w.env("A")
		ep := noting(w)
		ep.receive = func(c *rpcenv.Context, m rpcenv.Message) {
			w.note("%s", m.(say).text)
			if m.(say).text == "one" {
				c.Send(c.Self(), say{text: "two"})
				c.Send(c.Self(), say{text: "three"})
				c.Stop()
				c.Send(c.Self(), say{text: "four"}) // the name is gone
			}
		}
		ref := w.register(e, "E", ep)
		w.do(e, func(b *rpcenv.Blocking) { _ = b.Send(ref, say{text: "one"}) })
		w.await("OnStop")
		w.wantLog("OnStart", "one", "two", "three", "OnStop")
		if d := w.drops(); len(d) != 1 || !strings.Contains(d[0], "Could not find E") {
			t.Error("the message after the stop is an event:", d)
		}
	})
}

func TestAnAskAfterAStopFailsAtOnce(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.env("A"), w.env("B")
		ref := w.register(a, "E", noting(w))
		w.await("OnStart")
		a.Stop("E")
		for _, e := range []*rpcenv.Env{a, b} {
			w.do(e, func(b *rpcenv.Blocking) {
				_, err := rpcenv.AskWaitAs[rpcenv.Message](b, ref, num(1))
				if !errors.Is(err, rpcenv.ErrRefusedNotFound) || !errors.Is(err, rpcenv.ErrRefused) {
					t.Errorf("from %s: %v", e.Name(), err)
				}
			})
		}
	})
}

func TestANameIsFreeAtStopWhileTheOldInboxDrains(t *testing.T) {
	inWorlds(t, func(w *world) {
		e := w.env("A")
		ep := noting(w)
		ep.receive = func(c *rpcenv.Context, m rpcenv.Message) {
			c.Send(c.Self(), say{text: "to the old one"})
			c.Stop()
			if _, err := c.Env().Register("E", &endpoint{start: func(*rpcenv.Context) { w.note("the new one") }}); err != nil {
				t.Error(err)
			}
			ep.receive = func(_ *rpcenv.Context, m rpcenv.Message) { w.note("%s", m.(say).text) }
		}
		ref := w.register(e, "E", ep)
		if _, err := e.Register("E", ep); !errors.Is(err, rpcenv.ErrNameTaken) {
			t.Errorf("while it lives: %v", err)
		}
		w.do(e, func(b *rpcenv.Blocking) { _ = b.Send(ref, say{}) })
		w.await("OnStop")
		w.await("the new one")
		w.await("to the old one")
	})
}

func TestItemsAreHandledOneAtATimeInOrder(t *testing.T) {
	inWorlds(t, func(w *world) {
		const senders, each = 4, 200
		e := w.env("A")
		var inside atomic.Int32
		next := map[int]int{}
		total := 0
		ref := w.register(e, "E", &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) {
			if inside.Add(1) != 1 {
				t.Error("two handlers at a time")
			}
			var s, n int
			_, _ = fmt.Sscan(m.(*wrapperspb.StringValue).GetValue(), &s, &n)
			if next[s] != n {
				t.Errorf("of %d: message %d, want %d", s, n, next[s])
			}
			next[s] = n + 1
			if total++; total == senders*each {
				w.note("all")
			}
			inside.Add(-1)
		}})
		for s := range senders {
			from := e
			if s%2 == 1 {
				from = w.client(fmt.Sprint("C", s))
			}
			from.Go("sender", func(b *rpcenv.Blocking) error {
				for n := range each {
					if err := b.Send(ref, text(fmt.Sprint(s, n))); err != nil {
						return err
					}
				}
				return nil
			})
		}
		w.await("all")
	})
}

func TestAHandlerThatPanicsGoesOnWithTheSameState(t *testing.T) {
	inWorlds(t, func(w *world) {
		e := w.env("A")
		ep := &faulty{onError: func(_ *rpcenv.Context, err error) { w.note("OnError: %v", err) }}
		n := 0
		ep.receive = func(*rpcenv.Context, rpcenv.Message) {
			n++
			w.note("message %d", n)
			if n == 1 {
				panic("boom")
			}
		}
		ref := w.register(e, "E", ep)
		w.do(e, func(b *rpcenv.Blocking) {
			_ = b.Send(ref, say{})
			_ = b.Send(ref, say{})
		})
		w.await("message 2")
		w.wantLog("message 1", "OnError: panic: boom", "message 2")
	})
}

func TestAPanicFailsTheAskWithItsText(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.env("A"), w.env("B")
		ref := w.register(a, "E", &endpoint{receive: func(*rpcenv.Context, rpcenv.Message) { panic("boom") }})
		for _, e := range []*rpcenv.Env{a, b} {
			w.do(e, func(b *rpcenv.Blocking) {
				_, err := rpcenv.AskWaitAs[rpcenv.Message](b, ref, num(1))
				if err == nil || err.Error() != "panic: boom" {
					t.Errorf("from %s: %v", e.Name(), err)
				}
				if r, ok := errors.AsType[*rpcenv.RemoteError](err); e != a && (!ok || r.Type != "panic" || !strings.HasPrefix(r.Stack, "github.com/coherer/coherer/rpcenv_test.TestAPanicFails")) {
					t.Errorf("from %s: %#v", e.Name(), err)
				}
			})
		}
	})
}

func TestAPanicInOnErrorIsOnlyLogged(t *testing.T) {
	inWorlds(t, func(w *world) {
		e := w.env("A")
		ep := &faulty{onError: func(*rpcenv.Context, error) { panic("worse") }}
		ep.receive = func(_ *rpcenv.Context, m rpcenv.Message) {
			if m.(say).text == "bad" {
				panic("bad")
			}
			w.note("%s", m.(say).text)
		}
		ref := w.register(e, "E", ep)
		w.do(e, func(b *rpcenv.Blocking) {
			_ = b.Send(ref, say{text: "bad"})
			_ = b.Send(ref, say{text: "good"})
		})
		w.await("good")
	})
}

func TestAnEndpointMayStopInOnStart(t *testing.T) {
	inWorlds(t, func(w *world) {
		e := w.env("A")
		for i := range 50 {
			w.register(e, fmt.Sprint("E", i), &endpoint{start: func(c *rpcenv.Context) { c.Stop() }, stop: func(*rpcenv.Context) { w.note("OnStop") }})
		}
		w.awaitLines(50)
	})
}

func TestAFailureInOnStartLeavesTheEndpointRegistered(t *testing.T) {
	inWorlds(t, func(w *world) {
		e := w.env("A")
		ep := double(w)
		ep.start = func(*rpcenv.Context) { panic("no") }
		ref := w.register(e, "E", ep)
		w.do(e, func(b *rpcenv.Blocking) {
			r, err := rpcenv.AskWaitAs[*wrapperspb.Int32Value](b, ref, num(2))
			if err != nil || r.GetValue() != 4 {
				t.Error(r, err)
			}
		})
	})
}
