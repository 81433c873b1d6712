package rpcenv_test

import (
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/sirupsen/logrus/hooks/test"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// An ask that was kept and has ended is not failed again at the stop.
func TestAKeptAskThatHasEndedIsForgotten(t *testing.T) {
	w := inSim(t)
	a, b := w.env("A"), w.env("B")
	var kept []rpcenv.Call[rpcenv.Message]
	ref := w.register(a, "E", &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) {
		switch m := m.(type) {
		case do:
			m.f(c)
		case *wrapperspb.Int32Value:
			kept = append(kept, rpcenv.DeferAs[rpcenv.Message](c, m))
			if m.GetValue() == 3 {
				panic("after all")
			}
		}
	}})
	asker := w.register(b, "Asker", doer())
	w.in(b, asker, func(c *rpcenv.Context) {
		for i := range int32(3) {
			rpcenv.AskAs(c, ref, num(i+1), func(_ rpcenv.Message, err error) { w.note("%d: %v", i+1, err) })
		}
	})
	w.await("3: panic: after all")
	w.in(a, ref, func(c *rpcenv.Context) {
		kept[0].Reply(num(1))
		kept[1].Fail(errFull)
		c.Stop()
	})
	w.quiet()
	w.wantLog("3: panic: after all", "1: <nil>", "2: the house is full")
	if d := w.drops(); len(d) != 0 {
		t.Error(d)
	}
}

// The asks of an Env have one timer, set to the earliest of their ends.
func TestAsksHaveOneTimer(t *testing.T) {
	w := newWorld(t, "memory")
	e, clock := handTimed(w)
	ref := w.register(e, "E", keeper(w))
	asker := w.register(e, "Asker", doer())
	w.in(e, asker, func(c *rpcenv.Context) {
		for i, step := range []struct{ limit, armed, stopped int }{{10, 1, 0}, {20, 1, 0}, {5, 2, 1}, {7, 2, 1}} {
			rpcenv.Ask(c, ref, &rpc.CheckExistence{}, func(*rpc.Bool, error) {}, rpcenv.Timeout("test", time.Duration(step.limit)*time.Hour))
			if len(clock.fire) != step.armed || clock.stopped != step.stopped {
				t.Errorf("%d: armed %d times, stopped %d times", i, len(clock.fire), clock.stopped)
			}
		}
	})
	w.close(e)
	if clock.stopped != 2 {
		t.Error("the timer outlives its Env")
	}
}

// In the continuation of an ask the sender is the callee, also a client.
func TestTheSenderOfAnAnswerIsWhoWasAsked(t *testing.T) {
	w := inSim(t)
	a, b, k := w.env("A"), w.env("B"), w.client("K")
	ref := w.register(a, "E", doer())
	toB := w.register(b, "E", double(w))
	w.register(k, "E", double(w))
	w.say(k, toB, "hello")
	w.say(k, rpcenv.Ref{Address: a.Address(), Name: rpcenv.VerifierName}, "hello")
	w.await("hello")
	w.quiet()
	for _, to := range []rpcenv.Ref{toB, a.Clients("E")[0]} {
		w.in(a, ref, func(c *rpcenv.Context) {
			rpcenv.AskAs(c, to, num(1), func(_ rpcenv.Message, err error) {
				if got := c.Ref(&rpc.EndpointRef{Name: "E"}); err != nil || c.Sender() != to.Address || got != to {
					t.Error(err, c.Sender(), got, "want", to)
				}
				w.note("answered")
			})
		})
	}
	w.quiet()
	w.wantLog("hello", "answered", "answered")
}

// A reference without an address means the Env that sent it: by its address if it listens.
func TestAReferenceWithoutAnAddressMeansItsSender(t *testing.T) {
	w := inSim(t)
	a, b := w.env("A"), w.env("B")
	var kept []rpcenv.Ref
	ref := w.register(a, "E", refs(w, &kept))
	w.do(b, func(b *rpcenv.Blocking) { _ = b.Send(ref, &rpc.EndpointRef{Name: "X"}) })
	w.await("A has a reference")
	if want := (rpcenv.Ref{Address: b.Address(), Name: "X"}); kept[0] != want {
		t.Errorf("%#v, want %#v", kept[0], want)
	}
}

// A Context between callbacks has no cause and no sender; what it sends goes out all the same.
func TestAContextBetweenCallbacksHasNoCause(t *testing.T) {
	w := inSim(t)
	e := w.env("A")
	var kept *rpcenv.Context
	ref := w.register(e, "E", doer())
	to := w.register(e, "To", double(w))
	w.in(e, ref, func(c *rpcenv.Context) { kept = c })
	w.quiet()
	if got := kept.Ref(&rpc.EndpointRef{Name: "X"}); got != (rpcenv.Ref{Name: "X"}) {
		t.Error(got)
	}
	rpcenv.ReplyAs(kept, num(1), num(2)) // to nobody
	rpcenv.DeferAs[rpcenv.Message](kept, num(1)).Reply(num(2))
	kept.Send(to, text("sent"))
	if !kept.After(0, do{f: func(*rpcenv.Context) { w.note("tick") }}).Active() {
		t.Error("no timer")
	}
	w.await("sent")
	w.await("tick")
	for _, r := range w.rec.Records() {
		if r.GetTo() == "To" && r.GetCause() != nil {
			t.Error("the cause of", r)
		}
	}
}

func TestAnErrorThatOnErrorTookIsNotLogged(t *testing.T) {
	w := inSim(t)
	log, hook := test.NewNullLogger()
	e := w.makeAt(rpcenv.Config{Name: "A", Listen: rpcenv.Address{Host: "10.0.0.1"}, Log: logrus.NewEntry(log)}, "10.0.0.1")
	ep := &faulty{onError: func(_ *rpcenv.Context, err error) { w.note("%v", err) }}
	ep.receive = func(*rpcenv.Context, rpcenv.Message) { panic("bad") }
	w.send(e, w.register(e, "E", ep), "x")
	w.quiet()
	w.wantLog("panic: bad")
	if all := hook.AllEntries(); len(all) != 0 {
		t.Error(all)
	}
}

// Within an Env a second answer is an event, too.
func TestASecondAnswerWithinAnEnvIsAnEvent(t *testing.T) {
	w := inSim(t)
	e := w.env("A")
	ref := w.register(e, "E", &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) {
		rpcenv.ReplyAs(c, m, num(1))
		rpcenv.ReplyAs(c, m, num(2))
	}})
	w.do(e, func(b *rpcenv.Blocking) {
		if r, err := rpcenv.AskWaitAs[*wrapperspb.Int32Value](b, ref, num(0)); err != nil || r.GetValue() != 1 {
			t.Error(r, err)
		}
	})
	if d := w.drops(); len(d) != 1 || d[0] != "google.protobuf.Int32Value: answered already" {
		t.Error(d)
	}
}
