package local_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/rpcenv"
)

// Processes save to the system's files. An executor is killed while its tasks write, and another job is cancelled meanwhile: the output of
// the one is complete and has each record once, of the other nothing is left.
func TestProcessesSave(t *testing.T) {
	c := local.Start(t, local.Config{Kind: local.Processes, Workers: 2, Cores: 2, Conf: map[string]string{"spark.executor.memory": "512m"}})
	dir := t.TempDir()
	saved, dropped := filepath.Join(dir, "deep", "saved"), filepath.Join(dir, "dropped")
	ended := make(chan error, 1)
	c.Application("Driver", func(_ *rpcenv.Blocking, a *app.App) error {
		ctx, cancel := context.WithCancel(t.Context())
		cancelled := make(chan error, 1)
		go func() { cancelled <- rdd.SaveAsTextFile(ctx, a, neverSaved.With(0), dropped) }()
		err := rdd.SaveAsTextFile(t.Context(), a, toSave.With(0), saved)
		cancel()
		if err := <-cancelled; !errors.Is(err, context.Canceled) {
			t.Errorf("the cancelled job ended with %v", err)
		}
		return err
	}, func(err error) { ended <- err })
	written := func() bool {
		parts, _ := filepath.Glob(filepath.Join(saved, "_temporary", "0", "_temporary", "attempt_*", "part-*"))
		return len(parts) > 0 || len(ended) > 0
	}
	if err := c.Run(written, time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := c.Kill("Exec" + c.Executors()[0].ExecutorID); err != nil {
		t.Fatal(err)
	}
	if err := c.Run(func() bool { return len(ended) > 0 }, time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, name := range tree(app.Files{}, saved) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Error(err)
		}
		lines = append(lines, strings.Fields(string(data))...)
	}
	slices.Sort(lines)
	if got := strings.Join(lines, " "); got != "0 1 10 11 12 13 14 15 2 3 4 5 6 7 8 9" || len(tree(app.Files{}, saved)) != 9 {
		t.Errorf("%s in %s", got, tree(app.Files{}, saved))
	}
	if names := tree(app.Files{}, dropped); len(names) > 0 {
		t.Errorf("of the cancelled job there is %s", names)
	}
}
