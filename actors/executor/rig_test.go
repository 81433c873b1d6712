package executor_test

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/sim"
	"github.com/coherer/coherer/rpcenv/trace"
)

// rig is an executor's process in a simulated world, and a driver that the test plays.
type rig struct {
	*rpctest.World
	t         *testing.T
	driver    *rpctest.Probe // CoarseGrainedScheduler
	tracker   *rpctest.Probe
	heartbeat *rpctest.Probe
	manager   *rpctest.Probe // BlockManagerMaster
	commits   *rpctest.Probe // OutputCommitCoordinator
	exec      *sim.Host
	env       *rpcenv.Env // the executor's
	settings  []*app.Property
	blocks    store
	ref       rpcenv.Ref // the executor's, as the driver knows it

	refuse   error                // what RegisterExecutor fails with
	outputs  []*storage.MapStatus // what the tracker answers
	epoch    int64                // of that answer
	lost     error                // what the tracker fails with
	hold     bool                 // the tracker keeps its question
	held     rpcenv.Call[*storage.MapOutputStatuses]
	reregist bool     // what a heartbeat is answered
	given    bool     // up: the driver refuses the block manager's re-registration
	silent   bool     // heartbeats are not answered
	managers int      // registrations of the block manager
	heard    []string // what the driver's endpoints got: endpoint and message
}

// newRig starts the executor and lets it register.
func newRig(t *testing.T) *rig {
	t.Helper()
	r := startRig(t, nil)
	r.expect(&app.LaunchedExecutor{})
	return r
}

// startRig only starts it; refuse is what its registration fails with.
func startRig(t *testing.T, refuse error, settings ...*app.Property) *rig {
	t.Helper()
	return bootRig(t, refuse, func(*rig, *executor.Boot) {}, settings...)
}

// bootRig is startRig for a process that differs from the usual one.
func bootRig(t *testing.T, refuse error, change func(*rig, *executor.Boot), settings ...*app.Property) *rig {
	t.Helper()
	r := &rig{World: rpctest.New(t, 1), t: t, refuse: refuse, settings: settings, blocks: store{own: map[string][]byte{}, others: map[int]map[string][]byte{}}}
	r.NoPanic()
	env := r.Env("Driver", nil)
	r.driver = r.ProbeIn(env, "CoarseGrainedScheduler")
	r.driver.On(r.answer)
	r.tracker = r.ProbeIn(env, "MapOutputTracker")
	r.tracker.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		r.hear("MapOutputTracker", m)
		if q, ok := m.(*storage.GetMapOutputStatuses); ok {
			if r.hold {
				r.held = rpcenv.Defer(c, q)
			} else if r.lost != nil {
				rpcenv.Fail(c, q, r.lost)
			} else {
				rpcenv.Reply(c, q, &storage.MapOutputStatuses{Statuses: r.outputs, Epoch: r.epoch})
			}
		}
		return false
	})
	r.heartbeat = r.ProbeIn(env, "HeartbeatReceiver")
	r.heartbeat.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		r.hear("HeartbeatReceiver", m)
		if q, ok := m.(*app.Heartbeat); ok && !r.silent {
			rpcenv.Reply(c, q, &app.HeartbeatResponse{ReregisterBlockManager: &r.reregist})
		} else if ok {
			rpcenv.Defer(c, q)
		}
		return false
	})
	r.manager = r.ProbeIn(env, "BlockManagerMaster")
	r.manager.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		r.hear("BlockManagerMaster", m)
		if q, ok := m.(*storage.RegisterBlockManager); ok {
			r.managers++
			id := q.GetBlockManagerId()
			if r.given && q.GetIsReRegister() {
				id = &storage.BlockManagerId{ExecutorId: "invalid", Host: id.GetHost(), Port: id.GetPort()}
			}
			rpcenv.Reply(c, q, &storage.BlockManagerRegistered{BlockManagerId: id})
		}
		return true
	})
	r.ProbeIn(env, "BlockManagerMasterHeartbeat")
	r.commits = r.ProbeIn(env, "OutputCommitCoordinator")
	r.exec = r.Host("Exec0", "10.0.0.2")
	boot := executor.Boot{
		Args: executor.Args{DriverURL: r.driver.Ref.String(), ExecutorID: "0", Hostname: "10.0.0.2", Cores: 2, AppID: "app"},
		IO:   executor.IO{FS: rdd.MemFS{}, Blocks: &r.blocks, Transfer: &r.blocks},
		Made: func(env *rpcenv.Env) error { r.env = env; return nil },
	}
	change(r, &boot)
	if err := boot.Run(r.exec); err != nil {
		t.Fatal(err)
	}
	return r
}

// hear notes what an endpoint of the driver got.
func (r *rig) hear(endpoint string, m rpcenv.Message) {
	r.heard = append(r.heard, endpoint+" "+textOf(m))
}

// textOf is a message in one line, its fields in order.
func textOf(m rpcenv.Message) string {
	p := m.(proto.Message)
	text := prototext.MarshalOptions{}.Format(p)
	return string(p.ProtoReflect().Descriptor().Name()) + "{" + strings.Join(strings.Fields(text), " ") + "}"
}

// wantStates wants the changes of state of the executor's process in the trace, all that there were.
func (r *rig) wantStates(want ...string) {
	r.t.Helper()
	r.Settle()
	var got []string
	for _, e := range r.Trace().Entries {
		if e.K == trace.KindState && strings.HasPrefix(e.At, "Exec0") {
			got = append(got, fmt.Sprintf("%s %s: %s > %s, %s", e.Name, e.Subject, e.Was, e.Is, e.Why))
		}
	}
	if !slices.Equal(got, want) {
		r.t.Errorf("the states are\n%q\nwant\n%q", got, want)
	}
}

// wantHeard wants what the driver's endpoints got since the last time, line by line.
func (r *rig) wantHeard(want ...string) {
	r.t.Helper()
	if !slices.Equal(r.heard, want) {
		r.t.Errorf("the driver heard\n%s\nwant\n%s", strings.Join(r.heard, "\n"), strings.Join(want, "\n"))
	}
	r.heard = nil
}

// answer answers what a driver is asked.
func (r *rig) answer(c *rpcenv.Context, m rpcenv.Message) bool {
	r.hear("CoarseGrainedScheduler", m)
	switch m := m.(type) {
	case *app.RetrieveSparkAppConfig:
		maxFailures := &app.Property{Key: "spark.executor.heartbeat.maxFailures", Value: "3"}
		rpcenv.Reply(c, m, &app.SparkAppConfig{SparkProperties: append(r.settings, maxFailures)})
	case *app.RegisterExecutor:
		r.ref = c.Ref(m.GetExecutorRef())
		if r.refuse != nil {
			rpcenv.Fail(c, m, r.refuse)
			return true
		}
		rpcenv.Reply(c, m, &rpc.Bool{Value: true})
	default:
		return false
	}
	return true
}

// expect is the next message at the driver, which has to be of the type of want.
func (r *rig) expect(want rpcenv.Message) rpcenv.Message {
	r.t.Helper()
	got := r.driver.Next()
	if g, w := typeOf(got), typeOf(want); g != w {
		r.t.Fatalf("the driver got %s, want %s: %v", g, w, got)
	}
	return got
}

func typeOf(m rpcenv.Message) string {
	return string(m.(proto.Message).ProtoReflect().Descriptor().FullName())
}

// launch sends a task and takes its RUNNING report.
func (r *rig) launch(d *app.TaskDescription) {
	r.t.Helper()
	d.ExecutorId = "0"
	r.driver.Send(r.ref, &app.LaunchTask{Data: d})
	if u := r.expect(&app.StatusUpdate{}).(*app.StatusUpdate); u.GetState() != app.TaskState_RUNNING {
		r.t.Fatal("the first report is", u)
	}
}

// end is the report of a task's end.
func (r *rig) end() *app.StatusUpdate {
	r.t.Helper()
	return r.expect(&app.StatusUpdate{}).(*app.StatusUpdate)
}

// exited runs the world until the executor has ended, and gives its exit code.
func (r *rig) exited() int {
	r.t.Helper()
	r.Until("the executor's end", func() bool { _, ended := r.exec.Exited(); return ended })
	code, _ := r.exec.Exited()
	return code
}

type none struct{}

var (
	squares = rdd.Define("executor test: squares", func(none) rdd.Dataset[int64] {
		return rdd.Map(rdd.Range(0, 10, 2), func(n int64) int64 { return n * n })
	})
	panics = rdd.Define("executor test: panics", func(none) rdd.Dataset[int64] {
		return rdd.Map(rdd.Range(0, 1, 1), func(int64) int64 { panic("no such number") })
	})
	panicsMapping = rdd.Define("executor test: panics mapping", func(none) rdd.Dataset[rdd.Pair[int64, int64]] {
		pairs := rdd.Map(rdd.Range(0, 1, 1), func(int64) rdd.Pair[int64, int64] { panic("no such number") })
		return rdd.ReduceByKey(pairs, func(a, b int64) int64 { return a + b }, 1)
	})
	large = rdd.Define("executor test: large", func(bytes int) rdd.Dataset[string] {
		return rdd.Map(rdd.Range(0, 1, 1), func(int64) string { return strings.Repeat("x", bytes) })
	})
	sleeps = rdd.Define("executor test: sleeps", func(none) rdd.Dataset[int64] {
		return rdd.Sleep(rdd.Range(0, 1, 1), func(int64) time.Duration { return time.Hour })
	})
	parities = rdd.Define("executor test: parities", func(none) rdd.Dataset[rdd.Pair[int64, int64]] {
		pairs := rdd.FlatMap(rdd.Range(0, 10, 2), func(n int64) iter.Seq[rdd.Pair[int64, int64]] {
			return slices.Values([]rdd.Pair[int64, int64]{rdd.PairOf(n%2, int64(1))})
		})
		return rdd.ReduceByKey(pairs, func(a, b int64) int64 { return a + b }, 1)
	})
)

// task describes a task of a bound job as the driver does.
func task[T any](t *testing.T, b rdd.Bound[T], id int64) *app.TaskDescription {
	t.Helper()
	inv, err := b.Invocation()
	if err != nil {
		t.Fatal(err)
	}
	return &app.TaskDescription{
		TaskId: id, Name: "task", Job: inv.Name, JobArgs: inv.Args, JobDigest: inv.Lineage.Digest(),
		Node: int32(inv.Lineage.Last()), Action: string(rdd.ActionCollect), Cpus: 1,
	}
}
