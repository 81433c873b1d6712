package fair

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var options = Options{AllowUndeclared: true, UserAsDefaultQueue: true}

// parsed is what a file with these elements says.
func parsed(t *testing.T, faults Faults, elements string) *Allocations {
	t.Helper()
	o := options
	o.Faults = faults
	a, err := parseAllocations([]byte("<allocations>"+elements+"</allocations>"), o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestDefaultsOfQueuesDoNotLimitTheCluster(t *testing.T) {
	const file = `<queueMaxAppsDefault>2</queueMaxAppsDefault><queueMaxResourcesDefault>5 mb, 5 vcores</queueMaxResourcesDefault><queue name="a"/>`
	for faults, limited := range map[Faults]bool{{}: false, {limitsRoot: true}: true} {
		a := parsed(t, faults, file)
		root := a.Queue(Root)
		if (root.MaxRunningApps == 2) != limited || (root.MaxShare(Resource{}) == Resource{5, 5}) != limited {
			t.Errorf("faults %v: root has %d applications and %v", faults, root.MaxRunningApps, root.Max)
		}
		for _, name := range []string{"root.a", "root.made", "root.a.made"} {
			if q := a.Queue(name); q.MaxRunningApps != 2 || q.MaxShare(Resource{}) != (Resource{5, 5}) {
				t.Errorf("faults %v: %s has %d applications and %v", faults, name, q.MaxRunningApps, q.Max)
			}
		}
	}
	own := `<queueMaxAppsDefault>2</queueMaxAppsDefault><queue name="root"><maxRunningApps>7</maxRunningApps></queue>`
	if got := parsed(t, Faults{}, own).Queue(Root).MaxRunningApps; got != 7 {
		t.Errorf("root's own limit of 7 is %d", got)
	}
}

func TestAMaximumOfOneTypeDoesNotLimitTheOther(t *testing.T) {
	const file = `<queue name="a"><maxResources>memory-mb=4096</maxResources><maxContainerAllocation>memory-mb=1024</maxContainerAllocation></queue>`
	a := parsed(t, Faults{}, file).Queue("root.a")
	if got, want := a.MaxShare(Resource{8192, 8}), (Resource{4096, unboundedVCores}); got != want {
		t.Errorf("maximum %v, want %v", got, want)
	}
	if got, want := a.MaxContainerAllocation, (Resource{1024, unboundedVCores}); got != want {
		t.Errorf("largest container %v, want %v", got, want)
	}
	if got, want := parsed(t, Faults{leavesNoCores: true}, file).Queue("root.a").MaxShare(Resource{8192, 8}), (Resource{4096, 0}); got != want {
		t.Errorf("in Hadoop: maximum %v, want %v", got, want)
	}
}

func TestAMinimumInPerCent(t *testing.T) {
	const file = `<queue name="a"><minResources>10% memory, 25% cpu</minResources></queue>`
	if got, want := parsed(t, Faults{}, file).Queue("root.a").MinShare(Resource{10240, 9}), (Resource{1024, 2}); got != want {
		t.Errorf("minimum %v, want %v", got, want)
	}
	if got := parsed(t, Faults{noMinimumParts: true}, file).Queue("root.a").MinShare(Resource{10240, 9}); !got.IsZero() {
		t.Errorf("in Hadoop: minimum %v, want none", got)
	}
}

func TestAWeightIsANumberFromZeroUp(t *testing.T) {
	for _, weight := range []string{"-1", "-Infinity", "NaN", "1e39", "Infinity"} {
		file := []byte(`<allocations><queue name="a"><weight>` + weight + `</weight></queue></allocations>`)
		var bad *fileError
		if _, err := parseAllocations(file, options); !errors.As(err, &bad) || bad.Line != 1 || !strings.Contains(err.Error(), "queue root.a") {
			t.Errorf("weight %s: %v", weight, err)
		}
		upstream := options
		upstream.Faults = Faults{anyNumber: true}
		if _, err := parseAllocations(file, upstream); err != nil {
			t.Errorf("in Hadoop: weight %s: %v", weight, err)
		}
	}
	for weight, want := range map[string]float32{"0": 0, "2.5f": 2.5, "1e-3": 1e-3, "+4d": 4, "0x1p3": 8, ".5": .5} {
		if got := parsed(t, Faults{}, `<queue name="a"><weight>`+weight+`</weight></queue>`).Queue("root.a").Weight; got != want {
			t.Errorf("weight %s is %v, want %v", weight, got, want)
		}
	}
}

// TestASchedulableWithoutANumberForAWeightEnds: shares are computed though no ratio uses anything up. No number is no weight,
// an infinite one all that there may be, and the smallest one an equal part, beside a common weight none.
func TestASchedulableWithoutANumberForAWeightEnds(t *testing.T) {
	total := Resource{1000, 10}
	for _, v := range []struct {
		weight                float32
		alone, beside, common Resource
	}{
		{weight: float32(math.NaN()), common: total},
		{weight: float32(math.Inf(1)), alone: unbounded, beside: unbounded},
		{weight: math.SmallestNonzeroFloat32, alone: Resource{500, 5}, common: total},
	} {
		for _, faults := range []Faults{{}, Upstream()} {
			one, other := &schedulable{Name: "a", Weight: v.weight, MaxShare: unbounded}, &schedulable{Name: "b", Weight: v.weight, MaxShare: unbounded}
			policyOf("drf", faults).ComputeShares([]*schedulable{one, other}, total)
			if one.FairShare != v.alone || other.FairShare != v.alone {
				t.Errorf("weight %v: %v and %v, want %v each", v.weight, one.FairShare, other.FairShare, v.alone)
			}
			common := &schedulable{Name: "c", Weight: 1, MaxShare: unbounded}
			policyOf("drf", faults).ComputeShares([]*schedulable{one, common}, total)
			if one.FairShare != v.beside || common.FairShare != v.common {
				t.Errorf("weight %v beside 1: %v and %v, want %v and %v", v.weight, one.FairShare, common.FairShare, v.beside, v.common)
			}
		}
	}
}

func TestATimeOutWithoutEndIsNone(t *testing.T) {
	const file = `<defaultMinSharePreemptionTimeout>9223372036854775807</defaultMinSharePreemptionTimeout>`
	for faults, want := range map[Faults]time.Duration{{}: never, {secondsWrap: true}: -time.Second} {
		if got := parsed(t, faults, file).Queue("root.a").MinSharePreemptionTimeout; got != want {
			t.Errorf("faults %v: %v, want %v", faults, got, want)
		}
	}
}

func TestTheNameOfRootIsReadInAnyCase(t *testing.T) {
	const file = `<queue name="Root"><maxRunningApps>3</maxRunningApps><queue name="a"><maxRunningApps>2</maxRunningApps></queue></queue>`
	for faults, want := range map[Faults]string{{}: "[root 3 root.a 2]", {rootInOneCase: true}: "[root 2147483647 root.Root 2147483647 root.Root.a 2147483647]"} {
		var got []any
		for _, q := range parsed(t, faults, file).Queues() {
			got = append(got, q.Name, q.MaxRunningApps)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("faults %v: %v, want %s", faults, got, want)
		}
	}
}

func TestOnlyQueueAndPoolAreQueues(t *testing.T) {
	const file = `<queue name="a"><ue name="b"/><pool name="c"/></queue>`
	for faults, want := range map[Faults]string{{}: "[root root.a root.a.c]", {queueSuffixes: true}: "[root root.a root.a.b root.a.c]"} {
		if got := fmt.Sprint(parsed(t, faults, file).names()); got != want {
			t.Errorf("faults %v: %s, want %s", faults, got, want)
		}
	}
}

func TestWhatAFileSaysInVain(t *testing.T) {
	const file = `<moon/><weight>2</weight>
<queue name="a"><moon/><userMaxAppsDefault>1</userMaxAppsDefault></queue>
<queue name="b"><minResources>2 mb, 2 vcores</minResources><maxResources>1 mb, 1 vcores</maxResources></queue>
<queue name="c"><schedulingPolicy>fifo</schedulingPolicy>
<queue name="d"/></queue>`
	a := parsed(t, Faults{}, file)
	want := []string{
		"line 1: <moon> is ignored: no setting has this name",
		"line 1: <weight> is ignored: it belongs in a queue",
		"line 2: queue root.a: <moon> is ignored: no setting has this name",
		"line 2: queue root.a: <userMaxAppsDefault> is ignored: it belongs outside of queues",
		"line 3: queue root.b: its minimum <memory:2, vCores:2> is above its maximum <memory:1, vCores:1>, which is raised to it",
		"queue root.c is left out: its policy is FIFO, and it is a parent; only queues without children can have FIFO",
		"queue root.c.d is left out, as root.c is",
	}
	if !slices.Equal(a.Warnings, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(a.Warnings, "\n"), strings.Join(want, "\n"))
	}
}

func TestFIFOTakesTheShareOfWhoComesLater(t *testing.T) {
	for faults, want := range map[Faults]Resource{{}: {}, {keepsShares: true}: {100, 10}} {
		late, early := &schedulable{Name: "late", StartTime: 2}, &schedulable{Name: "early", StartTime: 1}
		fifo := policyOf("fifo", faults)
		fifo.ComputeShares([]*schedulable{late}, Resource{100, 10})
		fifo.ComputeShares([]*schedulable{late, early}, Resource{100, 10})
		if early.FairShare != (Resource{100, 10}) || late.FairShare != want {
			t.Errorf("faults %v: %v and %v", faults, early.FairShare, late.FairShare)
		}
	}
}

// anySchedulable draws from few values, so that ties and zeros are frequent.
func anySchedulable(name string) *rapid.Generator[*schedulable] {
	amount := func(t *rapid.T, what string, from ...int64) Resource {
		pick := rapid.SampledFrom(from)
		return Resource{pick.Draw(t, what+" memory"), pick.Draw(t, what+" vcores")}
	}
	return rapid.Custom(func(t *rapid.T) *schedulable {
		return &schedulable{
			Name: name, Weight: rapid.SampledFrom([]float32{0, 0.5, 1, 2, 3}).Draw(t, "weight"), MaxShare: unbounded,
			Usage: amount(t, "usage", 0, 1, 2, 1024), Demand: amount(t, "demand", 0, 1, 2048), MinShare: amount(t, "min", 0, 1, 1024),
		}
	})
}

func TestTheComparatorsAreTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		policy := policyOf(rapid.SampledFrom([]string{"fair", "drf", "fifo"}).Draw(t, "policy"), Faults{})
		cluster := rapid.SampledFrom([]Resource{{}, {4096, 0}, {4096, 8}, {Memory: 0, VCores: 8}}).Draw(t, "cluster")
		var items []*schedulable
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			items = append(items, anySchedulable(name).Draw(t, name))
		}
		for _, a := range items {
			for _, b := range items {
				ab, ba := policy.Compare(a, b, cluster), policy.Compare(b, a, cluster)
				if (a == b) != (ab == 0) || ab*ba > 0 || (ab == 0) != (ba == 0) {
					t.Fatalf("%s to %s is %d, %s to %s is %d", a.Name, b.Name, ab, b.Name, a.Name, ba)
				}
				for _, c := range items {
					if ab < 0 && policy.Compare(b, c, cluster) < 0 && policy.Compare(a, c, cluster) >= 0 {
						t.Fatalf("%s before %s before %s, but not %s before %s", a.Name, b.Name, c.Name, a.Name, c.Name)
					}
				}
			}
		}
	})
}

func TestHadoopsComparatorOfDRFIsNot(t *testing.T) {
	one := func(name string, weight float32, usage, demand Resource) *schedulable {
		return &schedulable{Name: name, Weight: weight, Usage: usage, Demand: demand, MaxShare: unbounded}
	}
	items := []*schedulable{
		one("m", 0, Resource{}, Resource{1, 1}), one("z", 1, Resource{1, 1}, Resource{1, 1}), one("a", 1, Resource{5, 1}, Resource{1, 1}),
	}
	p := policyOf("drf", Upstream())
	less := func(i, j int) bool { return p.Compare(items[i], items[j], Resource{10, 10}) < 0 }
	if !less(0, 1) || !less(1, 2) || !less(2, 0) {
		t.Error("no cycle")
	}
}
