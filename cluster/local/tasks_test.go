package local_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/rpcenv"
)

var emptyTasks = rdd.Define("local test: empty tasks", func(n int) rdd.Dataset[int64] {
	return rdd.Filter(rdd.Range(0, int64(n), n), func(int64) bool { return false })
})

// count runs a job of n empty tasks and returns how long it took and how many bytes were allocated meanwhile.
func count(body *rpcenv.Blocking, a *app.App, n int) (took time.Duration, bytes uint64, err error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	_, err = rdd.Count(body.Context(), a, emptyTasks.With(n))
	took = time.Since(began)
	runtime.ReadMemStats(&after)
	return took, after.TotalAlloc - before.TotalAlloc, err
}

// emptyJobs runs jobs of empty tasks one after the other in a cluster of their own. The first waits for the executors.
func emptyJobs(tb testing.TB, kind local.Kind, jobs func(*rpcenv.Blocking, *app.App) error) {
	c := local.Start(tb, local.Config{Kind: kind, Conf: map[string]string{"spark.executor.memory": "512m"}})
	ended := make(chan error, 1)
	c.Application("A", func(b *rpcenv.Blocking, a *app.App) error {
		if _, _, err := count(b, a, 8); err != nil {
			return err
		}
		return jobs(b, a)
	}, func(err error) { ended <- err })
	if err := c.Run(func() bool { return len(ended) > 0 }, 10*time.Minute); err != nil {
		tb.Fatal(err)
	}
	if err := <-ended; err != nil {
		tb.Fatal(err)
	}
}

// A task of a large job costs what one of a small job does: nothing is made anew for each task that grows with the job. Without
// that the second figure is half as much again as the first, or more.
func TestATaskOfALargeJobCostsNoMore(t *testing.T) {
	emptyJobs(t, local.Sim, func(b *rpcenv.Blocking, a *app.App) error {
		_, small, err := count(b, a, 4_000)
		if err != nil {
			return err
		}
		_, large, err := count(b, a, 8_000)
		if float64(large)/8_000 > 1.1*float64(small)/4_000 {
			t.Errorf("%d bytes for each of 4,000 tasks, %d for each of 8,000", small/4_000, large/8_000)
		}
		return err
	})
}

// BenchmarkTasks is a job of empty tasks. The time of a task must not depend on how many the job has.
func BenchmarkTasks(b *testing.B) {
	for _, kind := range []local.Kind{local.Sim, local.InProcess, local.TCP} {
		for _, n := range []int{25_000, 50_000, 100_000, 200_000} {
			b.Run(fmt.Sprintf("world=%s/tasks=%d", kind, n), func(b *testing.B) {
				var spent time.Duration
				for b.Loop() {
					emptyJobs(b, kind, func(body *rpcenv.Blocking, a *app.App) error {
						took, _, err := count(body, a, n)
						spent += took
						return err
					})
				}
				b.ReportMetric(float64(b.N*n)/spent.Seconds(), "tasks/s")
			})
		}
	}
}
