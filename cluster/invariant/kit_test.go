package invariant_test

import (
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/cluster/invariant"
	"github.com/coherer/coherer/messages/deploy"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/sim"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The Envs of the forged traces.
const (
	m1, m2, w1, w2, dr, ex = 1, 2, 3, 4, 5, 6
)

var (
	places = map[uint32]rpcenv.Address{
		m1: {Host: "10.0.0.1", Port: 7077}, m2: {Host: "10.0.0.2", Port: 7077}, w1: {Host: "10.0.0.3", Port: 1}, w2: {Host: "10.0.0.4", Port: 1},
		dr: {Host: "10.0.0.5", Port: 1}, ex: {Host: "10.0.0.3", Port: 2},
	}
	names = map[uint32]string{m1: "M1", m2: "M2", w1: "W1", w2: "W2", dr: "D", ex: "Exec0"}
)

// forger makes a trace and shows it to a Monitor, event by event.
type forger struct {
	*invariant.Monitor
	now time.Time
	n   uint64
}

func forge() *forger {
	f := &forger{Monitor: invariant.New(invariant.Config{}), now: sim.Start}
	for env := uint32(m1); env <= ex; env++ {
		f.See(&tracepb.Record{Kind: tracepb.Kind_ENV, Time: f.time(), Env: env, Peer: names[env], Address: places[env].String()})
	}
	return f
}

func (f *forger) time() uint64 { return uint64(f.now.UnixNano()) }

func (f *forger) wait(d time.Duration) { f.now = f.now.Add(d) }

func (f *forger) id() *tracepb.Id {
	f.n++
	return &tracepb.Id{Conn: 9, N: f.n}
}

// send is a message on its way; cause may be nil.
func (f *forger) send(from uint32, m proto.Message, to uint32, endpoint string, form tracepb.Form, cause *tracepb.Id) *tracepb.Id {
	body, err := proto.Marshal(m)
	if err != nil {
		panic(err)
	}
	r := &tracepb.Record{
		Kind: tracepb.Kind_SENT, Id: f.id(), Cause: cause, Env: from, Endpoint: "E", To: endpoint, Address: places[to].String(), Form: form,
		Type: string(m.ProtoReflect().Descriptor().FullName()), Body: body, Time: f.time(),
	}
	if form == tracepb.Form_REPLY || form == tracepb.Form_FAIL {
		r.Name = r.Type
	}
	f.See(r)
	return r.GetId()
}

// answer is the answer to a question of a type.
func (f *forger) answer(from uint32, q *tracepb.Id, to uint32, typ string, m proto.Message, form tracepb.Form) {
	body, err := proto.Marshal(m)
	if err != nil {
		panic(err)
	}
	f.See(&tracepb.Record{
		Kind: tracepb.Kind_SENT, Id: f.id(), Cause: q, Env: from, Endpoint: "YarnAM", Address: places[to].String(), Form: form,
		Type: typ, Name: string(m.ProtoReflect().Descriptor().FullName()), Body: body, Time: f.time(),
	})
}

// oneWay is a one-way message.
func (f *forger) oneWay(from uint32, m proto.Message, to uint32, endpoint string, cause *tracepb.Id) *tracepb.Id {
	return f.send(from, m, to, endpoint, tracepb.Form_SEND, cause)
}

func (f *forger) handled(env uint32, endpoint string, id *tracepb.Id, outcome string) {
	f.See(&tracepb.Record{Kind: tracepb.Kind_HANDLED, Id: id, Env: env, Endpoint: endpoint, Received: f.time(), Started: f.time(), Time: f.time(), Outcome: outcome})
}

func (f *forger) state(env uint32, endpoint, kind, subject, from, to, why string, cause *tracepb.Id) {
	f.See(&tracepb.Record{
		Kind: tracepb.Kind_STATE, Env: env, Endpoint: endpoint, Name: kind, Subject: subject, From: from, To: to, Why: why, Cause: cause, Time: f.time(),
	})
}

// look is a look at a cluster that is quiet, and again after d.
func (f *forger) look(s invariant.Snapshot, d time.Duration) {
	s.Quiet = time.Hour
	for _, at := range []time.Duration{0, d} {
		f.wait(at)
		s.Now = f.now
		f.Look(s)
	}
}

// app registers application A, which wants executors of memory MiB.
func (f *forger) app(desc *deploy.ApplicationDescription) {
	q := f.oneWay(dr, &deploy.RegisterApplication{AppDescription: desc}, m1, "Master", nil)
	f.oneWay(m1, &deploy.RegisteredApplication{AppId: "A"}, dr, "AppClient", q)
}

// worker registers a Worker.
func (f *forger) worker(env uint32, cores, memory int32) *tracepb.Id {
	q := f.oneWay(env, &deploy.RegisterWorker{Id: names[env], Cores: cores, Memory: memory}, m1, "Master", nil)
	return f.oneWay(m1, &deploy.RegisteredWorker{}, env, "Worker", q)
}

// launch orders an executor of A.
func (f *forger) launch(id int32, cores int32, to uint32) *tracepb.Id {
	return f.oneWay(m1, &deploy.LaunchExecutor{AppId: "A", ExecId: &id, Cores: cores, Memory: 512}, to, "Worker", nil)
}

// cluster is a quiet one: A's executor 0 on W1.
func cluster() invariant.Snapshot {
	return invariant.Snapshot{
		Masters: []invariant.Master{{
			Name: "M1", Leads: true,
			Workers: []invariant.Worker{{ID: "W1", Address: places[w1], Alive: true, Cores: 2, CoresUsed: 1, Memory: 1024, MemoryUsed: 512}},
			Apps:    []invariant.App{{ID: "A", Executors: []invariant.Executor{{ID: 0, Worker: "W1"}}}},
		}},
		Workers:   []rpcenv.Address{places[w1]},
		Processes: []invariant.Process{{App: "A", ID: 0, Worker: places[w1], Cores: 1, Memory: 512}},
		Drivers:   []invariant.Driver{{Name: "D", Books: map[string][]string{"Scheduler": {"0"}, "HeartbeatReceiver": {"0"}}}},
	}
}
