package local_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace"
)

// mapped counts the records that the executors of a test have computed; they are in its process. Tests that use it do not run at once.
var mapped atomic.Int64

func countMapped(x int64) int64 {
	mapped.Add(1)
	return x
}

type cacheArgs struct {
	Level rdd.StorageLevel
	Salt  int64
}

var (
	cachedNumbers = rdd.Define("local test: cached numbers", func(a cacheArgs) rdd.Dataset[int64] {
		salt := a.Salt
		return rdd.Persist(rdd.Map(rdd.Range(0, 300, 3), func(x int64) int64 { return countMapped(x) + salt }), a.Level)
	})
	// cachedSums persists what a shuffle gives.
	cachedSums = rdd.Define("local test: cached sums", func(a cacheArgs) rdd.Dataset[rdd.Pair[int64, int64]] {
		pairs := rdd.Map(rdd.Range(0, 300, 3), func(x int64) rdd.Pair[int64, int64] { return rdd.PairOf(countMapped(x)%10, x) })
		return rdd.Persist(rdd.ReduceByKey(pairs, func(a, b int64) int64 { return a + b }, 3), a.Level)
	})
	onSums = rdd.Define("local test: on sums", func(of rdd.Bound[rdd.Pair[int64, int64]]) rdd.Dataset[int64] {
		return rdd.Map(rdd.From(of), func(p rdd.Pair[int64, int64]) int64 { return p.Value })
	})
)

// threeExecutors runs a program on executors of one core each, all of which are there before its first job.
func threeExecutors(t *testing.T, seed uint64, conf map[string]string, program func(*local.Cluster, *rpcenv.Blocking, *app.App) error) *local.Cluster {
	t.Helper()
	settings := map[string]string{
		"spark.executor.memory": "512m", "spark.cores.max": "3", "spark.scheduler.minRegisteredResourcesRatio": "1",
	}
	maps.Copy(settings, conf)
	c := local.Start(t, local.Config{Workers: 3, Cores: 1, Seed: seed, Conf: settings})
	ended := make(chan error, 1)
	c.Application("A", func(b *rpcenv.Blocking, a *app.App) error { return program(c, b, a) }, func(err error) { ended <- err })
	if err := c.Run(func() bool { return len(ended) > 0 }, 10*time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	return c
}

// sums collects in order and wants the sums of cachedSums; it returns how many records were computed for it.
func sums(ctx context.Context, a rdd.Runner, of cacheArgs) (int64, error) {
	before := mapped.Load()
	got, err := rdd.Collect(ctx, a, onSums.With(cachedSums.With(of)))
	slices.Sort(got)
	want := make([]int64, 10)
	for x := range int64(300) {
		want[x%10] += x
	}
	if err == nil && !slices.Equal(got, want) {
		err = fmt.Errorf("sums %v, want %v", got, want)
	}
	return mapped.Load() - before, err
}

func launches(c *local.Cluster) (out []string) {
	for _, e := range trace.Merge(c.Recorder().Records()).Entries {
		if e.Type == "LaunchTask" {
			out = append(out, e.To)
		}
	}
	return out
}

// Each partition is read by the executor that keeps it, as long as that is free soon enough: PROCESS_LOCAL.
func TestTasksGoWhereTheirPartitionsAreCached(t *testing.T) {
	for _, level := range []rdd.StorageLevel{rdd.MemoryOnly, rdd.DiskOnly} {
		mapped.Store(0)
		c := threeExecutors(t, 1, map[string]string{"spark.locality.wait": "1h"}, func(_ *local.Cluster, b *rpcenv.Blocking, a *app.App) error {
			for range 3 {
				if n, err := rdd.Count(b.Context(), a, cachedNumbers.With(cacheArgs{Level: level})); err != nil || n != 300 {
					return fmt.Errorf("%d records, error %w", n, err)
				}
			}
			return nil
		})
		if n := mapped.Load(); n != 300 {
			t.Errorf("%s: %d records were computed, want 300", level, n)
		}
		at := launches(c)
		if len(at) != 9 {
			t.Fatalf("%s: tasks at %q", level, at)
		}
		slices.Sort(at)
		if at[0] != at[2] || at[3] != at[5] || at[6] != at[8] || at[2] == at[3] || at[5] == at[6] {
			t.Errorf("%s: tasks at %q, want three at each executor", level, at)
		}
	}
}

// An executor that has no free core lets others read what it keeps.
func TestACachedPartitionIsReadFromAnotherExecutor(t *testing.T) {
	mapped.Store(0)
	c := threeExecutors(t, 1, nil, func(c *local.Cluster, b *rpcenv.Blocking, a *app.App) error {
		// One to each executor: all three were free.
		if _, err := rdd.Count(b.Context(), a, cachedNumbers.With(cacheArgs{Level: rdd.MemoryOnly})); err != nil {
			return err
		}
		n, err := rdd.Count(b.Context(), a, thrice.With(cachedNumbers.With(cacheArgs{Level: rdd.MemoryOnly})))
		if err != nil || n != 900 {
			return fmt.Errorf("%d records, error %w", n, err)
		}
		return nil
	})
	if n := mapped.Load(); n != 300 {
		t.Errorf("%d records were computed, want 300", n)
	}
	if at := launches(c); len(at) != 4 || at[0] == at[1] || at[1] == at[2] {
		t.Errorf("tasks at %q", at)
	}
}

// thrice reads each partition three times in one job, one after the other in one task.
var thrice = rdd.Define("local test: thrice", func(of rdd.Bound[int64]) rdd.Dataset[int64] {
	return rdd.Coalesce(rdd.Union(rdd.From(of), rdd.From(of), rdd.From(of)), 1)
})

// What an executor kept is computed again when it is gone, with the map outputs that it needs, and the answers are right.
func TestACachedPartitionIsComputedAgainWhenItsExecutorIsGone(t *testing.T) {
	for seed := range uint64(8) {
		mapped.Store(0)
		threeExecutors(t, seed, nil, func(c *local.Cluster, b *rpcenv.Blocking, a *app.App) error {
			of := cacheArgs{Level: rdd.MemoryAndDisk}
			if n, err := sums(b.Context(), a, of); err != nil || n != 300 {
				return fmt.Errorf("first: %d computed, error %w", n, err)
			}
			if n, err := sums(b.Context(), a, of); err != nil || n != 0 {
				return fmt.Errorf("second: %d computed, error %w", n, err)
			}
			if err := c.Kill(fmt.Sprintf("Exec%d", seed%3)); err != nil {
				return err
			}
			if seed%2 == 0 { // else the job finds out by itself
				if err := b.Sleep(time.Second); err != nil {
					return err
				}
			}
			if n, err := sums(b.Context(), a, of); err != nil || n == 0 {
				return fmt.Errorf("third: %d computed, error %w", n, err)
			}
			if n, err := sums(b.Context(), a, of); err != nil || n != 0 {
				return fmt.Errorf("fourth: %d computed, error %w", n, err)
			}
			return rdd.Unpersist(b.Context(), a, cachedSums.With(of))
		})
	}
}

// Memory that does not suffice makes some partitions be computed again, and the answers stay right.
func TestACacheLargerThanMemory(t *testing.T) {
	for level, again := range map[rdd.StorageLevel]bool{rdd.MemoryOnly: true, rdd.MemoryAndDisk: false} {
		mapped.Store(0)
		threeExecutors(t, 1, map[string]string{"spark.memory.fraction": "0.000001"}, func(_ *local.Cluster, b *rpcenv.Blocking, a *app.App) error {
			for range 2 {
				if n, err := rdd.Count(b.Context(), a, cachedNumbers.With(cacheArgs{Level: level, Salt: 1 << 40})); err != nil || n != 300 {
					return fmt.Errorf("%d records, error %w", n, err)
				}
			}
			return nil
		})
		if n := mapped.Load(); (n > 300) != again {
			t.Errorf("%s: %d records were computed", level, n)
		}
	}
}

// With two replicas nothing is computed again when one executor is gone, and its replicas are made anew.
func TestReplicasSurviveAnExecutor(t *testing.T) {
	mapped.Store(0)
	threeExecutors(t, 1, nil, func(c *local.Cluster, b *rpcenv.Blocking, a *app.App) error {
		of := cachedNumbers.With(cacheArgs{Level: rdd.MemoryOnly2})
		for _, kill := range []string{"Exec0", "Exec1", ""} {
			if n, err := rdd.Count(b.Context(), a, of); err != nil || n != 300 {
				return fmt.Errorf("%d records, error %w", n, err)
			}
			if err := b.Sleep(time.Second); err != nil { // copies are made
				return err
			}
			if kill == "" {
				break
			}
			if err := c.Kill(kill); err != nil {
				return err
			}
			if err := b.Sleep(10 * time.Second); err != nil {
				return err
			}
		}
		return nil
	})
	if n := mapped.Load(); n != 300 {
		t.Errorf("%d records were computed, want 300", n)
	}
}
