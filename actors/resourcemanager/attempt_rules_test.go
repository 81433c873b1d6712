package resourcemanager

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/hadoop/exitstatus"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/actors/resourcemanager/rmtest"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/actors/resourcemanager/session"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// launched submits an application whose first attempt's node has its ApplicationMaster.
func (v *service) launched(change ...func(*yarn.ApplicationSubmissionContext)) ids.Attempt {
	v.T.Helper()
	at := ids.Attempt{App: v.submit(change...), Attempt: 1}
	v.launch(at)
	return at
}

// launch gives an attempt a container on the node, which starts the ApplicationMaster.
func (v *service) launch(at ids.Attempt) {
	v.T.Helper()
	n := v.node()
	v.Scheduler.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		q, ok := m.(scheduler.Allocate)
		if ok = ok && q.Attempt == at && len(q.Asks) == 0; ok {
			rpcenv.Reply(c, q, scheduler.Allocation{Containers: []*yarn.Container{{Id: ids.Container{Attempt: at, Seq: 1}.Proto(), NodeId: n.Proto()}}})
		}
		return ok
	})
	v.Send(scheduler.AMAllocated{Attempt: at})
	v.inState(at, machine.AttemptLaunched)
}

// node is that of the NodeManager, which obeys.
func (v *service) node() ids.Node {
	v.T.Helper()
	if v.nm == nil {
		v.nm = v.ProbeIn(v.Env("N", nil), ids.ContainerManager)
		v.nm.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
			switch m := m.(type) {
			case *yarn.StartContainersRequest:
				rpcenv.Reply(c, m, &yarn.StartContainersResponse{})
			case *yarn.StopContainersRequest:
				rpcenv.Reply(c, m, &yarn.StopContainersResponse{})
			}
			return false
		})
	}
	return ids.Node{Host: v.nm.Ref.Address.Host, Port: int32(v.nm.Ref.Address.Port)}
}

// running is launched with an ApplicationMaster that registered.
func (v *service) running(change ...func(*yarn.ApplicationSubmissionContext)) ids.Attempt {
	v.T.Helper()
	at := v.launched(change...)
	v.Send(session.AMRegistered{Attempt: at, Host: "h", Port: 4040, URL: "http://h"})
	v.inState(at, machine.AttemptRunning)
	return at
}

func (v *service) inState(id ids.Attempt, want machine.AttemptState) {
	v.T.Helper()
	at := v.s.attemptOf(id)
	if at == nil {
		v.T.Fatalf("there is no %s", id)
	}
	if at.machine.State != want {
		v.T.Fatalf("%s is %s (%s), want %s", id, at.machine.State, at.diagnostics, want)
	}
}

// ofItsMaster says that the container of an ApplicationMaster ended.
func ofItsMaster(id ids.Attempt, exit int32, why string) scheduler.AMContainerFinished {
	return scheduler.AMContainerFinished{Attempt: id, Status: &yarn.ContainerStatus{ExitStatus: exit, Diagnostics: why}}
}

// keeping is an application whose containers outlive attempts.
func keeping(s *yarn.ApplicationSubmissionContext) { s.KeepContainersAcrossApplicationAttempts = true }

// Messages of siblings about a forgotten or unknown attempt change nothing.
func TestMessagesOfUnknownAttemptsChangeNothing(t *testing.T) {
	v := newService(t, nil)
	known := v.running()
	for _, id := range []ids.Attempt{
		{App: ids.Application{Timestamp: 1, ID: 77}, Attempt: 1}, {App: known.App}, {App: known.App, Attempt: -1}, {App: known.App, Attempt: 2}, {},
	} {
		v.SendAll(
			scheduler.AMAllocated{Attempt: id}, pullContainer{attempt: id}, attemptSaved{attempt: id}, attemptSaved{attempt: id, final: true}, ofItsMaster(id, 1, "crash"),
			session.AMRegistered{Attempt: id, Host: "other"}, session.AMProgress{Attempt: id, Progress: 0.5}, session.AMUnregistered{Attempt: id, Diagnostics: "other"}, session.AMExpired{Attempt: id},
			appSaved{app: ids.Application{Timestamp: 1, ID: 77}}, appSaved{app: ids.Application{Timestamp: 1, ID: 77}, final: true},
		)
	}
	v.inState(known, machine.AttemptRunning)
	if at := v.s.attemptOf(known); at.host != "h" || at.progress != 0 || at.diagnostics != "" {
		t.Errorf("%+v", at)
	}
}

// The container of an ApplicationMaster is asked for at priority 0, once, anywhere; or as the submission's requests say, which
// stay as they are. Each sibling hears of the attempt what it has to.
func TestWhatAnAttemptBeginsWith(t *testing.T) {
	v := newService(t, nil)
	wanted := []*yarn.ResourceRequest{
		{Priority: &yarn.Priority{Priority: 7}, ResourceName: "h", NumContainers: 3, Capability: &yarn.Resource{Memory: 2048, VirtualCores: 2}},
		{Priority: &yarn.Priority{Priority: 8}, ResourceName: "*", NumContainers: 4, Capability: &yarn.Resource{Memory: 4096, VirtualCores: 3}},
	}
	var asks []scheduler.Allocate
	v.Scheduler.On(func(_ *rpcenv.Context, m rpcenv.Message) bool {
		if q, ok := m.(scheduler.Allocate); ok {
			asks = append(asks, q)
		}
		return false
	})
	var added []scheduler.AppAttemptAdded
	v.Scheduler.On(func(_ *rpcenv.Context, m rpcenv.Message) bool {
		if q, ok := m.(scheduler.AppAttemptAdded); ok {
			added = append(added, q)
		}
		return false
	})
	plain := v.submit()
	by := v.submit(keeping, func(s *yarn.ApplicationSubmissionContext) {
		s.AmContainerResourceRequest, s.Priority = wanted, &yarn.Priority{Priority: 4}
	})
	first := &yarn.ResourceRequest{Priority: &yarn.Priority{}, ResourceName: "*", NumContainers: 1, Capability: &yarn.Resource{Memory: 1024, VirtualCores: 1}}
	second, third := proto.CloneOf(wanted[0]), proto.CloneOf(wanted[1])
	second.Priority, second.NumContainers, third.Priority, third.NumContainers = &yarn.Priority{}, 1, &yarn.Priority{}, 1
	for i, want := range [][]*yarn.ResourceRequest{{first}, {second, third}} {
		same := func(a, b *yarn.ResourceRequest) bool { return proto.Equal(a, b) }
		if i >= len(asks) || !slices.EqualFunc(asks[i].Asks, want, same) {
			t.Errorf("asked for %v, want %v", asks[i].Asks, want)
		}
	}
	if kept := v.s.byID[by].context.GetAmContainerResourceRequest(); !proto.Equal(kept[0], wanted[0]) || !proto.Equal(kept[1], wanted[1]) {
		t.Errorf("the submission says %v now", kept)
	}
	at := func(app ids.Application) ids.Attempt { return ids.Attempt{App: app, Attempt: 1} }
	if want := []scheduler.AppAttemptAdded{{Attempt: at(plain)}, {Attempt: at(by), Keep: true}}; !slices.Equal(added, want) {
		t.Errorf("the scheduler heard %+v", added)
	}
	r := rmtest.Got[session.RegisterAttempt](v.Rig, v.AMS)
	if len(r) != 2 || r[0] != (session.RegisterAttempt{Attempt: at(plain), User: "ada"}) || r[1].Attempt != at(by) || !r[1].Keep || r[1].Priority.GetPriority() != 4 {
		t.Errorf("the ApplicationMasterService heard %+v", r)
	}
}

// An attempt that the scheduler does not take, or whose container it refuses, fails with what the scheduler says.
func TestAnAttemptThatTheSchedulerRefuses(t *testing.T) {
	for _, of := range []string{"the attempt", "its container"} {
		v := newService(t, nil)
		v.Scheduler.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
			_, attempt := m.(scheduler.AppAttemptAdded)
			_, container := m.(scheduler.Allocate)
			refuses := attempt && of == "the attempt" || container && of == "its container"
			if refuses {
				rpcenv.Fail(c, m, fmt.Errorf("%w: not %s", exceptions.YARN, of))
			}
			return refuses
		})
		app := v.submit(func(s *yarn.ApplicationSubmissionContext) { s.MaxAppAttempts = 1 })
		id := ids.Attempt{App: app, Attempt: 1}
		v.inState(id, machine.AttemptFailed)
		if d := v.s.attemptOf(id).diagnostics; d != exceptions.YARN.Error()+": not "+of {
			t.Errorf("%s: %s", of, d)
		}
	}
}

// An attempt's container is asked for again when the scheduler failed, as when it had none.
func TestAFailureOfTheSchedulerIsNoContainer(t *testing.T) {
	v := newService(t, nil)
	id := ids.Attempt{App: v.submit(), Attempt: 1}
	v.fails = errors.New("in a minute")
	v.Send(scheduler.AMAllocated{Attempt: id})
	v.inState(id, machine.AttemptScheduled)
	v.fails = nil
	v.launch(id)
}

// Which failures count: those of the attempt itself.
func TestWhichFailuresAreTheAttempts(t *testing.T) {
	for _, is := range []struct {
		ended machine.AttemptState
		exit  int32
		want  bool
	}{
		{machine.AttemptFailed, 1, true},
		{machine.AttemptFailed, exitstatus.Invalid, true},
		{machine.AttemptFailed, exitstatus.KilledExceededPMem, true},
		{machine.AttemptFailed, exitstatus.Aborted, false},
		{machine.AttemptFailed, exitstatus.DisksFailed, false},
		{machine.AttemptFailed, exitstatus.Preempted, false},
		{machine.AttemptFailed, exitstatus.KilledByResourceManager, false},
		{machine.AttemptNew, 1, false},
		{machine.AttemptFinished, 1, false},
		{machine.AttemptKilled, 1, false},
	} {
		at := &attempt{exit: is.exit}
		if at.ended = is.ended; at.failed() != is.want {
			t.Errorf("%s with exit status %d: failed by itself is %t", is.ended, is.exit, !is.want)
		}
	}
}

// A container of an ApplicationMaster that was not there after all is asked for again half a second later.
func TestAContainerThatIsNotThereIsAskedForAgain(t *testing.T) {
	v := newService(t, nil)
	app := v.submit()
	at := ids.Attempt{App: app, Attempt: 1}
	asked := 0
	v.Scheduler.On(func(_ *rpcenv.Context, m rpcenv.Message) bool {
		if _, ok := m.(scheduler.Allocate); ok {
			asked++
		}
		return false
	})
	v.Send(scheduler.AMAllocated{Attempt: ids.Attempt{App: app, Attempt: 2}})
	if asked != 0 {
		t.Error("it asked for a container of an attempt that is none")
	}
	v.Send(scheduler.AMAllocated{Attempt: at})
	v.Pass(490)
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
	v.Pass(20)
	if asked != 2 {
		t.Errorf("asked %d times after half a second", asked)
	}
	v.s.byID[app].current().machine.State = 5 // launched meanwhile
	v.Pass(2000)
	if asked != 2 {
		t.Errorf("asked %d times though it has it", asked)
	}
}

// An attempt whose container has no node cannot be launched, and has nothing to be ended.
func TestAContainerWithoutANode(t *testing.T) {
	v := newService(t, nil)
	at := &attempt{launched: true, container: &yarn.Container{}}
	if _, _, err := v.s.startRequest(at); err == nil || err.Error() != "its container has no node" {
		t.Error(err)
	}
	v.Run(func(c *rpcenv.Context) { v.s.cleanUp(c, at) })
}
