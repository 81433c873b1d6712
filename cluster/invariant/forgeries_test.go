package invariant_test

import (
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/applicationmaster"
	"github.com/coherer/coherer/cluster/invariant"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/messages/yarn"
)

// requestExecutors is a driver's, answered after d.
func (f *forger) requestExecutors(d time.Duration) {
	q := f.send(dr, &app.RequestExecutors{}, ex, "YarnAM", tracepb.Form_ASK, nil)
	f.wait(d)
	f.answer(ex, q, dr, "app.RequestExecutors", &rpc.Bool{}, reply)
}

// asks are the books of an ApplicationMaster that were others before; one executor runs and one starts.
func (f *forger) asks(before string, target, pending int) string {
	now := fmt.Sprintf(applicationmaster.BalanceText, 0, target, pending, 1, 1)
	f.state(dr, "YarnAM", "asks", "application_1_0001", before, now, "", nil)
	return now
}

// starve lets an attempt wait for d, which a node that is heard of each second could give a container; something happens
// before the last look.
func (f *forger) starve(d time.Duration, between func()) {
	for ; d > time.Second; d -= time.Second {
		f.beats(m1, w1)
		f.unheard(time.Second, w1)
	}
	between()
	f.beats(m1, w1)
	f.unheard(d, w1)
}

// beats is a heartbeat of a node that a ResourceManager handles.
func (f *forger) beats(manager, node uint32) {
	f.handled(manager, "ResourceTracker", f.send(node, &yarn.NodeHeartbeatRequest{}, manager, "ResourceTracker", tracepb.Form_ASK, nil), "")
}

// unheard lets an attempt wait for d, which some nodes could give a container, looks first and each second, and lets none be heard of.
func (f *forger) unheard(d time.Duration, nodes ...uint32) {
	var on []string
	for _, n := range nodes {
		on = append(on, places[n].String())
	}
	s := invariant.Snapshot{Quiet: time.Hour, Managers: []invariant.Manager{{
		Name: "M1", Waiting: []invariant.Waiting{{Attempt: "appattempt_1_0001_000001", Could: "N1 has 8 GiB free", On: on}, {Attempt: "appattempt_1_0002_000001"}},
	}}}
	for end := f.now.Add(d); ; f.wait(time.Second) {
		s.Now = f.now
		f.Look(s)
		if !f.now.Before(end) {
			return
		}
	}
}

// given is a container that a ResourceManager gives.
func (f *forger) given(id string) {
	f.state(m1, "Scheduler", "container", "container_"+id, "NEW", "ALLOCATED", "", nil)
}

// preempted is the end of a container of application_1_0001.
func (f *forger) preempted() {
	f.state(m1, "Scheduler", "container", "container_1_0001_01_000002", "RUNNING", "KILLED", "Container preempted by scheduler", nil)
}

// target lets an application of one executor ask for two, and looks while the request is on its way.
func (f *forger) target() *tracepb.Id {
	f.app(&deploy.ApplicationDescription{MemoryPerExecutorMb: 512, InitialExecutorLimit: new(int32(1))})
	q := f.oneWay(dr, &deploy.RequestExecutors{AppId: "A", Totals: []*deploy.ProfileTarget{{Profile: &deploy.ResourceProfile{}, Total: 2}}}, m1, "Master", nil)
	s := cluster()
	s.Masters[0].Apps[0].CoresLeft = 8
	f.look(s, 2*time.Second)
	return q
}

// backlog is a driver whose tasks need more executors than it asks for, for d.
func (f *forger) backlog(needed, target int, d time.Duration) {
	f.look(invariant.Snapshot{Drivers: []invariant.Driver{{Name: "D", Needed: needed, Target: target}}}, d)
}

// surplus is a container that an ApplicationMaster gives back at once.
func (f *forger) surplus(why string) {
	f.state(dr, "YarnAM", "container", "container_1_0001_01_000002", "", "RELEASED", why, nil)
}

// grow gives A, which may have four cores, some of a Worker with four.
func (f *forger) grow(cores int32) {
	f.worker(w1, 4, 1000)
	f.app(&deploy.ApplicationDescription{MemoryPerExecutorMb: 512, MaxCores: proto.Int32(4)})
	f.launch(0, cores, w1)
	f.wait(time.Second)
	f.Look(invariant.Snapshot{Now: f.now})
}

// threeOfFour orders an executor with three of W1's four cores, of an application that wants all from now on.
func (f *forger) threeOfFour() {
	f.worker(w1, 4, 1000)
	f.launch(0, 3, w1)
	f.wait(time.Second)
	f.Look(invariant.Snapshot{Now: f.now})
	f.app(&deploy.ApplicationDescription{MemoryPerExecutorMb: 512, MaxCores: proto.Int32(4)})
}

// regrow orders an executor with one core after W1 reported that the one with the other three cores ended; heard lets
// processes handle the report.
func (f *forger) regrow(heard func(report *tracepb.Id)) {
	f.threeOfFour()
	f.state(w1, "Worker", "executor", "A/0", "RUNNING", "EXITED", "0", nil)
	heard(f.send(w1, &deploy.ExecutorStateChanged{AppId: "A", ExecId: proto.Int32(0), State: deploy.ExecutorState_EXITED}, m1, "Master",
		tracepb.Form_ASK, nil))
	f.wait(time.Minute)
	f.launch(1, 1, w1)
	f.wait(time.Second)
	f.Look(invariant.Snapshot{Now: f.now})
}

// regrowAtOnce orders an executor with one core at the time at which the Master hears that the one with the other three ended.
func (f *forger) regrowAtOnce(both func(order, end func(cause *tracepb.Id))) {
	f.threeOfFour()
	f.wait(time.Minute)
	both(func(cause *tracepb.Id) {
		f.oneWay(m1, &deploy.LaunchExecutor{AppId: "A", ExecId: proto.Int32(1), Cores: 1, Memory: 512}, w1, "Worker", cause)
	}, func(cause *tracepb.Id) { f.state(m1, "Master", "executor", "A/0", "RUNNING", "EXITED", "0", cause) })
	f.wait(time.Second)
	f.Look(invariant.Snapshot{Now: f.now})
}

// two sends two messages of W1, handled in order or not.
func (f *forger) two(inOrder bool, between func(first *tracepb.Id)) {
	one := f.oneWay(w1, &deploy.RegisterWorker{}, m1, "Master", nil)
	if between != nil {
		between(one)
	}
	two := f.oneWay(w1, &deploy.Heartbeat{}, m1, "Master", nil)
	if !inOrder {
		one, two = two, one
	}
	f.handled(m1, "Master", one, "")
	f.handled(m1, "Master", two, "")
}

func (f *forger) refuse(env uint32) {
	q := f.oneWay(env, &deploy.RegisterWorker{Id: names[env]}, m1, "Master", nil)
	f.oneWay(m1, &deploy.RegisterWorkerFailed{Message: "Duplicate worker ID"}, env, "Worker", q)
}

// executor registers an executor with the driver.
func (f *forger) executor(env uint32, id string) {
	q := f.send(env, &app.RegisterExecutor{ExecutorId: id}, dr, "CoarseGrainedScheduler", ask, nil)
	f.send(dr, &rpc.Bool{Value: true}, env, "Executor", reply, q)
}

// ends lets n executors end early, one after the other, and orders one more.
func (f *forger) ends(n int32, each time.Duration) {
	for id := range n {
		f.launch(id, 1, w1)
		f.wait(each)
		f.state(m1, "Master", "executor", "A/"+string('0'+id%10), "LAUNCHING", "EXITED", "1", nil)
	}
	f.launch(n, 1, w1)
}

// giveUp ends A, whose executor has been RUNNING for so long.
func (f *forger) giveUp(d time.Duration) {
	f.state(m1, "Master", "executor", "A/0", "LAUNCHING", "RUNNING", "", nil)
	f.wait(d)
	f.state(m1, "Master", "application", "A", "RUNNING", "FAILED", "failed 10 times", nil)
}

// beat is a heartbeat that waited.
func (f *forger) beat(d time.Duration) {
	id := f.send(ex, &app.Heartbeat{}, dr, "HeartbeatReceiver", ask, nil)
	received := f.time()
	f.wait(d)
	f.See(&tracepb.Record{Kind: tracepb.Kind_HANDLED, Id: id, Env: dr, Endpoint: "HeartbeatReceiver", Received: received, Started: f.time(), Time: f.time()})
}

// updated lets D hear of its executor's end, before it gives the executor up.
func (f *forger) updated(u *deploy.ExecutorUpdated) {
	f.app(&deploy.ApplicationDescription{})
	u.Id = proto.Int32(0)
	f.handled(dr, "AppClient", f.oneWay(m1, u, dr, "AppClient", nil), "")
	f.state(dr, "CoarseGrainedScheduler", "executor", "0", "REGISTERED", "LOST", "Remote RPC client disassociated.", nil)
}

// terms are orders of two leaders.
func (f *forger) terms(first, second uint64) {
	f.handled(w1, "Worker", f.oneWay(m1, &deploy.RegisteredWorker{MasterTerm: first}, w1, "Worker", nil), "")
	id := f.oneWay(m2, &deploy.LaunchExecutor{AppId: "A", ExecId: proto.Int32(0), MasterTerm: second}, w1, "Worker", nil)
	f.state(w1, "Worker", "executor", "A/0", "", "LAUNCHING", "", id)
}

// report is a Worker's report about A/0, which the Master believes.
func (f *forger) report(env uint32) {
	id := f.send(env, &deploy.ExecutorStateChanged{AppId: "A", ExecId: proto.Int32(0), State: deploy.ExecutorState_EXITED}, m1, "Master", ask, nil)
	f.state(m1, "Master", "executor", "A/0", "RUNNING", "EXITED", "x", id)
}
