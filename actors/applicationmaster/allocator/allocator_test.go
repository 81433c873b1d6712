package allocator_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/coherer/coherer/actors/applicationmaster/allocator"
	"github.com/coherer/coherer/actors/applicationmaster/amrm"
	"github.com/coherer/coherer/actors/hadoop/exitstatus"
)

var size = amrm.Resource{MemoryMB: 1408, VCores: 1}

var other = allocator.Profile{ID: 1, Container: size, TasksPerExecutor: 1}

var defaultProfile = allocator.Profile{Container: size, MemoryMB: 1024, Cores: 1, TasksPerExecutor: 1}

func newAllocator(target int) *allocator.Allocator {
	return allocator.New(allocator.Config{Default: defaultProfile, Target: target, Rack: func(h string) string { return "/r" + h[1:] }})
}

func given(id, host string) allocator.Container {
	return allocator.Container{ID: id, Host: host, Resource: amrm.Resource{MemoryMB: 2048, VCores: 1}}
}

// start gives a container and reports the launches as done.
func start(t *testing.T, a *allocator.Allocator, containers ...allocator.Container) []allocator.Launch {
	t.Helper()
	launches, _ := a.Allocated(containers)
	for _, l := range launches {
		a.Launched(l, allocator.Started, began)
	}
	return launches
}

func total(n int, hosts ...allocator.HostCount) []allocator.Total {
	aware := 0
	for _, h := range hosts {
		aware += h.Tasks
	}
	return []allocator.Total{{Profile: defaultProfile, Total: n, LocalityAware: aware, Hosts: hosts}}
}

func asks(a *allocator.Allocator) string {
	a.Update()
	var out []string
	for _, ask := range a.RM.Take().Asks {
		out = append(out, fmt.Sprintf("%s:%d", ask.Name, ask.Count))
	}
	return strings.Join(out, " ")
}

func balance(a *allocator.Allocator) string {
	b := a.Balances()[0]
	return fmt.Sprintf("target=%d pending=%d running=%d starting=%d", b.Target, b.Pending, b.Running, b.Starting)
}

func completed(id string, status int) []allocator.Completed {
	return []allocator.Completed{{ContainerID: id, ExitStatus: status, Diagnostics: "a crash"}}
}

func TestMissingIsTargetLessPendingRunningAndStarting(t *testing.T) {
	a := newAllocator(5)
	if got := asks(a); got != "*:5" {
		t.Error(got)
	}
	launches, _ := a.Allocated([]allocator.Container{given("c1", "h1"), given("c2", "h2")})
	a.Launched(launches[0], allocator.Started, began)
	if got := balance(a); got != "target=5 pending=3 running=1 starting=1" {
		t.Error(got)
	}
	if got := asks(a); got != "" {
		t.Error("the ResourceManager knows what it gave:", got)
	}
	a.RequestTotal(total(7), nil, began)
	if got := asks(a); got != "*:5" {
		t.Error(got)
	}
}

func TestALowerTargetCancelsRequestsAndEndsNobody(t *testing.T) {
	a := newAllocator(5)
	a.Update()
	start(t, a, given("c1", "h1"), given("c2", "h2"))
	a.RequestTotal(total(3), nil, began)
	if got := asks(a); got != "*:1" {
		t.Error(got)
	}
	a.RequestTotal(total(1), nil, began)
	if got := asks(a); got != "*:0" {
		t.Error(got)
	}
	if got := balance(a); got != "target=1 pending=0 running=2 starting=0" {
		t.Error(got)
	}
}

func TestRequestTotalWithoutTotalsWantsNone(t *testing.T) {
	a := newAllocator(2)
	a.Update()
	if !a.RequestTotal(nil, []string{"h1"}, began) {
		t.Error("that is a change")
	}
	a.Update()
	if c := a.RM.Take(); len(c.Asks) != 1 || c.Asks[0].Count != 0 || !slices.Equal(c.BlacklistAdditions, []string{"h1"}) {
		t.Error(c)
	}
}

func TestExcludedNodesAreTakenOnlyWithAChangedTarget(t *testing.T) {
	a := newAllocator(2)
	if a.RequestTotal(total(2), []string{"h1"}, began) {
		t.Error("nothing changed")
	}
	if c := a.RM.Take(); len(c.BlacklistAdditions) > 0 {
		t.Error(c)
	}
	a.RequestTotal(total(3), []string{"h1"}, began)
	if c := a.RM.Take(); !slices.Equal(c.BlacklistAdditions, []string{"h1"}) {
		t.Error(c)
	}
}

// A request for more executors than a cluster can have does not fill the memory.
func TestATargetHasABound(t *testing.T) {
	a := newAllocator(math.MaxInt32)
	a.Update()
	if got := a.Pending(); got != allocator.MostExecutors {
		t.Error(got)
	}
	if a.RequestTotal(total(math.MaxInt32-1), nil, began) {
		t.Error("a bound that stays is no change")
	}
	a.RequestTotal(total(2), nil, began)
	if got := asks(a); got != "*:2" {
		t.Error(got)
	}
}

func TestStaleRequestsAreAskedForAnew(t *testing.T) {
	a := newAllocator(0)
	a.RequestTotal(total(2, allocator.HostCount{Host: "h1", Tasks: 2}), nil, began)
	if got := asks(a); got != "*:2 /r1:2 h1:2" {
		t.Error(got)
	}
	a.RequestTotal(total(3, allocator.HostCount{Host: "h2", Tasks: 3}), nil, began)
	if got := asks(a); got != "*:3 /r1:0 /r2:3 h1:0 h2:3" {
		t.Error(got)
	}
}

func TestRequestsForAnywhereAreReplacedByRequestsForHosts(t *testing.T) {
	a := newAllocator(3)
	a.Update()
	a.RequestTotal(total(4, allocator.HostCount{Host: "h1", Tasks: 3}), nil, began)
	if got := asks(a); got != "*:4 /r1:3 h1:3" {
		t.Error(got)
	}
}

func TestStaleRequestsAreCancelledFirstThenThoseForAnywhere(t *testing.T) {
	a := newAllocator(0)
	a.RequestTotal(total(1, allocator.HostCount{Host: "h1", Tasks: 1}), nil, began)
	a.Update()
	a.RequestTotal(total(2, allocator.HostCount{Host: "h1", Tasks: 1}), nil, began)
	a.Update()
	a.RequestTotal(total(3, allocator.HostCount{Host: "h1", Tasks: 2}), nil, began)
	if got := asks(a); got != "*:3 /r1:2 h1:2" {
		t.Error(got)
	}
	a.RequestTotal(total(2, allocator.HostCount{Host: "h1", Tasks: 2}), nil, began)
	if got := asks(a); got != "*:2" {
		t.Error("the one for anywhere was not the first:", got)
	}
}

// What tasks prefer is kept though the target stays: it is where the next container is asked for. A profile that is not named
// keeps its target.
func TestPreferencesAreKeptWithAnUnchangedTarget(t *testing.T) {
	a := newAllocator(1)
	a.Update()
	start(t, a, given("c1", "h1"))
	if a.RequestTotal(total(1, allocator.HostCount{Host: "h2", Tasks: 3}), nil, began) {
		t.Error("nothing changed")
	}
	a.CompletedContainers(completed("c1", exitstatus.Preempted), began)
	if got := asks(a); got != "*:1 /r2:1 h2:1" {
		t.Error(got)
	}
	a.RequestTotal([]allocator.Total{{Profile: allocator.Profile{ID: 2, Container: size, TasksPerExecutor: 1}, Total: 4}}, nil, began)
	if b := a.Balances(); len(b) != 2 || b[0].Target != 1 || b[1].Target != 4 {
		t.Error(b)
	}
	start(t, a, given("c2", "h2"))
	a.CompletedContainers(completed("c2", exitstatus.Preempted), began)
	if got := asks(a); got != "*:1 *:4" {
		t.Error("a profile that is not named has no preferences any more:", got)
	}
}

// Preferences that change while nothing is missing move no request.
func TestRequestsStayWhileNothingIsMissing(t *testing.T) {
	a := newAllocator(2)
	asks(a)
	a.RequestTotal(total(2, allocator.HostCount{Host: "h1", Tasks: 2}), nil, began)
	if got := asks(a); got != "" {
		t.Error(got)
	}
}

// Update reports each profile of which requests changed, with its books before, what was added and what was taken back.
func TestUpdateReportsWhatChanged(t *testing.T) {
	h := func(host string, tasks int) allocator.HostCount { return allocator.HostCount{Host: host, Tasks: tasks} }
	a := newAllocator(0)
	for _, step := range []struct {
		total []allocator.Total
		want  string
	}{
		{total(0), "[]"},
		{total(2), "[{{0 2 0 0 0} 2 0 2}]"},
		{total(2), "[]"},
		{total(4, h("h1", 3)), "[{{0 4 2 0 0} 3 1 2}]"},  // three for h1, one of which stands for one for anywhere
		{total(5, h("h2", 2)), "[{{0 5 4 0 0} 4 3 1}]"},  // the three for h1 are stale
		{total(3, h("h2", 2)), "[{{0 3 5 0 0} 0 2 -2}]"}, //
		{total(1, h("h2", 2)), "[{{0 1 3 0 0} 0 2 -2}]"}, //
		{total(0), "[{{0 0 1 0 0} 0 1 -1}]"},             //
		{append(total(0), allocator.Total{Profile: other, Total: 1}), "[{{1 1 0 0 0} 1 0 1}]"}, // nothing of the default profile
	} {
		a.RequestTotal(step.total, nil, began)
		if got := fmt.Sprint(a.Update()); got != step.want {
			t.Errorf("%+v: %s, want %s", step.total, got, step.want)
		}
	}
}

// YARN takes no hosts beside a label. Spark asks for both, and its reporter fails.
func TestALabelTakesNoHosts(t *testing.T) {
	a := allocator.New(allocator.Config{Default: defaultProfile, Label: "gpu"})
	a.RequestTotal(total(2, allocator.HostCount{Host: "h1", Tasks: 2}), nil, began)
	a.Update()
	c := a.RM.Take()
	if len(c.Asks) != 1 || c.Asks[0].Name != amrm.Any || c.Asks[0].Count != 2 || c.Asks[0].Label != "gpu" {
		t.Error(c.Asks)
	}
}

func TestEachProfileIsAskedForAtItsOwnPriority(t *testing.T) {
	a := newAllocator(1)
	big := allocator.Profile{ID: 3, Container: amrm.Resource{MemoryMB: 4096, VCores: 4}, TasksPerExecutor: 4}
	a.RequestTotal(append(total(1), allocator.Total{Profile: big, Total: 2}), nil, began)
	a.Update()
	c := a.RM.Take()
	if len(c.Asks) != 2 || c.Asks[0].Priority != 0 || c.Asks[1] != (amrm.Ask{Priority: 3, Name: amrm.Any, Capability: big.Container, RelaxLocality: true, Count: 2}) {
		t.Fatal(c.Asks)
	}
	l := start(t, a, allocator.Container{ID: "c1", Host: "h1", Priority: 3, Resource: big.Container})
	if len(l) != 1 || l[0].Profile.ID != 3 {
		t.Error(l)
	}
}

func TestAHostIsToldToDecommissionOnce(t *testing.T) {
	a := newAllocator(0)
	if got := a.Decommissioning([]string{"h1", "h2", "h1"}); !slices.Equal(got, []string{"h1", "h2"}) {
		t.Error(got)
	}
	if got := a.Decommissioning([]string{"h2", "h3"}); !slices.Equal(got, []string{"h3"}) {
		t.Error(got)
	}
	for i := range 197 { // these, with h1, h2 and h3, are 200
		a.Decommissioning([]string{fmt.Sprint("n", i)})
	}
	if got := a.Decommissioning([]string{"h1"}); len(got) != 0 {
		t.Error("the oldest of 200 is remembered:", got)
	}
	if got := a.Decommissioning([]string{"new", "h2", "h1"}); !slices.Equal(got, []string{"new", "h1"}) {
		t.Error("the oldest of 201 is forgotten:", got)
	}
}

// I11: right behind Update what is asked for is max(0, target - running - starting), whatever came before.
func TestTheAsksBalance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := newAllocator(rapid.IntRange(0, 5).Draw(t, "initial"))
		var launching []allocator.Launch
		var running, executors []string
		next := 0
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0:
				var hosts []allocator.HostCount
				for i := range rapid.IntRange(0, 3).Draw(t, "hosts") {
					hosts = append(hosts, allocator.HostCount{Host: fmt.Sprint("h", i), Tasks: rapid.IntRange(0, 5).Draw(t, "tasks")})
				}
				a.RequestTotal(total(rapid.IntRange(0, 8).Draw(t, "total"), hosts...), nil, began)
			case 1, 2:
				var containers []allocator.Container
				for range rapid.IntRange(1, 3).Draw(t, "given") {
					next++
					containers = append(containers, given(fmt.Sprint("c", next), fmt.Sprint("h", rapid.IntRange(0, 3).Draw(t, "host"))))
				}
				launches, _ := a.Allocated(containers)
				launching = append(launching, launches...)
			case 3:
				for _, l := range launching {
					how := allocator.Start(rapid.IntRange(0, 2).Draw(t, "how"))
					a.Launched(l, how, began)
					if how == allocator.Started {
						running, executors = append(running, l.Container.ID), append(executors, l.ExecutorID)
					}
				}
				launching = nil
			case 4:
				if len(running) > 0 {
					a.CompletedContainers(completed(running[0], rapid.SampledFrom([]int{0, 1, -100, -102}).Draw(t, "status")), began)
					running = running[1:]
				}
			case 5:
				if len(executors) > 0 {
					a.Kill(rapid.SampledFrom(executors).Draw(t, "killed"))
				}
			}
			a.Update()
			for _, b := range a.Balances() {
				if want := max(0, b.Target-b.Running-b.Starting); b.Pending != want {
					t.Fatalf("%+v: pending, want %d", b, want)
				}
			}
		}
	})
}
