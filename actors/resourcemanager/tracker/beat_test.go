package tracker

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/hadoop/exitstatus"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/fair"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/actors/resourcemanager/rmtest"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// The news of a heartbeat are reported once: running containers, ended ones, and vanished ones. It mirrors
// RMNodeImpl.handleContainerStatus.
func TestWhatIsNewInAHeartbeat(t *testing.T) {
	n := &node{running: map[ids.Container]bool{}, ended: map[ids.Container]bool{}, cleaned: map[ids.Container]bool{}}
	says := func(statuses ...*yarn.ContainerStatus) string {
		launched, over := n.changes(statuses)
		text := ""
		for _, id := range launched {
			text += fmt.Sprintf("+%d ", id.Seq)
		}
		for _, s := range over {
			text += fmt.Sprintf("-%d %s %d %q ", s.GetContainerId().GetId(), s.GetState(), s.GetExitStatus(), s.GetDiagnostics())
		}
		return strings.TrimSpace(text)
	}
	bad := &yarn.ContainerStatus{ContainerId: &yarn.ContainerId{Id: -1}, State: rmtest.Runs}
	gone := fmt.Sprintf("C_COMPLETE %d %q", exitstatus.Aborted, fair.DiagnosticsLost)
	for _, is := range []struct {
		says []*yarn.ContainerStatus
		want string
	}{
		{[]*yarn.ContainerStatus{rmtest.Status(2, rmtest.Runs, 0), bad, rmtest.Status(1, rmtest.Runs, 0)}, "+2 +1"},
		{[]*yarn.ContainerStatus{rmtest.Status(2, rmtest.Runs, 0), rmtest.Status(1, rmtest.Runs, 0)}, ""},
		{[]*yarn.ContainerStatus{rmtest.Status(2, rmtest.Ended, 3), rmtest.Status(1, rmtest.Runs, 0), rmtest.Status(3, rmtest.Ended, 4)}, `-2 C_COMPLETE 3 "" -3 C_COMPLETE 4 ""`},
		{[]*yarn.ContainerStatus{rmtest.Status(2, rmtest.Ended, 3), rmtest.Status(1, rmtest.Runs, 0)}, ""},
		{[]*yarn.ContainerStatus{rmtest.Status(1, rmtest.Runs, 0), rmtest.Status(3, rmtest.Ended, 4)}, `-3 C_COMPLETE 4 ""`}, // it was not there meanwhile: it is new
		{[]*yarn.ContainerStatus{rmtest.Status(7, rmtest.Runs, 0), rmtest.Status(5, rmtest.Runs, 0), rmtest.Status(1, rmtest.Runs, 0)}, "+7 +5"},
		{nil, "-1 " + gone + " -5 " + gone + " -7 " + gone},
		{nil, ""},
	} {
		if got := says(is.says...); got != is.want {
			t.Errorf("%v:\n%s\nwant\n%s", is.says, got, is.want)
		}
	}

	// A container being cleaned up is not launched, until the node has forgotten it.
	n.cleaned[rmtest.Container(8)], n.cleaned[rmtest.Container(9)], n.cleanContainers = true, true, []ids.Container{rmtest.Container(9)}
	for range 2 {
		if got := says(rmtest.Status(8, rmtest.Runs, 0), rmtest.Status(9, rmtest.Runs, 0)); got != "" {
			t.Errorf("what is cleaned up: %s", got)
		}
	}
	if got := says(rmtest.Status(9, rmtest.Runs, 0)); got != "" {
		t.Errorf("what is cleaned up: %s", got)
	}
	if got := says(); got != "" || !n.cleaned[rmtest.Container(9)] || n.cleaned[rmtest.Container(8)] {
		t.Errorf("%s, cleaned %v: the order to clean up 9 has not gone out", got, n.cleaned)
	}
	n.cleanContainers = nil
	if got := says(); got != "" || len(n.cleaned) != 0 || len(n.ended) != 0 {
		t.Errorf("%s, cleaned %v, ended %v", got, n.cleaned, n.ended)
	}
}

// After a registration only changes of its containers are news of the heartbeats.
func TestARegistrationSaysWhatRuns(t *testing.T) {
	all := asRegistered([]*yarn.ContainerStatus{
		{ContainerId: rmtest.Container(1).Proto(), State: rmtest.Runs, Capability: &yarn.Resource{Memory: 7}},
		{ContainerId: rmtest.Container(2).Proto(), State: rmtest.Ended, ExitStatus: 3, Diagnostics: "it crashed"},
		{ContainerId: &yarn.ContainerId{Id: -1}, State: rmtest.Runs},
	})
	want := []*yarn.NMContainerStatus{
		{ContainerId: rmtest.Container(1).Proto(), ContainerState: rmtest.Runs, Resource: &yarn.Resource{Memory: 7}},
		{ContainerId: rmtest.Container(2).Proto(), ContainerState: rmtest.Ended, ContainerExitStatus: 3, Diagnostics: "it crashed"},
		{ContainerId: &yarn.ContainerId{Id: -1}, ContainerState: rmtest.Runs},
	}
	if !slices.EqualFunc(all, want, func(a, b *yarn.NMContainerStatus) bool { return proto.Equal(a, b) }) {
		t.Errorf("%v\nwant\n%v", all, want)
	}
	if got := running(all); !slices.Equal(got, []ids.Container{rmtest.Container(1)}) {
		t.Errorf("running: %v", got)
	}
	n := &node{running: map[ids.Container]bool{rmtest.Container(9): true}, ended: map[ids.Container]bool{rmtest.Container(8): true}, cleaned: map[ids.Container]bool{}}
	n.note(all)
	if launched, over := n.changes([]*yarn.ContainerStatus{rmtest.Status(1, rmtest.Runs, 0), rmtest.Status(2, rmtest.Ended, 3)}); len(launched)+len(over) != 0 {
		t.Errorf("new: %v, %v", launched, over)
	}
}

// A node is lost when it was silent for longer than it may be, and not a moment before.
func TestANodeIsLostAfterItsTime(t *testing.T) {
	r := newTracking(t, nil, "yarn.nm.liveness-monitor.expiry-interval-ms", "9000")
	r.Scheduler.Do(func(c *rpcenv.Context) {
		tracker := New(nil)
		tracker.scheduler, tracker.ams = r.Scheduler.Ref, r.AMS.Ref
		at := func(host string, heard time.Duration) {
			tracker.nodes = append(tracker.nodes, &node{id: ids.Node{Host: host, Port: 1}, machine: machine.Node{State: machine.NodeRunning}, heard: c.Now().Add(-heard)})
		}
		at("in time", 9*time.Second)
		at("late", 9*time.Second+1)
		tracker.checkNodes(c)
		if a, b := tracker.nodes[0].machine.State, tracker.nodes[1].machine.State; a != machine.NodeRunning || b != machine.NodeLost {
			t.Errorf("in time %s, late %s", a, b)
		}
	})
	if got := rmtest.Got[scheduler.NodeRemoved](r.Rig, r.Scheduler); len(got) != 1 || got[0].Node.Host != "late" {
		t.Errorf("removed: %v", got)
	}
	// The monitor looks three times in that time.
	id := r.node("h")
	for range 3 {
		r.Pass(6000)
		r.beat(id, 0)
	}
	if got := r.nodes(); !slices.Equal(got, []string{"h:8041 RUNNING"}) {
		t.Errorf("%q", got)
	}
	r.Pass(8900)
	if got := r.nodes(); !slices.Equal(got, []string{"h:8041 RUNNING"}) {
		t.Errorf("8.9 s after its last heartbeat: %q", got)
	}
	r.Pass(3200)
	if got := r.nodes(); !slices.Equal(got, []string{"h:8041 LOST"}) {
		t.Errorf("12.1 s after its last heartbeat: %q", got)
	}
}

// Nodes are listed by host and port, however they came.
func TestNodesAreListedInTheOrderOfTheirIDs(t *testing.T) {
	r := newTracking(t, nil)
	for _, id := range []ids.Node{{Host: "h", Port: 20}, {Host: "h", Port: 3}, {Host: "g", Port: 30}} {
		r.register(&yarn.RegisterNodeManagerRequest{NodeId: id.Proto(), Resource: &yarn.Resource{Memory: 1024, VirtualCores: 1}})
	}
	if got := r.nodes(); !slices.Equal(got, []string{"g:30 RUNNING", "h:3 RUNNING", "h:20 RUNNING"}) {
		t.Errorf("%q", got)
	}
}

// One message of a node is with the scheduler at a time; what is new meanwhile follows it, once.
func TestOneUpdateOfANodeAtATime(t *testing.T) {
	r := newTracking(t, nil)
	id := r.node("h")
	r.slow.holds = true
	updates := func(want string) {
		t.Helper()
		text := ""
		for _, u := range rmtest.Got[scheduler.NodeUpdate](r.Rig, r.Scheduler) {
			text += fmt.Sprintf("%s launched %d ended %d, ", u.Node, len(u.Launched), len(u.Ended))
		}
		if strings.TrimSuffix(text, ", ") != want {
			t.Errorf("%s\nwant\n%s", text, want)
		}
	}
	r.beat(id, 0, rmtest.Status(1, rmtest.Runs, 0))
	updates("h:8041 launched 1 ended 0")
	r.beat(id, 1, rmtest.Status(1, rmtest.Runs, 0), rmtest.Status(2, rmtest.Runs, 0))
	r.beat(id, 2, rmtest.Status(1, rmtest.Ended, 3), rmtest.Status(2, rmtest.Runs, 0))
	updates("")
	r.answer()
	updates("h:8041 launched 1 ended 1")
	r.answer()
	updates("")
	r.beat(id, 3, rmtest.Status(1, rmtest.Ended, 3), rmtest.Status(2, rmtest.Runs, 0))
	updates("h:8041 launched 0 ended 0")

	// A node's reports before its removal are no news when it is back.
	unhealthy := func(response int32, healthy bool, statuses ...*yarn.ContainerStatus) {
		r.hear(&yarn.NodeHeartbeatRequest{NodeStatus: &yarn.NodeStatus{
			NodeId: id.Proto(), ResponseId: response, ContainersStatuses: statuses, NodeHealthStatus: &yarn.NodeHealthStatus{IsNodeHealthy: healthy},
		}})
	}
	r.beat(id, 4, rmtest.Status(3, rmtest.Runs, 0), rmtest.Status(4, rmtest.Ended, 5))
	unhealthy(5, false)
	unhealthy(6, true)
	r.answer()
	updates("h:8041 launched 0 ended 0")
	r.answer()
	updates("")

	// A node that is over, or that came back as another one, causes nothing.
	r.beat(id, 7)
	r.beat(id, 8, rmtest.Status(5, rmtest.Runs, 0))
	updates("h:8041 launched 0 ended 0")
	if err := rmtest.TryAsk(r.Rig, &yarn.UnRegisterNodeManagerRequest{NodeId: id.Proto()}); err != nil {
		t.Fatal(err)
	}
	r.answer()
	updates("")
	r.node("h")
	r.beat(id, 0)
	r.beat(id, 1, rmtest.Status(5, rmtest.Runs, 0))
	updates("h:8041 launched 0 ended 0")
	for range 2 {
		if err := rmtest.TryAsk(r.Rig, &yarn.UnRegisterNodeManagerRequest{NodeId: id.Proto()}); err != nil {
			t.Fatal(err)
		}
	}
	r.node("h")
	r.answer()
	updates("")
}

// A node's health report is kept until the next one; it is cut.
func TestWhatANodeSaysOfItsHealth(t *testing.T) {
	r := newTracking(t, nil)
	id := r.node("h")
	r.hear(&yarn.NodeHeartbeatRequest{NodeStatus: &yarn.NodeStatus{NodeId: id.Proto(), NodeHealthStatus: &yarn.NodeHealthStatus{
		IsNodeHealthy: true, HealthReport: strings.Repeat("é", 1025), LastHealthReportTime: 77,
	}}})
	for response := range int32(2) {
		l, err := rpctest.Ask[NodeList](r.Scheduler, r.Of, RequestNodes{})
		if err != nil || l.Reports[0].GetHealthReport() != strings.Repeat("é", 1024) || l.Reports[0].GetLastHealthReportTime() != 77 {
			t.Errorf("%v, %v", l.Reports, err)
		}
		r.beat(id, response+1)
	}
	// An old response id before the first answer is one too far behind.
	r.node("new")
	a := r.beat(ids.Node{Host: "new", Port: 8041}, -1)
	if a.GetNodeAction() != yarn.NodeAction_RESYNC || a.GetDiagnosticsMessage() != "Too far behind rm response id:0 nm response id:-1" {
		t.Errorf("%v", a)
	}
	if a := r.beat(ids.Node{Host: "new", Port: 8041}, 0); a.GetNodeAction() != yarn.NodeAction_RESYNC || a.GetDiagnosticsMessage() != "Node not found resyncing new:8041" {
		t.Errorf("%v", a)
	}
	// A node that is not healthy is not the scheduler's: it does not hear that it registers again.
	r.hear(&yarn.NodeHeartbeatRequest{NodeStatus: &yarn.NodeStatus{NodeId: id.Proto(), ResponseId: 3, NodeHealthStatus: &yarn.NodeHealthStatus{HealthReport: "disk full"}}})
	rmtest.Got[rpcenv.Message](r.Rig, r.Scheduler)
	r.node("h")
	if all := rmtest.Got[rpcenv.Message](r.Rig, r.Scheduler); len(all) != 0 {
		t.Errorf("the scheduler heard %v", all)
	}
}

// The time of a node that drains is over exactly then.
func TestTheTimeOfANodeThatDrains(t *testing.T) {
	r := newTracking(t, nil)
	r.Scheduler.Do(func(c *rpcenv.Context) {
		tracker := New(nil)
		tracker.scheduler, tracker.ams = r.Scheduler.Ref, r.AMS.Ref
		for _, is := range []struct {
			since time.Duration
			want  machine.NodeState
		}{{time.Minute - 1, machine.NodeDecommissioning}, {time.Minute, machine.NodeDecommissioned}} {
			n := &node{
				id: ids.Node{Host: "h", Port: 1}, machine: machine.Node{State: machine.NodeDecommissioning}, running: map[ids.Container]bool{rmtest.Container(1): true},
				since: c.Now().Add(-is.since), patience: time.Minute,
			}
			tracker.drained(c, n)
			if n.machine.State != is.want {
				t.Errorf("after %s it is %s", is.since, n.machine.State)
			}
		}
		n := &node{id: ids.Node{Host: "h", Port: 1}, machine: machine.Node{State: machine.NodeDecommissioning}, endedQueue: []*yarn.ContainerStatus{rmtest.Status(1, rmtest.Ended, 0)}, patience: -1}
		if tracker.drained(c, n); n.machine.State != machine.NodeDecommissioning {
			t.Errorf("with an end that the scheduler has not heard of it is %s", n.machine.State)
		}
	})
}

// An event that a state has no row for is logged and changes nothing.
func TestANodesEventOutOfTurnChangesNothing(t *testing.T) {
	r := newTracking(t, nil)
	r.Run(func(c *rpcenv.Context) {
		n := &node{machine: machine.Node{State: machine.NodeLost}}
		if did := New(nil).step(c, n, machine.NodeStarted, machine.Always, ""); did != nil || n.machine.State != machine.NodeLost {
			t.Errorf("the node is %s, to do %v", n.machine.State, did)
		}
	})
	if len(r.Errors) != 1 {
		t.Errorf("logged: %q", r.Errors)
	}
	r.Errors = nil
}
