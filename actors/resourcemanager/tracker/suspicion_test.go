package tracker

import (
	"slices"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/actors/resourcemanager/rmtest"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// nodeManager is a node that listens, and answers to the question whether it is there.
func (r tracking) nodeManager(name string) (ids.Node, membership.Member) {
	r.T.Helper()
	p := r.ProbeIn(r.Env(name, nil), ids.ContainerManager)
	if _, err := rpctest.Ask[*rpc.Bool](p, rpcenv.Ref{Address: r.Of.Address, Name: rpcenv.VerifierName}, &rpc.CheckExistence{}); err != nil { // it connects
		r.T.Fatal(err)
	}
	at := p.Env.Address()
	id := ids.Node{Host: at.Host, Port: int32(at.Port)}
	r.register(&yarn.RegisterNodeManagerRequest{NodeId: id.Proto(), Resource: &yarn.Resource{Memory: 8192, VirtualCores: 8}})
	return id, membership.Member{Name: name + "/1", Role: "nodemanager", RPC: at}
}

// A node that all have given up is LOST once it does not answer, long before its time-out; one that answers stays, whatever is said of it.
func TestANodeThatGossipHasGivenUpIsLostOnceItDoesNotAnswer(t *testing.T) {
	r := newTracking(t, nil)
	frozen, f := r.nodeManager("N1")
	there, m := r.nodeManager("N2")
	began := r.Now().UnixMilli()
	r.Advance(time.Minute) // so that the time of its loss is none of its heartbeats or registration
	r.Find("N1").Pause()
	for _, about := range []membership.Member{f, m} {
		r.Send(membership.MemberSuspected{Member: about, By: "x"})
		r.Send(membership.MemberFailed{Member: about})
	}
	r.Send(membership.MemberFailed{Member: membership.Member{Name: "y", RPC: rpcenv.Address{Host: "nobody", Port: 1}}})
	r.Advance(3 * time.Second)
	want := []string{frozen.String() + " LOST", there.String() + " RUNNING"}
	slices.Sort(want)
	if got := r.nodes(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := rmtest.Got[scheduler.NodeRemoved](r.Rig, r.Scheduler); len(got) != 1 || got[0].Node != frozen {
		t.Errorf("removed: %v", got)
	}
	l, err := rpctest.Ask[NodeList](r.Scheduler, r.Of, RequestNodes{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range l.Reports {
		const why = "Gave no answer, nor to x, and the gossip of the cluster has given it up"
		if n.GetNodeState() == yarn.NodeState_NS_LOST && n.GetStateReason() != why {
			t.Errorf("the reason is %q", n.GetStateReason())
		}
		want := int64(0)
		if n.GetNodeState() == yarn.NodeState_NS_LOST {
			want = began + (time.Minute + 2*time.Second).Milliseconds() // two questions of a second
		}
		if got := n.GetStateTime(); got != want {
			t.Errorf("it is %s since %d, want %d", n.GetNodeState(), got, want)
		}
	}
	// It is back: its heartbeat brings RESYNC, and it registers. What was said before is of no weight any more.
	r.Find("N1").Resume()
	r.Send(membership.MemberJoined{Member: f})
	if a := r.beat(frozen, 0); a.GetNodeAction() != yarn.NodeAction_RESYNC {
		t.Errorf("%v", a)
	}
	r.register(&yarn.RegisterNodeManagerRequest{NodeId: frozen.Proto(), Resource: &yarn.Resource{Memory: 8192, VirtualCores: 8}})
	r.Find("N1").Pause()
	r.Send(membership.MemberSuspected{Member: f, By: "x"})
	r.Advance(3 * time.Second)
	if got := r.nodes(); !slices.Contains(got, frozen.String()+" RUNNING") {
		t.Errorf("%q", got)
	}
}

// A node that registers again while it is in doubt is there.
func TestARegistrationEndsADoubt(t *testing.T) {
	r := newTracking(t, nil)
	id, m := r.nodeManager("N1")
	r.Find("N1").Pause()
	r.Send(membership.MemberSuspected{Member: m, By: "x"})
	r.Advance(3 * time.Second)
	r.register(&yarn.RegisterNodeManagerRequest{NodeId: id.Proto(), Resource: &yarn.Resource{Memory: 8192, VirtualCores: 8}})
	r.Send(membership.MemberFailed{Member: m})
	r.Advance(1 * time.Second)
	if got := r.nodes(); !slices.Equal(got, []string{id.String() + " RUNNING"}) {
		t.Errorf("%q", got)
	}
}
