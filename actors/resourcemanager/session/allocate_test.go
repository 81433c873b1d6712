package session

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/rmtest"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/messages/yarn"
)

// Each call that comes while the scheduler is asked waits for the one before, whatever its response id.
func TestEachCallWaitsForTheOneBefore(t *testing.T) {
	v := newSessions(t)
	v.running(rmtest.Attempt, false)
	v.holds = true
	all := v.calls(rmtest.Attempt, 0, 1, 1, 2, 2) // a repetition waits too
	for asked := 1; asked <= 3; asked++ {
		if len(v.asked) != asked {
			t.Errorf("the scheduler was asked %d times, want %d", len(v.asked), asked)
		}
		v.answer()
	}
	for i, want := range []int32{1, 2, 2, 3, 3} {
		if c := all[i]; c.err != nil || c.answer.GetResponseId() != want {
			t.Errorf("call %d: %v, %v, want response id %d", i, c.answer, c.err, want)
		}
	}
	if len(v.asked) != 3 {
		t.Errorf("the scheduler was asked %d times", len(v.asked))
	}
}

// The scheduler's error goes to the ApplicationMaster, and the next waiting call is handled.
func TestACallThatTheSchedulerFails(t *testing.T) {
	v := newSessions(t)
	v.running(rmtest.Attempt, false)
	v.holds = true
	all := v.calls(rmtest.Attempt, 0, 0)
	v.fails = errors.Join(exceptions.InvalidResourceRequest, errors.New("too much"))
	v.answer()
	v.fails = nil
	v.answer()
	v.Refused(all[0].err, exceptions.InvalidResourceRequest, "too much")
	if all[1].err != nil || all[1].answer.GetResponseId() != 1 {
		t.Errorf("the call after it: %v, %v", all[1].answer, all[1].err)
	}
	if p := rmtest.Got[AMProgress](v.Rig, v.Client); len(p) != 1 {
		t.Errorf("progress of %d calls", len(p))
	}
}

// When an attempt is over, calls that are being handled, that wait and that come are refused, the last at once.
func TestCallsOfAnAttemptThatIsOver(t *testing.T) {
	v := newSessions(t)
	v.running(rmtest.Attempt, false)
	v.holds = true
	all := v.calls(rmtest.Attempt, 0, 0)
	v.Send(UnregisterAttempt{Attempt: rmtest.Attempt})
	late := v.calls(rmtest.Attempt, 0)[0]
	if !late.done || all[0].done || all[1].done {
		t.Errorf("answered: %t, %t and %t", all[0].done, all[1].done, late.done)
	}
	v.gives = scheduler.Allocation{Containers: []*yarn.Container{{Id: rmtest.Container(2).Proto(), NodeId: ids.Node{Host: "h", Port: 1}.Proto()}}}
	v.answer()
	for _, c := range append(all, late) {
		v.Refused(c.err, exceptions.ApplicationAttemptNotFound, "Application attempt "+rmtest.Attempt.String()+" doesn't exist in ApplicationMasterService cache.")
	}
	if p := rmtest.Got[AMProgress](v.Rig, v.Client); len(p) != 0 {
		t.Errorf("progress of one that is over: %v", p)
	}
}

// After the largest response id comes 0. Before the first answer no call is a repetition.
func TestResponseIDsWrapAround(t *testing.T) {
	v := newSessions(t)
	v.running(rmtest.Attempt, false)
	_, err := v.allocate(rmtest.Attempt, &yarn.AllocateRequest{ResponseId: math.MaxInt32})
	v.Refused(err, exceptions.InvalidApplicationMasterRequest, fmt.Sprintf("%s expect responseId to be 0 but get 2147483647", rmtest.Attempt))
	v.s.byID[rmtest.Attempt].responseID = math.MaxInt32
	for _, is := range []struct{ asked, want int32 }{{math.MaxInt32, 0}, {math.MaxInt32, 0}, {0, 1}} {
		r, err := v.allocate(rmtest.Attempt, &yarn.AllocateRequest{ResponseId: is.asked})
		if err != nil || r.GetResponseId() != is.want {
			t.Errorf("after %d: %v, %v", is.asked, r, err)
		}
	}
	if len(v.asked) != 2 {
		t.Errorf("the scheduler was asked %d times", len(v.asked))
	}
}

// After its end an ApplicationMaster is answered with new response ids and with nothing, and the scheduler is not asked.
func TestCallsAfterTheEndWasSaid(t *testing.T) {
	v := newSessions(t)
	v.running(rmtest.Attempt, false)
	for range 2 {
		if _, err := v.finish(rmtest.Attempt, &yarn.FinishApplicationMasterRequest{
			FinalApplicationStatus: yarn.FinalApplicationStatus_APP_FAILED, Diagnostics: strings.Repeat("d", 64<<10) + "x", TrackingUrl: strings.Repeat("u", 1024) + "x",
		}); err != nil {
			t.Error(err)
		}
	}
	v.gives = scheduler.Allocation{Completed: []*yarn.ContainerStatus{{}}}
	for i := range int32(3) {
		r, err := v.allocate(rmtest.Attempt, &yarn.AllocateRequest{ResponseId: i})
		if err != nil || r.GetResponseId() != i+1 || len(r.GetCompletedContainerStatuses()) != 0 {
			t.Errorf("call %d: %v, %v", i, r, err)
		}
	}
	if len(v.asked) != 0 {
		t.Errorf("the scheduler was asked %v", v.asked)
	}
	want := AMUnregistered{Attempt: rmtest.Attempt, Final: yarn.FinalApplicationStatus_APP_FAILED, Diagnostics: strings.Repeat("d", 64<<10), URL: strings.Repeat("u", 1024)}
	if ends := rmtest.Got[AMUnregistered](v.Rig, v.Client); len(ends) != 1 || ends[0] != want {
		t.Errorf("the end is reported %d times, as %.100v", len(ends), ends)
	}
}

// A progress is from 0 to 1.
func TestAProgressIsFromZeroToOne(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for p, want := range map[float32]float32{-inf: 0, -1: 0, 0: 0, 0.25: 0.25, 1: 1, 1.5: 1, inf: 1, nan: 0} {
		if got := progressOf(p); got != want {
			t.Errorf("%f is %f", p, got)
		}
	}
}

// An attempt may release its own containers, and with keepContainers those of the attempts before it.
func TestWhoseContainersAreReleased(t *testing.T) {
	own, before := ids.Container{Attempt: rmtest.SecondAttempt, Seq: 2}, rmtest.Container(3)
	others := ids.Container{Attempt: rmtest.OtherAttempt, Seq: 4}
	for _, is := range []struct {
		keep    bool
		release *yarn.ContainerId
		wrong   string
	}{
		{false, own.Proto(), ""},
		{true, own.Proto(), ""},
		{true, before.Proto(), ""},
		{false, before.Proto(), "Cannot release container : container_5_0001_01_000003 not belonging to this application attempt : appattempt_5_0001_000002"},
		{true, others.Proto(), "Cannot release container : container_5_0002_01_000004 not belonging to this application attempt : appattempt_5_0001_000002"},
		{true, &yarn.ContainerId{AppAttemptId: rmtest.SecondAttempt.Proto()}, "container_5_0001_02_000000 is no container id: containers count from 1"},
	} {
		v := newSessions(t)
		v.running(rmtest.SecondAttempt, is.keep)
		_, err := v.allocate(rmtest.SecondAttempt, &yarn.AllocateRequest{Release: []*yarn.ContainerId{is.release}})
		if is.wrong != "" {
			v.Refused(err, exceptions.InvalidContainerRelease, is.wrong)
			continue
		}
		if id, _ := ids.ContainerFrom(is.release); err != nil || !slices.Equal(v.asked[0].Release, []ids.Container{id}) {
			t.Errorf("keep %t: %v, %v", is.keep, v.asked, err)
		}
	}
}

// The name of a place has 1024 bytes at most, and one at least.
func TestHowLongTheNameOfAPlaceIs(t *testing.T) {
	for n, ok := range map[int]bool{0: false, 1: true, 1024: true, 1025: false} {
		v := newSessions(t)
		v.running(rmtest.Attempt, false)
		_, err := v.allocate(rmtest.Attempt, &yarn.AllocateRequest{Ask: []*yarn.ResourceRequest{{ResourceName: strings.Repeat("h", n)}}})
		if !ok {
			v.Refused(err, exceptions.InvalidResourceRequest, "an ask names no place, or one of more than 1024 bytes")
		} else if err != nil {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

// An answer has what the scheduler gives, which containers are marked, and a token for each node that can be called.
func TestWhatAnAnswerHasOfTheScheduler(t *testing.T) {
	v := newSessions(t)
	v.running(rmtest.Attempt, false)
	v.gives = scheduler.Allocation{
		Containers: []*yarn.Container{
			{Id: rmtest.Container(2).Proto(), NodeId: ids.Node{Host: "h", Port: 1}.Proto()}, {Id: rmtest.Container(3).Proto()}, {Id: rmtest.Container(4).Proto(), NodeId: ids.Node{Host: "h", Port: 1}.Proto()},
		},
		Completed: []*yarn.ContainerStatus{rmtest.Status(1, rmtest.Ended, 9)}, Headroom: &yarn.Resource{Memory: 7}, Preempt: []ids.Container{rmtest.Container(5), rmtest.Container(6)}, Nodes: 8,
	}
	r, err := v.allocate(rmtest.Attempt, &yarn.AllocateRequest{Progress: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.GetNmTokens()) != 1 || !proto.Equal(r.GetNmTokens()[0].GetNodeId(), ids.Node{Host: "h", Port: 1}.Proto()) {
		t.Errorf("tokens: %v", r.GetNmTokens())
	}
	r.NmTokens = nil
	want := &yarn.AllocateResponse{
		ResponseId: 1, AllocatedContainers: v.gives.Containers, CompletedContainerStatuses: v.gives.Completed, Limit: v.gives.Headroom, NumClusterNodes: 8,
		ApplicationPriority: &yarn.Priority{Priority: 3},
		Preempt: &yarn.PreemptionMessage{StrictContract: &yarn.StrictPreemptionContract{
			Container: []*yarn.PreemptionContainer{{Id: rmtest.Container(5).Proto()}, {Id: rmtest.Container(6).Proto()}},
		}},
	}
	if !proto.Equal(r, want) {
		t.Errorf("%v\nwant\n%v", r, want)
	}
	if p := rmtest.Got[AMProgress](v.Rig, v.Client); len(p) != 1 || p[0] != (AMProgress{Attempt: rmtest.Attempt, Progress: 0.5}) {
		t.Errorf("progress: %v", p)
	}
}
