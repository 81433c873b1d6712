package rpcenv_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/messages/rpc"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
)

// keeper is an endpoint that keeps asks, and answers all of them on demand.
func keeper(w *world) *endpoint {
	var kept []rpcenv.Call[*rpc.Bool]
	return &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) {
		if q, ok := m.(*rpc.CheckExistence); ok {
			kept = append(kept, rpcenv.Defer(c, q))
			w.note("asked")
			return
		}
		for _, k := range kept {
			k.Reply(&rpc.Bool{Value: true})
		}
		w.note("answered")
	}}
}

func TestASendDoesNotWaitForTheConnection(t *testing.T) {
	w := inSim(t)
	a, b := w.env("A"), w.env("B")
	ref := w.register(a, "E", double(w))
	sender := w.register(b, "Sender", doer())
	w.sim.Cut("B", "A")
	w.in(b, sender, func(c *rpcenv.Context) {
		begin := c.Now()
		c.Send(ref, text("later"))
		if c.Now() != begin || len(w.noted()) != 0 {
			t.Error("it waited")
		}
	})
	w.sim.Heal("B", "A")
	w.await("later")
}

// Nobody acknowledges a message: one side sends it, and nothing comes back.
func TestASendIsNotAcknowledged(t *testing.T) {
	w := inSim(t)
	a, b := w.env("A"), w.env("B")
	ref := w.register(a, "E", double(w))
	sent := func() (n int) {
		for _, r := range w.rec.Records() {
			if r.GetKind() == tracepb.Kind_SENT {
				n++
			}
		}
		return n
	}
	w.do(b, func(b *rpcenv.Blocking) { _ = b.Send(ref, text("first")) })
	w.quiet()
	before := sent()
	w.do(b, func(b *rpcenv.Blocking) { _ = b.Send(ref, text("second")) })
	w.quiet()
	if n := sent() - before; n != 1 {
		t.Errorf("one message is %d messages", n)
	}
}

func TestALateReplyIsAnEvent(t *testing.T) {
	w := inSim(t)
	a, b := w.env("A"), w.env("B")
	ref := w.register(a, "E", keeper(w))
	for _, e := range []*rpcenv.Env{a, b} {
		w.do(e, func(b *rpcenv.Blocking) {
			_, err := rpcenv.AskWait(b, ref, &rpc.CheckExistence{}, rpcenv.Timeout("test", time.Second))
			if !errors.Is(err, rpcenv.ErrUnreachableTimeout) {
				t.Error(err)
			}
		})
	}
	w.do(a, func(b *rpcenv.Blocking) { _ = b.Send(ref, text("answer now")) })
	w.await("answered")
	w.quiet()
	if d := w.drops(); len(d) != 1 || d[0] != "rpc.CheckExistence: the ask had ended" {
		t.Error("within the Env:", d)
	}
	late := 0
	for _, r := range w.rec.Records() {
		if r.GetOutcome() == "ignored: the ask had ended" && r.GetId().GetConn() != 0 {
			late++
		}
	}
	if late != 1 {
		t.Errorf("%d replies from the other Env are ignored", late)
	}
}

func TestATimeOutMayHaveALabel(t *testing.T) {
	w := inSim(t)
	e := w.env("A")
	ref := w.register(e, "E", keeper(w))
	var failure error
	e.Go("barrier", func(b *rpcenv.Blocking) error {
		_, failure = rpcenv.AskWait(b, ref, &rpc.CheckExistence{}, rpcenv.Timeout("barrierTimeout", 365*24*time.Hour))
		return nil
	})
	w.sim.Advance(364 * 24 * time.Hour)
	if failure != nil {
		t.Error("too early:", failure)
	}
	w.sim.Advance(2 * 24 * time.Hour)
	if !errors.Is(failure, rpcenv.ErrUnreachableTimeout) || !strings.HasSuffix(failure.Error(), "This timeout is controlled by barrierTimeout") {
		t.Error(failure)
	}
}

func TestTheTimeInATimeOutIsWrittenAsSparkDoes(t *testing.T) {
	w := inSim(t)
	e := w.env("A")
	ref := w.register(e, "E", keeper(w))
	for d, want := range map[time.Duration]string{
		time.Second: "in 1 second.", 10 * time.Second: "in 10 seconds.", 1500 * time.Millisecond: "in 1500 milliseconds.",
		2 * time.Minute: "in 120 seconds.", time.Millisecond: "in 1 millisecond.",
	} {
		w.do(e, func(b *rpcenv.Blocking) {
			_, err := rpcenv.AskWait(b, ref, &rpc.CheckExistence{}, rpcenv.Timeout("k", d))
			if err == nil || !strings.Contains(err.Error(), "rpc.CheckExistence to E: Cannot receive any reply from "+e.Address().String()+" "+want) {
				t.Errorf("%s: %v", d, err)
			}
		})
	}
}

func TestADeferredAskIsAnsweredByWhatARunMade(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.env("A"), w.env("B")
		ref := w.register(a, "E", &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) {
			later := rpcenv.Defer(c, m.(*rpc.CheckExistence))
			rpcenv.Run(c, "", func(*rpcenv.Blocking) (bool, error) { return true, nil }, func(found bool, err error) {
				later.Reply(&rpc.Bool{Value: found})
			})
		}})
		for _, e := range []*rpcenv.Env{a, b} {
			w.do(e, func(b *rpcenv.Blocking) {
				if r, err := rpcenv.AskWait(b, ref, &rpc.CheckExistence{}); err != nil || !r.GetValue() {
					t.Error(r, err)
				}
			})
		}
	})
}

func TestAFailureWithinAnEnvIsTheErrorItself(t *testing.T) {
	inWorlds(t, func(w *world) {
		e := w.env("A")
		own := errors.New("mine")
		ref := w.register(e, "E", &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) { rpcenv.Fail(c, m, own) }})
		w.do(e, func(b *rpcenv.Blocking) {
			if _, err := rpcenv.AskWaitAs[rpcenv.Message](b, ref, num(1)); err != own { //nolint:errorlint // the very value
				t.Error(err)
			}
		})
	})
}

// A failure of the handler is a reply that holds a Failure; what the runtime could not dispatch is a frame of type 5.
func TestOnlyFailuresOfTheRuntimeAreFramesOfFailure(t *testing.T) {
	inSimAndMemory(t, func(w *world) {
		a := w.env("A")
		w.register(a, "E", &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) {
			if _, ok := m.(*wrapperspb.StringValue); ok {
				panic("boom")
			}
			rpcenv.Fail(c, m, errFull)
		}})
		s := w.stranger(a.Address(), hello(&rpc.Hello{Version: 1, Env: "S", Incarnation: 7, Connection: 99}))
		w.await("stranger: Welcome")
		ask := func(name string, content []byte, want string) {
			n := len(w.noted())
			s.link.Send(&rpcenv.Envelope{Kind: rpcenv.KindRequest, RequestID: int64(n), Endpoint: name, Content: content})
			w.awaitLines(n + 1)
			if got := w.noted()[n]; !strings.HasPrefix(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
		}
		ask("E", content(num(1)), "stranger: Failure")
		ask("E", content(text("x")), "stranger: Failure")
		ask("Nobody", content(num(1)), "stranger: failure: [rpc.not-found] could not find the endpoint: Could not find Nobody.")
		ask("E", []byte{1, 2, 3}, "stranger: failure: [rpc.undecodable]")
	})
}

func TestTheSenderIsWhereItListensOrItsSocket(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b, k := w.env("A"), w.env("B"), w.client("K")
		var senders []rpcenv.Address
		ep := doer()
		inner := ep.receive
		ep.receive = func(c *rpcenv.Context, m rpcenv.Message) {
			q, ok := m.(*rpc.CheckExistence)
			if !ok {
				inner(c, m)
				return
			}
			later := rpcenv.Defer(c, q)
			if later.Sender() != c.Sender() {
				t.Error(later.Sender(), c.Sender())
			}
			senders = append(senders, c.Sender())
			later.Reply(&rpc.Bool{})
		}
		ref := w.register(a, "E", ep)
		for _, e := range []*rpcenv.Env{a, b, k} {
			w.do(e, func(b *rpcenv.Blocking) { _, _ = rpcenv.AskWait(b, ref, &rpc.CheckExistence{}) })
		}
		w.in(a, ref, func(*rpcenv.Context) {
			if !slices.Equal(senders[:2], []rpcenv.Address{a.Address(), b.Address()}) {
				t.Error(senders)
			}
			if socket := senders[2]; socket.IsZero() || socket.Port == 0 || socket == a.Address() || socket == b.Address() {
				t.Error("of an Env in client mode:", socket)
			}
		})
	})
}

func TestAFailedAskIsToldToItsAskerAndToOnError(t *testing.T) {
	inWorlds(t, func(w *world) {
		e := w.env("A")
		ep := &faulty{onError: func(_ *rpcenv.Context, err error) { w.note("OnError: %v", err) }}
		ep.receive = func(*rpcenv.Context, rpcenv.Message) { panic(errFull) }
		ref := w.register(e, "E", ep)
		w.do(e, func(b *rpcenv.Blocking) {
			if _, err := rpcenv.AskWaitAs[rpcenv.Message](b, ref, num(1)); !errors.Is(err, errFull) {
				t.Error(err)
			}
		})
		w.await("OnError: the house is full")
	})
}
