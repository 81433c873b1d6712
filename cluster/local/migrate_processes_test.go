package local_test

import (
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/driver/allocation"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/rpcenv"
)

type movedArgs struct {
	Mark    string
	Records int
}

// markedSums leaves a byte in a file for each map task that runs, and sums up numbers behind a shuffle. The sums are kept.
var markedSums = rdd.Define("local test: marked sums", func(a movedArgs) rdd.Dataset[rdd.Pair[int64, int64]] {
	mark := a.Mark
	numbers := rdd.MapPartitions(rdd.Range(0, int64(a.Records), 8), func(in iter.Seq[int64]) iter.Seq[int64] {
		return func(yield func(int64) bool) {
			f, err := os.OpenFile(mark, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err != nil {
				panic(err)
			}
			_, _ = f.WriteString("x")
			_ = f.Close()
			in(yield)
		}
	})
	pairs := rdd.Map(numbers, func(n int64) rdd.Pair[int64, int64] { return rdd.PairOf(n%10_007, n) })
	return rdd.ReduceByKey(pairs, func(a, b int64) int64 { return a + b }, 4)
})

// A process that leaves hands its map outputs, which are files, to another one. The second job reads them there.
func TestAProcessThatLeavesHandsItsMapOutputsOver(t *testing.T) {
	dir := t.TempDir()
	c := local.Start(t, local.Config{Kind: local.Processes, Workers: 2, Conf: map[string]string{
		"spark.executor.memory": "512m", "spark.cores.max": "2", "spark.scheduler.minRegisteredResourcesRatio": "1",
		"spark.decommission.enabled": "true", "spark.storage.decommission.enabled": "true",
	}})
	ended, halfway := make(chan error, 1), make(chan func(), 1)
	var left []string
	c.Application("A", func(b *rpcenv.Blocking, a *app.App) error {
		job := markedSums.With(movedArgs{Mark: filepath.Join(dir, "0"), Records: 400_000})
		first, err := rdd.Collect(b.Context(), a, job)
		if err != nil {
			return err
		}
		env := b.Env()
		scheduler := env.Ref(env.Address(), driver.Name)
		went, err := rpcenv.AskWait(b, scheduler, allocation.DecommissionExecutors{IDs: []string{"0"}})
		if err != nil {
			return err
		}
		left = went.IDs
		if err := b.Wait(func(wake func()) {
			halfway <- wake
			c.Wake()
		}); err != nil {
			return err
		}
		second, err := rdd.Collect(b.Context(), a, job)
		if err == nil && (len(first) != 10_007 || fmt.Sprint(first) != fmt.Sprint(second)) {
			err = fmt.Errorf("%d sums, then %d, which differ", len(first), len(second))
		}
		return err
	}, func(err error) { ended <- err })
	if err := c.Run(func() bool { return len(halfway) > 0 || len(ended) > 0 }, time.Minute); err != nil {
		t.Fatal(err)
	}
	// The Master may start another executor at once, so that there are never fewer.
	gone := func() bool {
		return !slices.ContainsFunc(c.Executors(), func(r local.Running) bool { return r.ExecutorID == "0" })
	}
	if len(halfway) > 0 {
		if err := c.Run(gone, time.Minute); err != nil {
			t.Fatal("the executor that leaves does not end: ", err)
		}
		(<-halfway)()
	}
	if err := c.Run(func() bool { return len(ended) > 0 }, time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if len(left) != 1 || marks(dir, 0) != 8 {
		t.Errorf("executors %v left, and %d map tasks ran, want 8", left, marks(dir, 0))
	}
}
