package hadoop

import (
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/yarn"
)

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
	return clusterInfo{s.GetStartedOn(), s.GetStartedOn(), "STARTED", "ACTIVE", ids.HadoopVersion, ids.HadoopVersion + " as Coherer does it", ids.HadoopVersion}
}

// clusterMetrics mirrors ClusterMetricsInfo, without sums over partitions, which only the CapacityScheduler has.
type clusterMetrics struct {
	AppsSubmitted         int32 `json:"appsSubmitted"`
	AppsCompleted         int32 `json:"appsCompleted"`
	AppsPending           int32 `json:"appsPending"`
	AppsRunning           int32 `json:"appsRunning"`
	AppsFailed            int32 `json:"appsFailed"`
	AppsKilled            int32 `json:"appsKilled"`
	ReservedMB            int64 `json:"reservedMB"`
	AvailableMB           int64 `json:"availableMB"`
	AllocatedMB           int64 `json:"allocatedMB"`
	PendingMB             int64 `json:"pendingMB"`
	ReservedVirtualCores  int32 `json:"reservedVirtualCores"`
	AvailableVirtualCores int32 `json:"availableVirtualCores"`
	AllocatedVirtualCores int32 `json:"allocatedVirtualCores"`
	PendingVirtualCores   int32 `json:"pendingVirtualCores"`
	ContainersAllocated   int32 `json:"containersAllocated"`
	ContainersReserved    int32 `json:"containersReserved"`
	ContainersPending     int32 `json:"containersPending"`
	TotalMB               int64 `json:"totalMB"`
	TotalVirtualCores     int32 `json:"totalVirtualCores"`
	TotalNodes            int32 `json:"totalNodes"`
	LostNodes             int32 `json:"lostNodes"`
	UnhealthyNodes        int32 `json:"unhealthyNodes"`
	DecommissioningNodes  int32 `json:"decommissioningNodes"`
	DecommissionedNodes   int32 `json:"decommissionedNodes"`
	RebootedNodes         int32 `json:"rebootedNodes"`
	ActiveNodes           int32 `json:"activeNodes"`
	ShutdownNodes         int32 `json:"shutdownNodes"`
	AcrossContainers      int32 `json:"totalAllocatedContainersAcrossPartition"`
	AcrossPartitions      bool  `json:"crossPartitionMetricsAvailable"`
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
	}
}
