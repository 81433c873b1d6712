package local_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/app"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/rpcenv"
)

type args struct{ N int64 }

// lastDigits counts numbers by their last digit: two stages.
var lastDigits = rdd.Define("local test: last digits", func(a args) rdd.Dataset[rdd.Pair[int64, int64]] {
	digits := rdd.Map(rdd.Range(0, a.N, 4), func(n int64) rdd.Pair[int64, int64] { return rdd.PairOf(n%10, int64(1)) })
	return rdd.ReduceByKey(digits, func(a, b int64) int64 { return a + b }, 3)
})

func TestAJobInEachWorld(t *testing.T) {
	for _, kind := range []local.Kind{local.Sim, local.InProcess, local.TCP} {
		t.Run(string(kind), func(t *testing.T) {
			c := local.Start(t, local.Config{Kind: kind, Seed: 1, Conf: map[string]string{"spark.executor.memory": "512m"}})
			var counts []rdd.Pair[int64, int64]
			ended := make(chan error, 1)
			c.Application("A", func(_ *rpcenv.Blocking, a *app.App) (err error) {
				counts, err = rdd.Collect(context.Background(), a, lastDigits.With(args{1000}))
				return err
			}, func(err error) { ended <- err })
			if err := c.Run(func() bool { return len(ended) > 0 }, time.Minute); err != nil {
				t.Fatal(err)
			}
			if err := <-ended; err != nil {
				t.Fatal(err)
			}
			slices.SortFunc(counts, func(a, b rdd.Pair[int64, int64]) int { return int(a.Key - b.Key) })
			if len(counts) != 10 || counts[3] != rdd.PairOf(int64(3), int64(100)) {
				t.Error(counts)
			}
		})
	}
}

func TestStartIsOverAtTheEndOfTheTest(t *testing.T) {
	var w local.World
	t.Run("inner", func(t *testing.T) { w = local.Start(t, local.Config{Kind: local.TCP}) })
	if err := w.Kill("Master"); !errors.Is(err, local.ErrNoSuchProcess) {
		t.Error("the Master outlived its test:", err)
	}
}

// BenchmarkThousandWorkers is 60 virtual seconds of 1,000 Workers with their heartbeats.
func BenchmarkThousandWorkers(b *testing.B) {
	for b.Loop() {
		c := local.Start(b, local.Config{Workers: 1000, Seed: 1})
		c.Simulated().Advance(time.Minute)
		if n := c.Recorder().Count(); n < 1000*(4+5)*2 {
			b.Fatalf("only %d records", n)
		}
	}
}
