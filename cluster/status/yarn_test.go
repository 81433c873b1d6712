package status

import (
	"strings"
	"testing"

	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

func TestTheScreenOfYARN(t *testing.T) {
	size := func(memory int64, cores int32) *yarn.Resource {
		return &yarn.Resource{Memory: memory, VirtualCores: cores}
	}
	app := &yarn.ApplicationId{ClusterTimestamp: 1000, Id: 1}
	s := &yarn.ResourceManagerStateResponse{
		StartedOn: 1000, TimeMs: 61_000, Scheduler: "fairScheduler", WebUiUrl: "http://rm:8088", NodesByState: &yarn.YarnClusterMetrics{NumActiveNms: 1},
		Use: &yarn.ClusterUse{Total: size(4096, 4), Allocated: size(1024, 1), Reserved: size(0, 0), ContainersAllocated: 1, ContainersPending: 2, AppsRunning: 1, AppsFailed: 1},
		Nodes: []*yarn.NodeReport{
			{NodeId: &yarn.NodeId{Host: "n1", Port: 1}, NodeState: yarn.NodeState_NS_RUNNING, RackName: "/r", Used: size(1024, 1), Capability: size(4096, 4), NumContainers: 1},
			{NodeId: &yarn.NodeId{Host: "n2", Port: 1}, NodeState: yarn.NodeState_NS_UNHEALTHY, RackName: "/r", HealthReport: "disk full", LastHealthReportTime: 31_000},
			{NodeId: &yarn.NodeId{Host: "n3", Port: 1}, NodeState: yarn.NodeState_NS_LOST, RackName: "/r", StateReason: "it was not heard of", HealthReport: "all well", LastHealthReportTime: 11_000, StateTime: 21_000},
		},
		Root: &yarn.QueueInfo{QueueName: "root", Policy: "fair", Used: size(1024, 1), FairShare: size(4096, 4), MaximumShare: size(1<<62, 1<<31-1), ChildQueues: []*yarn.QueueInfo{
			{QueueName: "root.a", Policy: "drf", MaximumShare: size(1024, 1), RunningApps: 1},
		}},
		Apps: []*yarn.AppInfo{
			{Report: &yarn.ApplicationReport{
				ApplicationId: app, Name: "Pi\x1b[31m", User: "ada", Queue: "root.a", YarnApplicationState: yarn.YarnApplicationState_RUNNING, StartTime: 51_000,
				AppResourceUsage: &yarn.ApplicationResourceUsageReport{NumUsedContainers: 1, UsedResources: size(1024, 1)},
			}},
			{
				Report:   &yarn.ApplicationReport{ApplicationId: &yarn.ApplicationId{ClusterTimestamp: 1000, Id: 2}, YarnApplicationState: yarn.YarnApplicationState_FAILED, FinishTime: 41_000, Diagnostics: "failed 2 times"},
				Attempts: []*yarn.AppAttemptInfo{{Id: &yarn.ApplicationAttemptId{AttemptId: 1}, State: "FAILED", FinishTime: 40_000, ExitStatus: 13, Diagnostics: "no class"}},
			},
		},
		Demands: []*yarn.AppDemand{{ApplicationId: app, Queue: "root.a", Containers: 2, Pending: size(2048, 2), Reasons: []*yarn.ApplicationRefusal{
			{Filter: "queue", Reason: "queue root.a has 1024", Help: "raise maxResources"},
		}}},
		Failures: []*yarn.ContainerFailure{{
			ContainerId: &yarn.ContainerId{AppAttemptId: &yarn.ApplicationAttemptId{ApplicationId: app, AttemptId: 1}, Id: 2}, NodeId: &yarn.NodeId{Host: "n1", Port: 1},
			TimeMs: 51_000, ExitStatus: 143, Diagnostics: "Exception from container-launch.\nExit code: 143\nLast 4096 bytes of stderr :\nmany lines\nINFO exit 143: too much memory\n\nFor more detailed output, check the application tracking page: http://rm",
		}},
	}
	got := YARNText(rpcenv.Address{Host: "rm", Port: 8032}, s)
	if strings.Contains(got, "\x1b") || !strings.Contains(got, `Pi\x1b[31m`) {
		t.Errorf("it draws on the terminal, or hides the name:\n%q", got)
	}
	words := strings.Join(strings.Fields(got), " ")
	at := 0
	for _, want := range []string{
		"ResourceManager rm:8032, fairScheduler, epoch 0, began 1m0s ago, its pages are at http://rm:8088",
		"1 of 3 nodes active; memory 1024 MiB of 4.0 GiB used, 0 MiB reserved; cores 1 of 4 used; containers: 1, 0 reserved, 2 asked for; applications: 1 running, 0 pending, 0 completed, 1 failed",
		"n2:1 UNHEALTHY /r", "n1:1 RUNNING /r 1 1024 MiB of 4.0 GiB 1 of 4",
		"root fair 1024 MiB, 1 cores 4.0 GiB, 4 cores none", "root.a drf 0 MiB, 0 cores 0 MiB, 0 cores 1024 MiB, 1 cores 0 MiB, 0 cores 1 0",
		"application_1000_0001", "ada root.a RUNNING 1 1024 MiB, 1 cores 10s ago",
		"WAITS application_1000_0001 in root.a, for 2 containers, 2.0 GiB, 2 cores: queue: queue root.a has 1024; would help: raise maxResources",
		"FAILED 10s ago: container container_1000_0001_01_000002 at n1:1: exit 143, Exception from container-launch. ... INFO exit 143: too much memory",
		"20s ago: application application_1000_0002: FAILED, failed 2 times", "21s ago: attempt 1 of application_1000_0002: exit 13, no class",
		"30s ago: node n2:1: UNHEALTHY, disk full", "40s ago: node n3:1: LOST, it was not heard of",
	} {
		i := strings.Index(words[at:], want)
		if i < 0 {
			t.Fatalf("no %q behind the one before, in\n%s", want, got)
		}
		at += i
	}
}
