package master

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/compat"
	"github.com/coherer/coherer/rpcenv/conf"
)

func TestFaultsAreThoseOfTheSetting(t *testing.T) {
	for text, want := range map[string]faults{
		"fixed": {}, "upstream": {launchLoop: true, recoveredRunning: true}, "spark-2425": {lifetimeFailures: true}, "SPARK-8881": {coreByCore: true},
		"SPARK-9731,SPARK-16925": {memoryPerCore: true, silentExit: true}, "SPARK-13604": {ghosts: true}, "SPARK-23191": {refusesKnown: true},
	} {
		c, err := conf.New(map[string]string{"coherer.compat": text})
		if err != nil {
			t.Fatal(err)
		}
		if got := faultsOf(c); got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
	c, err := conf.New(map[string]string{"coherer.deploy.scheduler": "core-by-core"})
	if err != nil || !faultsOf(c).coreByCore {
		t.Errorf("%v", err)
	}
	for _, bad := range []string{"SPARK-1", "fixed,SPARK-2425", ","} {
		if _, err := conf.New(map[string]string{"coherer.compat": bad}, compat.Settings); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

// SPARK-8881: 4 workers x 16 cores, at most 48, 16 for each executor.
func TestCoreByCore(t *testing.T) {
	for _, test := range []struct {
		free              []int
		max, perExec      int
		memory            int
		limit             int
		spread, fill      []int
		executors, filled int // how many start
	}{
		{free: []int{16, 16, 16, 16}, max: 48, perExec: 16, memory: 1 << 20, limit: noLimit, spread: []int{12, 12, 12, 12}, fill: []int{16, 16, 16, 0}, filled: 3},
		{free: []int{16, 16, 16, 16}, max: 48, memory: 1 << 20, limit: noLimit, spread: []int{12, 12, 12, 12}, fill: []int{16, 16, 16, 0}, executors: 4, filled: 3},
		{free: []int{3, 9}, max: 8, perExec: 2, memory: 2048, limit: noLimit, spread: []int{3, 5}, fill: []int{3, 5}, executors: 3, filled: 3},
		{free: []int{4, 4}, max: 8, perExec: 1, memory: 1 << 20, limit: 3, spread: []int{3, 0}, fill: []int{3, 0}, executors: 3, filled: 3},
		{free: []int{4, 4}, max: 8, memory: 1 << 20, limit: 1, spread: []int{4, 0}, fill: []int{4, 0}, executors: 1, filled: 1},
		{free: []int{4}, max: 0, memory: 1 << 20, limit: noLimit, spread: []int{0}, fill: []int{0}},
	} {
		p := resourceProfile{Cores: test.perExec, Memory: 1024, Limit: test.limit}
		for by, want := range map[Placement][]int{CoreByCore{SpreadOut: true}: test.spread, CoreByCore{}: test.fill} {
			ws := pool(test.memory, test.free...)
			got := decided(t, by, running(test.max, 0), p, ws)
			n := 0
			for _, cores := range got {
				n += len(executorSizes(p.Cores, cores))
			}
			start := test.filled
			if by == (CoreByCore{SpreadOut: true}) {
				start = test.executors
			}
			if !slices.Equal(got, want) || n != start {
				t.Errorf("%+v %+v: %v, want %v; %d executors, want %d", test, by, got, want, n, start)
			}
		}
	}
}

// SPARK-9731: a worker of 4 GiB and 10 cores, an executor of 3 GiB without a size.
func TestMemoryPerCore(t *testing.T) {
	p := resourceProfile{Memory: 3072, Limit: noLimit}
	if got := decided(t, memoryPerCore{true}, running(noLimit, 0), p, pool(4096, 10)); got[0] != 1 {
		t.Errorf("historic: %v", got)
	}
	if got := decided(t, SpreadOut{}, running(noLimit, 0), p, pool(4096, 10)); got[0] != 10 {
		t.Errorf("%v", got)
	}
	if got := decided(t, memoryPerCore{true}, running(noLimit, 0), p, pool(8192, 10)); got[0] != 2 {
		t.Errorf("historic: %v", got)
	}
	p.Cores = 2 // executors with a size had it right
	if got := decided(t, memoryPerCore{true}, running(noLimit, 0), p, pool(4096, 10)); got[0] != 2 {
		t.Errorf("%v", got)
	}
}

// How Spark counted ends: each case is a row of ends, of which true is a normal one; want is the count of failures after each, how
// many ended early, and whether the application is removed. The limit is 2 unless said.
func TestHowSparkCountedEnds(t *testing.T) {
	lifetime, loop := faults{lifetimeFailures: true}, faults{launchLoop: true}
	for _, test := range []struct {
		name  string
		f     faults
		limit int
		alive bool // another executor runs
		ends  []bool
		want  string
	}{
		{"SPARK-2425: all failures", lifetime, 2, true, []bool{false, true, false}, "1/1 1/2 2/3/removed"},
		{"SPARK-2425: no limit", lifetime, -1, false, []bool{false, false, false}, "1/1 2/2 3/3"},
		{"SPARK-2425: a limit of none", lifetime, 0, false, []bool{false}, "1/1/removed"},
		{"SPARK-2425: a limit of one", lifetime, 1, false, []bool{false}, "1/1/removed"},
		{"SPARK-27510: with none that runs", loop, 2, false, []bool{false, true, false}, "1/1 1/2 2/3/removed"},
		{"SPARK-27510: one that runs keeps it", loop, 2, true, []bool{false, false, false}, "1/1 2/2 3/3"},
	} {
		now := time.Unix(1000, 0)
		a := &applicationInfo{executors: []*executorDesc{{}}} // one that is launched counts for nothing
		if test.alive {
			a.executors = append(a.executors, &executorDesc{runningSince: now})
		}
		var got []string
		for _, normal := range test.ends {
			now = now.Add(time.Second)
			remove, counted := a.historicEnd(test.f, normal, test.limit, now)
			text := fmt.Sprintf("%d/%d", a.health.failures, a.health.early)
			if remove {
				text += "/removed"
			}
			if !counted || !a.health.last.Equal(now) {
				text += "/not counted"
			}
			got = append(got, text)
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
	if remove, counted := (&applicationInfo{}).historicEnd(faults{}, false, 1, time.Unix(1, 0)); remove || counted {
		t.Error("without a fault the end is counted as in Spark")
	}
}

// Of no executors wanted CoreByCore gives none.
func TestCoreByCoreOfNothing(t *testing.T) {
	for _, spread := range []bool{true, false} {
		if got := (CoreByCore{spread}).Place(Demand{CoresLeft: 4}, []Offer{{CoresFree: 4, Room: 4}}); !slices.Equal(got, []int{0}) {
			t.Errorf("%v", got)
		}
	}
}
