package master

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
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
		next := 0
		t.Repeat(map[string]func(*rapid.T){
			"a worker comes": func(t *rapid.T) {
				w := &workerInfo{
					ID: fmt.Sprintf("w%d", next), Cores: rapid.IntRange(1, 12).Draw(t, "cores"),
					Memory: rapid.IntRange(1, 8).Draw(t, "memory"), resources: gpus(rapid.IntRange(0, 3).Draw(t, "gpus")),
				}
				next++
				m.workers.add(w)
			},
			"a worker changes": func(t *rapid.T) {
				if len(m.workers.all()) == 0 {
					t.Skip("none")
				}
				w := rapid.SampledFrom(m.workers.all()).Draw(t, "worker")
				w.State = rapid.SampledFrom([]WorkerState{WorkerAlive, WorkerAlive, WorkerDead, WorkerDecommissioned}).Draw(t, "state")
				m.workers.note(w)
				if w.State == WorkerDead && rapid.Bool().Draw(t, "forgotten") {
					w.forgotten, m.workers.stale = true, true
				}
			},
			"an executor ends": func(t *rapid.T) {
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
				want := plain(m, app, p, by, policy)
				usable := m.usable(app, p, by, policy)
				cores, err := decide(app, p, by, usable)
				if err != nil {
					t.Fatal(err)
				}
				if got := given(usable, cores); fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("%T %s: %v, plainly %v", by, policy, got, want)
				}
				for i, n := range cores {
					for _, size := range executorSizes(p.Cores, n) {
						usable[i].addExecutor(app.addExecutor(usable[i], size, p))
					}
				}
			},
			"": func(t *rapid.T) {
				ledger(t, m.workers.all())
				if wrong := m.Misplaced(); wrong != "" {
					t.Fatal(wrong)
				}
			},
		})
	})
}

// Only what changed gets another place, wherever it stood, and wherever it goes.
func TestTheIndexSortsWhatChanged(t *testing.T) {
	for _, policy := range policies {
		var ws []*workerInfo
		for _, id := range []string{"a", "b", "c", "d"} {
			ws = append(ws, &workerInfo{ID: id, Cores: 6, Memory: 6})
		}
		workers, r := rosterOf(ws...), &ranking{}
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
			for i, w := range ws { // noted also where nothing changes
				w.take(step.cores[i]-w.CoresUsed, step.memory[i]-w.MemoryUsed)
			}
			got, want := ordered(r, workers, policy), ""
			sorted := slices.Clone(ws)
			inOrder(sorted, policy)
			for _, w := range sorted {
				want += w.ID
			}
			if got != want || len(r.moved) != step.moved {
				t.Errorf("%s %v: %s, want %s; %d were sorted, want %d", policy, step, got, want, len(r.moved), step.moved)
			}
		}
	}
}

// No Worker is met that has too little of what the order goes by.
func TestWhoIsAble(t *testing.T) {
	r := &ranking{}
	workers := rosterOf(
		&workerInfo{ID: "a", Cores: 1, Memory: 40}, &workerInfo{ID: "b", Cores: 2, Memory: 30},
		&workerInfo{ID: "c", Cores: 3, Memory: 20}, &workerInfo{ID: "d", Cores: 4, Memory: 10},
	)
	for policy, want := range map[string][3]string{ // of 1 core and 10 MiB, 2 and 30, 9 and 90
		"CORES_FREE_DESC":  {"dcba", "dcb", ""},
		"CORES_FREE_ASC":   {"abcd", "bcd", ""},
		"MEMORY_FREE_DESC": {"abcd", "ab", ""},
		"MEMORY_FREE_ASC":  {"dcba", "ba", ""},
		"WORKER_ID":        {"abcd", "abcd", "abcd"},
	} {
		r.update(workers, policy)
		for i, p := range []resourceProfile{{Cores: 1, Memory: 10}, {Cores: 2, Memory: 30}, {Cores: 9, Memory: 90}} {
			got := ""
			for _, w := range r.able(p) {
				got += w.ID
			}
			if got != want[i] {
				t.Errorf("%s %v: %q, want %q", policy, p, got, want[i])
			}
		}
	}
}

// Another policy orders anew; a Worker that has gone meanwhile stays away, then and later.
func TestAnotherPolicyOrdersAnew(t *testing.T) {
	ws := []*workerInfo{{ID: "a", Cores: 1, Memory: 2}, {ID: "b", Cores: 2, Memory: 3}, {ID: "c", Cores: 3, Memory: 1}}
	workers, r := rosterOf(ws...), &ranking{}
	r.update(workers, "CORES_FREE_DESC")
	ws[1].State = WorkerDead
	workers.note(ws[1])
	for _, want := range []string{"MEMORY_FREE_DESC ac", "MEMORY_FREE_DESC ac", "CORES_FREE_DESC ca"} {
		policy, ids, _ := strings.Cut(want, " ")
		if got := ordered(r, workers, policy); got != ids {
			t.Errorf("%s: %s, want %s", policy, got, ids)
		}
	}
}

// Whether there are 20 Workers or 200, all of which are full but one: the decision who takes its place looks at that one.
func TestADecisionLooksAtNoWorkerThatCannotChange(t *testing.T) {
	for _, n := range []int{20, 200} {
		w, m := rpctest.New(t, 1), New(Config{})
		ref := w.Register(w.Env("M", nil), Name, m)
		driver := w.Probe("D")
		var peers []*rpctest.Probe
		for i := range n {
			if peer := i / workersPerPeer; peer == len(peers) {
				peers = append(peers, w.Probe(fmt.Sprint("P", peer)))
			}
			registerAs(peers[i/workersPerPeer], ref, fmt.Sprintf("w%03d", i), i)
		}
		driver.Send(ref, &deploy.RegisterApplication{
			Driver: driver.Ref.Proto(), AppDescription: &deploy.ApplicationDescription{Name: "all", MemoryPerExecutorMb: 1024, CoresPerExecutor: proto.Int32(1)},
		})
		w.Settle()
		app := m.apps[0]
		if len(app.executors) != n {
			t.Fatalf("%d executors on %d workers", len(app.executors), n)
		}
		m.workers.seen = 0
		driver.Send(ref, &deploy.KillExecutors{AppId: app.ID, ExecutorIds: []string{"7"}})
		w.Settle()
		if len(app.executors) != n || app.executor(n) == nil {
			t.Errorf("%d executors on %d workers", len(app.executors), n)
		}
		if m.workers.seen != 1 || len(m.ranking.moved) > 2 { // that one, and the one that was filled last before
			t.Errorf("of %d workers %d were looked at, and %d moved", n, m.workers.seen, len(m.ranking.moved))
		}
	}
}

// Whatever the order, and whether executors are spread out or not, of many idle Workers a decision looks at those that it needs.
func TestADecisionLooksAtNoMoreWorkersThanItNeeds(t *testing.T) {
	for _, spread := range []string{"true", "false"} {
		cf, err := conf.New(map[string]string{"spark.deploy.spreadOutApps": spread})
		if err != nil {
			t.Fatal(err)
		}
		w, m := rpctest.New(t, 1), New(Config{})
		ref := w.Register(w.Env("M", cf), Name, m)
		driver, peer := w.Probe("D"), w.Probe("P")
		for i := range workersPerPeer {
			registerAs(peer, ref, fmt.Sprintf("w%03d", i), i)
		}
		wants := func(driver *rpctest.Probe, cores int32) {
			m.workers.seen = 0
			driver.Send(ref, &deploy.RegisterApplication{Driver: driver.Ref.Proto(), AppDescription: &deploy.ApplicationDescription{
				Name: driver.Ref.Name, MemoryPerExecutorMb: 1, CoresPerExecutor: proto.Int32(1), MaxCores: &cores,
			}})
			w.Settle()
		}
		wants(w.Probe("First"), 1) // the first decision puts all in order
		wants(driver, 3)
		if n := len(m.apps[1].executors); n != 3 || m.workers.seen != 3 {
			t.Errorf("spread out %s: %d workers were looked at for %d executors", spread, m.workers.seen, n)
		}
	}
}

// Workers that come and go while no application wants any are not kept for a decision that may never come.
func TestWorkersThatAreGoneAreNotKeptForADecision(t *testing.T) {
	w, m := rpctest.New(t, 1), New(Config{})
	ref := w.Register(w.Env("M", nil), Name, m)
	peer := w.Probe("P")
	for life := range 5 {
		registerAs(peer, ref, fmt.Sprint("w", life), 0)
		w.Advance(150 * time.Second) // it is silent, and dies
	}
	if m.workers.all(); len(m.workers.changed) > 1 { // the last one is still shown
		t.Errorf("%d workers are kept", len(m.workers.changed))
	}
}
