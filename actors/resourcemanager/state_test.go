package resourcemanager_test

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager"
	"github.com/coherer/coherer/messages/yarn"
)

func (k *kit) place(id *yarn.ContainerId) *yarn.ContainerPlace {
	k.t.Helper()
	return ask[*yarn.ContainerPlace](k, k.tool, "ClientRMService", &yarn.RequestContainerPlace{ContainerId: id})
}

// The state lists open asks with their obstacles, and failed containers with the cause.
func TestTheStateTellsWhatWaitsAndWhatFailed(t *testing.T) {
	f := &file{content: twoQueues}
	k := kitWith(t, resourcemanager.Config{Allocations: f})
	n := k.node("N1", 16384, 16)
	am, app := k.running(n, inQueue("a"))
	am.allocate(anywhere(9))
	k.beats(5*time.Second, n)
	got := am.allocate().GetAllocatedContainers()
	if len(got) != 3 {
		t.Fatalf("%d containers", len(got))
	}
	am.start(n, got[0])
	am.start(n, got[1])
	n.beat()
	if p := k.place(got[0].GetId()); p.GetState() != "RUNNING" || p.GetResource().GetMemory() != 1024 || p.GetNodeId().GetHost() == "" {
		t.Errorf("a container that runs: %v", p)
	}
	if d := k.state().GetDemands(); len(d) != 1 || d[0].GetQueue() != "root.a" || d[0].GetContainers() != 6 ||
		d[0].GetPending().GetMemory() != 6*1024 || d[0].GetApplicationId().GetId() != app.ID {
		t.Errorf("demands %v", d)
	}
	n.ends(got[0].GetId(), 3, "it divided by zero")
	n.ends(got[1].GetId(), -105, "its ApplicationMaster ended it")
	n.beat()

	s := k.state()
	k.beats(3*time.Second, n)
	if d := k.state().GetDemands()[0]; len(d.GetReasons()) == 0 || d.GetReasons()[0].GetFilter() != "queue" {
		t.Errorf("blocked by %v", d.GetReasons())
	}
	if len(s.GetFailures()) != 1 || s.GetFailures()[0].GetExitStatus() != 3 || s.GetFailures()[0].GetDiagnostics() != "it divided by zero" {
		t.Errorf("failures %v", s.GetFailures())
	}
	if p := k.place(got[0].GetId()); p.GetState() != "COMPLETED" || p.GetFailure().GetExitStatus() != 3 {
		t.Errorf("a container that failed: %v", p)
	}
	_, err := askErr[*yarn.ContainerPlace](k, k.tool, "ClientRMService", &yarn.RequestContainerPlace{ContainerId: got[1].GetId()})
	refused(t, err, exceptions.YARN, "")
	root := s.GetRoot()
	if len(root.GetChildQueues()) != 2 || root.GetChildQueues()[0].GetMaximumShare().GetMemory() != 4096 || root.GetChildQueues()[0].GetPolicy() != "fair" {
		t.Errorf("queues %v", root)
	}
}

// Of many waiting applications the state lists fifty, and the number of the others.
func TestTheStateTellsHowManyMoreWait(t *testing.T) {
	k := newKit(t)
	for range 52 {
		k.submit(nil)
	}
	if s := k.state(); len(s.GetDemands()) != 50 || s.GetDemandsMore() != 2 {
		t.Errorf("%d demands and %d more", len(s.GetDemands()), s.GetDemandsMore())
	}
}

// The use of an ended application is remembered.
func TestTotalsStayAfterTheEnd(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	am, _ := k.running(n, nil)
	k.beats(10*time.Second, n)
	info := k.state().GetApps()[0]
	if info.GetLaunchTime() == 0 || info.GetTotals().GetMemorySeconds() < 10*1024 {
		t.Errorf("%v", info)
	}
	for !am.finish(yarn.FinalApplicationStatus_APP_SUCCEEDED) {
		k.beats(time.Second, n)
	}
	if u := k.state().GetUse(); u.GetAppsRunning() != 1 || u.GetAppsPending() != 0 {
		t.Errorf("%d run and %d wait though it has its ApplicationMaster's container", u.GetAppsRunning(), u.GetAppsPending())
	}
	_, own := n.startedLast()
	n.ends(own, 0, "")
	k.beats(2*time.Second, n)
	if u := k.state().GetUse(); u.GetAppsRunning() != 0 || u.GetAppsPending() != 0 || u.GetAppsCompleted() != 1 {
		t.Errorf("at the end: %v", u)
	}
	info = k.state().GetApps()[0]
	if info.GetState() != "FINISHED" || info.GetTotals().GetVcoreSeconds() < 10 || info.GetTotals().GetPreemptedContainers() != 0 {
		t.Errorf("%v", info)
	}
}

func TestPreemptedContainersAreCounted(t *testing.T) {
	f := &file{content: `<allocations><queue name="a"/><queue name="b"/>
		<defaultFairSharePreemptionTimeout>1</defaultFairSharePreemptionTimeout>
		<defaultFairSharePreemptionThreshold>0.5</defaultFairSharePreemptionThreshold></allocations>`}
	k := kitWith(t, resourcemanager.Config{Allocations: f}, "yarn.scheduler.fair.preemption", "true", "yarn.scheduler.fair.waitTimeBeforeKill", "2000")
	n := k.node("N1", 12288, 24)
	greedy, _ := k.running(n, inQueue("a"))
	greedy.allocate(anywhere(11))
	k.beats(30*time.Second, n)
	var held []*yarn.Container
	held = append(held, greedy.allocate().GetAllocatedContainers()...)
	k.submit(inQueue("b"))
	marked := false
	for range 20 {
		k.beats(time.Second, n)
		greedy.allocate()
		for _, h := range held {
			if p, err := askErr[*yarn.ContainerPlace](k, k.tool, "ClientRMService", &yarn.RequestContainerPlace{ContainerId: h.GetId()}); err == nil {
				marked = marked || p.GetPreemptedFor() != "" && p.GetPreemptedIn() > 0
			}
		}
	}
	s := k.state()
	if a := s.GetApps()[0].GetTotals(); a.GetPreemptedContainers() == 0 || a.GetPreempted().GetMemory() == 0 || a.GetPreemptedMemorySeconds() == 0 || a.GetPreemptedAmContainers() != 0 {
		t.Errorf("totals %v", a)
	}
	if !marked || len(s.GetFailures()) == 0 || s.GetFailures()[0].GetExitStatus() != -102 {
		t.Errorf("marked %t, failures %v", marked, s.GetFailures())
	}
}

func TestTheStateOfAFifoScheduler(t *testing.T) {
	k := newKit(t, "yarn.resourcemanager.scheduler.class", "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fifo.FifoScheduler")
	n := k.node("N1", 2048, 2)
	am, _ := k.running(n, nil)
	am.allocate(anywhere(5))
	n.beat()
	want := &yarn.ContainerPlace{Id: am.own, NodeId: n.reg.GetNodeId(), Resource: &yarn.Resource{Memory: 1024, VirtualCores: 1}, State: "RUNNING", ApplicationMaster: true}
	if got := k.place(am.own); !proto.Equal(got, want) {
		t.Errorf("the ApplicationMaster's container: %v\nwant\n%v", got, want)
	}
	s := k.state()
	if s.GetRoot().GetQueueName() != "default" || s.GetRoot().GetUsed().GetMemory() != 2048 || len(s.GetDemands()) != 1 {
		t.Errorf("root %v, demands %v", s.GetRoot(), s.GetDemands())
	}
	_, err := askErr[*yarn.ContainerPlace](k, k.tool, "ClientRMService", &yarn.RequestContainerPlace{ContainerId: ids.Container{Attempt: ids.Attempt{App: ids.Application{ID: 9}, Attempt: 1}, Seq: 1}.Proto()})
	refused(t, err, exceptions.YARN, "")
}
