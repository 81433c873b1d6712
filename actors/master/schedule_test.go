package master

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/coherer/coherer/messages/deploy"
)

// pool makes Workers with so many free cores and so much free memory each.
func pool(memory int, cores ...int) []*WorkerInfo {
	var ws []*WorkerInfo
	for i, n := range cores {
		ws = append(ws, &WorkerInfo{ID: fmt.Sprintf("w%02d", i), Cores: n, Memory: memory})
	}
	return ws
}

// running makes an application with n executors of the default profile that count for its limit only.
func running(maxCores, n int) *ApplicationInfo {
	a := &ApplicationInfo{ID: "app", MaxCores: maxCores}
	for range n {
		a.addExecutor(&WorkerInfo{}, 0, Profile{})
	}
	return a
}

func TestPlace(t *testing.T) {
	const inf, ample = math.MaxInt32, 1 << 20
	for _, test := range []struct {
		free     []int
		max      int
		perExec  int // 0: unset
		memory   int // of each worker; an executor takes 1024
		limit    int
		running  int
		want     []int
		noSpread []int // where it differs
	}{
		{free: []int{16, 16, 16, 16}, max: 48, perExec: 16, want: []int{16, 16, 16, 0}}, // SPARK-8881
		{free: []int{16, 16, 16, 16}, max: 48, want: []int{12, 12, 12, 12}, noSpread: []int{16, 16, 16, 0}},
		{free: []int{10, 10, 10}, max: inf, perExec: 3, want: []int{9, 9, 9}},
		{free: []int{10, 10, 10}, max: 8, perExec: 3, want: []int{3, 3, 0}, noSpread: []int{6, 0, 0}},
		{free: []int{10, 10, 10}, max: inf, perExec: 2, memory: 2048, want: []int{4, 4, 4}},
		{free: []int{10, 10, 10}, max: inf, perExec: 2, limit: 2, want: []int{2, 2, 0}, noSpread: []int{4, 0, 0}},
		{free: []int{10, 10, 10}, max: inf, perExec: 2, limit: 4, running: 1, want: []int{2, 2, 2}, noSpread: []int{6, 0, 0}},
		{free: []int{10, 10, 10}, max: 15, limit: 1, want: []int{10, 0, 0}}, // cores still grow at the limit
		{free: []int{8, 8, 8, 4}, max: 24, perExec: 6, want: []int{6, 6, 6, 0}},
		{free: []int{10}, max: inf, memory: 4096, want: []int{10}}, // SPARK-9731: one executor with all cores
		{free: []int{10}, max: inf, limit: 1, running: 1, want: []int{0}},
		{free: []int{4, 4}, max: 0, perExec: 1, want: []int{0, 0}},
		{free: nil, max: inf, want: []int{}},
	} {
		if test.memory == 0 {
			test.memory = ample
		}
		if test.limit == 0 {
			test.limit = inf
		}
		if test.noSpread == nil {
			test.noSpread = test.want
		}
		p := Profile{Cores: test.perExec, Memory: 1024, Limit: test.limit}
		for spread, want := range map[bool][]int{true: test.want, false: test.noSpread} {
			if got := Place(running(test.max, test.running), p, pool(test.memory, test.free...), spread); !slices.Equal(got, want) {
				t.Errorf("%+v spreadOut=%v: %v, want %v", test, spread, got, want)
			}
		}
	}
}

func TestPlaceStaysWithinAllLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		free := rapid.SliceOfN(rapid.IntRange(0, 20), 0, 8).Draw(t, "free")
		ws := pool(0, free...)
		for _, w := range ws {
			w.Memory = rapid.IntRange(0, 4096).Draw(t, "memory")
		}
		p := Profile{
			Cores:  rapid.IntRange(0, 6).Draw(t, "cores per executor"),
			Memory: rapid.IntRange(1, 2048).Draw(t, "executor memory"),
			Limit:  rapid.IntRange(0, 12).Draw(t, "limit"),
		}
		app := running(rapid.IntRange(0, 80).Draw(t, "max cores"), rapid.IntRange(0, 4).Draw(t, "running"))
		spread := rapid.Bool().Draw(t, "spread")
		usable, _ := Usable(ws, p)
		cores := Place(app, p, usable, spread)

		sum, executors := 0, 0
		for i, w := range usable {
			sizes := executorSizes(p, cores[i])
			n := 0
			for _, s := range sizes {
				n += s
			}
			if n != cores[i] {
				t.Fatalf("%d cores on a worker become executors of %v", cores[i], sizes)
			}
			if cores[i] > w.CoresFree() || len(sizes)*p.Memory > w.MemoryFree() {
				t.Fatalf("beyond %s: %d cores of %d, %d MiB of %d", w.ID, cores[i], w.CoresFree(), len(sizes)*p.Memory, w.MemoryFree())
			}
			sum += n
			executors += len(sizes)
		}
		if sum > app.CoresLeft() {
			t.Fatalf("%d cores, the application may have %d", sum, app.CoresLeft())
		}
		if executors > 0 && executors+len(app.executors) > p.Limit {
			t.Fatalf("%d executors and %d, limit %d", executors, len(app.executors), p.Limit)
		}
		// Maximal: where a new executor would fit, a limit is reached.
		for i, w := range usable {
			n := len(executorSizes(p, cores[i]))
			fits := w.CoresFree()-cores[i] >= p.Step() && (p.Cores != 0 || n == 0) && w.MemoryFree()-n*p.Memory >= p.Memory
			if fits && app.CoresLeft()-sum >= p.Step() && executors+len(app.executors) < p.Limit {
				t.Fatalf("%s could take one more: %v", w.ID, cores)
			}
		}
	})
}

func TestSpreadOutDiffersByAtMostOneStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, free := rapid.IntRange(1, 8).Draw(t, "workers"), rapid.IntRange(1, 20).Draw(t, "free")
		p := Profile{Cores: rapid.IntRange(0, 6).Draw(t, "cores per executor"), Memory: 1, Limit: math.MaxInt32}
		cores := Place(running(rapid.IntRange(0, 100).Draw(t, "max cores"), 0), p, pool(1024, slices.Repeat([]int{free}, n)...), true)
		if d := slices.Max(cores) - slices.Min(cores); d > p.Step() {
			t.Fatalf("%v: differs by %d, a step is %d", cores, d, p.Step())
		}
		if !slices.IsSortedFunc(cores, func(a, b int) int { return b - a }) {
			t.Fatalf("%v: a later worker has more", cores)
		}
	})
}

func TestOrder(t *testing.T) {
	ws := []*WorkerInfo{
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
			Order(got, policy)
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

func TestARefusalNamesFilterAndNumbers(t *testing.T) {
	ws := []*WorkerInfo{
		{ID: "dead", State: WorkerDead},
		{ID: "small", Cores: 4, Memory: 512},
		{ID: "full", Cores: 4, CoresUsed: 3, Memory: 4096},
		{ID: "used", Cores: 4, Memory: 4096, MemoryUsed: 4000},
		{ID: "good", Cores: 4, Memory: 4096},
	}
	usable, refused := Usable(ws, Profile{Cores: 2, Memory: 1024})
	if len(usable) != 1 || usable[0].ID != "good" {
		t.Errorf("usable: %v", usable)
	}
	want := []Refusal{
		{"dead", "state", "it is DEAD"},
		{"small", "memory", "an executor wants 1024 MiB of memory, the worker has 512"},
		{"full", "cores", "an executor wants 2 cores, 1 of the worker's 4 are free"},
		{"used", "memory", "an executor wants 1024 MiB of memory, 96 of the worker's 4096 are free"},
	}
	if !slices.Equal(refused, want) {
		t.Errorf("got %v\nwant %v", refused, want)
	}
}

func TestProfilesOfADescription(t *testing.T) {
	a := &ApplicationInfo{Desc: &deploy.ApplicationDescription{MemoryPerExecutorMb: 512}}
	if got := a.Profiles(); !slices.Equal(got, []Profile{{Memory: 512, Limit: math.MaxInt32}}) {
		t.Errorf("%+v", got)
	}
	a.Desc.CoresPerExecutor, a.Desc.InitialExecutorLimit = proto.Int32(2), proto.Int32(0)
	if got := a.Profiles(); !slices.Equal(got, []Profile{{Cores: 2, Memory: 512}}) {
		t.Errorf("%+v", got)
	}
}
