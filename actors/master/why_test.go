package master_test

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

func (k *kit) why(app string) *deploy.Refusals {
	k.t.Helper()
	k.Settle()
	r, err := rpctest.Ask[*deploy.Refusals](k.tool, k.ref, &deploy.RequestRefusals{AppId: app})
	if err != nil {
		k.t.Fatal(err)
	}
	return r
}

// says fails unless the application's reasons are exactly those of filters, and each has all words of its own, separated
// by |.
func says(t *testing.T, r *deploy.Refusals, want ...[2]string) {
	t.Helper()
	got := r.GetApplication()
	if len(got) != len(want) {
		t.Fatalf("%d reasons, want %d: %v", len(got), len(want), got)
	}
	for i, w := range want {
		if got[i].GetFilter() != w[0] || got[i].GetHelp() == "" {
			t.Errorf("filter %q, want %q: %v", got[i].GetFilter(), w[0], got[i])
		}
		for part := range strings.SplitSeq(w[1], "|") {
			if !strings.Contains(got[i].GetReason()+" / "+got[i].GetHelp(), part) {
				t.Errorf("%q is not in %q / %q", part, got[i].GetReason(), got[i].GetHelp())
			}
		}
	}
}

// Scenario 12a: an executor wants more memory than any worker has.
func TestWhyMemoryIsBeyondEveryWorker(t *testing.T) {
	k := newKit(t)
	k.worker("W1", 2, 1024)
	k.worker("W2", 4, 2048)
	d := k.newDriver("D")
	d.desc.MemoryPerExecutorMb = 4096
	d.register()
	r := k.why(d.id)
	says(t, r, [2]string{"workers", "1 core and 4096 MiB|none of 2 ALIVE workers|worker-W2, has 4 cores and 2048 MiB|lower spark.executor.memory to 2048m"})
	if ws := r.GetWorkers(); len(ws) != 2 || ws[0].GetWorkerId() != "worker-W1" || ws[0].GetFilter() != "memory" ||
		ws[0].GetReason() != "an executor wants 4096 MiB of memory, the worker has 1024" || !strings.Contains(ws[1].GetHelp(), "--memory 4096") {
		t.Errorf("%v", ws)
	}
}

// An application whose executors are smaller than a task has what it may have, and still runs nothing.
func TestWhyNoExecutorTakesATask(t *testing.T) {
	k := newKit(t)
	w := k.worker("W1", 3, 2048)
	d := k.newDriver("D")
	d.desc.CoresPerExecutor, d.desc.CpusPerTask = nil, proto.Int32(4)
	d.desc.MaxCores = proto.Int32(3)
	d.register()
	w.launched()
	says(t, k.why(d.id),
		[2]string{"task", "a task wants 4 cores (spark.task.cpus), the largest of its 1 executors has 3|lower spark.task.cpus to 3"},
		[2]string{"maximum", "it has 3 cores, all"})
}

// Scenario 12b: executors exit at start.
func TestWhyExecutorsExitAtStart(t *testing.T) {
	k := newKit(t)
	w, d := k.worker("W1", 2, 2048), k.driver("D", 1)
	for id := range int32(5) {
		w.launched()
		w.report(d.id, id, deploy.ExecutorState_RUNNING)
		k.Advance(200 * time.Millisecond)
		w.report(d.id, id, deploy.ExecutorState_EXITED, 127)
	}
	says(t, k.why(d.id),
		[2]string{"exits", "5 executors ended early in a row|" + d.id + "/4 on worker-W1|EXITED|code 127|its program is not there|stderr"},
		[2]string{"wait", "nothing is launched for another 0.2 s"})
}

// Scenario 12c: executors cannot reach the driver, the Master can.
func TestWhyTheDriverIsOutOfReachOfExecutors(t *testing.T) {
	k := newKit(t)
	w := k.worker("W1", 2, 2048)
	d := k.newDriver("D")
	d.desc.MaxCores = proto.Int32(1)
	d.desc.Command = &deploy.Command{Arguments: []string{"--driver-url", "spark://CoarseGrainedScheduler@172.17.0.1:4040"}}
	d.register()
	w.launched()
	w.report(d.id, 0, deploy.ExecutorState_RUNNING)
	k.Advance(3 * time.Second)
	w.report(d.id, 0, deploy.ExecutorState_EXITED, master.UnreachableExit)
	w.launched()
	says(t, k.why(d.id),
		[2]string{"address", "1 executors|after 3.0 s|spark://CoarseGrainedScheduler@172.17.0.1:4040|from " + d.Ref.Address.String() + "|spark.driver.host"},
		[2]string{"maximum", "it has 1 core, all"})
}

// Scenario 12d: another application holds all cores.
func TestWhyAnotherApplicationHoldsAllCores(t *testing.T) {
	k := newKit(t)
	k.worker("W1", 2, 2048)
	k.worker("W2", 4, 4096)
	first, d := k.driver("D", 6), k.driver("E", 2)
	r := k.why(d.id)
	says(t, r, [2]string{"applications", "the 2 workers|6 cores and 6144 MiB|" + first.id + " has 6 cores and 3072 MiB|spark.cores.max"})
	for _, w := range r.GetWorkers() {
		if w.GetFilter() != "cores" || !strings.Contains(w.GetReason(), "an executor wants 1 core, 0 of the worker's") {
			t.Errorf("%v", w)
		}
	}
	says(t, k.why(first.id), [2]string{"maximum", "it has 6 cores, all"})
}

// Scenario 9: drivers hold all cores, and each waits for executors (SPARK-27750).
func TestWhyDriversHoldAllCores(t *testing.T) {
	k := newKit(t)
	for _, name := range []string{"W1", "W2", "W3"} {
		k.worker(name, 2, 4096)
	}
	for range 6 {
		s, err := rpctest.Ask[*deploy.SubmitDriverResponse](k.tool, k.ref, &deploy.RequestSubmitDriver{DriverDescription: &deploy.DriverDescription{
			JarUrl: "/app", Mem: 512, Cores: 1, Command: &deploy.Command{MainClass: "org.apache.spark.deploy.worker.DriverWrapper"},
		}})
		if err != nil || !s.GetSuccess() {
			t.Fatal(s, err)
		}
	}
	var apps []*driver
	for _, name := range []string{"A", "B", "C", "D", "E", "F"} {
		apps = append(apps, k.driver(name, 1))
	}
	says(t, k.why(apps[3].id), [2]string{"drivers", "6 cores|a dead-lock|none of 6 applications|driver-|1 more|maxDriverShare|--kill"})
}

func TestWhyOfAnEndedApplicationAndOfAnUnknownOne(t *testing.T) {
	k := newKit(t)
	if r := k.why("app-1"); r.GetFound() || len(r.GetNearIds()) > 0 {
		t.Errorf("%v", r)
	}
	d, e := k.driver("D", 1), k.driver("E", 1)
	d.Send(k.ref, &deploy.UnregisterApplication{AppId: d.id})
	says(t, k.why(d.id), [2]string{"ended", "it is over: FINISHED at 2026-01-01 00:00:00, after 0s, by its driver's wish|nothing: it waits for nothing"})
	if r := k.why(d.id + "x"); r.GetFound() || len(r.GetNearIds()) != 1 {
		t.Errorf("%v", r)
	}
	if r := k.why("0001"); strings.Join(r.GetNearIds(), " ") != e.id {
		t.Errorf("%v, want %s", r.GetNearIds(), e.id)
	}
	if r := k.why(""); strings.Join(r.GetNearIds(), " ") != e.id+" "+d.id {
		t.Errorf("%v", r.GetNearIds())
	}
}

func TestWhyWithoutWorkersAndAtItsLimits(t *testing.T) {
	k := newKit(t)
	d := k.newDriver("D")
	d.desc.MaxCores, d.desc.CoresPerExecutor = proto.Int32(5), proto.Int32(2)
	d.register()
	says(t, k.why(d.id), [2]string{"workers", "none of 0 workers is ALIVE|coherer worker"})
	w := k.worker("W1", 8, 8192)
	says(t, k.why(d.id), [2]string{"maximum", "4 of the 5 cores|1 more are no whole executor of 2"})
	e := k.dynamic("E")
	says(t, k.why(e.id), [2]string{"limit", "0 executors of profile 0 and wants 0|RequestExecutors"})
	big := k.newDriver("F")
	big.desc.MaxCores, big.desc.CoresPerExecutor = proto.Int32(2), proto.Int32(4)
	big.register()
	says(t, k.why(big.id), [2]string{"maximum", "an executor wants 4 cores, the application may have 2|raise spark.cores.max to 4"})
	all := k.newDriver("G")
	all.desc.MaxCores = proto.Int32(100)
	all.register()
	says(t, k.why(all.id), [2]string{"applications", d.id + " has 4 cores"})
	d.Send(k.ref, &deploy.UnregisterApplication{AppId: d.id})
	says(t, k.why(all.id), [2]string{"workers", "the application itself has 8 cores|start more workers"})
	w.decommission()
	says(t, k.why(all.id), [2]string{"workers", "none of 1 workers is ALIVE"})
}

func TestWhyThePlacementGivesNothing(t *testing.T) {
	k := newKit(t, "coherer.deploy.scheduler", "core-by-core")
	for _, name := range []string{"W1", "W2", "W3", "W4"} {
		k.worker(name, 16, 65536)
	}
	d := k.newDriver("D")
	d.desc.MaxCores, d.desc.CoresPerExecutor = proto.Int32(48), proto.Int32(16)
	d.register()
	says(t, k.why(d.id), [2]string{"placement", "4 workers could|master.CoreByCore|[12 12 12 12]|no whole executor of 16|coherer.deploy.scheduler"})
}

func TestWhyAResourceIsMissing(t *testing.T) {
	k := newKit(t)
	k.worker("W1", 8, 8192)
	d := k.newDriver("D")
	d.desc.ResourcesPerExecutor = []*deploy.ResourceRequirement{{Name: "gpu", Amount: 2}}
	d.register()
	r := k.why(d.id)
	says(t, r, [2]string{"workers", "1 core and 512 MiB of memory, 2 gpu|lower spark.executor.resource.gpu.amount to 0"})
	if w := r.GetWorkers()[0]; w.GetFilter() != "resources" || w.GetReason() != "an executor wants 2 gpu, the worker has 0" {
		t.Errorf("%v", w)
	}
}
