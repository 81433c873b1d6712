package local_test

import (
	"bytes"
	"context"
	"os"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/app"
	"github.com/coherer/coherer/cluster/builtin"
	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace"
	"github.com/coherer/coherer/rpcenv/trace/compare"
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
	recording, err := os.Open("testdata/spark-4.1.4-ab.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer recording.Close()
	spark, err := compare.ReadSpark(recording)
	if err != nil {
		t.Fatal(err)
	}
	c := local.Start(t, local.Config{Workers: 1, Cores: 2, MemoryMB: 2048, Seed: 1, Conf: map[string]string{
		"spark.executor.cores": "1", "spark.executor.memory": "512m",
	}})
	ended := make(chan error, 1)
	var out bytes.Buffer
	c.Application("Driver", func(_ *rpcenv.Blocking, a *app.App) error {
		return builtin.Programs["sleep"](context.Background(), a, []string{"--tasks", "4", "--stages", "2", "--task-time", "12s"}, &out)
	}, func(err error) { ended <- err })
	if err := c.Run(func() bool { return len(ended) > 0 }, 5*time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	c.Simulated().Advance(20 * time.Second) // the KILLED reports come after the end
	ours := compare.FromEntries(trace.Merge(c.Recorder().Records()).Entries)
	for _, line := range compare.Diff(spark, ours, differences) {
		t.Error(line)
	}
	if t.Failed() {
		t.Logf("ours:\n%s", ours)
	}
}
