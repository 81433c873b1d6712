package rpcenv_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/sim"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// A tick and a message of one type are counted apart, also when they come in turn.
func TestATickIsNotCountedAsAMessage(t *testing.T) {
	w := inSim(t)
	e := w.env("A")
	ref := w.register(e, "E", ticking(w))
	for range 3 {
		w.in(e, ref, func(c *rpcenv.Context) {
			c.Send(c.Self(), say{text: "message"})
			c.After(0, say{text: "tick"})
		})
		w.sim.Advance(time.Millisecond)
	}
	if got := rows(e.Metrics(), "E"); got != "message do 3 0 3 0\nmessage say 3 0 3 0\ntick say 3 0 3 0" {
		t.Error(got)
	}
}

// A handler that takes time was at work from the moment when its item was taken, also when nothing is recorded.
func TestTheTimeOfABusyHandlerIsMeasured(t *testing.T) {
	for _, recorded := range []string{"true", "false"} {
		w := inSim(t)
		e := w.make("A", true, settings(t, "coherer.trace.enabled", recorded))
		e.Time()
		ref := w.register(e, "E", ticking(w))
		w.quiet()
		w.sim.Cost("A/E", "say", 10*time.Millisecond)
		w.send(e, ref, "1", "2")
		w.sim.Advance(time.Second)
		if total := totalOf(e, "E"); total.Handling.Sum != 20*time.Millisecond || total.Wait.Sum != 10*time.Millisecond {
			t.Errorf("recorded %s: %+v", recorded, total)
		}
	}
}

// What came, or was begun, before times were measured has none.
func TestWhatCameBeforeTimesWereMeasuredHasNone(t *testing.T) {
	w := inSim(t)
	e := w.make("A", true, settings(t, "coherer.trace.enabled", "false"))
	ref := w.register(e, "E", doer())
	w.register(e, "F", doer())
	w.quiet()
	if err := e.Send(ref, do{f: func(*rpcenv.Context) {}}); err != nil {
		t.Error(err)
	}
	e.Time()
	w.quiet()
	if total := totalOf(e, "E"); total.Handled != 1 || total.Wait.Count() != 0 {
		t.Errorf("%+v", total)
	}

	other := w.make("B", true, settings(t, "coherer.trace.enabled", "false"))
	begun := w.register(other, "E", doer())
	w.register(other, "F", doer())
	w.quiet()
	if _, err := other.Record("F", true); err != nil { // so that arrivals have times
		t.Error(err)
	}
	w.in(other, begun, func(c *rpcenv.Context) { c.Env().Time() })
	if total := totalOf(other, "E"); total.Handled != 1 || total.Wait.Count() != 0 {
		t.Errorf("%+v", total)
	}
}

// The file of a ring that has nothing beside what was recorded is of no use: it goes with its process. Each record says so.
func TestARingOfWhatWasRecordedIsNotKept(t *testing.T) {
	for _, switched := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "x.trace")
		r, err := record.NewFileRecorder(path, -1)
		if err != nil {
			t.Fatal(err)
		}
		w := inSim(t)
		w.sim = sim.NewWith(1, r)
		w.rec = r
		a, b := w.env("A"), w.env("B")
		if _, err := a.Record("", !switched); err != nil {
			t.Fatal(err)
		}
		ref := w.register(a, "E", double(w))
		for _, e := range []*rpcenv.Env{a, b} {
			w.do(e, func(b *rpcenv.Blocking) {
				if _, err := rpcenv.AskWaitAs[rpcenv.Message](b, ref, num(1)); err != nil {
					t.Error(err)
				}
			})
			w.say(e, ref, "hello")
		}
		w.close(b)
		w.close(a)
		w.sim.Close()
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(record.RingPath(path)); (err == nil) != switched {
			t.Errorf("recording switched off %v: the ring %v", switched, err)
		}
	}
}
