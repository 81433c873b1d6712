package tracker

import (
	"fmt"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/actors/resourcemanager/rmtest"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// The answer to a heartbeat has what the node is to do, once; keys only when it has others.
func TestWhatTheAnswerToAHeartbeatHas(t *testing.T) {
	r := newTracking(t, nil, "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", "700")
	id := r.node("h")
	stranger := ids.Node{Host: "nowhere", Port: 1}
	for range 2 { // an order that is repeated is one
		for _, node := range []ids.Node{id, stranger} {
			r.Send(scheduler.CleanUpContainer{Node: node, Container: rmtest.Container(1)})
			r.Send(CleanUpApp{App: rmtest.App, Nodes: []ids.Node{node, node}})
			r.Send(scheduler.ForgetContainer{Node: node, Container: rmtest.Container(2)})
		}
	}
	l := rmtest.Life(5)
	orders := &yarn.NodeHeartbeatResponse{
		ResponseId: 1, NodeAction: yarn.NodeAction_NORMAL, NextHeartBeatInterval: 700, ContainersToCleanup: []*yarn.ContainerId{rmtest.Container(1).Proto()},
		ApplicationsToCleanup: []*yarn.ApplicationId{rmtest.App.Proto()}, ContainersToBeRemovedFromNm: []*yarn.ContainerId{rmtest.Container(2).Proto()},
		ContainerTokenMasterKey: l.Container, NmTokenMasterKey: l.NM,
	}
	for range 2 { // the first answer may have been lost
		if got := r.beat(id, 0); !proto.Equal(got, orders) {
			t.Errorf("%v\nwant\n%v", got, orders)
		}
	}
	for _, is := range []struct {
		container, nm int32
	}{{1, 1}, {2, 1}, {1, 2}} {
		q := &yarn.NodeHeartbeatRequest{
			NodeStatus: &yarn.NodeStatus{NodeId: id.Proto(), ResponseId: orders.GetResponseId()}, LastKnownContainerTokenMasterKey: &yarn.MasterKey{KeyId: is.container},
			LastKnownNmTokenMasterKey: &yarn.MasterKey{KeyId: is.nm},
		}
		want := &yarn.NodeHeartbeatResponse{ResponseId: orders.GetResponseId() + 1, NodeAction: yarn.NodeAction_NORMAL, NextHeartBeatInterval: 700}
		if is.container != 1 {
			want.ContainerTokenMasterKey = l.Container
		}
		if is.nm != 1 {
			want.NmTokenMasterKey = l.NM
		}
		if got := r.hear(q); !proto.Equal(got, want) {
			t.Errorf("%v\nwant\n%v", got, want)
		}
		orders.ResponseId++
	}
}

// A container that its node is to end has not been launched there; one that it is to forget is new when it tells of it again.
func TestWhatANodeIsToEndOrForget(t *testing.T) {
	r := newTracking(t, nil)
	id := r.node("h")
	news := func(want string, response int32, statuses ...*yarn.ContainerStatus) {
		t.Helper()
		r.beat(id, response, statuses...)
		text := ""
		for _, u := range rmtest.Got[scheduler.NodeUpdate](r.Rig, r.Scheduler) {
			text += fmt.Sprint(len(u.Launched), len(u.Ended))
		}
		if text != want {
			t.Errorf("%v: %s launched and ended, want %s", statuses, text, want)
		}
	}
	r.Send(scheduler.CleanUpContainer{Node: id, Container: rmtest.Container(1)})
	news("0 0", 0, rmtest.Status(1, rmtest.Runs, 0))
	news("0 0", 1, rmtest.Status(1, rmtest.Runs, 0))
	r.Send(scheduler.ForgetContainer{Node: id, Container: rmtest.Container(1)})
	news("0 0", 2, rmtest.Status(1, rmtest.Runs, 0))
	news("1 0", 3, rmtest.Status(1, rmtest.Runs, 0))
	news("0 1", 4, rmtest.Status(1, rmtest.Ended, 3))
	r.Send(scheduler.ForgetContainer{Node: id, Container: rmtest.Container(1)})
	news("0 0", 5, rmtest.Status(1, rmtest.Ended, 3))
	news("0 1", 6, rmtest.Status(1, rmtest.Ended, 3))
}

// Orders for a node that is gone are dropped.
func TestWhatIsOrderedForANodeThatIsGone(t *testing.T) {
	r := newTracking(t, nil)
	r.Scheduler.Do(func(c *rpcenv.Context) {
		for s, want := range map[machine.NodeState]int{machine.NodeUnhealthy: 4, machine.NodeLost: 0} {
			tracker, id := New(nil), ids.Node{Host: "h", Port: 1}
			n := &node{id: id, machine: machine.Node{State: s}, cleaned: map[ids.Container]bool{}}
			tracker.byID[id] = n
			tracker.cleanUpApp(c, CleanUpApp{App: rmtest.App, Nodes: []ids.Node{id}})
			tracker.cleanUpContainer(c, scheduler.CleanUpContainer{Node: id, Container: rmtest.Container(1)})
			tracker.forgetContainer(c, scheduler.ForgetContainer{Node: id, Container: rmtest.Container(2)})
			if got := len(n.cleanApps) + len(n.cleanContainers) + len(n.cleaned) + len(n.forget); got != want {
				t.Errorf("a node that is %s keeps %v, %v and %v", s, n.cleanApps, n.cleanContainers, n.forget)
			}
		}
	})
}
