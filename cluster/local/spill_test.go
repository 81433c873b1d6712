package local_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/rpcenv"
)

// shares adds numbers whose sum depends on their order and grouping.
var shares = rdd.Define("local test: shares", func(n int64) rdd.Dataset[rdd.Pair[int64, float64]] {
	pairs := rdd.Map(rdd.Range(1, n, 3), func(x int64) rdd.Pair[int64, float64] { return rdd.PairOf(x*x%997, 1/float64(x)) })
	return rdd.ReduceByKey(pairs, func(a, b float64) float64 { return a + b }, 2)
})

// Executors that spill all the time give the result of a program without a cluster, to the last bit and in its order.
func TestExecutorsThatSpillGiveTheSameResult(t *testing.T) {
	want, err := rdd.Collect(t.Context(), rdd.Local(nil), shares.With(20_000))
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []local.Kind{local.Sim, local.Processes} {
		t.Run(fmt.Sprint(kind), func(t *testing.T) {
			c := local.Start(t, local.Config{Kind: kind, Workers: 2, Conf: map[string]string{
				"spark.executor.memory": "512m", "spark.shuffle.spill.numElementsForceSpillThreshold": "20",
			}})
			var got []rdd.Pair[int64, float64]
			ended := make(chan error, 1)
			c.Application("A", func(_ *rpcenv.Blocking, a *app.App) (err error) {
				got, err = rdd.Collect(context.Background(), a, shares.With(20_000))
				return err
			}, func(err error) { ended <- err })
			if err := c.Run(func() bool { return len(ended) > 0 }, time.Minute); err != nil {
				t.Fatal(err)
			}
			if err := <-ended; err != nil || !slices.Equal(got, want) {
				t.Errorf("%v, want %v, %v", got, want, err)
			}
		})
	}
}
