package local_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/driverclient"
	"github.com/coherer/coherer/actors/worker"
	"github.com/coherer/coherer/cluster/compare"
	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace"
)

// clusterModeDifferences from Spark's recording `cl` are on purpose.
var clusterModeDifferences = []compare.Row{
	{Message: "DriverStateChanged", Reason: "an ask, repeated until it is answered: Spark's one-way message is lost when the Master is away"},
}

// TestClusterModeIsLikeSpark compares the submission of a driver in cluster mode, conversation by conversation, with what
// real Spark 3.5.9 was recorded to do. The program there does nothing but wait, and so it does here: it is no application.
func TestClusterModeIsLikeSpark(t *testing.T) {
	recording, err := os.ReadFile("testdata/spark-3.5.9-cl.txt")
	if err != nil {
		t.Fatal(err)
	}
	// The recorder knew the client and the driver by their ports alone.
	named := strings.NewReplacer("port36965", "Client", "port36917", "Driver").Replace(string(recording))
	spark, err := compare.ReadSpark(strings.NewReader(named))
	if err != nil {
		t.Fatal(err)
	}
	c := local.Start(t, local.Config{Workers: 1, Cores: 2, MemoryMB: 2048, Seed: 1})
	c.SetRole(worker.DriverClass, func(rpcenv.Command) string { return "Driver" }, func(h rpcenv.Host, cmd rpcenv.Command) error {
		env, err := rpcenv.New(h, rpcenv.Config{Name: "Driver", Listen: rpcenv.Address{Host: "10.0.0.2"}})
		if err != nil {
			return err
		}
		if err := worker.Watch(env, cmd.Args[0]); err != nil {
			return err
		}
		env.Go("main", func(b *rpcenv.Blocking) error { return b.Sleep(6 * time.Second) }).OnDone(func(error) { h.Exit(0) })
		return nil
	})
	d := driverclient.Driver{Program: "/tiny", MainClass: "Tiny", Args: []string{"a", "b"}, Cores: 1, MemoryMB: 512}
	if err := local.StartClient(c, "Client", c.Conf, driverclient.Name, driverclient.New(driverclient.Config{
		Masters: []rpcenv.Address{c.MasterAddress}, Launch: d.Describe(),
	})); err != nil {
		t.Fatal(err)
	}
	c.Simulated().Advance(20 * time.Second)
	if code, ended := c.Exited("Client"); code != 0 || !ended {
		t.Errorf("the client: %d, %v", code, ended)
	}
	ours := compare.FromEntries(trace.Merge(c.Recorder().Records()).Entries)
	for _, line := range compare.Diff(spark, ours, clusterModeDifferences) {
		t.Error(line)
	}
	if text := ours.String(); t.Failed() || !strings.Contains(text, "Driver => Worker [endpoint-verifier] CheckExistence(Worker) / Bool") {
		t.Errorf("ours:\n%s", text)
	}
}
