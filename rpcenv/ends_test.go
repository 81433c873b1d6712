package rpcenv_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/messages/rpc"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/sim"
)

func over(e *rpcenv.Env) bool {
	select {
	case <-e.Done():
		return true
	default:
		return false
	}
}

// The end of the last connection is not that of the Env; after Shutdown it is, and not before.
func TestAnEnvEndsWithItsLastConnectionOnlyAfterShutdown(t *testing.T) {
	w := inSim(t)
	a := w.env("A")
	ref := w.register(a, "E", double(w))
	var peers []*rpcenv.Env
	for i := range 3 {
		p := w.env(fmt.Sprint("P", i))
		w.say(p, ref, p.Name())
		w.await(p.Name())
		peers = append(peers, p)
	}
	w.close(peers[0])
	w.quiet()
	if a.Break(); over(a) {
		t.Error("it ended with its connections")
	}
	w.sim.Advance(time.Minute)
	if _, conns, _ := a.Held(); conns != 0 || a.KnownPeers() != 0 || over(a) {
		t.Error(conns, "connections", a.KnownPeers(), "peers", over(a))
	}
	for _, p := range peers[1:] {
		w.say(p, ref, "again "+p.Name())
		w.await("again " + p.Name())
	}
	a.OnDone(func() {
		if _, conns, _ := a.Held(); conns != 0 {
			t.Error(conns, "connections at the end")
		}
		w.note("over")
	})
	a.Shutdown()
	w.await("over")
}

// deaf is a Host whose links do not end when they are closed.
type deaf struct{ *sim.Host }

type deafLink struct{ rpcenv.Link }

func (deafLink) Close() {}

func (h deaf) Dial(to rpcenv.Address, done func(rpcenv.Link, error) rpcenv.Receiver) {
	h.Host.Dial(to, func(l rpcenv.Link, err error) rpcenv.Receiver {
		if err != nil {
			return done(nil, err)
		}
		return done(deafLink{l}, nil)
	})
}

func TestTheEndOfAnEnvWaitsForItsConnectionsOneAndAHalfSeconds(t *testing.T) {
	w := inSim(t)
	a := w.env("A")
	ref := w.register(a, "E", double(w))
	b, err := rpcenv.New(deaf{w.sim.Host("B", "10.0.1.1")}, rpcenv.Config{Name: "B", Log: rpcenv.NoLog()})
	if err != nil {
		t.Fatal(err)
	}
	w.say(b, ref, "hello")
	w.await("hello")
	begin := w.sim.Now()
	b.OnDone(func() { w.note("over after %s", w.sim.Now().Sub(begin)) })
	b.Shutdown()
	w.sim.Advance(time.Minute)
	w.wantLog("hello", "over after 1.5s")
}

// What ends at a shutdown ends in the order of its beginning, and what waits fails in the order of its addresses: a seed has
// one trace.
func TestAShutdownHasOneOrder(t *testing.T) {
	w := inSim(t)
	a := w.env("A")
	ref := w.register(a, "E", double(w))
	for i := range 8 {
		k := w.client(fmt.Sprint("K", i))
		w.register(k, "C", double(w))
		w.say(k, ref, k.Name())
		w.await(k.Name())
	}
	var order []string
	for _, to := range a.Clients("C") {
		order = append(order, to.Address.Host)
	}
	if want := []string{"10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5", "10.0.0.6", "10.0.0.7", "10.0.0.8", "10.0.0.9"}; !slices.Equal(order, want) {
		t.Error("clients are in the order of their connections:", order)
	}
	w.sim.Cut("A", "*")
	for _, at := range []string{"10.9.9.8:2", "10.9.9.9:1", "10.9.9.8:1", "10.9.9.9:3", "10.9.9.8:3", "10.9.9.9:2", "10.9.9.7:5", "10.9.9.7:4"} {
		to, err := rpcenv.ParseAddress(at)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Send(rpcenv.Ref{Address: to, Name: "E"}, text("lost")); err != nil {
			t.Error(err)
		}
	}
	w.close(a)
	var dropped, ended []string
	for _, r := range w.rec.Records() {
		switch {
		case r.GetKind() == tracepb.Kind_DROP:
			dropped = append(dropped, r.GetAddress())
		case r.GetName() == "disconnected" && strings.HasPrefix(r.GetPeer(), "K"):
			ended = append(ended, r.GetPeer())
		}
	}
	want := []string{"10.9.9.7:4", "10.9.9.7:5", "10.9.9.8:1", "10.9.9.8:2", "10.9.9.8:3", "10.9.9.9:1", "10.9.9.9:2", "10.9.9.9:3"}
	if !slices.Equal(dropped, want) {
		t.Error("dropped:", dropped)
	}
	if want := []string{"K0", "K1", "K2", "K3", "K4", "K5", "K6", "K7"}; !slices.Equal(ended, want) {
		t.Error("ended:", ended)
	}
}

// A dial that succeeds after the end of its Env makes no connection.
func TestADialThatIsUnderWayAtTheEndMakesNoConnection(t *testing.T) {
	w := inSim(t)
	a, b := w.env("A"), w.env("B")
	ref := w.register(a, "E", watching(w))
	if err := b.Send(ref, text("lost")); err != nil {
		t.Error(err)
	}
	w.close(b)
	w.sim.Advance(time.Minute)
	w.wantLog()
	if m := a.Metrics(); m.Opened != 0 || m.Open != 0 {
		t.Errorf("%+v", m)
	}
	if _, conns, _ := b.Held(); conns != 0 {
		t.Error(conns, "connections")
	}
	if d := w.drops(); len(d) != 1 || !strings.Contains(d[0], "the Env was shut down") {
		t.Error(d)
	}
}

// The ends of all bodies come with the end of the process that an endpoint wants.
func TestExitEndsBodiesAndTakesNoMoreEndpoints(t *testing.T) {
	w := newWorld(t, "memory")
	e := w.env("A")
	ref := w.register(e, "E", doer())
	waits := make(chan struct{})
	job := e.Go("waits", func(b *rpcenv.Blocking) error {
		return b.Wait(func(func()) { close(waits) })
	})
	<-waits
	if err := e.Send(ref, do{f: func(c *rpcenv.Context) {
		c.Exit(4, "test")
		_, err := c.Env().Register("F", double(w))
		w.note("%v", err)
	}}); err != nil {
		t.Error(err)
	}
	w.await("exit 4")
	<-job.Done()
	w.await("rpcenv: stopped: RpcEnv has been stopped: cannot register F")
}

// It is so from the moment of Exit on, though the last words are still under way.
func TestFromExitOnNobodyIsRegistered(t *testing.T) {
	w := inSim(t)
	a, b := w.env("A"), w.env("B")
	ref := w.register(a, "E", double(w))
	asker := w.register(b, "P", doer())
	w.say(b, ref, "hello")
	w.await("hello")
	w.crashed[b] = true
	if err := b.Send(asker, do{f: func(c *rpcenv.Context) {
		c.Send(ref, text("last words"))
		c.Exit(4, "test")
		_, err := c.Env().Register("F", double(w))
		w.note("%v", err)
	}}); err != nil {
		t.Error(err)
	}
	w.await("last words")
	w.wantLog("hello", "rpcenv: stopped: RpcEnv has been stopped: cannot register F", "last words")
}

// only hears of one sort of events.
type (
	onlyConnections struct{ watcherOf }
	onlyErrors      struct{ w *world }
	watcherOf       struct{ w *world }
)

func (watcherOf) Receive(*rpcenv.Context, rpcenv.Message) {}
func (e watcherOf) OnConnected(_ *rpcenv.Context, at rpcenv.Address) {
	e.w.note("connected %s", at)
}

func (e watcherOf) OnDisconnected(_ *rpcenv.Context, at rpcenv.Address) {
	e.w.note("disconnected %s", at)
}
func (onlyErrors) Receive(*rpcenv.Context, rpcenv.Message) {}
func (e onlyErrors) OnNetworkError(_ *rpcenv.Context, err error, at rpcenv.Address) {
	e.w.note("unreachable %s: %v", at, err)
}

// An endpoint hears of what it has a method for. The items have names and ids of their own in the trace.
func TestAnEndpointHearsOfTheEventsThatItHasAMethodFor(t *testing.T) {
	w := inSim(t)
	a, b := w.env("A"), w.env("B")
	ref := w.register(a, "E", double(w))
	w.register(b, "C1", onlyConnections{watcherOf{w}})
	w.register(b, "N1", onlyErrors{w})
	w.register(b, "N2", onlyErrors{w})
	nowhere := rpcenv.Ref{Address: rpcenv.Address{Host: "10.9.9.9", Port: 1}, Name: "E"}
	w.say(b, ref, "hello")
	w.await("hello")
	w.say(b, nowhere, "lost")
	w.quiet()
	b.Break()
	w.sim.Advance(time.Second)
	at, no := a.Address().String(), "unreachable 10.9.9.9:1: dial 10.9.9.9:1: connection refused"
	w.wantLog("connected "+at, "hello", no, no, "disconnected "+at)
	seen := map[uint64]bool{}
	var items []string
	for _, r := range w.rec.Records() {
		if r.GetKind() == tracepb.Kind_ITEM && r.GetName() != "OnStart" {
			items = append(items, fmt.Sprint(r.GetEndpoint(), " ", r.GetName(), " ", r.GetAddress()))
			if n := r.GetId().GetN(); n == 0 || seen[n] {
				t.Error("the id of", r)
			}
			seen[r.GetId().GetN()] = true
		}
	}
	slices.Sort(items)
	if want := []string{"C1 connected " + at, "C1 disconnected " + at, "N1 unreachable 10.9.9.9:1", "N2 unreachable 10.9.9.9:1"}; !slices.Equal(items, want) {
		t.Errorf("%q, want %q", items, want)
	}
}

// A name that no message can hold makes no connection, and says so at once.
func TestAnEnvWhoseNameIsNoTextConnectsToNobody(t *testing.T) {
	w := inSim(t)
	a := w.env("A")
	bad := w.makeAt(rpcenv.Config{Name: "\xff", Listen: rpcenv.Address{Host: "10.0.1.1"}, Log: rpcenv.NoLog()}, "10.0.1.1")
	for from, to := range map[*rpcenv.Env]*rpcenv.Env{bad: a, a: bad} {
		begin := w.sim.Now()
		w.do(from, func(b *rpcenv.Blocking) {
			_, err := rpcenv.AskWait(b, rpcenv.Ref{Address: to.Address(), Name: rpcenv.VerifierName}, &rpc.CheckExistence{})
			if err == nil || from == bad && !strings.Contains(err.Error(), "string field contains invalid UTF-8") {
				t.Error(err)
			}
		})
		if d := w.sim.Now().Sub(begin); d > 100*time.Millisecond {
			t.Error("it took", d)
		}
	}
}

// What is sent after the end is an event, and makes no dial.
func TestASendAfterTheEndOfAnEnvIsAnEvent(t *testing.T) {
	w := inSim(t)
	a, b := w.env("A"), w.env("B")
	ref := w.register(a, "E", double(w))
	w.close(b)
	for range 2 {
		if err := b.Send(ref, text("late")); err != nil {
			t.Error(err)
		}
	}
	w.sim.Advance(time.Minute)
	const want = "google.protobuf.StringValue: rpcenv: stopped: RpcEnv has been stopped"
	if d := w.drops(); !slices.Equal(d, []string{want, want}) {
		t.Error(d)
	}
	if boxes, conns, _ := b.Held(); boxes != 0 || conns != 0 || a.Metrics().Opened != 0 {
		t.Error(boxes, "outboxes", conns, "connections")
	}
	w.wantLog()
}
