package nodemanager

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

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
	if d := k.began[1].Sub(k.began[0]).Truncate(10 * time.Millisecond); d != time.Second {
		t.Errorf("the period is %s", d)
	}
	k.next(func(r *yarn.NodeHeartbeatResponse) { r.NextHeartBeatInterval = 5000 })
	n := len(k.beats)
	k.w.Advance(4 * time.Second)
	if len(k.beats) != n {
		t.Error("the ResourceManager's period does not hold")
	}
}

func TestAConfigThatIsNotValidEndsTheProcess(t *testing.T) {
	k := newKit(t)
	k.start(Config{MemoryMB: -1}, nil)
	const memory, cores = "MiB of memory runs nothing: want 1 at least", "virtual cores runs nothing: want 1 at least"
	if got, want := k.why(), "exit 1: a node with -1 "+memory+"\na node with 0 "+cores; got != want {
		t.Errorf("%s", got)
	}
	if len(k.registrations) > 0 {
		t.Error("it registers")
	}
	if err, want := (&Config{}).Validate(), "a node needs a ResourceManager: name one as HOST:PORT\na node with 0 "+memory+"\na node with 0 "+cores; err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	c := Config{ResourceManager: rpcenv.Address{Host: "h", Port: 1}, MemoryMB: 1, VCores: math.MaxInt32}
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
	c.VCores++
	if err := c.Validate(); err == nil || err.Error() != "a node with 2147483648 virtual cores: want 2147483647 at most" {
		t.Errorf("%v", err)
	}
}

// real-yarn D17: a heartbeat reports a container's end at once, not only after the period.
func TestAnEndIsToldAtOnce(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	id := k.running(1, nil)
	k.reported(id, yarn.ContainerState_C_RUNNING)
	k.w.Advance(500 * time.Millisecond) // between two heartbeats
	at := k.w.Now()
	k.children[0].Exit(3)
	s := k.reported(id, yarn.ContainerState_C_COMPLETE)
	if d := k.w.Now().Sub(at).Truncate(10 * time.Millisecond); d != 0 {
		t.Errorf("it took %s", d)
	}
	if s.GetExitStatus() != 3 || s.GetCapability().GetMemory() != 1024 {
		t.Errorf("%v", s)
	}
	n := len(k.beats)
	k.w.Advance(5 * time.Second)
	for _, b := range k.beats[n:] {
		if len(b.GetNodeStatus().GetContainersStatuses()) > 0 {
			t.Errorf("an answered end is reported again: %v", b)
		}
	}
	for i := n; i < len(k.began); i++ {
		if d := k.began[i].Sub(k.began[i-1]).Truncate(10 * time.Millisecond); d != time.Second {
			t.Errorf("the period is %s afterwards", d)
		}
	}
}

// Spec 1.5: a completed container is kept until the ResourceManager says to forget it; another start of it is refused.
func TestACompletedContainerIsKeptUntilTheResourceManagerSaysSo(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	id := k.running(1, nil)
	k.children[0].Exit(0)
	k.reported(id, yarn.ContainerState_C_COMPLETE)
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
	k.w.Advance(9*time.Minute + 59*time.Second)
	if got := k.status(id); got != "Container "+id.String()+" was recently stopped on node manager." {
		t.Errorf("before ten minutes are over: %s", got)
	}
	k.w.Advance(2 * time.Second) // the heartbeats drop it
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
		r.ContainersToBeRemovedFromNm = []*yarn.ContainerId{id.Proto(), nil, {}, containerID(app1, 99).Proto()}
	})
	if got := k.status(id); got != "C_RUNNING -1000" {
		t.Errorf("%s", got)
	}
}

// An end that no answered heartbeat has reported is reported though the application is forgotten here; then it is forgotten too.
// The containers of other applications stay.
func TestTheEndOfAnApplicationForgetsWhatIsTold(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	other := ids.Application{Timestamp: rmIdentifier, ID: 2}
	of := containerID(other, 1)
	r, err := rpctest.Ask[*yarn.StartContainersResponse](k.am, k.nm, &yarn.StartContainersRequest{
		StartContainerRequest: []*yarn.StartContainerRequest{k.entry(k.identifier(of), nil)}, NmToken: k.nmToken(other),
	})
	if err != nil || len(r.GetSucceededRequests()) != 1 {
		t.Fatal(r, err)
	}
	k.w.Until("a process", func() bool { return len(k.started) == 1 })
	id, heard := k.running(1, nil), k.running(2, nil)
	k.children[0].Exit(0)
	k.children[2].Exit(0)
	k.reported(heard, yarn.ContainerState_C_COMPLETE)
	k.w.Advance(2 * time.Second)
	k.next(func(r *yarn.NodeHeartbeatResponse) { r.ApplicationsToCleanup = []*yarn.ApplicationId{app1.Proto()} })
	k.reported(id, yarn.ContainerState_C_COMPLETE)
	k.w.Advance(2 * time.Second)
	for _, gone := range []ids.Container{id, heard} {
		if got := k.status(gone); got != "Container "+gone.String()+" was recently stopped on node manager." {
			t.Errorf("%s: %s", gone, got)
		}
	}
	k.unknown = true
	k.w.Until("a registration", func() bool { return len(k.registrations) == 2 })
	m := k.registrations[1]
	if len(m.GetContainerStatuses()) != 1 || !proto.Equal(m.GetContainerStatuses()[0].GetContainerId(), of.Proto()) ||
		len(m.GetRunningApplications()) != 1 || !proto.Equal(m.GetRunningApplications()[0], other.Proto()) {
		t.Errorf("%v", m)
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
	if s := k.reported(a, yarn.ContainerState_C_COMPLETE); text(s) != "C_COMPLETE -106 Container Killed by ResourceManager|Container killed on request. Exit code is 143|" {
		t.Errorf("%s", text(s))
	}
	k.next(func(r *yarn.NodeHeartbeatResponse) { r.ApplicationsToCleanup = []*yarn.ApplicationId{app1.Proto()} })
	if s := k.reported(b, yarn.ContainerState_C_COMPLETE); !strings.HasPrefix(text(s), "C_COMPLETE -107 Container killed on application-finish event: Application killed by ResourceManager|") {
		t.Errorf("%s", text(s))
	}
	k.w.Until("the application's directories", func() bool { return f.count("remove application ann "+app1.String()) == 1 })
	k.w.Advance(3 * time.Second)
	k.unknown = true
	k.w.Until("a registration", func() bool { return len(k.registrations) == 2 })
	if m := k.registrations[1]; len(m.GetContainerStatuses()) > 0 || len(m.GetRunningApplications()) > 0 {
		t.Errorf("something is left of it: %v", m)
	}
	want := []string{
		"warning The ResourceManager names a container that cannot be: " + noID,
		"warning The ResourceManager asks to clean up an application that cannot be: application_0_0000 is no application id: its number counts from 1, its timestamp from 0",
	}
	if got := k.lines("cannot be"); !slices.Equal(got, want) {
		t.Errorf("%q", got)
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
	if s := k.reported(all[0], yarn.ContainerState_C_COMPLETE); text(s) != "C_COMPLETE 137 Container killed on request. Exit code is 137|Killed by external signal|" {
		t.Errorf("%s", text(s))
	}
	if s := k.reported(all[1], yarn.ContainerState_C_COMPLETE); s.GetExitStatus() != 143 {
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
