package rpcenv_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/rpc"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
)

// ownLink is a Link that keeps what is sent: of a message its receiver and size, of a Credit what it says.
type ownLink struct {
	slowLink
	at rpcenv.Address // of the peer
	t  *testing.T

	requests []int64 // the numbers of asks
}

func (l *ownLink) Send(e *rpcenv.Envelope) {
	if m, err := table.Decode(e.Content); err == nil {
		if k, ok := m.(*rpc.Credit); ok {
			if e.Kind != rpcenv.KindOneWay || e.Endpoint != rpcenv.VerifierName || e.Sender.IsZero() || e.Receiver != l.at {
				l.t.Errorf("a credit goes as %+v", e)
			}
			l.sent = append(l.sent, fmt.Sprintf("credit %s%d %d", k.GetEndpoint(), k.GetAsker(), k.GetBytes()))
			return
		}
	}
	l.sent = append(l.sent, fmt.Sprint(e.Endpoint, " ", len(e.Content)))
	if e.Kind == rpcenv.KindRequest {
		l.requests = append(l.requests, e.RequestID)
	}
}

// windowed is a connection of A, whose settings are narrow, to a peer with a window of 1,000 bytes. A message of n bytes counts n+256.
func windowed(w *world) (*rpcenv.Env, *ownLink, rpcenv.Conn) {
	a := w.make("A", true, narrow(w.t))
	at := rpcenv.Address{Host: "10.9.9.9", Port: 9}
	l := &ownLink{at: at, t: w.t}
	c := a.OpenOn(l, at)
	c.SetWindow(1000)
	w.t.Cleanup(func() { c.End(io.EOF) })
	return a, l, c
}

// credits receives a Credit of the peer's.
func credits(c rpcenv.Conn, endpoint string, bytes uint32) {
	c.Receive(&rpcenv.Envelope{
		Kind: rpcenv.KindOneWay, Endpoint: rpcenv.VerifierName, Content: content(&rpc.Credit{Endpoint: endpoint, Bytes: bytes}),
	})
}

func (l *ownLink) want(t *testing.T, sent ...string) {
	t.Helper()
	if !slices.Equal(l.sent, sent) {
		t.Errorf("sent %q, want %q", l.sent, sent)
	}
	l.sent = nil
}

func TestAWindowIsExact(t *testing.T) {
	for _, c := range []struct {
		first, then int
		goes        bool
	}{
		{244, 5000, true}, // half of the window is out: the next may go, whatever its size
		{245, 5000, false},
		{245, 243, true}, // to the last byte of the window
		{245, 244, false},
	} {
		w := inSim(t)
		_, l, conn := windowed(w)
		if err := errors.Join(conn.SendTo("E", c.first), conn.SendTo("E", c.then)); err != nil {
			t.Error(err)
		}
		if goes := len(l.sent) == 2; goes != c.goes {
			t.Errorf("%d, then %d: goes %t", c.first, c.then, goes)
		}
		if n := len(l.sent); n == 1 {
			credits(conn, "E", 1) // half of the window, or what fits
			if len(l.sent) != 2 {
				t.Errorf("%d, then %d, does not go after 1 byte", c.first, c.then)
			}
		}
	}
}

func TestWhatWaitsIsOvertakenByNoneOfItsStream(t *testing.T) {
	w := inSim(t)
	_, l, c := windowed(w)
	for _, n := range []int{300, 301, 1, 2} {
		if err := c.SendTo("E", n); err != nil {
			t.Error(err)
		}
	}
	l.want(t, "E 300")
	if err := c.SendTo("F", 5); err != nil { // another stream
		t.Error(err)
	}
	c.Answer(&rpc.Bool{Value: true}) // and another
	l.want(t, "F 5", " 6")
	credits(c, "E", 1)
	credits(c, "", 10_000)
	credits(c, "Nobody", 10_000)
	l.want(t)
	credits(c, "E", 10_000)
	l.want(t, "E 301", "E 1")
	credits(c, "E", 10_000)
	l.want(t, "E 2")
	if err := errors.Join(c.SendTo("F", 500), c.SendTo("E", 600), c.SendTo("F", 600)); err != nil { // each has its own window
		t.Error(err)
	}
	l.want(t, "F 500", "E 600")
	credits(c, "E", 258+856) // nothing is out: the stream is forgotten, and begins anew
	if err := errors.Join(c.SendTo("E", 300), c.SendTo("E", 300)); err != nil {
		t.Error(err)
	}
	l.want(t, "E 300")
}

func TestAnAskThatWaitsForCreditHasItsTime(t *testing.T) {
	w := inSim(t)
	_, l, c := windowed(w)
	if err := errors.Join(c.SendTo("E", 1000), c.Ask(10, func(err error) { w.note("%t", errors.Is(err, rpcenv.ErrUnreachableTimeout)) })); err != nil {
		t.Error(err)
	}
	w.sim.Advance(2 * time.Minute)
	w.wantLog("true")
	l.want(t, "E 1000")
}

func TestAConnectionThatIsClosedSendsNothingForCredit(t *testing.T) {
	w := inSim(t)
	_, l, c := windowed(w)
	for _, name := range []string{"F", "E"} {
		if err := errors.Join(c.SendTo(name, 1000), c.SendTo(name, 1000)); err != nil {
			t.Error(err)
		}
	}
	c.Close(errors.New("given up"))
	credits(c, "E", 10_000)
	l.want(t, "F 1000", "E 1000")
	c.End(io.EOF)
	if d := w.drops(); len(d) != 2 {
		t.Error(d)
	}
	// The order is that of the names, the same in each run.
	var to []string
	for _, r := range w.rec.Records() {
		if r.GetKind() == tracepb.Kind_DROP {
			to = append(to, r.GetTo())
		}
	}
	if !slices.Equal(to, []string{"E", "F"}) {
		t.Error(to)
	}
}

// arrives receives a message to an endpoint whose content has n bytes.
func arrives(c interface{ Receive(e *rpcenv.Envelope) }, endpoint string, n int) {
	b := content(text(string(make([]byte, n-34))))
	for len(b) > n {
		b = content(text(string(make([]byte, n-34-(len(b)-n)))))
	}
	c.Receive(&rpcenv.Envelope{Kind: rpcenv.KindOneWay, Endpoint: endpoint, Content: b})
}

func TestHalfAWindowIsGivenBack(t *testing.T) {
	w := inSim(t)
	a, l, c := windowed(w)
	c.Watch() // the Env finds it
	w.register(a, "E", &endpoint{receive: func(*rpcenv.Context, rpcenv.Message) {}})
	const half = 32 << 10 // of A's own
	arrives(c, "E", half/2-256)
	arrives(c, "E", half/2-257)
	w.quiet()
	l.want(t)
	arrives(c, "E", 1000)
	w.quiet()
	l.want(t, "credit E0 34023")
	// Nobody takes these; the name before the last one gets its rest.
	arrives(c, "Nobody", half/2-256)
	arrives(c, "E", 100)
	arrives(c, "Nobody", half/2-256)
	w.quiet()
	l.want(t, "credit Nobody0 32768")
	arrives(c, "Nobody", 100)
	arrives(c, "Neither", 100)
	l.want(t, "credit Nobody0 356")
	arrives(c, "Neither", 100)
	a.Stop("E")
	w.quiet()
	l.want(t, "credit E0 356")
	a.Stop("E") // E has ended already
	arrives(c, "E", half-256)
	w.quiet()
	l.want(t, "credit Neither0 712", "credit E0 32768")
	// While it stops, what comes is added to what it has handled. What was given back is not given back again.
	for _, n := range []int{100, half - 256} {
		w.register(a, "E", &endpoint{receive: func(*rpcenv.Context, rpcenv.Message) {}})
		arrives(c, "E", n)
		w.quiet()
		a.Stop("E")
		if n == 100 {
			arrives(c, "E", n)
		}
		w.quiet()
	}
	l.want(t, "credit E0 712", "credit E0 32768")
	// Each has its own count.
	w.register(a, "F", &endpoint{receive: func(*rpcenv.Context, rpcenv.Message) {}})
	w.register(a, "G", &endpoint{receive: func(*rpcenv.Context, rpcenv.Message) {}})
	for range 4 {
		arrives(c, "F", half/4-256)
		arrives(c, "G", half/4-257)
	}
	w.quiet()
	l.want(t, "credit F0 32768")
	w.register(a, "E", &endpoint{receive: func(*rpcenv.Context, rpcenv.Message) {}})
	arrives(c, "E", 100)
	w.quiet()
	a.Stop("E")
	w.quiet()
	l.want(t, "credit E0 356")
}

func TestNoCreditGoesOutOnAConnectionThatIsClosedOrFull(t *testing.T) {
	w := inSim(t)
	a, l, c := windowed(w)
	w.register(a, "E", &endpoint{receive: func(*rpcenv.Context, rpcenv.Message) {}})
	c.Close(errors.New("given up"))
	arrives(c, "E", 40_000)
	w.quiet()
	l.want(t)

	a, l, c = windowed(w)
	w.register(a, "E", &endpoint{receive: func(*rpcenv.Context, rpcenv.Message) {}})
	l.queued = 1 << 20
	arrives(c, "E", 40_000)
	w.quiet()
	if len(l.sent) != 0 || l.closed != 1 {
		t.Error("a peer that reads nothing:", l.sent, l.closed)
	}
}

func TestOnlyACreditIsTakenForOne(t *testing.T) {
	w := inSim(t)
	a, l, c := windowed(w)
	w.register(a, "E", &endpoint{receive: func(_ *rpcenv.Context, m rpcenv.Message) { w.note("E got %s", rpcenv.TypeName(m)) }})
	if err := errors.Join(c.SendTo("E", 1000), c.SendTo("E", 1000)); err != nil {
		t.Error(err)
	}
	l.want(t, "E 1000")
	credit := &rpc.Credit{Endpoint: "E", Bytes: 10_000}
	as := func(kind rpcenv.EnvelopeKind, endpoint string, m proto.Message) {
		c.Receive(&rpcenv.Envelope{Kind: kind, RequestID: 1, Endpoint: endpoint, Content: content(m)})
		w.quiet()
	}
	as(rpcenv.KindOneWay, "E", credit)
	w.wantLog("E got rpc.Credit")
	l.sent = nil
	as(rpcenv.KindRequest, rpcenv.VerifierName, credit)
	if len(l.sent) != 1 { // the failure of an ask that the verifier does not know
		t.Error(l.sent)
	}
	l.sent = nil
	as(rpcenv.KindOneWay, rpcenv.VerifierName, &rpc.CheckExistence{})
	as(rpcenv.KindOneWay, rpcenv.VerifierName, credit)
	l.want(t, "E 1000")
}

func TestAPeerIsBehindWhenMoreThanAWindowWaits(t *testing.T) {
	w := inSim(t)
	a, l, c := windowed(w)
	w.register(a, "S", newSender(w))
	w.register(a, "T", newSender(w))
	w.register(a, "Plain", doer())
	send := func(from string, n int) {
		t.Helper()
		if err := c.SendFrom(from, n); err != nil {
			t.Error(err)
		}
		w.quiet()
	}
	send("S", 1000)
	send("S", 32<<10-256)
	send("T", 32<<10-256) // a window of A's own settings waits
	w.wantLog()
	send("T", 10)
	w.wantLog("E is behind: true")
	send("T", 10)
	send("Plain", 10)
	send("S", 10)
	w.wantLog("E is behind: true", "E is behind: true")
	woken := 0
	if c.Room("E", func() { woken++ }) || !c.Room("F", nil) {
		t.Error("there is room at E, or none at F")
	}
	credits(c, "E", 1<<20)
	credits(c, "E", 1<<20)
	if _, bytes := c.Waiting(); bytes > 100 {
		t.Error(bytes)
	}
	w.register(a, "U", newSender(w))
	send("U", 10) // it has not caught up yet
	w.wantLog("E is behind: true", "E is behind: true", "E is behind: true")
	if woken > 0 {
		t.Error("woken too early")
	}
	credits(c, "E", 1<<20)
	credits(c, "E", 1<<20)
	w.quiet()
	w.await("E is behind: false")
	if log := w.noted()[3:]; !slices.Equal(log, slices.Repeat([]string{"E is behind: false"}, 3)) {
		t.Error(log)
	}
	if !c.Room("E", nil) || woken != 1 {
		t.Error("no room, or woken", woken)
	}
	if len(l.sent) != 8 {
		t.Error(l.sent)
	}
	var names []string
	for _, r := range w.rec.Records() {
		if r.GetKind() == tracepb.Kind_ITEM && r.GetAddress() == "10.9.9.9:9" {
			names = append(names, r.GetEndpoint()+" "+r.GetName())
			if r.GetId() == nil {
				t.Error("an item without an id")
			}
		}
	}
	if want := []string{"T peer is behind", "S peer is behind", "U peer is behind", "T peer caught up", "S peer caught up", "U peer caught up"}; !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
}

func TestTheLargestMessage(t *testing.T) {
	w := inSim(t)
	_, l, c := windowed(w)
	if err := c.SendTo("E", rpcenv.MaxMessage); err != nil || l.closed > 0 {
		t.Error(err, l.closed)
	}
	if err := c.SendTo("F", rpcenv.MaxMessage+1); err != nil || l.closed != 1 {
		t.Error("a larger one ends the stream:", err, l.closed)
	}
}
