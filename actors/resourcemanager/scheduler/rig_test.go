package scheduler

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/rmtest"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// scheduling is a Scheduler that serves.
type scheduling struct {
	*rmtest.Rig
	s *Scheduler
}

func newScheduling(t *testing.T, m BeginScheduler, settings ...string) scheduling {
	t.Helper()
	return newSchedulingWith(t, nil, settings, func(*rpcenv.Env) {}, m)
}

// newSchedulingWith is newScheduling with an allocation file; first sees the Env before the Scheduler begins.
func newSchedulingWith(t *testing.T, file Allocations, settings []string, first func(*rpcenv.Env), m BeginScheduler) scheduling {
	t.Helper()
	s, err := New(rmtest.Conf(t, settings...), file)
	if err != nil {
		t.Fatal(err)
	}
	r := scheduling{rmtest.New(t, ids.Scheduler, s, settings...), s}
	first(r.Client.Env)
	recovered := m.Recovered
	m.Life = rmtest.Life(5)
	m.Recovered = recovered
	r.Send(m)
	return r
}

// request asks the Scheduler as a sibling and returns how it fails.
func request[R rpcenv.Message](r scheduling, q rpcenv.Message) (R, error) {
	r.T.Helper()
	a, err := rpctest.Ask[R](r.Client, r.Of, q)
	r.Settle()
	return a, err
}

// must is an answer that has to be good.
func must[R rpcenv.Message](r scheduling, q rpcenv.Message) R {
	r.T.Helper()
	a, err := request[R](r, q)
	if err != nil {
		r.T.Fatalf("%T: %v", q, err)
	}
	return a
}

// add adds a node of 8192 MiB.
func (r scheduling) add(host string, containers ...*yarn.NMContainerStatus) ids.Node {
	r.T.Helper()
	id := ids.Node{Host: host, Port: 8041}
	r.Send(NodeAdded{Node: id, HTTP: host + ":8042", Rack: "/r", Total: &yarn.Resource{Memory: 8192, VirtualCores: 8}, Containers: containers})
	return id
}

// attempt adds an application with its first attempt.
func (r scheduling) attempt(keep bool) {
	r.T.Helper()
	must[AppAccepted](r, AppAdded{App: rmtest.App, User: "ada", Queue: "default", Groups: []string{"ada"}})
	must[AttemptAdded](r, AppAttemptAdded{Attempt: rmtest.Attempt, Keep: keep})
}

// begins adds an application of ada to a queue, with its first attempt.
func (r scheduling) begins(app ids.Application, queue string) ids.Attempt {
	r.T.Helper()
	must[AppAccepted](r, AppAdded{App: app, User: "ada", Queue: queue, Groups: []string{"ada"}})
	at := ids.Attempt{App: app, Attempt: 1}
	must[AttemptAdded](r, AppAttemptAdded{Attempt: at})
	return at
}

// live is a container that a node reports.
func live(seq, memory int64) *yarn.NMContainerStatus {
	return &yarn.NMContainerStatus{ContainerId: rmtest.Container(seq).Proto(), ContainerState: rmtest.Runs, Resource: &yarn.Resource{Memory: memory, VirtualCores: 1}}
}

// over is a container that a node reports as ended.
func over(seq int64, exit int32, why string) *yarn.NMContainerStatus {
	return &yarn.NMContainerStatus{
		ContainerId: rmtest.Container(seq).Proto(), ContainerState: rmtest.Ended, Resource: &yarn.Resource{Memory: 1024, VirtualCores: 1}, ContainerExitStatus: exit, Diagnostics: why,
	}
}

// heard is the messages to the tracker and the client since the last call, in short.
func (r scheduling) heard() string {
	r.T.Helper()
	r.Settle()
	var all []string
	for _, p := range []*rpctest.Probe{r.Tracker, r.Client} {
		for range len(p.Waiting()) {
			switch m := p.Next().(type) {
			case CleanUpContainer:
				all = append(all, fmt.Sprintf("%s ends %d", m.Node.Host, m.Container.Seq))
			case ForgetContainer:
				all = append(all, fmt.Sprintf("%s forgets %d", m.Node.Host, m.Container.Seq))
			case RunningOnNode:
				all = append(all, fmt.Sprintf("%d runs on %s", m.App.ID, m.Node.Host))
			case AMAllocated:
				all = append(all, "allocated")
			case AMContainerFinished:
				all = append(all, fmt.Sprintf("master ended with %d %q", m.Status.GetExitStatus(), m.Status.GetDiagnostics()))
			}
		}
	}
	return strings.Join(all, ", ")
}

// completed is the ends in the next answer to the ApplicationMaster.
func (r scheduling) completed() string {
	r.T.Helper()
	var all []string
	for _, s := range must[Allocation](r, Allocate{Attempt: rmtest.Attempt, Drain: true}).Completed {
		all = append(all, fmt.Sprintf("%d with %d %q", s.GetContainerId().GetId(), s.GetExitStatus(), s.GetDiagnostics()))
	}
	return strings.Join(all, ", ")
}

// is fails the test unless what is what is wanted.
func (r scheduling) is(what, want string) {
	r.T.Helper()
	if what != want {
		r.T.Errorf("%s\nwant\n%s", what, want)
	}
}

// give lets a node give the attempt a container of 1024 MiB, which it takes.
func (r scheduling) give(n ids.Node) ids.Container {
	r.T.Helper()
	must[Allocation](r, Allocate{Attempt: rmtest.Attempt, Asks: []*yarn.ResourceRequest{anyAsk(1)}})
	r.Advance(time.Second)
	must[NodeUpdated](r, NodeUpdate{Node: n})
	got := must[Allocation](r, Allocate{Attempt: rmtest.Attempt}).Containers
	if len(got) != 1 {
		r.T.Fatalf("given: %v", got)
	}
	id, err := ids.ContainerFrom(got[0].GetId())
	if err != nil {
		r.T.Fatal(err)
	}
	return id
}

// anyAsk asks for containers of 1024 MiB on any node.
func anyAsk(count int32) *yarn.ResourceRequest {
	return &yarn.ResourceRequest{
		Priority: &yarn.Priority{Priority: 1}, ResourceName: "*", NumContainers: count, Capability: &yarn.Resource{Memory: 1024, VirtualCores: 1},
	}
}
