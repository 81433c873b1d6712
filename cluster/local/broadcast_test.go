package local_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace"
)

type tableArgs struct {
	Table rdd.Broadcast[[]byte]
	Tasks int
}

// tableSums adds up a table that is broadcast, once in each task.
var tableSums = rdd.Define("local test: table sums", func(a tableArgs) rdd.Dataset[int64] {
	ones := rdd.Map(rdd.Range(0, int64(a.Tasks), a.Tasks), func(int64) int64 {
		sum := int64(0)
		for _, b := range a.Table.Value() {
			sum += int64(b)
		}
		return sum
	})
	return rdd.Sleep(ones, func(int64) time.Duration { return time.Millisecond })
})

// table is a number of bytes that cannot be compressed, and their sum.
func table(size int) (out []byte, sum int64) {
	random := rand.New(rand.NewPCG(1, 2))
	for range size {
		b := byte(random.Uint32())
		out, sum = append(out, b), sum+int64(b)
	}
	return out, sum
}

// sumTable runs tableSums with a task for each of some executors.
func sumTable(b *rpcenv.Blocking, a *app.App, size, tasks int) error {
	value, want := table(size)
	shared, err := rdd.NewBroadcast(b.Context(), a, value)
	if err != nil {
		return err
	}
	job := tableSums.With(tableArgs{shared, tasks})
	got, err := rdd.Collect(b.Context(), a, job)
	if err != nil {
		return err
	}
	for _, sum := range got {
		if sum != want {
			return fmt.Errorf("sums %v, want %d", got, want)
		}
	}
	if err := shared.Destroy(b.Context()); err != nil {
		return err
	}
	_, err = rdd.Collect(b.Context(), a, job)
	if _, destroyed := errors.AsType[*rdd.DestroyedError](err); !destroyed {
		return fmt.Errorf("after Destroy: %w", err)
	}
	return nil
}

// The driver sends about one copy of a value, however many executors read it at once: they have most pieces of each other.
func TestTheDriverSendsAboutOneCopyOfABroadcast(t *testing.T) {
	const size = 1 << 20
	for _, executors := range []int{1, 4, 16} {
		c := local.Start(t, local.Config{Workers: executors, Cores: 1, Seed: 1, Conf: map[string]string{
			"spark.executor.memory": "512m", "spark.cores.max": fmt.Sprint(executors), "spark.scheduler.minRegisteredResourcesRatio": "1",
			"spark.broadcast.blockSize": "16k",
		}})
		ended := make(chan error, 1)
		c.Application("A", func(b *rpcenv.Blocking, a *app.App) error { return sumTable(b, a, size, executors) }, func(err error) { ended <- err })
		if err := c.Run(func() bool { return len(ended) > 0 }, 10*time.Minute); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		driver, all := local.SentBlocks(c)
		t.Logf("%d executors: the driver sent %.2f copies of %.2f in all", executors, float64(driver)/size, float64(all)/size)
		if copies := float64(all) / size; copies < float64(executors) || copies > float64(executors)+0.2 {
			t.Errorf("%d executors read %.2f copies", executors, copies)
		}
		if copies := float64(driver) / size; copies < 1 || copies > 2 {
			t.Errorf("%d executors: the driver sent %.2f copies, want about one", executors, copies)
		}
	}
}

// Executors that are processes fetch the pieces over block ports, the driver's too.
func TestProcessesReadABroadcast(t *testing.T) {
	c := local.Start(t, local.Config{Kind: local.Processes, Workers: 2, Conf: map[string]string{
		"spark.executor.memory": "512m", "spark.scheduler.minRegisteredResourcesRatio": "1", "spark.broadcast.blockSize": "64k",
	}})
	ended := make(chan error, 1)
	c.Application("A", func(b *rpcenv.Blocking, a *app.App) error { return sumTable(b, a, 1<<20, 4) }, func(err error) { ended <- err })
	if err := c.Run(func() bool { return len(ended) > 0 }, time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

// Two runs of one seed choose the same pieces and holders.
func TestTwoRunsOfABroadcastAreEqual(t *testing.T) {
	run := func() string {
		c := threeExecutors(t, 7, map[string]string{"spark.broadcast.blockSize": "1k"}, func(_ *local.Cluster, b *rpcenv.Blocking, a *app.App) error {
			return sumTable(b, a, 20_000, 6)
		})
		var asked strings.Builder
		for _, e := range trace.Merge(c.Recorder().Records()).Entries {
			if e.Type == "GetLocationsAndStatus" || e.Type == "UpdateBlockInfo" {
				fmt.Fprintln(&asked, e.Sent, e.From, string(e.Body))
			}
		}
		return asked.String()
	}
	first, second := run(), run()
	if first != second || !strings.Contains(first, "broadcast_0_piece") {
		t.Errorf("the runs differ, or say nothing:\n%.2000s\n%.2000s", first, second)
	}
}
