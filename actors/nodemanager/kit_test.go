package nodemanager

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/sirupsen/logrus/hooks/test"

	"github.com/coherer/coherer/actors/hadoop/token"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/sim"
)

// rmIdentifier is the ResourceManager's start.
const rmIdentifier = 1767225600000

var (
	app1 = ids.Application{Timestamp: rmIdentifier, ID: 1}
	key1 = &yarn.MasterKey{KeyId: 1, Bytes: []byte("containers of RM")}
	key2 = &yarn.MasterKey{KeyId: 7, Bytes: []byte("nodes of RM")}
)

func containerID(app ids.Application, seq int64) ids.Container {
	return ids.Container{Attempt: ids.Attempt{App: app, Attempt: 1}, Seq: seq}
}

// kit is a World with a NodeManager, a ResourceManager that the test plays, and an ApplicationMaster.
type kit struct {
	t    *testing.T
	w    *rpctest.World
	rm   *rpctest.Probe
	am   *rpctest.Probe
	env  *rpcenv.Env // the NodeManager's
	host *sim.Host
	nm   rpcenv.Ref

	registrations []*yarn.RegisterNodeManagerRequest
	beats         []*yarn.NodeHeartbeatRequest
	farewells     int
	period        time.Duration                     // of heartbeats, as the ResourceManager wants it
	deaf          bool                              // heartbeats are not answered
	unknown       bool                              // the node is to register again
	answer        func(*yarn.NodeHeartbeatResponse) // what the next answer says beside
	began         []time.Time                       // of heartbeats
	started       []rpcenv.Command
	children      []*sim.Host
	said          *test.Hook // the NodeManager's log
}

func newKit(t *testing.T) *kit { return newSeededKit(t, 1) }

func newSeededKit(t *testing.T, seed uint64) *kit { return newKitIn(t, rpctest.New(t, seed)) }

func newKitIn(t *testing.T, w *rpctest.World) *kit {
	k := &kit{t: t, w: w, period: time.Second}
	k.w.NoPanic()
	k.rm = k.w.ProbeIn(k.w.Env("RM", nil), ids.ResourceTracker)
	k.rm.On(k.playRM)
	k.am = k.w.Probe("AM")
	k.w.Roles[ContainerClass] = func(h *sim.Host, cmd rpcenv.Command) error {
		k.started = append(k.started, cmd)
		k.children = append(k.children, h)
		return nil
	}
	return k
}

func (k *kit) playRM(c *rpcenv.Context, m rpcenv.Message) bool {
	switch m := m.(type) {
	case *yarn.RegisterNodeManagerRequest:
		k.registrations = append(k.registrations, m)
		k.unknown = false
		rpcenv.Reply(c, m, &yarn.RegisterNodeManagerResponse{ContainerTokenMasterKey: key1, NmTokenMasterKey: key2, RmIdentifier: rmIdentifier})
	case *yarn.NodeHeartbeatRequest:
		k.beats = append(k.beats, m)
		k.began = append(k.began, c.Now())
		switch r := (&yarn.NodeHeartbeatResponse{ResponseId: m.GetNodeStatus().GetResponseId() + 1, NextHeartBeatInterval: k.period.Milliseconds()}); {
		case k.deaf:
			rpcenv.Fail(c, m, fmt.Errorf("deaf"))
		case k.unknown:
			rpcenv.Reply(c, m, &yarn.NodeHeartbeatResponse{NodeAction: yarn.NodeAction_RESYNC, DiagnosticsMessage: "unknown"})
		default:
			if k.answer != nil {
				k.answer(r)
				k.answer = nil
			}
			rpcenv.Reply(c, m, r)
		}
	case *yarn.UnRegisterNodeManagerRequest:
		k.farewells++
		if id := m.GetNodeId(); id.GetHost() != k.env.Address().Host || id.GetPort() != 7077 {
			k.t.Errorf("%v says good-bye", id)
		}
		rpcenv.Reply(c, m, &yarn.UnRegisterNodeManagerResponse{})
	default:
		return false
	}
	return true
}

// start starts the NodeManager.
func (k *kit) start(cfg Config, settings map[string]string) {
	k.t.Helper()
	c, err := conf.New(settings)
	if err != nil {
		k.t.Fatal(err)
	}
	k.boot(New(k.whole(cfg)), c)
}

// whole is a Config with all that a NodeManager must have.
func (k *kit) whole(cfg Config) Config {
	if cfg.MemoryMB == 0 {
		cfg.MemoryMB, cfg.VCores = 4096, 4
	}
	if cfg.ResourceManager.IsZero() {
		cfg.ResourceManager = k.rm.Env.Address()
	}
	return cfg
}

// boot starts a NodeManager on a machine of its own.
func (k *kit) boot(n rpcenv.Endpoint, c *conf.Conf) {
	k.t.Helper()
	k.begin(c)
	k.nm = k.w.Register(k.env, Name, n)
}

// begin begins its process. No machine of an application, a container or a resource may get an event that it has no place for: nobody
// but a test sends it one.
func (k *kit) begin(c *conf.Conf) {
	k.t.Helper()
	k.env = k.w.Env("NM1", c)
	k.host, k.said = k.w.Find("NM1"), test.NewLocal(k.env.Log().Logger)
	k.t.Cleanup(func() {
		k.t.Helper()
		for _, line := range k.lines("Can't handle this event") {
			k.t.Error(line)
		}
	})
}

// lines are those of the NodeManager's log that have a text in them, with their levels and errors.
func (k *kit) lines(with string) (out []string) {
	for _, e := range k.said.AllEntries() {
		if !strings.Contains(e.Message, with) {
			continue
		}
		line := e.Level.String() + " " + e.Message
		if err, ok := e.Data[logrus.ErrorKey]; ok {
			line += fmt.Sprintf(": %v", err)
		}
		out = append(out, line)
	}
	return out
}

// why is the reason for which the NodeManager's process ended, with its code.
func (k *kit) why() string {
	k.t.Helper()
	k.w.Until("the end", func() bool { _, ended := k.host.Exited(); return ended })
	return k.said.LastEntry().Message
}

// startAs starts a NodeManager that the test looks into, and waits for its first heartbeat.
func (k *kit) startAs(n *ContainerManager, settings map[string]string) {
	k.t.Helper()
	c, err := conf.New(settings)
	if err != nil {
		k.t.Fatal(err)
	}
	k.boot(n, c)
	k.w.Until("a heartbeat", func() bool { return len(k.beats) > 0 })
	k.w.Settle()
}

// join starts the NodeManager and waits for its first heartbeat.
func (k *kit) join(cfg Config, settings map[string]string) {
	k.t.Helper()
	k.start(cfg, settings)
	k.w.Until("a heartbeat", func() bool { return len(k.beats) > 0 })
	k.w.Settle()
}

// nmToken lets an application's attempt speak.
func (k *kit) nmToken(app ids.Application) *yarn.Token {
	k.t.Helper()
	a := k.env.Address()
	t, err := token.Make(token.NM, a.String(), key2, &yarn.NMTokenIdentifier{
		AppAttemptId: ids.Attempt{App: app, Attempt: 1}.Proto(), NodeId: &yarn.NodeId{Host: a.Host, Port: int32(a.Port)}, KeyId: key2.GetKeyId(),
	})
	if err != nil {
		k.t.Fatal(err)
	}
	return t
}

// identifier is what the token of a container of 1024 MiB and one core says.
func (k *kit) identifier(id ids.Container) *yarn.ContainerTokenIdentifier {
	return &yarn.ContainerTokenIdentifier{
		ContainerId: id.Proto(), NmHostAddr: k.env.Address().String(), AppSubmitter: "ann", Resource: &yarn.Resource{Memory: 1024, VirtualCores: 1},
		ExpiryTimeStamp: k.w.Now().Add(10 * time.Minute).UnixMilli(), MasterKeyId: key1.GetKeyId(), RmIdentifier: rmIdentifier, Priority: &yarn.Priority{Priority: 3}, CreationTime: 77,
	}
}

func (k *kit) entry(t *yarn.ContainerTokenIdentifier, l *yarn.ContainerLaunchContext) *yarn.StartContainerRequest {
	k.t.Helper()
	signed, err := token.Make(token.Container, t.GetNmHostAddr(), key1, t)
	if err != nil {
		k.t.Fatal(err)
	}
	if l == nil {
		l = &yarn.ContainerLaunchContext{Command: []string{"{{PWD}}/prog", "--id", t.GetContainerId().String()}}
	}
	return &yarn.StartContainerRequest{ContainerToken: signed, ContainerLaunchContext: l}
}

func (k *kit) ask(entries ...*yarn.StartContainerRequest) *yarn.StartContainersResponse {
	k.t.Helper()
	r, err := rpctest.Ask[*yarn.StartContainersResponse](k.am, k.nm, &yarn.StartContainersRequest{StartContainerRequest: entries, NmToken: k.nmToken(app1)})
	if err != nil {
		k.t.Fatal(err)
	}
	return r
}

// run starts a container and fails the test if it is not accepted.
func (k *kit) run(seq int64, l *yarn.ContainerLaunchContext) ids.Container {
	k.t.Helper()
	id := containerID(app1, seq)
	if r := k.ask(k.entry(k.identifier(id), l)); len(r.GetFailedRequests()) > 0 {
		k.t.Fatalf("%s: %v", id, r.GetFailedRequests())
	}
	return id
}

// running starts a container and waits for its process.
func (k *kit) running(seq int64, l *yarn.ContainerLaunchContext) ids.Container {
	k.t.Helper()
	n := len(k.started)
	id := k.run(seq, l)
	k.w.Until("a process", func() bool { return len(k.started) > n })
	return id
}

// status is what getContainerStatuses says of a container, as text.
func (k *kit) status(id ids.Container) string {
	k.t.Helper()
	r, err := rpctest.Ask[*yarn.GetContainerStatusesResponse](k.am, k.nm,
		&yarn.GetContainerStatusesRequest{ContainerId: []*yarn.ContainerId{id.Proto()}, NmToken: k.nmToken(app1)})
	if err != nil {
		k.t.Fatal(err)
	}
	if len(r.GetStatus()) == 0 {
		return r.GetFailedRequests()[0].GetException().GetMessage()
	}
	return text(r.GetStatus()[0])
}

func text(s *yarn.ContainerStatus) string {
	return strings.TrimSpace(fmt.Sprintf("%s %d %s", s.GetState(), s.GetExitStatus(), strings.ReplaceAll(s.GetDiagnostics(), "\n", "|")))
}

func (k *kit) stop(id ids.Container) *yarn.StopContainersResponse {
	k.t.Helper()
	r, err := rpctest.Ask[*yarn.StopContainersResponse](k.am, k.nm,
		&yarn.StopContainersRequest{ContainerId: []*yarn.ContainerId{id.Proto()}, NmToken: k.nmToken(app1)})
	if err != nil {
		k.t.Fatal(err)
	}
	return r
}

// reported waits for a heartbeat that reports a container in a state, and returns its status.
func (k *kit) reported(id ids.Container, state yarn.ContainerState) *yarn.ContainerStatus {
	k.t.Helper()
	var found *yarn.ContainerStatus
	k.w.Until("a heartbeat with "+id.String(), func() bool {
		for _, b := range k.beats {
			for _, s := range b.GetNodeStatus().GetContainersStatuses() {
				if got, err := ids.ContainerFrom(s.GetContainerId()); err == nil && got == id && s.GetState() == state {
					found = s
				}
			}
		}
		return found != nil
	})
	return found
}

// next waits for the next heartbeat, whose answer says more.
func (k *kit) next(say func(*yarn.NodeHeartbeatResponse)) {
	k.t.Helper()
	k.answer = say
	k.w.Until("a heartbeat", func() bool { return k.answer == nil })
	k.w.Settle()
}
