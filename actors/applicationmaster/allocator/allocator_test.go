package allocator_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/coherer/coherer/actors/applicationmaster/allocator"
	"github.com/coherer/coherer/actors/applicationmaster/amrm"
)

var size = amrm.Resource{MemoryMB: 1408, VCores: 1}

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
	return []allocator.Completed{{ContainerID: id, ExitStatus: status, Diagnostics: "told"}}
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
	if !a.RequestTotal(nil, nil, began) {
		t.Error("that is a change")
	}
	if got := asks(a); got != "*:0" {
		t.Error(got)
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

func TestHostRackAndAnyAreMatchedInThisOrder(t *testing.T) {
	a := newAllocator(0)
	a.RequestTotal(total(3, allocator.HostCount{Host: "h1", Tasks: 1}, allocator.HostCount{Host: "h2", Tasks: 1}), nil, began)
	a.Update() // one for h1 or h2, and its rest: Place asks for both hosts
	before := a.Pending()
	launches, surplus := a.Allocated([]allocator.Container{given("c1", "h9"), given("c2", "h2"), given("c3", "h1")})
	if before != 3 || len(surplus) > 0 || len(launches) != 3 {
		t.Fatal(before, surplus, launches)
	}
	// The one on the wrong host comes last, whatever the order of the answer.
	if got := fmt.Sprint(launches[0].Container.Host, launches[1].Container.Host, launches[2].Container.Host); got != "h2h1h9" {
		t.Error(got)
	}
	if a.Pending() != 0 {
		t.Error(a.Pending())
	}
}

func TestWhatMatchesNoRequestIsGivenBack(t *testing.T) {
	a := newAllocator(1)
	a.Update()
	a.RM.Take()
	other := given("c2", "h1")
	other.Priority = 4
	launches, surplus := a.Allocated([]allocator.Container{given("c1", "h1"), other, given("c3", "h2")})
	if len(launches) != 1 || fmt.Sprint(surplus) != "[{c2 no request matches it} {c3 no request matches it}]" {
		t.Error(launches, surplus)
	}
	if c := a.RM.Take(); !slices.Equal(c.Releases, []string{"c2", "c3"}) {
		t.Error(c.Releases)
	}
	e := a.CompletedContainers(completed("c2", allocator.Aborted), began)[0]
	if !e.Requested || e.ExecutorID != "" {
		t.Error(e)
	}
}

// TestAContainerBeyondTheTargetIsGivenBack: Spark logs it and keeps it unused.
func TestAContainerBeyondTheTargetIsGivenBack(t *testing.T) {
	a := newAllocator(2)
	a.Update()
	a.RequestTotal(total(1), nil, began)
	launches, surplus := a.Allocated([]allocator.Container{given("c1", "h1"), given("c2", "h2")})
	if len(launches) != 1 || len(surplus) != 1 || surplus[0].Why != "there are 1 executors of 1 that are wanted" {
		t.Error(launches, surplus)
	}
}

func TestAContainerThatIsTooSmallIsGivenBack(t *testing.T) {
	a := newAllocator(1)
	a.Update()
	small := given("c1", "h1")
	small.Resource.MemoryMB = 1024
	launches, surplus := a.Allocated([]allocator.Container{small})
	if len(launches) != 0 || len(surplus) != 1 {
		t.Error(launches, surplus)
	}
	if got := asks(a); got != "*:1" {
		t.Error("it is not asked for again:", got)
	}
}

func TestAContainerThatIsGivenTwiceIsTakenOnce(t *testing.T) {
	a := newAllocator(2)
	a.Update()
	start(t, a, given("c1", "h1"))
	launches, surplus := a.Allocated([]allocator.Container{given("c1", "h1")})
	if len(launches)+len(surplus) > 0 || balance(a) != "target=2 pending=1 running=1 starting=0" {
		t.Error(launches, surplus, balance(a))
	}
	launches, surplus = a.Allocated([]allocator.Container{given("c2", "h1"), given("c2", "h1")})
	if len(launches) != 1 || len(surplus) > 0 || balance(a) != "target=2 pending=0 running=1 starting=1" {
		t.Error("twice in one answer:", launches, surplus, balance(a))
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

func TestIdsGoOnBehindTheLast(t *testing.T) {
	a := allocator.New(allocator.Config{Default: defaultProfile, Target: 2, LastExecutorID: 5})
	a.Update()
	launches := start(t, a, given("c1", "h1"), given("c2", "h2"))
	if launches[0].ExecutorID != "6" || launches[1].ExecutorID != "7" || a.LastExecutorID() != 7 {
		t.Error(launches)
	}
}

func TestKillReleasesOnceAndTheExecutorRunsNoMore(t *testing.T) {
	a := newAllocator(2)
	a.Update()
	start(t, a, given("c1", "h1"), given("c2", "h2"))
	a.RM.Take()
	if !a.Kill("1") || a.Kill("1") || a.Kill("9") {
		t.Error("who was killed is not told right")
	}
	if got := balance(a); got != "target=2 pending=0 running=1 starting=0" {
		t.Error(got)
	}
	if c := a.RM.Take(); !slices.Equal(c.Releases, []string{"c1"}) {
		t.Error(c.Releases)
	}
	e := a.CompletedContainers(completed("c1", allocator.Aborted), began)[0]
	if !e.Requested || e.Reason.CausedByApp || e.ExecutorID != "1" {
		t.Error(e)
	}
	if a.Failed(began) != 0 {
		t.Error("it counts as failed")
	}
}

func TestARefusedLaunchCountsAndIsAskedForAgain(t *testing.T) {
	for how, failures := range map[allocator.Start]int{allocator.Refused: 1, allocator.Unreachable: 0} {
		a := newAllocator(1)
		a.Update()
		a.RM.Take()
		launches, _ := a.Allocated([]allocator.Container{given("c1", "h1")})
		a.Launched(launches[0], how, began)
		if a.Failed(began) != failures {
			t.Error(how, a.Failed(began))
		}
		if got := balance(a); got != "target=1 pending=0 running=0 starting=0" {
			t.Error(got)
		}
		a.Update()
		c := a.RM.Take()
		if !slices.Equal(c.Releases, []string{"c1"}) || len(c.Asks) != 1 || c.Asks[0].Count != 1 {
			t.Error(c)
		}
	}
}

func TestAContainerThatEndsWhileItStartsRunsNothing(t *testing.T) {
	a := newAllocator(1)
	a.Update()
	launches, _ := a.Allocated([]allocator.Container{given("c1", "h1")})
	a.CompletedContainers(completed("c1", 1), began)
	a.Launched(launches[0], allocator.Started, began)
	if got := balance(a); got != "target=1 pending=0 running=0 starting=0" {
		t.Error(got)
	}
}

func TestCompletedContainersAreClassified(t *testing.T) {
	for _, v := range []struct {
		status   int
		stopping bool
		byApp    bool
		failures int
		part     string
	}{
		{status: 0, part: "not because of an error"},
		{status: allocator.Preempted, part: "was preempted"},
		{status: allocator.KilledExceededVMem, byApp: true, part: "virtual memory"},
		{status: allocator.KilledExceededPMem, byApp: true, part: "physical memory"},
		{status: allocator.KilledByResourceManager, part: "marked as failed"},
		{status: allocator.KilledByAppMaster, part: "marked as failed"},
		{status: allocator.KilledAfterAppCompletion, part: "marked as failed"},
		{status: allocator.Aborted, part: "marked as failed"},
		{status: allocator.DisksFailed, part: "marked as failed"},
		{status: allocator.KilledByContainerScheduler, byApp: true, failures: 1, part: "bad node"},
		{status: 1, byApp: true, failures: 1, part: "bad node"},
		{status: 137, byApp: true, failures: 1, part: "bad node"},
		{status: 143, byApp: true, failures: 1, part: "bad node"},
		{status: allocator.Invalid, byApp: true, failures: 1, part: "bad node"},
		{status: 1, stopping: true, part: "after Application shutdown"},
		{status: allocator.KilledExceededPMem, stopping: true, part: "after Application shutdown"},
	} {
		a := newAllocator(1)
		a.Update()
		start(t, a, given("c1", "h1"))
		if v.stopping {
			a.Stopping()
		}
		e := a.CompletedContainers(completed("c1", v.status), began)[0]
		if e.Reason.CausedByApp != v.byApp || a.Failed(began) != v.failures || !strings.Contains(e.Reason.Message, v.part) ||
			e.Reason.ExitStatus != v.status || e.Requested {
			t.Errorf("%+v: %+v, %d failures", v, e, a.Failed(began))
		}
		if got := balance(a); got != "target=1 pending=0 running=0 starting=0" {
			t.Error(got)
		}
	}
}

func TestLossReasons(t *testing.T) {
	a := newAllocator(2)
	a.Update()
	start(t, a, given("c1", "h1"), given("c2", "h2"))
	if _, how := a.LossReason("9"); how != allocator.Unknown {
		t.Error("an executor that never was:", how)
	}
	if _, how := a.LossReason("1"); how != allocator.Later || !a.Wanted() {
		t.Error("one that runs:", how)
	}
	if e := a.CompletedContainers(completed("c1", 1), began)[0]; !e.Awaited || a.Waiting() != 0 {
		t.Error(e)
	}
	if _, how := a.LossReason("1"); how != allocator.Unknown {
		t.Error("an answer that was given is forgotten:", how)
	}
	if e := a.CompletedContainers(completed("c2", allocator.Preempted), began)[0]; e.Awaited {
		t.Error(e)
	}
	if r, how := a.LossReason("2"); how != allocator.Now || r.ExitStatus != allocator.Preempted {
		t.Error(r, how)
	}
	if _, how := a.LossReason("2"); how != allocator.Unknown {
		t.Error("it is kept:", how)
	}
}

func TestEachProfileIsAskedForAtItsOwnPriority(t *testing.T) {
	a := newAllocator(1)
	big := allocator.Profile{ID: 3, Container: amrm.Resource{MemoryMB: 4096, VCores: 4}, TasksPerExecutor: 4}
	a.RequestTotal(append(total(1), allocator.Total{Profile: big, Total: 2}), nil, began)
	a.Update()
	c := a.RM.Take()
	if len(c.Asks) != 2 || c.Asks[0].Priority != 0 || c.Asks[1].Priority != 3 || c.Asks[1].Count != 2 {
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
	for i := range 200 {
		a.Decommissioning([]string{fmt.Sprint("n", i)})
	}
	if got := a.Decommissioning([]string{"h1"}); len(got) != 1 {
		t.Error("the oldest of 200 is forgotten")
	}
}

// I11: right behind Update what is asked for is max(0, target - running - starting), whatever came before.
func TestTheAsksBalance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := newAllocator(rapid.IntRange(0, 5).Draw(t, "initial"))
		var launching []allocator.Launch
		var running []string
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
						running = append(running, l.Container.ID)
					}
				}
				launching = nil
			case 4:
				if len(running) > 0 {
					a.CompletedContainers(completed(running[0], rapid.SampledFrom([]int{0, 1, -100, -102}).Draw(t, "status")), began)
					running = running[1:]
				}
			case 5:
				if ids := a.Executors(); len(ids) > 0 {
					a.Kill(ids[0])
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
