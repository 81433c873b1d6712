package session

import (
	"fmt"
	"slices"
	"testing"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/rmtest"
	"github.com/coherer/coherer/messages/yarn"
)

// expired are the attempts that were given up since the last call.
func (v sessions) expired() (all []ids.Attempt) {
	v.T.Helper()
	for _, m := range rmtest.Got[AMExpired](v.Rig, v.Client) {
		all = append(all, m.Attempt)
	}
	return all
}

// Of a forgotten application no session is left: late calls are those of a stranger. Others stay.
func TestSessionsOfAForgottenApplicationAreGone(t *testing.T) {
	v := newSessions(t, "yarn.am.liveness-monitor.expiry-interval-ms", "9000")
	v.running(rmtest.Attempt, false)
	v.running(rmtest.SecondAttempt, false)
	v.running(rmtest.OtherAttempt, false)
	v.Send(ForgetApplication{App: rmtest.App})
	_, err := v.register(rmtest.Attempt)
	v.Refused(err, exceptions.InvalidApplicationMasterRequest, "Application doesn't exist in cache "+rmtest.Attempt.String())
	_, err = v.allocate(rmtest.SecondAttempt, &yarn.AllocateRequest{})
	v.Refused(err, exceptions.ApplicationAttemptNotFound, "Application attempt "+rmtest.SecondAttempt.String()+" doesn't exist in ApplicationMasterService cache.")
	_, err = v.finish(rmtest.Attempt, &yarn.FinishApplicationMasterRequest{})
	v.Refused(err, exceptions.InvalidApplicationMasterRequest, "Application doesn't exist in cache "+rmtest.Attempt.String())
	if _, err := v.allocate(rmtest.OtherAttempt, &yarn.AllocateRequest{}); err != nil {
		t.Error(err)
	}
	if len(v.s.byID) != 1 || len(v.s.sessions) != 1 || v.s.sessions[0].attempt != rmtest.OtherAttempt {
		t.Errorf("sessions are left: %v", v.s.byID)
	}
	v.Pass(20000)
	if got := v.expired(); !slices.Equal(got, []ids.Attempt{rmtest.OtherAttempt}) {
		t.Errorf("given up: %v", got)
	}
}

// An ApplicationMaster is given up when it was not heard for longer than the interval, once; one that is over is not waited for.
func TestWhenAnApplicationMasterIsGivenUp(t *testing.T) {
	v := newSessions(t, "yarn.am.liveness-monitor.expiry-interval-ms", "9000")
	for _, id := range []ids.Attempt{rmtest.Attempt, rmtest.SecondAttempt, rmtest.OtherAttempt} {
		v.begin(id, false)
	}
	v.Send(WatchAttempt{Attempt: rmtest.Attempt})
	v.Send(WatchAttempt{Attempt: ids.Attempt{App: rmtest.App, Attempt: 3}}) // nobody knows it
	v.Send(UnregisterAttempt{Attempt: ids.Attempt{App: rmtest.App, Attempt: 3}})
	v.Send(UnregisterAttempt{Attempt: rmtest.SecondAttempt})
	v.Send(WatchAttempt{Attempt: rmtest.SecondAttempt})
	v.Pass(9000) // it is looked at each 3 s
	if got := v.expired(); len(got) != 0 {
		t.Errorf("after 9 s: %v", got)
	}
	v.Pass(3000)
	if got := v.expired(); !slices.Equal(got, []ids.Attempt{rmtest.Attempt}) {
		t.Errorf("after 12 s: %v", got)
	}
	v.Pass(30000)
	if got := v.expired(); len(got) != 0 {
		t.Errorf("given up again: %v", got)
	}
}

// Each call, its registration and its end show that an ApplicationMaster lives.
func TestWhatShowsThatAnApplicationMasterLives(t *testing.T) {
	v := newSessions(t, "yarn.am.liveness-monitor.expiry-interval-ms", "9000")
	v.begin(rmtest.Attempt, false)
	v.Send(WatchAttempt{Attempt: rmtest.Attempt})
	for i, shows := range []func() error{
		func() error { _, err := v.register(rmtest.Attempt); return err },
		func() error { _, err := v.allocate(rmtest.Attempt, &yarn.AllocateRequest{}); return err },
		func() error { _, err := v.finish(rmtest.Attempt, &yarn.FinishApplicationMasterRequest{}); return err },
		func() error { _, err := v.finish(rmtest.Attempt, &yarn.FinishApplicationMasterRequest{}); return err },
		func() error { _, err := v.allocate(rmtest.Attempt, &yarn.AllocateRequest{ResponseId: 1}); return err },
	} {
		v.Pass(8000)
		if err := shows(); err != nil {
			t.Error(err)
		}
		if got := v.expired(); len(got) != 0 {
			t.Fatalf("given up before call %d", i)
		}
	}
	v.Pass(8000)
	if got := v.expired(); len(got) != 0 {
		t.Error("given up after the last call")
	}
	v.Pass(8000)
	if got := v.expired(); !slices.Equal(got, []ids.Attempt{rmtest.Attempt}) {
		t.Errorf("given up: %v", got)
	}
}

// Host and port distinguish nodes. The next answer has the last state of each; attempts that are over get none.
func TestNodesAreToldApart(t *testing.T) {
	v := newSessions(t)
	v.running(rmtest.Attempt, false)
	v.running(rmtest.OtherAttempt, false)
	v.Send(UnregisterAttempt{Attempt: rmtest.OtherAttempt})
	for _, n := range []struct {
		id    ids.Node
		state yarn.NodeState
	}{
		{ids.Node{Host: "a", Port: 1}, yarn.NodeState_NS_RUNNING},
		{ids.Node{Host: "a", Port: 2}, yarn.NodeState_NS_RUNNING},
		{ids.Node{Host: "b", Port: 1}, yarn.NodeState_NS_RUNNING},
		{ids.Node{Host: "a", Port: 1}, yarn.NodeState_NS_LOST},
	} {
		v.Send(NodeChanged{Report: &yarn.NodeReport{NodeId: n.id.Proto(), NodeState: n.state}})
	}
	r, err := v.allocate(rmtest.Attempt, &yarn.AllocateRequest{})
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, n := range r.GetUpdatedNodes() {
		told = append(told, fmt.Sprintf("%s:%d %s", n.GetNodeId().GetHost(), n.GetNodeId().GetPort(), n.GetNodeState()))
	}
	if want := []string{"a:2 NS_RUNNING", "b:1 NS_RUNNING", "a:1 NS_LOST"}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
	if kept := v.s.byID[rmtest.OtherAttempt].changed; len(kept) != 0 {
		t.Errorf("kept for one that is over: %v", kept)
	}
}
