package tracker

import (
	"cmp"
	"slices"
	"time"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/actors/resourcemanager/life"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/actors/resourcemanager/session"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// Name is the endpoint's name.
const Name = ids.ResourceTracker

// ResourceTracker is the endpoint for NodeManagers.
type ResourceTracker struct {
	lists Hosts // nil: all may be nodes
	life  life.Life
	ready bool

	nodes []*node // in the order of their first registration
	byID  map[ids.Node]*node
	hosts hostLists

	doubts *membership.Doubts // of nodes

	client, ams, scheduler rpcenv.Ref
}

// node is a NodeManager. It mirrors RMNodeImpl.
type node struct {
	id      ids.Node
	machine machine.Node
	http    string
	rack    string
	total   *yarn.Resource
	over    string // why its life is over
	bad     int64  // since when it is over, or the node unhealthy, in ms; 0: neither

	responseID int32
	last       *yarn.NodeHeartbeatResponse // nil: none since it registered
	heard      time.Time
	health     *yarn.NodeHealthStatus

	running map[ids.Container]bool // as of its last report
	ended   map[ids.Container]bool // reported as ended, until the node may forget them

	cleanContainers []ids.Container        // for its next heartbeat
	cleanApps       []ids.Application      // as well
	forget          []ids.Container        // as well
	cleaned         map[ids.Container]bool // they do not count as launched

	launchedQueue []ids.Container // for the next NodeUpdate
	endedQueue    []*yarn.ContainerStatus
	updating      bool // a NodeUpdate is in flight
	again         bool // a heartbeat came meanwhile

	since    time.Time     // DECOMMISSIONING
	patience time.Duration // the time that it may take; below 0: for ever
}

// New makes the endpoint; with nil lists any host may be a node. It refuses every call before [BeginTracker].
func New(lists Hosts) *ResourceTracker {
	t := &ResourceTracker{lists: lists, byID: map[ids.Node]*node{}}
	t.doubts = membership.NewDoubts(membership.Nodes{
		Endpoint: ids.ContainerManager, Has: func(at rpcenv.Address) bool { return t.live(at) != nil }, GiveUp: t.notAnswering,
	})
	return t
}

// checkNodes is the timer of the NMLivelinessMonitor.
type checkNodes struct{ rpcenv.Local }

// OnStart is a callback of the endpoint.
func (t *ResourceTracker) OnStart(c *rpcenv.Context) {
	t.client = life.Sibling(c, ids.ClientRMService)
	t.ams = life.Sibling(c, ids.ApplicationMasterService)
	t.scheduler = life.Sibling(c, ids.Scheduler)
	period := scheduler.NMExpiry.Get(c.Conf()) / 3
	c.Every(period, period, checkNodes{})
}

// Receive is a callback of the endpoint.
func (t *ResourceTracker) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *yarn.RegisterNodeManagerRequest:
		t.registerNodeManager(c, m)
	case *yarn.NodeHeartbeatRequest:
		t.nodeHeartbeat(c, m)
	case *yarn.UnRegisterNodeManagerRequest:
		t.unRegisterNodeManager(c, m)
	case *yarn.RefreshNodesRequest:
		t.refreshNodes(c, m)
	case checkNodes:
		t.checkNodes(c)
	case BeginTracker:
		t.beginTracker(m)
	case CleanUpApp:
		t.cleanUpApp(c, m)
	case scheduler.CleanUpContainer:
		t.cleanUpContainer(c, m)
	case scheduler.ForgetContainer:
		t.forgetContainer(c, m)
	case RequestNodes:
		t.requestNodes(c, m)
	// A node that was given up and is back gets RESYNC with its next heartbeat, within a second; one that leaves unregisters.
	case membership.MemberJoined, membership.MemberSuspected, membership.MemberRefuted, membership.MemberFailed, membership.MemberLeft:
		t.doubts.News(c, m)
	default:
		c.Unsupported(m)
	}
}

// BeginTracker notifies the ResourceTracker that the ResourceManager serves, with the hosts that may be nodes.
type BeginTracker struct {
	rpcenv.Local
	life.Life
	include, exclude []string
}

func (t *ResourceTracker) beginTracker(m BeginTracker) {
	t.life, t.hosts, t.ready = m.Life, newHostLists(m.include, m.exclude), true
}

// step lets an event happen to a node and carries out what do can; it returns all actions, for the caller to do the rest.
func (t *ResourceTracker) step(c *rpcenv.Context, n *node, e machine.NodeEvent, when machine.Case, why string) []machine.NodeAction {
	next, actions, err := n.machine.Step(e, when)
	if err != nil {
		c.Log().Errorf("%s: %v", n.id, err)
		return nil
	}
	from := n.machine.State
	n.machine = next // before the actions: the reports that they send contain the new state
	if from != next.State {
		n.bad = 0
		if next.State.Over() || next.State == machine.NodeUnhealthy {
			n.bad = c.Now().UnixMilli()
		}
		if next.State.Over() {
			n.over = why
		}
		c.Log().Infof("%s Node Transitioned from %s to %s", n.id, from, next.State)
		c.State("node", n.id.String(), from.String(), next.State.String(), why)
	}
	for _, action := range actions {
		t.do(c, n, action)
	}
	return actions
}

// do carries out an action that needs nothing but the node; the caller of step has what the others need.
func (t *ResourceTracker) do(c *rpcenv.Context, n *node, action machine.NodeAction) {
	switch action {
	case machine.RemoveNode:
		c.Send(t.scheduler, scheduler.NodeRemoved{Node: n.id})
		c.Send(t.ams, session.NodeChanged{Report: n.report()})
		n.launchedQueue, n.endedQueue = nil, nil // the scheduler gives up all containers of the node: no update may follow
	case machine.DrainNode, machine.UndrainNode:
		c.Send(t.scheduler, scheduler.DrainNode{Node: n.id, Drain: action == machine.DrainNode})
		c.Send(t.ams, session.NodeChanged{Report: n.report()})
	}
}

// report is a node as clients and ApplicationMasters see it, except for its use, which the scheduler knows.
func (n *node) report() *yarn.NodeReport {
	return &yarn.NodeReport{
		NodeId: n.id.Proto(), HttpAddress: n.http, RackName: n.rack, Capability: n.total, NodeState: publicNode[n.machine.State],
		HealthReport: n.health.GetHealthReport(), LastHealthReportTime: n.health.GetLastHealthReportTime(), StateReason: n.over,
		StateTime: n.bad, Used: &yarn.Resource{},
	}
}

// publicNode is the state of a node in messages.
var publicNode = map[machine.NodeState]yarn.NodeState{
	machine.NodeNew: yarn.NodeState_NS_NEW, machine.NodeRunning: yarn.NodeState_NS_RUNNING,
	machine.NodeUnhealthy: yarn.NodeState_NS_UNHEALTHY, machine.NodeDecommissioned: yarn.NodeState_NS_DECOMMISSIONED,
	machine.NodeLost: yarn.NodeState_NS_LOST, machine.NodeRebooted: yarn.NodeState_NS_REBOOTED,
	machine.NodeDecommissioning: yarn.NodeState_NS_DECOMMISSIONING, machine.NodeShutdown: yarn.NodeState_NS_SHUTDOWN,
}

// checkNodes gives up nodes that were silent for too long.
func (t *ResourceTracker) checkNodes(c *rpcenv.Context) {
	expiry := scheduler.NMExpiry.Get(c.Conf())
	for _, n := range t.nodes {
		if !n.machine.State.Over() && c.Now().Sub(n.heard) > expiry {
			c.Log().Infof("Expired:%s Timed out after %d secs", n.id, int(expiry.Seconds()))
			t.step(c, n, machine.NodeExpire, machine.Always, "it sent no heartbeat in time") // t.nodes keeps it, for the reports
		}
	}
}

// CleanUpApp says that an application is over: nodes forget it.
type CleanUpApp struct {
	rpcenv.Local
	App   ids.Application
	Nodes []ids.Node
}

func (t *ResourceTracker) cleanUpApp(c *rpcenv.Context, m CleanUpApp) {
	for _, id := range m.Nodes {
		if n := t.byID[id]; n != nil && t.queues(c, n, machine.NodeCleanUpApp) && !slices.Contains(n.cleanApps, m.App) {
			n.cleanApps = append(n.cleanApps, m.App)
		}
	}
}

func (t *ResourceTracker) cleanUpContainer(c *rpcenv.Context, m scheduler.CleanUpContainer) {
	n := t.byID[m.Node]
	if n != nil && t.queues(c, n, machine.NodeCleanUpContainer) && !slices.Contains(n.cleanContainers, m.Container) {
		n.cleanContainers = append(n.cleanContainers, m.Container)
		n.cleaned[m.Container] = true // heartbeats report it as running until the node has ended it
	}
}

func (t *ResourceTracker) forgetContainer(c *rpcenv.Context, m scheduler.ForgetContainer) {
	n := t.byID[m.Node]
	if n != nil && t.queues(c, n, machine.NodeFinishedPulled) && !slices.Contains(n.forget, m.Container) {
		n.forget = append(n.forget, m.Container)
	}
}

// queues reports whether an order is for the node's next heartbeat.
func (t *ResourceTracker) queues(c *rpcenv.Context, n *node, e machine.NodeEvent) bool {
	return slices.Contains(t.step(c, n, e, machine.Always, ""), machine.QueueForBeat)
}

// RequestNodes asks for all nodes.
type RequestNodes struct{ rpcenv.Local }

// NodeList has them in the order of their ids.
type NodeList struct {
	rpcenv.Local
	Reports []*yarn.NodeReport
}

// ReplyType makes the answer's type known to the compiler.
func (RequestNodes) ReplyType() (r NodeList) { return r }

func (t *ResourceTracker) requestNodes(c *rpcenv.Context, m RequestNodes) {
	var l NodeList
	for _, n := range t.nodes {
		l.Reports = append(l.Reports, n.report())
	}
	slices.SortFunc(l.Reports, func(a, b *yarn.NodeReport) int {
		return cmp.Or(cmp.Compare(a.GetNodeId().GetHost(), b.GetNodeId().GetHost()), cmp.Compare(a.GetNodeId().GetPort(), b.GetNodeId().GetPort()))
	})
	rpcenv.Reply(c, m, l)
}
