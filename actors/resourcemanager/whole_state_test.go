package resourcemanager_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/resourcemanager"
	"github.com/coherer/coherer/messages/yarn"
)

// A state has every field that its message documents, of nodes, queues, applications, attempts, demands and failures.
func TestAStateIsWhole(t *testing.T) {
	k := kitWith(t, resourcemanager.Config{WebUIURL: "http://rm:8088", Allocations: &file{content: `<allocations>
		<queue name="a"><minResources>1024 mb, 1 vcores</minResources><maxResources>10240 mb, 10 vcores</maxResources>
			<maxRunningApps>3</maxRunningApps><schedulingPolicy>fifo</schedulingPolicy></queue>
		<queue name="b"><queue name="c"><maxRunningApps>1</maxRunningApps></queue></queue></allocations>`}})
	n := k.newNode("N1", 8192, 8)
	n.reg.Rack = "/r1"
	n.register()
	small := k.node("N2", 1024, 1)
	small.sick("disk full")
	am, _ := k.running(n, func(s *yarn.ApplicationSubmissionContext) {
		s.Queue, s.ApplicationTags, s.Priority = "a", []string{"blue", "new"}, &yarn.Priority{Priority: 3}
	})
	got := am.given(n, 3)
	for _, c := range got {
		am.start(n, c)
	}
	n.beat()
	n.ends(got[0].GetId(), 3, "it divided by zero")
	n.beat()
	crashed, _ := k.running(n, func(s *yarn.ApplicationSubmissionContext) { s.Queue, s.User, s.MaxAppAttempts = "b.c", "bob", 1 })
	crashed.crash(n, 7)
	k.kill(k.submit(inQueue("b.c")))
	am.call(&yarn.AllocateRequest{Ask: []*yarn.ResourceRequest{sized(2, 7168)}, Progress: 0.25})
	k.beats(2*time.Second, n)
	k.submit(func(s *yarn.ApplicationSubmissionContext) { s.Queue, s.Resource.Memory = "b.c", 8192 })
	k.submit(inQueue("b.c"))
	k.beats(2*time.Second, n)
	s := k.state()
	// Package fair holds what is in Hadoop's JSON of a queue; here it is that of this cluster's queues.
	var queues []string
	for _, m := range regexp.MustCompile(`"queueName":"([^"]*)"|"clusterResources":{"memory":(\d+)|"maxContainerAllocation":{"memory":(\d+)`).FindAllStringSubmatch(s.GetSchedulerInfo(), -1) {
		queues = append(queues, m[1]+m[2]+m[3])
	}
	if got := strings.Join(queues, " "); got != "8192 8192 root 8192 8192 root.a 8192 8192 root.b 8192 8192 root.b.c" {
		t.Errorf("queues in Hadoop's JSON: %s", got)
	}
	s.SchedulerInfo = ""
	// Times are virtual: the same in each run.
	text, err := os.ReadFile("testdata/state.txtpb")
	if err != nil {
		t.Fatal(err)
	}
	want := &yarn.ResourceManagerStateResponse{}
	if err := prototext.Unmarshal(text, want); err != nil {
		t.Fatal(err)
	}
	if !proto.Equal(s, want) {
		t.Errorf("got\n%s\nwant\n%s", prototext.Format(s), prototext.Format(want))
	}
}

// sick is a heartbeat that says that the node is not healthy.
func (n *nodeManager) sick(report string) {
	n.k.t.Helper()
	r := ask[*yarn.NodeHeartbeatResponse](n.k, n.Probe, "ResourceTracker", &yarn.NodeHeartbeatRequest{NodeStatus: &yarn.NodeStatus{
		NodeId: n.reg.GetNodeId(), ResponseId: n.response, NodeHealthStatus: &yarn.NodeHealthStatus{HealthReport: report, LastHealthReportTime: 77},
	}})
	n.response = r.GetResponseId()
	n.k.Settle()
}
