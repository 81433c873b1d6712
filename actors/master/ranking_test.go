package master

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestOrder(t *testing.T) {
	ws := []*workerInfo{
		{ID: "a", Cores: 4, Memory: 100},
		{ID: "b", Cores: 8, Memory: 50},
		{ID: "c", Cores: 8, Memory: 100, CoresUsed: 4},
		{ID: "d", Cores: 8, Memory: 200, MemoryUsed: 150},
	}
	for policy, want := range map[string]string{
		"CORES_FREE_ASC": "acbd", "CORES_FREE_DESC": "dbca", "MEMORY_FREE_ASC": "bdac", "MEMORY_FREE_DESC": "cadb", "WORKER_ID": "abcd",
	} {
		rapid.Check(t, func(t *rapid.T) { // whatever the order before: it is total
			got := rapid.Permutation(ws).Draw(t, "workers")
			inOrder(got, policy)
			ids := ""
			for _, w := range got {
				ids += w.ID
			}
			if ids != want {
				t.Fatalf("%s: %s, want %s", policy, ids, want)
			}
		})
	}
}

var policies = []string{"CORES_FREE_ASC", "CORES_FREE_DESC", "MEMORY_FREE_ASC", "MEMORY_FREE_DESC", "WORKER_ID"}

// plain is what the Master decides without an index: all Workers are filtered and sorted for each application.
func plain(m *Master, app *applicationInfo, p resourceProfile, by Placement, policy string) map[string]int {
	usable, _ := usableFor(m.workers.all(), p)
	inOrder(usable, policy)
	cores, err := decide(app, p, by, usable)
	if err != nil {
		panic(err)
	}
	return given(usable, cores)
}

func given(ws []*workerInfo, cores []int) map[string]int {
	out := map[string]int{}
	for i, n := range cores {
		if n > 0 {
			out[ws[i].ID] = n
		}
	}
	return out
}

// The index changes how fast a decision is, never what it is.
func TestDecisionsAreThoseOfThePlainAlgorithm(t *testing.T) {
	placements := []Placement{
		SpreadOut{}, Consolidate{}, CoreByCore{SpreadOut: true}, CoreByCore{}, memoryPerCore{true}, memoryPerCore{false},
	}
	rapid.Check(t, func(t *rapid.T) {
		m := New(Config{})
		policy := rapid.SampledFrom(policies).Draw(t, "policy")
		var apps []*applicationInfo
		next, changedOutside := 0, false
		t.Repeat(map[string]func(*rapid.T){
			"a worker comes": func(t *rapid.T) {
				changedOutside = true
				w := &workerInfo{
					ID: fmt.Sprintf("w%d", next), Cores: rapid.IntRange(1, 12).Draw(t, "cores"),
					Memory: rapid.IntRange(1, 8).Draw(t, "memory"), resources: gpus(rapid.IntRange(0, 3).Draw(t, "gpus")),
				}
				next++
				m.workers.add(w)
			},
			"a worker changes": func(t *rapid.T) {
				changedOutside = true
				if len(m.workers.all()) == 0 {
					t.Skip("none")
				}
				w := rapid.SampledFrom(m.workers.all()).Draw(t, "worker")
				w.State = rapid.SampledFrom([]WorkerState{WorkerAlive, WorkerAlive, WorkerDead, WorkerDecommissioned}).Draw(t, "state")
				if w.State == WorkerDead && rapid.Bool().Draw(t, "forgotten") {
					w.forgotten, m.workers.stale = true, true
				}
			},
			"an executor ends": func(t *rapid.T) {
				changedOutside = true
				for _, a := range apps {
					if len(a.executors) > 0 {
						e := rapid.SampledFrom(a.executors).Draw(t, "executor")
						if e.Worker.State == WorkerDead {
							t.Skip("nothing is given back to it")
						}
						a.removeExecutor(e)
						e.Worker.removeExecutor(e)
						return
					}
				}
			},
			"the policy changes": func(t *rapid.T) { policy = rapid.SampledFrom(policies).Draw(t, "policy") },
			"an application is served": func(t *rapid.T) {
				p := resourceProfile{
					Cores: rapid.IntRange(0, 4).Draw(t, "per executor"), Memory: rapid.IntRange(1, 4).Draw(t, "memory"),
					Limit: rapid.SampledFrom([]int{0, 1, 2, 5, noLimit}).Draw(t, "limit"),
				}
				if n := rapid.IntRange(0, 2).Draw(t, "gpus"); n > 0 {
					p.Resources = []requirement{{"gpu", n}}
				}
				app := &applicationInfo{ID: fmt.Sprintf("app%d", len(apps)), MaxCores: rapid.SampledFrom([]int{0, 1, 7, 20, noLimit}).Draw(t, "max")}
				apps = append(apps, app)
				by := rapid.SampledFrom(placements).Draw(t, "placement")
				if !app.wants(p) {
					t.Skip("it wants nothing")
				}
				if rapid.Bool().Draw(t, "later") { // another call of schedule
					m.ranking.fresh = false
				}
				if changedOutside { // so it is one
					m.ranking.fresh, changedOutside = false, false
				}
				want := plain(m, app, p, by, policy)
				usable := m.usable(app, p, by, policy)
				cores, err := decide(app, p, by, usable)
				if err != nil {
					t.Fatal(err)
				}
				if got := given(usable, cores); fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("%T %s: %v, plainly %v", by, policy, got, want)
				}
				var changed []*workerInfo
				for i, n := range cores {
					for _, size := range executorSizes(p.Cores, n) {
						usable[i].addExecutor(app.addExecutor(usable[i], size, p))
					}
					if n > 0 {
						changed = append(changed, usable[i])
					}
				}
				m.ranking.mend(changed)
			},
			"": func(t *rapid.T) { ledger(t, m.workers.all()) },
		})
	})
}

// Only what changed is sorted again, and no Worker is looked at beyond the place where the order says that none can take more.
func TestTheIndexSortsWhatChanged(t *testing.T) {
	for policy, exhausted := range map[string]bool{"CORES_FREE_DESC": true, "MEMORY_FREE_DESC": true, "CORES_FREE_ASC": false, "WORKER_ID": false} {
		var ws []*workerInfo
		for _, id := range []string{"a", "b", "c", "d"} {
			ws = append(ws, &workerInfo{ID: id, Cores: 6, Memory: 6})
		}
		r := &ranking{}
		for _, step := range []struct {
			cores, memory []int // used, of each
			moved         int
		}{
			{[]int{0, 0, 0, 0}, []int{0, 0, 0, 0}, 4},
			{[]int{0, 0, 0, 0}, []int{0, 0, 0, 0}, 0},
			{[]int{3, 0, 0, 0}, []int{0, 0, 0, 0}, 1},
			{[]int{2, 5, 0, 0}, []int{0, 0, 0, 0}, 2},
			{[]int{2, 5, 0, 0}, []int{0, 3, 2, 1}, 3},
			{[]int{2, 5, 0, 5}, []int{0, 3, 2, 1}, 1},
		} {
			for i, w := range ws {
				w.CoresUsed, w.MemoryUsed = step.cores[i], step.memory[i]
			}
			r.fresh = false
			var got, want []string
			for _, k := range r.order(ws, policy) {
				got = append(got, k.w.ID)
			}
			sorted := slices.Clone(ws)
			inOrder(sorted, policy)
			for _, w := range sorted {
				want = append(want, w.ID)
			}
			if !slices.Equal(got, want) || len(r.moved) != step.moved {
				t.Errorf("%s %v: %q, want %q; %d were sorted, want %d", policy, step, got, want, len(r.moved), step.moved)
			}
		}
		if got := r.exhausted(&workerInfo{Cores: 1, Memory: 1}, resourceProfile{Cores: 2, Memory: 2}); got != exhausted {
			t.Errorf("%s: exhausted %v", policy, got)
		}
		if r.exhausted(&workerInfo{Cores: 2, Memory: 2}, resourceProfile{Cores: 2, Memory: 2}) {
			t.Errorf("%s: exhausted by one that fits", policy)
		}
	}
}

// What a decision changed, wherever it stood, has its new place for the next one of the same call.
func TestADecisionMendsTheIndex(t *testing.T) {
	for changed, want := range []string{"bca", "acb", "abc"} {
		ws := []*workerInfo{{ID: "a", Cores: 6}, {ID: "b", Cores: 5}, {ID: "c", Cores: 4}}
		r := &ranking{}
		r.order(ws, "CORES_FREE_DESC")
		ws[changed].CoresUsed = 3
		r.mend(ws[changed : changed+1])
		got := ""
		for _, k := range r.order(ws, "CORES_FREE_DESC") {
			got += k.w.ID
		}
		if got != want {
			t.Errorf("%s changed: %s, want %s", ws[changed].ID, got, want)
		}
	}
}

// Another policy orders anew; a Worker that has gone meanwhile stays away.
func TestAnotherPolicyOrdersAnew(t *testing.T) {
	ws := []*workerInfo{{ID: "a", Cores: 1, Memory: 2}, {ID: "b", Cores: 2, Memory: 3}, {ID: "c", Cores: 3, Memory: 1}}
	r := &ranking{}
	r.order(ws, "CORES_FREE_DESC")
	ws[1].State = WorkerDead
	got := ""
	for _, k := range r.order(ws, "MEMORY_FREE_DESC") {
		got += k.w.ID
	}
	if got != "ac" {
		t.Errorf("%s, want ac", got)
	}
}

// What changed outside a decision, cores or memory alone, or that a Worker is gone, is seen when the next decision begins.
func TestTheIndexSeesWhatChangedOutside(t *testing.T) {
	order := func(r *ranking, ws []*workerInfo, policy string) (out string) {
		r.fresh = false
		for _, k := range r.order(ws, policy) {
			out += k.w.ID
		}
		return out
	}
	for policy, change := range map[string]func(w *workerInfo){
		"CORES_FREE_DESC":  func(w *workerInfo) { w.CoresUsed = 3 },
		"MEMORY_FREE_DESC": func(w *workerInfo) { w.MemoryUsed = 3 },
	} {
		ws := []*workerInfo{{ID: "a", Cores: 6, Memory: 6}, {ID: "b", Cores: 5, Memory: 5}, {ID: "c", Cores: 4, Memory: 4}}
		r := &ranking{}
		if got := order(r, ws, policy); got != "abc" {
			t.Errorf("%s: %s", policy, got)
		}
		change(ws[0])
		if got := order(r, ws, policy); got != "bca" {
			t.Errorf("%s: %s, want bca", policy, got)
		}
		ws[1].State = WorkerDead
		if got := order(r, ws, policy); got != "ca" {
			t.Errorf("%s: %s, want ca", policy, got)
		}
		if got := order(r, ws[2:], policy); got != "c" {
			t.Errorf("%s: %s, want c", policy, got)
		}
	}
}
