package local_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/local"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
)

var shuffledSums = rdd.Define("local test: sums behind a shuffle", func(n int64) rdd.Dataset[rdd.Pair[int64, int64]] {
	pairs := rdd.Map(rdd.Range(0, n, 4), func(i int64) rdd.Pair[int64, int64] { return rdd.PairOf(i%7, i) })
	return rdd.ReduceByKey(pairs, func(a, b int64) int64 { return a + b }, 4)
})

// All executors, which are processes, are killed as by kill -9 between two jobs. Those that follow fetch the map outputs from the shuffle
// services of the Workers: each map task has run once.
func TestProcessesKeepTheirMapOutputsAtTheShuffleService(t *testing.T) {
	c := local.Start(t, local.Config{Kind: local.Processes, Workers: 2, Conf: map[string]string{
		"spark.executor.memory": "512m", "spark.scheduler.minRegisteredResourcesRatio": "1",
		"spark.shuffle.service.enabled": "true", "spark.shuffle.service.port": "0",
	}})
	var outputs, failed atomic.Int64
	defer c.Recorder().Watch(func(r *tracepb.Record) {
		switch {
		case r.GetKind() != tracepb.Kind_SENT:
		case strings.HasSuffix(r.GetType(), "RegisterMapOutput"):
			outputs.Add(1)
		case strings.HasSuffix(r.GetType(), "RemoveOutputsOnExecutor"):
			failed.Add(1)
		}
	})()
	between, killed, ended := make(chan bool, 1), make(chan bool), make(chan error, 1)
	c.Application("A", func(b *rpcenv.Blocking, a *app.App) error {
		var got [2]string
		for i := range got {
			sums, err := rdd.Collect(b.Context(), a, shuffledSums.With(1000))
			if err != nil {
				return err
			}
			got[i] = fmt.Sprint(sums)
			if i == 0 {
				between <- true
				c.Wake()
				<-killed
			}
		}
		if got[0] != got[1] || len(got[0]) < 50 {
			return fmt.Errorf("the jobs gave %s and %s", got[0], got[1])
		}
		return nil
	}, func(err error) { ended <- err })
	if err := c.Run(func() bool { return len(between) > 0 || len(ended) > 0 }, time.Minute); err != nil {
		t.Fatal(err)
	}
	before := c.Executors()
	if len(before) != 2 {
		t.Fatalf("%d executors run", len(before))
	}
	for _, x := range before {
		if err := c.Kill("Exec" + x.ExecutorID); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Run(func() bool { return len(c.Executors()) == 0 || c.Executors()[0].ExecutorID > "1" }, time.Minute); err != nil {
		t.Fatal(err)
	}
	close(killed)
	if err := c.Run(func() bool { return len(ended) > 0 }, time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if outputs.Load() != 4 || failed.Load() != 0 {
		t.Errorf("%d map outputs were registered, and the outputs of %d executors were given up", outputs.Load(), failed.Load())
	}
}
