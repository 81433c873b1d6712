package hadoop

import (
	"encoding/json"

	"github.com/coherer/coherer/messages/yarn"
)

// schedulerInfo describes the scheduler: the FairScheduler by its queues, as it describes them itself.
func schedulerInfo(s *yarn.ResourceManagerStateResponse) any {
	if s.GetSchedulerInfo() != "" {
		return struct {
			Type string          `json:"type"`
			Root json.RawMessage `json:"rootQueue"`
		}{s.GetScheduler(), json.RawMessage(s.GetSchedulerInfo())}
	}
	i := fifoInfo{
		Type: s.GetScheduler(), Capacity: 1, Used: javaFloat(percentOf(s.GetUse().GetAllocated().GetMemory(), s.GetUse().GetTotal().GetMemory()) / 100),
		State: "RUNNING", MinMB: s.GetMinimum().GetMemory(), MaxMB: s.GetMaximum().GetMemory(),
	}
	for _, n := range s.GetNodes() {
		if n.GetNodeState() != yarn.NodeState_NS_RUNNING {
			continue
		}
		i.Nodes++
		i.UsedNode += n.GetUsed().GetMemory()
		i.TotalNode += n.GetCapability().GetMemory()
		i.Containers += n.GetNumContainers()
	}
	i.FreeNode = i.TotalNode - i.UsedNode
	return i
}

// fifoInfo mirrors FifoSchedulerInfo.
type fifoInfo struct {
	Type       string    `json:"type"`
	Capacity   javaFloat `json:"capacity"`
	Used       javaFloat `json:"usedCapacity"`
	State      string    `json:"qstate"`
	MinMB      int64     `json:"minQueueMemoryCapacity"`
	MaxMB      int64     `json:"maxQueueMemoryCapacity"`
	Nodes      int32     `json:"numNodes"`
	UsedNode   int64     `json:"usedNodeCapacity"`
	FreeNode   int64     `json:"availNodeCapacity"`
	TotalNode  int64     `json:"totalNodeCapacity"`
	Containers int32     `json:"numContainers"`
}
