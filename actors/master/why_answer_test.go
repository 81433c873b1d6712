package master_test

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/messages/deploy"
)

// An answer has every field that its message documents: of the application, of each profile and of each Worker.
func TestTheAnswerToWhyIsWhole(t *testing.T) {
	k := newKit(t)
	w := k.newWorker("W1", 3, 4096)
	w.reg.Resources = gpus("0", "1", "2")
	w.Send(k.ref, w.reg)
	k.Settle()
	idle := k.worker("W2", 1, 64)
	d := k.newDriver("D")
	d.desc.MaxCores, d.desc.InitialExecutorLimit = proto.Int32(8), proto.Int32(2)
	d.desc.ResourcesPerExecutor = []*deploy.ResourceRequirement{{Name: "gpu", Amount: 1}}
	d.register()
	k.Settle()
	w.report(d.id, 0, deploy.ExecutorState_RUNNING)
	other := &deploy.ResourceProfile{Id: 5, ExecutorMemoryMb: 256, ExecutorCores: proto.Int32(2)}
	d.request(d.id, total(standard, 2), total(&deploy.ResourceProfile{Id: 4, ExecutorMemoryMb: 128}, 1), total(other, 1))
	want := &deploy.Refusals{}
	if err := prototext.Unmarshal([]byte(strings.ReplaceAll(wholeAnswer, "APP", d.id)), want); err != nil {
		t.Fatal(err)
	}
	if got := k.why(d.id); !proto.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", prototext.Format(got), prototext.Format(want))
	}
	none(t, idle.Probe, 0)
}

const wholeAnswer = `
app_id: "APP"
found: true
name: "D"
state: "RUNNING"
cores_granted: 3
cores_max: 8
profiles {
	profile { executor_cores: 1 executor_memory_mb: 512 executor_resources { name: "gpu" amount: 1 } }
	total: 2
	running: 1
	launching: 1
}
profiles { profile { id: 4 executor_memory_mb: 128 } total: 1 launching: 1 }
profiles { profile { id: 5 executor_cores: 2 executor_memory_mb: 256 } total: 1 }
application {
	filter: "limit"
	reason: "it has 2 executors of profile 0 and wants 2 in all"
	help: "nothing: its driver asks for more by RequestExecutors when it needs them (spark.dynamicAllocation)"
}
application {
	rp_id: 4
	filter: "limit"
	reason: "it has 1 executors of profile 4 and wants 1 in all"
	help: "nothing: its driver asks for more by RequestExecutors when it needs them (spark.dynamicAllocation)"
}
application {
	rp_id: 5
	filter: "workers"
	reason: "an executor wants 2 cores and 256 MiB of memory; on the 1 workers that could take it, which have 3 cores and 4096 MiB of memory, the application itself has 3 cores and 1152 MiB of memory already"
	help: "nothing, or start more workers"
}
workers {
	worker_id: "worker-W1"
	rp_id: 5
	filter: "cores"
	reason: "an executor wants 2 cores, 0 of the worker's 3 are free"
	help: "wait until 2 more are free"
}
workers {
	worker_id: "worker-W2"
	rp_id: 5
	filter: "memory"
	reason: "an executor wants 256 MiB of memory, the worker has 64"
	help: "lower spark.executor.memory to 64 at most, or start a worker with --memory 256 or more"
}
master_state: "ALIVE"
`

// reasons are those about the application, each with its help behind it.
func reasons(r *deploy.Refusals) string {
	var out []string
	for _, a := range r.GetApplication() {
		out = append(out, a.GetFilter()+": "+a.GetReason()+" / "+a.GetHelp())
	}
	return strings.Join(out, "\n")
}

// The largest Worker is the one with the most cores, of several the one with the most memory, of those the first; one that is
// not ALIVE does not count.
func TestWhyNamesTheLargestWorker(t *testing.T) {
	k := newKit(t)
	for i, size := range [][2]int32{{4, 1024}, {4, 2048}, {4, 1024}, {4, 2048}, {2, 9000}} {
		k.worker(fmt.Sprint("W", i), size[0], size[1])
	}
	k.worker("gone", 9, 99999)
	k.Find("gone").Kill()
	k.worker("leaving", 9, 99999).decommission()
	d := k.newDriver("D")
	d.desc.MemoryPerExecutorMb = 9001
	d.register()
	const want = "workers: an executor wants 1 core and 9001 MiB of memory: none of 5 ALIVE workers has that even when idle; " +
		"the largest, worker-W1, has 4 cores and 2048 MiB of memory / lower spark.executor.memory to 9000m, or start a larger worker"
	if got := reasons(k.why(d.id)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// chosen is a placement that a test changes; seen are the offers of the last question.
type chosen struct {
	answer func(offers []master.Offer) []int
	seen   string
}

func (p *chosen) Place(_ master.Demand, offers []master.Offer) []int {
	p.seen = ""
	for _, o := range offers {
		p.seen += " " + o.Worker
	}
	return p.answer(offers)
}

// The placement is asked as scheduling asks it: the Workers in the order of the policy, while the Master leads and does not
// pause. The answer has the first ten numbers that it gives, and is empty when they make an executor.
func TestWhyAsksThePlacementAsSchedulingDoes(t *testing.T) {
	p := &chosen{answer: func(offers []master.Offer) []int { return make([]int, len(offers)) }}
	k := kitWith(t, master.Config{Placement: p}, "spark.deploy.workerSelectionPolicy", "MEMORY_FREE_ASC")
	for i := range 11 {
		k.worker(fmt.Sprint("W", i), 2, int32(2048-i))
	}
	d := k.newDriver("D")
	d.desc.MaxCores, d.desc.CoresPerExecutor = proto.Int32(2), proto.Int32(2)
	d.register()
	want := "placement: 11 workers could take an executor, but the placement *master_test.chosen gives [0 0 0 0 0 0 0 0 0 0] cores of them, " +
		"no whole executor of 2 / use another placement (coherer.deploy.scheduler, coherer.compat)"
	p.seen = ""
	if got := reasons(k.why(d.id)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if want := " worker-W10 worker-W9 worker-W8"; !strings.HasPrefix(p.seen, want) {
		t.Errorf("the offers are%s, want%s first", p.seen, want)
	}
	p.answer = func([]master.Offer) []int { return nil }
	want = "placement: master: the placement answered 0 numbers for 11 offers / mend the placement"
	if got := reasons(k.why(d.id)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	p.answer = func(offers []master.Offer) []int {
		cores := make([]int, len(offers))
		cores[1] = 2
		return cores
	}
	if got := reasons(k.why(d.id)); got != "" {
		t.Errorf("%s, though an executor is to come", got)
	}
}

// While the Master pauses it does not ask the placement.
func TestWhyOfAPauseAsksNoPlacement(t *testing.T) {
	first := func(offers []master.Offer) []int {
		cores := make([]int, len(offers))
		cores[0] = 1
		return cores
	}
	p := &chosen{answer: first}
	k := kitWith(t, master.Config{Placement: p})
	w, d := k.worker("W1", 1, 1024), k.driver("D", 1)
	for id := range int32(4) {
		w.launched()
		w.report(d.id, id, deploy.ExecutorState_EXITED, 0)
	}
	p.answer = func([]master.Offer) []int { return nil }
	want := "exits: 4 executors ended early in a row; the last, " + d.id + "/3 on worker-W1, was EXITED 0.0 s ago: Command exited with code 0 / " +
		"see what it wrote: stderr in the directory " + d.id + "/3 under the work directory of worker-W1\n" +
		"wait: nothing is launched for another 0.1 s, since executors of it ended early / wait, or mend what ends them"
	if got := reasons(k.why(d.id)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A Master that recovers says so, and nothing of a placement that it does not ask; a standby knows no application.
func TestWhyOfAMasterThatRecovers(t *testing.T) {
	p := &chosen{answer: func(offers []master.Offer) []int { return make([]int, len(offers)) }}
	k, s := lasting(t)
	w := k.worker("W1", 2, 2048)
	d := k.driver("D", 2)
	k.restart(master.Config{Store: s, Placement: p})
	changed(t, w.Probe)
	w.lists()
	const want = "master: the Master is RECOVERING and launches no executors / ask the Master that leads, or wait until this one has recovered"
	r := k.why(d.id)
	if got := reasons(r); got != want || r.GetMasterState() != "RECOVERING" || r.GetState() != "UNKNOWN" {
		t.Errorf("%s, want %s: %v", got, want, r)
	}
	d.acknowledges(0)
	if r := k.why(d.id); r.GetMasterState() != "ALIVE" || len(r.GetApplication()) != 1 || r.GetApplication()[0].GetFilter() != "placement" {
		t.Errorf("%v", r)
	}
}

// The answer about an application that failed goes on to say how its executors ended.
func TestWhyOfAnApplicationThatFailed(t *testing.T) {
	k := newKit(t, "spark.deploy.maxExecutorRetries", "1")
	w, d := k.worker("W1", 1, 1024), k.driver("D", 1)
	w.launched()
	w.report(d.id, 0, deploy.ExecutorState_FAILED, 9)
	says(t, k.why(d.id), [2]string{"ended", "it is over: FAILED|submit it again"}, [2]string{"exits", "1 executors ended early in a row|code 9"})
}

// A Worker whose resources others have could take an executor if it were idle: the answer names them, and no setting to lower.
func TestWhyOthersHaveTheResources(t *testing.T) {
	k := newKit(t)
	w := k.newWorker("W1", 4, 4096)
	w.reg.Resources = gpus("0", "1")
	w.Send(k.ref, w.reg)
	ask := func(name string) *driver {
		d := k.newDriver(name)
		d.desc.MaxCores, d.desc.ResourcesPerExecutor = proto.Int32(1), []*deploy.ResourceRequirement{{Name: "gpu", Amount: 2}}
		d.register()
		return d
	}
	first, second := ask("D"), ask("E")
	says(t, k.why(second.id), [2]string{"applications", "an executor wants 1 core and 512 MiB of memory, 2 gpu; on the 1 workers that could take it|" + first.id + " has 1 core"})
}
