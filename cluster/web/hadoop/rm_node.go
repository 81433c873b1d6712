package hadoop

import (
	"github.com/coherer/coherer/actors/resourcemanager/fair"
	"github.com/coherer/coherer/messages/yarn"
)

// nodeInfo mirrors NodeInfo. There are no opportunistic containers, tags and attributes.
type nodeInfo struct {
	Rack            string             `json:"rack"`
	State           string             `json:"state"`
	ID              string             `json:"id"`
	Host            string             `json:"nodeHostName"`
	HTTPAddress     string             `json:"nodeHTTPAddress"`
	LastHealth      int64              `json:"lastHealthUpdate"`
	HealthReport    string             `json:"healthReport"`
	Containers      int32              `json:"numContainers"`
	UsedMB          int64              `json:"usedMemoryMB"`
	AvailableMB     int64              `json:"availMemoryMB"`
	UsedVCores      int32              `json:"usedVirtualCores"`
	AvailableVCores int32              `json:"availableVirtualCores"`
	Opportunistic   int32              `json:"numRunningOpportContainers"`
	OpportunisticGB int64              `json:"usedMemoryOpportGB"`
	OpportunisticVC int32              `json:"usedVirtualCoresOpport"`
	Queued          int32              `json:"numQueuedContainers"`
	Tags            struct{}           `json:"allocationTags"`
	Used            *fair.ResourceInfo `json:"usedResource,omitempty"`
	Available       *fair.ResourceInfo `json:"availableResource,omitempty"`
	Attributes      struct{}           `json:"nodeAttributesInfo"`
	Total           fair.ResourceInfo  `json:"totalResource"`
}

// nodeInfoOf is a node. It has no use and no free space of a node that the scheduler does not use, and no pages of a node that is
// gone.
func nodeInfoOf(n *yarn.NodeReport) nodeInfo {
	i := nodeInfo{
		Rack: n.GetRackName(), State: nodeState(n), ID: nodeID(n.GetNodeId()), Host: n.GetNodeId().GetHost(), LastHealth: n.GetLastHealthReportTime(),
		HealthReport: n.GetHealthReport(), Total: resourceInfoOf(n.GetCapability()),
	}
	switch n.GetNodeState() {
	case yarn.NodeState_NS_RUNNING, yarn.NodeState_NS_DECOMMISSIONING:
		i.HTTPAddress = n.GetHttpAddress()
		i.uses(n)
	case yarn.NodeState_NS_UNHEALTHY, yarn.NodeState_NS_NEW:
		i.HTTPAddress = n.GetHttpAddress()
	}
	return i
}

// uses sets the used and the free part of a node.
func (i *nodeInfo) uses(n *yarn.NodeReport) {
	used, total := n.GetUsed(), n.GetCapability()
	left := &yarn.Resource{Memory: total.GetMemory() - used.GetMemory(), VirtualCores: total.GetVirtualCores() - used.GetVirtualCores()}
	i.Containers = n.GetNumContainers()
	i.UsedMB, i.UsedVCores, i.Used = used.GetMemory(), used.GetVirtualCores(), new(resourceInfoOf(used))
	i.AvailableMB, i.AvailableVCores, i.Available = left.GetMemory(), left.GetVirtualCores(), new(resourceInfoOf(left))
}

func resourceInfoOf(r *yarn.Resource) fair.ResourceInfo {
	return fair.ResourceInfo{Memory: r.GetMemory(), VCores: int64(r.GetVirtualCores())}
}
