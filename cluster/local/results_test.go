package local_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/rpcenv"
)

// large brings two texts of so many bytes from two tasks.
var large = rdd.Define("local test: large", func(bytes int) rdd.Dataset[string] {
	return rdd.Map(rdd.Range(0, 2, 2), func(i int64) string { return strings.Repeat(string(rune('a'+i)), bytes) })
})

// collectsLarge collects results that no message takes by default.
func collectsLarge(ctx context.Context, a *app.App) error {
	const bytes = 3 << 20
	got, err := rdd.Collect(ctx, a, large.With(bytes))
	if err != nil {
		return err
	}
	if len(got) != 2 || got[0] != strings.Repeat("a", bytes) || got[1] != strings.Repeat("b", bytes) {
		return fmt.Errorf("there are %d texts, and not those of the tasks", len(got))
	}
	return nil
}

// collecting is a cluster in which a fetch takes a second, with an application whose large results have been there for some time.
func collecting(t *testing.T, since time.Duration) (c *local.Cluster, ended chan error) {
	t.Helper()
	c = local.Start(t, local.Config{Workers: 3, Cores: 1, Seed: 1, Conf: map[string]string{"spark.executor.memory": "512m"}})
	c.SlowTransfer(time.Second)
	ended = make(chan error, 1)
	c.Application("A", func(b *rpcenv.Blocking, a *app.App) error {
		if err := collectsLarge(b.Context(), a); err != nil {
			return err
		}
		return b.Sleep(time.Second) // the executors hear that they may forget the results
	}, func(err error) { ended <- err })
	if err := c.Run(func() bool { return len(c.Kept("taskresult_0")) > 0 && len(c.Kept("taskresult_1")) > 0 }, time.Minute); err != nil {
		t.Fatal(err)
	}
	c.Simulated().Advance(since)
	return c, ended
}

func wantEnd(t *testing.T, c *local.Cluster, ended chan error) {
	t.Helper()
	if err := c.Run(func() bool { return len(ended) > 0 }, time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

// A result that is too large for a message is fetched from its executor, which forgets it then.
func TestALargeResultIsFetchedAndForgotten(t *testing.T) {
	c, ended := collecting(t, 0)
	wantEnd(t, c, ended)
	if at := append(c.Kept("taskresult_0"), c.Kept("taskresult_1")...); len(at) != 0 {
		t.Error("results are still kept at", at)
	}
}

// An executor that is killed while its result is fetched takes it with it: the task runs again elsewhere, and the answer is right.
func TestAnExecutorKilledWhileItsResultIsFetched(t *testing.T) {
	for _, since := range []time.Duration{500 * time.Millisecond, time.Second} {
		c, ended := collecting(t, since)
		at := c.Kept("taskresult_0")
		if len(at) != 1 {
			t.Fatal("the result is kept at", at)
		}
		for _, x := range c.Executors() {
			if x.Hostname != at[0].Host {
				continue
			}
			if err := c.Kill("Exec" + x.ExecutorID); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Run(func() bool { return len(c.Kept("taskresult_2")) > 0 }, time.Minute); err != nil {
			t.Errorf("killed after %s, the task did not run again: %v", since, err)
		}
		wantEnd(t, c, ended)
		if at := c.Kept("taskresult_2"); len(at) != 0 {
			t.Error("the second result is still kept at", at)
		}
	}
}
