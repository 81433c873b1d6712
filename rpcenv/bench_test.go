package rpcenv_test

import (
	"fmt"
	"sync"
	"testing"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace"
	"github.com/coherer/coherer/rpcenv/transport"
)

// bench is two Envs over TCP.
type bench struct {
	near, far *rpcenv.Env
}

func newBench(b *testing.B, recorded bool) bench {
	b.Helper()
	envs := make([]*rpcenv.Env, 2)
	for i := range envs {
		var rec *trace.Recorder
		if recorded {
			var err error
			if rec, err = trace.NewFileRecorder(fmt.Sprintf("%s/%d", b.TempDir(), i), 0); err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = rec.Close() })
		}
		h := transport.New(transport.Options{Recorder: rec})
		b.Cleanup(func() { _ = h.Close() })
		e, err := rpcenv.New(h, rpcenv.Config{Name: fmt.Sprint("E", i), Listen: rpcenv.Address{Host: "127.0.0.1"}})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(e.Close)
		envs[i] = e
	}
	return bench{envs[0], envs[1]}
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
	each(b, func(b *testing.B, from *rpcenv.Env, to *rpcenv.Env) {
		ep := &counter{want: b.N, done: make(chan struct{})}
		ref, err := to.Register("E", ep)
		if err != nil {
			b.Fatal(err)
		}
		m := text("a text of thirty-two characters!")
		sender := from.Blocking(b.Context())
		b.ResetTimer()
		for range b.N {
			if err := sender.Send(ref, m); err != nil {
				b.Fatal(err)
			}
		}
		<-ep.done
	})
}

// BenchmarkAsk asks from 16 goroutines at a time.
func BenchmarkAsk(b *testing.B) {
	each(b, func(b *testing.B, from *rpcenv.Env, to *rpcenv.Env) {
		ref, err := to.Register("E", &counter{})
		if err != nil {
			b.Fatal(err)
		}
		const askers = 16
		var wg sync.WaitGroup
		b.ResetTimer()
		for i := range askers {
			wg.Go(func() {
				asker := from.Blocking(b.Context())
				for n := i; n < b.N; n += askers {
					if r, err := rpcenv.AskWait(asker, ref, &rpc.CheckExistence{Name: "E"}); err != nil || !r.GetValue() {
						b.Error(r, err)
						return
					}
				}
			})
		}
		wg.Wait()
	})
}

func each(b *testing.B, run func(b *testing.B, from, to *rpcenv.Env)) {
	for _, recorded := range []bool{false, true} {
		for _, remote := range []bool{false, true} {
			b.Run(fmt.Sprintf("remote=%v/recorded=%v", remote, recorded), func(b *testing.B) {
				pair := newBench(b, recorded)
				from := pair.far
				if !remote {
					from = pair.near
				}
				b.ReportAllocs()
				run(b, from, pair.near)
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "msgs/s")
			})
		}
	}
}
