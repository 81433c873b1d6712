package resourcemanager_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/resourcemanager"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// nodeState is the state of a node as clients see it.
func (k *kit) nodeState(n *nodeManager) yarn.NodeState {
	k.t.Helper()
	for _, r := range k.state().GetNodes() {
		if r.GetNodeId().GetHost() == n.reg.GetNodeId().GetHost() {
			return r.GetNodeState()
		}
	}
	return yarn.NodeState_NS_UNSET
}

func (n *nodeManager) isState(want yarn.NodeState) {
	n.k.t.Helper()
	if got := n.k.nodeState(n); got != want {
		n.k.t.Errorf("the node is %s, want %s", got, want)
	}
}

func TestAnUnknownNodeIsToldToRegister(t *testing.T) {
	k := newKit(t)
	n := k.newNode("N1", 8192, 8)
	if r := n.beat(); r.GetNodeAction() != yarn.NodeAction_RESYNC || !strings.Contains(r.GetDiagnosticsMessage(), "Node not found resyncing") {
		t.Error(r)
	}
	r := n.register()
	if len(r.GetContainerTokenMasterKey().GetBytes()) == 0 || len(r.GetNmTokenMasterKey().GetBytes()) == 0 || r.GetRmIdentifier() == 0 {
		t.Errorf("registered: %v", r)
	}
	beat := n.beat()
	if beat.GetNodeAction() != yarn.NodeAction_NORMAL || beat.GetResponseId() != 1 || beat.GetNextHeartBeatInterval() != 1000 {
		t.Error(beat)
	}
	n.isState(yarn.NodeState_NS_RUNNING)
}

func TestHeartbeatsOutOfTurn(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	n.beat()
	n.beat() // 2
	n.response = 1
	if r := n.beat(); r.GetResponseId() != 2 || r.GetNodeAction() != yarn.NodeAction_NORMAL {
		t.Errorf("a repetition is answered %v", r)
	}
	n.isState(yarn.NodeState_NS_RUNNING)
	n.response = 0
	if r := n.beat(); r.GetNodeAction() != yarn.NodeAction_RESYNC || !strings.Contains(r.GetDiagnosticsMessage(), "Too far behind") {
		t.Errorf("one too old is answered %v", r)
	}
	n.isState(yarn.NodeState_NS_REBOOTED)
	n.register()
	n.beat()
	n.isState(yarn.NodeState_NS_RUNNING)
}

func TestANodeThatIsTooSmallEnds(t *testing.T) {
	k := newKit(t)
	for _, n := range []*nodeManager{k.newNode("N1", 512, 8), k.newNode("N2", 8192, 0)} {
		r := n.register()
		if r.GetNodeAction() != yarn.NodeAction_NODE_SHUTDOWN || !strings.Contains(r.GetDiagnosticsMessage(), "doesn't satisfy minimum allocations") {
			t.Error(r)
		}
	}
}

func TestANodeThatIsSilentIsLost(t *testing.T) {
	k := newKit(t, "yarn.nm.liveness-monitor.expiry-interval-ms", "9000")
	n, other := k.node("N1", 8192, 8), k.node("N2", 8192, 8)
	am, app := k.running(other, nil)
	got := am.given(n, 1)[0]
	am.start(n, got)
	n.beat()
	k.beats(13*time.Second, other)
	n.isState(yarn.NodeState_NS_LOST)
	r := am.allocate()
	if len(r.GetCompletedContainerStatuses()) != 1 || r.GetCompletedContainerStatuses()[0].GetDiagnostics() != "Container released on a *lost* node" ||
		r.GetCompletedContainerStatuses()[0].GetExitStatus() != -100 {
		t.Errorf("completed: %v", r)
	}
	k.is(app, yarn.YarnApplicationState_RUNNING)
	if beat := n.beat(); beat.GetNodeAction() != yarn.NodeAction_RESYNC {
		t.Errorf("back again: %v", beat)
	}
	n.reg.ContainerStatuses = []*yarn.NMContainerStatus{{ContainerId: got.GetId(), ContainerState: yarn.ContainerState_C_RUNNING, Resource: got.GetResource()}}
	n.register()
	n.isState(yarn.NodeState_NS_RUNNING)
}

func TestANodeThatIsUnhealthyIsNotUsed(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	sick := func(healthy bool) {
		ask[*yarn.NodeHeartbeatResponse](k, n.Probe, "ResourceTracker", &yarn.NodeHeartbeatRequest{NodeStatus: &yarn.NodeStatus{
			NodeId: n.reg.GetNodeId(), ResponseId: n.response, NodeHealthStatus: &yarn.NodeHealthStatus{IsNodeHealthy: healthy, HealthReport: "disk"},
		}})
		n.response++
		k.Settle()
	}
	sick(false)
	n.isState(yarn.NodeState_NS_UNHEALTHY)
	if total := k.state().GetUse().GetTotal().GetMemory(); total != 0 {
		t.Errorf("the scheduler has %d MiB", total)
	}
	sick(true)
	n.isState(yarn.NodeState_NS_RUNNING)
	if total := k.state().GetUse().GetTotal().GetMemory(); total != 8192 {
		t.Errorf("the scheduler has %d MiB", total)
	}
}

// A node that was started again within its time has lost what ran there, if it does not say otherwise.
func TestANodeThatRegistersAgain(t *testing.T) {
	k := newKit(t)
	n, other := k.node("N1", 8192, 8), k.node("N2", 8192, 8)
	am, _ := k.running(other, nil)
	got := am.given(n, 2)
	for _, g := range got {
		am.start(n, g)
	}
	n.beat()
	n.reg.Resource = &yarn.Resource{Memory: 4096, VirtualCores: 4}
	n.reg.ContainerStatuses = []*yarn.NMContainerStatus{{ContainerId: got[1].GetId(), ContainerState: yarn.ContainerState_C_RUNNING, Resource: got[1].GetResource()}}
	n.running = n.running[1:]
	n.register()
	n.beat()
	r := am.allocate()
	if len(r.GetCompletedContainerStatuses()) != 1 || r.GetCompletedContainerStatuses()[0].GetContainerId().GetId() != got[0].GetId().GetId() {
		t.Errorf("completed: %v", r)
	}
	use := k.state().GetUse()
	if use.GetTotal().GetMemory() != 4096+8192 || use.GetAllocated().GetMemory() != 2048 {
		t.Errorf("in use: %v", use)
	}
}

// A container that is started, and of which its node tells first when it registers again, runs: it does not expire.
func TestAContainerThatIsToldByARegistrationRuns(t *testing.T) {
	k := newKit(t, "yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", "9000")
	n, other := k.node("N1", 8192, 8), k.node("N2", 8192, 8)
	am, _ := k.running(other, nil)
	am.start(n, am.given(n, 1)[0])
	n.register()
	k.beats(30*time.Second, n, other)
	if r := am.allocate(); len(r.GetCompletedContainerStatuses()) != 0 {
		t.Errorf("completed: %v", r.GetCompletedContainerStatuses())
	}
}

func TestAContainerThatANodeDoesNotHaveAnyMoreIsLost(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	am, _ := k.running(n, nil)
	got := am.given(n, 1)[0]
	am.start(n, got)
	n.beat()
	n.running = n.running[:1] // the ApplicationMaster's alone
	n.beat()
	if r := am.allocate(); len(r.GetCompletedContainerStatuses()) != 1 || r.GetCompletedContainerStatuses()[0].GetExitStatus() != -100 {
		t.Errorf("completed: %v", r)
	}
}

// A container that nobody knows ends, and one that nobody knows and has ended is forgotten.
func TestContainersThatNobodyKnowsEnd(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	am, _ := k.running(n, nil)
	stray := &yarn.ContainerId{AppAttemptId: am.attempt, Id: 50}
	n.runs(stray, &yarn.Resource{Memory: 1024, VirtualCores: 1})
	n.beat()
	if r := n.beat(); len(r.GetContainersToCleanup()) != 1 || r.GetContainersToCleanup()[0].GetId() != 50 {
		t.Errorf("to clean up: %v", r)
	}
	n.ends(stray, 137, "")
	n.beat()
	if r := n.beat(); len(r.GetContainersToBeRemovedFromNm()) != 1 {
		t.Errorf("to forget: %v", r)
	}
}

func TestANodeThatEndsSaysSo(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	for range 2 {
		ask[*yarn.UnRegisterNodeManagerResponse](k, n.Probe, "ResourceTracker", &yarn.UnRegisterNodeManagerRequest{NodeId: n.reg.GetNodeId()})
	}
	n.isState(yarn.NodeState_NS_SHUTDOWN)
}

func TestBadNodesAreRefused(t *testing.T) {
	k := newKit(t)
	n := k.newNode("N1", 8192, 8)
	for _, id := range []*yarn.NodeId{nil, {Host: "h"}, {Port: 1}, {Host: "../h", Port: 1}, {Host: "a b", Port: 1}, {Host: strings.Repeat("x", 300), Port: 1}, {Host: "h", Port: 70000}} {
		q := &yarn.RegisterNodeManagerRequest{NodeId: id, Resource: n.reg.GetResource()}
		if _, err := askErr[*yarn.RegisterNodeManagerResponse](k, n.Probe, "ResourceTracker", q); err == nil {
			t.Errorf("%v registers", id)
		}
	}
}

// Impossible amounts in a node's report change nothing: sums would overflow, or go below 0.
func TestANodeCannotUpsetTheBooks(t *testing.T) {
	k := newKit(t)
	n, evil := k.node("N1", 8192, 8), k.newNode("N2", 8192, 8)
	am, _ := k.running(n, nil)
	for _, r := range []*yarn.Resource{{Memory: -1, VirtualCores: 1}, {Memory: math.MaxInt64, VirtualCores: 1}, {Memory: 1024, VirtualCores: -1}} {
		evil.reg.Resource = r
		if _, err := askErr[*yarn.RegisterNodeManagerResponse](k, evil.Probe, "ResourceTracker", evil.reg); err == nil {
			t.Errorf("a node with %v registers", r)
		}
	}
	evil.reg.Resource = &yarn.Resource{Memory: 8192, VirtualCores: 8}
	evil.reg.ContainerStatuses = []*yarn.NMContainerStatus{
		{ContainerId: &yarn.ContainerId{AppAttemptId: am.attempt, Id: 90}, Resource: &yarn.Resource{Memory: -5000}},
		{ContainerId: &yarn.ContainerId{AppAttemptId: am.attempt, Id: 91}, Resource: &yarn.Resource{Memory: math.MaxInt64}},
		{ContainerId: am.own, ContainerState: yarn.ContainerState_C_COMPLETE, Resource: &yarn.Resource{Memory: 1024}},
		{ContainerId: &yarn.ContainerId{Id: -1}},
	}
	evil.register()
	evil.ends(am.own, 1, "not mine")
	evil.runs(am.own, &yarn.Resource{Memory: 1024})
	evil.running[0].State = yarn.ContainerState_C_COMPLETE
	evil.beat()
	if u := k.state().GetUse(); u.GetAllocated().GetMemory() != 1024 || u.GetTotal().GetMemory() != 16384 || u.GetContainersAllocated() != 1 {
		t.Errorf("in use: %v", u)
	}
	am.allocate()
}

// lists are a test's include and exclude files.
type lists struct{ include, exclude []string }

func (l *lists) Read(*rpcenv.Blocking) (include, exclude []string, err error) {
	return l.include, l.exclude, nil
}

func TestNodesAreDecommissioned(t *testing.T) {
	l := &lists{}
	k := kitWith(t, resourcemanager.Config{Hosts: l})
	n, other := k.node("N1", 8192, 8), k.node("N2", 8192, 8)
	am, _ := k.running(other, nil)
	got := am.given(n, 1)[0]
	am.start(n, got)
	n.beat()

	l.exclude = []string{n.reg.GetNodeId().GetHost()}
	ask[*yarn.RefreshNodesResponse](k, k.tool, "ResourceTracker", &yarn.RefreshNodesRequest{Graceful: true})
	n.isState(yarn.NodeState_NS_DECOMMISSIONING)
	am.allocate(anywhere(1))
	n.beat()
	if r := am.allocate(); len(r.GetAllocatedContainers()) != 0 {
		t.Errorf("a node that drains got %v", r.GetAllocatedContainers())
	}
	n.ends(got.GetId(), 0, "")
	n.beat()
	if r := am.allocate(); len(r.GetCompletedContainerStatuses()) != 1 || r.GetCompletedContainerStatuses()[0].GetExitStatus() != 0 {
		t.Errorf("completed: %v", r)
	}
	n.running = nil
	if r := n.beat(); r.GetNodeAction() != yarn.NodeAction_NODE_SHUTDOWN {
		t.Errorf("nothing runs there any more: %v", r)
	}
	n.isState(yarn.NodeState_NS_DECOMMISSIONED)
	if r := n.register(); r.GetNodeAction() != yarn.NodeAction_NODE_SHUTDOWN || !strings.Contains(r.GetDiagnosticsMessage(), "Disallowed NodeManager") {
		t.Errorf("registers again: %v", r)
	}
	l.exclude = nil
	ask[*yarn.RefreshNodesResponse](k, k.tool, "ResourceTracker", &yarn.RefreshNodesRequest{})
	n.register()
	n.isState(yarn.NodeState_NS_RUNNING)

	l.include = []string{other.reg.GetNodeId().GetHost()}
	ask[*yarn.RefreshNodesResponse](k, k.tool, "ResourceTracker", &yarn.RefreshNodesRequest{})
	n.isState(yarn.NodeState_NS_DECOMMISSIONED)
	if r := n.beat(); r.GetNodeAction() != yarn.NodeAction_NODE_SHUTDOWN {
		t.Errorf("an excluded node goes on: %v", r)
	}
}
