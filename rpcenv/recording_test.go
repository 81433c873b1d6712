package rpcenv_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/messages/rpc"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace/record"
	"github.com/coherer/coherer/rpcenv/transport"
)

// ringEnv is an Env of a process that has only a ring.
func ringEnv(t *testing.T) (*rpcenv.Env, *record.Recorder) {
	t.Helper()
	r, err := record.NewRingRecorder()
	if err != nil {
		t.Fatal(err)
	}
	h := transport.New(transport.Options{Recorder: r})
	e, err := rpcenv.New(h, rpcenv.Config{Name: "E", Listen: rpcenv.Address{Host: "127.0.0.1"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		e.Close()
		if err := errors.Join(h.Close(), r.Close()); err != nil {
			t.Error(err)
		}
	})
	return e, r
}

// ask asks CheckExistence of an endpoint of e.
func ask(t *testing.T, e *rpcenv.Env, name string) {
	t.Helper()
	b := e.Blocking(t.Context())
	defer b.Close()
	if _, err := rpcenv.AskWait(b, rpcenv.Ref{Address: e.Address(), Name: name}, &rpc.CheckExistence{Name: "x"}); err != nil {
		t.Fatal(err)
	}
}

// of counts the records of messages from or to an endpoint.
func of(records []*tracepb.Record, endpoint string) (n int) {
	for _, r := range records {
		if (r.GetKind() == tracepb.Kind_SENT || r.GetKind() == tracepb.Kind_HANDLED) && (r.GetEndpoint() == endpoint || r.GetTo() == endpoint) {
			n++
		}
	}
	return n
}

func TestAProcessThatRecordsNothingHasItsRing(t *testing.T) {
	e, r := ringEnv(t)
	ask(t, e, rpcenv.VerifierName)
	ask(t, e, rpcenv.VerifierName) // begins after the end of the first is recorded
	got := r.Since(nil, 100, false).Records
	// Two asks and answers, the handling of the first and perhaps of the second; the asker records how the answers are handled.
	if n := of(got, rpcenv.VerifierName); n < 5 || n > 6 || of(got, "caller") != 6 {
		t.Errorf("%d records of the verifier: %v", n, got)
	}
	for _, rec := range got {
		if rec.GetTime() == 0 || rec.GetKind() != tracepb.Kind_ENV && rec.GetEndpoint() == "" {
			t.Errorf("record %v", rec)
		}
	}
	if was, err := e.Record("", true); was || !errors.Is(err, rpcenv.ErrNotRecording) || !strings.Contains(err.Error(), "coherer.trace.dir") {
		t.Errorf("it cannot record: %v", err)
	}
	if e.Recording("") {
		t.Error("it records")
	}
}

// An untraced endpoint's messages, and the answers to them, are counted and in no trace.
func TestAnUntracedEndpointIsCounted(t *testing.T) {
	e, r := ringEnv(t)
	if _, err := e.Register("Quiet", &counter{}, rpcenv.Untraced()); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Register("Loud", &counter{}); err != nil {
		t.Fatal(err)
	}
	far := newFar(t)
	for _, from := range []*rpcenv.Env{e, far} {
		before := r.Untraced()
		b := from.Blocking(t.Context())
		for _, name := range []string{"Quiet", "Loud", "Quiet", "Loud"} { // the second ones begin after the end of the first is recorded
			if _, err := rpcenv.AskWait(b, rpcenv.Ref{Address: e.Address(), Name: name}, &rpc.CheckExistence{}); err != nil {
				t.Fatal(err)
			}
		}
		b.Close()
		// The ask and its handling; from elsewhere the handling and the answer: the asker does not know.
		if n := r.Untraced() - before; n < 2 {
			t.Errorf("%d were counted", n)
		}
	}
	got := r.Since(nil, 1000, false).Records
	if n := of(got, "Quiet"); n != 0 {
		t.Errorf("%d records of the untraced endpoint: %v", n, got)
	}
	if n := of(got, "Loud"); n < 8 { // twice three and twice two, the handling of the last of each perhaps not yet
		t.Errorf("%d records of the other one", n)
	}
}

// newFar is another process's Env, without a trace.
func newFar(t *testing.T) *rpcenv.Env {
	t.Helper()
	h := transport.New(transport.Options{})
	e, err := rpcenv.New(h, rpcenv.Config{Name: "Far"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		e.Close()
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

type quietTick struct{ rpcenv.LocalUntraced }

// ticker counts its ticks, and stops after three.
type ticker struct {
	ticks int
	done  chan struct{}
}

func (k *ticker) OnStart(c *rpcenv.Context) { c.Every(time.Millisecond, time.Millisecond, quietTick{}) }

func (k *ticker) Receive(_ *rpcenv.Context, _ rpcenv.Message) {
	if k.ticks++; k.ticks == 3 {
		close(k.done)
	}
}

// Ticks of a LocalUntraced are counted and in no trace.
func TestAnUntracedTickIsCounted(t *testing.T) {
	e, r := ringEnv(t)
	k := &ticker{done: make(chan struct{})}
	if _, err := e.Register("Ticker", k); err != nil {
		t.Fatal(err)
	}
	<-k.done
	if r.Untraced() < 2 {
		t.Errorf("%d were counted", r.Untraced())
	}
	for _, rec := range r.Since(nil, 1000, false).Records {
		if rec.GetEndpoint() == "Ticker" && rec.GetName() != "OnStart" {
			t.Errorf("record %v", rec)
		}
	}
}

// A switch of one endpoint holds against that of all, until all are switched again.
func TestRecordReturnsWhatHeldBefore(t *testing.T) {
	w := inSim(t)
	e := w.env("A")
	for _, name := range []string{"E", "F"} {
		w.register(e, name, double(w))
	}
	for i, step := range []struct {
		endpoint  string
		on, was   bool
		all, e, f bool
	}{
		{"", true, true, true, true, true},
		{"E", false, true, true, false, true},
		{"E", false, false, true, false, true},
		{"F", true, true, true, false, true},
		{"", false, true, false, false, false},
		{"E", true, false, false, true, false},
		{"F", false, false, false, true, false},
		{"", true, false, true, true, true},
	} {
		was, err := e.Record(step.endpoint, step.on)
		if err != nil || was != step.was || e.Recording("") != step.all || e.Recording("E") != step.e || e.Recording("F") != step.f {
			t.Errorf("%d: %v %v, all %v E %v F %v", i, was, err, e.Recording(""), e.Recording("E"), e.Recording("F"))
		}
	}
	if was, err := e.Record("Nobody", true); was || !errors.Is(err, rpcenv.ErrRefusedNotFound) || err.Error() != "could not find the endpoint: Could not find Nobody." {
		t.Error(err)
	}
	if e.Recorder() != w.rec {
		t.Error("it has another trace than its world")
	}
	off := w.make("B", true, settings(t, "coherer.trace.enabled", "false"))
	if off.Recording("") {
		t.Error("it records, though coherer.trace.enabled is false")
	}
}

// Within a turn an item begins when the one before it has ended: the clock is asked once for both.
func TestAnItemBeginsWhereTheOneBeforeItEnds(t *testing.T) {
	w := newWorld(t, "memory")
	e := w.env("A")
	ref := w.register(e, "E", &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) {
		if m.(say).text == "first" {
			for range 3 {
				c.Send(c.Self(), say{text: "next"})
			}
		}
		w.note("%s", m.(say).text)
	}})
	w.send(e, ref, "first")
	w.awaitLines(4)
	w.close(e)
	var all []*tracepb.Record
	for _, r := range w.rec.Records() {
		if r.GetKind() == tracepb.Kind_HANDLED && r.GetEndpoint() == "E" {
			all = append(all, r)
		}
	}
	if len(all) != 4 {
		t.Fatal(all)
	}
	for i, r := range all {
		if i > 0 && r.GetStarted() != all[i-1].GetTime() || r.GetStarted() < r.GetReceived() || r.GetTime() < r.GetStarted() {
			t.Errorf("%d: received %d, began %d, ended %d, the one before %d", i, r.GetReceived(), r.GetStarted(), r.GetTime(), all[max(i-1, 0)].GetTime())
		}
	}
}
