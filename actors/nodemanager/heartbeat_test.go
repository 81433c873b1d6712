package nodemanager

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/exceptions"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// Spec 1.5: a node registers with what it offers, and its heartbeats count on from what the last answer said.
func TestANodeRegistersAndBeats(t *testing.T) {
	k := newKit(t)
	k.join(Config{MemoryMB: 3072, VCores: 2, HTTPPort: 8042}, nil)
	m := k.registrations[0]
	if m.GetResource().GetMemory() != 3072 || m.GetResource().GetVirtualCores() != 2 || m.GetHttpPort() != 8042 || m.GetRack() != "/default-rack" ||
		m.GetNodeId().GetHost() != k.env.Address().Host || int(m.GetNodeId().GetPort()) != k.env.Address().Port {
		t.Errorf("%v", m)
	}
	k.w.Advance(4 * time.Second)
	for i, b := range k.beats[:4] {
		if s := b.GetNodeStatus(); int(s.GetResponseId()) != i || !s.GetNodeHealthStatus().GetIsNodeHealthy() {
			t.Errorf("heartbeat %d: %v", i, s)
		}
	}
	if d := k.began[1].Sub(k.began[0]); d < time.Second || d > 1100*time.Millisecond {
		t.Errorf("the period is %s", d)
	}
	k.next(func(r *yarn.NodeHeartbeatResponse) { r.NextHeartBeatInterval = 5000 })
	n := len(k.beats)
	k.w.Advance(4 * time.Second)
	if len(k.beats) != n {
		t.Error("the ResourceManager's period does not hold")
	}
}

// Spec 1.5: RESYNC keeps the containers, registers again with them, and counts from 0.
func TestResyncKeepsContainers(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	live, dead := k.running(1, nil), k.running(2, nil)
	k.children[1].Exit(0)
	k.told(dead, yarn.ContainerState_C_COMPLETE)
	k.unknown = true
	k.w.Until("a registration", func() bool { return len(k.registrations) == 2 })
	n := len(k.beats)
	k.w.Until("a heartbeat", func() bool { return len(k.beats) > n })
	if id := k.beats[n].GetNodeStatus().GetResponseId(); id != 0 {
		t.Errorf("the response id is %d", id)
	}
	m := k.registrations[1]
	if len(m.GetRunningApplications()) != 1 || len(m.GetContainerStatuses()) != 2 {
		t.Fatalf("%v", m)
	}
	first, second := m.GetContainerStatuses()[0], m.GetContainerStatuses()[1]
	if first.GetContainerState() != yarn.ContainerState_C_RUNNING || second.GetContainerState() != yarn.ContainerState_C_COMPLETE ||
		second.GetContainerExitStatus() != 0 || first.GetPriority().GetPriority() != 3 || first.GetResource().GetMemory() != 1024 {
		t.Errorf("%v", m)
	}
	if got := k.status(live); got != "C_RUNNING -1000" {
		t.Errorf("%s", got)
	}
}

// Spec 1.5: what the ResourceManager says that a node offers replaces what it said.
func TestTheResourceManagerKnowsBetter(t *testing.T) {
	k := newKit(t)
	k.refuse = &yarn.RegisterNodeManagerResponse{ContainerTokenMasterKey: key1, NmTokenMasterKey: key2, RmIdentifier: rmIdentifier, Resource: &yarn.Resource{Memory: 77, VirtualCores: 1}}
	k.join(Config{}, nil)
	k.unknown = true
	k.w.Until("a registration", func() bool { return len(k.registrations) == 2 })
	if r := k.registrations[1].GetResource(); r.GetMemory() != 77 || r.GetVirtualCores() != 1 {
		t.Errorf("%v", r)
	}
}

// Spec 1.5: SHUTDOWN ends the containers and the process.
func TestShutdownByTheResourceManager(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	k.running(1, nil)
	k.next(func(r *yarn.NodeHeartbeatResponse) { r.NodeAction = yarn.NodeAction_NODE_SHUTDOWN })
	k.w.Until("the end", func() bool { _, ended := k.host.Exited(); return ended })
	if code, _ := k.host.Exited(); code != 0 {
		t.Errorf("code %d", code)
	}
	if _, ended := k.children[0].Exited(); !ended {
		t.Error("a container is left")
	}
}

func TestARefusedRegistrationEndsTheProcess(t *testing.T) {
	k := newKit(t)
	k.refuse = &yarn.RegisterNodeManagerResponse{NodeAction: yarn.NodeAction_NODE_SHUTDOWN, DiagnosticsMessage: "too small"}
	k.start(Config{}, nil)
	k.w.Until("the end", func() bool { _, ended := k.host.Exited(); return ended })
	if code, _ := k.host.Exited(); code != 1 {
		t.Errorf("code %d", code)
	}
}

// A refusal ends the node, as YarnException does Hadoop's; a ResourceManager that is not ready is asked again.
func TestARegistrationThatFailsEndsTheProcessWhenItWillFailAgain(t *testing.T) {
	k := newKit(t)
	k.bad = fmt.Errorf("%w: its rack is too long", exceptions.YARN)
	k.start(Config{}, nil)
	k.w.Until("the end", func() bool { _, ended := k.host.Exited(); return ended })
	if code, _ := k.host.Exited(); code != 1 || len(k.registrations) != 1 {
		t.Errorf("code %d after %d registrations", code, len(k.registrations))
	}

	k = newKit(t)
	k.bad = exceptions.Retriable
	k.start(Config{}, map[string]string{"yarn.resourcemanager.connect.retry-interval.ms": "1000"})
	k.w.Until("three registrations", func() bool { return len(k.registrations) == 3 })
	k.bad = nil
	k.w.Until("a heartbeat", func() bool { return len(k.beats) == 1 })
}

func TestAConfigThatIsNotValidEndsTheProcess(t *testing.T) {
	k := newKit(t)
	k.start(Config{MemoryMB: -1}, nil)
	k.w.Until("the end", func() bool { _, ended := k.host.Exited(); return ended })
	if err := (&Config{}).Validate(); err == nil || len(strings.Split(err.Error(), "\n")) != 3 {
		t.Errorf("%v", err)
	}
}

// real-yarn D17: a container's end is told at once, not with the next heartbeat.
func TestAnEndIsToldAtOnce(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	id := k.running(1, nil)
	k.told(id, yarn.ContainerState_C_RUNNING)
	at := k.w.Now()
	k.children[0].Exit(3)
	s := k.told(id, yarn.ContainerState_C_COMPLETE)
	if d := k.w.Now().Sub(at); d > 50*time.Millisecond {
		t.Errorf("it took %s", d)
	}
	if s.GetExitStatus() != 3 || s.GetCapability().GetMemory() != 1024 {
		t.Errorf("%v", s)
	}
	n := len(k.beats)
	k.w.Advance(5 * time.Second)
	for _, b := range k.beats[n:] {
		if len(b.GetNodeStatus().GetContainersStatuses()) > 0 {
			t.Errorf("an answered end is told again: %v", b)
		}
	}
	if d := k.began[len(k.began)-1].Sub(k.began[len(k.began)-2]); d < time.Second {
		t.Errorf("the period is %s afterwards", d)
	}
}

// Spec 1.5: a completed container is kept until the ResourceManager says to forget it; another start of it is refused.
func TestACompletedContainerIsKeptUntilTheResourceManagerSaysSo(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	id := k.running(1, nil)
	k.children[0].Exit(0)
	k.told(id, yarn.ContainerState_C_COMPLETE)
	k.w.Advance(5 * time.Second)
	if got := k.status(id); got != "C_COMPLETE 0" {
		t.Errorf("%s", got)
	}
	k.next(func(r *yarn.NodeHeartbeatResponse) { r.ContainersToBeRemovedFromNm = []*yarn.ContainerId{id.Proto()} })
	if got := k.status(id); got != "Container "+id.String()+" was recently stopped on node manager." {
		t.Errorf("%s", got)
	}
	if r := k.stop(id); len(r.GetSucceededRequests()) != 1 {
		t.Errorf("%v", r)
	}
	if r := k.ask(k.entry(k.identifier(id), nil)); len(r.GetFailedRequests()) != 1 {
		t.Errorf("%v", r)
	}
	k.w.Advance(11 * time.Minute)
	if got := k.status(id); got != "Container "+id.String()+" is not handled by this NodeManager" {
		t.Errorf("%s", got)
	}
}

// A live container is not forgotten, whatever the ResourceManager says.
func TestALiveContainerIsNotForgotten(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	id := k.running(1, nil)
	k.next(func(r *yarn.NodeHeartbeatResponse) {
		r.ContainersToBeRemovedFromNm = []*yarn.ContainerId{id.Proto(), nil, {}}
	})
	if got := k.status(id); got != "C_RUNNING -1000" {
		t.Errorf("%s", got)
	}
}

func TestAHeartbeatThatWasNotAnsweredIsRepeated(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, map[string]string{"yarn.resourcemanager.connect.retry-interval.ms": "500"})
	a, b := k.running(1, nil), k.running(2, nil)
	k.told(b, yarn.ContainerState_C_RUNNING)
	k.deaf = true
	n := len(k.beats)
	k.children[0].Exit(0)
	k.w.Until("a heartbeat", func() bool { return len(k.beats) > n })
	k.children[1].Exit(0)
	k.w.Until("another", func() bool { return len(k.beats) > n+2 })
	k.deaf = false
	first := k.beats[n]
	for _, again := range k.beats[n:] {
		if !proto.Equal(first, again) {
			t.Errorf("%v is repeated as %v", first, again)
		}
	}
	k.told(a, yarn.ContainerState_C_COMPLETE)
	k.told(b, yarn.ContainerState_C_COMPLETE)
}

func TestAResourceManagerThatIsAwayIsTriedAgain(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, map[string]string{"yarn.resourcemanager.connect.retry-interval.ms": "2000"})
	id := k.running(1, nil)
	k.w.Find("RM").Kill()
	k.w.Advance(time.Minute)
	env, err := rpcenv.New(k.w.Host("RM", k.rm.Env.Address().Host), rpcenv.Config{Name: "RM", Listen: k.rm.Env.Address()})
	if err != nil {
		t.Fatal(err)
	}
	k.rm = k.w.ProbeIn(env, ids.ResourceTracker)
	k.rm.On(k.playRM)
	k.unknown = true
	k.w.Until("a registration", func() bool { return len(k.registrations) == 2 })
	if len(k.registrations[1].GetContainerStatuses()) != 1 {
		t.Errorf("%v", k.registrations[1])
	}
	if got := k.status(id); got != "C_RUNNING -1000" {
		t.Errorf("%s", got)
	}
}

func TestAResourceManagerThatStaysAwayEndsTheProcess(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	k.running(1, nil)
	k.w.Find("RM").Kill()
	k.w.Advance(14 * time.Minute)
	if _, ended := k.host.Exited(); ended {
		t.Error("it ends before yarn.resourcemanager.connect.max-wait.ms")
	}
	k.w.Advance(3 * time.Minute)
	if code, ended := k.host.Exited(); !ended || code != 1 {
		t.Errorf("code %d, %t", code, ended)
	}
	if _, ended := k.children[0].Exited(); !ended {
		t.Error("a container is left")
	}
}

// Spec 1.5 and 2.8: the clean-up lists of an answer.
func TestCleanUpLists(t *testing.T) {
	k := newKit(t)
	f := &fakes{}
	k.join(Config{Containers: dirs{f}}, nil)
	a, b := k.running(1, nil), k.running(2, nil)
	k.next(func(r *yarn.NodeHeartbeatResponse) {
		r.ContainersToCleanup = []*yarn.ContainerId{a.Proto(), containerID(app1, 99).Proto(), nil}
		r.ApplicationsToCleanup = []*yarn.ApplicationId{nil, {Id: 77, ClusterTimestamp: 1}}
	})
	if s := k.told(a, yarn.ContainerState_C_COMPLETE); text(s) != "C_COMPLETE -106 Container Killed by ResourceManager|Container killed on request. Exit code is 143|" {
		t.Errorf("%s", text(s))
	}
	k.next(func(r *yarn.NodeHeartbeatResponse) { r.ApplicationsToCleanup = []*yarn.ApplicationId{app1.Proto()} })
	if s := k.told(b, yarn.ContainerState_C_COMPLETE); !strings.HasPrefix(text(s), "C_COMPLETE -107 Container killed on application-finish event: Application killed by ResourceManager|") {
		t.Errorf("%s", text(s))
	}
	k.w.Until("the application's directories", func() bool { return f.count("remove application ann "+app1.String()) == 1 })
	k.w.Advance(3 * time.Second)
	k.unknown = true
	k.w.Until("a registration", func() bool { return len(k.registrations) == 2 })
	if m := k.registrations[1]; len(m.GetContainerStatuses()) > 0 || len(m.GetRunningApplications()) > 0 {
		t.Errorf("something is left of it: %v", m)
	}
}

func TestSignals(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	var all []ids.Container
	for i := range int64(3) {
		all = append(all, k.running(i+1, nil))
	}
	k.next(func(r *yarn.NodeHeartbeatResponse) {
		r.ContainersToSignal = []*yarn.SignalContainer{
			nil,
			{ContainerId: containerID(app1, 99).Proto(), Command: yarn.SignalContainerCommand_FORCEFUL_SHUTDOWN},
			{ContainerId: all[0].Proto(), Command: yarn.SignalContainerCommand_FORCEFUL_SHUTDOWN},
			{ContainerId: all[1].Proto(), Command: yarn.SignalContainerCommand_GRACEFUL_SHUTDOWN},
			{ContainerId: all[2].Proto(), Command: yarn.SignalContainerCommand_OUTPUT_THREAD_DUMP},
		}
	})
	if s := k.told(all[0], yarn.ContainerState_C_COMPLETE); text(s) != "C_COMPLETE 137 Container killed on request. Exit code is 137|Killed by external signal|" {
		t.Errorf("%s", text(s))
	}
	if s := k.told(all[1], yarn.ContainerState_C_COMPLETE); s.GetExitStatus() != 143 {
		t.Errorf("%s", text(s))
	}
	if got := k.status(all[2]); got != "C_RUNNING -1000" {
		t.Errorf("%s", got)
	}
}

func TestANodeManagerThatEndsSaysGoodBye(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	k.running(1, nil)
	p := k.w.ProbeIn(k.env, "Main")
	if r, err := rpctest.Ask[*rpc.Bool](p, k.nm, Shutdown{}); err != nil || !r.GetValue() {
		t.Errorf("%v %v", r, err)
	}
	if _, ended := k.children[0].Exited(); !ended {
		t.Error("a container is left")
	}
	k.w.Settle()
	if k.farewells != 1 {
		t.Errorf("%d farewells", k.farewells)
	}
	if r := k.ask(k.entry(k.identifier(containerID(app1, 9)), nil)); len(r.GetFailedRequests()) != 1 {
		t.Errorf("a container is taken: %v", r)
	}
	if r, err := rpctest.Ask[*rpc.Bool](p, k.nm, Shutdown{}); err != nil || !r.GetValue() {
		t.Errorf("a second time: %v %v", r, err)
	}
}

func TestHealthGoesWithHeartbeats(t *testing.T) {
	k := newKit(t)
	f := &fakes{report: "1/1 local-dirs are bad: /d", unhealthy: true}
	k.join(Config{Machine: f}, map[string]string{
		"yarn.nodemanager.health-checker.script.path": "/check", "yarn.nodemanager.disk-health-checker.interval-ms": "3000",
	})
	k.w.Advance(2 * time.Second)
	s := k.beats[len(k.beats)-1].GetNodeStatus().GetNodeHealthStatus()
	if s.GetIsNodeHealthy() || s.GetHealthReport() != "ERROR bad;1/1 local-dirs are bad: /d" {
		t.Errorf("%v", s)
	}
	if f.count("script /check 20m0s") != 1 {
		t.Errorf("%q", f.log)
	}
	f.report, f.unhealthy = "", false
	k.w.Advance(4 * time.Second)
	if s := k.beats[len(k.beats)-1].GetNodeStatus().GetNodeHealthStatus(); s.GetHealthReport() != "ERROR bad" {
		t.Errorf("%v", s)
	}
}
