package allocator_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/applicationmaster/allocator"
	"github.com/coherer/coherer/actors/exitstatus"
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
		{status: exitstatus.Preempted, part: "was preempted"},
		{status: exitstatus.KilledExceededVMem, byApp: true, part: "virtual memory"},
		{status: exitstatus.KilledExceededPMem, byApp: true, part: "physical memory"},
		{status: exitstatus.KilledByResourceManager, part: "marked as failed"},
		{status: exitstatus.KilledByAppMaster, part: "marked as failed"},
		{status: exitstatus.KilledAfterAppCompletion, part: "marked as failed"},
		{status: exitstatus.Aborted, part: "marked as failed"},
		{status: exitstatus.DisksFailed, part: "marked as failed"},
		{status: exitstatus.KilledByContainerScheduler, byApp: true, failures: 1, part: "bad node"},
		{status: 1, byApp: true, failures: 1, part: "bad node"},
		{status: 137, byApp: true, failures: 1, part: "bad node"},
		{status: 143, byApp: true, failures: 1, part: "bad node"},
		{status: exitstatus.Invalid, byApp: true, failures: 1, part: "bad node"},
		{status: 1, stopping: true, part: "after Application shutdown"},
		{status: exitstatus.KilledExceededPMem, stopping: true, part: "after Application shutdown"},
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
	if _, how := a.LossReason("1"); how != allocator.Later || !a.Wanted() {
		t.Error("one that runs:", how)
	}
	if e := a.CompletedContainers(completed("c1", 1), began)[0]; !e.Awaited || a.Waiting() != 0 {
		t.Error(e)
	}
	if _, how := a.LossReason("1"); how != allocator.Unknown {
		t.Error("an answer that was given is forgotten:", how)
	}
	if e := a.CompletedContainers(completed("c2", exitstatus.Preempted), began)[0]; e.Awaited {
		t.Error(e)
	}
	if r, how := a.LossReason("2"); how != allocator.Now || r.ExitStatus != exitstatus.Preempted {
		t.Error(r, how)
	}
	if _, how := a.LossReason("2"); how != allocator.Unknown {
		t.Error("it is kept:", how)
	}
}
