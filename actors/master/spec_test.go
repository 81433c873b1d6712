package master_test

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/messages/deploy"
)

// Document 004: four workers of 8 cores. The first application runs one executor of 4 cores. The second wants 24 cores in
// executors of 6: it gets three at once, and the fourth when the first application ends. It waits for it all its life.
func TestTheExampleOfDocument004(t *testing.T) {
	k := newKit(t)
	for _, name := range []string{"W1", "W2", "W3", "W4"} {
		k.worker(name, 8, 8192)
	}
	first, second := k.newDriver("D1"), k.newDriver("D2")
	first.desc.MaxCores, first.desc.CoresPerExecutor = proto.Int32(4), proto.Int32(4)
	first.register()
	second.desc.MaxCores, second.desc.CoresPerExecutor = proto.Int32(24), proto.Int32(6)
	second.register()
	for range 3 {
		if a := second.added(); a.GetCores() != 6 {
			t.Errorf("%v", a)
		}
	}
	none(t, second.Probe, time.Second)
	first.Send(k.ref, &deploy.UnregisterApplication{AppId: first.id})
	if a := second.added(); a.GetId() != 3 || a.GetCores() != 6 {
		t.Errorf("%v", a)
	}
	none(t, second.Probe, time.Second)
}

// where says on which worker each core of the first application is, worker by worker.
func (k *kit) where() string {
	got := map[string]int32{}
	for _, e := range k.state().GetActiveApps()[0].GetExecutors() {
		got[e.GetWorkerId()] += e.GetCores()
	}
	var out []string
	for _, w := range k.state().GetWorkers() {
		if n := got[w.GetId()]; n > 0 {
			out = append(out, strings.TrimPrefix(w.GetId(), "worker-")+"="+string(rune('0'+n)))
		}
	}
	return strings.Join(out, " ")
}

// The settings of the Master's scheduling, from the setting to the order.
func TestSettingsOfScheduling(t *testing.T) {
	for _, test := range []struct {
		settings []string
		max      int32 // 0: unset
		size     int32 // 0: unset
		want     string
	}{
		{nil, 3, 1, "A=1 B=1 C=1"},
		{[]string{"spark.deploy.spreadOutApps", "false"}, 3, 1, "B=3"}, // the most free cores first
		{[]string{"spark.deploy.workerSelectionPolicy", "CORES_FREE_ASC"}, 1, 1, "A=1"},
		{[]string{"spark.deploy.workerSelectionPolicy", "CORES_FREE_DESC"}, 1, 1, "B=1"},
		{[]string{"spark.deploy.workerSelectionPolicy", "MEMORY_FREE_ASC"}, 1, 1, "B=1"},
		{[]string{"spark.deploy.workerSelectionPolicy", "MEMORY_FREE_DESC"}, 1, 1, "C=1"},
		{[]string{"spark.deploy.workerSelectionPolicy", "WORKER_ID"}, 1, 1, "A=1"},
		{[]string{"spark.deploy.defaultCores", "2"}, 0, 1, "B=1 C=1"}, // ties by descending id, but B has more
		{[]string{"spark.deploy.defaultCores", "2"}, 4, 2, "B=2 C=2"}, // its own maximum comes first
		{nil, 0, 0, "A=2 B=4 C=3"},                                    // all cores of each worker in one executor
		{nil, 0, 3, "B=3 C=3"},
	} {
		k := newKit(t, test.settings...)
		for _, w := range []struct {
			name          string
			cores, memory int32
		}{{"A", 2, 4096}, {"B", 4, 2048}, {"C", 3, 8192}} {
			k.worker(w.name, w.cores, w.memory)
		}
		d := k.newDriver("D")
		d.desc.CoresPerExecutor = nil
		if test.size > 0 {
			d.desc.CoresPerExecutor = proto.Int32(test.size)
		}
		if test.max > 0 {
			d.desc.MaxCores = proto.Int32(test.max)
		}
		d.register()
		if got := k.where(); got != test.want {
			t.Errorf("%v, at most %d in %d: %s, want %s", test.settings, test.max, test.size, got, test.want)
		}
	}
}

// greedy answers with more than any Worker has.
type greedy struct{ cores []int }

func (g greedy) Place(master.Demand, []master.Offer) []int { return g.cores }

// A placement of the user's is followed, and a wrong answer of it is not.
func TestAPlacementThatGivesTooMuchIsNotFollowed(t *testing.T) {
	for _, test := range []struct {
		cores []int
		want  string
	}{
		{[]int{0, 2}, "A=2"}, // the offers are in the order of the policy: B, A
		{[]int{9, 0}, ""},    // more than B has
		{[]int{-1, 1}, ""},
		{[]int{1}, ""},    // no answer for A
		{[]int{2, 2}, ""}, // more than the application may have
	} {
		k := kitWith(t, master.Config{Placement: greedy{test.cores}})
		k.worker("A", 2, 4096)
		k.worker("B", 4, 4096)
		d := k.driver("D", 3)
		if got := k.where(); got != test.want {
			t.Errorf("%v: %q, want %q", test.cores, got, test.want)
		}
		if r := k.why(d.id); test.want == "" && (len(r.GetApplication()) != 1 || r.GetApplication()[0].GetFilter() != "placement") {
			t.Errorf("%v: %v", test.cores, r.GetApplication())
		}
	}
}

// What a peer names goes into paths of Workers and pages: an id is no path.
func TestAnApplicationIDIsNoPath(t *testing.T) {
	for _, settings := range [][]string{
		{"spark.master.useAppNameAsAppId.enabled", "true"},
		{"spark.deploy.appIdPattern", "../%s/%d"},
	} {
		for _, name := range []string{"../../etc", `a\b`, "..", "."} {
			k := newKit(t, settings...)
			d := k.newDriver("D")
			d.desc.Name = name
			d.register()
			if d.id != "app-20260101000000-0000" {
				t.Errorf("%v, %s: %s", settings, name, d.id)
			}
		}
	}
}
