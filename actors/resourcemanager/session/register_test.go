package session

import (
	"errors"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/hadoop/token"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/rmtest"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// A registration says which containers it has, of its application: the scheduler gets each once, in their order.
func TestWhichContainersARegistrationNames(t *testing.T) {
	v := newSessions(t)
	v.begin(rmtest.SecondAttempt, false)
	_, err := v.register(rmtest.SecondAttempt, rmtest.Container(2).Proto(), &yarn.ContainerId{AppAttemptId: rmtest.Attempt.Proto()})
	v.Refused(err, exceptions.InvalidApplicationMasterRequest,
		"appattempt_5_0001_000002 registers with a container: container_5_0001_01_000000 is no container id: containers count from 1")
	_, err = v.register(rmtest.SecondAttempt, ids.Container{Attempt: rmtest.OtherAttempt, Seq: 1}.Proto())
	v.Refused(err, exceptions.InvalidApplicationMasterRequest,
		"appattempt_5_0001_000002 registers with a container: container_5_0002_01_000001 is not of application_5_0001")
	if len(v.described) != 0 {
		t.Errorf("the scheduler was asked %v", v.described)
	}
	third, own := rmtest.Container(3), ids.Container{Attempt: rmtest.SecondAttempt, Seq: 2}
	if _, err := v.register(rmtest.SecondAttempt, own.Proto(), third.Proto(), rmtest.Container(2).Proto(), third.Proto()); err != nil {
		t.Error(err)
	}
	if d := v.described; len(d) != 1 || d[0].Attempt != rmtest.SecondAttempt || !slices.Equal(d[0].Holds, []ids.Container{rmtest.Container(2), third, own}) {
		t.Errorf("the scheduler was asked %v", d)
	}
}

// Containers of the attempts before, and tokens for their nodes, are handed over only to an application that keeps them.
func TestWhatIsHandedOver(t *testing.T) {
	for _, keep := range []bool{false, true} {
		v := newSessions(t)
		v.begin(rmtest.SecondAttempt, keep)
		h, g := ids.Node{Host: "h", Port: 1}, ids.Node{Host: "g", Port: 1}
		v.describes = scheduler.AttemptDescription{Maximum: &yarn.Resource{Memory: 8192}, Queue: "root.a", Previous: []*yarn.Container{
			{Id: rmtest.Container(2).Proto(), NodeId: h.Proto()}, {Id: rmtest.Container(3).Proto(), NodeId: h.Proto()}, {Id: rmtest.Container(4).Proto(), NodeId: g.Proto()},
		}}
		r, err := v.register(rmtest.SecondAttempt)
		if err != nil {
			t.Fatal(err)
		}
		want := &yarn.RegisterApplicationMasterResponse{
			MaximumCapability: v.describes.Maximum, Queue: "root.a",
			SchedulerResourceTypes: []yarn.SchedulerResourceTypes{yarn.SchedulerResourceTypes_MEMORY, yarn.SchedulerResourceTypes_CPU},
		}
		var nodes []*yarn.NodeId
		if keep {
			want.ContainersFromPreviousAttempts, nodes = v.describes.Previous, []*yarn.NodeId{h.Proto(), g.Proto()}
		}
		for i, n := range r.GetNmTokensFromPreviousAttempts() {
			if i >= len(nodes) || !proto.Equal(n.GetNodeId(), nodes[i]) {
				t.Errorf("keep %t: token %d is for %v", keep, i, n.GetNodeId())
			}
		}
		if len(r.GetNmTokensFromPreviousAttempts()) != len(nodes) {
			t.Errorf("keep %t: %d tokens", keep, len(r.GetNmTokensFromPreviousAttempts()))
		}
		if r.NmTokensFromPreviousAttempts = nil; !proto.Equal(r, want) {
			t.Errorf("keep %t: %v\nwant\n%v", keep, r, want)
		}
	}
}

// A registration is answered when the scheduler has answered: with its failure too, and though the attempt is over meanwhile.
func TestARegistrationWaitsForTheScheduler(t *testing.T) {
	v := newSessions(t)
	v.begin(rmtest.Attempt, true)
	v.fails = errors.Join(exceptions.ApplicationAttemptNotFound, errors.New("it is not there yet"))
	_, err := v.register(rmtest.Attempt)
	v.Refused(err, exceptions.ApplicationAttemptNotFound, "it is not there yet")
	v.fails, v.holds = nil, true
	var answers []*yarn.RegisterApplicationMasterResponse
	v.Peer.Do(func(c *rpcenv.Context) {
		q := &yarn.RegisterApplicationMasterRequest{ApplicationAttemptId: rmtest.Attempt.Proto(), AmRmToken: v.secret(rmtest.Attempt)}
		rpcenv.Ask(c, v.Of, q, func(r *yarn.RegisterApplicationMasterResponse, _ error) { answers = append(answers, r) })
	})
	v.Settle()
	v.Send(UnregisterAttempt{Attempt: rmtest.Attempt})
	v.describes.Previous = []*yarn.Container{{Id: rmtest.Container(2).Proto(), NodeId: ids.Node{Host: "h", Port: 1}.Proto()}}
	v.answer()
	if len(answers) != 1 || len(answers[0].GetNmTokensFromPreviousAttempts()) != 0 {
		t.Errorf("an attempt that is over is given %v", answers)
	}
	if r := rmtest.Got[AMRegistered](v.Rig, v.Client); len(r) != 1 || r[0] != (AMRegistered{Attempt: rmtest.Attempt}) {
		t.Errorf("registered: %v", r)
	}
}

// A token of no attempt is nobody's. A token that cannot be made is logged, and the container is given without.
func TestTokensThatCannotBe(t *testing.T) {
	v := newSessions(t)
	v.running(rmtest.Attempt, false)
	none, err := token.Make(token.AMRM, "", rmtest.Life(5).AMRM, &yarn.AMRMTokenIdentifier{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = rpctest.Ask[*yarn.AllocateResponse](v.Peer, v.Of, &yarn.AllocateRequest{ApplicationAttemptId: rmtest.Attempt.Proto(), AmRmToken: none})
	v.Refused(err, exceptions.InvalidToken, "the token is not that of "+rmtest.Attempt.String())
	v.s.byID[rmtest.Attempt].user = "\xff"
	v.gives.Containers = []*yarn.Container{{Id: rmtest.Container(2).Proto(), NodeId: ids.Node{Host: "h", Port: 1}.Proto()}}
	r, err := v.allocate(rmtest.Attempt, &yarn.AllocateRequest{})
	if err != nil || len(r.GetAllocatedContainers()) != 1 || len(r.GetNmTokens()) != 0 {
		t.Errorf("%v, %v", r, err)
	}
	if len(v.Errors) != 1 {
		t.Errorf("logged %q", v.Errors)
	}
	v.Errors = nil
}
