package worker

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// A Master that was deposed and does not know it yet must not end, start or clean up anything.
func TestNoOrderOfAnEarlierTermIsObeyed(t *testing.T) {
	dirs := &folders{}
	k := newDriverKit(t, Config{Directories: dirs}, decommissionEnabled)
	k.master.Send(k.worker, k.registered(true, 5))
	next[*deploy.WorkerLatestState](k.kit)
	k.kit.run(0)
	k.run(false)
	old := k.w.ProbeIn(k.w.Env("Old", nil), "Master")
	launch, kill, driver := k.launch(1), k.kill(0), order(false)
	launch.MasterTerm, kill.MasterTerm, driver.MasterTerm, driver.DriverId = 4, 4, 4, "driver-2"
	for _, m := range []rpcenv.Message{
		launch, kill, driver,
		&deploy.KillDriver{DriverId: driverID, MasterTerm: 4},
		&deploy.ApplicationFinished{Id: appID, MasterTerm: 4},
		&deploy.DecommissionWorker{MasterTerm: 4},
	} {
		old.Send(k.worker, m)
	}
	k.w.Advance(time.Minute)
	if s := k.state(); len(s.GetExecutors()) != 1 || len(s.GetDrivers()) != 1 || s.GetDecommissioned() || len(k.children) != 2 {
		t.Errorf("state %v", s)
	}
	k.children[0].Exit(0)
	k.w.Advance(time.Minute)
	if len(dirs.removed) != 0 {
		t.Errorf("removed %v", dirs.removed)
	}
	var said []string
	for _, what := range []string{"LaunchExecutor", "KillExecutor", "LaunchDriver", "KillDriver", "ApplicationFinished", "DecommissionWorker"} {
		said = append(said, fmt.Sprintf("Ignoring %s from %s: its master term is 4, the latest 5", what, old.Env.Address()))
	}
	if got := k.lines("Ignoring"); !slices.Equal(got, said) {
		t.Errorf("logged %q, want %q", got, said)
	}
	// Nor does a Worker end because the old one did not want it.
	k.master.Send(k.worker, &deploy.ReconnectWorker{MasterUrl: k.url()})
	next[*deploy.RegisterWorker](k.kit)
	old.Send(k.worker, &deploy.RegisterWorkerFailed{Message: "no", MasterTerm: 4})
	k.w.Advance(time.Second)
	if _, ended := k.host.Exited(); ended {
		t.Error("it ended")
	}
}

// One leadership may speak through more than one connection.
func TestAnEqualTermIsObeyed(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	k.master.Send(k.worker, k.registered(true, 5))
	next[*deploy.WorkerLatestState](k)
	same := k.w.ProbeIn(k.w.Env("M2", nil), "Master")
	same.Send(k.worker, &deploy.ReconnectWorker{MasterTerm: 5})
	next[*deploy.RegisterWorker](k)
}

func TestTheMasterDecommissionsTheWorker(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, decommissionEnabled)
	k.master.Send(k.worker, &deploy.DecommissionWorker{})
	k.w.Settle()
	if !k.state().Decommissioned {
		t.Error("not decommissioned")
	}
}

// As in Spark, which lets the JVM choose its heap.
func TestAnExecutorWithoutMemoryOfItsOwnRuns(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	m := k.launch(0)
	m.Memory = 0
	k.master.Send(k.worker, m)
	k.untilReports(1)
	if got := k.last(); got != "RUNNING" {
		t.Errorf("reported %q", got)
	}
}

func TestMoreThanThereIsIsWarnedOf(t *testing.T) {
	for want, cfg := range map[string]Config{
		"":                               {Cores: 2, MemoryMB: 1024},
		"2 of 1 cores, 1024 of 1024 MiB": {Cores: 1, MemoryMB: 1024},
		"2 of 2 cores, 1024 of 1023 MiB": {Cores: 2, MemoryMB: 1023},
	} {
		k := newKit(t)
		k.join(cfg, nil)
		k.run(0)
		k.run(1)
		var said []string
		if want != "" {
			said = []string{"The Master orders more than this worker has: " + want}
		}
		if got := k.lines("The Master orders"); !slices.Equal(got, said) {
			t.Errorf("logged %q, want %q", got, said)
		}
	}
}

// Without pages no executor gets their address, and without a work directory none runs in one.
func TestWhatIsNotThereIsNotNamed(t *testing.T) {
	k := newDriverKit(t, Config{}, map[string]string{"spark.ui.reverseProxy": "true"})
	k.kit.run(0)
	k.run(false)
	for i, want := range []string{"[SPARK_EXECUTOR_MEMORY=512m SPARK_LAUNCH_WITH_SCALA=0]", "[A=b SPARK_DRIVER_CORES=1 SPARK_DRIVER_MEMORY=512m]"} {
		if cmd := k.started[i]; fmt.Sprint(cmd.Env) != want || cmd.Dir != "" {
			t.Errorf("environment %q in %q, want %s", cmd.Env, cmd.Dir, want)
		}
	}
}

func TestWhatIsWrongWithAConfig(t *testing.T) {
	const cores, memory = "a worker with 0 cores runs nothing: want 1 at least", "a worker with 0 MiB of memory runs nothing: want 1 at least"
	resource := func(names ...string) (out []*deploy.ResourceInformation) {
		for _, name := range names {
			out = append(out, &deploy.ResourceInformation{Name: name})
		}
		return out
	}
	masters := []rpcenv.Address{{Host: "h", Port: 1}}
	for _, test := range []struct {
		cfg  Config
		want string // "" no error
	}{
		{Config{Masters: masters, Cores: 1, MemoryMB: 1, Resources: resource("gpu", "fpga")}, ""},
		{Config{Membership: true, Cores: 1, MemoryMB: 1}, ""},
		{Config{Cores: 1, MemoryMB: 1}, "a worker needs a Master: name one as spark://HOST:PORT"},
		{Config{Masters: masters}, cores + "\n" + memory},
		{Config{Masters: masters, Cores: 1 << 31, MemoryMB: 1}, "a worker with 2147483648 cores: want 2147483647 at most"},
		{Config{Masters: masters, Cores: 1, MemoryMB: 1, Resources: resource("")}, `a worker's resource "" has no name or is there twice`},
		{Config{Masters: masters, Cores: 1, MemoryMB: 1, Resources: resource("gpu", "gpu")}, `a worker's resource "gpu" has no name or is there twice`},
	} {
		got := ""
		if err := test.cfg.Validate(); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
