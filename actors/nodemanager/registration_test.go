package nodemanager

import (
	"fmt"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// Spec 1.5: RESYNC keeps the containers, registers again with them, and counts from 0.
func TestResyncKeepsContainers(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	live, dead := k.running(1, nil), k.running(2, nil)
	k.children[1].Exit(0)
	k.reported(dead, yarn.ContainerState_C_COMPLETE)
	k.unknown = true
	k.w.Until("a registration", func() bool { return len(k.registrations) == 2 })
	n := len(k.beats)
	k.w.Until("a heartbeat", func() bool { return len(k.beats) > n })
	a := k.env.Address()
	node := &yarn.NodeId{Host: a.Host, Port: int32(a.Port)}
	if s := k.beats[n].GetNodeStatus(); s.GetResponseId() != 0 || !proto.Equal(s.GetNodeId(), node) {
		t.Errorf("%v", s)
	}
	m := k.registrations[1]
	if len(m.GetRunningApplications()) != 1 || len(m.GetContainerStatuses()) != 2 {
		t.Fatalf("%v", m)
	}
	container := func(id ids.Container, s yarn.ContainerState, status int32) *yarn.NMContainerStatus {
		return &yarn.NMContainerStatus{
			ContainerId: id.Proto(), ContainerState: s, ContainerExitStatus: status, Priority: &yarn.Priority{Priority: 3},
			Resource: &yarn.Resource{Memory: 1024, VirtualCores: 1}, CreationTime: 77,
		}
	}
	want := &yarn.RegisterNodeManagerRequest{
		NodeId: node, NmVersion: ids.HadoopVersion, Rack: "/default-rack", Resource: &yarn.Resource{Memory: 4096, VirtualCores: 4},
		RunningApplications: []*yarn.ApplicationId{app1.Proto()},
		ContainerStatuses: []*yarn.NMContainerStatus{
			container(live, yarn.ContainerState_C_RUNNING, -1000), container(dead, yarn.ContainerState_C_COMPLETE, 0),
		},
	}
	if !proto.Equal(m, want) {
		t.Errorf("%v\nwant %v", m, want)
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
	k.refuse = nil
	k.next(func(r *yarn.NodeHeartbeatResponse) { r.Resource = &yarn.Resource{Memory: 88, VirtualCores: 2} })
	k.unknown = true
	k.w.Until("a registration", func() bool { return len(k.registrations) == 3 })
	if r := k.registrations[2].GetResource(); r.GetMemory() != 88 || r.GetVirtualCores() != 2 {
		t.Errorf("after a heartbeat: %v", r)
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
	if got := k.why(); got != "exit 1: Received SHUTDOWN signal from Resourcemanager, Registration of NodeManager failed, Message from ResourceManager: too small" {
		t.Errorf("%s", got)
	}
	if len(k.beats) > 0 {
		t.Errorf("%d heartbeats", len(k.beats))
	}
}

// A refusal ends the node, as YarnException does Hadoop's; a ResourceManager that is not ready is asked again.
func TestARegistrationThatFailsEndsTheProcessWhenItWillFailAgain(t *testing.T) {
	k := newKit(t)
	k.bad = fmt.Errorf("%w: its rack is too long", exceptions.YARN)
	k.start(Config{}, nil)
	if got := k.why(); got != "exit 1: the ResourceManager at 10.0.0.1:7077 refuses this node: YarnException: its rack is too long" || len(k.registrations) != 1 {
		t.Errorf("%s after %d registrations", got, len(k.registrations))
	}

	k = newKit(t)
	k.bad = exceptions.Retriable
	k.start(Config{}, map[string]string{"yarn.resourcemanager.connect.retry-interval.ms": "1000"})
	k.w.Until("three registrations", func() bool { return len(k.registrations) == 3 })
	k.bad = nil
	k.w.Until("a heartbeat", func() bool { return len(k.beats) == 1 })
}

func TestAHeartbeatThatWasNotAnsweredIsRepeated(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, map[string]string{"yarn.resourcemanager.connect.retry-interval.ms": "500"})
	a, b := k.running(1, nil), k.running(2, nil)
	k.reported(b, yarn.ContainerState_C_RUNNING)
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
	k.reported(a, yarn.ContainerState_C_COMPLETE)
	k.reported(b, yarn.ContainerState_C_COMPLETE)
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

// An answer ends the wait: what was waited before does not count for the next time.
func TestAnAnswerEndsTheWaitForAResourceManager(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	for range 3 {
		k.deaf = true
		k.w.Advance(14 * time.Minute)
		k.deaf = false
		k.w.Advance(time.Minute)
	}
	if code, ended := k.host.Exited(); ended {
		t.Errorf("it ended with code %d", code)
	}
}

func TestAResourceManagerThatStaysAwayEndsTheProcess(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	k.running(1, nil)
	k.w.Find("RM").Kill()
	gone := k.w.Now()
	if err := k.w.Run(func() bool { _, ended := k.host.Exited(); return ended }, time.Hour); err != nil {
		t.Fatal(err)
	}
	// After a second a heartbeat has failed; yarn.resourcemanager.connect.max-wait.ms is 15 minutes.
	if d := k.w.Now().Sub(gone).Truncate(time.Second); d != 15*time.Minute+time.Second {
		t.Errorf("it ended after %s", d)
	}
	if code, _ := k.host.Exited(); code != 1 {
		t.Errorf("code %d", code)
	}
	if _, ended := k.children[0].Exited(); !ended {
		t.Error("a container is left")
	}
}

// How long a ResourceManager that does not answer is waited for: until just so much has passed; 0 is not at all, below 0 for ever.
func TestHowLongAResourceManagerIsWaitedFor(t *testing.T) {
	for most, want := range map[string]time.Duration{"60000": 60 * time.Second, "60001": 90 * time.Second, "0": 0, "-1": -1} {
		k := newKit(t)
		k.w.Latency(0, 0)
		k.bad = exceptions.Retriable
		at := k.w.Now()
		k.start(Config{}, map[string]string{"yarn.resourcemanager.connect.max-wait.ms": most, "yarn.resourcemanager.connect.retry-interval.ms": "30000"})
		if want < 0 {
			k.w.Advance(2 * time.Hour)
			if _, ended := k.host.Exited(); ended {
				t.Error("it ended")
			}
			continue
		}
		err := k.w.Run(func() bool { _, ended := k.host.Exited(); return ended }, time.Hour)
		if took := k.w.Now().Sub(at); err != nil || took != want || len(k.registrations) != int(want/(30*time.Second))+1 {
			t.Errorf("%s: %v after %s and %d registrations", most, err, took, len(k.registrations))
		}
	}
}
