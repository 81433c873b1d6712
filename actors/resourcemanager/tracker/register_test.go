package tracker

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/rmtest"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/actors/resourcemanager/session"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// A registration goes to the scheduler, to ApplicationMasters and, for the applications that the node keeps something of, to the
// ClientRMService.
func TestWhoHearsOfARegistration(t *testing.T) {
	r := newTracking(t, nil)
	q := &yarn.RegisterNodeManagerRequest{
		NodeId: ids.Node{Host: "h", Port: 8041}.Proto(), HttpPort: 8042, Resource: &yarn.Resource{Memory: 8192, VirtualCores: 8},
		ContainerStatuses:   []*yarn.NMContainerStatus{{ContainerId: rmtest.Container(1).Proto(), ContainerState: rmtest.Runs}},
		RunningApplications: []*yarn.ApplicationId{{Id: -1}, rmtest.App.Proto()},
	}
	l := rmtest.Life(5)
	want := &yarn.RegisterNodeManagerResponse{
		NodeAction: yarn.NodeAction_NORMAL, ContainerTokenMasterKey: l.Container, NmTokenMasterKey: l.NM, RmIdentifier: 5, RmVersion: ids.HadoopVersion,
	}
	if a := r.register(q); !proto.Equal(a, want) {
		t.Errorf("%v\nwant\n%v", a, want)
	}
	id, report := ids.Node{Host: "h", Port: 8041}, &yarn.NodeReport{
		NodeId: q.GetNodeId(), HttpAddress: "h:8042", RackName: ids.DefaultRack, Capability: q.GetResource(), NodeState: yarn.NodeState_NS_RUNNING, Used: &yarn.Resource{},
	}
	heard := func(rack, http string) {
		t.Helper()
		added := rmtest.Got[scheduler.NodeAdded](r.Rig, r.Scheduler)
		if len(added) != 1 || added[0].Node != id || added[0].HTTP != http || added[0].Rack != rack || !proto.Equal(added[0].Total, q.GetResource()) ||
			len(added[0].Containers) != len(q.GetContainerStatuses()) {
			t.Errorf("the scheduler heard %+v", added)
		}
		var changed []session.NodeChanged
		registered := 0
		for range len(r.AMS.Waiting()) {
			switch m := r.AMS.Next().(type) {
			case session.NodeChanged:
				changed = append(changed, m)
			case session.NodeRegistered:
				if registered++; m.Node != id {
					t.Errorf("registered: %s", m.Node)
				}
			}
		}
		if len(changed) != 1 || !proto.Equal(changed[0].Report, report) || registered != 1 {
			t.Errorf("the ApplicationMasterService heard %v, and %d registrations", changed, registered)
		}
	}
	heard(ids.DefaultRack, "h:8042")
	if apps := rmtest.Got[scheduler.RunningOnNode](r.Rig, r.Client); len(apps) != 1 || apps[0] != (scheduler.RunningOnNode{App: rmtest.App, Node: id}) {
		t.Errorf("applications: %v", apps)
	}

	// The containers of its registration are no news.
	r.beat(id, 0, rmtest.Status(1, rmtest.Runs, 0))
	if u := rmtest.Got[scheduler.NodeUpdate](r.Rig, r.Scheduler); len(u) != 1 || len(u[0].Launched)+len(u[0].Ended) != 0 {
		t.Errorf("its first heartbeat: %+v", u)
	}

	// One that comes back takes its place, with a rack and without pages.
	if _, err := rpctest.Ask[*yarn.UnRegisterNodeManagerResponse](r.Peer, r.Of, &yarn.UnRegisterNodeManagerRequest{NodeId: id.Proto()}); err != nil {
		t.Fatal(err)
	}
	rmtest.Got[rpcenv.Message](r.Rig, r.AMS)
	q.Rack, q.HttpPort, q.ContainerStatuses, q.RunningApplications = "/r1", 0, nil, nil
	r.register(q)
	report.RackName, report.HttpAddress = "/r1", ""
	heard("/r1", "")
	if got := r.nodes(); !slices.Equal(got, []string{"h:8041 RUNNING"}) {
		t.Errorf("nodes: %q", got)
	}
}

// A node that registers again while it is known begins at response 0 with what it has now; the scheduler takes it, and hears with
// the next heartbeat what runs there.
func TestWhoHearsOfAnotherRegistration(t *testing.T) {
	r := newTracking(t, nil, "yarn.nm.liveness-monitor.expiry-interval-ms", "9000")
	id := r.node("h")
	r.beat(id, 0, rmtest.Status(1, rmtest.Runs, 0), rmtest.Status(2, rmtest.Runs, 0))
	r.Pass(8000)
	q := &yarn.RegisterNodeManagerRequest{
		NodeId: id.Proto(), Resource: &yarn.Resource{Memory: 4096, VirtualCores: 4},
		ContainerStatuses: []*yarn.NMContainerStatus{{ContainerId: rmtest.Container(2).Proto(), ContainerState: rmtest.Runs}, {ContainerId: rmtest.Container(3).Proto(), ContainerState: rmtest.Ended}},
	}
	rmtest.Got[rpcenv.Message](r.Rig, r.Scheduler)
	r.register(q)
	again := rmtest.Got[scheduler.NodeReconnected](r.Rig, r.Scheduler)
	if len(again) != 1 || again[0].Node != id || !proto.Equal(again[0].Total, q.GetResource()) || len(again[0].Containers) != 2 {
		t.Errorf("the scheduler heard %+v", again)
	}
	r.Pass(4000) // 12 s after its last heartbeat
	if got := r.nodes(); !slices.Equal(got, []string{"h:8041 RUNNING"}) {
		t.Errorf("nodes: %q", got)
	}
	if a := r.beat(id, 0, rmtest.Status(2, rmtest.Runs, 0), rmtest.Status(3, rmtest.Ended, 0)); a.GetResponseId() != 1 || a.GetNodeAction() != yarn.NodeAction_NORMAL {
		t.Errorf("its first heartbeat: %v", a)
	}
	updates := rmtest.Got[scheduler.NodeUpdate](r.Rig, r.Scheduler)
	if len(updates) != 1 || !slices.Equal(updates[0].Launched, []ids.Container{rmtest.Container(2)}) || len(updates[0].Ended) != 0 {
		t.Errorf("updates: %+v", updates)
	}
	// The containers of its earlier registration are no news.
	if r.beat(id, 1, rmtest.Status(2, rmtest.Runs, 0)); len(rmtest.Got[scheduler.NodeUpdate](r.Rig, r.Scheduler)[0].Ended) != 0 {
		t.Error("it is reported twice")
	}
}

// A refused registration has a reason in Hadoop's words.
func TestWhyANodeMayNotCome(t *testing.T) {
	r := newTracking(t, nil, "yarn.scheduler.minimum-allocation-mb", "1000", "yarn.scheduler.minimum-allocation-vcores", "2")
	r.Send(BeginTracker{Life: rmtest.Life(5), exclude: []string{"bad"}})
	const small = "NodeManager from  h doesn't satisfy minimum allocations, Sending SHUTDOWN signal to the NodeManager. Node capabilities are "
	for _, is := range []struct {
		host   string
		memory int64
		vcores int32
		want   string
	}{
		{"h", 1000, 2, ""},
		{"h", 999, 2, small + "<memory:999, vCores:2>; minimums are 1000mb and 2 vcores"},
		{"h", 1000, 1, small + "<memory:1000, vCores:1>; minimums are 1000mb and 2 vcores"},
		{"bad", 1000, 2, "Disallowed NodeManager from  bad, Sending SHUTDOWN signal to the NodeManager."},
	} {
		want := &yarn.RegisterNodeManagerResponse{NodeAction: yarn.NodeAction_NODE_SHUTDOWN, DiagnosticsMessage: is.want}
		a := r.register(&yarn.RegisterNodeManagerRequest{NodeId: ids.Node{Host: is.host, Port: 8041}.Proto(), Resource: &yarn.Resource{Memory: is.memory, VirtualCores: is.vcores}})
		if is.want == "" && a.GetNodeAction() != yarn.NodeAction_NORMAL || is.want != "" && !proto.Equal(a, want) {
			t.Errorf("%v, want %q", a, is.want)
		}
	}
	if got := r.nodes(); !slices.Equal(got, []string{"h:8041 RUNNING"}) {
		t.Errorf("nodes: %q", got)
	}
}

// Errors say what is wrong with a node's message, or that the ResourceManager does not serve yet.
func TestBadMessagesOfNodesAreRefused(t *testing.T) {
	const noNode = `"" is no node id: want a host and a port from 1 to 65535`
	fails := func(r *rmtest.Rig, q rpcenv.Message, want error, text string) {
		t.Helper()
		err := rmtest.TryAsk(r, q)
		if !errors.Is(err, want) || !strings.HasSuffix(err.Error(), text) {
			t.Errorf("%T: %v, want %v: %s", q, err, want, text)
		}
	}
	r := newTracking(t, nil)
	fails(r.Rig, &yarn.RegisterNodeManagerRequest{}, exceptions.YARN, "register a node: "+noNode)
	fails(r.Rig, &yarn.RegisterNodeManagerRequest{NodeId: ids.Node{Host: "h", Port: 1}.Proto(), HttpPort: -1}, exceptions.YARN, "register a node: h:1: no port is -1")
	fails(r.Rig, &yarn.RegisterNodeManagerRequest{HttpPort: -1}, exceptions.YARN, "register a node: "+noNode)
	fails(r.Rig, &yarn.NodeHeartbeatRequest{}, exceptions.YARN, "heartbeat: "+noNode)
	fails(r.Rig, &yarn.UnRegisterNodeManagerRequest{}, exceptions.YARN, ": "+noNode)
	early := rmtest.New(t, ids.ResourceTracker, New(nil))
	const wait = "the ResourceManager reads its records, ask again"
	fails(early, &yarn.RegisterNodeManagerRequest{NodeId: ids.Node{Host: "h", Port: 1}.Proto()}, exceptions.Retriable, wait)
	fails(early, &yarn.NodeHeartbeatRequest{NodeStatus: &yarn.NodeStatus{NodeId: ids.Node{Host: "h", Port: 1}.Proto()}}, exceptions.Retriable, wait)
	fails(early, &yarn.RefreshNodesRequest{}, exceptions.Retriable, wait)
}
