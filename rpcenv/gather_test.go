package rpcenv_test

import (
	"fmt"
	"io"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/rpc"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
)

// noter notes what it gets, after its own name.
func noter(w *world, name string) *endpoint {
	d := double(w)
	return &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) {
		switch m := m.(type) {
		case interface{ GetValue() string }:
			w.note("%s %s", name, m.GetValue())
		case do:
			m.f(c)
		default:
			d.receive(c, m)
		}
	}}
}

func oneWay(endpoint string, m proto.Message) *rpcenv.Envelope {
	return &rpcenv.Envelope{Kind: rpcenv.KindOneWay, Endpoint: endpoint, Content: content(m)}
}

// bookLink keeps the number of the last request, and adds up what is given back to the peer.
type bookLink struct {
	slowLink
	last    int64
	credits int
}

func (l *bookLink) Send(e *rpcenv.Envelope) {
	l.last = e.RequestID
	if m, err := table.Decode(e.Content); err == nil {
		if m, ok := m.(*rpc.Credit); ok {
			l.credits += int(m.GetBytes())
		}
	}
	l.slowLink.Send(e)
}

// openBook is a connection of A to a peer.
func openBook(w *world) (*rpcenv.Env, *bookLink, rpcenv.Conn, rpcenv.Address) {
	a, peer := w.env("A"), rpcenv.Address{Host: "10.9.9.9", Port: 9}
	l := &bookLink{}
	c := a.OpenOn(l, peer)
	c.Attach(func() {})
	c.Watch()
	w.t.Cleanup(func() { c.End(io.EOF) })
	return a, l, c, peer
}

func TestWhatComesAtOnceIsHandledInTheOrderOfItsArrival(t *testing.T) {
	w := inSim(t)
	a, _, c := slow(w)
	w.register(a, "E", noter(w, "E"))
	w.register(a, "F", noter(w, "F"))
	w.quiet()
	var batch []*rpcenv.Envelope
	var want []string
	for i := range 400 {
		to := "E"
		if i%100 > 80 { // runs for one endpoint, and single ones
			to = []string{"E", "F"}[i%2]
		}
		batch = append(batch, oneWay(to, text(fmt.Sprint(i))))
		want = append(want, fmt.Sprint(to, " ", i))
	}
	c.ReceiveBatch(batch...)
	w.quiet()
	got := w.noted()
	if len(got) != len(want) {
		t.Fatalf("%d of %d are handled", len(got), len(want))
	}
	for _, to := range []string{"E", "F"} {
		of := func(lines []string) []string {
			return slices.DeleteFunc(slices.Clone(lines), func(s string) bool { return s[:1] != to })
		}
		if !slices.Equal(of(got), of(want)) {
			t.Errorf("%s: %q", to, of(got))
		}
	}
}

// Nothing that came at once is kept back until more comes.
func TestTheLastOfABatchIsPostedWithIt(t *testing.T) {
	w := inSim(t)
	a, _, c := slow(w)
	w.register(a, "E", noter(w, "E"))
	w.quiet()
	c.ReceiveBatch(oneWay("E", text("1")), oneWay("E", text("2")))
	if n := a.Depth("E"); n != 2 {
		t.Errorf("%d wait", n)
	}
	c.Receive(oneWay("E", text("3")))
	if n := a.Depth("E"); n != 3 {
		t.Errorf("%d wait", n)
	}
	w.quiet()
	w.wantLog("E 1", "E 2", "E 3")
}

func TestABatchThatRacesIntoAStoppedInboxIsRefused(t *testing.T) {
	w := inSim(t)
	a, l, c, _ := openBook(w)
	w.register(a, "E", noting(w))
	w.quiet()
	a.StopInbox("E")
	before := a.Metrics()
	c.ReceiveBatch(
		oneWay("E", &rpc.Bool{}),
		&rpcenv.Envelope{Kind: rpcenv.KindRequest, RequestID: 3, Endpoint: "E", Content: content(&rpc.Bool{})},
		oneWay("E", &rpc.Bool{}),
	)
	if want := []string{"5 0[rpc.stopped] stopped: Drop rpc.Bool because endpoint E is stopped"}; !slices.Equal(l.sent, want) {
		t.Error(l.sent)
	}
	refused := 0
	for _, r := range w.rec.Records() {
		if r.GetKind() == tracepb.Kind_HANDLED && r.GetOutcome() == "stopped: Drop rpc.Bool because endpoint E is stopped" {
			refused++
		}
	}
	if after := a.Metrics(); refused != 2 || len(before.Drops) != 0 || len(after.Drops) != 1 || after.Drops[0].Count != 2 {
		t.Error(refused, "are refused:", after.Drops)
	}
	w.quiet()
	w.wantLog("OnStart", "OnStop")
	if n := len(content(&rpc.Bool{})); l.credits != 3*(256+n) {
		t.Errorf("%d bytes are given back", l.credits)
	}
}

func TestAnAnswerHasItsPlaceAmongWhatComesAtOnce(t *testing.T) {
	w := inSim(t)
	a, l, c, peer := openBook(w)
	ref := w.register(a, "E", noter(w, "E"))
	w.quiet()
	answer := func() *rpcenv.Envelope {
		return &rpcenv.Envelope{Kind: rpcenv.KindResponse, RequestID: l.last, Content: content(&rpc.Bool{Value: true})}
	}
	w.in(a, ref, func(ctx *rpcenv.Context) {
		rpcenv.AskAs(ctx, rpcenv.Ref{Address: peer, Name: "P"}, num(1), func(m *rpc.Bool, err error) { w.note("answer %v %v", m.GetValue(), err) })
	})
	w.quiet()
	c.ReceiveBatch(oneWay("E", text("before")), answer(), oneWay("E", text("after")))
	w.quiet()
	w.wantLog("E before", "answer true <nil>", "E after")

	// Whoever waits for an answer may go on at once: what came before it is in the inboxes by then.
	if err := c.Ask(1, func(err error) { w.note("%v, %d wait", err, a.Depth("E")) }); err != nil {
		t.Fatal(err)
	}
	c.ReceiveBatch(oneWay("E", text("first")), answer(), oneWay("E", text("second")))
	w.quiet()
	w.wantLog("E before", "answer true <nil>", "E after", "<nil>, 1 wait", "E first", "E second")
}

// The end of an ask whose endpoint has been stopped meanwhile is an event, as are messages.
func TestAnAnswerForAStoppedEndpointThatComesInABatchIsAnEvent(t *testing.T) {
	w := inSim(t)
	a, l, c, peer := openBook(w)
	ref := w.register(a, "E", noter(w, "E"))
	w.in(a, ref, func(ctx *rpcenv.Context) {
		rpcenv.AskAs(ctx, rpcenv.Ref{Address: peer, Name: "P"}, num(1), func(*rpc.Bool, error) { w.note("answered") })
	})
	a.StopInbox("E") // its OnStop has not run, so the ask is open
	c.ReceiveBatch(oneWay("E", text("message")), &rpcenv.Envelope{Kind: rpcenv.KindResponse, RequestID: l.last, Content: content(&rpc.Bool{})})
	if d := a.Metrics().Drops; len(d) != 2 || d[0].Count != 1 || d[1].Count != 1 {
		t.Error(d)
	}
	w.quiet()
	w.wantLog()
	if _, _, asks := a.Held(); asks != 0 {
		t.Error(asks, "asks are open")
	}
}
