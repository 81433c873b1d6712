package driver_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// words has one shuffle: two map tasks, then two result tasks.
var words = rdd.Define("driver-test-words", func(text []string) rdd.Dataset[rdd.Pair[string, int64]] {
	lines := rdd.FlatMap(rdd.Parallelize(text, 2), strings.FieldsSeq)
	ones := rdd.Map(lines, func(w string) rdd.Pair[string, int64] { return rdd.PairOf(w, int64(1)) })
	return rdd.ReduceByKey(ones, func(a, b int64) int64 { return a + b }, 2)
})

// numbers has one stage of three tasks.
var numbers = rdd.Define("driver-test-numbers", func(to int64) rdd.Dataset[int64] { return rdd.Range(0, to, 3) })

// rig is a driver in a World, probes that act as its executors, and a probe that acts as its Master.
type rig struct {
	*rpctest.World
	t      *testing.T
	driver *driver.Driver
	env    *rpcenv.Env
	master *rpctest.Probe
	events *rpctest.Probe // what the listener heard

	description *deploy.ApplicationDescription
	killed      []string // executors, at the application's wish
}

func newRig(t *testing.T, settings map[string]string) *rig {
	t.Helper()
	return newSeededRig(t, 1, settings)
}

func newSeededRig(t *testing.T, seed uint64, settings map[string]string) *rig {
	t.Helper()
	return newRigOver(t, seed, settings, nil)
}

// newRigOver makes a rig whose driver splits files of fs.
func newRigOver(t *testing.T, seed uint64, settings map[string]string, fs rdd.FS) *rig {
	t.Helper()
	c, err := conf.New(settings)
	if err != nil {
		t.Fatal(err)
	}
	w := rpctest.New(t, seed)
	w.NoPanic()
	r := &rig{World: w, t: t, master: w.Probe("Master"), env: w.Env("Driver", c)}
	r.events = w.ProbeIn(r.env, "Listener")
	r.driver, err = driver.Start(r.env, driver.Config{
		AppName: "test", Masters: []rpcenv.Address{r.master.Ref.Address}, Listener: r.events.Ref, FS: fs,
	})
	if err != nil {
		t.Fatal(err)
	}
	r.takeApplication()
	return r
}

func (r *rig) at(endpoint string) rpcenv.Ref { return r.env.Ref(r.env.Address(), endpoint) }

// executor is a probe in client mode that acts as an executor.
type executor struct {
	*rpctest.Probe
	r  *rig
	id string
}

// newExecutor makes an executor that has not registered.
func (r *rig) newExecutor(id string) *executor {
	r.t.Helper()
	return &executor{r.ProbeIn(r.ClientEnv("Exec"+id, nil), "Executor"), r, id}
}

// launched makes an executor that is registered and takes tasks.
func (r *rig) launched(id string, cores int) *executor {
	r.t.Helper()
	e := r.newExecutor(id)
	if err := e.register(cores); err != nil {
		r.t.Fatal(err)
	}
	e.Send(r.at(driver.Name), &app.LaunchedExecutor{ExecutorId: id})
	return e
}

func (e *executor) register(cores int) error {
	q := &app.RegisterExecutor{
		ExecutorId: e.id, ExecutorRef: &rpc.EndpointRef{Name: "Executor"}, Hostname: "host" + e.id, Cores: int32(cores),
	}
	_, err := rpctest.Ask[*rpc.Bool](e.Probe, e.r.at(driver.Name), q)
	return err
}

// task is the next message, which must be a task.
func (e *executor) task() *app.TaskDescription {
	e.r.t.Helper()
	switch m := e.Next().(type) {
	case *app.LaunchTask:
		return m.GetData()
	default:
		e.r.t.Fatalf("executor %s got %T, want a task", e.id, m)
		return nil
	}
}

func (e *executor) update(t *app.TaskDescription, state app.TaskState, res *app.TaskResult, f *app.TaskFailure) {
	e.r.t.Helper()
	id := t.GetTaskId()
	e.Send(e.r.at(driver.Name), &app.StatusUpdate{
		ExecutorId: e.id, TaskId: &id, State: state, TaskCpus: 1, Result: res, Failure: f,
	})
}

// finish ends a task well: a map task with an output here, a result task with its partition's number as its count.
func (e *executor) finish(t *app.TaskDescription) {
	e.r.t.Helper()
	res := &app.TaskResult{Count: int64(t.GetPartitionId())}
	if t.ShuffleId != nil {
		res = &app.TaskResult{MapStatus: &storage.MapStatus{Location: e.blockManager(), Sizes: []int64{1, 1}, MapId: t.GetTaskId()}}
	}
	e.update(t, app.TaskState_FINISHED, res, nil)
}

func (e *executor) fail(t *app.TaskDescription, why string) {
	e.r.t.Helper()
	e.update(t, app.TaskState_FAILED, nil, &app.TaskFailure{Kind: "ExceptionFailure", Message: why})
}

func (e *executor) blockManager() *storage.BlockManagerId {
	return &storage.BlockManagerId{ExecutorId: e.id, Host: "host" + e.id, Port: 7000}
}

// work makes the executor finish each task that it gets from now on.
func (e *executor) work() {
	e.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		l, ok := m.(*app.LaunchTask)
		if !ok {
			return false
		}
		t := l.GetData()
		id := t.GetTaskId()
		res := &app.TaskResult{Count: int64(t.GetPartitionId())}
		if t.ShuffleId != nil {
			res = &app.TaskResult{MapStatus: &storage.MapStatus{Location: e.blockManager(), Sizes: []int64{1, 1}}}
		}
		c.Send(e.r.at(driver.Name), &app.StatusUpdate{ExecutorId: e.id, TaskId: &id, State: app.TaskState_FINISHED, Result: res})
		return true
	})
}

// crash ends the executor's Env as kill -9 does.
func (e *executor) crash() { e.r.Find("Exec" + e.id).Kill() }

// job is a job that runs.
type job struct {
	r       *rig
	done    bool
	results []rdd.Result
	err     error
}

// run starts a job.
func run[T any](r *rig, b rdd.Bound[T]) *job {
	r.t.Helper()
	inv, err := b.Invocation()
	if err != nil {
		r.t.Fatal(err)
	}
	j := &job{r: r}
	r.env.Go("program", func(b *rpcenv.Blocking) error {
		j.results, j.err = r.driver.RunJob(b, inv, rdd.ActionCount)
		j.done = true
		return nil
	})
	return j
}

// counts waits for the job and gives its results.
func (j *job) counts() []int64 {
	j.r.t.Helper()
	j.r.Until("the job's end", func() bool { return j.done })
	if j.err != nil {
		j.r.t.Fatal(j.err)
	}
	var out []int64
	for _, res := range j.results {
		out = append(out, res.Count)
	}
	return out
}

// failure waits for the job's failure.
func (j *job) failure() error {
	j.r.t.Helper()
	j.r.Until("the job's end", func() bool { return j.done })
	if j.err == nil {
		j.r.t.Fatal("the job succeeded")
	}
	return j.err
}

// heard reports whether the listener heard of something whose text begins so.
func (r *rig) heard(prefix string) bool {
	return slices.ContainsFunc(r.events.Waiting(), func(m rpcenv.Message) bool {
		return strings.HasPrefix(strings.TrimPrefix(fmt.Sprintf("%T%+v", m, m), "event."), prefix)
	})
}

// heardPart reports whether the listener heard of something that contains part.
func (r *rig) heardPart(part string) bool {
	return slices.ContainsFunc(r.events.Waiting(), func(m rpcenv.Message) bool {
		return strings.Contains(fmt.Sprintf("%+v", m), part)
	})
}

// count is how many messages of a type the listener got.
func (r *rig) count(name string) int {
	n := 0
	for _, m := range r.events.Waiting() {
		if fmt.Sprintf("%T", m) == "event."+name {
			n++
		}
	}
	return n
}

// stop ends the driver in good order.
func (r *rig) stop() {
	r.t.Helper()
	var err error
	done := false
	r.env.Go("stop", func(b *rpcenv.Blocking) error {
		err = r.driver.Stop(b)
		done = true
		return nil
	})
	r.Until("the driver's stop", func() bool { return done })
	if err != nil {
		r.t.Error(err)
	}
}

// failFetches makes an executor finish map tasks and fail to fetch in all others.
func failFetches(e *executor) func(*rpcenv.Context, rpcenv.Message) bool {
	return func(c *rpcenv.Context, m rpcenv.Message) bool {
		l, ok := m.(*app.LaunchTask)
		if !ok {
			return false
		}
		id := l.GetData().GetTaskId()
		u := &app.StatusUpdate{ExecutorId: e.id, TaskId: &id, State: app.TaskState_FINISHED}
		if l.GetData().ShuffleId != nil {
			u.Result = &app.TaskResult{MapStatus: &storage.MapStatus{Location: e.blockManager(), Sizes: []int64{1, 1}}}
		} else {
			u.State = app.TaskState_FAILED
			u.Failure = &app.TaskFailure{Kind: "FetchFailed", MapIndex: 0, BlockManager: e.blockManager(), Message: "gone"}
		}
		c.Send(e.r.at(driver.Name), u)
		return true
	}
}
