package rpcenv_test

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// sluggish waits for a time at each message, as for a disk: it holds up its own inbox, and takes no processor from others.
type sluggish struct {
	each    time.Duration
	handled atomic.Int64
}

func (e *sluggish) Receive(c *rpcenv.Context, m rpcenv.Message) {
	time.Sleep(e.each)
	e.handled.Add(1)
	if q, ok := m.(*wrapperspb.StringValue); ok {
		rpcenv.ReplyAs(c, m, q)
	}
}

// flood sends messages of a KiB to an endpoint from a body, which waits for room, until stop is called.
func flood(b *testing.B, from *rpcenv.Env, to rpcenv.Ref) (stop func() int) {
	b.Helper()
	var over atomic.Bool
	sent := 0
	job := from.Go("flood", func(b *rpcenv.Blocking) error {
		for !over.Load() {
			if err := b.Send(to, kib(sent)); err != nil {
				return err
			}
			sent++
		}
		return nil
	})
	return func() int {
		over.Store(true)
		<-job.Done()
		if err := job.Err(); err != nil {
			b.Error(err)
		}
		return sent
	}
}

// BenchmarkNeighbour asks an endpoint, one ask at a time, while other endpoints of the same connection get messages of a KiB
// faster than they handle them, and while they get none.
func BenchmarkNeighbour(b *testing.B) {
	for _, floods := range []int{0, 1, 10} {
		b.Run(fmt.Sprint("flooded=", floods), func(b *testing.B) {
			from, to := newBench(b, traceRing)
			ref, err := to.Register("E", &counter{})
			if err != nil {
				b.Fatal(err)
			}
			for i := range floods {
				slow, err := to.Register(fmt.Sprint("Slow", i), &sluggish{each: 100 * time.Microsecond})
				if err != nil {
					b.Fatal(err)
				}
				stop := flood(b, from, slow)
				defer stop()
			}
			asker := from.Blocking(b.Context())
			defer asker.Close()
			var took []time.Duration
			for b.Loop() {
				began := time.Now()
				if _, err := rpcenv.AskWait(asker, ref, &rpc.CheckExistence{Name: "x"}); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "us-p50")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "us-p99")
			b.ReportMetric(float64(took[len(took)-1].Microseconds()), "us-max")
		})
	}
}

// BenchmarkTooFast sends to an endpoint that takes 20 us and more for each message of a KiB, as fast as it goes, and says how much the heap of
// both processes grew at most. A window of 4 MiB is under way, and another one may wait.
func BenchmarkTooFast(b *testing.B) {
	for _, n := range []int{10_000, 20_000} {
		b.Run(fmt.Sprint("messages=", n), func(b *testing.B) {
			for b.Loop() {
				from, to := newBench(b, traceRing)
				ep := &sluggish{each: 20 * time.Microsecond}
				slow, err := to.Register("Slow", ep)
				if err != nil {
					b.Fatal(err)
				}
				before, most := heap(), uint64(0)
				sender := from.Blocking(b.Context())
				for i := range n {
					if err := sender.Send(slow, kib(i)); err != nil {
						b.Fatal(err)
					}
					if i%1000 == 0 {
						most = max(most, heap())
					}
				}
				sender.Close()
				b.ReportMetric(float64(most-min(most, before))/(1<<20), "MiB-heap")
			}
		})
	}
}
