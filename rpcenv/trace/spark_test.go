package trace

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

// process is one process with one Env, whose number is 1.
type process struct {
	*tape
	name string
}

// link is a connection from a to b that both ends record.
type link struct {
	id         uint64
	a, b       *process
	aOut, bOut uint64
}

// play writes what a run's processes would record, on a clock that goes on with each message.
type play struct {
	t     *testing.T
	ms    float64
	procs []*process
	conns uint64
}

func (p *play) process(name, address string) *process {
	pr := &process{tape: newTape(p.t), name: name}
	pr.env(1, name, address, p.ms)
	p.procs = append(p.procs, pr)
	return pr
}

func (p *play) connect(a, b *process) *link {
	p.conns++
	l := &link{id: p.conns<<60 | 0x0abc_def0_1234_5678&(1<<60-1) ^ p.conns<<32, a: a, b: b}
	p.ms += 0.2
	a.conn(1, l.id, "connected", b.name, "", "", p.ms)
	b.conn(1, l.id, "connected", a.name, "", "", p.ms)
	return l
}

// send is one message of from over l; what it says is "SENDER>RECEIVER", the endpoints.
func (p *play) send(l *link, from *process, endpoint, to string, cause *tracepb.Id, form tracepb.Form, m proto.Message) *tracepb.Id {
	p.t.Helper()
	receiver, id := l.b, wire(l.id, false, l.aOut+1)
	if from == l.b {
		receiver, id = l.a, wire(l.id, true, l.bOut+1)
		l.bOut++
	} else {
		l.aOut++
	}
	p.ms += 0.3
	from.sent(1, endpoint, receiver.name, to, p.ms, id, cause, form, m)
	receiver.handled(1, to, p.ms+0.2, id, "")
	return id
}

// ask is a question and its answer; it returns the item of the answer.
func (p *play) ask(l *link, from *process, endpoint, to string, cause *tracepb.Id, q, a proto.Message) *tracepb.Id {
	p.t.Helper()
	asked := p.send(l, from, endpoint, to, cause, tracepb.Form_ASK, q)
	answerer := l.b
	if from == l.b {
		answerer = l.a
	}
	return p.send(l, answerer, to, endpoint, asked, tracepb.Form_REPLY, a)
}

func (p *play) verify(l *link, from *process, endpoint, name string, cause *tracepb.Id) *tracepb.Id {
	p.t.Helper()
	return p.ask(l, from, endpoint, "endpoint-verifier", cause, &rpc.CheckExistence{Name: name}, &rpc.Bool{Value: true})
}

func (p *play) files() [][]*tracepb.Record {
	var files [][]*tracepb.Record
	for _, pr := range p.procs {
		files = append(files, pr.records)
	}
	return files
}

const (
	oneWay   = tracepb.Form_SEND
	workerID = "worker-20260101000000-127.0.0.1-7078"
	appID    = "app-20260101000001-0000"
)

// sparkRun is the sequence (a) and (b) of real Spark with two executors: tasks rounds of tasks, beats heartbeats.
func sparkRun(t *testing.T, tasks, beats int) [][]*tracepb.Record {
	p := &play{t: t}
	m := p.process("Master", "127.0.0.1:7077")
	w := p.process("Worker1", "127.0.0.1:7078")
	masterStart, workerStart := m.next(1), w.next(1)
	m.item(1, "Master", "OnStart", p.ms, masterStart, nil)
	w.item(1, "Worker", "OnStart", p.ms, workerStart, nil)
	wm := p.connect(w, m)
	found := p.verify(wm, w, "Worker", "Master", workerStart)
	register := p.send(wm, w, "Worker", "Master", found, oneWay, &deploy.RegisterWorker{
		Id: workerID, Host: "127.0.0.1", Port: 7078, Cores: 2, Memory: 2048, MasterAddress: &rpc.Address{Host: "127.0.0.1", Port: 7077},
	})
	m.add(&tracepb.Record{
		Kind: tracepb.Kind_STATE, Env: 1, Endpoint: "Master", Cause: register, Name: "worker", Subject: workerID, From: "", To: "ALIVE",
		Why: "registered", Time: at(p.ms + 0.25),
	})
	registered := p.send(wm, m, "Master", "Worker", register, oneWay, &deploy.RegisteredWorker{Duplicate: proto.Bool(false)})
	p.send(wm, w, "Worker", "Master", registered, oneWay, &deploy.WorkerLatestState{Id: workerID})
	beat := func() {
		tick := w.next(1)
		w.item(1, "Worker", "timer SendHeartbeat", p.ms, tick, registered)
		p.send(wm, w, "Worker", "Master", tick, oneWay, &deploy.Heartbeat{WorkerId: workerID})
	}
	for range beats {
		beat()
	}
	d := p.process("Driver", "127.0.0.1:40000")
	dm := p.connect(d, m)
	driverStart := d.next(1)
	d.item(1, "AppClient", "OnStart", p.ms, driverStart, nil)
	found = p.verify(dm, d, "AppClient", "Master", driverStart)
	application := p.send(dm, d, "AppClient", "Master", found, oneWay, &deploy.RegisterApplication{
		AppDescription: &deploy.ApplicationDescription{Name: "wordcount", CoresPerExecutor: proto.Int32(1), MemoryPerExecutorMb: 512},
	})
	p.send(dm, m, "Master", "AppClient", application, oneWay, &deploy.RegisteredApplication{AppId: appID})
	var launched []*tracepb.Id
	for id := range int32(2) {
		launched = append(launched, p.send(wm, m, "Master", "Worker", application, oneWay, &deploy.LaunchExecutor{
			AppId: appID, ExecId: proto.Int32(id), AppDesc: &deploy.ApplicationDescription{Name: "wordcount"}, Cores: 1, Memory: 512,
		}))
		p.send(dm, m, "Master", "AppClient", application, oneWay, &deploy.ExecutorAdded{Id: proto.Int32(id), WorkerId: workerID, Cores: 1, Memory: 512})
	}
	for id := range int32(2) {
		q := p.send(wm, w, "Worker", "Master", launched[id], tracepb.Form_ASK, &deploy.ExecutorStateChanged{
			AppId: appID, ExecId: proto.Int32(id), State: deploy.ExecutorState_RUNNING,
		})
		p.send(dm, m, "Master", "AppClient", q, oneWay, &deploy.ExecutorUpdated{Id: proto.Int32(id), State: deploy.ExecutorState_RUNNING})
		p.send(wm, m, "Master", "Worker", q, tracepb.Form_REPLY, &rpc.Bool{Value: true})
	}
	var execs []*process
	var links []*link
	for id := range 2 {
		f := p.process(fmt.Sprintf("Fetcher%d", id), "")
		fd := p.connect(f, d)
		p.verify(fd, f, "", "CoarseGrainedScheduler", nil)
		p.ask(fd, f, "", "CoarseGrainedScheduler", nil, &app.RetrieveSparkAppConfig{}, &app.SparkAppConfig{})
		x := p.process(fmt.Sprintf("Exec%d", id), "")
		xd, xw := p.connect(x, d), p.connect(x, w)
		start := x.next(1)
		x.item(1, "Executor", "OnStart", p.ms, start, nil)
		for _, name := range []string{"MapOutputTracker", "BlockManagerMaster", "BlockManagerMasterHeartbeat", "OutputCommitCoordinator"} {
			p.verify(xd, x, "", name, nil)
		}
		p.verify(xw, x, "Executor", "Worker", start)
		cause := p.verify(xd, x, "Executor", "CoarseGrainedScheduler", start)
		exec := fmt.Sprint(id)
		cause = p.ask(xd, x, "Executor", "CoarseGrainedScheduler", cause, &app.RegisterExecutor{ExecutorId: exec, Cores: 1}, &rpc.Bool{Value: true})
		bm := &storage.BlockManagerId{ExecutorId: exec}
		cause = p.ask(xd, x, "Executor", "BlockManagerMaster", cause,
			&storage.RegisterBlockManager{BlockManagerId: bm, IsReRegister: proto.Bool(false)}, &storage.BlockManagerRegistered{BlockManagerId: bm})
		cause = p.verify(xd, x, "Executor", "HeartbeatReceiver", cause)
		p.send(xd, x, "Executor", "CoarseGrainedScheduler", cause, oneWay, &app.LaunchedExecutor{ExecutorId: exec})
		execs, links = append(execs, x), append(links, xd)
	}
	for i := range tasks {
		for e, x := range execs {
			task := int64(2*i + e)
			l := p.send(links[e], d, "CoarseGrainedScheduler", "Executor", nil, oneWay, &app.LaunchTask{Data: &app.TaskDescription{
				TaskId: task, ExecutorId: fmt.Sprint(e), Name: fmt.Sprintf("task %d.0 in stage 0.0 (TID %d)", task, task), JobArgs: make([]byte, 100),
			}})
			p.send(links[e], x, "Executor", "CoarseGrainedScheduler", l, oneWay,
				&app.StatusUpdate{ExecutorId: fmt.Sprint(e), TaskId: &task, State: app.TaskState_RUNNING})
			p.ms += 40
			p.send(links[e], x, "Executor", "CoarseGrainedScheduler", l, oneWay, &app.StatusUpdate{
				ExecutorId: fmt.Sprint(e), TaskId: &task, State: app.TaskState_FINISHED, Result: &app.TaskResult{Count: 7},
			})
		}
	}
	for range beats {
		beat()
	}
	for e := range execs {
		p.send(links[e], d, "CoarseGrainedScheduler", "Executor", nil, oneWay, &app.StopExecutor{})
	}
	end := p.send(dm, d, "AppClient", "Master", nil, oneWay, &deploy.UnregisterApplication{AppId: appID})
	for id := range int32(2) {
		p.send(wm, m, "Master", "Worker", end, oneWay, &deploy.KillExecutor{AppId: appID, ExecId: proto.Int32(id)})
	}
	p.send(wm, m, "Master", "Worker", end, oneWay, &deploy.ApplicationFinished{Id: appID})
	for id := range int32(2) {
		exited := w.next(1)
		w.item(1, "Worker", "outside executor exited", p.ms, exited, nil)
		p.ask(wm, w, "Worker", "Master", exited, &deploy.ExecutorStateChanged{
			AppId: appID, ExecId: proto.Int32(id), State: deploy.ExecutorState_KILLED, Message: proto.String("asked to"), ExitStatus: proto.Int32(0),
		}, &rpc.Bool{Value: true})
	}
	gone := m.next(1)
	m.item(1, "Master", "disconnected Driver", p.ms, gone, nil)
	m.conn(1, dm.id, "disconnected", "Driver", "", "EOF", p.ms)
	m.add(&tracepb.Record{
		Kind: tracepb.Kind_DROP, Env: 1, Endpoint: "Master", To: "AppClient", Peer: "Driver", Cause: gone, Time: at(p.ms + 0.1),
		Type: "deploy.ApplicationRemoved", Form: oneWay, Why: "the connection has ended",
	})
	return p.files()
}
