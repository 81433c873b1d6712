package resourcemanager

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/resourcemanager/fair"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/messages/yarn"
)

// The answer has a queue with those below as far as was asked, and with the applications that have not ended.
func TestWhichQueuesAreTold(t *testing.T) {
	var queues []fair.QueueState
	for _, name := range []string{"root", "root.a", "root.a.b", "root.a.b.c", "root.ab", "root.d"} {
		queues = append(queues, fair.QueueState{QueueSettings: fair.QueueSettings{Name: name}})
	}
	inQueue := func(id int32, queue string, s machine.AppState) *application {
		a := inState(s, 0, "")
		a.id.ID, a.queue = id, queue
		return a
	}
	apps := []*application{
		inQueue(1, "root.a.b", machine.AppRunning), inQueue(2, "root.a", machine.AppRunning), inQueue(3, "root.a.b", machine.AppFinished),
		inQueue(4, "root.a.b", machine.AppFinishing),
	}
	var text func(q *yarn.QueueInfo) string
	text = func(q *yarn.QueueInfo) string {
		var all []string
		for _, a := range q.GetApplications() {
			all = append(all, fmt.Sprint(a.GetApplicationId().GetId()))
		}
		for _, child := range q.GetChildQueues() {
			all = append(all, text(child))
		}
		return q.GetQueueName() + "(" + strings.Join(all, " ") + ")"
	}
	for _, is := range []struct {
		of                            string
		children, recursive, withApps bool
		want                          string
	}{
		{"root", false, false, false, "root()"},
		{"root", true, false, false, "root(root.a() root.ab() root.d())"},
		{"root", false, true, false, "root(root.a(root.a.b(root.a.b.c())) root.ab() root.d())"},
		{"root", true, true, true, "root(root.a(2 root.a.b(1 4 root.a.b.c())) root.ab() root.d())"},
		{"root.a", true, false, true, "root.a(2 root.a.b(1 4))"},
		{"root.a.b", false, false, true, "root.a.b(1 4)"},
	} {
		tree := &queueTree{queues: queues, apps: apps, children: is.children, recursive: is.recursive, withApps: is.withApps}
		if got := text(tree.info(is.of, true)); got != is.want {
			t.Errorf("%+v: %s", is, got)
		}
	}
	if got := (&queueTree{queues: queues}).info("root.b", true); got != nil {
		t.Errorf("a queue that is none: %v", got)
	}
}

// A queue's usage and limits come as amounts and as parts of memory.
func TestWhatIsToldOfAQueue(t *testing.T) {
	size := func(n int64) fair.Resource { return fair.Resource{Memory: n, VCores: n + 1} }
	tree := &queueTree{
		queues: []fair.QueueState{{
			QueueSettings: fair.QueueSettings{Name: "root", Policy: "fifo", MaxRunningApps: math.MaxInt64}, Usage: size(100), Demand: size(200), FairShare: size(400),
			SteadyFairShare: size(500), MinShare: size(600), MaxShare: size(700), Running: 3, Waiting: 4,
		}},
		use: scheduler.Books{Use: &yarn.ClusterUse{Total: &yarn.Resource{Memory: 1600}}},
	}
	of := func(n int64) *yarn.Resource { return size(n).Proto() }
	want := &yarn.QueueInfo{
		QueueName: "root", State: yarn.QueueState_Q_RUNNING, Capacity: 0.25, CurrentCapacity: 0.25, MaximumCapacity: 0.4375, Used: of(100), Demand: of(200),
		FairShare: of(400), SteadyFairShare: of(500), MinimumShare: of(600), MaximumShare: of(700), Policy: "fifo", RunningApps: 3, WaitingApps: 4,
		MaxRunningApps: math.MaxInt32,
	}
	if got := tree.info("root", true); !proto.Equal(got, want) {
		t.Errorf("%v\nwant\n%v", got, want)
	}
	tree.use.Use.Total.Memory = 350
	if got := tree.info("root", true).GetMaximumCapacity(); got != 1 {
		t.Errorf("a queue that may have twice the cluster has the part %v", got)
	}
	tree.use.Use.Total, tree.queues[0].FairShare = nil, fair.Resource{}
	if got := tree.info("root", true); got.GetCapacity() != 0 || got.GetCurrentCapacity() != 0 || got.GetMaximumCapacity() != 0 {
		t.Errorf("of an empty cluster it has the parts %v", got)
	}
}
