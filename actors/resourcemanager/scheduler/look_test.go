package scheduler

import (
	"fmt"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/fair"
	"github.com/coherer/coherer/actors/resourcemanager/life"
	"github.com/coherer/coherer/actors/resourcemanager/rmtest"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// look is what the books say from outside, in short.
func (r scheduling) look() string {
	l := r.s.Look(r.Now())
	text := ""
	for _, n := range l.Nodes {
		text += fmt.Sprintf("%s has %d of %d\n", n.Address, n.Free.Memory, n.Total.Memory)
	}
	for _, k := range l.Containers {
		text += fmt.Sprintf("%s on %s of %d, running %t\n", k.ID, k.Node, k.Size.Memory, k.Running)
	}
	for _, w := range l.Waiting {
		text += fmt.Sprintf("%s waits in %s: %q on %q\n", w.Attempt, w.Queue, w.Could, w.On)
	}
	return text
}

// A look from outside shows nodes, containers that have room, and waiting attempts with the nodes that could serve them.
func TestWhatIsSeenFromOutside(t *testing.T) {
	if l := (&Scheduler{}).Look(time.Now()); len(l.Nodes)+len(l.Containers)+len(l.Waiting) != 0 {
		t.Errorf("of one that has not begun: %+v", l)
	}
	r := newScheduling(t, BeginScheduler{})
	n := r.add("h")
	r.attempt(false)
	must[AppAccepted](r, AppAdded{App: ids.Application{Timestamp: 5, ID: 2}, User: "ada", Queue: "default", Groups: []string{"ada"}})
	r.give(n)
	r.give(n)
	must[NodeUpdated](r, NodeUpdate{Node: n, Launched: []ids.Container{rmtest.Container(1)}})
	two := "container_5_0001_01_000001 on h:8041 of 1024, running true\ncontainer_5_0001_01_000002 on h:8041 of 1024, running false\n"
	r.is(r.look(), "h:8041 has 6144 of 8192\n"+two)
	made := r.s.containers[rmtest.Container(2)].made
	if l := r.s.Look(r.Now()); !l.Containers[1].Made.Equal(made) || made.IsZero() {
		t.Errorf("made %s, want %s", l.Containers[1].Made, made)
	}
	must[Allocation](r, Allocate{Attempt: rmtest.Attempt, Asks: []*yarn.ResourceRequest{anyAsk(1)}})
	r.Advance(time.Second)
	waits := `appattempt_5_0001_000001 waits in root.ada: "1 of 1 nodes could give it <memory:1024, vCores:1> now: h:8041 has <memory:6144, vCores:6> free; ` +
		`queue root.ada has <memory:2048, vCores:2> of its fair share <memory:8192, vCores:0>, the application <memory:2048, vCores:2> of <memory:8192, vCores:0>" ` +
		`on ["h:8041"]` + "\n"
	r.is(r.look(), "h:8041 has 6144 of 8192\n"+two+waits)
	big := anyAsk(1)
	big.Capability.Memory = 8192
	must[Allocation](r, Allocate{Attempt: rmtest.Attempt, Asks: []*yarn.ResourceRequest{anyAsk(0), big}})
	r.Advance(time.Second)
	must[NodeUpdated](r, NodeUpdate{Node: n})
	r.is(r.look(), "h:8041 has 6144 of 8192\n"+two+`appattempt_5_0001_000001 waits in root.ada: "" on []`+"\n")
	if len(r.s.containers) != 3 {
		t.Errorf("nothing is reserved: %v", r.s.containers)
	}
	r.s.readyAt = r.Now().Add(1)
	r.is(r.look(), "h:8041 has 6144 of 8192\n"+two)
	r.s.readyAt = r.Now()
	r.is(r.look(), "h:8041 has 6144 of 8192\n"+two+`appattempt_5_0001_000001 waits in root.ada: "" on []`+"\n")
}

func TestTheFifoSchedulerDoesNotSayWhoWaits(t *testing.T) {
	r := newScheduling(t, BeginScheduler{}, "yarn.resourcemanager.scheduler.class", "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fifo.FifoScheduler")
	n := r.add("h")
	r.attempt(false)
	r.give(n)
	must[Allocation](r, Allocate{Attempt: rmtest.Attempt, Asks: []*yarn.ResourceRequest{anyAsk(1)}})
	r.is(r.look(), "h:8041 has 7168 of 8192\ncontainer_5_0001_01_000001 on h:8041 of 1024, running false\n")
}

// The FifoScheduler counts all that is free as headroom, and its one queue is default.
func TestTheFifoSchedulersOwnAnswers(t *testing.T) {
	r := newScheduling(t, BeginScheduler{}, "yarn.resourcemanager.scheduler.class", "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fifo.FifoScheduler")
	r.add("h")
	r.attempt(false)
	if got := must[Allocation](r, Allocate{Attempt: rmtest.Attempt, Asks: []*yarn.ResourceRequest{anyAsk(1)}}).Headroom; got.GetMemory() != 8192 || got.GetVirtualCores() != 8 {
		t.Errorf("the headroom is %v", got)
	}
	if got := must[Books](r, RequestBooks{}).Demands; len(got) != 1 || got[0].GetQueue() != "default" {
		t.Errorf("what waits: %v", got)
	}
}

// The last fifty failures are remembered, with when and where.
func TestTheLastFailuresAreRemembered(t *testing.T) {
	r := newScheduling(t, BeginScheduler{})
	r.add("h")
	r.Run(func(c *rpcenv.Context) {
		for seq := range int64(52) {
			r.s.noteFailure(c, fair.Event{Container: rmtest.Container(seq + 1), ExitStatus: 7, Cause: fair.Finished, Node: "h:8041", Diagnostics: "it crashed"})
		}
		r.s.noteFailure(c, fair.Event{Container: rmtest.Container(90), ExitStatus: 7, Cause: fair.Finished, Node: "gone:1"})
		r.s.noteFailure(c, fair.Event{Container: rmtest.Container(91), ExitStatus: 0, Cause: fair.Finished, Node: "h:8041"})
		first, last := r.s.failures[0], r.s.failures[len(r.s.failures)-1]
		if len(r.s.failures) != 50 || first.GetContainerId().GetId() != 4 || last.GetContainerId().GetId() != 90 || last.GetNodeId() != nil {
			t.Errorf("%d, from %v to %v", len(r.s.failures), first, last)
		}
		if first.GetNodeId().GetHost() != "h" || first.GetTimeMs() != c.Now().UnixMilli() || first.GetExitStatus() != 7 || first.GetDiagnostics() != "it crashed" {
			t.Errorf("%v", first)
		}
	})
	p := must[ContainerPlace](r, RequestContainer{ID: rmtest.Container(5)})
	if !p.Found || p.Node.GetHost() != "h" || p.State.String() != "COMPLETED" || p.Failure.GetExitStatus() != 7 {
		t.Errorf("%+v", p)
	}
	if p := must[ContainerPlace](r, RequestContainer{ID: rmtest.Container(3)}); p.Found {
		t.Errorf("one that is forgotten: %+v", p)
	}
}

// The use of an application counts in seconds, with preempted containers.
func TestTotalsAreInSeconds(t *testing.T) {
	r := newScheduling(t, BeginScheduler{})
	r.Run(func(c *rpcenv.Context) {
		a := &scheduledApp{use: usedOverTime{5_999, 3_001}, lost: preempted{fair.Resource{Memory: 4, VCores: 5}, usedOverTime{7_999, 8_001}, 9, 10}}
		got := r.s.totalsOf(c, a)
		want := &yarn.AppTotals{
			MemorySeconds: 5, VcoreSeconds: 3, Preempted: &yarn.Resource{Memory: 4, VirtualCores: 5}, PreemptedContainers: 9, PreemptedAmContainers: 10,
			PreemptedMemorySeconds: 7, PreemptedVcoreSeconds: 8,
		}
		if got.String() != want.String() {
			t.Errorf("%v\nwant\n%v", got, want)
		}
		if u := r.s.usageOf(c, a); u.GetMemorySeconds() != 5 || u.GetVcoreSeconds() != 3 || u.GetUsedResources() == nil || u.GetReservedResources() == nil || u.GetNeededResources() == nil {
			t.Errorf("usage %v", u)
		}
	})
}

// After a restart what an ApplicationMaster has and no node reports within the time of nodes is lost, once.
func TestWhatNoNodeReportsIsLost(t *testing.T) {
	r := newScheduling(t, BeginScheduler{Life: life.Life{Recovered: true}}, "yarn.nm.liveness-monitor.expiry-interval-ms", "9000")
	r.attempt(false)
	describe := func(seqs ...int64) {
		t.Helper()
		var holds []ids.Container
		for _, seq := range seqs {
			holds = append(holds, rmtest.Container(seq))
		}
		must[AttemptDescription](r, DescribeAttempt{Attempt: rmtest.Attempt, Holds: holds})
	}
	describe(1, 2, 3)
	describe(1, 2, 3, 4) // it registers again
	r.add("h", live(2, 1024), over(3, 7, "it crashed"))
	r.is(r.completed(), `3 with 7 "it crashed"`)
	describe(1, 2, 3, 4) // the third is reported and not acknowledged
	r.Pass(9000)
	const lost = `with -100 "Container released on a *lost* node"`
	r.is(r.completed(), "1 "+lost+", 4 "+lost)
	r.is(r.completed(), "")
	describe(2, 5) // it comes after that time
	r.is(r.completed(), "5 "+lost)
	r.Send(unreportedTick{})
	r.is(r.completed(), "")
	r.Run(func(c *rpcenv.Context) {
		a := r.s.apps[rmtest.App]
		for _, is := range []struct {
			since time.Duration
			lost  int
		}{{9*time.Second - 1, 0}, {9 * time.Second, 1}} {
			a.done, r.s.start = nil, c.Now().Add(-is.since)
			r.s.expect(c, a, []ids.Container{rmtest.Container(70)})
			if len(a.done) != is.lost {
				t.Errorf("%s after the start %d are lost", is.since, len(a.done))
			}
		}
	})

	// A container reported after the ApplicationMaster's registration is not lost.
	r = newScheduling(t, BeginScheduler{Life: life.Life{Recovered: true}}, "yarn.nm.liveness-monitor.expiry-interval-ms", "9000")
	r.attempt(false)
	describe(1, 2, 3)
	r.add("h", live(2, 1024), over(3, 7, "it crashed"))
	r.is(r.completed(), `3 with 7 "it crashed"`)
	r.Pass(9000)
	r.is(r.completed(), "1 "+lost)

	// In a first life nothing is missing: the containers that the ApplicationMaster lists never were.
	r = newScheduling(t, BeginScheduler{}, "yarn.nm.liveness-monitor.expiry-interval-ms", "9000")
	r.attempt(false)
	r.Pass(10_000)
	describe(1)
	r.is(r.completed(), "")
}

// No node is named for an attempt that a limit held up, and that may run with Hadoop's faults only when another one ends.
func TestOneThatALimitHeldUpCouldHaveNothing(t *testing.T) {
	const one = `<allocations><queue name="a"><maxRunningApps>1</maxRunningApps></queue><queue name="x"><queue name="y"><schedulingPolicy>drf</schedulingPolicy></queue></queue></allocations>`
	f := &allocationFile{content: one}
	r := newSchedulingWith(t, f, []string{"coherer.compat", "YARN-FAIR"}, func(*rpcenv.Env) {}, BeginScheduler{Allocations: []byte(one)})
	for id := range int32(2) {
		r.begins(ids.Application{Timestamp: 5, ID: id + 1}, "a")
	}
	must[Allocation](r, Allocate{Attempt: ids.Attempt{App: ids.Application{Timestamp: 5, ID: 2}, Attempt: 1}, Asks: []*yarn.ResourceRequest{anyAsk(1)}})
	r.add("h")
	r.Pass(1)
	f.content, f.modified = `<allocations><queue name="a"><maxRunningApps>5</maxRunningApps></queue></allocations>`, r.Now()
	r.Pass(21_000)
	r.is(r.look(), "h:8041 has 8192 of 8192\n"+`appattempt_5_0002_000001 waits in root.a: "" on []`+"\n")
}
