package local_test

import (
	"slices"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/rpcenv"
)

// BenchmarkJob is jobs of one empty task, one after the other: how long the program waits for each.
func BenchmarkJob(b *testing.B) {
	for _, kind := range []local.Kind{local.InProcess, local.TCP, local.Processes} {
		b.Run("world="+string(kind), func(b *testing.B) {
			var took []time.Duration
			emptyJobs(b, kind, func(body *rpcenv.Blocking, a *app.App) error {
				for b.Loop() {
					spent, _, err := count(body, a, 1)
					if err != nil {
						return err
					}
					took = append(took, spent)
				}
				return nil
			})
			slices.Sort(took)
			for name, share := range map[string]float64{"ms-p50": 0.5, "ms-p99": 0.99} {
				b.ReportMetric(float64(took[int(share*float64(len(took)-1))])/1e6, name)
			}
		})
	}
}

// slowTasks has n tasks of a minute.
var slowTasks = rdd.Define("local test: slow tasks", func(n int) rdd.Dataset[int64] {
	return rdd.Sleep(rdd.Range(0, int64(n), n), func(int64) time.Duration { return time.Minute })
})

// BenchmarkDynamicAllocation is an application of a simulation that begins without executors, gets 1,000 for its 2,000 tasks of a minute,
// and gives them back when they are idle. s-all is how many virtual seconds pass until the last task has ended.
func BenchmarkDynamicAllocation(b *testing.B) {
	const executors = 1000
	for b.Loop() {
		c := local.Start(b, local.Config{Workers: 100, Cores: executors / 100, MemoryMB: 16 << 10, Seed: 1, Conf: map[string]string{
			"spark.dynamicAllocation.enabled": "true", "spark.executor.cores": "1", "spark.dynamicAllocation.executorIdleTimeout": "10s",
		}})
		var virtual time.Duration
		ended := make(chan error, 1)
		c.Application("A", func(body *rpcenv.Blocking, a *app.App) error {
			began := c.Simulated().Now()
			if n, err := rdd.Count(body.Context(), a, slowTasks.With(2*executors)); err != nil || n != 2*executors {
				return err
			}
			virtual = c.Simulated().Now().Sub(began)
			return a.Pause(body.Context(), time.Minute)
		}, func(err error) { ended <- err })
		if err := c.Run(func() bool { return len(ended) > 0 }, time.Hour); err != nil {
			b.Fatal(err)
		}
		if err := <-ended; err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(virtual.Seconds(), "s-all")
	}
}
