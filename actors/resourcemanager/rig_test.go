package resourcemanager

import (
	"slices"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/life"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// rig is one endpoint of a ResourceManager, with Probes in place of its siblings, which record its messages.
type rig struct {
	*rpctest.World
	t                               *testing.T
	of                              rpcenv.Ref
	client, ams, tracker, scheduler *rpctest.Probe // nil: the endpoint itself
	peer                            *rpctest.Probe // of another Env
	errors                          []string       // that the endpoint logged
}

// Levels and Fire make the rig a hook of the endpoint's log.
func (r *rig) Levels() []logrus.Level { return []logrus.Level{logrus.ErrorLevel} }

func (r *rig) Fire(e *logrus.Entry) error {
	r.errors = append(r.errors, e.Message)
	return nil
}

// logged fails the test unless the endpoint logged these errors since the last call, and no other: a panic is one too.
func (r *rig) logged(want ...string) {
	r.t.Helper()
	if !slices.Equal(r.errors, want) {
		r.t.Errorf("logged as errors:\n%q\nwant\n%q", r.errors, want)
	}
	r.errors = nil
}

// newRig makes one with settings, given as key, value, key, value.
func newRig(t *testing.T, name string, e rpcenv.Endpoint, settings ...string) *rig {
	t.Helper()
	cf := confOf(t, settings)
	r := &rig{World: rpctest.New(t, 1), t: t}
	r.peer = r.Probe("Peer")
	env := r.Env("RM", cf)
	env.Log().Logger.AddHook(r)
	t.Cleanup(func() { r.logged() })
	for of, p := range map[string]**rpctest.Probe{
		ClientRMServiceName: &r.client, ApplicationMasterServiceName: &r.ams, ResourceTrackerName: &r.tracker, SchedulerName: &r.scheduler,
	} {
		if of != name {
			*p = r.ProbeIn(env, of)
		}
	}
	r.of = r.Register(env, name, e)
	return r
}

// confOf are settings, given as key, value, key, value.
func confOf(t *testing.T, settings []string) *conf.Conf {
	t.Helper()
	pairs := map[string]string{}
	for i := 0; i+1 < len(settings); i += 2 {
		pairs[settings[i]] = settings[i+1]
	}
	cf, err := conf.New(pairs)
	if err != nil {
		t.Fatal(err)
	}
	return cf
}

// run runs f as a callback of the endpoint's process.
func (r *rig) run(f func(c *rpcenv.Context)) {
	r.t.Helper()
	p := r.scheduler
	if p == nil {
		p = r.tracker
	}
	p.Do(f)
	r.Settle()
}

// got are the messages of one type that a sibling was sent since the last call, of any type.
func got[M rpcenv.Message](r *rig, p *rpctest.Probe) (all []M) {
	r.t.Helper()
	r.Settle()
	for range len(p.Waiting()) {
		if m, ok := p.Next().(M); ok {
			all = append(all, m)
		}
	}
	return all
}

// send sends the endpoint a message of a sibling.
func (r *rig) send(m rpcenv.Message) {
	r.t.Helper()
	r.run(func(c *rpcenv.Context) { c.Send(r.of, m) })
}

// aLife is a life with keys.
func aLife(timestamp int64) life.Life {
	key := func(b byte) *yarn.MasterKey { return &yarn.MasterKey{KeyId: 1, Bytes: []byte{b, 31: b}} }
	return life.Life{Timestamp: timestamp, Container: key(1), NM: key(2), AMRM: key(3)}
}

var (
	anApp     = ids.Application{Timestamp: 5, ID: 1}
	anAttempt = ids.Attempt{App: anApp, Attempt: 1}
)

func aContainer(seq int64) ids.Container { return ids.Container{Attempt: anAttempt, Seq: seq} }

// status is how a container is, in a heartbeat.
func status(seq int64, state yarn.ContainerState, exit int32) *yarn.ContainerStatus {
	return &yarn.ContainerStatus{ContainerId: aContainer(seq).Proto(), State: state, ExitStatus: exit}
}

const (
	runs  = yarn.ContainerState_C_RUNNING
	ended = yarn.ContainerState_C_COMPLETE
)

// tracking is a ResourceTracker that serves.
type tracking struct {
	*rig
	slow *slowScheduler
}

// slowScheduler answers the updates of nodes when it is let.
type slowScheduler struct {
	holds bool
	held  []rpcenv.Call[nodeUpdated]
}

func newTracking(t *testing.T, cfg Config, settings ...string) tracking {
	t.Helper()
	r := tracking{newRig(t, ResourceTrackerName, newResourceTracker(cfg), settings...), &slowScheduler{}}
	r.send(beginTracker{Life: aLife(5)})
	r.scheduler.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		switch m, ok := m.(nodeUpdate); {
		case ok && r.slow.holds:
			r.slow.held = append(r.slow.held, rpcenv.Defer(c, m))
		case ok:
			rpcenv.Reply(c, m, nodeUpdated{})
		}
		return false
	})
	return r
}

// answer lets the scheduler answer what it holds.
func (r tracking) answer() {
	r.t.Helper()
	held := r.slow.held
	r.slow.held = nil
	r.scheduler.Do(func(*rpcenv.Context) {
		for _, call := range held {
			call.Reply(nodeUpdated{})
		}
	})
	r.Settle()
}

func (r tracking) register(q *yarn.RegisterNodeManagerRequest) *yarn.RegisterNodeManagerResponse {
	r.t.Helper()
	a, err := rpctest.Ask[*yarn.RegisterNodeManagerResponse](r.peer, r.of, q)
	if err != nil {
		r.t.Fatal(err)
	}
	r.Settle()
	return a
}

// node registers a node of a host.
func (r tracking) node(host string, containers ...*yarn.NMContainerStatus) ids.Node {
	r.t.Helper()
	id := ids.Node{Host: host, Port: 8041}
	r.register(&yarn.RegisterNodeManagerRequest{NodeId: id.Proto(), Resource: &yarn.Resource{Memory: 8192, VirtualCores: 8}, ContainerStatuses: containers})
	return id
}

// beat is a heartbeat of a node with these containers.
func (r tracking) beat(id ids.Node, response int32, statuses ...*yarn.ContainerStatus) *yarn.NodeHeartbeatResponse {
	r.t.Helper()
	return r.hear(&yarn.NodeHeartbeatRequest{NodeStatus: &yarn.NodeStatus{NodeId: id.Proto(), ResponseId: response, ContainersStatuses: statuses}})
}

func (r tracking) hear(q *yarn.NodeHeartbeatRequest) *yarn.NodeHeartbeatResponse {
	r.t.Helper()
	a, err := rpctest.Ask[*yarn.NodeHeartbeatResponse](r.peer, r.of, q)
	if err != nil {
		r.t.Fatal(err)
	}
	r.Settle()
	return a
}

// nodes are the known nodes, HOST:PORT STATE.
func (r tracking) nodes() (all []string) {
	r.t.Helper()
	l, err := rpctest.Ask[nodeList](r.scheduler, r.of, requestNodes{})
	if err != nil {
		r.t.Fatal(err)
	}
	for _, n := range l.reports {
		id, _ := ids.NodeFrom(n.GetNodeId())
		all = append(all, id.String()+" "+n.GetNodeState().String()[len("NS_"):])
	}
	return all
}

// ms lets milliseconds pass.
func (r *rig) ms(n int) { r.Advance(time.Duration(n) * time.Millisecond) }
