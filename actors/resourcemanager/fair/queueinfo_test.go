package fair

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/ids"
)

// attemptOf is the first attempt of the n-th application.
func attemptOf(n int32) ids.Attempt {
	return ids.Attempt{App: ids.Application{Timestamp: 1767225600000, ID: n}, Attempt: 1}
}

// TestQueueTree: what pages tell of the queues, with one application that runs, one that has nothing yet and one that may not.
func TestQueueTree(t *testing.T) {
	a := parsed(t, Faults{}, `<queue name="p"><weight>3</weight><queue name="q"><maxRunningApps>2</maxRunningApps><maxResources>4096 mb, 90 vcores</maxResources></queue></queue><queue name="r"/>`)
	s, err := New(0, DefaultConfig(), a)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.AddNode(0, NodeSpec{ID: "h:1", Host: "h", Rack: "/r", Total: Resource{8192, 8}}); err != nil {
		t.Fatal(err)
	}
	for n := range int32(3) {
		id := attemptOf(n + 1)
		if _, err := s.AddApp(0, id.App, Submission{User: "u", Queue: "root.p.q"}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.AddAttempt(time.Duration(n), AttemptSpec{ID: id}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Allocate(0, attemptOf(1), Demand{Asks: []Ask{{Key: Key{Priority: 1}, Name: Any, Capability: Resource{1024, 1}, Count: 2, Relax: true}}}); err != nil {
		t.Fatal(err)
	}
	s.Update(0)
	if _, err := s.NodeUpdate(0, "h:1", nil, nil); err != nil {
		t.Fatal(err)
	}
	s.Update(0)

	tree := QueueTree(s.Queues(), s.Cluster(), func(queue string) Resource { return s.MaximumAllocation(0, queue) })
	var names []string
	for _, q := range tree.Children {
		names = append(names, q.Name)
	}
	if !slices.Equal(names, []string{"root.p", "root.r"}) || len(tree.Children[0].Children) != 1 {
		t.Fatalf("%v", names)
	}
	q := tree.Children[0].Children[0]
	if q.ActiveApps() != 1 || q.PendingApps() != 2 || q.Containers != 1 || q.Pending != 1 {
		t.Errorf("%d active, %d pending, %d containers, %d wanted", q.ActiveApps(), q.PendingApps(), q.Containers, q.Pending)
	}
	if tree.Containers != 1 || tree.Pending != 1 || tree.Running != 2 {
		t.Errorf("root: %d containers, %d wanted, %d running", tree.Containers, tree.Pending, tree.Running)
	}
	data, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(data, &fields); err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]any{
		"type": "fairSchedulerLeafQueueInfo", "queueName": "root.p.q", "schedulingPolicy": "fair", "maxApps": 2.0, "preemptable": true,
		"numActiveApps": 1.0, "numPendingApps": 2.0, "pendingContainers": 1.0, "allocatedContainers": 1.0, "reservedContainers": 0.0,
	} {
		if fields[field] != want {
			t.Errorf("%s is %v, want %v", field, fields[field], want)
		}
	}
	for field, want := range map[string]Resource{
		"minResources": {}, "maxResources": {4096, 8}, "usedResources": {1024, 1}, "demandResources": {2048, 2}, "amUsedResources": {1024, 1},
		"fairResources": {4096, 0}, "clusterResources": {8192, 8}, "reservedResources": {}, "maxContainerAllocation": {8192, 4},
	} {
		r, _ := fields[field].(map[string]any)
		if r["memory"] != float64(want.Memory) || r["vCores"] != float64(want.VCores) {
			t.Errorf("%s is %v, want %v", field, r, want)
		}
	}
	if _, ok := fields["childQueues"]; ok {
		t.Error("a leaf has childQueues")
	}
	if data, err = json.Marshal(tree); err != nil || !strings.Contains(string(data), `"childQueues":{"queue":[{"maxApps":`) {
		t.Errorf("%s, %v", data, err)
	}
}

// Each amount of a queue has a field of its own; what waiting applications ask counts, as what those that run do.
func TestEachAmountOfAQueueHasItsField(t *testing.T) {
	s := QueueState{
		QueueSettings: QueueSettings{Name: "root.q", Policy: policyDRF, MaxRunningApps: 15},
		Usage:         Resource{1, 1}, Demand: Resource{2, 2}, FairShare: Resource{3, 3}, SteadyFairShare: Resource{4, 4}, MinShare: Resource{5, 5},
		MaxShare: Resource{99, 6}, AMUsage: Resource{7, 7}, AMLimit: Resource{8, 8}, Reserved: Resource{9, 9}, Containers: 12, Reservations: 13, Pending: 14,
	}
	data, err := json.Marshal(QueueInfo{QueueState: s, Cluster: Resource{10, 10}, MaxContainer: Resource{11, 11}})
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(data, &fields); err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]float64{
		"usedResources": 1, "demandResources": 2, "fairResources": 3, "steadyFairResources": 4, "minResources": 5, "maxResources": 10,
		"amUsedResources": 7, "amMaxResources": 8, "reservedResources": 9, "clusterResources": 10, "maxContainerAllocation": 11,
		"allocatedContainers": 12, "reservedContainers": 13, "pendingContainers": 14, "maxApps": 15,
	} {
		got := fields[field]
		if r, ok := got.(map[string]any); ok {
			got = r["memory"]
		}
		if got != want {
			t.Errorf("%s is %v, want %v", field, got, want)
		}
	}
	k := newKit(t, Faults{}, `<queue name="a"><maxRunningApps>1</maxRunningApps></queue>`, nil)
	for id := range int32(2) {
		k.wants(k.app(id+1, "root.a"), int64(id)+2, 1)
	}
	for _, name := range []string{"root", "root.a"} {
		if q := stateOf(t, k.Scheduler, name); q.Pending != 5 {
			t.Errorf("%s: %d are asked for, want 5", name, q.Pending)
		}
	}
}
