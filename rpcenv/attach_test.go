package rpcenv_test

import (
	"fmt"
	"io"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// nowhere is an address where nobody answers a dial.
var nowhere = rpcenv.Address{Host: "10.0.9.9", Port: 9}

// hookedLink notes the texts that are sent by it, and calls welcomed when its peer has the Welcome.
type hookedLink struct {
	slowLink
	w        *world
	welcomed func()
}

func (l *hookedLink) Send(e *rpcenv.Envelope) {
	m, err := table.Decode(e.Content)
	if err != nil {
		l.w.t.Error(err)
	}
	switch m := m.(type) {
	case *rpc.Welcome:
		l.welcomed()
	case *wrapperspb.StringValue:
		l.w.note("accepted: %s", m.GetValue())
	}
}

// dialledBy lets a peer open a connection to a, and calls welcomed when the peer has the Welcome, but its outbox not yet the connection.
func dialledBy(w *world, a *rpcenv.Env, peer rpcenv.Address, welcomed func()) {
	c := a.Accept(&hookedLink{w: w, welcomed: welcomed})
	c.Receive(hello(&rpc.Hello{Version: 1, Env: "S", Incarnation: 7, Connection: 99, Address: peer.Proto()}))
	w.t.Cleanup(func() { c.Closed(io.EOF) })
}

// The Welcome, and OnConnected before it, may cause a send to the peer: it dials no second connection.
func TestASendBesideTheWelcomeWaitsForItsConnection(t *testing.T) {
	w := inSim(t)
	a := w.env("A")
	w.register(a, "Watcher", &watcher{w: w})
	dialledBy(w, a, nowhere, func() {
		for i := range 2 {
			if err := a.Send(a.Ref(nowhere, "X"), text(fmt.Sprint(i))); err != nil {
				t.Error(err)
			}
		}
	})
	w.sim.Advance(time.Minute) // nobody answers a dial: it would be a network error
	w.wantLog("accepted: 0", "accepted: 1", "A: connected 10.0.9.9:9")
}

// Both sides dial at once, and this side's dial fails just when the peer's connection is good.
func TestADialThatFailsBesideTheWelcomeFailsNothing(t *testing.T) {
	w := inSim(t)
	a := w.env("A")
	w.register(a, "Watcher", &watcher{w: w})
	if err := a.Send(a.Ref(nowhere, "X"), text("hello")); err != nil {
		t.Error(err)
	}
	dialledBy(w, a, nowhere, func() { w.sim.Advance(time.Second) })
	w.quiet()
	w.wantLog("A: connected 10.0.9.9:9", "A: network error 10.0.9.9:9", "accepted: hello")
	if d := w.drops(); len(d) != 0 {
		t.Error(d)
	}
}

// Both sides dial at once, and the peer's connection ends: this side's takes over what was sent since, before the outbox has heard.
func TestTheSecondConnectionTakesOverFromOneThatHasEnded(t *testing.T) {
	w := inSim(t)
	a := w.env("A")
	w.register(a, "Watcher", &watcher{w: w})
	welcome := &rpcenv.Envelope{Kind: rpcenv.KindResponse}
	at := welcoming(w, welcome)
	welcome.Content = content(&rpc.Welcome{Version: 1, Env: "S", Incarnation: 7, Address: at.Proto()})
	send := func(s string) {
		if err := a.Send(a.Ref(at, "X"), text(s)); err != nil {
			t.Error(err)
		}
	}
	send("0")
	dialledBy(w, a, at, func() {})
	w.await("A: connected " + at.String())
	a.EndAround(at, func() {
		send("1")
		w.sim.Advance(time.Second) // the dial ends
	})
	w.sim.Advance(time.Second) // another one would begin
	w.wantLog("accepted: 0", "A: connected "+at.String(), "A: disconnected "+at.String(),
		"stranger: Hello", "A: connected "+at.String(), "stranger: StringValue")
}
