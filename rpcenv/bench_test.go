package rpcenv_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace/record"
	"github.com/coherer/coherer/rpcenv/transport"
)

// What a benchmark's processes trace.
const (
	traceNone   = "none"
	traceRing   = "ring"   // as a daemon without a trace directory
	traceRecord = "record" // as a process of a run
)

// newRecorder is a process's of a benchmark.
func newRecorder(tb testing.TB, kind string) *record.Recorder {
	tb.Helper()
	var rec *record.Recorder
	var err error
	switch kind {
	case traceRing:
		rec, err = record.NewRingRecorder()
	case traceRecord:
		rec, err = record.NewFileRecorder(filepath.Join(tb.TempDir(), "t.trace"), 0)
	}
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := rec.Close(); err != nil {
			tb.Error(err)
		}
	})
	return rec
}

// newBench is two Envs over TCP, as two processes have them.
func newBench(tb testing.TB, kind string) (near, far *rpcenv.Env) {
	tb.Helper()
	envs := make([]*rpcenv.Env, 2)
	for i := range envs {
		h := transport.New(transport.Options{Recorder: newRecorder(tb, kind)})
		tb.Cleanup(func() { _ = h.Close() })
		e, err := rpcenv.New(h, rpcenv.Config{Name: fmt.Sprint("E", i), Listen: rpcenv.Address{Host: "127.0.0.1"}})
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(e.Close)
		envs[i] = e
	}
	return envs[0], envs[1]
}

// counter counts texts and answers CheckExistence.
type counter struct {
	n, want int
	done    chan struct{}
}

func (e *counter) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *wrapperspb.StringValue:
		if e.n++; e.n == e.want {
			close(e.done)
		}
	case *rpc.CheckExistence:
		rpcenv.Reply(c, m, &rpc.Bool{Value: true})
	default:
		c.Unsupported(m)
	}
}

// BenchmarkTell sends messages to an endpoint until all are handled.
func BenchmarkTell(b *testing.B) {
	each(b, func(b *testing.B, from, to *rpcenv.Env) {
		ep := &counter{want: b.N, done: make(chan struct{})}
		ref, err := to.Register("E", ep)
		if err != nil {
			b.Fatal(err)
		}
		m := text("a text of thirty-two characters!")
		sender := from.Blocking(b.Context())
		defer sender.Close()
		b.ResetTimer()
		for range b.N {
			if err := sender.Send(ref, m); err != nil {
				b.Fatal(err)
			}
		}
		<-ep.done
	})
}

// BenchmarkAsk asks with 1 KiB, 64 asks at a time.
func BenchmarkAsk(b *testing.B) {
	each(b, func(b *testing.B, from, to *rpcenv.Env) {
		ref, err := to.Register("E", &counter{})
		if err != nil {
			b.Fatal(err)
		}
		b.ResetTimer()
		askAll(b, from, ref, b.N)
	})
}

// askAll asks n times, 64 at a time.
func askAll(tb testing.TB, from *rpcenv.Env, ref rpcenv.Ref, n int) {
	const askers = 64
	q := &rpc.CheckExistence{Name: strings.Repeat("x", 1<<10)}
	var wg sync.WaitGroup
	for i := range askers {
		wg.Go(func() {
			asker := from.Blocking(tb.Context())
			defer asker.Close()
			for k := i; k < n; k += askers {
				if r, err := rpcenv.AskWait(asker, ref, q); err != nil || !r.GetValue() {
					tb.Error(r, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func each(b *testing.B, run func(b *testing.B, from, to *rpcenv.Env)) {
	for _, remote := range []bool{false, true} {
		for _, kind := range []string{traceNone, traceRing, traceRecord} {
			b.Run(fmt.Sprintf("remote=%v/trace=%s", remote, kind), func(b *testing.B) {
				near, from := newBench(b, kind)
				if !remote {
					from = near
				}
				b.ReportAllocs()
				run(b, from, near)
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "msgs/s")
			})
		}
	}
}
