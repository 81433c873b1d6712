package web

import (
	"encoding/json"
	"math"
	"net"
	"strconv"
	"strings"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/yarn"
)

// hadoopVersion is which ResourceManager this one mirrors.
const hadoopVersion = "3.4.1"

// clusterInfo mirrors ClusterInfo.
type clusterInfo struct {
	ID             int64  `json:"id"`
	StartedOn      int64  `json:"startedOn"`
	State          string `json:"state"`
	HAState        string `json:"haState"`
	RMVersion      string `json:"resourceManagerVersion"`
	RMBuildVersion string `json:"resourceManagerBuildVersion"`
	HadoopVersion  string `json:"hadoopVersion"`
}

func clusterInfoOf(s *yarn.ResourceManagerStateResponse) clusterInfo {
	return clusterInfo{s.GetStartedOn(), s.GetStartedOn(), "STARTED", "ACTIVE", hadoopVersion, hadoopVersion + " as Coherer does it", hadoopVersion}
}

// resourceInfo mirrors ResourceInfo: memory and cores, and then each type with all its words.
type resourceInfo struct {
	Memory       int64 `json:"memory"`
	VCores       int32 `json:"vCores"`
	Informations struct {
		Information []resourceInformation `json:"resourceInformation"`
	} `json:"resourceInformations"`
}

type resourceInformation struct {
	Attributes struct{} `json:"attributes"`
	Maximum    int64    `json:"maximumAllocation"`
	Minimum    int64    `json:"minimumAllocation"`
	Name       string   `json:"name"`
	Type       string   `json:"resourceType"`
	Units      string   `json:"units"`
	Value      int64    `json:"value"`
}

func resourceInfoOf(r *yarn.Resource) (i resourceInfo) {
	i.Memory, i.VCores = r.GetMemory(), r.GetVirtualCores()
	i.Informations.Information = []resourceInformation{
		{Maximum: math.MaxInt64, Name: "memory-mb", Type: "COUNTABLE", Units: "Mi", Value: i.Memory},
		{Maximum: math.MaxInt64, Name: "vcores", Type: "COUNTABLE", Value: int64(i.VCores)},
	}
	return i
}

// clusterMetrics mirrors ClusterMetricsInfo.
type clusterMetrics struct {
	AppsSubmitted         int32        `json:"appsSubmitted"`
	AppsCompleted         int32        `json:"appsCompleted"`
	AppsPending           int32        `json:"appsPending"`
	AppsRunning           int32        `json:"appsRunning"`
	AppsFailed            int32        `json:"appsFailed"`
	AppsKilled            int32        `json:"appsKilled"`
	ReservedMB            int64        `json:"reservedMB"`
	AvailableMB           int64        `json:"availableMB"`
	AllocatedMB           int64        `json:"allocatedMB"`
	PendingMB             int64        `json:"pendingMB"`
	ReservedVirtualCores  int32        `json:"reservedVirtualCores"`
	AvailableVirtualCores int32        `json:"availableVirtualCores"`
	AllocatedVirtualCores int32        `json:"allocatedVirtualCores"`
	PendingVirtualCores   int32        `json:"pendingVirtualCores"`
	ContainersAllocated   int32        `json:"containersAllocated"`
	ContainersReserved    int32        `json:"containersReserved"`
	ContainersPending     int32        `json:"containersPending"`
	TotalMB               int64        `json:"totalMB"`
	TotalVirtualCores     int32        `json:"totalVirtualCores"`
	TotalNodes            int32        `json:"totalNodes"`
	LostNodes             int32        `json:"lostNodes"`
	UnhealthyNodes        int32        `json:"unhealthyNodes"`
	DecommissioningNodes  int32        `json:"decommissioningNodes"`
	DecommissionedNodes   int32        `json:"decommissionedNodes"`
	RebootedNodes         int32        `json:"rebootedNodes"`
	ActiveNodes           int32        `json:"activeNodes"`
	ShutdownNodes         int32        `json:"shutdownNodes"`
	TotalUsed             resourceInfo `json:"totalUsedResourcesAcrossPartition"`
	TotalCluster          resourceInfo `json:"totalClusterResourcesAcrossPartition"`
	AcrossPartitions      bool         `json:"crossPartitionMetricsAvailable"`
}

func clusterMetricsOf(s *yarn.ResourceManagerStateResponse) clusterMetrics {
	u, n := s.GetUse(), s.GetNodesByState()
	return clusterMetrics{
		AppsSubmitted: u.GetAppsSubmitted(), AppsCompleted: u.GetAppsCompleted(), AppsPending: u.GetAppsPending(), AppsRunning: u.GetAppsRunning(),
		AppsFailed: u.GetAppsFailed(), AppsKilled: u.GetAppsKilled(),
		ReservedMB: u.GetReserved().GetMemory(), AvailableMB: u.GetTotal().GetMemory() - u.GetAllocated().GetMemory(),
		AllocatedMB: u.GetAllocated().GetMemory(), PendingMB: u.GetPending().GetMemory(),
		ReservedVirtualCores: u.GetReserved().GetVirtualCores(), AvailableVirtualCores: u.GetTotal().GetVirtualCores() - u.GetAllocated().GetVirtualCores(),
		AllocatedVirtualCores: u.GetAllocated().GetVirtualCores(), PendingVirtualCores: u.GetPending().GetVirtualCores(),
		ContainersAllocated: u.GetContainersAllocated(), ContainersReserved: u.GetContainersReserved(), ContainersPending: u.GetContainersPending(),
		TotalMB: u.GetTotal().GetMemory(), TotalVirtualCores: u.GetTotal().GetVirtualCores(), TotalNodes: int32(len(s.GetNodes())),
		LostNodes: n.GetNumLostNms(), UnhealthyNodes: n.GetNumUnhealthyNms(), DecommissioningNodes: n.GetNumDecommissioningNms(),
		DecommissionedNodes: n.GetNumDecommissionedNms(), RebootedNodes: n.GetNumRebootedNms(), ActiveNodes: n.GetNumActiveNms(), ShutdownNodes: n.GetNumShutdownNms(),
		TotalUsed: resourceInfoOf(u.GetAllocated()), TotalCluster: resourceInfoOf(u.GetTotal()),
	}
}

// appInfo mirrors AppInfo. What is empty in Hadoop's is left out there too.
type appInfo struct {
	ID                    string        `json:"id"`
	User                  string        `json:"user"`
	Name                  string        `json:"name"`
	Queue                 string        `json:"queue"`
	State                 string        `json:"state"`
	FinalStatus           string        `json:"finalStatus"`
	Progress              javaFloat     `json:"progress"`
	TrackingUI            string        `json:"trackingUI"`
	TrackingURL           string        `json:"trackingUrl,omitempty"`
	Diagnostics           string        `json:"diagnostics"`
	ClusterID             int64         `json:"clusterId"`
	Type                  string        `json:"applicationType"`
	Tags                  string        `json:"applicationTags"`
	Priority              int32         `json:"priority"`
	Started               int64         `json:"startedTime"`
	Launched              int64         `json:"launchTime"`
	Finished              int64         `json:"finishedTime"`
	Elapsed               int64         `json:"elapsedTime"`
	AMContainerLogs       string        `json:"amContainerLogs,omitempty"`
	AMHostHTTPAddress     string        `json:"amHostHttpAddress,omitempty"`
	AMRPCAddress          string        `json:"amRPCAddress,omitempty"`
	AllocatedMB           int64         `json:"allocatedMB"`
	AllocatedVCores       int64         `json:"allocatedVCores"`
	ReservedMB            int64         `json:"reservedMB"`
	ReservedVCores        int64         `json:"reservedVCores"`
	RunningContainers     int32         `json:"runningContainers"`
	MemorySeconds         int64         `json:"memorySeconds"`
	VCoreSeconds          int64         `json:"vcoreSeconds"`
	QueueUsage            javaFloat     `json:"queueUsagePercentage"`
	ClusterUsage          javaFloat     `json:"clusterUsagePercentage"`
	ResourceSeconds       secondsMap    `json:"resourceSecondsMap"`
	PreemptedMB           int64         `json:"preemptedResourceMB"`
	PreemptedVCores       int32         `json:"preemptedResourceVCores"`
	NonAMPreempted        int32         `json:"numNonAMContainerPreempted"`
	AMPreempted           int32         `json:"numAMContainerPreempted"`
	PreemptedMemorySecs   int64         `json:"preemptedMemorySeconds"`
	PreemptedVCoreSeconds int64         `json:"preemptedVcoreSeconds"`
	PreemptedSeconds      secondsMap    `json:"preemptedResourceSecondsMap"`
	LogAggregation        string        `json:"logAggregationStatus"`
	Unmanaged             bool          `json:"unmanagedApplication"`
	AMNodeLabel           string        `json:"amNodeLabelExpression"`
	Timeouts              *timeoutsInfo `json:"timeouts,omitempty"`
}

type timeoutsInfo struct {
	Timeout []timeoutInfo `json:"timeout"`
}

type timeoutInfo struct {
	Type      string `json:"type"`
	Expiry    string `json:"expiryTime"`
	Remaining int64  `json:"remainingTimeInSeconds"`
}

// secondsMap is a map of resources times seconds as Hadoop writes it: with one "entry" for each, of the same name.
type secondsMap [2]int64

// MarshalJSON fulfils json.Marshaler.
func (m secondsMap) MarshalJSON() ([]byte, error) {
	if m == (secondsMap{}) {
		return []byte("{}"), nil
	}
	return json.RawMessage(`{"entry":{"key":"memory-mb","value":"` + decimal(m[0]) + `"},"entry":{"key":"vcores","value":"` + decimal(m[1]) + `"}}`), nil
}

func appInfoOf(s *yarn.ResourceManagerStateResponse, a *yarn.AppInfo) appInfo {
	r, t, u := a.GetReport(), a.GetTotals(), a.GetReport().GetAppResourceUsage()
	i := appInfo{
		ID: appID(r.GetApplicationId()), User: r.GetUser(), Name: r.GetName(), Queue: r.GetQueue(), State: r.GetYarnApplicationState().String(),
		FinalStatus: finalStatus(r), Progress: javaFloat(r.GetProgress() * 100), TrackingUI: "UNASSIGNED", Diagnostics: r.GetDiagnostics(),
		ClusterID: s.GetStartedOn(), Type: r.GetApplicationType(), Tags: strings.Join(r.GetApplicationTags(), ","), Priority: r.GetPriority().GetPriority(),
		Started: r.GetStartTime(), Launched: a.GetLaunchTime(), Finished: r.GetFinishTime(), Elapsed: elapsed(s, r),
		AllocatedMB: -1, AllocatedVCores: -1, ReservedMB: -1, ReservedVCores: -1, RunningContainers: -1, // nobody has it any more
		MemorySeconds: t.GetMemorySeconds(), VCoreSeconds: t.GetVcoreSeconds(), ResourceSeconds: secondsMap{t.GetMemorySeconds(), t.GetVcoreSeconds()},
		PreemptedMB: t.GetPreempted().GetMemory(), PreemptedVCores: t.GetPreempted().GetVirtualCores(),
		NonAMPreempted: t.GetPreemptedContainers(), AMPreempted: t.GetPreemptedAmContainers(),
		PreemptedMemorySecs: t.GetPreemptedMemorySeconds(), PreemptedVCoreSeconds: t.GetPreemptedVcoreSeconds(),
		PreemptedSeconds: secondsMap{t.GetPreemptedMemorySeconds(), t.GetPreemptedVcoreSeconds()},
		LogAggregation:   "DISABLED", Unmanaged: r.GetUnmanagedApplication(), AMHostHTTPAddress: a.GetAmNodeHttpAddress(),
		Timeouts: &timeoutsInfo{[]timeoutInfo{{"LIFETIME", "UNLIMITED", -1}}},
	}
	if r.GetTrackingUrl() != "" && r.GetYarnApplicationState() >= yarn.YarnApplicationState_RUNNING {
		i.TrackingURL, i.TrackingUI = withScheme(r.GetTrackingUrl()), "ApplicationMaster"
		if r.GetFinishTime() != 0 {
			i.TrackingUI = "History"
		}
	}
	if a.GetAmNodeHttpAddress() != "" {
		i.AMContainerLogs = amLogs(a)
	}
	if r.GetRpcPort() >= 0 && r.GetHost() != "N/A" {
		i.AMRPCAddress = net.JoinHostPort(r.GetHost(), strconv.Itoa(int(r.GetRpcPort())))
	}
	if u != nil {
		i.AllocatedMB, i.AllocatedVCores = u.GetUsedResources().GetMemory(), int64(u.GetUsedResources().GetVirtualCores())
		i.ReservedMB, i.ReservedVCores = u.GetReservedResources().GetMemory(), int64(u.GetReservedResources().GetVirtualCores())
		i.RunningContainers = u.GetNumUsedContainers()
		i.ClusterUsage = percentOf(i.AllocatedMB, s.GetUse().GetTotal().GetMemory())
		i.QueueUsage = percentOf(i.AllocatedMB, queueOf(s.GetRoot(), r.GetQueue()).GetFairShare().GetMemory())
	}
	return i
}

// elapsed is how long an application runs, or ran, in ms.
func elapsed(s *yarn.ResourceManagerStateResponse, r *yarn.ApplicationReport) int64 {
	until := r.GetFinishTime()
	if until == 0 {
		until = s.GetTimeMs()
	}
	return max(until-r.GetStartTime(), 0)
}

func percentOf(part, whole int64) javaFloat {
	if whole <= 0 {
		return 0
	}
	return javaFloat(float32(part) / float32(whole) * 100)
}

// amLogs is the address of the pages with the logs of an ApplicationMaster.
func amLogs(a *yarn.AppInfo) string {
	return withScheme(a.GetAmNodeHttpAddress()) + "/node/containerlogs/" + containerID(a.GetAmContainer()) + "/" + a.GetReport().GetUser()
}

func withScheme(url string) string {
	if strings.Contains(url, "://") {
		return url
	}
	return "http://" + url
}

func finalStatus(r *yarn.ApplicationReport) string {
	return strings.TrimPrefix(r.GetFinalApplicationStatus().String(), "APP_")
}

func nodeState(n *yarn.NodeReport) string {
	return strings.TrimPrefix(n.GetNodeState().String(), "NS_")
}

// queueOf is the queue of a name in a tree; nil: there is none.
func queueOf(q *yarn.QueueInfo, name string) *yarn.QueueInfo {
	if q.GetQueueName() == name {
		return q
	}
	for _, child := range q.GetChildQueues() {
		if found := queueOf(child, name); found != nil {
			return found
		}
	}
	return nil
}

func appID(m *yarn.ApplicationId) string {
	return ids.Application{Timestamp: m.GetClusterTimestamp(), ID: m.GetId()}.String()
}

func containerID(m *yarn.ContainerId) string {
	id, err := ids.ContainerFrom(m)
	if err != nil {
		return ""
	}
	return id.String()
}

func nodeID(m *yarn.NodeId) string {
	if m == nil {
		return ""
	}
	return net.JoinHostPort(m.GetHost(), strconv.Itoa(int(m.GetPort())))
}

// nodeInfo mirrors NodeInfo.
type nodeInfo struct {
	Rack            string       `json:"rack"`
	State           string       `json:"state"`
	ID              string       `json:"id"`
	Host            string       `json:"nodeHostName"`
	HTTPAddress     string       `json:"nodeHTTPAddress"`
	LastHealth      int64        `json:"lastHealthUpdate"`
	HealthReport    string       `json:"healthReport"`
	Containers      int32        `json:"numContainers"`
	UsedMB          int64        `json:"usedMemoryMB"`
	AvailableMB     int64        `json:"availMemoryMB"`
	UsedVCores      int32        `json:"usedVirtualCores"`
	AvailableVCores int32        `json:"availableVirtualCores"`
	Used            resourceInfo `json:"usedResource"`
	Available       resourceInfo `json:"availableResource"`
	Total           resourceInfo `json:"totalResource"`
}

// nodeInfoOf is a node; one that is gone has no pages and nothing free.
func nodeInfoOf(n *yarn.NodeReport) nodeInfo {
	used, total := n.GetUsed(), n.GetCapability()
	left := &yarn.Resource{}
	i := nodeInfo{
		Rack: n.GetRackName(), State: nodeState(n), ID: nodeID(n.GetNodeId()), Host: n.GetNodeId().GetHost(), LastHealth: n.GetLastHealthReportTime(),
		HealthReport: n.GetHealthReport(), Containers: n.GetNumContainers(), UsedMB: used.GetMemory(), UsedVCores: used.GetVirtualCores(),
		Used: resourceInfoOf(used), Total: resourceInfoOf(total),
	}
	switch n.GetNodeState() {
	case yarn.NodeState_NS_RUNNING, yarn.NodeState_NS_UNHEALTHY, yarn.NodeState_NS_DECOMMISSIONING, yarn.NodeState_NS_NEW:
		i.HTTPAddress = n.GetHttpAddress()
	}
	if n.GetNodeState() == yarn.NodeState_NS_RUNNING || n.GetNodeState() == yarn.NodeState_NS_DECOMMISSIONING {
		left = &yarn.Resource{Memory: total.GetMemory() - used.GetMemory(), VirtualCores: total.GetVirtualCores() - used.GetVirtualCores()}
	}
	i.AvailableMB, i.AvailableVCores, i.Available = left.GetMemory(), left.GetVirtualCores(), resourceInfoOf(left)
	return i
}

// schedulerInfo is what is said of the scheduler: of the FairScheduler its queues, as it says them itself.
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
