package tracker

import (
	"testing"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/rmtest"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// tracking is a ResourceTracker that serves.
type tracking struct {
	*rmtest.Rig
	slow *slowScheduler
}

// slowScheduler answers the updates of nodes when it is let.
type slowScheduler struct {
	holds bool
	held  []rpcenv.Call[scheduler.NodeUpdated]
}

func newTracking(t *testing.T, lists Hosts, settings ...string) tracking {
	t.Helper()
	r := tracking{rmtest.New(t, ids.ResourceTracker, New(lists), settings...), &slowScheduler{}}
	r.Send(BeginTracker{Life: rmtest.Life(5)})
	r.Scheduler.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		switch m, ok := m.(scheduler.NodeUpdate); {
		case ok && r.slow.holds:
			r.slow.held = append(r.slow.held, rpcenv.Defer(c, m))
		case ok:
			rpcenv.Reply(c, m, scheduler.NodeUpdated{})
		}
		return false
	})
	return r
}

// answer lets the scheduler answer what it holds.
func (r tracking) answer() {
	r.T.Helper()
	held := r.slow.held
	r.slow.held = nil
	r.Scheduler.Do(func(*rpcenv.Context) {
		for _, call := range held {
			call.Reply(scheduler.NodeUpdated{})
		}
	})
	r.Settle()
}

func (r tracking) register(q *yarn.RegisterNodeManagerRequest) *yarn.RegisterNodeManagerResponse {
	r.T.Helper()
	a, err := rpctest.Ask[*yarn.RegisterNodeManagerResponse](r.Peer, r.Of, q)
	if err != nil {
		r.T.Fatal(err)
	}
	r.Settle()
	return a
}

// node registers a node of a host.
func (r tracking) node(host string, containers ...*yarn.NMContainerStatus) ids.Node {
	r.T.Helper()
	id := ids.Node{Host: host, Port: 8041}
	r.register(&yarn.RegisterNodeManagerRequest{NodeId: id.Proto(), Resource: &yarn.Resource{Memory: 8192, VirtualCores: 8}, ContainerStatuses: containers})
	return id
}

// beat is a heartbeat of a node with these containers.
func (r tracking) beat(id ids.Node, response int32, statuses ...*yarn.ContainerStatus) *yarn.NodeHeartbeatResponse {
	r.T.Helper()
	return r.hear(&yarn.NodeHeartbeatRequest{NodeStatus: &yarn.NodeStatus{NodeId: id.Proto(), ResponseId: response, ContainersStatuses: statuses}})
}

func (r tracking) hear(q *yarn.NodeHeartbeatRequest) *yarn.NodeHeartbeatResponse {
	r.T.Helper()
	a, err := rpctest.Ask[*yarn.NodeHeartbeatResponse](r.Peer, r.Of, q)
	if err != nil {
		r.T.Fatal(err)
	}
	r.Settle()
	return a
}

// nodes are the known nodes, HOST:PORT STATE.
func (r tracking) nodes() (all []string) {
	r.T.Helper()
	l, err := rpctest.Ask[NodeList](r.Scheduler, r.Of, RequestNodes{})
	if err != nil {
		r.T.Fatal(err)
	}
	for _, n := range l.Reports {
		id, _ := ids.NodeFrom(n.GetNodeId())
		all = append(all, id.String()+" "+n.GetNodeState().String()[len("NS_"):])
	}
	return all
}
