//coherer:pure

package fair

import (
	"encoding/json"
	"math"
)

// QueueInfo is a queue with those below it as Hadoop's pages and REST server show them. It mirrors FairSchedulerQueueInfo
// and FairSchedulerLeafQueueInfo; its JSON has their fields in their order, with "type" first for a leaf.
type QueueInfo struct {
	QueueState
	Cluster      Resource    // the sum of all nodes
	MaxContainer Resource    // the largest container that its applications may ask for
	Children     []QueueInfo // by name
}

// QueueTree is root with all queues below, made of the states of all queues by name. containers returns the largest container that
// a queue's applications may ask for, as Scheduler.MaximumAllocation does.
func QueueTree(states []QueueState, cluster Resource, containers func(queue string) Resource) QueueInfo {
	below := map[string][]QueueState{} // by parent, in the order of states, which is that of their names
	var root QueueState
	for _, s := range states {
		if s.Name == Root {
			root = s
			continue
		}
		below[parentName(s.Name)] = append(below[parentName(s.Name)], s)
	}
	var tree func(s QueueState) QueueInfo
	tree = func(s QueueState) QueueInfo {
		info := QueueInfo{QueueState: s, Cluster: cluster, MaxContainer: containers(s.Name)}
		for _, child := range below[s.Name] {
			info.Children = append(info.Children, tree(child))
		}
		return info
	}
	return tree(root)
}

// PendingApps are the applications of a leaf that have had no container or may not run yet, as Hadoop counts them.
func (q QueueInfo) PendingApps() int { return q.Starting + q.Waiting }

// ActiveApps are the others.
func (q QueueInfo) ActiveApps() int { return q.Running - q.Starting }

// MarshalJSON writes it as Hadoop's REST server does, /ws/v1/cluster/scheduler. maxResources do not exceed the cluster; a queue
// without children has no childQueues.
func (q QueueInfo) MarshalJSON() ([]byte, error) {
	info := queueJSON{
		MaxApps: q.MaxRunningApps, MinResources: ResourceInfo(q.MinShare), MaxResources: ResourceInfo(q.MaxShare.Min(q.Cluster)),
		UsedResources: ResourceInfo(q.Usage), AMUsedResources: ResourceInfo(q.AMUsage), AMMaxResources: ResourceInfo(q.AMLimit),
		DemandResources: ResourceInfo(q.Demand), SteadyFairResources: ResourceInfo(q.SteadyFairShare), FairResources: ResourceInfo(q.FairShare),
		ClusterResources: ResourceInfo(q.Cluster), ReservedResources: ResourceInfo(q.Reserved), MaxContainerAllocation: ResourceInfo(q.MaxContainer),
		PendingContainers: q.Pending, AllocatedContainers: q.Containers, ReservedContainers: q.Reservations,
		QueueName: q.Name, SchedulingPolicy: q.Policy, Preemptable: q.Preemptable,
	}
	if len(q.Children) > 0 {
		info.ChildQueues = &childrenJSON{q.Children}
	}
	if q.Leaf {
		info.Type = "fairSchedulerLeafQueueInfo"
		pending, active := q.PendingApps(), q.ActiveApps()
		info.NumPendingApps, info.NumActiveApps = &pending, &active
	}
	return json.Marshal(info)
}

type queueJSON struct {
	Type                   string        `json:"type,omitempty"`
	MaxApps                int           `json:"maxApps"`
	MinResources           ResourceInfo  `json:"minResources"`
	MaxResources           ResourceInfo  `json:"maxResources"`
	UsedResources          ResourceInfo  `json:"usedResources"`
	AMUsedResources        ResourceInfo  `json:"amUsedResources"`
	AMMaxResources         ResourceInfo  `json:"amMaxResources"`
	DemandResources        ResourceInfo  `json:"demandResources"`
	SteadyFairResources    ResourceInfo  `json:"steadyFairResources"`
	FairResources          ResourceInfo  `json:"fairResources"`
	ClusterResources       ResourceInfo  `json:"clusterResources"`
	ReservedResources      ResourceInfo  `json:"reservedResources"`
	MaxContainerAllocation ResourceInfo  `json:"maxContainerAllocation"`
	PendingContainers      int64         `json:"pendingContainers"`
	AllocatedContainers    int           `json:"allocatedContainers"`
	ReservedContainers     int           `json:"reservedContainers"`
	QueueName              string        `json:"queueName"`
	SchedulingPolicy       string        `json:"schedulingPolicy"`
	Preemptable            bool          `json:"preemptable"`
	ChildQueues            *childrenJSON `json:"childQueues,omitempty"`
	NumPendingApps         *int          `json:"numPendingApps,omitempty"`
	NumActiveApps          *int          `json:"numActiveApps,omitempty"`
}

type childrenJSON struct {
	Queue []QueueInfo `json:"queue"`
}

// ResourceInfo is a Resource as Hadoop's ResourceInfo writes it in JSON: memory (MiB) and cores, and then each type in full.
type ResourceInfo Resource

// MarshalJSON fulfils json.Marshaler.
func (r ResourceInfo) MarshalJSON() ([]byte, error) {
	type attributes struct{}
	type information struct {
		Attributes attributes `json:"attributes"`
		Maximum    int64      `json:"maximumAllocation"`
		Minimum    int64      `json:"minimumAllocation"`
		Name       string     `json:"name"`
		Type       string     `json:"resourceType"`
		Units      string     `json:"units"`
		Value      int64      `json:"value"`
	}
	type informations struct {
		Information []information `json:"resourceInformation"`
	}
	return json.Marshal(struct {
		Memory       int64        `json:"memory"`
		VCores       int64        `json:"vCores"`
		Informations informations `json:"resourceInformations"`
	}{r.Memory, r.VCores, informations{[]information{
		{attributes{}, math.MaxInt64, 0, "memory-mb", "COUNTABLE", "Mi", r.Memory},
		{attributes{}, math.MaxInt64, 0, "vcores", "COUNTABLE", "", r.VCores},
	}}})
}
