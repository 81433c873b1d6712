package allocator_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/coherer/coherer/actors/applicationmaster/allocator"
	"github.com/coherer/coherer/actors/hadoop/exitstatus"
)

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

func TestARackIsMatchedBeforeAnywhere(t *testing.T) {
	a := newAllocator(0)
	a.RequestTotal(total(1, allocator.HostCount{Host: "h1", Tasks: 1}), nil, began)
	a.Update()
	launches, surplus := a.Allocated([]allocator.Container{given("c1", "h9"), given("c2", "x1")}) // x1 is in the rack of h1
	if len(launches) != 1 || launches[0].Container.ID != "c2" || len(surplus) != 1 || surplus[0].ContainerID != "c1" {
		t.Error(launches, surplus)
	}
	a.RequestTotal(total(2, allocator.HostCount{Host: "h1", Tasks: 2}), nil, began)
	a.Update()
	launches, surplus = a.Allocated([]allocator.Container{given("c3", "x1"), given("c4", "h1")})
	if len(launches) != 1 || launches[0].Container.ID != "c4" || len(surplus) != 1 || surplus[0].ContainerID != "c3" {
		t.Error("the host comes before its rack:", launches, surplus)
	}
}

// A container that comes takes its request back at every place. What the ResourceManager counted down itself is not sent to it
// again, unless that fault of Spark's is asked for.
func TestAContainerThatComesIsToldOnlyAsAFault(t *testing.T) {
	for resends, sent := range map[bool]string{false: "", true: "*:1"} {
		a := allocator.New(allocator.Config{Default: defaultProfile, Target: 2, Resends: resends})
		asks(a)
		start(t, a, given("c1", "h1"))
		left := a.Pending() // before an update, which would mend it
		if got := asks(a); got != sent || left != 1 {
			t.Error(resends, got, left)
		}
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
	e := a.CompletedContainers(completed("c2", exitstatus.Aborted), began)[0]
	if !e.Requested || e.ExecutorID != "" {
		t.Error(e)
	}
}

func TestAContainerBeyondTheTargetIsGivenBack(t *testing.T) {
	a := newAllocator(2)
	a.Update()
	a.RequestTotal(total(1), nil, began)
	launches, surplus := a.Allocated([]allocator.Container{given("c1", "h1"), given("c2", "h2")})
	if len(launches) != 1 || fmt.Sprint(surplus) != "[{c2 1 executors of 1 that are wanted run or start}]" {
		t.Error(launches, surplus)
	}
	if c := a.RM.Take(); !slices.Equal(c.Releases, []string{"c2"}) {
		t.Error(c.Releases)
	}
	a.Launched(launches[0], allocator.Started, began)
	a.RequestTotal(total(2), nil, began)
	a.Update()
	a.RequestTotal(total(1), nil, began)
	if launches, surplus := a.Allocated([]allocator.Container{given("c3", "h1")}); len(launches) != 0 || len(surplus) != 1 {
		t.Error("one that runs counts too:", launches, surplus)
	}
}

func TestAContainerThatIsTooSmallIsGivenBack(t *testing.T) {
	a := newAllocator(1)
	a.Update()
	small := given("c1", "h1")
	small.Resource.MemoryMB = 1024
	launches, surplus := a.Allocated([]allocator.Container{small})
	if len(launches) != 0 || fmt.Sprint(surplus) != "[{c1 it has 1024 MiB, and 1408 were asked for}]" || !slices.Equal(a.Held(), []string{"c1"}) {
		t.Error(launches, surplus, a.Held())
	}
	if got := asks(a); got != "*:1" {
		t.Error("it is not asked for again:", got)
	}
	enough := given("c2", "h1")
	enough.Resource = size
	if launches := start(t, a, enough); len(launches) != 1 {
		t.Error("what has just what was asked for is taken:", launches)
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
	launches, surplus = a.Allocated([]allocator.Container{given("c2", "h1")})
	if len(launches)+len(surplus) > 0 {
		t.Error("again while it starts:", launches, surplus)
	}
	a.Kill("1")
	a.RequestTotal(total(3), nil, began)
	a.Update()
	launches, surplus = a.Allocated([]allocator.Container{given("c1", "h1")})
	if len(launches)+len(surplus) > 0 {
		t.Error("again after it was given back:", launches, surplus)
	}
	if e := a.CompletedContainers(completed("c1", exitstatus.Aborted), began)[0]; !e.Requested {
		t.Error("it was given back all the same:", e)
	}
}

// Held names what the ResourceManager hears of after a restart: containers that start, that run, and that were given back, until
// they end.
func TestHeldAreTheContainersThatHaveNotEnded(t *testing.T) {
	a := newAllocator(3)
	a.Update()
	start(t, a, given("c3", "h1"), given("c4", "h1"))
	a.Allocated([]allocator.Container{given("c2", "h1"), given("c1", "h1")}) // c1 is one too many
	a.Kill("1")
	if got := fmt.Sprint(a.Held()); got != "[c1 c2 c3 c4]" {
		t.Error(got)
	}
	for _, id := range []string{"c1", "c2", "c3", "c4"} {
		a.CompletedContainers(completed(id, exitstatus.Aborted), began)
	}
	if got := a.Held(); len(got) > 0 {
		t.Error(got)
	}
	a.RM.Reregistered()
	if c := a.RM.Take(); len(c.Releases) > 0 {
		t.Error("what has ended is given back:", c.Releases)
	}
}

func TestAnEndThatIsReportedTwiceEndsItsExecutorOnce(t *testing.T) {
	a := newAllocator(2)
	a.Update()
	start(t, a, given("c1", "h1"), given("c2", "h2"))
	a.Kill("2")
	first := a.CompletedContainers(slices.Concat(completed("c1", exitstatus.Preempted), completed("c2", exitstatus.Aborted)), began)
	if first[0].ContainerID != "c1" || first[0].Host != "h1" || first[0].ExecutorID != "1" || first[1].ExecutorID != "2" || !first[1].Requested {
		t.Error(first)
	}
	again := a.CompletedContainers(slices.Concat(completed("c1", exitstatus.Preempted), completed("c2", exitstatus.Aborted)), began)
	for i, id := range []string{"c1", "c2"} {
		if e := again[i]; e.ContainerID != id || e.ExecutorID != "" || e.Host != "" || e.Requested {
			t.Error(e)
		}
	}
}

func TestIdsGoOnBehindTheLast(t *testing.T) {
	a := allocator.New(allocator.Config{Default: defaultProfile, Target: 2, LastExecutorID: 5})
	a.Update()
	launches := start(t, a, given("c1", "h1"), given("c2", "h2"))
	if launches[0].ExecutorID != "6" || launches[1].ExecutorID != "7" {
		t.Error(launches)
	}
}

func TestKillReleasesOnceAndTheExecutorRunsNoMore(t *testing.T) {
	a := newAllocator(2)
	a.Update()
	start(t, a, given("c1", "h1"), given("c2", "h2"))
	a.RM.Take()
	if !a.Kill("1") || a.Kill("1") || a.Kill("9") {
		t.Error("Kill does not report which executors it knew")
	}
	if got := balance(a); got != "target=2 pending=0 running=1 starting=0" {
		t.Error(got)
	}
	if c := a.RM.Take(); !slices.Equal(c.Releases, []string{"c1"}) {
		t.Error(c.Releases)
	}
	e := a.CompletedContainers(completed("c1", exitstatus.Aborted), began)[0]
	if !e.Requested || e.Reason.CausedByApp || e.ExecutorID != "1" || e.Reason.ExitStatus != exitstatus.Aborted ||
		e.Reason.Message != "Container c1 exited from explicit termination request." {
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
	a.Update()
	launches, _ = a.Allocated([]allocator.Container{given("c2", "h1")})
	a.CompletedContainers(completed("c2", 1), began)
	a.Launched(launches[0], allocator.Refused, began)
	if c := a.RM.Take(); len(c.Releases) > 0 {
		t.Error("what has ended is given back:", c.Releases)
	}
	// Nobody knows the host of an executor that never ran.
	a.Update()
	launches, _ = a.Allocated([]allocator.Container{given("c3", "h1")})
	e := a.CompletedContainers(completed("c3", 1), began)[0]
	a.Launched(launches[0], allocator.Started, began)
	if want := "Container from a bad node: c3. Exit status: 1. Diagnostics: a crash."; e.Reason.Message != want || e.ExecutorID != "" || e.Awaited {
		t.Error(e)
	}
}

func TestCompletedContainersAreClassified(t *testing.T) {
	failed := func(status int) string {
		return fmt.Sprintf("Container marked as failed: c1 on host: h1. Exit status: %d. Diagnostics: a crash.", status)
	}
	bad := func(status int) string {
		return fmt.Sprintf("Container from a bad node: c1 on host: h1. Exit status: %d. Diagnostics: a crash.", status)
	}
	const over = "Executor for container c1 exited after Application shutdown."
	for _, v := range []struct {
		status   int
		stopping bool
		byApp    bool
		failures int
		message  string
	}{
		{status: 0, message: "Executor for container c1 exited because of a YARN event (e.g., preemption) and not because of an error in the running job."},
		{status: exitstatus.Preempted, message: "Container c1 on host: h1 was preempted."},
		{status: exitstatus.KilledExceededVMem, byApp: true, message: "Container killed by YARN for exceeding virtual memory limits: a crash. Raise " +
			"spark.executor.memoryOverhead, or yarn.nodemanager.vmem-pmem-ratio, or set yarn.nodemanager.vmem-check-enabled=false."},
		{status: exitstatus.KilledExceededPMem, byApp: true, message: "Container killed by YARN for exceeding physical memory limits: a crash. Raise spark.executor.memoryOverhead."},
		{status: exitstatus.KilledByResourceManager, message: failed(-106)},
		{status: exitstatus.KilledByAppMaster, message: failed(-105)},
		{status: exitstatus.KilledAfterAppCompletion, message: failed(-107)},
		{status: exitstatus.Aborted, message: failed(-100)},
		{status: exitstatus.DisksFailed, message: failed(-101)},
		{status: exitstatus.KilledByContainerScheduler, byApp: true, failures: 1, message: bad(-108)},
		{status: 1, byApp: true, failures: 1, message: bad(1)},
		{status: 137, byApp: true, failures: 1, message: bad(137)},
		{status: 143, byApp: true, failures: 1, message: bad(143)},
		{status: exitstatus.Invalid, byApp: true, failures: 1, message: bad(-1000)},
		{status: 1, stopping: true, message: over},
		{status: exitstatus.KilledExceededPMem, stopping: true, message: over},
	} {
		a := newAllocator(1)
		a.Update()
		start(t, a, given("c1", "h1"))
		if v.stopping {
			a.Stopping()
		}
		e := a.CompletedContainers(completed("c1", v.status), began)[0]
		if e.Reason.CausedByApp != v.byApp || a.Failed(began) != v.failures || e.Reason.Message != v.message ||
			e.Reason.ExitStatus != v.status || e.Requested {
			t.Errorf("%+v: %+v, %d failures", v, e, a.Failed(began))
		}
		if got := balance(a); got != "target=1 pending=0 running=0 starting=0" {
			t.Error(got)
		}
	}
}

func TestAnExecutorThatEndedIsMissedOnItsHost(t *testing.T) {
	a := newAllocator(0)
	prefer := allocator.HostCount{Host: "h1", Tasks: 1}
	a.RequestTotal(total(1, prefer), nil, began)
	a.Update()
	start(t, a, given("c1", "h1"))
	a.RequestTotal(total(2, prefer), nil, began)
	if got := asks(a); got != "*:1 /r1:0 h1:0" {
		t.Error("it has one:", got)
	}
	a.CompletedContainers(completed("c1", exitstatus.Preempted), began)
	if got := asks(a); got != "*:2 /r1:1 h1:1" {
		t.Error(got)
	}
}

func TestLossReasons(t *testing.T) {
	a := newAllocator(2)
	a.Update()
	start(t, a, given("c1", "h1"), given("c2", "h2"))
	if _, how := a.LossReason("9"); how != allocator.Unknown {
		t.Error("an executor that never was:", how)
	}
	if a.Wanted() {
		t.Error("nothing is asked for, and nobody waits")
	}
	if _, how := a.LossReason("1"); how != allocator.Later || !a.Wanted() {
		t.Error("one that runs:", how)
	}
	if e := a.CompletedContainers(completed("c1", 1), began)[0]; !e.Awaited || a.Wanted() {
		t.Error(e)
	}
	if _, how := a.LossReason("1"); how != allocator.Unknown {
		t.Error("an answer that was given is forgotten:", how)
	}
	if e := a.CompletedContainers(completed("c2", exitstatus.Preempted), began)[0]; e.Awaited {
		t.Error(e)
	}
	want := allocator.Reason{ExitStatus: exitstatus.Preempted, Message: "Container c2 on host: h2 was preempted."}
	if r, how := a.LossReason("2"); how != allocator.Now || r != want {
		t.Error(r, how)
	}
	if _, how := a.LossReason("2"); how != allocator.Unknown {
		t.Error("it is kept:", how)
	}
	if a.Update(); !a.Wanted() {
		t.Error("two containers are asked for")
	}
}
