package rpctest

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/coherer/coherer/rpcenv/trace"
)

// Run runs the world until cond holds, which is looked at after every step; sim.ErrNotReached after within of virtual time,
// or when nothing is left to do.
func (w *World) Run(cond func() bool, within time.Duration) (err error) {
	w.t.Helper()
	w.do(func() { err = w.run(cond, within) })
	return err
}

func (w *World) run(cond func() bool, within time.Duration) error {
	return w.World.Run(func() bool {
		w.stepped()
		return cond()
	}, within)
}

// Advance runs everything that happens within d of virtual time.
func (w *World) Advance(d time.Duration) {
	w.t.Helper()
	w.do(func() {
		// By run, which looks after each step whether the World was given up. It ends with the last event within d; the time
		// from there on has no event, and passes by Advance.
		end := w.Now().Add(d)
		_ = w.run(func() bool { return false }, d) // never reached, on purpose
		w.World.Advance(end.Sub(w.Now()))
	})
}

// Settle runs until nothing is under way any more: no item in an inbox, no message between Envs, no body that runs. Timers
// and sleeping bodies are not waited for.
func (w *World) Settle() {
	w.t.Helper()
	w.do(func() { _ = w.run(w.Quiet, math.MaxInt64) }) // when nothing is left to do it is quiet enough
}

// Step does the next thing; false: there is nothing left to do.
func (w *World) Step() (more bool) {
	w.t.Helper()
	w.do(func() {
		more = w.World.Step()
		w.stepped()
	})
	return more
}

// Close ends the World: all Envs in it crash. It may be called again. A World in which a callback blocks is left alone.
func (w *World) Close() {
	w.t.Helper()
	if !w.watch.isGivenUp() {
		w.do(w.World.Close)
	}
}

// NoPanic fails the test at its end if a callback panicked: its Env survives that, and what the callback was for may have
// happened before.
func (w *World) NoPanic() {
	w.t.Cleanup(func() {
		w.t.Helper()
		for _, e := range w.Trace().Entries {
			if strings.HasPrefix(e.Outcome, "panic: ") || strings.HasPrefix(e.Outcome, "runtime error: ") {
				w.t.Errorf("%s%s panicked over %s%s: %s", e.At, e.To, e.Name, e.Type, e.Outcome)
			}
		}
	})
}

// NoDrops fails the test at its end if an Env dropped a message that it should have sent, such as one to a zero Ref.
func (w *World) NoDrops() {
	w.t.Cleanup(func() {
		w.t.Helper()
		for _, e := range w.Trace().Entries {
			if e.K == trace.KindDrop {
				w.t.Errorf("not delivered: %+v", e)
			}
		}
	})
}

// Trace is everything that happened so far. What a test makes its Probes do is no item of it: what they send has no cause.
func (w *World) Trace() *trace.Trace {
	t := trace.Merge(w.Recorder().Records())
	t.Source, t.Seed = "sim", w.Seed()
	t.Entries = slices.DeleteFunc(t.Entries, func(e trace.Entry) bool {
		return e.K == trace.KindItem && e.Name == "outside "+probeEvent
	})
	return t
}
