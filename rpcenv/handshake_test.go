package rpcenv_test

import (
	"cmp"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/codec"
)

// stranger is a peer that speaks by envelopes. It notes what it gets.
type stranger struct {
	w    *world
	host rpcenv.Host
	link rpcenv.Link

	heard func(m rpcenv.Message) // if set, called with each message
}

// stranger connects to an Env as a peer that says what the test wants: first that, then nothing.
func (w *world) stranger(to rpcenv.Address, first *rpcenv.Envelope) *stranger {
	s := &stranger{w: w, host: w.hostOf("Stranger", "10.0.9.9")}
	w.strangers++
	s.host.Dial(to, func(l rpcenv.Link, err error) rpcenv.Receiver {
		if err != nil {
			w.t.Error(err)
			return nil
		}
		s.link = l
		if first != nil {
			l.Send(first)
		}
		w.note("stranger: open")
		return s
	})
	w.until("a stranger is connected", func(log []string) bool {
		n := 0
		for _, line := range log {
			if line == "stranger: open" {
				n++
			}
		}
		return n == w.strangers
	})
	return s
}

func (s *stranger) Receive(e *rpcenv.Envelope) {
	switch e.Kind {
	case rpcenv.KindFailure:
		s.w.note("stranger: failure: %s", e.Error)
	default:
		m, err := table.Decode(e.Content)
		if err != nil {
			s.w.t.Error(err)
			return
		}
		if s.heard != nil {
			s.heard(m)
		}
		s.w.note("stranger: %s", m.ProtoReflect().Descriptor().Name())
	}
}

func (s *stranger) Closed(error) { s.w.note("stranger: closed") }

var table, _ = codec.Load()

// content is m for the wire. A greeting that names no window has one.
func content(m proto.Message) []byte {
	switch m := m.(type) {
	case *rpc.Hello:
		m.Window = cmp.Or(m.Window, 4<<20)
	case *rpc.Welcome:
		m.Window = cmp.Or(m.Window, 4<<20)
	}
	b, err := table.Append(nil, m)
	if err != nil {
		panic(err)
	}
	return b
}

func hello(h *rpc.Hello) *rpcenv.Envelope {
	return &rpcenv.Envelope{Kind: rpcenv.KindRequest, RequestID: 1, Endpoint: rpcenv.VerifierName, Content: content(h)}
}

// What this side gave up in its handshake stays given up, though its Link still hands over a good Hello.
func TestARefusedConnectionTakesNoLateHello(t *testing.T) {
	w := inSim(t)
	a := w.env("A")
	w.register(a, "Watcher", &watcher{w: w})
	l := &slowLink{}
	c := a.Accept(l)
	c.Receive(&rpcenv.Envelope{Kind: rpcenv.KindOneWay, Content: []byte("no Hello")})
	c.Receive(hello(&rpc.Hello{Version: 1, Env: "S", Incarnation: 7, Connection: 99}))
	if len(l.sent) != 0 || l.closed != 1 {
		t.Error(l.sent, l.closed)
	}
	c.Closed(io.EOF)
	w.quiet()
	w.wantLog()
}

func TestHandshake(t *testing.T) {
	good := func() *rpc.Hello { return &rpc.Hello{Version: 1, Env: "S", Incarnation: 7, Connection: 99} }
	for _, test := range []struct {
		name  string
		first *rpcenv.Envelope
		want  string // what the stranger gets first
		ends  bool
	}{
		{"a Hello is welcomed", hello(good()), "stranger: Welcome", false},
		{"another version", hello(&rpc.Hello{Version: 2, Incarnation: 7, Connection: 99}), "stranger: failure: the peer speaks version 2 of the protocol, this is version 1", true},
		{"no connection id", hello(&rpc.Hello{Version: 1, Incarnation: 7}), "stranger: failure: connection id 0 is taken", true},
		{"garbage", &rpcenv.Envelope{Kind: rpcenv.KindRequest, Endpoint: rpcenv.VerifierName, Content: []byte("GET / HTTP/1.1")}, "stranger: closed", true},
		{"a stream of Java", &rpcenv.Envelope{Kind: rpcenv.KindRequest, Endpoint: rpcenv.VerifierName, Content: []byte{0xAC, 0xED, 0, 5}}, "stranger: closed", true},
		{"nothing", &rpcenv.Envelope{Kind: rpcenv.KindOneWay, Endpoint: "E"}, "stranger: closed", true},
		{"a message before the Hello", &rpcenv.Envelope{Kind: rpcenv.KindOneWay, Endpoint: "E", Content: content(text("x"))}, "stranger: closed", true},
		{"a Hello that asks nothing", &rpcenv.Envelope{Kind: rpcenv.KindOneWay, Endpoint: rpcenv.VerifierName, Content: content(good())}, "stranger: closed", true},
		{"a Hello for another endpoint", &rpcenv.Envelope{Kind: rpcenv.KindRequest, Endpoint: "E", Content: content(good())}, "stranger: closed", true},
		{"a Welcome", &rpcenv.Envelope{Kind: rpcenv.KindResponse, Content: content(&rpc.Welcome{Version: 1})}, "stranger: closed", true},
		{"a failure", &rpcenv.Envelope{Kind: rpcenv.KindFailure, Error: "no"}, "stranger: closed", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			inSimAndMemory(t, func(w *world) {
				a := w.env("A")
				w.register(a, "E", double(w))
				w.stranger(a.Address(), test.first)
				w.until("an answer", func(log []string) bool { return len(log) >= 2 })
				if got := w.noted()[1]; !strings.HasPrefix(got, test.want) {
					t.Errorf("%q, want %q", got, test.want)
				}
				if test.ends {
					w.await("stranger: closed")
				}
				w.do(w.client("C"), func(b *rpcenv.Blocking) { // the Env is well
					if _, err := rpcenv.AskWaitAs[rpcenv.Message](b, a.Ref(a.Address(), "E"), num(1)); err != nil {
						t.Error(err)
					}
				})
			})
		})
	}
}

// inSimAndMemory runs a test that is about envelopes, where the Host of a stranger needs no wire.
func inSimAndMemory(t *testing.T, test func(w *world)) {
	t.Helper()
	for _, kind := range []string{"sim", "memory"} {
		t.Run(kind, func(t *testing.T) { test(newWorld(t, kind)) })
	}
}

func TestAConnectionIDIsTakenOnce(t *testing.T) {
	inSimAndMemory(t, func(w *world) {
		a := w.env("A")
		first := w.stranger(a.Address(), hello(&rpc.Hello{Version: 1, Env: "S", Incarnation: 7, Connection: 99}))
		w.await("stranger: Welcome")
		w.stranger(a.Address(), hello(&rpc.Hello{Version: 1, Env: "S", Incarnation: 8, Connection: 99}))
		w.await("stranger: failure: connection id 63 is taken")
		w.await("stranger: closed")
		n := len(w.noted())
		first.link.Send(&rpcenv.Envelope{Kind: rpcenv.KindRequest, RequestID: 2, Endpoint: rpcenv.VerifierName, Content: content(&rpc.CheckExistence{})})
		w.until("the first goes on", func(log []string) bool { return len(log) > n && log[len(log)-1] == "stranger: Bool" })
	})
}

func TestAHandshakeMayTakeFiveSeconds(t *testing.T) {
	w := inSim(t)
	a := w.env("A")
	begin := w.sim.Now()
	w.stranger(a.Address(), nil)
	w.await("stranger: closed")
	if d := w.sim.Now().Sub(begin); d < 5*time.Second || d > 5100*time.Millisecond {
		t.Error("it took", d)
	}
	if _, conns, _ := a.Held(); conns != 0 {
		t.Error(conns, "connections are kept")
	}
}

func TestADialToAListenerThatSaysNothingFails(t *testing.T) {
	w := inSim(t)
	b := w.env("B")
	mute := w.hostOf("Mute", "10.0.9.8")
	at, _, err := mute.Listen(rpcenv.Address{Host: "10.0.9.8"}, func(l rpcenv.Link) rpcenv.Receiver { return &stranger{w: w, link: l} })
	if err != nil {
		t.Fatal(err)
	}
	w.do(b, func(b *rpcenv.Blocking) {
		_, err := rpcenv.AskWaitAs[rpcenv.Message](b, b.Env().Ref(at, "E"), num(1))
		if !errors.Is(err, rpcenv.ErrHandshake) || !strings.Contains(err.Error(), "no handshake within 5s: is it Coherer that listens there?") {
			t.Error(err)
		}
	})
}

func TestAnEnvUnderAnotherNameIsItself(t *testing.T) {
	w := inSim(t)
	a := w.makeAt(rpcenv.Config{Name: "A", Listen: rpcenv.Address{Host: "10.0.0.1", Port: 7077}, Advertise: "a.example"}, "10.0.0.1")
	if a.Address() != (rpcenv.Address{Host: "a.example", Port: 7077}) {
		t.Error(a.Address())
	}
	w.register(a, "E", double(w))
	w.do(a, func(b *rpcenv.Blocking) {
		if _, err := rpcenv.AskWaitAs[rpcenv.Message](b, a.Ref(a.Address(), "E"), num(1)); err != nil {
			t.Error("under its own name:", err)
		}
		_, err := rpcenv.AskWaitAs[rpcenv.Message](b, a.Ref(rpcenv.Address{Host: "10.0.0.1", Port: 7077}, "E"), num(1))
		if !errors.Is(err, rpcenv.ErrHandshake) || !strings.Contains(err.Error(), "the address of the Env itself under another name") {
			t.Error("under another:", err)
		}
	})
}

// Two processes may have one name: their connections have ids of their own.
func TestEnvsOfOneNameAreTwo(t *testing.T) {
	w := inSim(t)
	a := w.env("A")
	ref := w.register(a, "E", double(w))
	for range 3 {
		w.do(w.client("Twin"), func(b *rpcenv.Blocking) {
			if _, err := rpcenv.AskWaitAs[rpcenv.Message](b, ref, num(1)); err != nil {
				t.Error(err)
			}
		})
	}
	if _, conns, _ := a.Held(); conns != 3 {
		t.Error(conns, "connections")
	}
}
