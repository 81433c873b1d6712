package rpcenv_test

import (
	"context"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport"
)

// allocations are what each operation allocates, in all that it touches at both ends. An operation that comes to need more
// fails the test. One that needs less is a reason to be glad, and to write the new figure here.
var allocations = []struct {
	operation string
	want      int
	// do returns what does the operation n times; it returns when all that came of it is done.
	do func(t *testing.T, r rig) func(n int)
}{
	{"tell/local", 0, tells},
	{"tell/local/trace=ring", 0, tells},
	{"tell/memory", 5, tells},
	{"tell/tcp", 2, tells},
	{"ask/local", 8, bodyAsks},
	{"ask/local/trace=ring", 8, bodyAsks},
	{"ask/memory", 18, bodyAsks},
	{"ask/tcp", 10, bodyAsks},
	{"ask by an endpoint/local", 3, endpointAsks},
	{"ask by an endpoint/memory", 13, endpointAsks},
	{"ask by an endpoint/tcp", 5, endpointAsks},
	{"deferred ask/local", 8, deferredAsks},
	{"tick of After/local", 7, repeat(func(c *rpcenv.Context, again func()) { c.After(0, do{f: func(*rpcenv.Context) { again() }}) })},
	{"After that is cancelled/local", 6, repeat(func(c *rpcenv.Context, again func()) {
		c.Cancel(c.After(time.Hour, tickNobodyHears{}))
		again()
	})},
	{"run/local", 12, repeat(func(c *rpcenv.Context, again func()) {
		rpcenv.Run(c, "", func(*rpcenv.Blocking) (int, error) { return 0, nil }, func(int, error) { again() })
	})},
	{"register and stop/local", 14, registrations},
}

// rig is where operations happen: from one Env to another, or to itself.
type rig struct{ from, to *rpcenv.Env }

type tickNobodyHears struct{ rpcenv.Local }

func newRig(t *testing.T, operation string) rig {
	kind := traceNone
	if strings.HasSuffix(operation, "trace="+traceRing) {
		kind = traceRing
	}
	if strings.Contains(operation, "/tcp") {
		to, from := newBench(t, kind)
		return rig{from, to}
	}
	h := transport.New(transport.Options{Recorder: newRecorder(t, kind), Memory: true})
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	env := func(name string) *rpcenv.Env {
		e, err := rpcenv.New(h, rpcenv.Config{Name: name, Listen: rpcenv.Address{Host: "127.0.0.1"}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(e.Close)
		return e
	}
	r := rig{to: env("A")}
	if r.from = r.to; strings.Contains(operation, "/memory") {
		r.from = env("B")
	}
	return r
}

// register registers an endpoint of functions.
func register(t *testing.T, e *rpcenv.Env, name string, receive func(c *rpcenv.Context, m rpcenv.Message)) rpcenv.Ref {
	t.Helper()
	ref, err := e.Register(name, &endpoint{receive: receive})
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

// tells are sent all at once, and handled in whatever batches.
func tells(t *testing.T, r rig) func(n int) {
	left, done := 0, make(chan struct{})
	ref := register(t, r.to, "E", func(*rpcenv.Context, rpcenv.Message) {
		if left--; left == 0 {
			done <- struct{}{}
		}
	})
	b := r.from.Blocking(context.Background())
	t.Cleanup(b.Close)
	m := text("a text of thirty-two characters!")
	return func(n int) {
		left = n
		for range n {
			if err := b.Send(ref, m); err != nil {
				t.Error(err)
			}
		}
		<-done
	}
}

// answering answers a number with itself.
func answering(t *testing.T, r rig) rpcenv.Ref {
	return register(t, r.to, "E", func(c *rpcenv.Context, m rpcenv.Message) { rpcenv.ReplyAs(c, m, m) })
}

func bodyAsks(t *testing.T, r rig) func(n int) { return asksOf(t, r, answering(t, r)) }

// deferredAsks are answered behind their handler.
func deferredAsks(t *testing.T, r rig) func(n int) {
	return asksOf(t, r, register(t, r.to, "E", func(c *rpcenv.Context, m rpcenv.Message) {
		rpcenv.DeferAs[rpcenv.Message](c, m).Reply(m)
	}))
}

func asksOf(t *testing.T, r rig, ref rpcenv.Ref) func(n int) {
	b := r.from.Blocking(context.Background())
	t.Cleanup(b.Close)
	q := num(7)
	return func(n int) {
		for range n {
			if _, err := rpcenv.AskWaitAs[*wrapperspb.Int32Value](b, ref, q); err != nil {
				t.Error(err)
			}
		}
	}
}

// repeat does something in the inbox of an endpoint, again and again.
func repeat(f func(c *rpcenv.Context, again func())) func(t *testing.T, r rig) func(n int) {
	return func(t *testing.T, r rig) func(n int) {
		left, done := 0, make(chan struct{})
		var step func()
		var in *rpcenv.Context
		again := func() {
			if left--; left == 0 {
				done <- struct{}{}
				return
			}
			step()
		}
		step = func() { f(in, again) }
		ref := register(t, r.from, "Doer", func(c *rpcenv.Context, m rpcenv.Message) {
			in = c
			m.(do).f(c)
		})
		return func(n int) {
			left = n
			if err := r.from.Send(ref, do{f: func(*rpcenv.Context) { step() }}); err != nil {
				t.Error(err)
			}
			<-done
		}
	}
}

func endpointAsks(t *testing.T, r rig) func(n int) {
	ref, q := answering(t, r), num(7)
	return repeat(func(c *rpcenv.Context, again func()) {
		rpcenv.AskAs(c, ref, q, func(_ *wrapperspb.Int32Value, err error) {
			if err != nil {
				t.Error(err)
			}
			again()
		})
	})(t, r)
}

// registrations are each followed by the end of the endpoint.
func registrations(t *testing.T, r rig) func(n int) {
	stopped := make(chan struct{})
	ep := &endpoint{stop: func(*rpcenv.Context) { stopped <- struct{}{} }}
	return func(n int) {
		for range n {
			if _, err := r.to.Register("E", ep); err != nil {
				t.Fatal(err)
			}
			r.to.Stop("E")
			<-stopped
		}
	}
}

// What an operation allocates is known, so that it grows only where somebody wants it to. One less than the table is right:
// numbers up to 255, as of Envs, are boxed without an allocation.
func TestAllocationsOfEachOperation(t *testing.T) {
	if raced {
		t.Skip("the race detector allocates as well")
	}
	for _, a := range allocations {
		t.Run(a.operation, func(t *testing.T) {
			got := allocated(a.do(t, newRig(t, a.operation)))
			for range 3 { // what a busy machine adds is not there each time
				if got > a.want {
					got = min(got, allocated(a.do(t, newRig(t, a.operation))))
				}
			}
			switch {
			case got > a.want:
				t.Errorf("%d allocations, the table says %d: find out which are new", got, a.want)
			case got < a.want-1:
				t.Errorf("%d allocations, the table says %d: write the new figure", got, a.want)
			}
		})
	}
}

// allocated is how many objects f makes for each of many operations. Other goroutines of the process count too, batches are
// of many sizes, pools are empty at times: the least of some rounds is what the operation itself needs.
func allocated(f func(n int)) int {
	const n = 2000
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // pools keep what they have
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	f(n) // connections, pools, tables
	least := uint64(1 << 62)
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f(n)
		runtime.ReadMemStats(&after)
		least = min(least, after.Mallocs-before.Mallocs)
	}
	return int((least + n/2) / n)
}
