package rpcenv_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/sirupsen/logrus/hooks/test"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/metrics"
)

// An answer that cannot be sent is a failure that says so, and a line in the log of its Env.
func TestAnAnswerThatCannotBeSentIsAFailure(t *testing.T) {
	for want, answer := range map[string]rpcenv.Message{
		"rpcenv: cannot be sent: say is Local and stays in its Env":                           say{},
		"rpcenv: cannot be sent: <nil> is neither a protobuf message nor embeds rpcenv.Local": nil,
		"google.protobuf.StringValue: string field contains invalid UTF-8":                    wrapperspb.String("\xff"),
	} {
		w := inSim(t)
		log, hook := test.NewNullLogger()
		a := w.makeAt(rpcenv.Config{Name: "A", Listen: rpcenv.Address{Host: "10.1.1.1"}, Log: logrus.NewEntry(log)}, "10.1.1.1")
		ref := w.register(a, "E", &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) { rpcenv.ReplyAs(c, m, answer) }})
		w.do(w.env("B"), func(b *rpcenv.Blocking) {
			_, err := rpcenv.AskWaitAs[rpcenv.Message](b, ref, num(1))
			if _, remote := errors.AsType[*rpcenv.RemoteError](err); !remote || !strings.HasSuffix(strings.ReplaceAll(err.Error(), "\u00a0", " "), want) {
				t.Errorf("%v, want %s", err, want)
			}
		})
		if e := hook.LastEntry(); e == nil || e.Level != logrus.ErrorLevel || !strings.HasPrefix(e.Message, "The answer to google.protobuf.Int32Value: ") {
			t.Errorf("%s: logged %v", want, e)
		}
	}
}

func TestAnAnswerToAnAskerThatIsGoneIsAnEvent(t *testing.T) {
	w := inSim(t)
	a, b := w.env("A"), w.env("B")
	ref := w.register(a, "E", keeper(w))
	b.Go("asks", func(b *rpcenv.Blocking) error {
		_, err := rpcenv.AskWait(b, ref, &rpc.CheckExistence{})
		return err
	})
	w.await("asked")
	w.crash(b)
	w.sim.Advance(time.Second)
	w.send(a, ref, "answer now")
	w.await("answered")
	w.quiet()
	if d := w.drops(); len(d) != 1 || d[0] != "rpc.CheckExistence: the asker's connection is closed" {
		t.Error(d)
	}
	if got := a.Metrics().Drops; len(got) != 1 || got[0].Reason != metrics.ReasonAnswer {
		t.Error(got)
	}
}

// A peer that asks and does not read would fill the memory: it loses its connection, and other peers nothing.
func TestAPeerThatDoesNotReadItsAnswersLosesItsConnection(t *testing.T) {
	w := inSim(t)
	a, b := w.env("A"), w.env("B")
	ep := watching(w)
	answer := wrapperspb.Bytes(make([]byte, 33<<20))
	ep.receive = func(c *rpcenv.Context, m rpcenv.Message) {
		rpcenv.ReplyAs(c, m, answer)
		w.note("answered")
	}
	ref := w.register(a, "E", ep)
	asker := w.register(b, "Asker", doer())
	w.in(b, asker, func(c *rpcenv.Context) { rpcenv.AskAs(c, ref, num(0), func(rpcenv.Message, error) {}) })
	w.await("answered")
	w.quiet()
	w.sim.Cut("A", "B")
	w.in(b, asker, func(c *rpcenv.Context) {
		for i := range 2 {
			rpcenv.AskAs(c, ref, num(1), func(_ rpcenv.Message, err error) {
				w.note("%d disconnected: %v", i, errors.Is(err, rpcenv.ErrUnreachableDisconnected))
			})
		}
	})
	w.sim.Advance(time.Second)
	size := len(content(answer))
	full := fmt.Sprintf("google.protobuf.Int32Value: no room: %d bytes of answers wait for %s", size, b.Address())
	if d := w.drops(); !slices.Equal(d, []string{full}) {
		t.Error(d)
	}
	w.await("A: disconnected " + b.Address().String())
	if _, conns, _ := a.Held(); conns != 0 {
		t.Error(conns, "connections")
	}
	w.sim.Heal("A", "B")
	w.await("0 disconnected: false") // what was sent before is written out
	w.await("1 disconnected: true")
}

// An Env that stops welcomes no peer, not even one that said Hello before.
func TestAnEnvThatStopsWelcomesNobody(t *testing.T) {
	w := inSim(t)
	a := w.env("A")
	w.register(a, "Slow", doer())
	w.sim.Cost("A/Slow", "OnStop", 10*time.Second)
	s := w.stranger(a.Address(), nil)
	a.Shutdown()
	s.link.Send(hello(&rpc.Hello{Version: 1, Env: "S", Incarnation: 5, Connection: 98}))
	w.await("stranger: failure: rpcenv: stopped: RpcEnv has been stopped")
	w.await("stranger: closed")
}

// What comes after the end of a connection reaches no endpoint.
func TestNothingIsHeardAfterTheEndOfAConnection(t *testing.T) {
	w := inSim(t)
	a := w.env("A")
	w.register(a, "E", watching(w))
	s := w.stranger(a.Address(), hello(&rpc.Hello{Version: 1, Env: "S", Incarnation: 5, Connection: 98}))
	w.await("stranger: Welcome")
	say := func(word string) {
		s.link.Send(&rpcenv.Envelope{Kind: rpcenv.KindOneWay, Endpoint: "E", Content: content(text(word))})
	}
	say("heard")
	w.await("A: heard")
	a.Break()
	say("lost")
	s.link.Send(&rpcenv.Envelope{Kind: rpcenv.KindRequest, RequestID: 2, Endpoint: "Nobody", Content: content(text("lost"))})
	w.sim.Advance(time.Second)
	w.wantNo("A: lost")
	if n := len(slices.DeleteFunc(w.noted(), func(l string) bool { return !strings.HasPrefix(l, "A: disconnected") })); n != 1 {
		t.Error(w.noted())
	}
}
