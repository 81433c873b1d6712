package local_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/rpcenv"
)

var cutSums = rdd.Define("local test: cut sums", func(int) rdd.Dataset[rdd.Pair[int64, int64]] {
	pairs := rdd.Map(rdd.Range(0, 300, 3), func(x int64) rdd.Pair[int64, int64] { return rdd.PairOf(countMapped(x)%10, x) })
	sums := rdd.ReduceByKey(pairs, func(a, b int64) int64 { return a + b }, 3)
	return rdd.LocalCheckpoint(rdd.Map(sums, countWritten))
})

// wantCut wants the sums of cutSums, and how many records were mapped and reduced for them.
func wantCut(b *rpcenv.Blocking, a *app.App, mappedWant, reducedWant int64) error {
	return wantSumsOf(b, a, cutSums.With(0), mappedWant, reducedWant)
}

// The lineage of a LocalCheckpoint is cut when a job has ended well: the next ones compute nothing, and when an executor is lost they fail
// with Spark's words. Nothing is computed in place of what it had, until Unpersist.
func TestALocalCheckpointIsAsGoodAsItsExecutors(t *testing.T) {
	for seed := range uint64(8) {
		storing(t, seed, nil, func(c *local.Cluster, b *rpcenv.Blocking, a *app.App) error {
			if err := wantCut(b, a, 300, 10); err != nil {
				return fmt.Errorf("first: %w", err)
			}
			if err := wantCut(b, a, 0, 0); err != nil {
				return fmt.Errorf("second: %w", err)
			}
			if err := c.Kill(fmt.Sprintf("Exec%d", seed%3)); err != nil {
				return err
			}
			if seed%2 == 0 { // else the job finds out by itself
				if err := b.Sleep(time.Second); err != nil {
					return err
				}
			}
			err := wantCut(b, a, 0, 0)
			if err == nil || !strings.Contains(err.Error(), "failed 4 times") || !strings.Contains(err.Error(), "Checkpoint block rdd_4_") ||
				!strings.Contains(err.Error(), " not found! Either the executor that originally checkpointed this partition is no longer alive") {
				t.Errorf("seed %d: error %v", seed, err)
			}
			if m, w := mapped.Load(), written.Load(); m != 300 || w != 10 {
				t.Errorf("seed %d: %d records were mapped and %d reduced", seed, m, w)
			}
			if err := rdd.Unpersist(b.Context(), a, cutSums.With(0)); err != nil {
				return err
			}
			w := written.Load()
			if n, err := rdd.Count(b.Context(), a, cutSums.With(0)); err != nil || n != 10 || written.Load()-w != 10 {
				return fmt.Errorf("after Unpersist: %d sums of %d that were reduced, error %w", n, written.Load()-w, err)
			}
			return wantCut(b, a, 0, 0)
		})
	}
}

// A job that needs a part of the partitions has the others computed when it has ended, and what memory has no room for lies on disk.
func TestALocalCheckpointIsWholeAfterItsFirstJob(t *testing.T) {
	for _, fraction := range []string{"0.6", "0.00000001"} {
		storing(t, 1, map[string]string{"spark.memory.fraction": fraction}, func(c *local.Cluster, b *rpcenv.Blocking, a *app.App) error {
			if got, err := rdd.Take(b.Context(), a, cutSums.With(0), 1); err != nil || len(got) != 1 {
				return fmt.Errorf("%v, error %w", got, err)
			}
			if m, w := mapped.Load(), written.Load(); m != 300 || w != 10 {
				return fmt.Errorf("%d records were mapped and %d reduced, want all, once", m, w)
			}
			// Three map tasks, one of the action, and two for what it left.
			if n := len(launches(c)); n != 3+1+2 {
				return fmt.Errorf("%d tasks", n)
			}
			return wantCut(b, a, 0, 0)
		})
	}
}

// What a job that has failed left is no checkpoint: a lost partition is computed again.
func TestAJobThatFailsCutsNoLineage(t *testing.T) {
	defer writtenPanics.Store(0)
	storing(t, 1, map[string]string{"spark.task.maxFailures": "1"}, func(c *local.Cluster, b *rpcenv.Blocking, a *app.App) error {
		writtenPanics.Store(10)
		if err := wantCut(b, a, 300, 10); err == nil || !strings.Contains(err.Error(), "this record cannot be written") {
			t.Errorf("error %v", err)
		}
		for _, name := range []string{"Exec0", "Exec1", "Exec2"} {
			if err := c.Kill(name); err != nil {
				return err
			}
		}
		if err := b.Sleep(20 * time.Second); err != nil {
			return err
		}
		return wantCut(b, a, 300, 10)
	})
}
