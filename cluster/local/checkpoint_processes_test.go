package local_test

import (
	"fmt"
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

// Executors that are processes write a checkpoint to a shared folder, and read it when nothing is cached any more.
func TestProcessesWriteAndReadACheckpoint(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte(strings.Repeat("some words of a line\n", 50_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	c := local.Start(t, local.Config{Kind: local.Processes, Workers: 2, Conf: map[string]string{
		"spark.executor.memory": "512m", "spark.scheduler.minRegisteredResourcesRatio": "1", "spark.checkpoint.dir": filepath.Join(dir, "checkpoints"),
	}})
	ended := make(chan error, 1)
	c.Application("A", func(b *rpcenv.Blocking, a *app.App) error {
		args := markedArgs{Path: text, Mark: filepath.Join(dir, "0"), Level: rdd.DiskOnly}
		for range 2 {
			if n, err := rdd.Count(b.Context(), a, storedMarks.With(args)); err != nil || n != 50_000 {
				return fmt.Errorf("%d lines, error %w", n, err)
			}
			if err := rdd.Unpersist(b.Context(), a, markedLines.With(args)); err != nil {
				return err
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
	if got := marks(dir, 0); got != 4 {
		t.Errorf("%d partitions were computed, want 4", got)
	}
	parts, err := filepath.Glob(filepath.Join(dir, "checkpoints", "*", "rdd-*", "part-*"))
	if err != nil || len(parts) != 4 {
		t.Errorf("%q, error %v", parts, err)
	}
}
