//go:build unix

package rpcenv_test

import (
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/coherer/coherer/rpcenv"
)

// cpuTime is what the process has used so far. On a machine that others use too it says more than the clock on the wall.
func cpuTime(tb testing.TB) time.Duration {
	tb.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkTraceCost says what the ring and recording cost, in processor time of all threads, as medians over many short
// rounds: each compares none, ring and record with each other at once, and begins with another of them. An iteration is a
// round; some dozens give a figure.
func BenchmarkTraceCost(b *testing.B) {
	kinds := []string{traceNone, traceRing, traceRecord}
	tell := func(tb testing.TB, from, to *rpcenv.Env, n int) {
		ep := &counter{want: n, done: make(chan struct{})}
		ref, err := to.Register("E", ep)
		if err != nil {
			tb.Fatal(err)
		}
		sender := from.Blocking(tb.Context())
		defer sender.Close()
		m := text("a text of thirty-two characters!")
		for range n {
			if err := sender.Send(ref, m); err != nil {
				tb.Fatal(err)
			}
		}
		<-ep.done
		to.Stop("E")
	}
	ask := func(tb testing.TB, from, to *rpcenv.Env, n int) {
		ref, err := to.Register("E", &counter{})
		if err != nil {
			tb.Fatal(err)
		}
		askAll(tb, from, ref, n)
		to.Stop("E")
	}
	for _, c := range []struct {
		name   string
		n      int
		remote bool
		run    func(tb testing.TB, from, to *rpcenv.Env, n int)
	}{
		{"tell/local", 20_000, false, tell},
		{"ask/remote/size=1KiB/in-flight=64", 10_000, true, ask},
	} {
		b.Run(c.name, func(b *testing.B) {
			var pairs [][2]*rpcenv.Env
			for _, kind := range kinds {
				near, far := newBench(b, kind)
				if !c.remote {
					far = near
				}
				pairs = append(pairs, [2]*rpcenv.Env{far, near})
				c.run(b, far, near, 3*c.n) // connections, pools, pages
			}
			costs := make([][]float64, len(kinds))
			for round := 0; b.Loop(); round++ {
				for k := range pairs {
					k = (k + round) % len(pairs)
					before := cpuTime(b)
					c.run(b, pairs[k][0], pairs[k][1], c.n)
					costs[k] = append(costs[k], float64(cpuTime(b)-before)/float64(c.n))
				}
			}
			// Each round is compared with itself: what else runs changes from one to the next.
			for i, kind := range kinds[1:] {
				extra := make([]float64, len(costs[0]))
				for k := range extra {
					extra[k] = costs[i+1][k] - costs[0][k]
				}
				b.ReportMetric(median(extra), "ns-"+kind)
				b.ReportMetric(100*median(extra)/median(costs[0]), "%-"+kind)
			}
			b.ReportMetric(median(costs[0]), "ns-none")
		})
	}
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return x[len(x)/2]
}
