//coherer:pure

package machine

import "github.com/coherer/coherer/actors/machine"

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
	return machine.Name(int(s), "NEW", "RUNNING", "UNHEALTHY", "DECOMMISSIONED", "LOST", "REBOOTED", "DECOMMISSIONING", "SHUTDOWN")
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
	return machine.Name(int(e), "STARTED", "STATUS_UPDATE", "EXPIRE", "DECOMMISSION", "GRACEFUL_DECOMMISSION", "RECOMMISSION", "REBOOTING",
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
	return machine.Name(int(a), "AddNode", "RemoveNode", "UpdateNode", "DrainNode", "UndrainNode", "ReconnectNode", "QueueForBeat")
}

type nodeRule = machine.Rule[NodeState, NodeEvent, Case, NodeAction]

var (
	liveNodes  = []NodeState{NodeRunning, NodeUnhealthy, NodeDecommissioning}
	offered    = []NodeState{NodeRunning, NodeDecommissioning} // those that the scheduler has
	removeNode = []NodeAction{RemoveNode}
)

var nodeTable = machine.New("the node", []nodeRule{
	{From: []NodeState{NodeNew}, On: NodeStarted, To: NodeRunning, Do: []NodeAction{AddNode}},
	// A node leaves the scheduler once: an UNHEALTHY one left it already, so that its rows below have no removeNode.
	{From: offered, On: NodeStatusUpdate, To: machine.Stay, Do: []NodeAction{UpdateNode}},
	{From: offered, On: NodeStatusUpdate, When: Unhealthy, To: NodeUnhealthy, Do: removeNode},
	{From: []NodeState{NodeUnhealthy}, On: NodeStatusUpdate, To: NodeRunning, Do: []NodeAction{AddNode}},
	{From: []NodeState{NodeUnhealthy}, On: NodeStatusUpdate, When: Unhealthy, To: machine.Stay},
	{From: offered, On: NodeExpire, To: NodeLost, Do: removeNode},
	{From: offered, On: NodeDecommission, To: NodeDecommissioned, Do: removeNode},
	{From: offered, On: NodeRebooting, To: NodeRebooted, Do: removeNode},
	{From: offered, On: NodeShut, To: NodeShutdown, Do: removeNode},
	{From: []NodeState{NodeUnhealthy}, On: NodeExpire, To: NodeLost},
	{From: []NodeState{NodeUnhealthy}, On: NodeDecommission, To: NodeDecommissioned},
	{From: []NodeState{NodeUnhealthy}, On: NodeRebooting, To: NodeRebooted},
	{From: []NodeState{NodeUnhealthy}, On: NodeShut, To: NodeShutdown},
	{From: []NodeState{NodeRunning}, On: NodeGracefulDecommission, To: NodeDecommissioning, Do: []NodeAction{DrainNode}},
	// Nothing of an UNHEALTHY node is left to wait for, and only NodeRecommission ends DECOMMISSIONING early.
	{From: []NodeState{NodeUnhealthy}, On: NodeGracefulDecommission, To: NodeDecommissioned},
	{From: []NodeState{NodeDecommissioning}, On: NodeGracefulDecommission, To: machine.Stay},
	{From: []NodeState{NodeDecommissioning}, On: NodeRecommission, To: NodeRunning, Do: []NodeAction{UndrainNode}},
	{From: offered, On: NodeReconnected, To: machine.Stay, Do: []NodeAction{ReconnectNode}},
	{From: []NodeState{NodeUnhealthy}, On: NodeReconnected, To: machine.Stay},
	{From: liveNodes, On: NodeCleanUpApp, To: machine.Stay, Do: []NodeAction{QueueForBeat}},
	{From: liveNodes, On: NodeCleanUpContainer, To: machine.Stay, Do: []NodeAction{QueueForBeat}},
	{From: liveNodes, On: NodeFinishedPulled, To: machine.Stay, Do: []NodeAction{QueueForBeat}},
},
	overNode(NodeDecommissioned), overNode(NodeLost), overNode(NodeRebooted), overNode(NodeShutdown),
)

// overNode makes rules that drop orders for a node that is gone.
func overNode(s NodeState) []nodeRule {
	return machine.Late[NodeState, NodeEvent, Case, NodeAction](s, NodeCleanUpApp, NodeCleanUpContainer, NodeFinishedPulled)
}

// Node is a node's machine. The zero Node is NEW.
type Node struct{ State NodeState }

// Step is the machine after an event, and the actions that follow.
func (m Node) Step(e NodeEvent, when Case) (Node, []NodeAction, error) {
	next, err := nodeTable.Step(m.State, NodeNew, e, when)
	return Node{next.State}, next.Do, err
}
