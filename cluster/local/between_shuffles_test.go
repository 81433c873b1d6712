package local_test

import (
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/rpcenv"
)

const mapTasks = 6

type twoShufflesArgs struct {
	Dir  string
	Time time.Duration
}

// twoShuffles sums numbers up twice, with a shuffle before each sum. Each task of the two map stages leaves a byte in the stage's file; those
// of the second take some time.
var twoShuffles = rdd.Define("local test: two shuffles", func(a twoShufflesArgs) rdd.Dataset[rdd.Pair[int64, int64]] {
	numbers := rdd.Sleep(rdd.Range(0, 6000, mapTasks), func(n int64) time.Duration {
		if n%1000 == 0 { // one number a task, so that each executor gets some of the tasks
			return a.Time
		}
		return 0
	})
	byKey := rdd.Map(numbers, func(n int64) rdd.Pair[int64, int64] { return rdd.PairOf(n%600, n) })
	sums := rdd.ReduceByKey(leaveMark(byKey, a.Dir, 0), func(a, b int64) int64 { return a + b }, mapTasks)
	marked := rdd.Sleep(leaveMark(sums, a.Dir, 1), func(p rdd.Pair[int64, int64]) time.Duration {
		if p.Key < 12 { // two keys a task, about
			return a.Time
		}
		return 0
	})
	again := rdd.Map(marked, func(p rdd.Pair[int64, int64]) rdd.Pair[int64, int64] { return rdd.PairOf(p.Key%7, p.Value) })
	return rdd.ReduceByKey(again, func(a, b int64) int64 { return a + b }, 2)
})

// leaveMark leaves a byte in a stage's file when a task begins.
func leaveMark(d rdd.Dataset[rdd.Pair[int64, int64]], dir string, stage int) rdd.Dataset[rdd.Pair[int64, int64]] {
	name := filepath.Join(dir, fmt.Sprint(stage))
	return rdd.MapPartitions(d, func(in iter.Seq[rdd.Pair[int64, int64]]) iter.Seq[rdd.Pair[int64, int64]] {
		return func(yield func(rdd.Pair[int64, int64]) bool) {
			f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err != nil {
				panic(err)
			}
			_, _ = f.WriteString("x")
			_ = f.Close()
			in(yield)
		}
	})
}

// A Worker dies between the two map stages of a job, with its executor and the map outputs there. These are made again, and the result is
// right: as processes, and in simulations whose seeds choose the Worker and the moment.
func TestAWorkerDiesBetweenTwoShuffles(t *testing.T) {
	want, err := rdd.Collect(t.Context(), rdd.Local(nil), twoShuffles.With(twoShufflesArgs{Dir: t.TempDir()}))
	if err != nil {
		t.Fatal(err)
	}
	files, fetch := map[string]string{"spark.shuffle.readHostLocalDisk": "true"}, map[string]string{"spark.shuffle.readHostLocalDisk": "false"}
	// The Worker's shuffle service, which has the map outputs, dies with it. Tasks that fetch from it then try again: not for 15 seconds.
	service := map[string]string{
		"spark.shuffle.readHostLocalDisk": "false", "spark.shuffle.service.enabled": "true", "spark.shuffle.service.port": "0",
		"spark.shuffle.io.retryWait": "0",
	}
	t.Run("processes", func(t *testing.T) { dieBetweenShuffles(t, local.Processes, 0, fetch, want) })
	t.Run("processes read files", func(t *testing.T) { dieBetweenShuffles(t, local.Processes, 0, files, want) })
	t.Run("processes with a shuffle service", func(t *testing.T) { dieBetweenShuffles(t, local.Processes, 0, service, want) })
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { dieBetweenShuffles(t, local.Sim, seed, files, want) })
	}
}

func dieBetweenShuffles(t *testing.T, kind local.Kind, seed uint64, how map[string]string, want []rdd.Pair[int64, int64]) {
	dir := t.TempDir()
	settings := map[string]string{
		"spark.executor.memory": "512m", "spark.cores.max": "3", "spark.scheduler.minRegisteredResourcesRatio": "1",
	}
	maps.Copy(settings, how)
	c := local.Start(t, local.Config{Kind: kind, Seed: seed, Workers: 3, Conf: settings})
	var got []rdd.Pair[int64, int64]
	ended := make(chan error, 1)
	c.Application("A", func(b *rpcenv.Blocking, a *app.App) (err error) {
		got, err = rdd.Collect(b.Context(), a, twoShuffles.With(twoShufflesArgs{dir, 300 * time.Millisecond}))
		return err
	}, func(err error) { ended <- err })
	// A task of the second map stage begins when all of the first have ended.
	if err := c.Run(func() bool { return marks(dir, 1) > 0 || len(ended) > 0 }, time.Minute); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(seed, 3))
	if w := c.Simulated(); w != nil {
		w.Advance(time.Duration(r.Int64N(int64(250 * time.Millisecond))))
	}
	if err := c.Kill(fmt.Sprintf("Worker%d", 1+r.IntN(3))); err != nil {
		t.Fatal(err)
	}
	if err := c.Run(func() bool { return len(ended) > 0 }, 2*time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil || !slices.Equal(sorted(got), sorted(want)) {
		t.Errorf("%v, want %v, %v", got, want, err)
	}
	// The processes are on one host, where the files of a Worker outlive kill -9. Tasks know their places, as all tasks of a set have the
	// epoch in which it was made, and those that read files meet no failure.
	stage := 0
	if kind == local.Processes && how["spark.shuffle.readHostLocalDisk"] == "true" {
		stage = 1
	}
	if n := marks(dir, stage); n <= mapTasks {
		t.Errorf("%d tasks of map stage %d ran: none ran again", n, stage)
	}
}

func sorted(pairs []rdd.Pair[int64, int64]) []rdd.Pair[int64, int64] {
	return slices.SortedFunc(slices.Values(pairs), func(a, b rdd.Pair[int64, int64]) int { return int(a.Key - b.Key) })
}
