package master

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestARefusalNamesFilterAndNumbers(t *testing.T) {
	ws := []*workerInfo{
		{ID: "dead", State: WorkerDead},
		{ID: "small", Cores: 4, Memory: 512},
		{ID: "full", Cores: 4, CoresUsed: 3, Memory: 4096},
		{ID: "used", Cores: 4, Memory: 4096, MemoryUsed: 4000},
		{ID: "bare", Cores: 4, Memory: 4096},
		{ID: "exact", Cores: 2, CoresUsed: 2, Memory: 4096},
		{ID: "good", Cores: 4, Memory: 4096, resources: gpus(1)},
	}
	usable, refused := usableFor(ws, resourceProfile{Cores: 2, Memory: 1024, Resources: []requirement{{"gpu", 1}}})
	if len(usable) != 1 || usable[0].ID != "good" {
		t.Errorf("usable: %v", usable)
	}
	want := []workerRefusal{
		{"dead", "state", "it is DEAD", "start it again, or see in its log why it ended"},
		{
			"small", "memory", "an executor wants 1024 MiB of memory, the worker has 512",
			"lower spark.executor.memory to 512 at most, or start a worker with --memory 1024 or more",
		},
		{
			"full", "cores", "an executor wants 2 cores, 1 of the worker's 4 are free",
			"wait until 1 more are free, or lower spark.executor.cores to 1 at most",
		},
		{
			"used", "memory", "an executor wants 1024 MiB of memory, 96 of the worker's 4096 are free",
			"wait until 928 more are free, or lower spark.executor.memory to 96 at most",
		},
		{
			"bare", "resources", "an executor wants 1 gpu, the worker has 0",
			"lower spark.executor.resource.gpu.amount to 0 at most, or start a worker with spark.worker.resource.gpu.amount 1 or more",
		},
		{
			"exact", "cores", "an executor wants 2 cores, 0 of the worker's 2 are free",
			"wait until 2 more are free",
		},
	}
	if !slices.Equal(refused, want) {
		t.Errorf("got %v\nwant %v", refused, want)
	}
}

// Of several resources the refusal names the one that is short, not one that is just enough.
func TestARefusalNamesTheResourceThatIsShort(t *testing.T) {
	w := &workerInfo{ID: "w", Cores: 1, Memory: 1, resources: append(gpus(2), &resource{name: "npu", addresses: []string{"a"}, taken: []bool{true}})}
	r, no := refusal(w, resourceProfile{Memory: 1, Resources: []requirement{{"gpu", 2}, {"npu", 1}}}.need())
	if want := "an executor wants 1 npu, 0 of the worker's 1 are free"; !no || r.Reason != want {
		t.Errorf("%v, want %s", r, want)
	}
}

// What schedules and what explains are one: a filter that refuses has words for it.
func TestEveryFilterThatRefusesSaysWhy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 3)
		w := &workerInfo{
			ID: "w", Cores: n.Draw(t, "cores"), Memory: n.Draw(t, "memory"), resources: gpus(n.Draw(t, "gpus")),
			State: WorkerState(n.Draw(t, "state")),
		}
		p := resourceProfile{Cores: n.Draw(t, "wanted cores"), Memory: n.Draw(t, "wanted memory")}
		if g := n.Draw(t, "wanted gpus"); g > 0 {
			p.Resources = []requirement{{"gpu", g}}
		}
		r, no := refusal(w, p.need())
		if no == fits(w, p.need()) || no != (r.Reason != "" && r.Help != "") {
			t.Fatalf("refused: %v, fits: %v, says %+v", no, fits(w, p.need()), r)
		}
	})
}
