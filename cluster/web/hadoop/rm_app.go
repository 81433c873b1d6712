package hadoop

import (
	"encoding/json"
	"net"
	"strconv"
	"strings"

	"github.com/coherer/coherer/messages/yarn"
)

// appInfo mirrors AppInfo. The fields with omitempty are those that Hadoop leaves out when they are empty.
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
	MasterNodeID          string        `json:"masterNodeId"`
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
	AMNodeLabel           *string       `json:"amNodeLabelExpression,omitempty"`
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

// secondsMap is a map of resources, memory and cores, times seconds as Hadoop writes it: with one "entry" for each, of the same
// name. None is empty.
type secondsMap []int64

// secondsOf is the map of two sums.
func secondsOf(memory, vcores int64) secondsMap { return secondsMap{memory, vcores} }

// MarshalJSON fulfils json.Marshaler.
func (m secondsMap) MarshalJSON() ([]byte, error) {
	if len(m) == 0 {
		return []byte("{}"), nil
	}
	return json.RawMessage(`{"entry":{"key":"memory-mb","value":"` + strconv.FormatInt(m[0], 10) + `"},"entry":{"key":"vcores","value":"` + strconv.FormatInt(m[1], 10) + `"}}`), nil
}

func appInfoOf(s *yarn.ResourceManagerStateResponse, a *yarn.AppInfo) appInfo {
	r, t, u := a.GetReport(), a.GetTotals(), a.GetReport().GetAppResourceUsage()
	i := appInfo{
		ID: appID(r.GetApplicationId()), User: r.GetUser(), Name: r.GetName(), Queue: r.GetQueue(), State: r.GetYarnApplicationState().String(),
		FinalStatus: finalStatus(r), Progress: javaFloat(r.GetProgress() * 100), TrackingUI: "UNASSIGNED", Diagnostics: r.GetDiagnostics(),
		ClusterID: s.GetStartedOn(), Type: r.GetApplicationType(), Tags: strings.Join(r.GetApplicationTags(), ","), Priority: r.GetPriority().GetPriority(),
		Started: r.GetStartTime(), Launched: a.GetLaunchTime(), Finished: r.GetFinishTime(), Elapsed: elapsed(s, r),
		MasterNodeID: nodeID(a.GetAmNode()), MemorySeconds: t.GetMemorySeconds(), VCoreSeconds: t.GetVcoreSeconds(),
		PreemptedMB: t.GetPreempted().GetMemory(), PreemptedVCores: t.GetPreempted().GetVirtualCores(),
		NonAMPreempted: t.GetPreemptedContainers(), AMPreempted: t.GetPreemptedAmContainers(),
		PreemptedMemorySecs: t.GetPreemptedMemorySeconds(), PreemptedVCoreSeconds: t.GetPreemptedVcoreSeconds(),
		LogAggregation: "DISABLED", Unmanaged: r.GetUnmanagedApplication(), AMHostHTTPAddress: a.GetAmNodeHttpAddress(),
		Timeouts: &timeoutsInfo{[]timeoutInfo{{"LIFETIME", "UNLIMITED", -1}}},
	}
	i.tracking(s, a)
	if a.GetAmNodeHttpAddress() != "" {
		i.AMContainerLogs = amLogs(a)
	}
	if r.GetRpcPort() >= 0 && r.GetHost() != "N/A" {
		i.AMRPCAddress = net.JoinHostPort(r.GetHost(), strconv.Itoa(int(r.GetRpcPort())))
	}
	if t.GetPreemptedMemorySeconds() != 0 || t.GetPreemptedVcoreSeconds() != 0 {
		i.PreemptedSeconds = secondsOf(t.GetPreemptedMemorySeconds(), t.GetPreemptedVcoreSeconds())
	}
	if len(a.GetAttempts()) == 0 { // Hadoop takes what follows from the current attempt
		return i
	}
	i.AMNodeLabel, i.ResourceSeconds = new(string), secondsOf(t.GetMemorySeconds(), t.GetVcoreSeconds())
	if u == nil { // the scheduler does not know it any more; Hadoop writes -1 then
		i.AllocatedMB, i.AllocatedVCores, i.ReservedMB, i.ReservedVCores, i.RunningContainers = -1, -1, -1, -1, -1
	} else {
		i.AllocatedMB, i.AllocatedVCores = u.GetUsedResources().GetMemory(), int64(u.GetUsedResources().GetVirtualCores())
		i.ReservedMB, i.ReservedVCores = u.GetReservedResources().GetMemory(), int64(u.GetReservedResources().GetVirtualCores())
		i.RunningContainers = u.GetNumUsedContainers()
		i.ClusterUsage = percentOf(i.AllocatedMB, s.GetUse().GetTotal().GetMemory())
		i.QueueUsage = percentOf(i.AllocatedMB, queueOf(s.GetRoot(), r.GetQueue()).GetFairShare().GetMemory())
	}
	return i
}

// tracking sets the address of its pages: its ApplicationMaster's, or its history; of one that did not end by itself the
// ResourceManager's. Before the ApplicationMaster registers it is empty.
func (i *appInfo) tracking(s *yarn.ResourceManagerStateResponse, a *yarn.AppInfo) {
	r := a.GetReport()
	switch r.GetYarnApplicationState() {
	case yarn.YarnApplicationState_RUNNING:
		i.TrackingUI, i.TrackingURL = "ApplicationMaster", r.GetTrackingUrl()
	case yarn.YarnApplicationState_FINISHED:
		i.TrackingUI, i.TrackingURL = "History", r.GetTrackingUrl()
	case yarn.YarnApplicationState_FAILED, yarn.YarnApplicationState_KILLED:
		if len(a.GetAttempts()) > 0 {
			i.TrackingUI, i.TrackingURL = "History", strings.TrimSuffix(s.GetWebUiUrl(), "/")+"/cluster/app/"+i.ID
		}
	}
	if i.TrackingURL != "" {
		i.TrackingURL = withScheme(i.TrackingURL)
	}
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
