package resourcemanager

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/fair"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// A client's question for a queue chooses how much of what is below it the answer has; applications come with their use.
func TestAQuestionForAQueueSaysHowMuch(t *testing.T) {
	v := newService(t, nil)
	app := v.submit()
	v.Scheduler.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		q, ok := m.(scheduler.RequestBooks)
		if !ok {
			return false
		}
		b := scheduler.Books{
			Use:   &yarn.ClusterUse{Total: &yarn.Resource{Memory: 100}},
			ByApp: map[ids.Application]*yarn.ApplicationResourceUsageReport{app: {NumUsedContainers: 7}},
		}
		for _, name := range []string{"root", "root.a", "root.a.b", "root.a.b.c"} {
			b.Queues = append(b.Queues, fair.QueueState{QueueSettings: fair.QueueSettings{Name: name}, FairShare: fair.Resource{Memory: 50}})
		}
		rpcenv.Reply(c, q, b)
		return true
	})
	var depth func(q *yarn.QueueInfo) int
	depth = func(q *yarn.QueueInfo) int {
		deepest := 0
		for _, child := range q.GetChildQueues() {
			deepest = max(deepest, 1+depth(child))
		}
		return deepest
	}
	for _, is := range []struct {
		q    *yarn.GetQueueInfoRequest
		name string
		deep int
		apps int
	}{
		{&yarn.GetQueueInfoRequest{QueueName: "root"}, "root", 0, 0},
		{&yarn.GetQueueInfoRequest{QueueName: "root", IncludeChildQueues: true}, "root", 1, 0},
		{&yarn.GetQueueInfoRequest{QueueName: "root", Recursive: true}, "root", 3, 0},
		{&yarn.GetQueueInfoRequest{QueueName: "a", IncludeApplications: true, IncludeChildQueues: true}, "root.a", 1, 1},
		{&yarn.GetQueueInfoRequest{QueueName: "root.a.b"}, "root.a.b", 0, 0},
	} {
		a, err := rpctest.Ask[*yarn.GetQueueInfoResponse](v.Peer, v.Of, is.q)
		info := a.GetQueueInfo()
		if err != nil || info.GetQueueName() != is.name || depth(info) != is.deep || len(info.GetApplications()) != is.apps || info.GetCapacity() != 0.5 {
			t.Errorf("%v: %v, %v", is.q, info, err)
		}
		for _, r := range info.GetApplications() {
			if r.GetApplicationId().GetId() != app.ID || r.GetAppResourceUsage().GetNumUsedContainers() != 7 {
				t.Errorf("%v", r)
			}
		}
	}
}

// Nodes are counted by the names of their states, and only running ones are NodeManagers.
func TestNodesAreCountedByState(t *testing.T) {
	var all []*yarn.NodeReport
	for s := machine.NodeNew; s <= machine.NodeShutdown; s++ {
		for range 1 + int(s) { // as many as its number, and one
			all = append(all, &yarn.NodeReport{NodeState: yarn.NodeState(yarn.NodeState_value["NS_"+s.String()])})
		}
	}
	got := metricsOf(all)
	want := &yarn.YarnClusterMetrics{
		NumNodeManagers: 2, NumActiveNms: 2, NumUnhealthyNms: 3, NumDecommissionedNms: 4, NumLostNms: 5, NumRebootedNms: 6,
		NumDecommissioningNms: 7, NumShutdownNms: 8,
	}
	if !proto.Equal(got, want) {
		t.Errorf("%v\nwant\n%v", got, want)
	}
}
