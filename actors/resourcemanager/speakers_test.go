package resourcemanager_test

import (
	"fmt"
	"time"

	"github.com/coherer/coherer/actors/hadoop/token"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// nodeManager is a Probe that speaks as a NodeManager: it accepts containers to start, and reports them with its heartbeats.
type nodeManager struct {
	*rpctest.Probe
	k        *kit
	reg      *yarn.RegisterNodeManagerRequest
	response int32
	running  []*yarn.ContainerStatus
	started  []*yarn.StartContainerRequest
	stopped  []*yarn.ContainerId
	refuse   string // its answer to startContainers, if not ""
	last     *yarn.NodeHeartbeatResponse
}

// newNode makes a NodeManager that is not registered yet.
func (k *kit) newNode(name string, memory int64, vcores int32) *nodeManager {
	k.t.Helper()
	p := k.ProbeIn(k.Env(name, nil), "ContainerManager")
	n := &nodeManager{Probe: p, k: k, reg: &yarn.RegisterNodeManagerRequest{
		NodeId:   &yarn.NodeId{Host: p.Ref.Address.Host, Port: int32(p.Ref.Address.Port)},
		HttpPort: 8042, Resource: &yarn.Resource{Memory: memory, VirtualCores: vcores},
	}}
	p.On(n.receive)
	return n
}

// node makes a NodeManager and registers it.
func (k *kit) node(name string, memory int64, vcores int32) *nodeManager {
	k.t.Helper()
	n := k.newNode(name, memory, vcores)
	if r := n.register(); r.GetNodeAction() != yarn.NodeAction_NORMAL {
		k.t.Fatal(r)
	}
	return n
}

func (n *nodeManager) register() *yarn.RegisterNodeManagerResponse {
	n.k.t.Helper()
	n.response = 0
	if n.reg.ContainerStatuses == nil {
		for _, s := range n.running {
			n.reg.ContainerStatuses = append(n.reg.ContainerStatuses, &yarn.NMContainerStatus{
				ContainerId: s.GetContainerId(), ContainerState: s.GetState(), Resource: s.GetCapability(), ContainerExitStatus: s.GetExitStatus(),
			})
		}
		defer func() { n.reg.ContainerStatuses = nil }()
	}
	return ask[*yarn.RegisterNodeManagerResponse](n.k, n.Probe, "ResourceTracker", n.reg)
}

func (n *nodeManager) receive(c *rpcenv.Context, m rpcenv.Message) bool {
	switch m := m.(type) {
	case *yarn.StartContainersRequest:
		if n.refuse != "" {
			rpcenv.Reply(c, m, &yarn.StartContainersResponse{FailedRequests: []*yarn.ContainerExceptionMap{
				{Exception: &yarn.SerializedException{Message: n.refuse}},
			}})
			return true
		}
		r := &yarn.StartContainersResponse{}
		for _, s := range m.GetStartContainerRequest() {
			n.started = append(n.started, s)
			var id yarn.ContainerTokenIdentifier
			if err := token.Identify(s.GetContainerToken(), &id); err != nil {
				n.k.t.Error(err)
			}
			n.runs(id.GetContainerId(), id.GetResource())
			r.SucceededRequests = append(r.SucceededRequests, id.GetContainerId())
		}
		rpcenv.Reply(c, m, r)
	case *yarn.StopContainersRequest:
		n.stopped = append(n.stopped, m.GetContainerId()...)
		rpcenv.Reply(c, m, &yarn.StopContainersResponse{SucceededRequests: m.GetContainerId()})
	default:
		return false
	}
	return true
}

// runs makes the next heartbeats say that a container runs.
func (n *nodeManager) runs(id *yarn.ContainerId, size *yarn.Resource) {
	n.running = append(n.running, &yarn.ContainerStatus{
		ContainerId: id, State: yarn.ContainerState_C_RUNNING, ExitStatus: -1000, Capability: size,
	})
}

// ends makes the next heartbeats say that a container ended.
func (n *nodeManager) ends(id *yarn.ContainerId, exit int32, diagnostics string) {
	for _, s := range n.running {
		if s.GetContainerId().GetId() == id.GetId() && s.GetContainerId().GetAppAttemptId().String() == id.GetAppAttemptId().String() {
			s.State, s.ExitStatus, s.Diagnostics = yarn.ContainerState_C_COMPLETE, exit, diagnostics
		}
	}
}

// beat is one heartbeat, half a second later: shares were computed meanwhile.
func (n *nodeManager) beat() *yarn.NodeHeartbeatResponse {
	n.k.t.Helper()
	n.k.Advance(500 * time.Millisecond)
	statuses := make([]*yarn.ContainerStatus, 0, len(n.running))
	statuses = append(statuses, n.running...)
	r := ask[*yarn.NodeHeartbeatResponse](n.k, n.Probe, "ResourceTracker", &yarn.NodeHeartbeatRequest{NodeStatus: &yarn.NodeStatus{
		NodeId: n.reg.GetNodeId(), ResponseId: n.response, ContainersStatuses: statuses,
		NodeHealthStatus: &yarn.NodeHealthStatus{IsNodeHealthy: true},
	}})
	n.last = r
	if r.GetNodeAction() == yarn.NodeAction_NORMAL {
		n.response = r.GetResponseId()
	}
	n.k.Settle()
	return r
}

// started1 is the token and the context of the container that was started last.
func (n *nodeManager) startedLast() (*yarn.StartContainerRequest, *yarn.ContainerId) {
	n.k.t.Helper()
	if len(n.started) == 0 {
		n.k.t.Fatal("nothing was started")
	}
	s := n.started[len(n.started)-1]
	var id yarn.ContainerTokenIdentifier
	if err := token.Identify(s.GetContainerToken(), &id); err != nil {
		n.k.t.Fatal(err)
	}
	return s, id.GetContainerId()
}

// appMaster is a Probe that speaks as an ApplicationMaster.
type appMaster struct {
	*rpctest.Probe
	k        *kit
	attempt  *yarn.ApplicationAttemptId
	token    *yarn.Token
	own      *yarn.ContainerId
	response int32
	holds    []*yarn.ContainerId // that it says it has when it registers
}

var masters int

// launched is the ApplicationMaster that a node started last, not registered yet.
func (k *kit) launched(n *nodeManager) *appMaster {
	k.t.Helper()
	s, id := n.startedLast()
	t, err := token.Find(s.GetContainerLaunchContext().GetTokens(), token.AMRM)
	if err != nil {
		k.t.Fatal(err)
	}
	masters++
	p := k.ProbeIn(k.Env(fmt.Sprint("AM", masters), nil), "YarnAM")
	return &appMaster{Probe: p, k: k, attempt: id.GetAppAttemptId(), token: t, own: id}
}

// running submits an application and brings it to RUNNING on a node.
func (k *kit) running(n *nodeManager, change func(*yarn.ApplicationSubmissionContext)) (*appMaster, ids.Application) {
	k.t.Helper()
	app := k.submit(change)
	n.beat()
	am := k.launched(n)
	am.register()
	k.is(app, yarn.YarnApplicationState_RUNNING)
	n.beat() // the ApplicationMaster's container runs
	return am, app
}

func (a *appMaster) register() *yarn.RegisterApplicationMasterResponse {
	a.k.t.Helper()
	r, err := a.tryRegister()
	if err != nil {
		a.k.t.Fatal(err)
	}
	a.response = 0
	a.k.Settle()
	return r
}

func (a *appMaster) tryRegister() (*yarn.RegisterApplicationMasterResponse, error) {
	a.k.t.Helper()
	return rpctest.Ask[*yarn.RegisterApplicationMasterResponse](a.Probe, a.k.ref("ApplicationMasterService"), &yarn.RegisterApplicationMasterRequest{
		Host: "am.example", RpcPort: 4040, TrackingUrl: "http://am.example:4041", ApplicationAttemptId: a.attempt, AmRmToken: a.token,
		Containers: a.holds,
	})
}

// try is one allocate call, with the response id that is set.
func (a *appMaster) try(q *yarn.AllocateRequest) (*yarn.AllocateResponse, error) {
	a.k.t.Helper()
	q.ApplicationAttemptId, q.AmRmToken = a.attempt, a.token
	return rpctest.Ask[*yarn.AllocateResponse](a.Probe, a.k.ref("ApplicationMasterService"), q)
}

// allocate is one allocate call as it should be.
func (a *appMaster) allocate(asks ...*yarn.ResourceRequest) *yarn.AllocateResponse {
	a.k.t.Helper()
	return a.call(&yarn.AllocateRequest{Ask: asks})
}

func (a *appMaster) call(q *yarn.AllocateRequest) *yarn.AllocateResponse {
	a.k.t.Helper()
	q.ResponseId = a.response
	r, err := a.try(q)
	if err != nil {
		a.k.t.Fatal(err)
	}
	a.response = r.GetResponseId()
	return r
}

// anywhere asks for containers of 1024 MiB.
func anywhere(count int32) *yarn.ResourceRequest { return sized(count, 1024) }

func sized(count int32, memory int64) *yarn.ResourceRequest {
	return &yarn.ResourceRequest{
		Priority: &yarn.Priority{Priority: 1}, ResourceName: "*", NumContainers: count, Capability: &yarn.Resource{Memory: memory, VirtualCores: 1},
	}
}

// given asks for containers and takes them, with as many heartbeats of the node.
func (a *appMaster) given(n *nodeManager, count int) []*yarn.Container {
	a.k.t.Helper()
	a.allocate(anywhere(int32(count)))
	for range count {
		n.beat()
	}
	got := a.allocate().GetAllocatedContainers()
	if len(got) != count {
		a.k.t.Fatalf("%d containers, want %d", len(got), count)
	}
	return got
}

// start tells a node to start a container.
func (a *appMaster) start(n *nodeManager, container *yarn.Container) {
	a.k.t.Helper()
	q := &yarn.StartContainersRequest{StartContainerRequest: []*yarn.StartContainerRequest{{ContainerToken: container.GetContainerToken()}}}
	if _, err := rpctest.Ask[*yarn.StartContainersResponse](a.Probe, n.Ref, q); err != nil {
		a.k.t.Fatal(err)
	}
}

func (a *appMaster) finish(status yarn.FinalApplicationStatus) bool {
	a.k.t.Helper()
	r, err := a.tryFinish(status)
	if err != nil {
		a.k.t.Fatal(err)
	}
	a.k.Settle()
	return r.GetIsUnregistered()
}

func (a *appMaster) tryFinish(status yarn.FinalApplicationStatus) (*yarn.FinishApplicationMasterResponse, error) {
	a.k.t.Helper()
	return rpctest.Ask[*yarn.FinishApplicationMasterResponse](a.Probe, a.k.ref("ApplicationMasterService"), &yarn.FinishApplicationMasterRequest{
		FinalApplicationStatus: status, Diagnostics: "done", ApplicationAttemptId: a.attempt, AmRmToken: a.token,
	})
}
