package rpcenv_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// envelopes is a peer that notes each envelope whole, and answers a Hello by a Welcome.
type envelopes struct {
	w       *world
	link    rpcenv.Link
	welcome *rpc.Welcome
	hello   int64 // the number of the Hello
}

func (s *envelopes) Receive(e *rpcenv.Envelope) {
	what := e.Error
	if e.Kind != rpcenv.KindFailure {
		m, err := table.Decode(e.Content)
		if err != nil {
			s.w.t.Error(err)
			return
		}
		what = rpcenv.TypeName(m)
		switch m := m.(type) {
		case *rpc.Hello:
			what += fmt.Sprintf("(%d %s %s nonce %d)", m.GetVersion(), m.GetEnv(), rpcenv.AddressOf(m.GetAddress()), len(m.GetNonce()))
			s.hello = e.RequestID
			s.link.Send(&rpcenv.Envelope{Kind: rpcenv.KindResponse, RequestID: e.RequestID, Content: content(s.welcome)})
			e.RequestID = 0
		case *rpc.Welcome:
			what += fmt.Sprintf("(%d %s %s nonce %d)", m.GetVersion(), m.GetEnv(), rpcenv.AddressOf(m.GetAddress()), len(m.GetNonce()))
		}
	}
	number := e.RequestID
	if e.Kind == rpcenv.KindRequest && s.hello != 0 && number != 0 {
		number -= s.hello
	}
	s.w.note("%d %d from=%s to=%s %q %s", e.Kind, number, e.Sender, e.Receiver, e.Endpoint, what)
}

func (s *envelopes) Closed(error) { s.w.note("closed") }

func TestTheEnvelopesOfADialler(t *testing.T) {
	w := inSim(t)
	b := w.env("B")
	host := w.hostOf("Peer", "10.0.9.9")
	s := &envelopes{w: w, welcome: &rpc.Welcome{Version: 1, Env: "S", Incarnation: 7, Address: &rpc.Address{Host: "10.0.9.9", Port: 9}}}
	at, closer, err := host.Listen(rpcenv.Address{Host: "10.0.9.9", Port: 9}, func(l rpcenv.Link) rpcenv.Receiver {
		s.link = l
		return s
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = closer.Close() })
	asker := w.register(b, "P", doer())
	to := b.Ref(at, "E")
	w.in(b, asker, func(c *rpcenv.Context) {
		c.Send(to, text("x"))
		for i := range 2 {
			rpcenv.AskAs(c, to, num(1), func(m rpcenv.Message, err error) { w.note("answer %d: %v %v", i, m != nil, err) })
		}
	})
	w.awaitLines(4)
	at2 := b.Address().String()
	w.wantLog(
		`3 0 from=`+at2+` to=10.0.9.9:9 "endpoint-verifier" rpc.Hello(1 B `+at2+` nonce 8)`,
		`9 0 from=`+at2+` to=10.0.9.9:9 "E" google.protobuf.StringValue`,
		`3 4098 from=`+at2+` to=10.0.9.9:9 "E" google.protobuf.Int32Value`, // the last 12 bits of a number are the asker's
		`3 8194 from=`+at2+` to=10.0.9.9:9 "E" google.protobuf.Int32Value`,
	)
	// What cannot be decoded is the failure of its ask alone.
	s.link.Send(&rpcenv.Envelope{Kind: rpcenv.KindResponse, RequestID: s.hello + 4098, Content: []byte("garbage")})
	w.awaitLines(5)
	s.link.Send(&rpcenv.Envelope{Kind: rpcenv.KindResponse, RequestID: s.hello + 8194, Content: content(num(2))})
	w.awaitLines(6)
	got := w.noted()[4:]
	want := "answer 0: false undecodable content: the answer of 10.0.9.9:9: "
	if len(got[0]) <= len(want) || got[0][:len(want)] != want || got[1] != "answer 1: true <nil>" {
		t.Errorf("%q", got)
	}
}

func TestTheEnvelopesOfAListener(t *testing.T) {
	for name, own := range map[string]*rpc.Address{"10.0.9.9:9": {Host: "10.0.9.9", Port: 9}, "": nil} {
		w := inSim(t)
		a := w.env("A")
		w.register(a, "E", double(w))
		s := &envelopes{w: w}
		w.hostOf("Peer", "10.0.9.9").Dial(a.Address(), func(l rpcenv.Link, err error) rpcenv.Receiver {
			s.link = l
			l.Send(&rpcenv.Envelope{Kind: rpcenv.KindRequest, RequestID: 17, Endpoint: rpcenv.VerifierName, Content: content(
				&rpc.Hello{Version: 1, Env: "S", Incarnation: 7, Connection: 99, Address: own})})
			return s
		})
		w.awaitLines(1)
		ask := func(id int64, endpoint string) {
			s.link.Send(&rpcenv.Envelope{Kind: rpcenv.KindRequest, RequestID: id, Endpoint: endpoint, Content: content(num(1))})
		}
		ask(4, "E")
		ask(9, "Nobody")
		w.awaitLines(3)
		to := rpcenv.Ref{Address: rpcenv.AddressOf(own), Name: "X"}
		if own == nil {
			to = a.Clients("X")[0]
		}
		if err := a.Send(to, wrapperspb.Bool(true)); err != nil {
			t.Error(err)
		}
		w.awaitLines(4)
		at := a.Address().String()
		w.wantLog(
			`4 17 from= to= "" rpc.Welcome(1 A `+at+` nonce 8)`,
			`4 4 from= to= "" google.protobuf.Int32Value`,
			`5 9 from= to= "" [rpc.not-found] could not find the endpoint: Could not find Nobody.`,
			`9 0 from=`+at+` to=`+name+` "X" google.protobuf.BoolValue`,
		)
	}
}

// A refusal is the answer to the Hello, and ends the connection at once.
func TestARefusalAnswersTheHello(t *testing.T) {
	for want, h := range map[string]*rpc.Hello{
		"the peer speaks version 2 of the protocol, this is version 1: use the same release on both sides": {Version: 2, Incarnation: 7, Connection: 9},
		"connection id 0 is taken": {Version: 1, Incarnation: 7},
		"10.0.1.1:7078 is the address of B, which is connected: if that is another process, give each an address of its own": {
			Version: 1, Incarnation: 7, Connection: 9, Address: &rpc.Address{Host: "10.0.1.1", Port: 7078},
		},
	} {
		w := inSim(t)
		a := w.env("A")
		ref := w.register(a, "E", double(w))
		b := w.makeAt(rpcenv.Config{Name: "B", Listen: rpcenv.Address{Host: "10.0.1.1", Port: 7078}}, "10.0.1.1")
		w.say(b, ref, "hello")
		w.await("hello")
		s := &envelopes{w: w}
		begin := w.sim.Now()
		w.hostOf("Peer", "10.0.9.9").Dial(a.Address(), func(l rpcenv.Link, err error) rpcenv.Receiver {
			l.Send(&rpcenv.Envelope{Kind: rpcenv.KindRequest, RequestID: 17, Endpoint: rpcenv.VerifierName, Content: content(h)})
			return s
		})
		w.await("closed")
		if d := w.sim.Now().Sub(begin); d > 100*time.Millisecond {
			t.Error(want, "took", d)
		}
		w.wantLog("hello", `5 17 from= to= "" `+want, "closed")
	}
}

// notes is a peer that keeps the Note of each message for a Simulation.
type notes struct{ w *world }

func (s notes) Receive(e *rpcenv.Envelope) {
	n := e.Note
	if n == nil {
		s.w.note("%d none", e.Kind)
		return
	}
	s.w.note("%d %v caused=%v %s/%s > %s/%s at %q %s %q %v %v", e.Kind, n.ID.N, n.Cause, n.From, n.Sender, n.To, n.Receiver, n.Address,
		n.Type, n.Own, n.Form, n.Message != nil)
}

func (s notes) Closed(error) {}

func TestASimulationIsToldOfEachMessage(t *testing.T) {
	for _, kind := range []string{"sim", "by reference", "memory"} {
		w := newWorld(t, strings.Replace(kind, "by reference", "sim", 1))
		if kind == "by reference" {
			w.sim.ByReference()
		}
		a := w.env("A")
		ref := w.register(a, "E", &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) {
			if d, ok := m.(do); ok {
				d.f(c)
				return
			}
			rpcenv.ReplyAs(c, m, text("answer"))
		}})
		var link rpcenv.Link
		w.hostOf("Peer", "10.0.9.9").Dial(a.Address(), func(l rpcenv.Link, err error) rpcenv.Receiver {
			link = l
			l.Send(hello(&rpc.Hello{Version: 1, Env: "S", Incarnation: 7, Connection: 99 << 32, Address: &rpc.Address{Host: "10.0.9.9", Port: 9}}))
			return notes{w}
		})
		w.awaitLines(1)
		var cause string
		w.in(a, ref, func(c *rpcenv.Context) {
			c.Send(rpcenv.Ref{Address: rpcenv.Address{Host: "10.0.9.9", Port: 9}, Name: "X"}, num(1))
		})
		for i, name := range []string{"E", "Nobody"} {
			w.awaitLines(2 + i)
			link.Send(&rpcenv.Envelope{Kind: rpcenv.KindRequest, RequestID: int64(i), Endpoint: name, Content: content(num(1))})
		}
		w.awaitLines(4)
		for _, r := range w.rec.Records() {
			if r.GetTo() == "E" && r.GetEndpoint() == "test" {
				cause = fmt.Sprint(record.ID{Env: r.GetId().GetEnv(), N: r.GetId().GetN()})
			}
		}
		want := []string{
			"4 none",
			"9 1 caused=" + cause + ` A/E > S/X at "10.0.9.9:9" google.protobuf.Int32Value "" SEND ` + fmt.Sprint(kind == "by reference"),
			`4 2 caused=00000063.>.1 A/E > S/ at "10.0.9.9:9" google.protobuf.Int32Value "google.protobuf.StringValue" REPLY ` + fmt.Sprint(kind == "by reference"),
			`5 3 caused=00000063.>.2 A/Nobody > S/ at "10.0.9.9:9" rpc.Failure "" FAIL ` + fmt.Sprint(kind == "by reference"),
		}
		if kind == "memory" {
			want = []string{"4 none", "9 none", "4 none", "5 none"}
		}
		if got := w.noted(); !slices.Equal(got, want) {
			t.Errorf("%s: got\n%s\nwant\n%s", kind, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}
