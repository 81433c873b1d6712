package local_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/driverclient"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/local"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/sim"
)

type args struct{ N int64 }

// lastDigits counts numbers by their last digit: two stages.
var lastDigits = rdd.Define("local test: last digits", func(a args) rdd.Dataset[rdd.Pair[int64, int64]] {
	digits := rdd.Map(rdd.Range(0, a.N, 4), func(n int64) rdd.Pair[int64, int64] { return rdd.PairOf(n%10, int64(1)) })
	return rdd.ReduceByKey(digits, func(a, b int64) int64 { return a + b }, 3)
})

func TestAJobInEachWorld(t *testing.T) {
	for _, kind := range []local.Kind{local.Sim, local.InProcess, local.TCP} {
		t.Run(string(kind), func(t *testing.T) {
			c := local.Start(t, local.Config{Kind: kind, Seed: 1, Conf: map[string]string{"spark.executor.memory": "512m"}})
			var counts []rdd.Pair[int64, int64]
			ended := make(chan error, 1)
			c.Application("A", func(_ *rpcenv.Blocking, a *app.App) (err error) {
				counts, err = rdd.Collect(context.Background(), a, lastDigits.With(args{1000}))
				return err
			}, func(err error) { ended <- err })
			if err := c.Run(func() bool { return len(ended) > 0 }, time.Minute); err != nil {
				t.Fatal(err)
			}
			if err := <-ended; err != nil {
				t.Fatal(err)
			}
			slices.SortFunc(counts, func(a, b rdd.Pair[int64, int64]) int { return int(a.Key - b.Key) })
			if len(counts) != 10 || counts[3] != rdd.PairOf(int64(3), int64(100)) {
				t.Error(counts)
			}
		})
	}
}

func TestStartIsOverAtTheEndOfTheTest(t *testing.T) {
	var w local.World
	t.Run("inner", func(t *testing.T) { w = local.Start(t, local.Config{Kind: local.TCP}) })
	if err := w.Kill("Master"); !errors.Is(err, local.ErrNoSuchProcess) {
		t.Error("the Master outlived its test:", err)
	}
}

// BenchmarkThousandWorkers is 60 virtual seconds of 1,000 Workers with their heartbeats.
func BenchmarkThousandWorkers(b *testing.B) {
	for b.Loop() {
		c := local.Start(b, local.Config{Workers: 1000, Seed: 1})
		c.Simulated().Advance(time.Minute)
		if n := c.Recorder().Count(); n < 1000*(4+5)*2 {
			b.Fatalf("only %d records", n)
		}
	}
}

// asleep has a task for each of two cores, which would go on for a day.
var asleep = rdd.Define("local test: asleep", func(d time.Duration) rdd.Dataset[int64] {
	return rdd.Sleep(rdd.Range(0, 2, 2), func(int64) time.Duration { return d })
})

// cancelsAJob cancels a job by the end of its context when both its tasks have been given to executors: the next
// job gets their cores.
func cancelsAJob(t *testing.T, c *local.Cluster, a *app.App) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	enough := errors.New("it took too long")
	begun := 0
	stop := c.Recorder().Watch(func(r *tracepb.Record) {
		if r.GetKind() != tracepb.Kind_SENT || r.GetType() != "app.LaunchTask" {
			return
		}
		if begun++; begun == 2 {
			cancel(enough)
		}
	})
	defer stop()
	if n, err := rdd.Count(rdd.WithJobGroup(ctx, "sleepers", "to be cancelled"), a, asleep.With(24*time.Hour)); !errors.Is(err, enough) {
		t.Errorf("a job whose context ended: %d, %v", n, err)
	}
	if jobs, err := a.CancelJobGroup(t.Context(), "sleepers", ""); len(jobs) > 0 || err != nil {
		t.Errorf("jobs %v of the group went on, %v", jobs, err)
	}
}

// Executors as processes know the test's own jobs, are listed while they run, and can be killed by their name.
func TestProcesses(t *testing.T) {
	c := local.Start(t, local.Config{Kind: local.Processes, Workers: 2, Conf: map[string]string{"spark.executor.memory": "512m"}})
	ended, leave := make(chan error, 1), make(chan struct{})
	var counts []rdd.Pair[int64, int64]
	c.Application("Driver", func(b *rpcenv.Blocking, a *app.App) (err error) {
		cancelsAJob(t, c, a)
		if err = collectsLarge(context.Background(), a); err != nil {
			return err
		}
		// Its tasks want the same cores.
		if counts, err = rdd.Collect(context.Background(), a, lastDigits.With(args{1000})); err != nil {
			return err
		}
		// Its map stage is skipped: the executors still have the outputs.
		if n, err := rdd.Count(context.Background(), a, lastDigits.With(args{1000})); err != nil || n != 10 {
			return fmt.Errorf("the second action: %d, %w", n, err)
		}
		<-leave
		return nil
	}, func(err error) { ended <- err })
	until := func(cond func() bool) {
		t.Helper()
		if err := c.Run(cond, time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	until(func() bool { return len(c.Executors()) == 2 || len(ended) > 0 })
	for _, x := range c.Executors() {
		if x.AppID == "" || x.Cores != 1 || x.WorkerURL == "" || x.Paused() {
			t.Errorf("listed: %+v", x)
		}
	}
	killed := c.Executors()[0].ExecutorID
	if err := c.Kill("Exec" + killed); err != nil {
		t.Fatal(err)
	}
	until(func() bool { _, ended := c.Exited("Exec" + killed); return ended })
	if code, _ := c.Exited("Exec" + killed); code != 128+9 {
		t.Errorf("Exec%s exited with %d", killed, code)
	}
	if slices.ContainsFunc(c.Executors(), func(x local.Running) bool { return x.ExecutorID == killed }) {
		t.Errorf("Exec%s is listed", killed)
	}
	close(leave)
	until(func() bool { return len(ended) > 0 })
	if err := <-ended; err != nil || len(counts) != 10 {
		t.Error(err, counts)
	}
	if err := c.Kill("Worker1"); err != nil {
		t.Error(err)
	}
	until(func() bool { _, ended := c.Exited("Worker1"); return ended })
	if code, _ := c.Exited("Worker1"); code != 128+9 {
		t.Errorf("Worker1 exited with %d", code)
	}
	if err := c.Kill("Worker1"); !errors.Is(err, local.ErrNoSuchProcess) {
		t.Errorf("a second kill: %v", err)
	}
	until(func() bool { return len(c.Executors()) == 0 })
}

// A built-in driver in cluster mode is a process of a Worker too.
func TestProcessesHaveDriversInClusterMode(t *testing.T) {
	c := local.Start(t, local.Config{Kind: local.Processes, Workers: 2, Conf: map[string]string{"spark.executor.memory": "512m"}})
	master := c.MasterAddress.SparkURL()
	d, err := local.ClusterDriver("Sleeper", "sleep", []string{"--tasks", "2", "--task-time", "1ms"}, map[string]string{"spark.master": master})
	if err != nil {
		t.Fatal(err)
	}
	cfg := driverclient.Config{Masters: []rpcenv.Address{c.MasterAddress}, Launch: d.Describe()}
	if err := local.StartClient(c, "Client", c.Conf, driverclient.Name, driverclient.New(cfg)); err != nil {
		t.Fatal(err)
	}
	if err := c.Run(func() bool { _, ended := c.Exited("Exec0"); return ended }, time.Minute); err != nil {
		t.Error(err)
	}
}

// A trace of the real world does not claim to be one of a simulation.
func TestAConditionThatIsNotReached(t *testing.T) {
	c := local.Start(t, local.Config{Kind: local.TCP, Workers: 1})
	err := c.Run(func() bool { return false }, time.Millisecond)
	if !errors.Is(err, sim.ErrNotReached) || err.Error() != "condition not reached within 1ms" {
		t.Error(err)
	}
}

// BenchmarkStart is a Master and two Workers from nothing until the Workers are registered, and their end.
func BenchmarkStart(b *testing.B) {
	for _, kind := range []local.Kind{local.Sim, local.InProcess, local.TCP} {
		b.Run("world="+string(kind), func(b *testing.B) {
			for b.Loop() {
				local.Start(b, local.Config{Kind: kind})
			}
		})
	}
}
