package web

import (
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/coherer/coherer/messages/yarn"
)

var rewrite = flag.Bool("rewrite", false, "write testdata/hadoop anew")

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
				NodeState: yarn.NodeState_NS_LOST, HealthReport: "1/1 local-dirs have errors", LastHealthReportTime: rmStart + 1_000,
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
	return ResourceManagerPages(site(t, &books{rm: s, why: &yarn.ApplicationRefusals{Refusals: s.GetDemands()[0].GetReasons()}}))
}

// TestTheRESTServerHasHadoopsFields: testdata/hadoop has what each path answers, in Hadoop's names, types and order.
func TestTheRESTServerHasHadoopsFields(t *testing.T) {
	h := resourceManager(t, yarnState())
	fifo := yarnState()
	fifo.Scheduler, fifo.SchedulerInfo = "fifoScheduler", ""
	for _, c := range []struct {
		file, path string
		h          http.Handler
	}{
		{"info", "/info", h},
		{"info", "", h},
		{"metrics", "/metrics", h},
		{"apps", "/apps", h},
		{"app", "/apps/application_1795855723000_0002", h},
		{"nodes", "/nodes", h},
		{"node", "/nodes/n1:45454", h},
		{"scheduler-fair", "/scheduler", h},
		{"scheduler-fifo", "/scheduler", resourceManager(t, fifo)},
	} {
		code, got := get(t, c.h, "/ws/v1/cluster"+c.path, "Accept", "application/json")
		if !json.Valid([]byte(got)) {
			t.Errorf("%s is no JSON: %s", c.path, got)
		}
		file := "testdata/hadoop/" + c.file + ".json"
		if *rewrite {
			if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if want := read(t, file); code != http.StatusOK || got != want {
			t.Errorf("%s: %d\n%s\nwant\n%s", c.path, code, got, want)
		}
	}
}

func TestAppsAreFiltered(t *testing.T) {
	h := resourceManager(t, yarnState())
	for query, want := range map[string]string{
		"": "1 2 3", "states=RUNNING": "2", "state=finished": "1", "states=RUNNING,ACCEPTED": "2 3", "states=RUNNING&states=FINISHED": "1 2",
		"user=ada": "1 3", "queue=root.a": "1 2", "limit=2": "1 2", "finalStatus=SUCCEEDED": "1", "finalStatus=UNDEFINED": "2 3",
		"applicationTypes=spark": "", "applicationTypes=YARN, SPARK": "1 2 3", "applicationTags=y,z": "2", "user=nobody": "",
		"startedTimeBegin=1795855743000&startedTimeEnd=1795855750000": "2", "finishedTimeBegin=1": "1", "user=ada&states=ACCEPTED": "3",
	} {
		code, text := get(t, h, "/ws/v1/cluster/apps?"+strings.ReplaceAll(query, " ", "%20"))
		var got struct {
			Apps struct{ App []struct{ ID string } }
		}
		if err := json.Unmarshal([]byte(text), &got); err != nil || code != http.StatusOK {
			t.Errorf("%s: %d %v", query, code, err)
		}
		var names []string
		for _, a := range got.Apps.App {
			names = append(names, strings.TrimPrefix(a.ID, "application_1795855723000_000"))
		}
		if strings.Join(names, " ") != want {
			t.Errorf("%s: %s, want %s", query, names, want)
		}
	}
	if _, text := get(t, h, "/ws/v1/cluster/apps?user=nobody"); text != `{"apps":{}}` {
		t.Error(text)
	}
	if _, text := get(t, h, "/ws/v1/cluster/nodes?states=lost"); !contains(text, "n2:45454") || contains(text, "n1:45454") {
		t.Error(text)
	}
}

func TestWhatIsWrongIsARemoteException(t *testing.T) {
	h := resourceManager(t, yarnState())
	for path, want := range map[string]string{
		"/apps/application_1795855723000_0009":      `404 {"RemoteException":{"exception":"NotFoundException","message":"java.lang.Exception: app with id: application_1795855723000_0009 not found","javaClassName":"org.apache.hadoop.yarn.webapp.NotFoundException"}}`,
		"/apps/application_invalid_12":              `400 {"RemoteException":{"exception":"BadRequestException","message":"java.lang.IllegalArgumentException: Invalid ApplicationId: application_invalid_12","javaClassName":"org.apache.hadoop.yarn.webapp.BadRequestException"}}`,
		"/apps?states=x":                            `400 {"RemoteException":{"exception":"BadRequestException","message":"java.lang.Exception: Invalid application-state X specified. It should be one of [NEW, NEW_SAVING, SUBMITTED, ACCEPTED, RUNNING, FINISHED, FAILED, KILLED]","javaClassName":"org.apache.hadoop.yarn.webapp.BadRequestException"}}`,
		"/apps?limit=0":                             `400 {"RemoteException":{"exception":"BadRequestException","message":"java.lang.Exception: limit value must be greater then 0","javaClassName":"org.apache.hadoop.yarn.webapp.BadRequestException"}}`,
		"/apps?limit=many":                          `400 {"RemoteException":{"exception":"NumberFormatException","message":"For input string: \"many\"","javaClassName":"java.lang.NumberFormatException"}}`,
		"/apps?finalStatus=x":                       `400 {"RemoteException":{"exception":"IllegalArgumentException","message":"No enum constant org.apache.hadoop.yarn.api.records.FinalApplicationStatus.x","javaClassName":"java.lang.IllegalArgumentException"}}`,
		"/apps?startedTimeBegin=2&startedTimeEnd=1": `400 {"RemoteException":{"exception":"BadRequestException","message":"java.lang.Exception: startedTimeEnd must be greater than startedTimeBegin","javaClassName":"org.apache.hadoop.yarn.webapp.BadRequestException"}}`,
		"/nodes?states=x":                           `400 {"RemoteException":{"exception":"IllegalArgumentException","message":"No enum constant org.apache.hadoop.yarn.api.records.NodeState.X","javaClassName":"java.lang.IllegalArgumentException"}}`,
		"/nodes/n9:1":                               `404 {"RemoteException":{"exception":"NotFoundException","message":"java.lang.Exception: nodeId, n9:1, is not found","javaClassName":"org.apache.hadoop.yarn.webapp.NotFoundException"}}`,
		"/nodes/n9":                                 `400 {"RemoteException":{"exception":"IllegalArgumentException","message":"Invalid NodeId [n9]. Expected host:port","javaClassName":"java.lang.IllegalArgumentException"}}`,
	} {
		code, got := get(t, h, "/ws/v1/cluster"+path)
		if http.StatusText(code) == "" || strings.TrimSpace(decimal(int64(code))+" "+got) != want {
			t.Errorf("%s: %d %s\nwant %s", path, code, got, want)
		}
	}
}

func TestThereIsNoXML(t *testing.T) {
	h := resourceManager(t, yarnState())
	for accept, want := range map[string]int{
		"application/xml": 406, "text/html": 406, "application/json": 200, "*/*": 200, "": 200, "text/html,application/xml;q=0.9,*/*;q=0.8": 200,
	} {
		if code, text := get(t, h, "/ws/v1/cluster/info", "Accept", accept); code != want || want == 406 && !contains(text, "NotAcceptableException") {
			t.Errorf("%q: %d %s", accept, code, text)
		}
	}
}

func TestTheResourceManagersPages(t *testing.T) {
	utc(t)
	h := resourceManager(t, yarnState())
	code, page := get(t, h, "/")
	if code != http.StatusOK {
		t.Fatal(code, page)
	}
	wants(t, page,
		"3.0 GiB, 3 cores of 8.0 GiB, 8 cores used", "What waits (1 and 7 more)", "queue: queue root.a has &lt;memory:3072, vCores:3&gt;: raise maxResources of root.a",
		`<td>root.a</td><td>fair</td><td>3.0 GiB, 3 cores</td> <td><meter min="0" max="4096" value="3072"></meter></td>`, "<td>none</td>",
		`<a href="http://n1:8042">n1:45454</a>`, `<td>n2:45454</td><td>/r&lt;2&gt;</td><td>LOST</td>`, "&lt;b&gt;Words&lt;/b&gt;",
		`<a href="http://n1:8042/node/containerlogs/container_1795855723000_0002_01_000001/bob">logs</a>`, "killed &lt;by&gt; someone",
		`<a href="http://driver:4040">page</a>`, "Completed Applications (1)",
	)
	code, page = get(t, h, "/cluster/app/application_1795855723000_0002")
	if code != http.StatusOK {
		t.Fatal(code, page)
	}
	wants(t, page, "Why it has no more containers", "queue root.a has", "<td>1</td><td>RUNNING</td>", "3 containers, 3.0 GiB, 3 cores; 1 reserved")
	for path, want := range map[string]int{"/cluster/app/application_1_0009": 404, "/cluster/app/x": 400, "/nothing": 404, "/metrics": 200} {
		if code, _ := get(t, h, path); code != want {
			t.Errorf("%s: %d", path, code)
		}
	}
}
