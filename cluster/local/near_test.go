package local_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace"
)

var oneMap = rdd.Define("local test: one map task, three reducers", func(int) rdd.Dataset[rdd.Pair[int64, int64]] {
	pairs := rdd.Map(rdd.Range(0, 99, 1), func(n int64) rdd.Pair[int64, int64] { return rdd.PairOf(n, n) })
	return rdd.ReduceByKey(pairs, func(a, b int64) int64 { return a + b }, 3)
})

// The host of a map output is that by which its executor registered, so reducers go where their data are; if they need not, each of three
// executors gets one.
func TestReducersRunWhereTheirDataAre(t *testing.T) {
	for near, hosts := range map[bool]int{true: 1, false: 3} {
		c := local.Start(t, local.Config{Workers: 3, Cores: 1, Seed: 1, Conf: map[string]string{
			"spark.shuffle.reduceLocality.enabled": fmt.Sprint(near), "spark.locality.wait": "1h", "spark.executor.memory": "512m",
			"spark.cores.max": "3", "spark.scheduler.minRegisteredResourcesRatio": "1",
		}})
		ended := make(chan error, 1)
		c.Application("A", func(b *rpcenv.Blocking, a *app.App) error {
			n, err := rdd.Count(b.Context(), a, oneMap.With(0))
			if n != 99 {
				t.Errorf("the job counted %d of 99", n)
			}
			return err
		}, func(err error) { ended <- err })
		if err := c.Run(func() bool { return len(ended) > 0 }, 10*time.Minute); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		var launches []string
		for _, e := range trace.Merge(c.Recorder().Records()).Entries {
			if e.Type == "LaunchTask" {
				launches = append(launches, e.To)
			}
		}
		if len(launches) != 4 {
			t.Fatalf("launches %q", launches)
		}
		reducers := map[string]bool{}
		for _, to := range launches[1:] {
			reducers[to] = true
		}
		if len(reducers) != hosts || near && !reducers[launches[0]] {
			t.Errorf("spark.shuffle.reduceLocality.enabled=%v: the map task ran at %s, the reducers at %q", near, launches[0], launches[1:])
		}
	}
}
