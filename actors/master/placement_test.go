package master

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// pool makes Workers with so many free cores and so much free memory each.
func pool(memory int, cores ...int) []*workerInfo {
	var ws []*workerInfo
	for i, n := range cores {
		ws = append(ws, &workerInfo{ID: fmt.Sprintf("w%02d", i), Cores: n, Memory: memory})
	}
	return ws
}

// running makes an application with n executors of the default profile that count for its limit only.
func running(maxCores, n int) *applicationInfo {
	a := &applicationInfo{ID: "app", MaxCores: maxCores}
	for range n {
		a.addExecutor(&workerInfo{}, 0, resourceProfile{})
	}
	return a
}

// decided is what p gives, which must be possible.
func decided(t interface{ Fatal(...any) }, by Placement, app *applicationInfo, p resourceProfile, ws []*workerInfo) []int {
	cores, err := decide(app, p, by, ws)
	if err != nil {
		t.Fatal(err)
	}
	return cores
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
		{free: []int{4, 4}, max: 8, limit: 2, want: []int{4, 4}}, // an executor that grows counts once
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
		p := resourceProfile{Cores: test.perExec, Memory: 1024, Limit: test.limit}
		for by, want := range map[Placement][]int{SpreadOut{}: test.want, Consolidate{}: test.noSpread} {
			if got := decided(t, by, running(test.max, test.running), p, pool(test.memory, test.free...)); !slices.Equal(got, want) {
				t.Errorf("%+v %T: %v, want %v", test, by, got, want)
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
		p := resourceProfile{
			Cores:  rapid.IntRange(0, 6).Draw(t, "cores per executor"),
			Memory: rapid.IntRange(1, 2048).Draw(t, "executor memory"),
			Limit:  rapid.IntRange(0, 12).Draw(t, "limit"),
		}
		app := running(rapid.IntRange(0, 80).Draw(t, "max cores"), rapid.IntRange(0, 4).Draw(t, "running"))
		by := rapid.SampledFrom([]Placement{SpreadOut{}, Consolidate{}}).Draw(t, "placement")
		usable, _ := usableFor(ws, p)
		cores := decided(t, by, app, p, usable)

		sum, executors := 0, 0
		for i, w := range usable {
			sizes := executorSizes(p.Cores, cores[i])
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
			n := len(executorSizes(p.Cores, cores[i]))
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
		p := resourceProfile{Cores: rapid.IntRange(0, 6).Draw(t, "cores per executor"), Memory: 1, Limit: math.MaxInt32}
		app := running(rapid.IntRange(0, 100).Draw(t, "max cores"), 0)
		cores := decided(t, SpreadOut{}, app, p, pool(1024, slices.Repeat([]int{free}, n)...))
		if d := slices.Max(cores) - slices.Min(cores); d > p.Step() {
			t.Fatalf("%v: differs by %d, a step is %d", cores, d, p.Step())
		}
		if !slices.IsSortedFunc(cores, func(a, b int) int { return b - a }) {
			t.Fatalf("%v: a later worker has more", cores)
		}
	})
}

// An answer of a placement is followed when it is within the offers and the demand, to the last core and executor.
func TestWhichAnswersAreFollowed(t *testing.T) {
	offers := []Offer{{Worker: "a", CoresFree: 4, Room: 2}, {Worker: "b", CoresFree: 4, Room: 9}}
	for _, test := range []struct {
		cores, left, executors int // of the demand
		answer                 []int
		want                   string
	}{
		{2, 8, 4, []int{4, 4}, ""},
		{2, 7, 4, []int{4, 4}, "master: the placement gives 8 cores in 4 executors, the application may get 7 in 4"},
		{2, 8, 3, []int{4, 4}, "master: the placement gives 8 cores in 4 executors, the application may get 8 in 3"},
		{0, 8, 2, []int{4, 4}, ""}, // one executor each
		{1, 8, 4, []int{3, 0}, "master: the placement gives 3 cores of worker a, which has 4 free and room for 2 executors"},
		{1, 8, 8, []int{0, 5}, "master: the placement gives 5 cores of worker b, which has 4 free and room for 9 executors"},
		{1, 8, 8, []int{-1, 4}, "master: the placement gives -1 cores of worker a, which has 4 free and room for 2 executors"},
		{1, 8, 8, []int{1}, "master: the placement answered 1 numbers for 2 offers"},
	} {
		got := ""
		if err := checkPlacement(Demand{Cores: test.cores, CoresLeft: test.left, Executors: test.executors}, offers, test.answer); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%v: %q, want %q", test.answer, got, test.want)
		}
	}
}

// A placement sees all of a Worker and of the wish that its documentation names.
func TestWhatAPlacementSees(t *testing.T) {
	w := &workerInfo{ID: "w", Host: "h", Cores: 8, CoresUsed: 3, Memory: 4096, MemoryUsed: 1024, resources: gpus(2), executors: make([]*executorDesc, 2)}
	if got, want := w.offer(resourceProfile{Memory: 1024}), (Offer{"w", "h", 8, 5, 4096, 3072, 3, 2}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := w.offer(resourceProfile{Memory: 1024, Resources: []requirement{{"gpu", 1}}}).Room; got != 2 {
		t.Errorf("room for %d, want 2", got)
	}
	a := running(10, 2)
	a.CoresGranted = 4
	p := resourceProfile{ID: 3, Cores: 2, Memory: 512, Limit: 5}
	if got, want := a.demand(p), (Demand{"app", 3, 2, 512, 6, 5}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	p.ID, p.Limit = 0, 1 // two executors are there
	if got := a.demand(p).Executors; got != 0 {
		t.Errorf("%d more executors, want 0", got)
	}
}
