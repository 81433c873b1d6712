package hadoop

import (
	"net/http"
	"strings"
	"testing"

	"github.com/coherer/coherer/cluster/web/webtest"
	"github.com/coherer/coherer/messages/yarn"
)

const rmStart = 1795855723000

func size(memory int64, cores int32) *yarn.Resource {
	return &yarn.Resource{Memory: memory, VirtualCores: cores}
}

func yarnApp(id int32) *yarn.ApplicationId {
	return &yarn.ApplicationId{ClusterTimestamp: rmStart, Id: id}
}

func yarnContainer(app int32, seq int64) *yarn.ContainerId {
	return &yarn.ContainerId{AppAttemptId: &yarn.ApplicationAttemptId{ApplicationId: yarnApp(app), AttemptId: 1}, Id: seq}
}

// yarnState is a ResourceManager with one node that runs and one that was lost, one application that runs and waits, one that
// ended well, and one that has just come.
func yarnState() *yarn.ResourceManagerStateResponse {
	return &yarn.ResourceManagerStateResponse{
		StartedOn: rmStart, TimeMs: rmStart + 60_000, Scheduler: "fairScheduler",
		NodesByState: &yarn.YarnClusterMetrics{NumNodeManagers: 1, NumActiveNms: 1, NumLostNms: 1},
		Use: &yarn.ClusterUse{
			Total: size(8192, 8), Allocated: size(3072, 3), Reserved: size(2048, 1), Pending: size(4096, 4), ContainersAllocated: 3,
			ContainersReserved: 1, ContainersPending: 4, AppsSubmitted: 3, AppsPending: 1, AppsRunning: 1, AppsCompleted: 1,
		},
		Nodes: []*yarn.NodeReport{
			{
				NodeId: &yarn.NodeId{Host: "n1", Port: 45454}, HttpAddress: "n1:8042", RackName: "/default-rack", Used: size(3072, 3), Capability: size(8192, 8),
				NumContainers: 3, NodeState: yarn.NodeState_NS_RUNNING, LastHealthReportTime: rmStart + 50_000,
			},
			{
				NodeId: &yarn.NodeId{Host: "n2", Port: 45454}, HttpAddress: "n2:8042", RackName: "/r<2>", Used: size(0, 0), Capability: size(4096, 4),
				NodeState: yarn.NodeState_NS_LOST, StateReason: "it was not heard of", HealthReport: "1/1 local-dirs have errors", LastHealthReportTime: rmStart + 1_000,
			},
		},
		Apps: []*yarn.AppInfo{
			{
				Report: &yarn.ApplicationReport{
					ApplicationId: yarnApp(1), User: "ada", Queue: "root.a", Name: "Pi", YarnApplicationState: yarn.YarnApplicationState_FINISHED,
					FinalApplicationStatus: yarn.FinalApplicationStatus_APP_SUCCEEDED, StartTime: rmStart + 1_000, FinishTime: rmStart + 11_500,
					ApplicationType: "SPARK", Host: "n1", RpcPort: 4000, Progress: 1, TrackingUrl: "history:18080/x",
				},
				AmContainer: yarnContainer(1, 1), AmNodeHttpAddress: "n1:8042", LaunchTime: rmStart + 1_200,
				Totals: &yarn.AppTotals{MemorySeconds: 20480, VcoreSeconds: 20},
			},
			{
				Report: &yarn.ApplicationReport{
					ApplicationId: yarnApp(2), User: "bob", Queue: "root.a", Name: "<b>Words</b>", YarnApplicationState: yarn.YarnApplicationState_RUNNING,
					StartTime: rmStart + 20_000, ApplicationType: "SPARK", ApplicationTags: []string{"x", "y"}, Host: "n1", RpcPort: 4001, Progress: 0.25,
					TrackingUrl: "http://driver:4040", AppResourceUsage: &yarn.ApplicationResourceUsageReport{
						NumUsedContainers: 3, NumReservedContainers: 1, UsedResources: size(3072, 3), ReservedResources: size(2048, 1),
					},
				},
				State: "RUNNING", AmContainer: yarnContainer(2, 1), AmNodeHttpAddress: "n1:8042", LaunchTime: rmStart + 20_100,
				Totals: &yarn.AppTotals{MemorySeconds: 4096, VcoreSeconds: 4, Preempted: size(1024, 1), PreemptedContainers: 1, PreemptedMemorySeconds: 100, PreemptedVcoreSeconds: 1},
				Attempts: []*yarn.AppAttemptInfo{{
					Id: &yarn.ApplicationAttemptId{ApplicationId: yarnApp(2), AttemptId: 1}, State: "RUNNING", Container: yarnContainer(2, 1),
					Node: &yarn.NodeId{Host: "n1", Port: 45454}, StartTime: rmStart + 20_000,
				}},
			},
			{Report: &yarn.ApplicationReport{
				ApplicationId: yarnApp(3), User: "ada", Queue: "root.b", Name: "late", YarnApplicationState: yarn.YarnApplicationState_ACCEPTED,
				StartTime: rmStart + 59_000, ApplicationType: "YARN", Host: "N/A", RpcPort: -1, AppResourceUsage: &yarn.ApplicationResourceUsageReport{},
			}},
		},
		Root: &yarn.QueueInfo{
			QueueName: "root", Policy: "fair", Used: size(3072, 3), FairShare: size(8192, 8), MaximumShare: size(1<<62, 1<<31-1), RunningApps: 2,
			ChildQueues: []*yarn.QueueInfo{
				{QueueName: "root.a", Policy: "fair", Used: size(3072, 3), Demand: size(7168, 7), FairShare: size(4096, 4), MaximumShare: size(3072, 3), RunningApps: 1},
				{QueueName: "root.b", Policy: "drf", FairShare: size(4096, 4), MaximumShare: size(1<<62, 1<<31-1), RunningApps: 1, WaitingApps: 1},
			},
		},
		SchedulerInfo: `{"maxApps":2147483647,"queueName":"root"}`, Minimum: size(1024, 1), Maximum: size(8192, 4),
		Demands: []*yarn.AppDemand{{ApplicationId: yarnApp(2), Queue: "root.a", Containers: 4, Pending: size(4096, 4), Reasons: []*yarn.ApplicationRefusal{
			{Filter: "queue", Reason: "queue root.a has <memory:3072, vCores:3>", Help: "raise maxResources of root.a"},
		}}},
		DemandsMore: 7,
		Failures:    []*yarn.ContainerFailure{{ContainerId: yarnContainer(2, 3), NodeId: &yarn.NodeId{Host: "n1", Port: 45454}, TimeMs: rmStart, ExitStatus: 143, Diagnostics: "killed <by> someone"}},
	}
}

func resourceManager(t *testing.T, s *yarn.ResourceManagerStateResponse) http.Handler {
	return ResourceManagerPages(webtest.Site(t, &books{rm: s, why: &yarn.ApplicationRefusals{Refusals: s.GetDemands()[0].GetReasons()}}))
}

func TestNodesAreFiltered(t *testing.T) {
	h := resourceManager(t, yarnState())
	if _, text := webtest.Get(t, h, "/ws/v1/cluster/nodes?states=lost"); !strings.Contains(text, "n2:45454") || strings.Contains(text, "n1:45454") {
		t.Error(text)
	}
	if _, text := webtest.Get(t, h, "/ws/v1/cluster/nodes/n1:45454"); !strings.Contains(text, `{"node":{"rack":"/default-rack"`) {
		t.Error(text)
	}
}

func TestThereIsNoXML(t *testing.T) {
	h := resourceManager(t, yarnState())
	for accept, want := range map[string]int{
		"application/xml": 406, "text/html": 406, "application/json": 200, "*/*": 200, "": 200, "text/html,application/xml;q=0.9,*/*;q=0.8": 200,
	} {
		if code, text := webtest.Get(t, h, "/ws/v1/cluster/info", "Accept", accept); code != want || want == 406 && !strings.Contains(text, "NotAcceptableException") {
			t.Errorf("%q: %d %s", accept, code, text)
		}
	}
}

func TestTheResourceManagersPages(t *testing.T) {
	webtest.UTC(t)
	h := resourceManager(t, yarnState())
	code, page := webtest.Get(t, h, "/")
	if code != http.StatusOK {
		t.Fatal(code, page)
	}
	webtest.Wants(t, page,
		"3.0 GiB, 3 cores of 8.0 GiB, 8 cores used", "What waits (1 and 7 more)", "queue: queue root.a has &lt;memory:3072, vCores:3&gt;: raise maxResources of root.a",
		`<td>root.a</td><td>fair</td><td>3.0 GiB, 3 cores</td> <td><meter min="0" max="4096" value="3072"></meter></td>`, "<td>none</td>",
		`<a href="http://n1:8042">n1:45454</a>`, `<td>n2:45454</td><td>/r&lt;2&gt;</td><td>LOST</td>`, "<td>it was not heard of</td>", "&lt;b&gt;Words&lt;/b&gt;",
		`<a href="http://n1:8042/node/containerlogs/container_1795855723000_0002_01_000001/bob">logs</a>`, "killed &lt;by&gt; someone",
		`<a href="http://driver:4040">page</a>`, "Completed Applications (1)",
	)
	code, page = webtest.Get(t, h, "/cluster/app/application_1795855723000_0002")
	if code != http.StatusOK {
		t.Fatal(code, page)
	}
	webtest.Wants(t, page, "Why it has no more containers", "queue root.a has", "<td>1</td><td>RUNNING</td>", "3 containers, 3.0 GiB, 3 cores; 1 reserved")
	for path, want := range map[string]int{"/cluster/app/application_1_0009": 404, "/cluster/app/x": 400, "/nothing": 404, "/metrics": 200} {
		if code, _ := webtest.Get(t, h, path); code != want {
			t.Errorf("%s: %d", path, code)
		}
	}
}
