package worker

import (
	"fmt"
	"strings"
	"testing"
	"time"

	logtest "github.com/sirupsen/logrus/hooks/test"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/sim"
)

const appID = "app-20260101000000-0000"

var decommissionEnabled = map[string]string{"spark.decommission.enabled": "true"}

// kit is a World with a Worker and a Master that the test plays.
type kit struct {
	t       *testing.T
	w       *rpctest.World
	master  *rpctest.Probe
	masters []*rpctest.Probe // whose tries are counted
	env     *rpcenv.Env      // the Worker's
	host    *sim.Host
	worker  rpcenv.Ref
	made    *Worker
	said    *logtest.Hook // what the Worker logs
	beats   int
	heard   func(*deploy.Heartbeat) // nil: nobody
	// acknowledge is whether the Master answers ExecutorStateChanged.
	acknowledge bool
	reports     []*deploy.ExecutorStateChanged
	started     []rpcenv.Command
	children    []*sim.Host
}

// newKit makes the World, without the Worker.
func newKit(t *testing.T) *kit { return newSeededKit(t, 1) }

func newSeededKit(t *testing.T, seed uint64) *kit {
	k := &kit{t: t, w: rpctest.New(t, seed), acknowledge: true}
	k.w.NoPanic()
	k.master = k.w.ProbeIn(k.w.Env("M", nil), "Master")
	k.master.On(k.playMaster)
	k.w.Roles["Exec"] = func(h *sim.Host, cmd rpcenv.Command) error {
		k.started = append(k.started, cmd)
		k.children = append(k.children, h)
		return nil
	}
	return k
}

func (k *kit) playMaster(c *rpcenv.Context, m rpcenv.Message) bool {
	switch m := m.(type) {
	case *deploy.Heartbeat:
		k.beats++
		if k.heard != nil {
			k.heard(m)
		}
		return true
	case *deploy.ExecutorStateChanged:
		k.reports = append(k.reports, m)
		if k.acknowledge {
			rpcenv.Reply(c, m, &rpc.Bool{Value: true})
		} else {
			rpcenv.Defer(c, m)
		}
		return true
	}
	return false
}

func (k *kit) url() string { return k.master.Env.Address().SparkURL() }

// start starts the Worker.
func (k *kit) start(cfg Config, settings map[string]string) {
	k.t.Helper()
	c, err := conf.New(settings)
	if err != nil {
		k.t.Fatal(err)
	}
	if cfg.Cores == 0 {
		cfg.Cores, cfg.MemoryMB = 2, 2048
	}
	if cfg.Masters == nil && !cfg.Membership {
		cfg.Masters = []rpcenv.Address{k.master.Env.Address()}
	}
	k.env = k.w.Env("W1", c)
	k.host = k.w.Find("W1")
	k.said = logtest.NewLocal(k.env.Log().Logger)
	k.made = New(cfg)
	k.worker = k.w.Register(k.env, Name, k.made)
}

// lines are the log's lines that begin with a text.
func (k *kit) lines(prefix string) (out []string) {
	for _, e := range k.said.AllEntries() {
		if strings.HasPrefix(e.Message, prefix) {
			out = append(out, strings.ReplaceAll(e.Message, appID, "$app"))
		}
	}
	return out
}

// shutdown asks the Worker to shut down; the answer makes answered true.
func (k *kit) shutdown(answered *bool) {
	k.t.Helper()
	p := k.w.ProbeIn(k.env, "Node")
	p.Do(func(c *rpcenv.Context) {
		rpcenv.Ask(c, k.worker, Shutdown{}, func(r *rpc.Bool, err error) { *answered = r.GetValue() && err == nil })
	})
}

// accept answers a RegisterWorker, and gives the WorkerLatestState that follows.
func (k *kit) accept(duplicate bool) *deploy.WorkerLatestState {
	k.t.Helper()
	next[*deploy.RegisterWorker](k)
	k.master.Send(k.worker, k.registered(duplicate, 0))
	return next[*deploy.WorkerLatestState](k)
}

func (k *kit) registered(duplicate bool, term uint64) *deploy.RegisteredWorker {
	return &deploy.RegisteredWorker{
		Master: k.master.Ref.Proto(), MasterAddress: k.master.Env.Address().Proto(), Duplicate: &duplicate, MasterTerm: term,
	}
}

// join starts the Worker and accepts it.
func (k *kit) join(cfg Config, settings map[string]string) {
	k.t.Helper()
	k.start(cfg, settings)
	k.accept(false)
}

func (k *kit) launch(id int32) *deploy.LaunchExecutor {
	return &deploy.LaunchExecutor{
		MasterUrl: k.url(), AppId: appID, ExecId: &id, Cores: 1, Memory: 512,
		AppDesc: &deploy.ApplicationDescription{Name: "counts", Command: &deploy.Command{MainClass: "Exec"}},
	}
}

func (k *kit) kill(id int32) *deploy.KillExecutor {
	return &deploy.KillExecutor{MasterUrl: k.url(), AppId: appID, ExecId: &id}
}

// run launches an executor and waits until it is reported to run.
func (k *kit) run(id int32) {
	k.t.Helper()
	n := len(k.reports)
	k.master.Send(k.worker, k.launch(id))
	k.untilReports(n + 1)
	k.w.Settle()
}

func (k *kit) untilReports(n int) {
	k.t.Helper()
	k.w.Until("a report", func() bool { return len(k.reports) >= n })
}

// last is the last report as text.
func (k *kit) last() string { return text(k.reports[len(k.reports)-1]) }

func text(m *deploy.ExecutorStateChanged) string {
	s := m.GetState().String()
	if m.Message != nil {
		s += " " + strings.ReplaceAll(m.GetMessage(), appID, "$app")
	}
	if m.ExitStatus != nil {
		s += fmt.Sprintf(" status=%d", m.GetExitStatus())
	}
	return s
}

func (k *kit) state() *deploy.WorkerStateResponse {
	k.t.Helper()
	p := k.w.ProbeIn(k.env, "Probe")
	s, err := rpctest.Ask[*deploy.WorkerStateResponse](p, k.worker, &deploy.RequestWorkerState{})
	if err != nil {
		k.t.Fatal(err)
	}
	k.env.Stop("Probe")
	k.w.Settle()
	return s
}

// next is the Master's next message, which must be an M.
func next[M rpcenv.Message](k *kit) M {
	k.t.Helper()
	m := k.master.Next()
	got, ok := m.(M)
	if !ok {
		k.t.Fatalf("the Master got %T %v, want %T", m, m, got)
	}
	return got
}

// exited waits for the Worker's end and returns its code.
func (k *kit) exited(within time.Duration) int {
	k.t.Helper()
	ended := func() bool { _, yes := k.host.Exited(); return yes }
	if err := k.w.Run(ended, within); err != nil {
		k.t.Fatalf("the worker has not exited: %v", err)
	}
	code, _ := k.host.Exited()
	return code
}

// restartMaster makes a new Master at the address of the one that was killed.
func (k *kit) restartMaster() {
	k.t.Helper()
	a := k.master.Env.Address()
	env, err := rpcenv.New(k.w.Host("M", a.Host), rpcenv.Config{Name: "M", Listen: a})
	if err != nil {
		k.t.Fatal(err)
	}
	k.master = k.w.ProbeIn(env, "Master")
	k.master.On(k.playMaster)
}
