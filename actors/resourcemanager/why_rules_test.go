package resourcemanager_test

import (
	"testing"
	"time"

	"github.com/coherer/coherer/actors/resourcemanager"
	"github.com/coherer/coherer/messages/yarn"
)

// With preemption it is said for whom a container is taken, and when.
func TestForWhomAContainerIsTaken(t *testing.T) {
	f := &file{content: `<allocations><queue name="a"/><queue name="b"/>
		<defaultFairSharePreemptionTimeout>1</defaultFairSharePreemptionTimeout>
		<defaultFairSharePreemptionThreshold>0.5</defaultFairSharePreemptionThreshold></allocations>`}
	k := kitWith(t, resourcemanager.Config{Allocations: f}, "yarn.scheduler.fair.preemption", "true", "yarn.scheduler.fair.waitTimeBeforeKill", "5000")
	n := k.node("N1", 12288, 24)
	greedy, _ := k.running(n, inQueue("a"))
	greedy.allocate(anywhere(11))
	k.beats(30*time.Second, n)
	held := greedy.allocate().GetAllocatedContainers()
	other := k.submit(inQueue("b"))
	for range 40 {
		k.Advance(250 * time.Millisecond)
		for _, h := range held {
			p := k.place(h.GetId())
			if p.GetPreemptedFor() == "" {
				if p.GetPreemptedIn() != 0 {
					t.Errorf("for nobody, in %d ms", p.GetPreemptedIn())
				}
				continue
			}
			if p.GetPreemptedFor() != other.String() || p.GetPreemptedIn() < 4000 || p.GetPreemptedIn() > 5000 || p.GetLacks() != nil {
				t.Errorf("%v", p)
			}
			left := p.GetPreemptedIn()
			k.Advance(time.Second)
			if p := k.place(h.GetId()); p.GetPreemptedIn() > left-1000 || p.GetPreemptedIn() < left-1010 {
				t.Errorf("in %d ms, a second later in %d ms", left, p.GetPreemptedIn())
			}
			k.isTaken(h.GetId(), time.Duration(left-1000)*time.Millisecond)
			return
		}
	}
	t.Error("nothing is taken")
}

// isTaken fails the test unless a container is taken after a time, and not before; all that was taken is summed up.
func (k *kit) isTaken(id *yarn.ContainerId, after time.Duration) {
	k.t.Helper()
	k.Advance(after - 20*time.Millisecond)
	if p := k.place(id); p.GetState() == "COMPLETED" {
		k.t.Errorf("it is taken before its time: %v", p)
	}
	k.Advance(40 * time.Millisecond)
	p := k.place(id)
	if p.GetState() != "COMPLETED" || p.GetFailure().GetExitStatus() != -102 || p.GetFailure().GetDiagnostics() != "Container preempted by scheduler" {
		k.t.Errorf("it is not taken: %v", p)
	}
	taken := int32(len(k.state().GetFailures()))
	totals := k.state().GetApps()[0].GetTotals()
	seconds := totals.GetPreemptedVcoreSeconds()
	if totals.GetPreemptedContainers() != taken || taken == 0 || totals.GetPreempted().GetMemory() != 1024*int64(taken) || seconds < 5*int64(taken) ||
		totals.GetPreemptedMemorySeconds()/1024 != seconds || totals.GetMemorySeconds()/1024 != totals.GetVcoreSeconds() {
		k.t.Errorf("%d taken: %v", taken, totals)
	}
	for range 20 { // the rest of its share follows, all within their time
		k.Advance(time.Second)
	}
	if got := k.state().GetApps()[0].GetTotals().GetPreemptedContainers(); got < taken {
		k.t.Errorf("%d taken, then %d", taken, got)
	}
}
