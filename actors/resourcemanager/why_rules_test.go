package resourcemanager_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/resourcemanager"
	"github.com/coherer/coherer/messages/yarn"
)

// The answer about a waiting application: its name, its state, its resources, and the obstacles to more.
func TestWhatIsToldOfAnApplicationThatWaits(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 2048, 8)
	am, app := k.running(n, nil)
	am.allocate(anywhere(3))
	k.beats(3*time.Second, n)
	want := &yarn.ApplicationRefusals{
		ApplicationId: app.Proto(), Name: "app", State: "RUNNING", Queue: "root.ada", AttemptState: "RUNNING", Used: &yarn.Resource{Memory: 2048, VirtualCores: 2},
		Refusals: []*yarn.ApplicationRefusal{{
			Filter: "room", Priority: 1, Nodes: 1, Help: "it has its fair share: wait until others end, or add nodes",
			Reason: "1 of 1 nodes have less than <memory:1024, vCores:1> free; the most free has <memory:0, vCores:6> (" + n.Ref.Address.String() + ")",
		}},
	}
	if got := k.why(app); !proto.Equal(got, want) {
		t.Errorf("%v\nwant\n%v", got, want)
	}

	// One that does not wait for containers gets no reasons.
	later := k.submit(nil)
	k.beats(time.Second, n)
	if got := k.why(later); got.GetAttemptState() != "SCHEDULED" || len(got.GetRefusals()) == 0 || !proto.Equal(got.GetUsed(), &yarn.Resource{}) || got.Used == nil {
		t.Errorf("one that waits for its ApplicationMaster: %v", got)
	}
	k.kill(later)
	want = &yarn.ApplicationRefusals{ApplicationId: later.Proto(), Name: "app", State: "KILLED", Queue: "root.ada"}
	if got := k.why(later); !proto.Equal(got, want) {
		t.Errorf("one that ended: %v\nwant\n%v", got, want)
	}
	am.finish(yarn.FinalApplicationStatus_APP_SUCCEEDED)
	if got := k.why(app); got.GetAttemptState() != "FINISHING" || len(got.GetRefusals()) != 0 || got.GetUsed().GetMemory() != 2048 {
		t.Errorf("one that said its end: %v", got)
	}
}

// One that the scheduler refused has no attempt.
func TestWhatIsToldOfAnApplicationWithoutAnAttempt(t *testing.T) {
	k := newKit(t)
	app := k.submit(inQueue("root"))
	want := &yarn.ApplicationRefusals{ApplicationId: app.Proto(), Name: "app", State: "FAILED", Queue: "root"}
	if got := k.why(app); !proto.Equal(got, want) {
		t.Errorf("%v\nwant\n%v", got, want)
	}
}

// After a restart it is said until when nothing is given, and then no more.
func TestUntilWhenARestartedResourceManagerGivesNothing(t *testing.T) {
	k, _ := keptKit(t, "yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms", "3000")
	app := k.submit(nil)
	k.restart()
	begun := k.Now()
	got := k.why(app).GetRefusals()
	if len(got) == 0 || got[0].GetFilter() != "restart" || got[0].GetHelp() != "wait, or lower yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms" {
		t.Fatalf("refused by %v", got)
	}
	text, at, _ := strings.Cut(got[0].GetReason(), "before ")
	until, err := time.Parse("2006-01-02 15:04:05.000", begun.UTC().Format("2006-01-02 ")+at)
	if err != nil || text != "the ResourceManager was started again and gives no containers " {
		t.Fatalf("refused by %v, %v", got, err)
	}
	if d := until.Sub(begun); d < 2900*time.Millisecond || d > 3*time.Second {
		t.Errorf("nothing is given for %s", d)
	}
	k.Advance(3100 * time.Millisecond)
	if got := k.why(app).GetRefusals(); len(got) > 0 && got[0].GetFilter() == "restart" {
		t.Errorf("refused by %v", got)
	}
}

// How a container fares: one that is given, one that is reserved and what its node lacks, and the ApplicationMaster's.
func TestHowAContainerFares(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 4096, 8)
	am, app := k.running(n, nil)
	given := am.given(n, 1)[0]
	am.allocate(sized(1, 3072))
	k.beats(2*time.Second, n)
	id := func(seq int64) *yarn.ContainerId { return &yarn.ContainerId{AppAttemptId: am.attempt, Id: seq} }
	size := func(memory int64) *yarn.Resource { return &yarn.Resource{Memory: memory, VirtualCores: 1} }
	for _, want := range []*yarn.ContainerPlace{
		{Id: am.own, NodeId: n.reg.GetNodeId(), Resource: size(1024), State: "RUNNING", ApplicationMaster: true},
		{Id: given.GetId(), NodeId: n.reg.GetNodeId(), Resource: size(1024), State: "ACQUIRED"},
		{Id: id(3), NodeId: n.reg.GetNodeId(), Resource: size(3072), State: "RESERVED", Lacks: &yarn.Resource{Memory: 1024}},
	} {
		if got := k.place(want.GetId()); !proto.Equal(got, want) {
			t.Errorf("%v\nwant\n%v", got, want)
		}
	}
	am.start(n, given)
	n.beat()
	n.ends(given.GetId(), 3, "it divided by zero")
	n.beat()
	want := &yarn.ContainerPlace{Id: given.GetId(), NodeId: n.reg.GetNodeId(), State: "COMPLETED"}
	got := k.place(given.GetId())
	want.Failure = &yarn.ContainerFailure{
		ContainerId: given.GetId(), NodeId: n.reg.GetNodeId(), TimeMs: got.GetFailure().GetTimeMs(), ExitStatus: 3, Diagnostics: "it divided by zero",
	}
	if !proto.Equal(got, want) {
		t.Errorf("%v\nwant\n%v", got, want)
	}
	for q, text := range map[*yarn.RequestContainerPlace]string{
		{ContainerId: id(77)}: fmt.Sprintf("Container with id 'container_%d_%04d_01_000077' doesn't exist in RM: it ended, or never was", app.Timestamp, app.ID),
		{}:                    "container 0: ",
	} {
		_, err := askErr[*yarn.ContainerPlace](k, k.tool, "ClientRMService", q)
		refused(t, err, exceptions.YARN, text)
	}
}

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
