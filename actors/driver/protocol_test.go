package driver_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/appclient"
	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/driver/allocation"
	"github.com/coherer/coherer/actors/driver/dag"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/actors/yarnclient"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/rpctest/script"
)

// The scripts are about a driver, its endpoints together: what they say to each other is left out. M speaks as the Master and takes
// what it is asked, AM and AM2 as ApplicationMasters, E0 to E3 as the executors 0 to 3.
func TestProtocol(t *testing.T) {
	script.RunAll(t, newTalk)
}

// talk is a World with a driver that a script starts.
type talk struct {
	*rpctest.World
	env      *rpcenv.Env // the driver's
	ref      rpcenv.Ref  // of CoarseGrainedScheduler
	driver   *driver.Driver
	listener *rpctest.Probe // gets the events of the driver
	client   *rpctest.Probe // stands in for the YarnClient of an application in client mode
	answers  []string       // to the listener, since they were printed
	kept     map[string]int // sizes of blocks that executors keep, by their ids
	jobs     int
	ended    []string // jobs, since they were printed
	files    *rdd.MemDisk
}

func newTalk(w *rpctest.World) script.Subject {
	w.NoPanic()
	k := &talk{World: w, kept: map[string]int{}, files: &rdd.MemDisk{}}
	m := w.ProbeIn(w.Env("M", nil), "Master")
	m.On(func(c *rpcenv.Context, q rpcenv.Message) bool {
		switch q := q.(type) {
		case *deploy.RegisterApplication:
			c.Send(rpcenv.Ref{Address: k.env.Address(), Name: appclient.Name}, &deploy.RegisteredApplication{AppId: "app-1", Master: m.Ref.Proto()})
		case *deploy.RequestExecutors:
			rpcenv.Reply(c, q, &rpc.Bool{Value: true})
		case *deploy.KillExecutors:
			rpcenv.Reply(c, q, &rpc.Bool{Value: true})
		}
		return false
	})
	for _, name := range []string{"AM", "AM2"} {
		w.ProbeIn(w.ClientEnv(name, nil), "YarnAM").On(func(c *rpcenv.Context, q rpcenv.Message) bool {
			switch q := q.(type) {
			case *app.RequestExecutors:
				rpcenv.Reply(c, q, &rpc.Bool{Value: true})
			case *app.KillExecutors:
				rpcenv.Reply(c, q, &rpc.Bool{Value: true})
			}
			return false
		})
	}
	for id := range 4 {
		w.ProbeIn(w.ClientEnv(fmt.Sprint("E", id), nil), "Executor")
	}
	k.env = w.Env("Driver", nil)
	k.ref, k.listener = k.env.Ref(k.env.Address(), driver.Name), w.ProbeIn(k.env, "Listener")
	return script.Subject{Ref: k.ref, Omit: script.Inner, State: k.state, Verbs: map[string]func(string) (string, error){
		"start": k.start, "executor": k.executor, "job": k.job, "jobs": k.printJobs, "ends": k.ends, "works": k.works, "kept": k.keep,
		"heard": k.heard, "asks": k.asks, "finish": k.finish, "yarn": k.yarn, "saves": k.saves, "files": k.printFiles,
	}}
}

// start makes the driver: yarn=ID on YARN in cluster mode, yarn in client mode, unheard without a listener.
func (k *talk) start(args string) (string, error) {
	cfg := driver.Config{
		AppName: "counts", Masters: []rpcenv.Address{k.Probes()[0].Ref.Address}, Listener: k.listener.Ref, Transfer: k, FS: k.files,
	}
	for word := range strings.FieldsSeq(args) {
		switch key, value, _ := strings.Cut(word, "="); key {
		case "yarn":
			cfg.YARN = &driver.YARN{AppID: value}
			if value == "" {
				k.client = k.ProbeIn(k.env, yarnclient.Name)
			}
		case "unheard":
			cfg.Listener = rpcenv.Ref{}
			k.NoDrops()
		default:
			return "", fmt.Errorf("start %s: want yarn, yarn=ID or unheard", args)
		}
	}
	var err error
	k.driver, err = driver.Start(k.env, cfg)
	return "", err
}

// state is the driver's books: the executors, of which all endpoints know the same, and with dynamic allocation how many are needed
// and asked for.
func (k *talk) state(string) string {
	var b strings.Builder
	views := k.driver.Views()
	for _, ids := range views {
		if !slices.Equal(ids, views[driver.Name]) {
			return fmt.Sprint("the books differ: ", views)
		}
	}
	if views != nil {
		fmt.Fprintln(&b, "executors", views[driver.Name])
	}
	if needed, target, ok := k.driver.Wants(); ok {
		fmt.Fprintf(&b, "needed %d target %d\n", needed, target)
	}
	return b.String()
}

// peer is the Probe in the process that begins args.
func (k *talk) peer(args string) (p *rpctest.Probe, rest string, err error) {
	name, rest, _ := strings.Cut(args, " ")
	for _, p := range k.Probes() {
		if p.Env.Name() == name {
			return p, rest, nil
		}
	}
	return nil, "", fmt.Errorf("no process is called %q", name)
}

// executor registers an executor of one core, which has launched then.
func (k *talk) executor(args string) (string, error) {
	p, fields, err := k.peer(args)
	if err != nil {
		return "", err
	}
	id := strings.TrimPrefix(p.Env.Name(), "E")
	q, err := script.Fill(&app.RegisterExecutor{
		ExecutorId: id, ExecutorRef: &rpc.EndpointRef{Name: "Executor"}, Hostname: "host" + id, Cores: 1,
	}, fields)
	if err != nil {
		return "", err
	}
	if _, err := rpctest.Ask[*rpc.Bool](p, k.ref, q); err != nil {
		return "", err
	}
	p.Send(k.ref, &app.LaunchedExecutor{ExecutorId: q.GetExecutorId()})
	return "", nil
}

// endOf is the report of a task that ended well: a map task has an output at its executor, another the number of its partition as
// its count. fields are those of a report that says otherwise.
func endOf(t *app.TaskDescription, fields string) (*app.StatusUpdate, error) {
	at := &storage.BlockManagerId{ExecutorId: t.GetExecutorId(), Host: "host" + t.GetExecutorId(), Port: 7000}
	res := &app.TaskResult{Count: int64(t.GetPartitionId())}
	if t.ShuffleId != nil {
		res = &app.TaskResult{MapStatus: &storage.MapStatus{Location: at, Sizes: []int64{1, 1}, MapId: t.GetTaskId()}}
	}
	u, err := script.Fill(&app.StatusUpdate{
		ExecutorId: t.GetExecutorId(), TaskId: new(t.GetTaskId()), State: app.TaskState_FINISHED, TaskCpus: 1, Result: res,
	}, fields)
	if u.GetState() != app.TaskState_FINISHED {
		u.Result = nil
	}
	return u, err
}

// ends makes the executor that was given a task report its end: the task's number, and fields of a StatusUpdate if it did not end well.
func (k *talk) ends(args string) (string, error) {
	tid, fields, _ := strings.Cut(args, " ")
	for _, p := range k.Probes() {
		for _, m := range p.Waiting() {
			if l, ok := m.(*app.LaunchTask); ok && !p.Crashed() && fmt.Sprint(l.GetData().GetTaskId()) == tid {
				u, err := endOf(l.GetData(), fields)
				p.Send(k.ref, u)
				return "", err
			}
		}
	}
	return "", fmt.Errorf("no executor that runs was given task %s", tid)
}

// works makes an executor end its tasks well from now on. Fields of a StatusUpdate are for tasks that write no shuffle.
func (k *talk) works(args string) (string, error) {
	p, fields, err := k.peer(args)
	if err != nil {
		return "", err
	}
	p.On(func(c *rpcenv.Context, q rpcenv.Message) bool {
		l, ok := q.(*app.LaunchTask)
		if !ok {
			return false
		}
		of := fields
		if l.GetData().ShuffleId != nil {
			of = ""
		}
		u, err := endOf(l.GetData(), of)
		if err != nil {
			panic(err)
		}
		c.Send(k.ref, u)
		return false
	})
	return "", nil
}

// finish ends the driver, with an exit code or without.
func (k *talk) finish(code string) (string, error) {
	k.env.Go("stop", func(b *rpcenv.Blocking) error {
		n, _ := strconv.Atoi(code)
		if err := k.driver.StopWith(b, n); err != nil {
			k.ended = append(k.ended, "the driver's stop failed: "+err.Error())
		}
		return nil
	})
	k.Settle()
	return "", nil
}

// heard prints the answers that the listener got since, and what it heard: all, or the events of some types.
func (k *talk) heard(types string) (string, error) {
	own := k.answers
	k.answers = nil
	return script.Heard(k.listener, types, own...), nil
}

// asks lets the listener ask the Scheduler: kill ID ..., decommission ID ..., total N, stop, leave; or DAGScheduler: cancel JOB.
func (k *talk) asks(args string) (string, error) {
	words := strings.Fields(args)
	to := k.ref
	var q rpcenv.Message
	switch words[0] {
	case "cancel":
		id, err := strconv.ParseInt(words[1], 10, 32)
		if err != nil {
			return "", err
		}
		to.Name, q = dag.Name, dag.JobCancelled{JobID: int32(id), Reason: "because nobody waits"}
	case "kill":
		q = allocation.KillExecutors{IDs: words[1:]}
	case "decommission":
		q = allocation.DecommissionExecutors{IDs: words[1:]}
	case "total":
		n, err := strconv.Atoi(words[1])
		if err != nil {
			return "", err
		}
		q = allocation.RequestTotalExecutors{Total: n}
	case "stop":
		q = driver.StopExecutors{}
	case "leave":
		q = driver.StopDriver{}
	default:
		return "", fmt.Errorf("asks %s: want cancel, kill, decommission, total, stop or leave", args)
	}
	k.listener.Do(func(c *rpcenv.Context) {
		rpcenv.AskAs(c, to, q, func(m rpcenv.Message, err error) {
			answer := fmt.Sprint("answer to ", args, ": ", err)
			switch m := m.(type) {
			case *rpc.Bool:
				answer = fmt.Sprint("answer to ", args, ": ", m.GetValue())
			case allocation.Removed:
				answer = fmt.Sprint("answer to ", args, ": ", m.IDs)
			case dag.JobsCancelled:
				answer = fmt.Sprint("answer to ", args, ": ", m.Jobs)
			}
			k.answers = append(k.answers, answer)
		})
	})
	return "", nil
}

// yarn sends what the YarnClient reports: submitted ID, running, ended ID STATE DIAGNOSTICS. The ID - is none.
func (k *talk) yarn(args string) (string, error) {
	words := append(strings.SplitN(args, " ", 4), "", "", "")
	m, ok := map[string]rpcenv.Message{
		"submitted": yarnclient.Submitted{AppID: words[1]},
		"running":   yarnclient.Running{},
		"ended": yarnclient.Ended{
			AppID: strings.TrimPrefix(words[1], "-"), State: yarn.YarnApplicationState(yarn.YarnApplicationState_value[words[2]]), Diagnostics: words[3],
		},
	}[words[0]]
	if !ok || k.client == nil {
		return "", fmt.Errorf("yarn %s: want submitted, running or ended, in client mode", args)
	}
	k.client.Send(k.ref, m)
	return "", nil
}

// keep says what executors keep: ID BYTES, for a block of the driver's to fetch.
func (k *talk) keep(args string) (string, error) {
	id, size, _ := strings.Cut(args, " ")
	n, err := strconv.Atoi(size)
	k.kept[id] = n
	return "", err
}

// Fetch brings blocks that executors keep, each in a second.
func (k *talk) Fetch(b *rpcenv.Blocking, from rpcenv.Address, ids []string, each func(int, []byte) error) error {
	for i, id := range ids {
		if err := b.Sleep(time.Second); err != nil {
			return err
		}
		size, ok := k.kept[id]
		if !ok {
			return fmt.Errorf("no block %s at %s", id, from)
		}
		if err := each(i, make([]byte, size)); err != nil {
			return err
		}
	}
	return nil
}
