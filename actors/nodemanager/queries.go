package nodemanager

import (
	"github.com/coherer/coherer/actors/nodemanager/machine"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// requestNodeManagerState answers with a copy of the books.
func (n *ContainerManager) requestNodeManagerState(c *rpcenv.Context, q *yarn.RequestNodeManagerState) {
	health := n.node.status()
	r := &yarn.NodeManagerStateResponse{
		NodeId: n.nodeIDProto(), ResourceManager: n.cfg.ResourceManager.String(), Registered: n.reg.registered, Rack: n.cfg.Rack,
		Total: &yarn.Resource{Memory: n.cfg.MemoryMB, VirtualCores: int32(n.cfg.VCores)}, Used: &yarn.Resource{},
		Healthy: health.GetIsNodeHealthy(), HealthReport: health.GetHealthReport(), LastHealthReportTime: health.GetLastHealthReportTime(),
	}
	for _, a := range n.books.apps {
		r.Applications = append(r.Applications, &yarn.NodeApplication{Id: a.id.Proto(), User: a.user, State: a.State.String()})
	}
	for _, x := range n.books.containers {
		if x.State != machine.Done {
			r.Used.Memory += x.token.GetResource().GetMemory()
			r.Used.VirtualCores += x.token.GetResource().GetVirtualCores()
		}
		r.Containers = append(r.Containers, &yarn.NodeContainer{
			Id: x.id.Proto(), User: x.launch.User, State: x.State.String(), Resource: x.token.GetResource(),
			ExitStatus: x.ExitStatus, Diagnostics: x.Diagnostics,
		})
	}
	rpcenv.Reply(c, q, r)
}
