package local_test

import (
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/rpcenv"
)

type markedArgs struct {
	Path, Mark string
	Level      rdd.StorageLevel
}

// markedLines leaves a byte in a file for each partition that it computes: the executors are other processes.
var markedLines = rdd.Define("local test: marked lines", func(a markedArgs) rdd.Dataset[int64] {
	mark := a.Mark
	fields := rdd.Map(rdd.TextFile(a.Path, 4), func(line string) int64 {
		n := int64(0)
		for f := range strings.FieldsSeq(line) {
			n += int64(len(f))
		}
		return n
	})
	return rdd.Persist(rdd.MapPartitions(fields, func(in iter.Seq[int64]) iter.Seq[int64] {
		return func(yield func(int64) bool) {
			f, err := os.OpenFile(mark, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err != nil {
				panic(err)
			}
			_, _ = f.WriteString("x")
			_ = f.Close()
			in(yield)
		}
	}), a.Level)
})

// Executors that are processes keep partitions in memory and in files, read each other's over their ports, and give them up.
func TestProcessesKeepPartitions(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "text")
	line := strings.Repeat("some words of a line ", 20) + "\n"
	if err := os.WriteFile(path, []byte(strings.Repeat(line, 50_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	c := local.Start(t, local.Config{Kind: local.Processes, Workers: 2, Conf: map[string]string{
		"spark.executor.memory": "512m", "spark.scheduler.minRegisteredResourcesRatio": "1",
	}})
	ended := make(chan error, 1)
	c.Application("A", func(b *rpcenv.Blocking, a *app.App) error {
		for i, level := range []rdd.StorageLevel{rdd.MemoryOnly, rdd.DiskOnly} {
			kept := markedLines.With(markedArgs{Path: path, Mark: filepath.Join(dir, fmt.Sprint(i)), Level: level})
			var took [3]time.Duration
			for pass := range took {
				began := time.Now()
				n, err := rdd.Count(b.Context(), a, kept)
				if err != nil || n != 50_000 {
					return fmt.Errorf("%d lines, error %w", n, err)
				}
				took[pass] = time.Since(began)
			}
			t.Logf("%s: %v", level, took)
			if got := marks(dir, i); got != 4 {
				t.Errorf("%s: %d partitions were computed, want 4", level, got)
			}
			if err := rdd.Unpersist(b.Context(), a, kept); err != nil {
				return err
			}
			if n, err := rdd.Count(b.Context(), a, kept); err != nil || n != 50_000 {
				return fmt.Errorf("%d lines, error %w", n, err)
			}
			if got := marks(dir, i); got != 8 {
				t.Errorf("%s: %d partitions were computed after Unpersist, want 8", level, got)
			}
		}
		return nil
	}, func(err error) { ended <- err })
	if err := c.Run(func() bool { return len(ended) > 0 }, time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

func marks(dir string, i int) int {
	data, err := os.ReadFile(filepath.Join(dir, fmt.Sprint(i)))
	if err != nil {
		return -1
	}
	return len(data)
}
