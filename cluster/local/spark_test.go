package local_test

import (
	"bytes"
	"context"
	"os"
	"testing"
	"time"

	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/builtin"
	"github.com/coherer/coherer/cluster/compare"
	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/cluster/recovery"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace"
)

// differences from Spark's recording `ab` are on purpose.
var differences = []compare.Row{
	{Message: "GetLocationsAndStatus", Reason: "a task carries its closure in LaunchTask: nothing is broadcast"},
	{Message: "UpdateBlockInfo", Reason: "the same: no broadcast block is kept"},
	{Message: "RemoveBroadcast", Reason: "the same: no broadcast is removed"},
	{Message: "GetLocalDirsForExecutors", Reason: "a map output on the same machine is fetched like any other"},
}

// TestLikeSpark compares a run of ours, conversation by conversation, with what real Spark 4.1.4 was recorded to do: one
// Worker joins, an application with two executors and a shuffle, clean stop. Tasks last long enough for a heartbeat.
func TestLikeSpark(t *testing.T) {
	r := startRecorded(t, local.Config{Workers: 1, Cores: 2})
	r.application("--tasks", "4", "--stages", "2", "--task-time", "12s")
	r.untilEnded()
	r.Simulated().Advance(20 * time.Second) // the KILLED reports come after the end
	r.like("testdata/spark-4.1.4-ab.txt")
}

// TestLikeSparkWhenAWorkerIsKilled: two Workers, one of which is killed by -9 between two jobs; the executors there end by
// themselves, the others run the second job.
func TestLikeSparkWhenAWorkerIsKilled(t *testing.T) {
	r := startRecorded(t, local.Config{Workers: 2, Cores: 2})
	r.application("--tasks", "4", "--task-time", "1s")
	r.untilIdle()
	if err := r.Kill("Worker2"); err != nil {
		t.Fatal(err)
	}
	r.untilEnded()
	r.Simulated().Advance(20 * time.Second)
	r.like("testdata/spark-3.5.9-wk.txt")
}

// TestLikeSparkWhenTheDriverIsKilled: by -9, after its first job. The recording is shorter than a heartbeat of an executor.
func TestLikeSparkWhenTheDriverIsKilled(t *testing.T) {
	r := startRecorded(t, local.Config{Workers: 1, Cores: 1})
	r.application("--tasks", "4", "--task-time", "1s")
	r.untilIdle()
	if err := r.Kill("Driver"); err != nil {
		t.Fatal(err)
	}
	r.Simulated().Advance(20 * time.Second)
	r.like("testdata/spark-3.5.9-ck.txt")
}

// TestLikeSparkWhenTheMasterIsRestarted: by -9 between two jobs, with its records; six seconds later it is there again.
func TestLikeSparkWhenTheMasterIsRestarted(t *testing.T) {
	r := startRecorded(t, local.Config{Workers: 1, Cores: 1, Store: &recovery.Memory{}})
	r.application("--tasks", "8", "--task-time", "1s")
	r.untilIdle()
	if err := r.Kill("Master"); err != nil {
		t.Fatal(err)
	}
	r.Simulated().Advance(4 * time.Second)
	r.RestartMaster()
	r.untilEnded()
	r.Simulated().Advance(20 * time.Second)
	r.like("testdata/spark-3.5.9-d.txt")
}

// recorded is a cluster that does what a recording of Spark shows.
type recorded struct {
	*local.Cluster
	t     *testing.T
	idle  bool // the first of two jobs is done
	ended chan error
}

func startRecorded(t *testing.T, cfg local.Config) *recorded {
	t.Helper()
	cfg.Seed, cfg.MemoryMB = 1, 2048
	if cfg.Conf == nil {
		cfg.Conf = map[string]string{}
	}
	cfg.Conf["spark.executor.cores"], cfg.Conf["spark.executor.memory"] = "1", "512m"
	return &recorded{Cluster: local.Start(t, cfg), t: t, ended: make(chan error, 1)}
}

// application runs a job twice, a pause in between.
func (r *recorded) application(args ...string) {
	r.t.Helper()
	r.applicationAfter(0, args...)
}

// applicationAfter is application, with a pause before the first job too.
func (r *recorded) applicationAfter(pause time.Duration, args ...string) {
	r.t.Helper()
	r.Application("Driver", func(b *rpcenv.Blocking, a *app.App) error {
		if err := b.Sleep(pause); err != nil {
			return err
		}
		var out bytes.Buffer
		if err := builtin.Programs["sleep"](context.Background(), a, args, &out); err != nil {
			return err
		}
		r.idle = true
		if err := b.Sleep(20 * time.Second); err != nil { // two heartbeats
			return err
		}
		return builtin.Programs["sleep"](context.Background(), a, args, &out)
	}, func(err error) { r.ended <- err })
}

func (r *recorded) untilIdle() {
	r.t.Helper()
	if err := r.Run(func() bool { return r.idle }, 5*time.Minute); err != nil {
		r.t.Fatal(err)
	}
	r.Simulated().Advance(2 * time.Second)
}

func (r *recorded) untilEnded() {
	r.t.Helper()
	if err := r.Run(func() bool { return len(r.ended) > 0 }, 5*time.Minute); err != nil {
		r.t.Fatal(err)
	}
	if err := <-r.ended; err != nil {
		r.t.Fatal(err)
	}
}

// like compares what happened with a recording.
func (r *recorded) like(file string) {
	r.t.Helper()
	f, err := os.Open(file)
	if err != nil {
		r.t.Fatal(err)
	}
	defer f.Close()
	spark, err := compare.ReadSpark(f)
	if err != nil {
		r.t.Fatal(err)
	}
	ours := compare.FromEntries(trace.Merge(r.Recorder().Records()).Entries)
	for _, line := range compare.Diff(spark, ours, differences) {
		r.t.Error(line)
	}
	if r.t.Failed() {
		r.t.Logf("ours:\n%s", ours)
	}
}

// TestLikeSparkWithDynamicAllocation: a first executor idles out, then two jobs with a shuffle whose executors come by
// need and go when idle, one of them killed by -9 between the jobs. Tasks are shorter than a heartbeat's first time.
func TestLikeSparkWithDynamicAllocation(t *testing.T) {
	r := startRecorded(t, local.Config{Workers: 1, Cores: 2, Conf: map[string]string{
		"spark.dynamicAllocation.enabled": "true", "spark.dynamicAllocation.initialExecutors": "1",
		"spark.dynamicAllocation.maxExecutors": "2", "spark.dynamicAllocation.executorIdleTimeout": "4s",
	}})
	r.applicationAfter(10*time.Second, "--tasks", "4", "--stages", "2", "--task-time", "1s")
	r.untilIdle()
	if err := r.Kill("Exec1"); err != nil {
		t.Fatal(err)
	}
	r.untilEnded()
	r.Simulated().Advance(20 * time.Second)
	r.like("testdata/spark-4.1.4-c.txt")
}
