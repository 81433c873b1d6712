package rpcenv_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/messages/rpc"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
)

// slowLink is a Link whose peer does not read: queued bytes wait. The test reports its end.
type slowLink struct {
	queued int
	sent   []string
	closed int
}

func (l *slowLink) Send(e *rpcenv.Envelope) {
	l.sent = append(l.sent, fmt.Sprint(e.Kind, " ", len(e.Content), e.Error))
}
func (l *slowLink) Queued() int            { return l.queued }
func (l *slowLink) Open()                  {}
func (l *slowLink) Close()                 { l.closed++ }
func (l *slowLink) Local() rpcenv.Address  { return rpcenv.Address{} }
func (l *slowLink) Remote() rpcenv.Address { return rpcenv.Address{} }

// slow is a connection of A to a peer at 10.9.9.9:9.
func slow(w *world) (*rpcenv.Env, *slowLink, rpcenv.Conn) {
	a := w.env("A")
	l := &slowLink{}
	c := a.OpenOn(l, rpcenv.Address{Host: "10.9.9.9", Port: 9})
	w.t.Cleanup(func() { c.End(io.EOF) })
	return a, l, c
}

const limit = rpcenv.MaxMessage

func TestSixtyFourMiBMayWaitOnAConnection(t *testing.T) {
	w := inSim(t)
	_, l, c := slow(w)
	ended := func(err error) { w.note("%v", err) }
	l.queued = limit - 10
	if err := errors.Join(c.Send(10), c.Ask(10, ended)); err != nil || !slices.Equal(l.sent, []string{"9 10", "3 10"}) {
		t.Error(err, l.sent)
	}
	const full = "no room: 67108854 bytes wait for 10.9.9.9:9"
	if err := c.Ask(11, ended); !errors.Is(err, rpcenv.ErrUnreachableOverloaded) || err.Error() != full || l.closed != 0 {
		t.Error("an ask beyond it fails alone:", err, l.closed)
	}
	if err := c.Send(10); err != nil {
		t.Error("the stream goes on:", err)
	}
	if err := c.Send(11); err != nil || l.closed != 1 {
		t.Error("a message beyond it ends the stream:", err, l.closed)
	}
	l.queued = 0
	const closed = "no connection: the connection to 10.9.9.9:9 is closed"
	for _, err := range []error{c.Send(1), c.Ask(1, ended)} {
		if !errors.Is(err, rpcenv.ErrUnreachableDisconnected) || err.Error() != closed {
			t.Error("a stream that ended has no hole:", err)
		}
	}
	c.End(io.EOF)
	w.wantLog("no connection: the connection to 10.9.9.9:9 ended before the answer: " + full)
	if err := c.Send(1); err == nil || err.Error() != closed+": it has ended" {
		t.Error(err)
	}
	if len(l.sent) != 3 {
		t.Error(l.sent)
	}
}

func TestSixtyFourMiBOfAnswersMayWait(t *testing.T) {
	w := inSim(t)
	a, l, c := slow(w)
	answer := wrapperspb.Bool(true)
	n := len(content(answer))
	l.queued = limit - n
	c.Answer(answer)
	why := errors.New("no")
	l.queued = limit - 2
	c.Refuse(why)
	if want := []string{fmt.Sprint("4 ", n), "5 0no"}; !slices.Equal(l.sent, want) || l.closed != 0 {
		t.Error(l.sent, l.closed)
	}
	if sent := a.Metrics(); sent.Sent != 2 || sent.SentBytes != uint64(n) {
		t.Error(sent.Sent, sent.SentBytes)
	}
	l.queued = limit - 1
	c.Refuse(why)
	if l.closed != 1 || len(l.sent) != 2 {
		t.Error("a refusal beyond it ends the connection:", l.closed, l.sent)
	}
	l.queued = 0
	c.Answer(answer)
	c.Refuse(why)
	c.End(io.EOF)
	c.Answer(answer)
	c.Refuse(why)
	if len(l.sent) != 2 || l.closed != 1 {
		t.Error("nothing is sent after the end:", l.sent, l.closed)
	}
	var drops []string
	for _, r := range w.rec.Records() {
		if r.GetKind() == tracepb.Kind_DROP {
			drops = append(drops, r.GetType()+" "+r.GetAddress()+" "+r.GetWhy())
		}
	}
	gone := "rpc.Bool 10.9.9.9:9 the asker's connection is closed"
	if !slices.Equal(drops, []string{gone, gone}) {
		t.Error(drops)
	}
}

func TestTheFirstReasonOfAnEndCounts(t *testing.T) {
	for _, closes := range [][]error{nil, {errors.New("first")}, {errors.New("first"), errors.New("second")}} {
		w := inSim(t)
		_, _, c := slow(w)
		for i := range 3 {
			if err := c.Ask(1, func(err error) { w.note("%d %v", i, err) }); err != nil {
				t.Error(err)
			}
		}
		for _, why := range closes {
			c.Close(why)
		}
		c.End(io.EOF)
		c.End(errors.New("again"))
		why := "EOF"
		if len(closes) > 0 {
			why = "first"
		}
		ended := " no connection: the connection to 10.9.9.9:9 ended before the answer: " + why
		w.wantLog("0"+ended, "1"+ended, "2"+ended)
		n := 0
		for _, r := range w.rec.Records() {
			if r.GetKind() == tracepb.Kind_CONN {
				if n++; r.GetName() != "disconnected" || r.GetWhy() != why {
					t.Error(r)
				}
			}
		}
		if n != 1 {
			t.Error(n, "events of the connection")
		}
	}
}

// A message that finds an endpoint which is stopped meanwhile is refused in Spark's words.
func TestAnAskThatRacesIntoAStoppedInboxIsRefused(t *testing.T) {
	w := inSim(t)
	a, l, c := slow(w)
	w.register(a, "E", noting(w))
	w.quiet()
	a.StopInbox("E")
	for _, kind := range []rpcenv.EnvelopeKind{rpcenv.KindRequest, rpcenv.KindOneWay} {
		c.Receive(&rpcenv.Envelope{Kind: kind, RequestID: 3, Endpoint: "E", Content: content(&rpc.Bool{})})
	}
	if want := []string{"5 0[rpc.stopped] stopped: Drop rpc.Bool because endpoint E is stopped"}; !slices.Equal(l.sent, want) {
		t.Error(l.sent)
	}
	w.send(a, rpcenv.Ref{Address: a.Address(), Name: "E"}, "too late")
	if d := w.drops(); len(d) != 1 || d[0] != "say: stopped: Drop say because endpoint E is stopped" {
		t.Error(d)
	}
	w.quiet()
	w.wantLog("OnStart", "OnStop")
}

// A send by a connection that is being closed is an event.
func TestASendToAClientWhoseConnectionIsClosedIsAnEvent(t *testing.T) {
	w := inSim(t)
	a, k := w.env("A"), w.client("K")
	ref := w.register(a, "E", double(w))
	w.say(k, ref, "hello")
	w.await("hello")
	to := a.Clients("C")[0]
	a.Break()
	if err := a.Send(to, num(1)); err != nil {
		t.Error(err)
	}
	want := "google.protobuf.Int32Value: no connection: the connection to " + to.Address.String() + " is closed"
	if d := w.drops(); len(d) != 1 || d[0] != want {
		t.Error(d)
	}
	w.sim.Advance(time.Second)
	if err := a.Send(to, num(1)); err != nil || len(w.drops()) != 2 {
		t.Error(err, w.drops())
	}
	w.quiet()
	if !w.sim.Quiet() {
		t.Error("something is under way")
	}
}

func TestAMessageThatCannotBeEncodedIsNotSent(t *testing.T) {
	w := inSim(t)
	a, b := w.env("A"), w.env("B")
	ref := w.register(a, "E", double(w))
	if err := b.Send(ref, text("\xff")); !errors.Is(err, rpcenv.ErrNotMessage) || !strings.Contains(err.Error(), "invalid UTF-8") {
		t.Error(err)
	}
	w.quiet()
	w.wantLog()
}

// A connection that has ended by the time that an outbox would take it is not taken: the outbox dials for what waits, as the next
// send does.
func TestAConnectionThatHasEndedIsNotTaken(t *testing.T) {
	w := inSim(t)
	b := w.env("B")
	ref := w.register(b, "E", double(w))
	a := w.env("A")
	l := &slowLink{}
	c := a.OpenOn(l, b.Address())
	c.End(io.EOF)
	c.Attach(func() { w.say(a, ref, "waited for it") })
	w.await("waited for it")
	w.say(a, ref, "by a new one")
	w.await("by a new one")
	if len(l.sent) != 0 {
		t.Error(l.sent)
	}
}

func TestAnEnvOwnsTheConnectionsThatItDialled(t *testing.T) {
	w := inSim(t)
	a, k := w.env("A"), w.client("K")
	ref := w.register(a, "E", double(w))
	w.register(k, "C", double(w))
	w.say(k, ref, "hello")
	w.await("hello")
	id := a.Clients("C")[0].Proto().GetConnection()
	if !k.Owns(id) || a.Owns(id) || k.Owns(id+1) || a.Owns(0) {
		t.Error(k.Owns(id), a.Owns(id), k.Owns(id+1), a.Owns(0))
	}
}
