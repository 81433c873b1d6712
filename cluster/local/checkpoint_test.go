package local_test

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/rpcenv"
)

// written counts the records of stored sums that were computed; the one of that number panics, unless it is 0.
var written, writtenPanics atomic.Int64

func countWritten(p rdd.Pair[int64, int64]) rdd.Pair[int64, int64] {
	if written.Add(1) == writtenPanics.Load() {
		panic("this record cannot be written")
	}
	return p
}

var storedSums = rdd.Define("local test: stored sums", func(int) rdd.Dataset[rdd.Pair[int64, int64]] {
	pairs := rdd.Map(rdd.Range(0, 300, 3), func(x int64) rdd.Pair[int64, int64] { return rdd.PairOf(countMapped(x)%10, x) })
	sums := rdd.Map(rdd.ReduceByKey(pairs, func(a, b int64) int64 { return a + b }, 3), countWritten)
	return rdd.Checkpoint(sums)
})

// storing runs a program with spark.checkpoint.dir, on three executors of one core.
func storing(t *testing.T, seed uint64, conf map[string]string, program func(*local.Cluster, *rpcenv.Blocking, *app.App) error) *local.Cluster {
	t.Helper()
	mapped.Store(0)
	written.Store(0)
	if conf == nil {
		conf = map[string]string{}
	}
	if _, set := conf["spark.checkpoint.dir"]; !set {
		conf["spark.checkpoint.dir"] = "/checkpoints"
	}
	return threeExecutors(t, seed, conf, program)
}

// wantSums wants the sums of storedSums, and how many records were mapped and written for them.
func wantSums(b *rpcenv.Blocking, a *app.App, mappedWant, writtenWant int64) error {
	return wantSumsOf(b, a, storedSums.With(0), mappedWant, writtenWant)
}

func wantSumsOf(b *rpcenv.Blocking, a *app.App, of rdd.Bound[rdd.Pair[int64, int64]], mappedWant, writtenWant int64) error {
	m, w := mapped.Load(), written.Load()
	got, err := rdd.Collect(b.Context(), a, onSums.With(of))
	if err != nil {
		return err
	}
	slices.Sort(got)
	want := make([]int64, 10)
	for x := range int64(300) {
		want[x%10] += x
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("sums %v, want %v", got, want)
	}
	if m, w = mapped.Load()-m, written.Load()-w; m != mappedWant || w != writtenWant {
		return fmt.Errorf("%d records were mapped and %d written, want %d and %d", m, w, mappedWant, writtenWant)
	}
	return nil
}

// wantStored wants the parts of one checkpoint and nothing else, and returns its folder.
func wantStored(c *local.Cluster, dir string) (string, error) {
	all := tree(c.Files(), dir)
	if len(all) != 6 {
		return "", fmt.Errorf("there is %q", all)
	}
	folder := all[1]
	want := []string{path.Dir(folder), folder, folder + "/_SUCCESS", folder + "/part-00000", folder + "/part-00001", folder + "/part-00002"}
	if !slices.Equal(all, want) || path.Base(folder) != "rdd-4" || len(path.Base(path.Dir(folder))) != 36 {
		return "", fmt.Errorf("there is %q, want %q", all, want)
	}
	return folder, nil
}

// A second job writes the files; then all executors die with their map outputs, and jobs read the files: no task maps or reduces. Two
// runs of one seed are equal.
func TestACheckpointOutlivesTheExecutors(t *testing.T) {
	var runs [2][]string
	for i := range runs {
		c := storing(t, 3, nil, func(c *local.Cluster, b *rpcenv.Blocking, a *app.App) error {
			if err := wantSums(b, a, 300, 20); err != nil { // the reducers' records twice: for the action, and for the files
				return fmt.Errorf("first job: %w", err)
			}
			folder, err := wantStored(c, "/checkpoints")
			if err != nil {
				return err
			}
			runs[i] = append(runs[i], folder)
			for _, name := range []string{"Exec0", "Exec1", "Exec2"} {
				c.Simulated().Find(name).Kill()
			}
			if err := b.Sleep(20 * time.Second); err != nil {
				return err
			}
			for range 2 {
				if err := wantSums(b, a, 0, 0); err != nil {
					return fmt.Errorf("a job after the executors' death: %w", err)
				}
			}
			return nil
		})
		runs[i] = append(runs[i], launches(c)...)
	}
	if !slices.Equal(runs[0], runs[1]) {
		t.Errorf("two runs differ:\n%q\n%q", runs[0], runs[1])
	}
	// 3 map tasks, 3 of the action, 3 that write; two jobs of 3.
	if len(runs[0]) != 1+15 {
		t.Errorf("%d tasks: %q", len(runs[0])-1, runs[0])
	}
}

// What it was made of is not computed in place of a file that is gone.
func TestAJobFailsWithoutAFileOfItsCheckpoint(t *testing.T) {
	storing(t, 1, nil, func(c *local.Cluster, b *rpcenv.Blocking, a *app.App) error {
		if err := wantSums(b, a, 300, 20); err != nil {
			return err
		}
		folder, err := wantStored(c, "/checkpoints")
		if err != nil {
			return err
		}
		if err := c.Files().RemoveAll(folder + "/part-00001"); err != nil {
			return err
		}
		err = wantSums(b, a, 0, 0)
		if err == nil || !strings.Contains(err.Error(), "failed 4 times") || !strings.Contains(err.Error(), "File "+folder+"/part-00001 does not exist") {
			t.Errorf("error %v", err)
		}
		if m, w := mapped.Load(), written.Load(); m != 300 || w != 20 {
			t.Errorf("%d mapped and %d written", m, w)
		}
		return nil
	})
}

// An attempt that fails while it writes leaves nothing, and the next one writes its part.
func TestATaskThatWritesACheckpointIsTriedAgain(t *testing.T) {
	writtenPanics.Store(12) // of the second job
	defer writtenPanics.Store(0)
	storing(t, 1, nil, func(c *local.Cluster, b *rpcenv.Blocking, a *app.App) error {
		if _, err := rdd.Count(b.Context(), a, storedSums.With(0)); err != nil {
			return err
		}
		if n := written.Load(); n <= 20 {
			t.Errorf("%d records were computed: no attempt has failed", n)
		}
		if _, err := wantStored(c, "/checkpoints"); err != nil {
			return err
		}
		return wantSums(b, a, 0, 0)
	})
}

// The action fails with a checkpoint that cannot be written. It leaves nothing, and the next action writes it.
func TestACheckpointThatFailsIsWrittenByTheNextAction(t *testing.T) {
	writtenPanics.Store(12)
	defer writtenPanics.Store(0)
	storing(t, 1, map[string]string{"spark.task.maxFailures": "1"}, func(c *local.Cluster, b *rpcenv.Blocking, a *app.App) error {
		err := wantSums(b, a, 0, 0)
		if err == nil || !strings.Contains(err.Error(), "this record cannot be written") {
			t.Errorf("error %v", err)
		}
		for _, name := range tree(c.Files(), "/checkpoints") {
			if strings.Contains(name, "part") {
				t.Errorf("%s is left", name)
			}
		}
		if err := b.Sleep(5 * time.Second); err != nil { // what still ran of the second job is over
			return err
		}
		if err := wantSums(b, a, 0, 20); err != nil {
			return err
		}
		if _, err := wantStored(c, "/checkpoints"); err != nil {
			return err
		}
		return wantSums(b, a, 0, 0)
	})
}

func TestACheckpointNeedsAFolder(t *testing.T) {
	mapped.Store(0)
	threeExecutors(t, 1, nil, func(_ *local.Cluster, b *rpcenv.Blocking, a *app.App) error {
		_, err := rdd.Count(b.Context(), a, storedSums.With(0))
		if err == nil || !strings.Contains(err.Error(), "Checkpoint directory has not been set in the SparkContext") || mapped.Load() != 0 {
			t.Errorf("error %v after %d records", err, mapped.Load())
		}
		return nil
	})
}

// spark.cleaner.referenceTracking.cleanCheckpoints removes the application's folder at its end, and leaves the others.
func TestCheckpointsAreCleaned(t *testing.T) {
	for _, clean := range []string{"true", "false"} {
		c := storing(t, 1, map[string]string{"spark.cleaner.referenceTracking.cleanCheckpoints": clean},
			func(c *local.Cluster, b *rpcenv.Blocking, a *app.App) error {
				if err := wantSums(b, a, 300, 20); err != nil {
					return err
				}
				_, err := wantStored(c, "/checkpoints")
				return err
			})
		c.Simulated().Advance(time.Minute)
		if left := tree(c.Files(), "/checkpoints"); (len(left) == 0) != (clean == "true") {
			t.Errorf("cleaned %s: there is %q", clean, left)
		}
	}
}

// Two actions at once have one checkpoint written.
func TestTwoJobsWriteACheckpointOnce(t *testing.T) {
	storing(t, 1, nil, func(c *local.Cluster, b *rpcenv.Blocking, a *app.App) error {
		var others [2]error
		for i := range others {
			b.Env().Go("action", func(b *rpcenv.Blocking) error {
				_, others[i] = rdd.Count(b.Context(), a.In(b), onSums.With(storedSums.With(0)))
				return nil
			})
		}
		if err := b.Sleep(time.Minute); err != nil {
			return err
		}
		if err := errors.Join(others[:]...); err != nil {
			return err
		}
		if _, err := wantStored(c, "/checkpoints"); err != nil {
			return err
		}
		return wantSums(b, a, 0, 0)
	})
}

var storedMarks = rdd.Define("local test: stored marks", func(a markedArgs) rdd.Dataset[int64] {
	return rdd.Checkpoint(rdd.From(markedLines.With(a)))
})
