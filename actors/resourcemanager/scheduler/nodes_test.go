package scheduler

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/life"
	"github.com/coherer/coherer/actors/resourcemanager/rmtest"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// A container that a node reports goes to the application that has it; what belongs to nobody ends, and is forgotten when it has
// ended.
func TestWhatBecomesOfAReportedContainer(t *testing.T) {
	bad := live(2, -1)
	stranger := live(3, 1024)
	stranger.ContainerId.AppAttemptId.ApplicationId.Id = 77
	gone := over(4, 9, "it crashed")
	gone.ContainerId = stranger.GetContainerId()
	before := live(6, 1024)
	before.ContainerId.AppAttemptId.AttemptId = 2
	for _, is := range []struct {
		what                    string
		reports                 []*yarn.NMContainerStatus
		keep                    bool
		heard, completed, place string
	}{
		{"it runs", []*yarn.NMContainerStatus{live(1, 1024)}, false, "1 runs on h", "", "RUNNING"},
		{"it is reported twice", []*yarn.NMContainerStatus{live(1, 1024), live(1, 1024)}, false, "1 runs on h", "", "RUNNING"},
		{"it is none", []*yarn.NMContainerStatus{{ContainerId: &yarn.ContainerId{Id: -1}}, live(1, 1024)}, false, "1 runs on h", "", "RUNNING"},
		{"it has ended", []*yarn.NMContainerStatus{over(1, 9, "it crashed")}, false, "", `1 with 9 "it crashed"`, ""},
		{"nobody can have it", []*yarn.NMContainerStatus{bad}, false, "h ends 2", "", ""},
		{"nobody has it", []*yarn.NMContainerStatus{stranger}, false, "h ends 3", "", ""},
		{"nobody has it and it has ended", []*yarn.NMContainerStatus{gone}, false, "h forgets 3", "", ""},
		{"another attempt had it", []*yarn.NMContainerStatus{before}, false, "h ends 6", "", ""},
		{"another attempt had it, and they are kept", []*yarn.NMContainerStatus{before}, true, "1 runs on h", "", ""},
		{"it is larger than its node", []*yarn.NMContainerStatus{live(1, 9000)}, false, "1 runs on h", "", "RUNNING"},
	} {
		r := newScheduling(t, BeginScheduler{})
		r.attempt(is.keep)
		r.heard()
		r.add("h", is.reports...)
		if got := r.heard(); got != is.heard {
			t.Errorf("%s: heard %q, want %q", is.what, got, is.heard)
		}
		if got := r.completed(); got != is.completed {
			t.Errorf("%s: completed %q, want %q", is.what, got, is.completed)
		}
		p := must[ContainerPlace](r, RequestContainer{ID: rmtest.Container(1)})
		if got := p.State.String(); p.Found != (is.place != "") || p.Found && (got != is.place || p.Node.GetHost() != "h") {
			t.Errorf("%s: it is %+v, want %q", is.what, p, is.place)
		}
		forgets := ""
		if is.completed != "" {
			forgets = "h forgets 1"
		}
		if got := r.completed() + r.heard(); got != forgets {
			t.Errorf("%s: when its end was heard: heard %q, want %q", is.what, got, forgets)
		}
	}
}

// A container of the application's own attempt is that of its ApplicationMaster when the record says so: its end is the attempt's.
func TestTheContainerOfARecoveredApplicationMaster(t *testing.T) {
	r := newScheduling(t, BeginScheduler{Life: life.Life{Recovered: true}})
	must[AppAccepted](r, AppAdded{App: rmtest.App, User: "ada", Queue: "default", Groups: []string{"ada"}})
	must[AttemptAdded](r, AppAttemptAdded{Attempt: rmtest.Attempt, AM: rmtest.Container(1)})
	n := r.add("h", live(1, 1024), live(2, 1024))
	r.is(r.heard(), "1 runs on h, 1 runs on h")
	for seq, am := range map[int64]bool{1: true, 2: false} {
		if p := must[ContainerPlace](r, RequestContainer{ID: rmtest.Container(seq)}); p.AM != am || p.Resource.GetMemory() != 1024 {
			t.Errorf("container %d: %+v", seq, p)
		}
	}
	must[NodeUpdated](r, NodeUpdate{Node: n, Ended: []*yarn.ContainerStatus{rmtest.Status(1, rmtest.Ended, 7), rmtest.Status(2, rmtest.Ended, 8)}})
	r.is(r.heard(), `h forgets 1, master ended with 7 ""`)
	r.is(r.completed(), `2 with 8 ""`)
}

// An ApplicationMaster of the ResourceManager before this one keeps its container, though its node is not back yet: what its attempt is
// given first is not that.
func TestARecoveredApplicationMasterHasItsContainer(t *testing.T) {
	r := newScheduling(t, BeginScheduler{Life: life.Life{Recovered: true}}, "yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms", "1000")
	must[AppAccepted](r, AppAdded{App: rmtest.App, User: "ada", Queue: "default", Groups: []string{"ada"}})
	must[AttemptAdded](r, AppAttemptAdded{Attempt: rmtest.Attempt, AM: rmtest.Container(9)})
	n := r.add("h")
	r.Pass(1100)
	r.give(n)
	r.is(r.heard(), "1 runs on h")
	must[NodeUpdated](r, NodeUpdate{Node: n, Ended: []*yarn.ContainerStatus{rmtest.Status(1, rmtest.Ended, 7)}})
	r.is(r.heard(), "")
	r.is(r.completed(), `1 with 7 ""`)
}

// A reported container of an attempt that ended and left nothing ends, and is forgotten: the next attempt does not hear of it.
func TestWhatIsReportedBetweenTwoAttempts(t *testing.T) {
	for _, keep := range []bool{false, true} {
		r := newScheduling(t, BeginScheduler{})
		n := r.add("h")
		r.attempt(keep)
		r.Send(AppAttemptRemoved{Attempt: rmtest.Attempt})
		r.Send(NodeReconnected{Node: n, Total: &yarn.Resource{Memory: 8192, VirtualCores: 8}, Containers: []*yarn.NMContainerStatus{over(1, 9, "it crashed"), live(2, 1024)}})
		r.is(r.heard(), "h forgets 1, h ends 2")
		must[AttemptAdded](r, AppAttemptAdded{Attempt: rmtest.SecondAttempt})
		if got := must[Allocation](r, Allocate{Attempt: rmtest.SecondAttempt, Drain: true}).Completed; len(got) != 0 {
			t.Errorf("kept %t: the next attempt hears of %v", keep, got)
		}
	}
}

// A container runs when the node that has it says so, and was given: what another node says of it is no news.
func TestWhoSaysThatAContainerRuns(t *testing.T) {
	r := newScheduling(t, BeginScheduler{})
	n := r.add("h")
	r.attempt(false)
	r.give(n)
	r.is(r.heard(), "allocated, 1 runs on h")
	other := r.add("other")
	state := func() string {
		return must[ContainerPlace](r, RequestContainer{ID: rmtest.Container(1)}).State.String()
	}
	must[NodeUpdated](r, NodeUpdate{Node: other, Launched: []ids.Container{rmtest.Container(1)}})
	r.is(state(), "ACQUIRED")
	r.is(r.heard(), "other ends 1")
	must[NodeUpdated](r, NodeUpdate{Node: other, Ended: []*yarn.ContainerStatus{rmtest.Status(1, rmtest.Ended, 7), rmtest.Status(50, rmtest.Ended, 7), {ContainerId: &yarn.ContainerId{Id: -1}}}})
	r.is(state(), "ACQUIRED")
	r.is(r.heard(), "other forgets 1, other forgets 50")
	must[NodeUpdated](r, NodeUpdate{Node: n, Launched: []ids.Container{rmtest.Container(1), rmtest.Container(40)}})
	r.is(state(), "RUNNING")
	r.is(r.heard(), "h ends 40")
	must[NodeUpdated](r, NodeUpdate{Node: ids.Node{Host: "unknown", Port: 1}, Ended: []*yarn.ContainerStatus{rmtest.Status(1, rmtest.Ended, 7)}})
	r.is(r.heard(), "")
}

// While the ApplicationMaster has not shown that it heard of an end, the node keeps it.
func TestAnEndIsKeptUntilItWasHeard(t *testing.T) {
	r := newScheduling(t, BeginScheduler{})
	n := r.add("h")
	r.attempt(false)
	r.give(n)
	r.give(n)
	end := func() {
		must[NodeUpdated](r, NodeUpdate{Node: n, Ended: []*yarn.ContainerStatus{rmtest.Status(2, rmtest.Ended, 7)}})
	}
	must[NodeUpdated](r, NodeUpdate{Node: n, Launched: []ids.Container{rmtest.Container(2)}})
	r.heard()
	end()
	end() // the node registered again meanwhile
	r.is(r.heard(), "")
	r.is(r.completed(), `2 with 7 ""`)
	end()
	r.is(r.heard(), "")
	r.is(r.completed(), "")
	r.is(r.heard(), "h forgets 2")
	end()
	r.is(r.heard(), "h forgets 2")
}

// A node that registers again keeps what it reports, and what was not started there yet; the rest is lost, or has ended as it says.
func TestWhatANodeThatReconnectsKeeps(t *testing.T) {
	r := newScheduling(t, BeginScheduler{})
	n := r.add("h")
	r.attempt(false)
	for range 5 {
		r.give(n)
	}
	must[NodeUpdated](r, NodeUpdate{Node: n, Launched: []ids.Container{rmtest.Container(1), rmtest.Container(2), rmtest.Container(3), rmtest.Container(4)}})
	r.heard()
	r.Send(NodeReconnected{
		Node: n, Total: &yarn.Resource{Memory: 4096, VirtualCores: 4},
		Containers: []*yarn.NMContainerStatus{live(1, 1024), over(2, 9, "it crashed"), {ContainerId: &yarn.ContainerId{Id: -1}}, live(60, 1024)},
	})
	r.is(r.heard(), "h ends 3, h ends 4, 1 runs on h")
	r.is(r.completed(), `2 with 9 "it crashed", 3 with -100 "Container released on a *lost* node", 4 with -100 "Container released on a *lost* node"`)
	b := must[Books](r, RequestBooks{})
	if got := b.Nodes[n]; got.Total.Memory != 4096 || got.Total.VCores != 4 || got.Containers != 3 {
		t.Errorf("the node has %+v", got)
	}
	r.Send(NodeReconnected{Node: ids.Node{Host: "unknown", Port: 1}, Total: &yarn.Resource{Memory: 1}, Containers: []*yarn.NMContainerStatus{live(70, 1024)}})
	r.is(r.heard(), "")
	var on []string
	r.Run(func(*rpcenv.Context) {
		for _, id := range r.s.on(n) {
			on = append(on, id.String())
		}
	})
	if !slices.IsSorted(on) || len(on) != 3 {
		t.Errorf("on the node: %q", on)
	}
}

// The containers of a removed node are lost, also to the books; a draining node gets nothing.
func TestANodeThatIsRemoved(t *testing.T) {
	r := newScheduling(t, BeginScheduler{})
	n := r.add("h")
	r.attempt(false)
	r.give(n)
	r.give(n)
	other := r.add("other")
	must[NodeUpdated](r, NodeUpdate{Node: n, Launched: []ids.Container{rmtest.Container(2)}})
	r.Send(DrainNode{Node: other, Drain: true})
	must[Allocation](r, Allocate{Attempt: rmtest.Attempt, Asks: []*yarn.ResourceRequest{anyAsk(1)}})
	r.Advance(time.Second)
	must[NodeUpdated](r, NodeUpdate{Node: other})
	if got := must[Allocation](r, Allocate{Attempt: rmtest.Attempt}).Containers; len(got) != 0 {
		t.Errorf("a node that drains gave %v", got)
	}
	r.Send(DrainNode{Node: other})
	must[NodeUpdated](r, NodeUpdate{Node: other})
	if got := must[Allocation](r, Allocate{Attempt: rmtest.Attempt}).Containers; len(got) != 1 || got[0].GetNodeId().GetHost() != "other" {
		t.Errorf("a node that drains no more gave %v", got)
	}
	r.heard()
	r.Send(NodeRemoved{Node: n})
	got := r.heard()
	if !strings.Contains(got, `master ended with -100 "Container released on a *lost* node"`) {
		t.Errorf("heard %q", got)
	}
	r.is(r.completed(), `2 with -100 "Container released on a *lost* node"`)
	b := must[Books](r, RequestBooks{})
	if _, there := b.Nodes[n]; there || len(b.Nodes) != 1 || b.Use.GetTotal().GetMemory() != 8192 || b.Use.GetContainersAllocated() != 1 {
		t.Errorf("the books have %v, %v", b.Nodes, b.Use)
	}
}

// The book's refusal of a node is logged and changes nothing.
func TestWhatTheBookRefusesOfANode(t *testing.T) {
	r := newScheduling(t, BeginScheduler{})
	n := r.add("h")
	r.add("h", live(9, 1024))
	r.Logged("add h:8041: node h:8041 is added twice: remove it first")
	r.is(r.heard(), "")
	r.Send(NodeRemoved{Node: ids.Node{Host: "x", Port: 1}})
	r.Send(DrainNode{Node: ids.Node{Host: "x", Port: 1}, Drain: true})
	r.Logged("remove x:1: node x:1 is unknown to the scheduler", "drain x:1: node x:1 is unknown to the scheduler")
	r.Run(func(*rpcenv.Context) { r.s.nodes["x:1"] = &scheduledNode{id: ids.Node{Host: "x", Port: 1}} }) // as if it were there
	must[NodeUpdated](r, NodeUpdate{Node: ids.Node{Host: "x", Port: 1}})
	r.Send(NodeReconnected{Node: ids.Node{Host: "x", Port: 1}, Total: &yarn.Resource{Memory: 1}})
	r.Logged("update x:1: node x:1 is unknown to the scheduler", "x:1 reconnects: node x:1 is unknown to the scheduler")
	delete(r.s.nodes, "x:1")
	r.Send(NodeRemoved{Node: n})
	must[NodeUpdated](r, NodeUpdate{Node: n})
	if len(r.s.nodes) != 0 {
		t.Errorf("nodes: %v", r.s.nodes)
	}
}

// Shares are computed when nodes change, not at the next update.
func TestSharesFollowNodesAtOnce(t *testing.T) {
	r := newScheduling(t, BeginScheduler{}, "yarn.scheduler.fair.update-interval-ms", "60000")
	share := func() int64 { return must[Books](r, RequestBooks{}).Queues[0].FairShare.Memory }
	n := r.add("h")
	if got := share(); got != 8192 {
		t.Errorf("with a node root's share is %d", got)
	}
	r.Send(NodeRemoved{Node: n})
	if got := share(); got != 0 {
		t.Errorf("without a node root's share is %d", got)
	}
	fifo := newScheduling(t, BeginScheduler{}, "yarn.resourcemanager.scheduler.class", "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fifo.FifoScheduler")
	fifo.Send(NodeRemoved{Node: fifo.add("h")})
	fifo.Advance(time.Minute)
}

// A rack that is asked for is the node's.
func TestARackIsThatOfTheNode(t *testing.T) {
	r := newScheduling(t, BeginScheduler{})
	n := r.add("h")
	r.attempt(false)
	r.give(n)
	no := false
	for _, is := range []struct {
		rack string
		want int
	}{{"/other", 0}, {"/r", 1}} {
		rack, anywhere := anyAsk(1), anyAsk(1)
		rack.ResourceName, anywhere.RelaxLocality = is.rack, &no
		rack.Priority, anywhere.Priority = &yarn.Priority{Priority: 7}, &yarn.Priority{Priority: 7}
		must[Allocation](r, Allocate{Attempt: rmtest.Attempt, Asks: []*yarn.ResourceRequest{rack, anywhere}})
		r.Advance(time.Second)
		must[NodeUpdated](r, NodeUpdate{Node: n})
		if got := must[Allocation](r, Allocate{Attempt: rmtest.Attempt}).Containers; len(got) != is.want {
			t.Errorf("on rack %s: %v", is.rack, got)
		}
	}
}
