//coherer:pure

package machine

import "slices"

// NodeState is the state of a NodeManager in the ResourceManager's eyes. It mirrors NodeState.
type NodeState int

// The states of a node.
const (
	NodeNew             NodeState = iota // it registers
	NodeRunning                          // it gets containers
	NodeUnhealthy                        // by its own report; it gets none, and its containers are given up
	NodeDecommissioned                   // the exclude list has it
	NodeLost                             // it was silent for too long
	NodeRebooted                         // its answers do not follow each other
	NodeDecommissioning                  // it keeps its containers and gets none
	NodeShutdown                         // it unregistered
)

func (s NodeState) String() string {
	return nameOf(int(s), "NEW", "RUNNING", "UNHEALTHY", "DECOMMISSIONED", "LOST", "REBOOTED", "DECOMMISSIONING", "SHUTDOWN")
}

// Over reports whether only a new registration can follow.
func (s NodeState) Over() bool {
	return s == NodeDecommissioned || s == NodeLost || s == NodeRebooted || s == NodeShutdown
}

// NodeEvent is an event of a node. It mirrors RMNodeEventType.
type NodeEvent int

// The events of a node.
const (
	NodeStarted NodeEvent = iota
	NodeStatusUpdate
	NodeExpire
	NodeDecommission
	NodeGracefulDecommission
	NodeRecommission
	NodeRebooting
	NodeShut
	NodeReconnected
	NodeCleanUpApp
	NodeCleanUpContainer
	NodeFinishedPulled
)

func (e NodeEvent) String() string {
	return nameOf(int(e), "STARTED", "STATUS_UPDATE", "EXPIRE", "DECOMMISSION", "GRACEFUL_DECOMMISSION", "RECOMMISSION", "REBOOTING",
		"SHUTDOWN", "RECONNECTED", "CLEANUP_APP", "CLEANUP_CONTAINER", "FINISHED_CONTAINERS_PULLED_BY_AM")
}

// NodeAction is an action that follows a step of a node.
type NodeAction int

// The actions of a node.
const (
	AddNode       NodeAction = iota // NODE_ADDED to the scheduler, with its containers; ApplicationMasters: it is usable
	RemoveNode                      // NODE_REMOVED to the scheduler; ApplicationMasters: it is unusable
	UpdateNode                      // the difference of its containers, and NODE_UPDATE
	DrainNode                       // the scheduler offers it no more
	UndrainNode                     // the scheduler offers it again
	ReconnectNode                   // to the scheduler: its size and its containers now
	QueueForBeat                    // for the answer to its next heartbeat
)

func (a NodeAction) String() string {
	return nameOf(int(a), "AddNode", "RemoveNode", "UpdateNode", "DrainNode", "UndrainNode", "ReconnectNode", "QueueForBeat")
}

type nodeRule = rule[NodeState, NodeEvent, NodeAction]

var (
	liveNodes  = []NodeState{NodeRunning, NodeUnhealthy, NodeDecommissioning}
	offered    = []NodeState{NodeRunning, NodeDecommissioning} // those that the scheduler has
	removeNode = []NodeAction{RemoveNode}
)

var nodeTable = tableOf(slices.Concat([]nodeRule{
	{from: []NodeState{NodeNew}, on: NodeStarted, to: NodeRunning, do: []NodeAction{AddNode}},
	// A node leaves the scheduler once: an UNHEALTHY one left it already, so that its rows below have no removeNode.
	{from: offered, on: NodeStatusUpdate, to: stay, do: []NodeAction{UpdateNode}},
	{from: offered, on: NodeStatusUpdate, when: Unhealthy, to: NodeUnhealthy, do: removeNode},
	{from: []NodeState{NodeUnhealthy}, on: NodeStatusUpdate, to: NodeRunning, do: []NodeAction{AddNode}},
	{from: []NodeState{NodeUnhealthy}, on: NodeStatusUpdate, when: Unhealthy, to: stay},
	{from: offered, on: NodeExpire, to: NodeLost, do: removeNode},
	{from: offered, on: NodeDecommission, to: NodeDecommissioned, do: removeNode},
	{from: offered, on: NodeRebooting, to: NodeRebooted, do: removeNode},
	{from: offered, on: NodeShut, to: NodeShutdown, do: removeNode},
	{from: []NodeState{NodeUnhealthy}, on: NodeExpire, to: NodeLost},
	{from: []NodeState{NodeUnhealthy}, on: NodeDecommission, to: NodeDecommissioned},
	{from: []NodeState{NodeUnhealthy}, on: NodeRebooting, to: NodeRebooted},
	{from: []NodeState{NodeUnhealthy}, on: NodeShut, to: NodeShutdown},
	{from: []NodeState{NodeRunning}, on: NodeGracefulDecommission, to: NodeDecommissioning, do: []NodeAction{DrainNode}},
	// Nothing of an UNHEALTHY node is left to wait for, and only NodeRecommission ends DECOMMISSIONING early.
	{from: []NodeState{NodeUnhealthy}, on: NodeGracefulDecommission, to: NodeDecommissioned},
	{from: []NodeState{NodeDecommissioning}, on: NodeGracefulDecommission, to: stay},
	{from: []NodeState{NodeDecommissioning}, on: NodeRecommission, to: NodeRunning, do: []NodeAction{UndrainNode}},
	{from: offered, on: NodeReconnected, to: stay, do: []NodeAction{ReconnectNode}},
	{from: []NodeState{NodeUnhealthy}, on: NodeReconnected, to: stay},
	{from: liveNodes, on: NodeCleanUpApp, to: stay, do: []NodeAction{QueueForBeat}},
	{from: liveNodes, on: NodeCleanUpContainer, to: stay, do: []NodeAction{QueueForBeat}},
	{from: liveNodes, on: NodeFinishedPulled, to: stay, do: []NodeAction{QueueForBeat}},
},
	overNode(NodeDecommissioned), overNode(NodeLost), overNode(NodeRebooted), overNode(NodeShutdown),
)...)

// overNode makes rules that drop orders for a node that is gone.
func overNode(s NodeState) []nodeRule {
	return late[NodeState, NodeEvent, NodeAction](s, NodeCleanUpApp, NodeCleanUpContainer, NodeFinishedPulled)
}

// Node is a node's machine. The zero Node is NEW.
type Node struct{ State NodeState }

// Step is the machine after an event, and the actions that follow.
func (m Node) Step(e NodeEvent, when Case) (Node, []NodeAction, error) {
	to, _, do, err := nodeTable.step("the node", m.State, NodeNew, e, when)
	return Node{to}, do, err
}
