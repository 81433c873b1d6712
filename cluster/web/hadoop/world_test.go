package hadoop

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/hadoop/token"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// yarnWorld is a ResourceManager to which the same happens that happened to Hadoop's when testdata/real was recorded.
type yarnWorld struct {
	*rpctest.World
	t    *testing.T
	rm   *rpcenv.Env
	tool *rpctest.Probe
	n1   *yarnNode
	as   []string // names of nodes here and there, for a strings.Replacer
}

// queuesOfTheRecording are the queues of the ResourceManager that was recorded.
type queuesOfTheRecording struct{}

func (queuesOfTheRecording) Read(*rpcenv.Blocking) ([]byte, time.Time, error) {
	return []byte(`<allocations>
		<queue name="a">
			<minResources>1024 mb, 1 vcores</minResources><maxResources>3072 mb, 3 vcores</maxResources>
			<maxRunningApps>5</maxRunningApps><weight>2.0</weight>
		</queue>
		<queue name="b"><maxRunningApps>0</maxRunningApps></queue>
		<queue name="c"><queue name="d"><schedulingPolicy>fifo</schedulingPolicy><maxAMShare>0.7</maxAMShare></queue></queue>
		<queuePlacementPolicy><rule name="specified" create="false"/><rule name="reject"/></queuePlacementPolicy>
	</allocations>`), time.Time{}, nil
}

// newYarnWorld makes it, with two nodes. Settings are given as key, value, key, value.
func newYarnWorld(t *testing.T, settings ...string) *yarnWorld {
	t.Helper()
	pairs := map[string]string{
		"yarn.scheduler.maximum-allocation-mb": "4096", "yarn.scheduler.maximum-allocation-vcores": "4",
		"yarn.nm.liveness-monitor.expiry-interval-ms": "20000",
	}
	for i := 0; i+1 < len(settings); i += 2 {
		pairs[settings[i]] = settings[i+1]
	}
	cf, err := conf.New(pairs, known.All())
	if err != nil {
		t.Fatal(err)
	}
	keys, err := resourcemanager.NewKeys(bytes.NewReader(bytes.Repeat([]byte{7}, 3*token.KeySize)))
	if err != nil {
		t.Fatal(err)
	}
	w := &yarnWorld{World: rpctest.New(t, 1), t: t}
	w.rm = w.Env("RM", cf)
	if _, err := resourcemanager.Start(w.rm, resourcemanager.Config{WebUIURL: "http://localhost:27088", Keys: keys, Allocations: queuesOfTheRecording{}}); err != nil {
		t.Fatal(err)
	}
	w.tool = w.ProbeIn(w.Env("Client", nil), "YarnClient")
	w.Settle()
	w.n1 = w.node("localhost:27041", 27042, &yarn.Resource{Memory: 8192, VirtualCores: 8})
	w.node("127.0.0.2:45454", 8042, &yarn.Resource{Memory: 4096, VirtualCores: 4}).beat()
	w.n1.beat()
	return w
}

// ask wants an answer.
func yarnAsk[R rpcenv.Message](w *yarnWorld, p *rpctest.Probe, endpoint string, q rpcenv.Message) R {
	w.t.Helper()
	r, err := rpctest.Ask[R](p, w.rm.Ref(w.rm.Address(), endpoint), q)
	if err != nil {
		w.t.Fatalf("%T: %v", q, err)
	}
	w.Settle()
	return r
}

func (w *yarnWorld) state() *yarn.ResourceManagerStateResponse {
	w.t.Helper()
	return yarnAsk[*yarn.ResourceManagerStateResponse](w, w.tool, ids.ClientRMService, &yarn.RequestResourceManagerState{})
}

// yarnNode is a NodeManager: what it has to start runs.
type yarnNode struct {
	*rpctest.Probe
	w        *yarnWorld
	id       *yarn.NodeId
	response int32
	running  []*yarn.ContainerStatus
	last     *yarn.StartContainerRequest
}

// node registers one that was called as in the recording.
func (w *yarnWorld) node(as string, http int32, size *yarn.Resource) *yarnNode {
	w.t.Helper()
	env := w.Env(as, nil)
	host, _, _ := strings.Cut(as, ":")
	w.as = append(w.as, env.Address().String(), as, env.Address().Host, host)
	n := &yarnNode{Probe: w.ProbeIn(env, "ContainerManager"), w: w, id: &yarn.NodeId{Host: env.Address().Host, Port: int32(env.Address().Port)}}
	n.On(n.receive)
	yarnAsk[*yarn.RegisterNodeManagerResponse](w, n.Probe, ids.ResourceTracker, &yarn.RegisterNodeManagerRequest{
		NodeId: n.id, HttpPort: http, Resource: size, NmVersion: "3.4.1",
	})
	return n
}

func (n *yarnNode) receive(c *rpcenv.Context, m rpcenv.Message) bool {
	switch m := m.(type) {
	case *yarn.StartContainersRequest:
		r := &yarn.StartContainersResponse{}
		for _, s := range m.GetStartContainerRequest() {
			var id yarn.ContainerTokenIdentifier
			if err := token.Identify(s.GetContainerToken(), &id); err != nil {
				n.w.t.Error(err)
			}
			n.last = s
			n.running = append(n.running, &yarn.ContainerStatus{ContainerId: id.GetContainerId(), State: yarn.ContainerState_C_RUNNING, ExitStatus: -1000, Capability: id.GetResource()})
			r.SucceededRequests = append(r.SucceededRequests, id.GetContainerId())
		}
		rpcenv.Reply(c, m, r)
	case *yarn.StopContainersRequest:
		rpcenv.Reply(c, m, &yarn.StopContainersResponse{SucceededRequests: m.GetContainerId()})
	default:
		return false
	}
	return true
}

// beat is a heartbeat, half a second later.
func (n *yarnNode) beat() {
	n.w.t.Helper()
	n.w.Advance(500 * time.Millisecond)
	r := yarnAsk[*yarn.NodeHeartbeatResponse](n.w, n.Probe, ids.ResourceTracker, &yarn.NodeHeartbeatRequest{NodeStatus: &yarn.NodeStatus{
		NodeId: n.id, ResponseId: n.response, ContainersStatuses: n.running, NodeHealthStatus: &yarn.NodeHealthStatus{IsNodeHealthy: true},
	}})
	n.response = r.GetResponseId()
}

// ends is the end of all that runs of an application.
func (n *yarnNode) ends(app ids.Application, exit int32, diagnostics string) {
	n.w.t.Helper()
	var left []*yarn.ContainerStatus
	for _, s := range n.running {
		if s.GetContainerId().GetAppAttemptId().GetApplicationId().GetId() == app.ID {
			s.State, s.ExitStatus, s.Diagnostics = yarn.ContainerState_C_COMPLETE, exit, diagnostics
		} else {
			left = append(left, s)
		}
	}
	n.beat()
	n.running = left
	n.beat()
}

// submit hands the next application in.
func (w *yarnWorld) submit(user, queue, name string, tags ...string) ids.Application {
	w.t.Helper()
	got := yarnAsk[*yarn.GetNewApplicationResponse](w, w.tool, ids.ClientRMService, &yarn.GetNewApplicationRequest{})
	return w.submitAs(got.GetApplicationId(), user, queue, name, tags...)
}

// submitAs hands an application in under an id.
func (w *yarnWorld) submitAs(m *yarn.ApplicationId, user, queue, name string, tags ...string) ids.Application {
	w.t.Helper()
	id, err := ids.ApplicationFrom(m)
	if err != nil {
		w.t.Fatal(err)
	}
	yarnAsk[*yarn.SubmitApplicationResponse](w, w.tool, ids.ClientRMService, &yarn.SubmitApplicationRequest{
		ApplicationSubmissionContext: &yarn.ApplicationSubmissionContext{
			ApplicationId: m, ApplicationName: name, Queue: queue, User: user, ApplicationType: "SPARK", MaxAppAttempts: 1,
			AmContainerSpec: &yarn.ContainerLaunchContext{Command: []string{"run-am"}}, Resource: &yarn.Resource{Memory: 1024, VirtualCores: 1},
			ApplicationTags: tags,
		},
	})
	return id
}

// yarnMaster is the ApplicationMaster that was started last.
type yarnMaster struct {
	w        *yarnWorld
	attempt  *yarn.ApplicationAttemptId
	token    *yarn.Token
	response int32
}

// launched lets the node have the ApplicationMaster of an application that waits.
func (w *yarnWorld) launched() *yarnMaster {
	w.t.Helper()
	w.n1.beat()
	w.n1.beat()
	var id yarn.ContainerTokenIdentifier
	if err := token.Identify(w.n1.last.GetContainerToken(), &id); err != nil {
		w.t.Fatal(err)
	}
	t, err := token.Find(w.n1.last.GetContainerLaunchContext().GetTokens(), token.AMRM)
	if err != nil {
		w.t.Fatal(err)
	}
	return &yarnMaster{w: w, attempt: id.GetContainerId().GetAppAttemptId(), token: t}
}

func (m *yarnMaster) register(port int32, url string) {
	m.w.t.Helper()
	yarnAsk[*yarn.RegisterApplicationMasterResponse](m.w, m.w.tool, ids.ApplicationMasterService, &yarn.RegisterApplicationMasterRequest{
		Host: "localhost", RpcPort: port, TrackingUrl: url, ApplicationAttemptId: m.attempt, AmRmToken: m.token,
	})
}

// allocate asks for containers of 1 GiB, unless count is 0.
func (m *yarnMaster) allocate(count int32) int {
	m.w.t.Helper()
	q := &yarn.AllocateRequest{ResponseId: m.response, Progress: 0.25, ApplicationAttemptId: m.attempt, AmRmToken: m.token}
	if count > 0 {
		q.Ask = []*yarn.ResourceRequest{{Priority: &yarn.Priority{Priority: 1}, ResourceName: "*", NumContainers: count, Capability: &yarn.Resource{Memory: 1024, VirtualCores: 1}, RelaxLocality: new(true)}}
	}
	r := yarnAsk[*yarn.AllocateResponse](m.w, m.w.tool, ids.ApplicationMasterService, q)
	m.response = r.GetResponseId()
	return len(r.GetAllocatedContainers())
}
