package resourcemanager

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/actors/resourcemanager/rmtest"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/actors/resourcemanager/session"
	"github.com/coherer/coherer/actors/resourcemanager/tracker"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// written counts the writes of a Store.
type written struct{ changes []records.Change }

func (w *written) Load(*rpcenv.Blocking) (kept []records.Change, bad []error, err error) {
	return nil, nil, nil
}

func (w *written) Write(_ *rpcenv.Blocking, changes []records.Change) error {
	w.changes = append(w.changes, changes...)
	return nil
}

// service is a ClientRMService that serves, with a scheduler that a test plays.
type service struct {
	*rmtest.Rig
	s     *ClientRMService
	moves func(c *rpcenv.Context, m scheduler.MoveApp)
	fails error          // what the scheduler fails questions with
	nm    *rpctest.Probe // the NodeManager of attempts that are given a container
}

func newService(t *testing.T, store records.Store, settings ...string) *service {
	t.Helper()
	return newServiceWith(t, Config{Store: store}, settings...)
}

// newServiceWith is newService with a Config.
func newServiceWith(t *testing.T, cfg Config, settings ...string) *service {
	t.Helper()
	s := newClientRMService(cfg)
	v := &service{Rig: rmtest.New(t, ids.ClientRMService, s, settings...), s: s}
	v.Scheduler.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		if v.fails != nil {
			rpcenv.Fail(c, m, v.fails)
			return true
		}
		switch m := m.(type) {
		case scheduler.RequestLimits:
			rpcenv.Reply(c, m, scheduler.Limits{Maximum: &yarn.Resource{Memory: 4096, VirtualCores: 4}})
		case scheduler.AppAdded:
			rpcenv.Reply(c, m, scheduler.AppAccepted{Queue: "root.a"})
		case scheduler.AppAttemptAdded:
			rpcenv.Reply(c, m, scheduler.AttemptAdded{})
		case scheduler.Allocate:
			rpcenv.Reply(c, m, scheduler.Allocation{})
		case scheduler.RequestUsage:
			u := scheduler.Usage{ByApp: map[ids.Application]*yarn.ApplicationResourceUsageReport{}}
			for _, id := range m.Apps {
				u.ByApp[id] = &yarn.ApplicationResourceUsageReport{NumUsedContainers: id.ID}
			}
			rpcenv.Reply(c, m, u)
		case scheduler.MoveApp:
			v.moves(c, m)
		default:
			return false
		}
		return true
	})
	v.Settle()
	return v
}

// submit hands an application in.
func (v *service) submit(change ...func(*yarn.ApplicationSubmissionContext)) ids.Application {
	v.T.Helper()
	id := v.newID()
	q := aSubmission(id)
	for _, f := range change {
		f(q)
	}
	if err := rmtest.TryAsk(v.Rig, &yarn.SubmitApplicationRequest{ApplicationSubmissionContext: q}); err != nil {
		v.T.Fatal(err)
	}
	v.Settle()
	return id
}

// newID is the id of the next application.
func (v *service) newID() ids.Application {
	v.T.Helper()
	a, err := rpctest.Ask[*yarn.GetNewApplicationResponse](v.Peer, v.Of, &yarn.GetNewApplicationRequest{})
	if err != nil {
		v.T.Fatal(err)
	}
	id, _ := ids.ApplicationFrom(a.GetApplicationId())
	return id
}

// aSubmission is one of ada into root.a.
func aSubmission(id ids.Application) *yarn.ApplicationSubmissionContext {
	return &yarn.ApplicationSubmissionContext{
		ApplicationId: id.Proto(), AmContainerSpec: &yarn.ContainerLaunchContext{}, Resource: &yarn.Resource{Memory: 1024, VirtualCores: 1}, User: "ada", Queue: "root.a",
	}
}

// The scheduler's error goes to the client.
func TestClientsHearWhyTheSchedulerFails(t *testing.T) {
	v := newService(t, nil)
	app := v.submit()
	v.Tracker.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		if m, ok := m.(tracker.RequestNodes); ok {
			rpcenv.Reply(c, m, tracker.NodeList{})
		}
		return true
	})
	ask := func() {
		for _, q := range []rpcenv.Message{
			&yarn.GetNewApplicationRequest{}, &yarn.GetApplicationReportRequest{ApplicationId: app.Proto()}, &yarn.GetApplicationsRequest{}, &yarn.GetQueueInfoRequest{},
			&yarn.GetClusterNodesRequest{}, &yarn.RequestResourceManagerState{}, &yarn.RequestApplicationRefusals{ApplicationId: app.Proto()},
			&yarn.RequestContainerPlace{ContainerId: rmtest.Container(1).Proto()}, &yarn.MoveApplicationAcrossQueuesRequest{ApplicationId: app.Proto(), TargetQueue: "root.b"},
		} {
			if err := rmtest.TryAsk(v.Rig, q); !errors.Is(err, exceptions.Retriable) || !strings.Contains(err.Error(), "in a minute") {
				t.Errorf("%T: %v", q, err)
			}
		}
	}
	v.fails = errors.Join(exceptions.Retriable, errors.New("in a minute"))
	ask()
	active := false
	v.Scheduler.Do(func(c *rpcenv.Context) {
		rpcenv.Ask(c, v.Of, AwaitActive{}, func(*rpc.Bool, error) { active = true })
	})
	v.Settle()
	if active {
		t.Error("it said that it serves while its scheduler does not")
	}
	v.fails = nil
	if a, err := rpctest.Ask[*rpc.Bool](v.Scheduler, v.Of, AwaitActive{}); err != nil || !a.GetValue() {
		t.Errorf("%v, %v", a, err)
	}
	v.Tracker.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		rpcenv.Fail(c, m, errors.Join(exceptions.Retriable, errors.New("in a minute")))
		return true
	})
	for _, q := range []rpcenv.Message{&yarn.GetClusterMetricsRequest{}, &yarn.GetClusterNodesRequest{}, &yarn.RequestResourceManagerState{}} {
		if err := rmtest.TryAsk(v.Rig, q); !errors.Is(err, exceptions.Retriable) || !strings.Contains(err.Error(), "in a minute") {
			t.Errorf("%T: %v", q, err)
		}
	}
}

// A move is written when it changes something, and not when the application ended meanwhile.
func TestWhichMovesAreWritten(t *testing.T) {
	w := &written{}
	v := newService(t, w)
	app := v.submit()
	v.Advance(time.Second)
	move := func(to string) error {
		return rmtest.TryAsk(v.Rig, &yarn.MoveApplicationAcrossQueuesRequest{ApplicationId: app.Proto(), TargetQueue: to})
	}
	queue := func() string { return v.s.byID[app].queue }
	v.moves = func(c *rpcenv.Context, m scheduler.MoveApp) {
		if m.App != app {
			t.Errorf("%s moves", m.App)
		}
		rpcenv.Reply(c, m, scheduler.AppAccepted{Queue: m.Target})
	}
	before := len(w.changes)
	if err := move("root.a"); err != nil || len(w.changes) != before {
		t.Errorf("where it is: %v, %d written", err, len(w.changes)-before)
	}
	if err := move("root.b"); err != nil || len(w.changes) != before+1 || queue() != "root.b" || v.s.byID[app].context.GetQueue() != "root.b" {
		t.Errorf("to another queue: %v, %d written, %s", err, len(w.changes)-before, queue())
	}
	if err := move(strings.Repeat("q", 1024)); err != nil {
		t.Errorf("a long name: %v", err)
	}
	err := move(strings.Repeat("q", 1025))
	if !errors.Is(err, exceptions.YARN) || !strings.HasSuffix(err.Error(), "the name of the queue has 1025 bytes, at most 1024 can be") {
		t.Errorf("a longer name: %v", err)
	}
	if err := rmtest.TryAsk(v.Rig, &yarn.MoveApplicationAcrossQueuesRequest{TargetQueue: strings.Repeat("q", 1025)}); !errors.Is(err, exceptions.ApplicationNotFound) {
		t.Errorf("of an application that is none: %v", err)
	}
	before = len(w.changes)
	v.moves = func(c *rpcenv.Context, m scheduler.MoveApp) {
		v.s.byID[app].machine.State = machine.AppFailed // meanwhile
		rpcenv.Reply(c, m, scheduler.AppAccepted{Queue: "root.c"})
	}
	if err := move("root.c"); err != nil || len(w.changes) != before || queue() == "root.c" {
		t.Errorf("of one that ended meanwhile: %v, %d written, %s", err, len(w.changes)-before, queue())
	}
}

// An event that a state has no row for is logged and changes nothing.
func TestAnApplicationsEventOutOfTurnChangesNothing(t *testing.T) {
	v := newService(t, nil)
	v.Run(func(c *rpcenv.Context) {
		a := &application{machine: machine.App{State: machine.AppAccepted}}
		v.s.stepApp(c, a, machine.AppStart, machine.Always, "")
		at := &attempt{machine: machine.Attempt{State: machine.AttemptScheduled}, app: a}
		v.s.stepAttempt(c, at, machine.AttemptRegister, machine.Always, "")
		if a.machine.State != machine.AppAccepted || at.machine.State != machine.AttemptScheduled {
			t.Errorf("the application is %s, the attempt %s", a.machine.State, at.machine.State)
		}
	})
	if len(v.Errors) != 2 {
		t.Errorf("logged: %q", v.Errors)
	}
	v.Errors = nil
}

// An endpoint refuses what is for a NodeManager.
func TestMessagesOfOthersAreRefused(t *testing.T) {
	s, err := scheduler.New(rmtest.Conf(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, e := range map[string]rpcenv.Endpoint{
		ids.ResourceTracker: tracker.New(nil), ids.ClientRMService: newClientRMService(Config{}),
		ids.ApplicationMasterService: session.New(), ids.Scheduler: s,
	} {
		r := rmtest.New(t, name, e)
		if name == ids.Scheduler {
			r.Send(scheduler.BeginScheduler{Life: rmtest.Life(5)})
		}
		r.Refused(rmtest.TryAsk(r, &yarn.StartContainersRequest{}), rpcenv.ErrRefusedUnsupported, "to "+name)
		r.Logged("Ignoring error in yarn.StartContainersRequest: Unsupported message yarn.StartContainersRequest from " + r.Peer.Ref.Address.String() + " to " + name)
	}
}
