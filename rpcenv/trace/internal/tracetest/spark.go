package tracetest

import (
	"fmt"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/storage"
	tracepb "github.com/coherer/coherer/messages/trace"
)

// Process is one process with one Env, whose number is 1.
type Process struct {
	*Tape
	name string
}

// Link is a connection from a to b that both ends record.
type Link struct {
	id         uint64
	a, b       *Process
	aOut, bOut uint64
}

// Play writes what a run's processes would record, on a clock that goes on with each message.
type Play struct {
	T     *testing.T
	Ms    float64
	Procs []*Process
	conns uint64
}

// Process begins the recording of another process.
func (p *Play) Process(name, address string) *Process {
	pr := &Process{Tape: NewTape(p.T), name: name}
	pr.Env(1, name, address, p.Ms)
	p.Procs = append(p.Procs, pr)
	return pr
}

// Connect opens a connection from a to b.
func (p *Play) Connect(a, b *Process) *Link {
	p.conns++
	l := &Link{id: p.conns<<60 | 0x0abc_def0_1234_5678&(1<<60-1) ^ p.conns<<32, a: a, b: b}
	p.Ms += 0.2
	a.conn(1, l.id, "connected", b.name, "", "", p.Ms)
	b.conn(1, l.id, "connected", a.name, "", "", p.Ms)
	return l
}

// Send is one message of from over l; what it says is "SENDER>RECEIVER", the endpoints.
func (p *Play) Send(l *Link, from *Process, endpoint, to string, cause *tracepb.Id, form tracepb.Form, m proto.Message) *tracepb.Id {
	p.T.Helper()
	receiver, id := l.b, Wire(l.id, false, l.aOut+1)
	if from == l.b {
		receiver, id = l.a, Wire(l.id, true, l.bOut+1)
		l.bOut++
	} else {
		l.aOut++
	}
	p.Ms += 0.3
	from.Sent(1, endpoint, receiver.name, to, p.Ms, id, cause, form, m)
	receiver.Handled(1, to, p.Ms+0.2, id, "")
	return id
}

// ask is a question and its answer; it returns the item of the answer.
func (p *Play) ask(l *Link, from *Process, endpoint, to string, cause *tracepb.Id, q, a proto.Message) *tracepb.Id {
	p.T.Helper()
	asked := p.Send(l, from, endpoint, to, cause, tracepb.Form_ASK, q)
	answerer := l.b
	if from == l.b {
		answerer = l.a
	}
	return p.Send(l, answerer, to, endpoint, asked, tracepb.Form_REPLY, a)
}

func (p *Play) verify(l *Link, from *Process, endpoint, name string, cause *tracepb.Id) *tracepb.Id {
	p.T.Helper()
	return p.ask(l, from, endpoint, "endpoint-verifier", cause, &rpc.CheckExistence{Name: name}, &rpc.Bool{Value: true})
}

// Files are the recordings, one a process.
func (p *Play) Files() [][]*tracepb.Record {
	var files [][]*tracepb.Record
	for _, pr := range p.Procs {
		files = append(files, pr.Records)
	}
	return files
}

// The form of most messages, and the ids in SparkRun.
const (
	OneWay   = tracepb.Form_SEND
	WorkerID = "worker-20260101000000-127.0.0.1-7078"
	AppID    = "app-20260101000001-0000"
)

// SparkRun is the sequence (a) and (b) of real Spark with two executors: tasks rounds of tasks, beats heartbeats.
func SparkRun(t *testing.T, tasks, beats int) [][]*tracepb.Record {
	p := &Play{T: t}
	m := p.Process("Master", "127.0.0.1:7077")
	w := p.Process("Worker1", "127.0.0.1:7078")
	masterStart, workerStart := m.Next(1), w.Next(1)
	m.Item(1, "Master", "OnStart", p.Ms, masterStart, nil)
	w.Item(1, "Worker", "OnStart", p.Ms, workerStart, nil)
	wm := p.Connect(w, m)
	found := p.verify(wm, w, "Worker", "Master", workerStart)
	register := p.Send(wm, w, "Worker", "Master", found, OneWay, &deploy.RegisterWorker{
		Id: WorkerID, Host: "127.0.0.1", Port: 7078, Cores: 2, Memory: 2048, MasterAddress: &rpc.Address{Host: "127.0.0.1", Port: 7077},
	})
	m.Add(&tracepb.Record{
		Kind: tracepb.Kind_STATE, Env: 1, Endpoint: "Master", Cause: register, Name: "worker", Subject: WorkerID, From: "", To: "ALIVE",
		Why: "registered", Time: At(p.Ms + 0.25),
	})
	registered := p.Send(wm, m, "Master", "Worker", register, OneWay, &deploy.RegisteredWorker{Duplicate: proto.Bool(false)})
	p.Send(wm, w, "Worker", "Master", registered, OneWay, &deploy.WorkerLatestState{Id: WorkerID})
	beat := func() {
		tick := w.Next(1)
		w.Item(1, "Worker", "timer SendHeartbeat", p.Ms, tick, registered)
		p.Send(wm, w, "Worker", "Master", tick, OneWay, &deploy.Heartbeat{WorkerId: WorkerID})
	}
	for range beats {
		beat()
	}
	d := p.Process("Driver", "127.0.0.1:40000")
	dm := p.Connect(d, m)
	driverStart := d.Next(1)
	d.Item(1, "AppClient", "OnStart", p.Ms, driverStart, nil)
	found = p.verify(dm, d, "AppClient", "Master", driverStart)
	application := p.Send(dm, d, "AppClient", "Master", found, OneWay, &deploy.RegisterApplication{
		AppDescription: &deploy.ApplicationDescription{Name: "wordcount", CoresPerExecutor: proto.Int32(1), MemoryPerExecutorMb: 512},
	})
	p.Send(dm, m, "Master", "AppClient", application, OneWay, &deploy.RegisteredApplication{AppId: AppID})
	var launched []*tracepb.Id
	for id := range int32(2) {
		launched = append(launched, p.Send(wm, m, "Master", "Worker", application, OneWay, &deploy.LaunchExecutor{
			AppId: AppID, ExecId: proto.Int32(id), AppDesc: &deploy.ApplicationDescription{Name: "wordcount"}, Cores: 1, Memory: 512,
		}))
		p.Send(dm, m, "Master", "AppClient", application, OneWay, &deploy.ExecutorAdded{
			Id: proto.Int32(id), WorkerId: WorkerID, Cores: 1, Memory: 512,
		})
	}
	for id := range int32(2) {
		q := p.Send(wm, w, "Worker", "Master", launched[id], tracepb.Form_ASK, &deploy.ExecutorStateChanged{
			AppId: AppID, ExecId: proto.Int32(id), State: deploy.ExecutorState_RUNNING,
		})
		p.Send(dm, m, "Master", "AppClient", q, OneWay, &deploy.ExecutorUpdated{Id: proto.Int32(id), State: deploy.ExecutorState_RUNNING})
		p.Send(wm, m, "Master", "Worker", q, tracepb.Form_REPLY, &rpc.Bool{Value: true})
	}
	var execs []*Process
	var links []*Link
	for id := range 2 {
		f := p.Process(fmt.Sprintf("Fetcher%d", id), "")
		fd := p.Connect(f, d)
		p.verify(fd, f, "", "CoarseGrainedScheduler", nil)
		p.ask(fd, f, "", "CoarseGrainedScheduler", nil, &app.RetrieveSparkAppConfig{}, &app.SparkAppConfig{})
		x := p.Process(fmt.Sprintf("Exec%d", id), "")
		xd, xw := p.Connect(x, d), p.Connect(x, w)
		start := x.Next(1)
		x.Item(1, "Executor", "OnStart", p.Ms, start, nil)
		for _, name := range []string{"MapOutputTracker", "BlockManagerMaster", "BlockManagerMasterHeartbeat", "OutputCommitCoordinator"} {
			p.verify(xd, x, "", name, nil)
		}
		p.verify(xw, x, "Executor", "Worker", start)
		cause := p.verify(xd, x, "Executor", "CoarseGrainedScheduler", start)
		exec := fmt.Sprint(id)
		cause = p.ask(xd, x, "Executor", "CoarseGrainedScheduler", cause,
			&app.RegisterExecutor{ExecutorId: exec, Cores: 1}, &rpc.Bool{Value: true})
		bm := &storage.BlockManagerId{ExecutorId: exec}
		cause = p.ask(xd, x, "Executor", "BlockManagerMaster", cause,
			&storage.RegisterBlockManager{BlockManagerId: bm, IsReRegister: proto.Bool(false)}, &storage.BlockManagerRegistered{BlockManagerId: bm})
		cause = p.verify(xd, x, "Executor", "HeartbeatReceiver", cause)
		p.Send(xd, x, "Executor", "CoarseGrainedScheduler", cause, OneWay, &app.LaunchedExecutor{ExecutorId: exec})
		execs, links = append(execs, x), append(links, xd)
	}
	for i := range tasks {
		for e, x := range execs {
			task := int64(2*i + e)
			l := p.Send(links[e], d, "CoarseGrainedScheduler", "Executor", nil, OneWay, &app.LaunchTask{Data: &app.TaskDescription{
				TaskId: task, ExecutorId: fmt.Sprint(e), Name: fmt.Sprintf("task %d.0 in stage 0.0 (TID %d)", task, task), JobArgs: make([]byte, 100),
			}})
			p.Send(links[e], x, "Executor", "CoarseGrainedScheduler", l, OneWay,
				&app.StatusUpdate{ExecutorId: fmt.Sprint(e), TaskId: &task, State: app.TaskState_RUNNING})
			p.Ms += 40
			p.Send(links[e], x, "Executor", "CoarseGrainedScheduler", l, OneWay, &app.StatusUpdate{
				ExecutorId: fmt.Sprint(e), TaskId: &task, State: app.TaskState_FINISHED, Result: &app.TaskResult{Count: 7},
			})
		}
	}
	for range beats {
		beat()
	}
	for e := range execs {
		p.Send(links[e], d, "CoarseGrainedScheduler", "Executor", nil, OneWay, &app.StopExecutor{})
	}
	end := p.Send(dm, d, "AppClient", "Master", nil, OneWay, &deploy.UnregisterApplication{AppId: AppID})
	for id := range int32(2) {
		p.Send(wm, m, "Master", "Worker", end, OneWay, &deploy.KillExecutor{AppId: AppID, ExecId: proto.Int32(id)})
	}
	p.Send(wm, m, "Master", "Worker", end, OneWay, &deploy.ApplicationFinished{Id: AppID})
	for id := range int32(2) {
		exited := w.Next(1)
		w.Item(1, "Worker", "outside executor exited", p.Ms, exited, nil)
		p.ask(wm, w, "Worker", "Master", exited, &deploy.ExecutorStateChanged{
			AppId: AppID, ExecId: proto.Int32(id), State: deploy.ExecutorState_KILLED, Message: proto.String("asked to"), ExitStatus: proto.Int32(0),
		}, &rpc.Bool{Value: true})
	}
	gone := m.Next(1)
	m.Item(1, "Master", "disconnected Driver", p.Ms, gone, nil)
	m.conn(1, dm.id, "disconnected", "Driver", "", "EOF", p.Ms)
	m.Add(&tracepb.Record{
		Kind: tracepb.Kind_DROP, Env: 1, Endpoint: "Master", To: "AppClient", Peer: "Driver", Cause: gone, Time: At(p.Ms + 0.1),
		Type: "deploy.ApplicationRemoved", Form: OneWay, Why: "the connection has ended",
	})
	return p.Files()
}
