package resourcemanager_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// refused fails the test unless err is one of Hadoop's exceptions and says so and so.
func refused(t *testing.T, err, want error, text string) {
	t.Helper()
	if !errors.Is(err, want) || !strings.Contains(err.Error(), text) {
		t.Errorf("%v; want %v with %q", err, want, text)
	}
}

func TestWhoDidNotRegisterIsToldTo(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	k.submit(nil)
	n.beat()
	am := k.launched(n)
	_, err := am.try(&yarn.AllocateRequest{})
	refused(t, err, exceptions.ApplicationMasterNotRegistered, "AM should re-register")
	_, err = am.tryFinish(yarn.FinalApplicationStatus_APP_SUCCEEDED)
	refused(t, err, exceptions.ApplicationMasterNotRegistered, "")
	am.register()
	am.allocate()
	_, err = am.tryRegister()
	refused(t, err, exceptions.InvalidApplicationMasterRequest, "already registered")
}

// The answer to a registration may be lost: before the first call of allocate it is given again.
func TestARegistrationIsAnsweredAgain(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	k.submit(nil)
	n.beat()
	am := k.launched(n)
	first := am.register()
	if again := am.register(); !proto.Equal(first, again) {
		t.Errorf("%v, and then %v", first, again)
	}
	am.allocate()
}

func TestWhoUnregisteredIsGone(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	am, _ := k.running(n, nil)
	am.finish(yarn.FinalApplicationStatus_APP_SUCCEEDED)
	_, err := am.tryRegister() // while it is FINISHING it is registered still
	refused(t, err, exceptions.InvalidApplicationMasterRequest, "already registered")
	if r := am.allocate(anywhere(1)); len(r.GetAllocatedContainers()) != 0 {
		t.Errorf("after its end it is given %v", r)
	}
	n.beat()
	if r := am.allocate(); len(r.GetAllocatedContainers()) != 0 {
		t.Errorf("after its end it is given %v", r)
	}
	if !am.finish(yarn.FinalApplicationStatus_APP_SUCCEEDED) {
		t.Error("the end is not stored")
	}
	n.ends(am.own, 0, "")
	n.beat()
	if !am.finish(yarn.FinalApplicationStatus_APP_FAILED) {
		t.Error("finish after the end is not answered true")
	}
	_, err = am.tryRegister()
	refused(t, err, exceptions.InvalidApplicationMasterRequest, "doesn't exist in cache")
	_, err = am.try(&yarn.AllocateRequest{})
	refused(t, err, exceptions.ApplicationAttemptNotFound, "")
}

func TestResponseIDs(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	am, app := k.running(n, nil)
	first := am.allocate(anywhere(1)) // 0: the answer is 1
	if first.GetResponseId() != 1 {
		t.Fatal(first)
	}
	again, err := am.try(&yarn.AllocateRequest{ResponseId: 0, Ask: []*yarn.ResourceRequest{anywhere(5)}})
	if err != nil || !proto.Equal(first, again) {
		t.Errorf("a repetition is answered %v, %v", again, err)
	}
	am.allocate()
	for _, id := range []int32{7, -1, 0, math.MaxInt32, math.MinInt32} {
		_, err := am.try(&yarn.AllocateRequest{ResponseId: id})
		refused(t, err, exceptions.InvalidApplicationMasterRequest, "expect responseId to be 2 but get ")
	}
	n.beat()
	n.beat()
	n.beat()
	if got := am.allocate().GetAllocatedContainers(); len(got) != 1 {
		t.Errorf("%d containers: the ask in the repetition counted", len(got))
	}
	if p := k.report(app).GetProgress(); p != 0 {
		t.Errorf("progress %f", p)
	}
}

func TestAFailedCallDoesNotUseUpTheResponseID(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	am, _ := k.running(n, nil)
	_, err := am.try(&yarn.AllocateRequest{ResponseId: 0, Ask: []*yarn.ResourceRequest{sized(1, 9000)}})
	refused(t, err, exceptions.InvalidResourceRequest, "greater than maximum allowed allocation")
	am.allocate()
}

func TestBadAsksAreRefused(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	am, _ := k.running(n, nil)
	other, _ := k.running(n, nil)
	theirs := other.given(n, 1)[0].GetId()
	labelled := anywhere(1)
	labelled.NodeLabelExpression = "gpu"
	for _, bad := range []struct {
		q    *yarn.AllocateRequest
		want error
		text string
	}{
		{&yarn.AllocateRequest{Ask: []*yarn.ResourceRequest{sized(1, -1)}}, exceptions.InvalidResourceRequest, "less than 0"},
		{&yarn.AllocateRequest{Ask: []*yarn.ResourceRequest{labelled}}, exceptions.InvalidLabelResourceRequest, "label"},
		{&yarn.AllocateRequest{Ask: []*yarn.ResourceRequest{{Capability: &yarn.Resource{Memory: 1}}}}, exceptions.InvalidResourceRequest, "place"},
		{
			&yarn.AllocateRequest{BlacklistRequest: &yarn.ResourceBlacklistRequest{BlacklistAdditions: []string{"n2", "*"}}},
			exceptions.InvalidResourceBlacklistRequest, "Cannot add * to the blacklist!",
		},
		{&yarn.AllocateRequest{Release: []*yarn.ContainerId{theirs}}, exceptions.InvalidContainerRelease, "not belonging to this application attempt"},
		{&yarn.AllocateRequest{Release: []*yarn.ContainerId{{}}}, exceptions.InvalidContainerRelease, ""},
	} {
		_, err := am.try(bad.q)
		refused(t, err, bad.want, bad.text)
	}
	if used := other.allocate(); len(used.GetCompletedContainerStatuses()) != 0 {
		t.Errorf("another's container was released: %v", used)
	}
}

func TestWhatHadoopAcceptsSilently(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	am, app := k.running(n, nil)
	never := &yarn.ContainerId{AppAttemptId: am.attempt, Id: 77}
	r := am.call(&yarn.AllocateRequest{
		Ask: []*yarn.ResourceRequest{sized(1, 0), sized(-3, 2048)}, Release: []*yarn.ContainerId{never}, Progress: float32(math.NaN()),
	})
	if r.GetPreempt().GetStrictContract() == nil || len(r.GetPreempt().GetStrictContract().GetContainer()) != 0 {
		t.Errorf("preempt is %v: want an empty strict set", r.GetPreempt())
	}
	am.call(&yarn.AllocateRequest{Ask: []*yarn.ResourceRequest{sized(1, 0)}, Progress: 7})
	k.Settle()
	if p := k.report(app).GetProgress(); p != 1 {
		t.Errorf("progress is %f, want 1", p)
	}
	n.beat()
	if got := am.allocate().GetAllocatedContainers(); len(got) != 1 || got[0].GetResource().GetMemory() != 1024 {
		t.Errorf("0 MB gave %v, want the minimum", got)
	}
}

func TestNMTokensComeOncePerNode(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	am, _ := k.running(n, nil)
	am.allocate(anywhere(2))
	n.beat()
	if r := am.allocate(); len(r.GetAllocatedContainers()) != 1 || len(r.GetNmTokens()) != 1 {
		t.Fatalf("with the first container of a node: %v", r)
	}
	n.beat()
	if r := am.allocate(); len(r.GetAllocatedContainers()) != 1 || len(r.GetNmTokens()) != 0 {
		t.Errorf("with the second: %v", r)
	}
	n.register()
	am.allocate(anywhere(1))
	n.beat()
	if r := am.allocate(); len(r.GetAllocatedContainers()) != 1 || len(r.GetNmTokens()) != 1 {
		t.Errorf("when the node had registered again: %v", r)
	}
}

func TestAReleaseIsAnsweredByTheEnd(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	am, _ := k.running(n, nil)
	got := am.given(n, 2)
	am.start(n, got[0])
	n.beat()
	r := am.call(&yarn.AllocateRequest{Release: []*yarn.ContainerId{got[0].GetId(), got[1].GetId()}})
	if len(r.GetCompletedContainerStatuses()) != 2 {
		t.Fatalf("the same answer has %v", r.GetCompletedContainerStatuses())
	}
	for _, s := range r.GetCompletedContainerStatuses() {
		if s.GetExitStatus() != -100 || s.GetDiagnostics() != "Container released by application" || s.GetState() != yarn.ContainerState_C_COMPLETE {
			t.Errorf("released: %v", s)
		}
	}
	k.Settle()
	if beat := n.beat(); len(beat.GetContainersToCleanup()) != 2 {
		t.Errorf("the node has to end %v", beat.GetContainersToCleanup())
	}
}

// A node forgets a container that ended when the ApplicationMaster showed that it heard of it, not before.
func TestEndsAreToldAtLeastOnce(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	am, _ := k.running(n, nil)
	got := am.given(n, 1)[0]
	am.start(n, got)
	n.beat()
	n.ends(got.GetId(), 3, "Exception from container-launch")
	n.beat()
	if r := n.beat(); len(r.GetContainersToBeRemovedFromNm()) != 0 {
		t.Error("forgotten before the end was reported")
	}
	told := am.allocate()
	if len(told.GetCompletedContainerStatuses()) != 1 || told.GetCompletedContainerStatuses()[0].GetExitStatus() != 3 {
		t.Fatalf("told %v", told)
	}
	if r := n.beat(); len(r.GetContainersToBeRemovedFromNm()) != 0 {
		t.Error("forgotten before the ApplicationMaster showed that it heard")
	}
	if again := am.allocate(); len(again.GetCompletedContainerStatuses()) != 0 {
		t.Errorf("told again: %v", again)
	}
	k.Settle()
	if r := n.beat(); len(r.GetContainersToBeRemovedFromNm()) != 1 {
		t.Errorf("the node may forget %v, want one", r.GetContainersToBeRemovedFromNm())
	}
}

// The second of two calls at one time waits, and is answered as a repetition.
func TestCallsOfOneAttemptAreHandledOneByOne(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	am, _ := k.running(n, nil)
	var answers []*yarn.AllocateResponse
	am.Do(func(c *rpcenv.Context) {
		for range 2 {
			q := &yarn.AllocateRequest{ApplicationAttemptId: am.attempt, AmRmToken: am.token}
			rpcenv.Ask(c, k.ref("ApplicationMasterService"), q, func(r *yarn.AllocateResponse, err error) {
				if err != nil {
					t.Error(err)
				}
				answers = append(answers, r)
			})
		}
	})
	k.Until("two answers", func() bool { return len(answers) == 2 })
	if answers[0].GetResponseId() != 1 || !proto.Equal(answers[0], answers[1]) {
		t.Errorf("answers %v", answers)
	}
}

func TestAnApplicationMasterIsToldOfNodes(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	am, _ := k.running(n, nil)
	am.allocate()
	k.node("N2", 4096, 4)
	k.Settle()
	r := am.allocate()
	if len(r.GetUpdatedNodes()) != 1 || r.GetUpdatedNodes()[0].GetNodeState() != yarn.NodeState_NS_RUNNING || r.GetNumClusterNodes() != 2 {
		t.Errorf("updated nodes %v of %d", r.GetUpdatedNodes(), r.GetNumClusterNodes())
	}
	if again := am.allocate(); len(again.GetUpdatedNodes()) != 0 {
		t.Errorf("told again: %v", again.GetUpdatedNodes())
	}
}

// A container that nobody starts is taken back.
func TestAContainerThatIsNotUsedExpires(t *testing.T) {
	k := newKit(t, "yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", "9000")
	n := k.node("N1", 8192, 8)
	am, _ := k.running(n, nil)
	am.given(n, 1)
	k.beats(9*1e9, n)
	if r := am.allocate(); len(r.GetCompletedContainerStatuses()) != 0 {
		t.Fatalf("after 9 s: %v", r)
	}
	k.beats(4*1e9, n)
	r := am.allocate()
	if len(r.GetCompletedContainerStatuses()) != 1 || r.GetCompletedContainerStatuses()[0].GetDiagnostics() != "Container expired since it was unused" {
		t.Errorf("after 13 s: %v", r)
	}
	if used := k.state().GetUse().GetAllocated().GetMemory(); used != 1024 {
		t.Errorf("%d MiB are allocated still", used)
	}
}

func TestContainerIDsCountPerAttempt(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	am, _ := k.running(n, nil)
	for i, c := range am.given(n, 3) {
		if id, err := ids.ContainerFrom(c.GetId()); err != nil || id.Seq != int64(i)+2 || id.Epoch != 0 {
			t.Errorf("container %d is %s", i, id)
		}
	}
}
