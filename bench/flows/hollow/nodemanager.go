package hollow

import (
	"fmt"

	"github.com/coherer/coherer/actors/hadoop/token"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// NodeManager is a node without a machine. It registers when it starts, and sends a heartbeat for each [Beat].
type NodeManager struct {
	// Tracker is the ResourceManager's ResourceTracker.
	Tracker rpcenv.Ref
	// MemoryMB and VCores are what it offers.
	MemoryMB, VCores int
	// Registered hears that the ResourceManager has registered it, or why not.
	Registered func(error)
	// Beaten hears that a heartbeat was answered: what it has caused comes before all that its hearers send now.
	Beaten func()
	// Failed hears of a heartbeat without the usual answer.
	Failed func(error)
	// Started hears of the container that it is to start, which is an ApplicationMaster's. It runs until the end.
	Started func(*yarn.ContainerId, *yarn.ContainerLaunchContext)

	response int32
	running  []*yarn.ContainerStatus
}

// Beat makes a NodeManager send a heartbeat.
type Beat struct{ rpcenv.Local }

func nodeID(at rpcenv.Address) *yarn.NodeId { return &yarn.NodeId{Host: at.Host, Port: int32(at.Port)} }

// OnStart registers the node.
func (n *NodeManager) OnStart(c *rpcenv.Context) {
	q := &yarn.RegisterNodeManagerRequest{
		NodeId: nodeID(c.Self().Address), Resource: &yarn.Resource{Memory: int64(n.MemoryMB), VirtualCores: int32(n.VCores)},
	}
	rpcenv.Ask(c, n.Tracker, q, func(r *yarn.RegisterNodeManagerResponse, err error) {
		if err == nil && r.GetNodeAction() != yarn.NodeAction_NORMAL {
			err = fmt.Errorf("%s: %s", r.GetNodeAction(), r.GetDiagnosticsMessage())
		}
		n.Registered(err)
	})
}

// Receive is a callback of the endpoint.
func (n *NodeManager) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case Beat:
		n.beat(c)
	case *yarn.StartContainersRequest:
		rpcenv.Reply(c, m, &yarn.StartContainersResponse{})
		n.start(m)
	case *yarn.StopContainersRequest:
		rpcenv.Reply(c, m, &yarn.StopContainersResponse{})
	default:
		c.Unsupported(m)
	}
}

func (n *NodeManager) start(m *yarn.StartContainersRequest) {
	for _, r := range m.GetStartContainerRequest() {
		var own yarn.ContainerTokenIdentifier
		if err := token.Identify(r.GetContainerToken(), &own); err != nil {
			n.Failed(err)
			return
		}
		n.running = append(n.running, &yarn.ContainerStatus{ContainerId: own.GetContainerId(), State: yarn.ContainerState_C_RUNNING})
		n.Started(own.GetContainerId(), r.GetContainerLaunchContext())
	}
}

func (n *NodeManager) beat(c *rpcenv.Context) {
	s := &yarn.NodeStatus{
		NodeId: nodeID(c.Self().Address), ResponseId: n.response, NodeHealthStatus: &yarn.NodeHealthStatus{IsNodeHealthy: true},
		ContainersStatuses: n.running,
	}
	rpcenv.Ask(c, n.Tracker, &yarn.NodeHeartbeatRequest{NodeStatus: s}, func(r *yarn.NodeHeartbeatResponse, err error) {
		if err == nil && r.GetNodeAction() != yarn.NodeAction_NORMAL {
			err = fmt.Errorf("%s: %s", r.GetNodeAction(), r.GetDiagnosticsMessage())
		}
		if err != nil {
			n.Failed(err)
			return
		}
		n.response = r.GetResponseId()
		n.Beaten()
	})
}
