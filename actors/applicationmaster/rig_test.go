package applicationmaster_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/sirupsen/logrus/hooks/test"
	"go.uber.org/goleak"

	"github.com/coherer/coherer/actors/applicationmaster"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/trace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var attempt = ids.Attempt{App: ids.Application{Timestamp: 1767225600000, ID: 1}, Attempt: 1}

// call is an allocate that the ResourceManager got, and when.
type call struct {
	at time.Duration // since the first
	*yarn.AllocateRequest
}

// rig is an ApplicationMaster in a World whose ResourceManager, NodeManager and driver the test plays.
type rig struct {
	*rpctest.World
	t      *testing.T
	conf   *conf.Conf
	env    *rpcenv.Env // the ApplicationMaster's
	am     *applicationmaster.ApplicationMaster
	ref    rpcenv.Ref
	rm     *rpctest.Probe
	node   *rpctest.Probe
	driver *rpctest.Probe
	extra  []*yarn.StringStringMap // variables of executors

	began    time.Time
	calls    []call
	next     *yarn.AllocateResponse // what the next answer has
	fail     error                  // what the next calls fail with
	slow     []rpcenv.Call[*yarn.AllocateResponse]
	hold     bool                  // answers are kept in slow
	untold   *yarn.AllocateRequest // the one that is being handled, where a test does that
	response int32
	sequence int64      // of containers
	hosts    int        // of Envs in client mode
	said     *test.Hook // the log of an ApplicationMaster in client mode

	registrations []*yarn.RegisterApplicationMasterRequest
	finished      []*yarn.FinishApplicationMasterRequest
	stored        int // how many finishes are answered false before
	starts        []*yarn.StartContainersRequest
	refuse        bool // starts fail
	mute          bool // they are answered without a container
	lastID        int32
	removed       []*app.RemoveExecutor
	managers      []rpcenv.Ref
	others        []string // what else the driver got, by type
}

// newRig makes everything but the ApplicationMaster.
func newRig(t *testing.T, settings map[string]string) *rig {
	t.Helper()
	c, err := conf.New(settings)
	if err != nil {
		t.Fatal(err)
	}
	w := rpctest.New(t, 1)
	w.NoPanic()
	r := &rig{World: w, t: t, conf: c, next: &yarn.AllocateResponse{}}
	r.rm = w.Probe(applicationmaster.ServiceName)
	r.rm.On(r.playResourceManager)
	r.node = w.Probe(applicationmaster.NodeName)
	r.node.On(r.playNode)
	return r
}

func (r *rig) config() applicationmaster.Config {
	return applicationmaster.Config{
		Attempt: attempt, ResourceManager: r.rm.Env.Address(), Host: "node1", Environment: r.extra,
	}
}

// client starts an ApplicationMaster in client mode.
func client(t *testing.T, settings map[string]string) *rig {
	t.Helper()
	r := newRig(t, settings)
	r.driver = r.Probe(applicationmaster.SchedulerName)
	r.driver.On(r.playDriver)
	r.restart(attempt)
	return r
}

// restart starts an ApplicationMaster in client mode for an attempt, and waits until it has a driver.
func (r *rig) restart(a ids.Attempt) {
	r.t.Helper()
	n := len(r.managers)
	cfg := r.config()
	cfg.Attempt, cfg.Driver = a, r.driver.Env.Address()
	r.begin(r.clientEnv(fmt.Sprint("AM", a.Attempt)), cfg)
	r.Until("a registered ApplicationMaster", func() bool { return len(r.managers) > n && len(r.calls) > 0 })
}

// cluster starts one in cluster mode, without a driver yet.
func cluster(t *testing.T, settings map[string]string) *rig {
	t.Helper()
	r := newRig(t, settings)
	env := r.Env("A", r.conf)
	r.driver = r.ProbeIn(env, applicationmaster.SchedulerName)
	r.driver.On(r.playDriver)
	cfg := r.config()
	cfg.ClusterMode = true
	r.begin(env, cfg)
	return r
}

// clientEnv is an Env in client mode whose log the test reads.
func (r *rig) clientEnv(name string) *rpcenv.Env {
	r.t.Helper()
	r.hosts++
	env, err := rpcenv.New(r.Host(name, fmt.Sprint("10.7.0.", r.hosts)), rpcenv.Config{Name: name, Conf: r.conf, Log: r.logTo()})
	if err != nil {
		r.t.Fatal(err)
	}
	return env
}

func (r *rig) logTo() *logrus.Entry {
	log := logrus.New()
	log.SetOutput(r.t.Output())
	r.said = test.NewLocal(log)
	return logrus.NewEntry(log)
}

// lines are those of the ApplicationMaster's log that have one of these texts in them, with their levels; all without a text.
func (r *rig) lines(with ...string) string {
	var out strings.Builder
	for _, e := range r.said.AllEntries() {
		if len(with) == 0 || slices.ContainsFunc(with, func(s string) bool { return strings.Contains(e.Message, s) }) {
			fmt.Fprintf(&out, "%s %s\n", e.Level, e.Message)
		}
	}
	return out.String()
}

// states are what the trace says of the ApplicationMaster and its containers.
func (r *rig) states() string {
	var out strings.Builder
	for _, e := range r.Trace().Entries {
		if e.K == trace.KindState && strings.HasSuffix(e.At, "/"+applicationmaster.Name) {
			fmt.Fprintf(&out, "%s %s: %s -> %s %s\n", e.Name, e.Subject, e.Was, e.Is, e.Why)
		}
	}
	return out.String()
}

func (r *rig) begin(env *rpcenv.Env, cfg applicationmaster.Config) {
	r.t.Helper()
	am, err := applicationmaster.New(cfg)
	if err != nil {
		r.t.Fatal(err)
	}
	r.am, r.env, r.response = am, env, 0
	r.ref = r.Register(env, applicationmaster.Name, am)
}

func (r *rig) playResourceManager(c *rpcenv.Context, m rpcenv.Message) bool {
	switch q := m.(type) {
	case *yarn.RegisterApplicationMasterRequest:
		r.registrations = append(r.registrations, q)
		r.response = 0
		rpcenv.Reply(c, q, &yarn.RegisterApplicationMasterResponse{Queue: "root.default"})
	case *yarn.AllocateRequest:
		if r.began.IsZero() {
			r.began = c.Now()
		}
		r.calls = append(r.calls, call{c.Now().Sub(r.began), q})
		switch {
		case r.fail != nil:
			rpcenv.Fail(c, q, r.fail)
		case r.hold:
			r.slow = append(r.slow, rpcenv.Defer(c, q))
		default:
			rpcenv.Reply(c, q, r.answer())
		}
	case *yarn.FinishApplicationMasterRequest:
		r.finished = append(r.finished, q)
		rpcenv.Reply(c, q, &yarn.FinishApplicationMasterResponse{IsUnregistered: len(r.finished) > r.stored})
	default:
		return false
	}
	return true
}

// answer is the next answer to an allocate.
func (r *rig) answer() *yarn.AllocateResponse {
	out := r.next
	r.next = &yarn.AllocateResponse{}
	r.response++
	out.ResponseId = r.response
	if out.NumClusterNodes == 0 {
		out.NumClusterNodes = 3
	}
	return out
}

func (r *rig) playNode(c *rpcenv.Context, m rpcenv.Message) bool {
	q, ok := m.(*yarn.StartContainersRequest)
	if !ok {
		return false
	}
	r.starts = append(r.starts, q)
	id := ids.Container{Attempt: attempt, Seq: int64(len(r.starts))}.Proto()
	if r.mute {
		rpcenv.Reply(c, q, &yarn.StartContainersResponse{})
		return true
	}
	if r.refuse {
		rpcenv.Reply(c, q, &yarn.StartContainersResponse{FailedRequests: []*yarn.ContainerExceptionMap{{
			ContainerId: id, Exception: &yarn.SerializedException{ClassName: "InvalidAuxServiceException", Message: "spark_shuffle does not exist"},
		}}})
		return true
	}
	rpcenv.Reply(c, q, &yarn.StartContainersResponse{SucceededRequests: []*yarn.ContainerId{id}})
	return true
}

func (r *rig) playDriver(c *rpcenv.Context, m rpcenv.Message) bool {
	switch m := m.(type) {
	case *app.RetrieveLastAllocatedExecutorId:
		rpcenv.Reply(c, m, &app.LastAllocatedExecutorId{Id: r.lastID})
	case *app.RegisterClusterManager:
		r.managers = append(r.managers, c.Ref(m.GetAm()))
	case *app.RemoveExecutor:
		r.removed = append(r.removed, m)
	default:
		r.others = append(r.others, strings.TrimPrefix(fmt.Sprintf("%T", m), "*app."))
	}
	return true
}

// give puts n containers on the node into the next answer.
func (r *rig) give(n int) {
	at := r.node.Env.Address()
	for range n {
		r.sequence++
		r.next.AllocatedContainers = append(r.next.AllocatedContainers, &yarn.Container{
			Id:       ids.Container{Attempt: r.attempt(), Seq: r.sequence}.Proto(),
			NodeId:   &yarn.NodeId{Host: at.Host, Port: int32(at.Port)},
			Resource: &yarn.Resource{Memory: 2048, VirtualCores: 1}, Priority: &yarn.Priority{},
			ContainerToken: &yarn.Token{Kind: "ContainerToken"},
		})
	}
}

func (r *rig) attempt() ids.Attempt {
	q := r.untold
	if q == nil {
		q = r.calls[len(r.calls)-1].AllocateRequest
	}
	a, err := ids.AttemptFrom(q.GetApplicationAttemptId())
	if err != nil {
		r.t.Fatal(err)
	}
	return a
}

// end puts the end of a container into the next answer.
func (r *rig) end(sequence int64, status int32) {
	r.next.CompletedContainerStatuses = append(r.next.CompletedContainerStatuses, &yarn.ContainerStatus{
		ContainerId: ids.Container{Attempt: r.attempt(), Seq: sequence}.Proto(), State: yarn.ContainerState_C_COMPLETE,
		ExitStatus: status, Diagnostics: "a crash",
	})
}

// endNow has a container end, and waits until another is asked for in its place.
func (r *rig) endNow(sequence int64, status int32) {
	r.t.Helper()
	r.end(sequence, status)
	r.untilCalls(len(r.calls) + 2)
}

// run gives n containers and waits until their executors are started.
func (r *rig) run(n int) {
	r.t.Helper()
	want := len(r.starts) + n
	r.give(n)
	r.Until("executors", func() bool { return len(r.starts) == want })
	r.Advance(100 * time.Millisecond)
}

// request has the driver want n executors.
func (r *rig) request(n int32) bool {
	r.t.Helper()
	ok, err := rpctest.Ask[*rpc.Bool](r.driver, r.managers[len(r.managers)-1], &app.RequestExecutors{
		ResourceProfileToTotalExecs: []*deploy.ProfileTarget{{Profile: &deploy.ResourceProfile{}, Total: n}},
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return ok.GetValue()
}

func (r *rig) untilCalls(n int) {
	r.t.Helper()
	r.Until(fmt.Sprint(n, " calls"), func() bool { return len(r.calls) >= n })
}

// gaps are the times between calls, from the one of that number on, in ms.
func (r *rig) gaps(from int) string {
	var out []int64
	for i := from + 1; i < len(r.calls); i++ {
		out = append(out, (r.calls[i].at - r.calls[i-1].at).Round(10*time.Millisecond).Milliseconds())
	}
	return fmt.Sprint(out)
}

// last are the asks of the last call.
func (r *rig) last() string {
	var out []string
	for _, a := range r.calls[len(r.calls)-1].GetAsk() {
		out = append(out, fmt.Sprintf("%s:%d", a.GetResourceName(), a.GetNumContainers()))
	}
	return strings.Join(out, " ")
}

// exit is how the ApplicationMaster's process ended; -1 when it lives.
func (r *rig) exit() int {
	if code, ended := r.Exited(r.env.Name()); ended {
		return code
	}
	return -1
}

func (r *rig) untilExit() int {
	r.t.Helper()
	r.Until("the end of the ApplicationMaster", func() bool { return r.exit() >= 0 })
	return r.exit()
}
