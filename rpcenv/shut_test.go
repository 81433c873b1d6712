package rpcenv_test

import (
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// hearing is a Link of the test's that keeps what this side says about credit.
type hearing struct {
	slowLink
	said []string
}

func (l *hearing) Send(e *rpcenv.Envelope) {
	m, err := table.Decode(e.Content)
	if err != nil {
		return
	}
	switch m := m.(type) {
	case *rpc.Welcome:
		l.said = append(l.said, fmt.Sprint("welcome ", m.GetFull()))
	case *rpc.Full:
		l.said = append(l.said, fmt.Sprint("full ", m.GetEndpoints()))
	case *rpc.Credit:
		l.said = append(l.said, fmt.Sprint("credit ", m.GetEndpoint(), m.GetBytes()))
	}
}

func (l *hearing) want(t *testing.T, said ...string) {
	t.Helper()
	if !slices.Equal(l.said, said) {
		t.Errorf("said %q, want %q", l.said, said)
	}
	l.said = nil
}

// comes is a peer that connects.
func comes(w *world, a *rpcenv.Env, id uint64) (*hearing, rpcenv.Receiver) {
	l := &hearing{}
	c := a.Accept(l)
	c.Receive(hello(&rpc.Hello{Version: 1, Env: "S", Incarnation: id, Connection: id}))
	w.t.Cleanup(func() { c.Closed(io.EOF) })
	return l, c
}

func TestEachEndpointOpensWhenItHasCaughtUp(t *testing.T) {
	w := inSim(t)
	a := w.make("A", true, narrow(t))
	noting := func(c *rpcenv.Context, _ rpcenv.Message) { w.note("%s", c.Self().Name) }
	for _, name := range []string{"E", "F"} {
		w.register(a, name, &endpoint{receive: noting})
	}
	w.quiet()
	w.sim.Cost("A/E", "*", 10*time.Second)
	half := func(c rpcenv.Receiver) { arrives(c, "E", 32<<10-256) }
	want := func(bytes int) {
		t.Helper()
		if n := a.Orphans(); n != bytes {
			t.Error(n, "bytes are counted, want", bytes)
		}
	}

	l1, c1 := comes(w, a, 1)
	half(c1)
	arrives(c1, "E", 600<<10)
	arrives(c1, "F", 1000)
	arrives(c1, "Nobody", 1000)
	want(0)
	c1.Closed(io.EOF)
	const first, second, ofF = 32<<10 + 600<<10 + 256 + 4096, 32<<10 + 500<<10 + 256 + 4096, 1256 + 4096
	want(first + ofF)
	l2, c2 := comes(w, a, 2) // not too many yet
	half(c2)
	arrives(c2, "E", 500<<10)
	c2.Closed(io.EOF)
	want(first + second + ofF)
	l3, c3 := comes(w, a, 3)
	_, c4 := comes(w, a, 4)
	arrives(c3, "Nobody", 100)
	arrives(c4, "F", 100) // too early: nothing more of it is taken
	arrives(c4, "G", 100)
	c4.Closed(io.EOF)
	want(first + second + ofF)
	l1.want(t, "welcome false")
	l2.want(t, "welcome false")
	l3.want(t, "welcome true", "full [E F]")

	w.await("F")
	want(first + second)
	l3.want(t, "credit F0")
	arrives(c3, "F", 100)
	w.until("F", func(log []string) bool { return begin(log, "F") == 2 })
	l5, c5 := comes(w, a, 5)
	l5.want(t, "welcome true", "full [E]")
	c5.Receive(&rpcenv.Envelope{Kind: rpcenv.KindOneWay, Endpoint: rpcenv.VerifierName, Content: content(&rpc.Finish{})})
	arrives(c5, "E", 100) // what a peer sends that shuts down is no exception
	if l5.closed != 1 {
		t.Error("closed", l5.closed)
	}
	c5.Closed(io.EOF)
	if n := a.Shut(); n != 1 {
		t.Error(n, "ledgers are shut, want that of c3")
	}

	w.until("what c1 brought", func(log []string) bool { return begin(log, "E") == 2 && a.Orphans() == second })
	l3.want(t) // more than half of the limit is left
	w.until("half of what c2 brought", func(log []string) bool { return begin(log, "E") == 3 && a.Orphans() < second })
	want(second - 32<<10)
	l3.want(t, "credit E0")
	l5.want(t)
	l6, c6 := comes(w, a, 6)
	l6.want(t, "welcome false")
	arrives(c6, "E", 100)
	arrives(c3, "E", 100)
	w.quiet()
	want(0)
	if n := begin(w.noted(), "E"); n != 6 {
		t.Error(n, "messages at E")
	}
	if got := w.heldBack(); !slices.Equal(got, []string{"A held back", "A open"}) {
		t.Errorf("the trace says %q", got)
	}
}

func TestTheLimitIsExact(t *testing.T) {
	for _, over := range []int{0, 1} {
		w := inSim(t)
		a := w.make("A", true, narrow(t))
		w.register(a, "E", &endpoint{receive: func(*rpcenv.Context, rpcenv.Message) {}})
		_, c := comes(w, a, 1)
		arrives(c, "E", 32<<10-256)
		arrives(c, "E", 1<<20-32<<10-256-4096+over)
		c.Closed(io.EOF)
		l, _ := comes(w, a, 2)
		if over == 0 {
			l.want(t, "welcome false")
			continue
		}
		l.want(t, "welcome true", "full [E]")
		w.quiet()
		l.want(t, "credit E0")
	}
}

// What waits of an endpoint's name for its successor counts as well: a new window is given for that name.
func TestWhatWaitsForASuccessorIsCounted(t *testing.T) {
	w := inSim(t)
	a := w.make("A", true, narrow(t))
	w.register(a, "E", &endpoint{receive: func(*rpcenv.Context, rpcenv.Message) {}})
	w.quiet()
	l, c := comes(w, a, 1)
	a.Stop("E")
	w.sim.Cost("A/E", "StringValue", time.Second)
	w.register(a, "E", &endpoint{receive: func(*rpcenv.Context, rpcenv.Message) { w.note("E") }})
	arrives(c, "E", 1000)
	arrives(c, "E", 1000)
	w.until("the first has ended", func([]string) bool { return a.Orphans() > 0 })
	if n := a.Orphans(); n != 2*1256+4096 {
		t.Error(n)
	}
	c.Closed(io.EOF)
	if n := a.Orphans(); n != 2*1256+4096 {
		t.Error("twice:", n)
	}
	w.quiet()
	if n := a.Orphans(); n != 0 {
		t.Error(n)
	}
	l.want(t, "welcome false")
}

// An endpoint that ends while its name is shut leaves the name so: its successor has orphans too.
func TestANameIsShutUntilItsSuccessorHasCaughtUp(t *testing.T) {
	w := inSim(t)
	a := w.make("A", true, narrow(t))
	noting := &endpoint{receive: func(*rpcenv.Context, rpcenv.Message) { w.note("E") }}
	w.register(a, "E", noting)
	w.quiet()
	w.sim.Cost("A/E", "StringValue", time.Second)
	_, c := comes(w, a, 1)
	arrives(c, "E", 1000)
	c.Closed(io.EOF)
	a.Stop("E")
	w.register(a, "E", noting)
	_, c = comes(w, a, 2)
	arrives(c, "E", 32<<10-256)
	arrives(c, "E", 1<<20)
	c.Closed(io.EOF)
	l, c := comes(w, a, 3)
	l.want(t, "welcome true", "full [E]")
	w.until("the first has ended", func([]string) bool { endpoints, _ := a.Living(); return endpoints == 2 }) // one is the verifier
	if a.Orphans() == 0 {
		t.Error("the successor has handled all")
	}
	arrives(c, "Nobody", 100)
	w.quiet()
	l.want(t, "credit E0")
	arrives(c, "E", 100)
	w.quiet()
	if n := begin(w.noted(), "E"); n != 4 || a.Orphans() != 0 {
		t.Error(n, "messages at E,", a.Orphans(), "bytes are counted")
	}
}

// A dial takes its time. Full names those that have not caught up when the connection begins.
func TestAPromiseIsKeptThoughNobodyIsFullAnyMore(t *testing.T) {
	w := inSim(t)
	a := w.make("A", true, narrow(t))
	w.register(a, "E", &endpoint{receive: func(*rpcenv.Context, rpcenv.Message) {}})
	w.quiet()
	w.sim.Cost("A/E", "StringValue", 100*time.Millisecond)
	_, c := comes(w, a, 1)
	for range 2 {
		arrives(c, "E", 32<<10-256)
	}
	c.Closed(io.EOF)
	_, c = comes(w, a, 2)
	arrives(c, "E", 32<<10-256)
	arrives(c, "E", 1<<20)
	c.Closed(io.EOF)
	_, c = comes(w, a, 3)
	c.Closed(io.EOF)

	s := &stranger{w: w}
	at, _, err := w.hostOf("Other", "10.0.9.8").Listen(rpcenv.Address{Host: "10.0.9.8"}, func(l rpcenv.Link) rpcenv.Receiver {
		s.link = l
		return s
	})
	if err != nil {
		t.Fatal(err)
	}
	var promised bool
	var named []string
	s.heard = func(m rpcenv.Message) {
		switch m := m.(type) {
		case *rpc.Hello:
			promised = m.GetFull()
		case *rpc.Full:
			named = m.GetEndpoints()
		}
	}
	if err := a.Send(rpcenv.Ref{Address: at, Name: "X"}, num(1)); err != nil {
		t.Fatal(err)
	}
	w.await("stranger: Hello")
	// The last message is the large one: what opens A is its end, so another connection leaves something behind before.
	w.until("A is open", func([]string) bool { return len(w.heldBack()) == 2 })
	_, c = comes(w, a, 4)
	arrives(c, "E", 1000)
	c.Closed(io.EOF)
	if !promised || a.Orphans() == 0 {
		t.Error(promised, a.Orphans())
	}
	s.link.Send(&rpcenv.Envelope{Kind: rpcenv.KindResponse, RequestID: 1, Content: content(&rpc.Welcome{
		Version: 1, Env: "Other", Incarnation: 77, Address: at.Proto(),
	})})
	w.await("stranger: Full")
	if len(named) != 0 || a.Shut() != 0 {
		t.Error(named, a.Shut())
	}
}

func TestThisSideNamesNotAnyNumberOfEndpoints(t *testing.T) {
	w := inSim(t)
	a := w.make("A", true, narrow(t))
	const n = 10_001
	for i := range n {
		w.register(a, fmt.Sprint("E", i), &endpoint{receive: func(*rpcenv.Context, rpcenv.Message) {}})
	}
	_, c := comes(w, a, 1)
	for i := range n {
		arrives(c, fmt.Sprint("E", i), 100)
	}
	c.Closed(io.EOF)
	_, _ = comes(w, a, 2)
	if got := a.Shut(); got != n-1 {
		t.Error(got, "ledgers are shut")
	}
	w.quiet()
	if got := a.Shut(); got != 0 || a.Orphans() != 0 {
		t.Error(got, "ledgers are shut", a.Orphans())
	}
}

// Copies that a fault of a World makes are handled, and are none of the peer's.
func TestACopyIsNoOrphan(t *testing.T) {
	w := inSim(t)
	a, b := w.make("A", true, narrow(t)), w.make("B", true, narrow(t))
	ep, goOn := standing(w)
	slow := w.register(a, "Slow", ep)
	w.apply("duplicate B->A:StringValue")
	w.do(b, func(b *rpcenv.Blocking) {
		for i := range 10 {
			if err := b.Send(slow, kib(i)); err != nil {
				t.Error(err)
			}
		}
	})
	w.until("all came", func([]string) bool { return accepted(a, "Slow") == 20 })
	b.Break()
	w.until("the end", func([]string) bool { return a.Orphans() > 0 })
	goOn()
	w.until("all are handled", func([]string) bool { return ep.handled.Load() == 20 })
	w.quiet()
	if n := a.Orphans(); n != 0 {
		t.Error(n)
	}
}

// As many answers come as an endpoint asks for, so those that wait for it are no orphans.
func TestAnswersAreNoOrphans(t *testing.T) {
	w := inSim(t)
	a, l, c := windowed(w)
	c.Attach(func() {})
	asker := w.register(a, "Asker", newSender(w))
	w.in(a, asker, func(k *rpcenv.Context) {
		rpcenv.AskAs(k, rpcenv.Ref{Address: l.at, Name: "E"}, num(1), func(_ *wrapperspb.StringValue, err error) { w.note("%v", err) })
	})
	c.Receive(&rpcenv.Envelope{Kind: rpcenv.KindResponse, RequestID: l.requests[0], Content: content(text("x"))})
	c.End(io.EOF)
	if n := a.Orphans(); n != 0 {
		t.Error(n)
	}
	w.await("<nil>")
}
