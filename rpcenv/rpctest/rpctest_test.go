package rpctest_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

type welcomer struct{}

func (welcomer) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *wrapperspb.StringValue:
		rpcenv.ReplyAs(c, m, wrapperspb.String("Hello, "+m.GetValue()))
	default:
		c.Unsupported(m)
	}
}

func TestAskThroughAProbe(t *testing.T) {
	w := rpctest.New(t, 1)
	ref := w.Register(w.Env("M", nil), "Greeter", welcomer{})
	p := w.Probe("P")
	got, err := rpctest.Ask[*wrapperspb.StringValue](p, ref, wrapperspb.String("Ada"))
	if err != nil || got.GetValue() != "Hello, Ada" {
		t.Fatal(got, err)
	}
	_, err = rpctest.Ask[*rpc.Bool](p, ref, wrapperspb.Int32(1))
	if !errors.Is(err, rpcenv.ErrRefusedUnsupported) || !errors.Is(err, rpcenv.ErrRefused) {
		t.Error("unsupported:", err)
	}
	_, err = rpctest.Ask[*rpc.Bool](p, rpcenv.Ref{Address: ref.Address, Name: "Nobody"}, wrapperspb.Int32(1))
	if !errors.Is(err, rpcenv.ErrRefusedNotFound) {
		t.Error("not found:", err)
	}
	_, err = rpctest.Ask[*rpc.Bool](p, rpcenv.Ref{Address: rpcenv.Address{Host: "10.0.0.9", Port: 1}, Name: "Nobody"}, wrapperspb.Int32(1))
	if !errors.Is(err, rpcenv.ErrUnreachableDisconnected) {
		t.Error("unreachable:", err)
	}
	w.Cut("M", "P")
	_, err = rpctest.Ask[*wrapperspb.StringValue](p, ref, wrapperspb.String("Ada"), rpcenv.Timeout("some.key", time.Second))
	if !errors.Is(err, rpcenv.ErrUnreachableTimeout) {
		t.Error("cut:", err)
	}
}

// A Probe that crashes is seen to be gone, and comes back as another process at the same address.
func TestAProbeCrashesAndComesBack(t *testing.T) {
	w := rpctest.New(t, 1)
	p, q := w.Probe("P"), w.Probe("Q")
	p.Send(q.Ref, wrapperspb.String("first"))
	q.Next()
	p.Crash()
	if !p.Crashed() || q.Crashed() {
		t.Error("P should have crashed, and P alone")
	}
	if w.EnvAt(q.Ref.Address) != q.Env || w.EnvAt(rpcenv.Address{}) != nil {
		t.Error("EnvAt")
	}
	old := p.Env
	p.Restart()
	if p.Env == old || p.Crashed() || w.EnvAt(p.Ref.Address) != p.Env {
		t.Error("P should be another one")
	}
	p.Send(q.Ref, wrapperspb.String("second"))
	if got := q.Next().(*wrapperspb.StringValue).GetValue(); got != "second" {
		t.Error(got)
	}
	if got, want := strings.Join(q.Events(), ", "), "connected 10.0.0.1:7077, disconnected 10.0.0.1:7077, connected 10.0.0.1:7077"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := failure(func(t testing.TB) { rpctest.New(t, 1).Probe("R").Restart() }); got != "probe R: it has not crashed" {
		t.Error(got)
	}
}

// Which goroutine runs a World changes nothing: runs of one seed are the same, also without the test kit.
func TestRunsOfOneSeedAreTheSame(t *testing.T) {
	record := func(seed uint64, advance func(w *rpctest.World, d time.Duration)) string {
		w := rpctest.New(t, seed)
		p := w.Probe("P")
		ref := w.Register(w.Env("Server", nil), "Counter", &counter{listener: p.Ref})
		for i := range 20 {
			p.Do(func(c *rpcenv.Context) {
				for range i {
					c.Send(ref, wrapperspb.String("tick"))
				}
			})
			advance(w, time.Minute)
		}
		var b strings.Builder
		if err := w.Trace().WriteJSONL(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	kit := func(w *rpctest.World, d time.Duration) { w.Advance(d) }
	plain := func(w *rpctest.World, d time.Duration) { w.World.Advance(d) }
	first := record(7, kit)
	if !strings.Contains(first, "google.protobuf.Int32Value") {
		t.Fatal("nothing happened:", first)
	}
	if record(7, kit) != first || record(7, plain) != first {
		t.Error("two runs of seed 7 differ")
	}
	if record(8, kit) == first {
		t.Error("seed 8 is no other than seed 7")
	}
}

// clumsy panics over what it gets, in one of two ways.
type clumsy struct{}

func (clumsy) Receive(_ *rpcenv.Context, m rpcenv.Message) {
	if n := m.(*wrapperspb.Int32Value).GetValue(); n > 0 {
		panic("no good")
	}
	panic([]error{}[len(m.(*wrapperspb.Int32Value).String())])
}

func TestADropFailsATestThatWantsNone(t *testing.T) {
	got := failure(func(t testing.TB) {
		w := rpctest.New(t, 1)
		w.NoDrops()
		w.Probe("P").Send(rpcenv.Ref{}, wrapperspb.Int32(1))
		w.Settle()
	})
	if !strings.HasPrefix(got, "not delivered: ") || !strings.Contains(got, "Int32Value") {
		t.Errorf("%q", got)
	}
}

func TestAPanicFailsATestThatWantsNone(t *testing.T) {
	for n, want := range map[int32]string{
		0: "Server/Clumsy panicked over Int32Value: runtime error: index out of range [0] with length 0\n",
		1: "Server/Clumsy panicked over Int32Value: panic: no good\n",
	} {
		got := failure(func(t testing.TB) {
			w := rpctest.New(t, 1)
			w.NoPanic()
			p, ref := w.Probe("P"), w.Register(w.Env("Server", nil), "Clumsy", clumsy{})
			p.Send(ref, wrapperspb.Int32(n))
			w.Settle()
		})
		if got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
