package rpcenv_test

import (
	"errors"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/sirupsen/logrus/hooks/test"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// Why a connection is refused is a warning in the listener's log: it names the peer, and no endpoint hears of its end.
func TestARefusedConnectionIsLoggedWithItsReason(t *testing.T) {
	const before = " before the handshake"
	good := content(&rpc.Hello{Version: 1, Env: "S", Incarnation: 7, Connection: 99})
	for why, first := range map[string]*rpcenv.Envelope{
		"google.protobuf.StringValue" + before:      {Kind: rpcenv.KindRequest, Endpoint: rpcenv.VerifierName, Content: content(text("x"))},
		"rpc.Hello" + before:                        {Kind: rpcenv.KindOneWay, Endpoint: rpcenv.VerifierName, Content: good},
		"rpc.Welcome" + before:                      {Kind: rpcenv.KindResponse, Content: content(&rpc.Welcome{Version: 1, Incarnation: 7})},
		"not a peer of this protocol: " + garbled(): {Kind: rpcenv.KindRequest, Endpoint: rpcenv.VerifierName, Content: []byte("GET / HTTP/1.1")},
		"no, thank you":                             {Kind: rpcenv.KindFailure, Error: "no, thank you"},
		"connection id 0 is taken":                  hello(&rpc.Hello{Version: 1, Incarnation: 7}),
		"the peer speaks version 2 of the protocol, this is version 1: use the same release on both sides": hello(&rpc.Hello{Version: 2, Incarnation: 7, Connection: 9}),
		"no handshake within 5s: is it Coherer that listens there?":                                        nil,
	} {
		w := inSim(t)
		log, hook := test.NewNullLogger()
		a := w.makeAt(rpcenv.Config{Name: "A", Listen: rpcenv.Address{Host: "10.1.1.1"}, Log: logrus.NewEntry(log)}, "10.1.1.1")
		w.register(a, "E", watching(w))
		s := w.stranger(a.Address(), first)
		w.await("stranger: closed")
		w.sim.Advance(time.Second)
		all := hook.AllEntries()
		if len(all) != 1 || all[0].Level != logrus.WarnLevel || all[0].Message != "refused a connection from "+s.link.Local().String() {
			t.Errorf("%s: %v", why, all)
			continue
		}
		if err, _ := all[0].Data[logrus.ErrorKey].(error); err == nil || err.Error() != why {
			t.Errorf("%v, want %s", err, why)
		}
		if m := a.Metrics(); m.Refused != 1 || m.Opened != 0 || m.Lost != 0 || m.Open != 0 {
			t.Errorf("%s: %+v", why, m)
		}
		w.wantNo("A: disconnected " + s.link.Local().String())
	}
}

// garbled is what is wrong with a request of HTTP.
func garbled() string {
	_, err := table.Decode([]byte("GET / HTTP/1.1"))
	return err.Error()
}

// welcoming listens and answers each first envelope with one of its own.
func welcoming(w *world, answer *rpcenv.Envelope) rpcenv.Address {
	host := w.hostOf("Welcoming", "10.0.9.7")
	at, closer, err := host.Listen(rpcenv.Address{Host: "10.0.9.7"}, func(l rpcenv.Link) rpcenv.Receiver {
		return &stranger{w: w, link: l, heard: func(rpcenv.Message) { l.Send(answer) }}
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = closer.Close() })
	return at
}

// The dialler hears why, as a network error too.
func TestADialIsRefusedByTheWelcomeThatItGets(t *testing.T) {
	good := content(&rpc.Welcome{Version: 1, Env: "S", Incarnation: 7})
	for why, answer := range map[string]*rpcenv.Envelope{
		"not here":                         {Kind: rpcenv.KindFailure, Error: "not here"},
		"rpc.Welcome before the handshake": {Kind: rpcenv.KindRequest, Endpoint: rpcenv.VerifierName, Content: good},
		"rpc.Hello before the handshake":   hello(&rpc.Hello{Version: 1, Incarnation: 7, Connection: 9}),
		"the peer speaks version 3 of the protocol, this is version 1: use the same release on both sides": {
			Kind: rpcenv.KindResponse, Content: content(&rpc.Welcome{Version: 3, Incarnation: 7}),
		},
	} {
		w := inSim(t)
		b := w.env("B")
		w.register(b, "E", watching(w))
		at := welcoming(w, answer)
		w.do(b, func(blocking *rpcenv.Blocking) {
			_, err := rpcenv.AskWaitAs[rpcenv.Message](blocking, b.Ref(at, "E"), num(1))
			want := "no connection: " + at.String() + ": rpcenv: handshake: " + why
			if !errors.Is(err, rpcenv.ErrHandshake) || !errors.Is(err, rpcenv.ErrUnreachableDisconnected) || err.Error() != want {
				t.Errorf("%v, want %s", err, want)
			}
		})
		w.quiet()
		w.wantLog("stranger: Hello", "B: network error "+at.String(), "stranger: closed")
		if m := b.Metrics(); m.Refused != 1 || m.NotReached != 1 || m.Open != 0 {
			t.Errorf("%s: %+v", why, m)
		}
	}
}

// A peer that listens says where; one that does not is named by the address that was dialled.
func TestAWelcomeMayHaveNoAddress(t *testing.T) {
	w := inSim(t)
	k := w.client("K")
	w.register(k, "E", watching(w))
	at := welcoming(w, &rpcenv.Envelope{Kind: rpcenv.KindResponse, Content: content(&rpc.Welcome{Version: 1, Env: "S", Incarnation: 7})})
	w.do(k, func(b *rpcenv.Blocking) {
		if err := k.DialWait(b, at); err != nil {
			t.Error(err)
		}
	})
	w.quiet()
	w.wantLog("stranger: Hello", "K: connected "+at.String())
}

// An Env that stops while its dial is answered has no connection.
func TestAWelcomeToAnEnvThatStopsIsTooLate(t *testing.T) {
	w := inSim(t)
	a, b := w.env("A"), w.env("B")
	ref := w.register(a, "E", double(w))
	w.register(b, "Slow", doer())
	w.sim.Cost("B/Slow", "OnStop", 10*time.Second)
	if err := b.Send(ref, text("lost")); err != nil {
		t.Error(err)
	}
	b.Shutdown()
	w.sim.Advance(time.Second)
	want := "google.protobuf.StringValue: no connection: " + a.Address().String() + ": rpcenv: handshake: rpcenv: stopped: RpcEnv has been stopped"
	if d := w.drops(); len(d) != 1 || d[0] != want {
		t.Error(d)
	}
	if m := b.Metrics(); m.Open != 0 || m.Opened != 0 || a.Metrics().Open != 0 {
		t.Errorf("%+v", m)
	}
}

// A peer that says that it listens elsewhere is known by both names: what waited for the one goes to the other.
func TestAPeerMayListenElsewhereThanWhereItWasDialled(t *testing.T) {
	w := inSim(t)
	a := w.makeAt(rpcenv.Config{Name: "A", Listen: rpcenv.Address{Host: "10.1.1.1", Port: 7077}, Advertise: "a.example"}, "10.1.1.1")
	w.register(a, "E", watching(w))
	b := w.env("B")
	w.register(b, "E", watching(w))
	dialled := rpcenv.Address{Host: "10.1.1.1", Port: 7077}
	for _, to := range []rpcenv.Address{dialled, a.Address(), dialled} {
		w.say(b, b.Ref(to, "E"), "by "+to.String())
		w.await("A: by " + to.String())
	}
	w.quiet()
	w.wantLog("A: connected "+b.Address().String(), "B: connected "+a.Address().String(),
		"A: by 10.1.1.1:7077", "A: by a.example:7077", "A: by 10.1.1.1:7077")
	if boxes, conns, _ := b.Held(); boxes != 2 || conns != 1 {
		t.Error(boxes, "outboxes", conns, "connections")
	}
}
