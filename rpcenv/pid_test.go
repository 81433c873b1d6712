package rpcenv_test

import (
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/sirupsen/logrus"
	"github.com/sirupsen/logrus/hooks/test"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/messages/rpc"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
)

// requesting is an ordinary protoactor actor that requests on demand, and notes what it gets.
type requesting struct {
	w  *world
	to *actor.PID
}

type request struct{ n int32 }

func (r requesting) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case request:
		c.Request(r.to, num(m.n))
	case *wrapperspb.Int32Value:
		r.w.note("answer %d", m.GetValue())
	case *rpc.Failure:
		r.w.note("failure %s", m.GetMessage())
	}
}

func (w *world) actor(to *actor.PID) *actor.PID {
	root := rpcenv.ActorSystem().Root
	pid := root.Spawn(actor.PropsFromProducer(func() actor.Actor { return requesting{w, to} }))
	w.t.Cleanup(func() {
		if err := root.StopFuture(pid).Wait(); err != nil {
			w.t.Error(err)
		}
	})
	return pid
}

func TestAnActorTalksToAnEndpointOfItsProcessAndOfAnother(t *testing.T) {
	for _, kind := range []string{"memory", "tcp"} {
		t.Run(kind, func(t *testing.T) {
			w := newWorld(t, kind)
			here, there := w.env("A"), w.env("B")
			root := rpcenv.ActorSystem().Root
			for _, ref := range []rpcenv.Ref{w.register(here, "E", double(w)), w.register(there, "E", double(w))} {
				w.log = nil
				pid := here.PID(ref)
				root.Send(pid, text("told"))
				w.await("told")
				root.Send(w.actor(pid), request{21})
				w.await("answer 42")
			}
		})
	}
}

func TestARequestThatFailsIsAnsweredByItsFailure(t *testing.T) {
	w := newWorld(t, "memory")
	e := w.env("A")
	pid := e.PID(rpcenv.Ref{Address: e.Address(), Name: "Nobody"})
	rpcenv.ActorSystem().Root.Send(w.actor(pid), request{1})
	w.until("a failure", func(log []string) bool { return len(log) == 1 })
	w.wantLog("failure could not find the endpoint: Could not find Nobody.")
}

func TestWhatIsNoMessageIsNotSentForAnActor(t *testing.T) {
	w := newWorld(t, "memory")
	e := w.env("A")
	ref := w.register(e, "E", noting(w))
	root := rpcenv.ActorSystem().Root
	root.Send(e.PID(ref), 7)
	if _, err := root.RequestFuture(e.PID(ref), 7, time.Minute).Result(); err != nil {
		t.Error("the failure is an answer:", err)
	}
	w.send(e, ref, "next")
	w.await("next")
	w.wantLog("OnStart", "next")
}

func TestThePIDsOfAnEnvEndWithIt(t *testing.T) {
	w := newWorld(t, "memory")
	e := w.env("A")
	pid := e.PID(w.register(e, "E", double(w)))
	w.close(e)
	root := rpcenv.ActorSystem().Root
	root.Send(pid, text("to nobody"))
	answer, err := root.RequestFuture(pid, num(1), time.Minute).Result()
	if f, ok := answer.(*rpc.Failure); err != nil || !ok || f.GetCode() != "rpc.stopped" {
		t.Error(answer, err)
	}
}

func TestAPIDThatIsMadeAfterTheEndOfItsEnvKeepsNothing(t *testing.T) {
	w := newWorld(t, "memory")
	e, peer := w.env("A"), w.env("B")
	ref := w.register(peer, "E", double(w))
	w.close(e)
	answer, err := rpcenv.ActorSystem().Root.RequestFuture(e.PID(ref), num(1), time.Minute).Result()
	if f, ok := answer.(*rpc.Failure); err != nil || !ok || f.GetCode() != "rpc.stopped" {
		t.Error(answer, err)
	}
	if rpcenv.HasPIDs(e) {
		t.Error("an Env that has ended is kept for its PIDs")
	}
}

func TestOnlyAPIDOfAnEnvIsResolved(t *testing.T) {
	for address, want := range map[string]bool{
		"1@h:7#0": true, "1@#5": true, "4294967295@[::1]:7#18446744073709551615": true,
		"nonhost": false, "127.0.0.1:8090": false, "x@h:7#0": false, "-1@h:7#0": false, "4294967296@h:7#0": false,
		"1@h:7": false, "1@h:7#x": false, "1@h#0": false, "1@:7#0": false,
	} {
		p, ok := rpcenv.ResolvePID(actor.NewPID(address, "E"))
		if ok != want || (p != nil) != want {
			t.Errorf("%s: %v %v", address, p, ok)
		}
	}
}

// A message of an actor that cannot be sent is a line in the log, since no handler fails for it.
func TestWhatAnActorCannotSendIsLogged(t *testing.T) {
	w := newWorld(t, "memory")
	log, hook := test.NewNullLogger()
	e := w.makeAt(rpcenv.Config{Name: "A", Listen: rpcenv.Address{Host: "127.0.0.1"}, Log: logrus.NewEntry(log)}, "127.0.0.1")
	ref := w.register(e, "E", noting(w))
	root := rpcenv.ActorSystem().Root
	root.Send(e.PID(ref), 7)
	all := hook.AllEntries()
	if len(all) != 1 || all[0].Level != logrus.ErrorLevel || all[0].Message != "Drop what an actor sent to "+ref.String() {
		t.Error(all)
	}
	answer, err := root.RequestFuture(e.PID(ref), 7, time.Minute).Result()
	const why = "rpcenv: cannot be sent: int is neither a protobuf message nor embeds rpcenv.Local"
	if f, ok := answer.(*rpc.Failure); err != nil || !ok || f.GetMessage() != why || len(hook.AllEntries()) != 1 {
		t.Error(answer, err)
	}
}

// The trace names the actor that asks; a PID of a client's endpoint goes by its connection.
func TestAnActorsMessagesAreTraced(t *testing.T) {
	w := newWorld(t, "memory")
	a, k := w.env("A"), w.client("K")
	ref := w.register(a, "E", double(w))
	w.register(k, "C", double(w))
	w.say(k, ref, "hello")
	w.await("hello")
	root := rpcenv.ActorSystem().Root
	root.Send(a.PID(a.Clients("C")[0]), text("told"))
	w.await("told")
	asks := w.actor(a.PID(ref))
	root.Send(asks, request{21})
	w.await("answer 42")
	senders := map[string]bool{}
	for _, r := range w.rec.Records() {
		if r.GetKind() == tracepb.Kind_SENT && r.GetPeer() != "" {
			senders[r.GetEndpoint()+" to "+r.GetTo()] = true
		}
	}
	if !senders["actor to C"] || !senders["actor "+asks.GetId()+" to E"] {
		t.Error(senders)
	}
}
