package builtin_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/builtin"
	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/rpcenv"
)

// Sleeping tasks take virtual time: two executors of one core take an hour each for two stages of two tasks.
func TestSleepTakesVirtualTime(t *testing.T) {
	c := local.Start(t, local.Config{Seed: 1})
	began := c.Simulated().Now()
	var out strings.Builder
	ended := make(chan error, 1)
	c.Application("Driver", func(_ *rpcenv.Blocking, a *app.App) error {
		args := []string{"--tasks", "2", "--stages", "2", "--task-time", "30m"}
		return builtin.Programs["sleep"](context.Background(), a, args, &out)
	}, func(err error) { ended <- err })
	if err := c.Run(func() bool { return len(ended) > 0 }, 2*time.Hour); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil || out.String() != "4 tasks slept\n" {
		t.Errorf("got %q, error %v", &out, err)
	}
	if took := c.Simulated().Now().Sub(began); took < time.Hour || took > time.Hour+time.Minute {
		t.Errorf("took %s of virtual time", took)
	}
}
