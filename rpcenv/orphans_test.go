package rpcenv_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/messages/rpc"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
)

// standing makes a gauge that handles nothing before goOn is called, or in a simulation one message in ten minutes.
func standing(w *world) (ep *gauge, goOn func()) {
	ep, open := slowly(w, 1<<30)
	if w.sim == nil {
		return ep, open
	}
	w.sim.Cost("A/Slow", "*", 10*time.Minute)
	return ep, func() {
		w.sim.Cost("A/Slow", "*", time.Millisecond)
		w.sim.Advance(10 * time.Minute) // the first one
	}
}

// heldBack are the states of "new connections" in the trace, each after the name of its Env.
func (w *world) heldBack() (states []string) {
	for _, r := range w.rec.Records() {
		if r.GetKind() == tracepb.Kind_STATE && r.GetName() == "new connections" {
			states = append(states, r.GetSubject()+" "+r.GetTo())
		}
	}
	return states
}

// begin counts the lines of the log that begin so.
func begin(log []string, with string) (n int) {
	for _, l := range log {
		if strings.HasPrefix(l, with) {
			n++
		}
	}
	return n
}

// accepted is how many messages have come into an inbox.
func accepted(e *rpcenv.Env, endpoint string) (n int) {
	for _, ep := range e.Metrics().Endpoints {
		if ep.Name == endpoint {
			for _, s := range ep.Series {
				n += int(s.Received)
			}
		}
	}
	return n
}

// raid is the i-th connection of a hostile peer to A, from 0. It fills its window and ends the connection. It takes no notice of rpc.Full.
func (w *world) raid(i int, to rpcenv.Ref, messages, size int) {
	w.t.Helper()
	id := uint64(1000 + i)
	s := w.stranger(to.Address, hello(&rpc.Hello{Version: 1, Env: "S", Incarnation: id, Connection: id}))
	w.until("the Welcome", func(log []string) bool { return begin(log, "stranger: Welcome") == i+1 })
	m := content(text(strings.Repeat("x", size)))
	for range messages {
		s.link.Send(&rpcenv.Envelope{Kind: rpcenv.KindOneWay, Endpoint: to.Name, Content: m})
	}
	s.link.Close()
	w.until("the end", func(log []string) bool { return begin(log, "A: disconnected 1") == i+1 }) // of an address
}

// The peer fills its window, ends the connection, connects anew and fills the next window, while the endpoint handles nothing.
func TestAPeerThatComesBackFillsNoInbox(t *testing.T) {
	for _, c := range []struct{ raids, messages, size int }{
		{50, 48, 1 << 10}, // 64 KiB each
		{400, 1, 1},       // nearly nothing, but connections are large too
	} {
		inWorlds(t, func(w *world) {
			a := w.make("A", true, narrow(t))
			ep, goOn := standing(w)
			slow, fast := w.register(a, "Slow", ep), w.register(a, "Fast", double(w))
			w.register(a, "W", &watcher{w: w})
			for i := range c.raids {
				w.raid(i, slow, c.messages, c.size)
			}
			waits, most := a.Orphans(), 1<<20+64<<10+4<<10
			accepted := accepted(a, "Slow")
			if waits < 1<<20 || waits > most || accepted*(c.size+256) > most {
				t.Error(waits, "bytes are counted,", accepted, "messages were accepted")
			}
			if got := w.heldBack(); !slices.Equal(got, []string{"A held back"}) {
				t.Errorf("the trace says %q", got)
			}

			// Another peer speaks to other endpoints as ever. What it sends to this one waits at its side.
			b := w.make("B", true, narrow(t))
			s := w.register(b, "Sender", newSender(w))
			w.in(b, s, func(c *rpcenv.Context) {
				for i := range 20 {
					c.Send(slow, kib(i))
				}
				rpcenv.AskAs(c, slow, kib(20), func(_ *wrapperspb.Int32Value, err error) { w.note("Slow answers %v", err) }, rpcenv.Timeout("x", time.Hour))
				rpcenv.AskAs(c, fast, num(21), func(r *wrapperspb.Int32Value, err error) { w.note("Fast answers %d %v", r.GetValue(), err) })
			})
			w.await("Fast answers 42 <nil>")
			if n, _ := waiting(b); n != 21 {
				t.Error(n, "messages wait at B, want 21")
			}
			if got := a.Orphans(); got > waits {
				t.Error("it grew by", got-waits)
			}

			goOn()
			w.await("Slow answers <nil>")
			if n := int(ep.handled.Load()); n != accepted+21 {
				t.Error(n, "messages were handled, of", accepted, "and 21")
			}
			if got := a.Orphans(); got != 0 {
				t.Error(got, "bytes are still counted")
			}
			if got := w.heldBack(); !slices.Equal(got, []string{"A held back", "A open"}) {
				t.Errorf("the trace says %q", got)
			}
			w.raid(c.raids, slow, 48, 1<<10) // a window again
			w.in(b, s, func(c *rpcenv.Context) {
				rpcenv.AskAs(c, slow, kib(0), func(_ *wrapperspb.Int32Value, err error) { w.note("again %v", err) })
			})
			w.await("again <nil>")
			if n := int(ep.handled.Load()); n != accepted+21+48+1 {
				t.Error(n, "messages were handled, want", accepted+21+48+1)
			}
		})
	}
}

// raided is an A with too many orphans at Slow, which stands still until goOn.
func raided(w *world) (a *rpcenv.Env, slow rpcenv.Ref, ep *gauge, goOn func()) {
	a = w.make("A", true, narrow(w.t))
	ep, goOn = standing(w)
	slow = w.register(a, "Slow", ep)
	w.register(a, "W", &watcher{w: w})
	for i := range 17 {
		w.raid(i, slow, 48, 1<<10)
	}
	return a, slow, ep, goOn
}

// The side that dials holds back what comes by its connection too.
func TestAConnectionThatThisSideOpensIsHeldBackToo(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, slow, ep, goOn := raided(w)
		w.register(a, "Fast", double(w))
		s := w.register(a, "Sender", newSender(w))
		b := w.make("B", true, narrow(t))
		there := w.register(b, "There", &endpoint{receive: func(c *rpcenv.Context, _ rpcenv.Message) {
			for i := range 10 {
				c.Send(slow, kib(i))
			}
			c.Send(a.Ref(a.Address(), "Fast"), text("B has sent"))
		}})
		w.in(a, s, func(c *rpcenv.Context) { c.Send(there, text("go on")) })
		w.await("B has sent")
		if n, _ := waiting(b); n != 10 {
			t.Error(n, "messages wait at B, want 10")
		}
		came := accepted(a, "Slow")
		goOn()
		w.do(b, func(b *rpcenv.Blocking) {
			if _, err := rpcenv.AskWaitAs[*wrapperspb.Int32Value](b, slow, kib(0)); err != nil {
				t.Error(err)
			}
		})
		if n := int(ep.handled.Load()); n != came+11 || a.Metrics().Opened != 18 {
			t.Error(n, "messages were handled, want", came+11, "by 18 connections:", a.Metrics().Opened)
		}
	})
}

// A peer that is held back lives, and so does the other side.
func TestAPeerThatIsHeldBackKeepsItsConnection(t *testing.T) {
	w := inSim(t)
	a, slow, _, goOn := raided(w)
	b := w.make("B", true, narrow(t))
	w.do(b, func(b *rpcenv.Blocking) {
		if err := b.Send(slow, kib(0)); err != nil {
			t.Error(err)
		}
	})
	w.sim.Advance(30 * time.Minute) // spark.network.timeout is 2
	if n, _ := waiting(b); n != 1 || b.Metrics().Lost != 0 {
		t.Error(n, "messages wait at B, it lost", b.Metrics().Lost, "connections")
	}
	goOn()
	w.close(a) // while B is held back
	if d := w.drops(); len(d) > 1 {
		t.Error(d)
	}
}

// What a peer that shuts down cannot send is an event of its own trace, as is what waits for a connection.
func TestAPeerThatIsHeldBackMayShutDown(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, slow, ep, goOn := raided(w)
		w.register(a, "Z", double(w))
		came := accepted(a, "Slow")
		b := w.make("B", true, narrow(t))
		s := w.register(b, "Sender", newSender(w))
		w.in(b, s, func(c *rpcenv.Context) {
			for i := range 5 {
				c.Send(slow, kib(i))
			}
			c.Send(a.Ref(a.Address(), "Z"), text("to Z"))
		})
		w.await("to Z")
		w.close(b)
		if d := w.drops(); len(d) != 5 || !strings.Contains(d[0], "ended before it was sent") {
			t.Error(d)
		}
		goOn()
		c := w.make("C", true, narrow(t))
		w.do(c, func(c *rpcenv.Blocking) {
			if _, err := rpcenv.AskWaitAs[*wrapperspb.Int32Value](c, slow, kib(0)); err != nil {
				t.Error(err)
			}
		})
		if n := int(ep.handled.Load()); n != came+1 {
			t.Error(n, "messages were handled, want", came+1)
		}
	})
}

// An honest peer that loses its connections again and again is held back too. Each of its messages is handled, or is an event.
func TestAPeerThatLosesItsConnectionsLosesNothingSilently(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.make("A", true, narrow(t)), w.make("B", true, narrow(t))
		ep, goOn := standing(w)
		slow := w.register(a, "Slow", ep)
		w.register(a, "W", &watcher{w: w})
		w.register(b, "W", &watcher{w: w})
		s := w.register(b, "Sender", newSender(w))
		const rounds, each = 30, 60 // 78 KB a round
		for i := range rounds {
			w.connect(b, slow)
			w.in(b, s, func(c *rpcenv.Context) {
				for n := range each {
					c.Send(slow, kib(n))
				}
			})
			w.connect(b, slow) // what was sent before it has arrived
			b.Break()
			w.until("both ends", func(log []string) bool {
				return begin(log, "A: disconnected 1") == i+1 && begin(log, "B: disconnected 1") == i+1
			})
		}
		if got, most := a.Orphans(), 1<<20+64<<10+4<<10; got < 1<<20 || got > most {
			t.Error(got, "bytes are counted, want at most", most)
		}
		goOn()
		w.do(b, func(b *rpcenv.Blocking) {
			if _, err := rpcenv.AskWaitAs[*wrapperspb.Int32Value](b, slow, kib(0)); err != nil {
				t.Error(err)
			}
		})
		w.close(b) // its connections report what they have not sent after the endpoints have heard of their ends
		if handled, dropped := int(ep.handled.Load())-1, len(w.drops()); handled+dropped != rounds*each || handled < 700 {
			t.Error(handled, "handled,", dropped, "dropped, of", rounds*each)
		}
	})
}

// A connection that has ended is small, however long something of it waits.
func TestAnEndedConnectionIsSmall(t *testing.T) {
	w := newWorld(t, "tcp")
	a := w.make("A", true, nil)
	ep, goOn := standing(w)
	slow := w.register(a, "Slow", ep)
	w.register(a, "W", &watcher{w: w})
	w.raid(0, slow, 1, 1)
	const n = 200
	before := int(heap())
	for i := range n {
		w.raid(i+1, slow, 1, 1)
	}
	if each := (int(heap()) - before) / n; each > 8<<10 {
		t.Error(each, "bytes for each")
	}
	goOn()
}
