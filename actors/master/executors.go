package master

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// launchExecutor sends LaunchExecutor to the Worker, then ExecutorAdded to the driver.
func (m *Master) launchExecutor(c *rpcenv.Context, e *executorDesc) {
	e.Worker.addExecutor(e)
	c.State("executor", e.FullID(), "", e.State.String(), "launched")
	c.Send(e.Worker.Ref, &deploy.LaunchExecutor{
		MasterUrl: m.url(c), AppId: e.App.ID, ExecId: proto.Int32(int32(e.ID)), RpId: int32(e.Profile), AppDesc: e.App.Desc,
		Cores: int32(e.Cores), Memory: int32(e.Memory), Resources: e.Resources, MasterTerm: m.cfg.Term,
	})
	c.Send(e.App.Driver, &deploy.ExecutorAdded{
		Id: proto.Int32(int32(e.ID)), WorkerId: e.Worker.ID, HostPort: e.Worker.HostPort(),
		Cores: int32(e.Cores), Memory: int32(e.Memory), MasterTerm: m.cfg.Term,
	})
	if e.App.State == ApplicationWaiting {
		m.setApplication(c, e.App, ApplicationRunning, "first executor launched")
	}
}

// executorStateChanged is a Worker's report. The answer comes last and is always true: a Worker repeats a report that gets no
// answer, and in the end exits.
func (m *Master) executorStateChanged(c *rpcenv.Context, r *deploy.ExecutorStateChanged) {
	if m.state == RecoveryStandby { // an error makes the Worker keep the report for the leader; true would lose it
		rpcenv.Fail(c, r, errStandby)
		return
	}
	if e := m.executor(r.GetAppId(), int(r.GetExecId())); e != nil {
		m.executorChanged(c, e, r)
	} else {
		m.unknownExecutorChanged(c, r)
	}
	rpcenv.Reply(c, r, &rpc.Bool{Value: true})
}

// executor is the live executor of that application and id, or nil.
func (m *Master) executor(app string, id int) *executorDesc {
	if a := m.idToApp[app]; a != nil {
		return a.executor(id)
	}
	return nil
}

// executorChanged reports to the driver and replaces an executor that has ended. A repetition changes nothing.
func (m *Master) executorChanged(c *rpcenv.Context, e *executorDesc, r *deploy.ExecutorStateChanged) {
	app := e.App
	if r.GetState() == deploy.ExecutorState_DECOMMISSIONED { // the Master says so, no Worker
		c.Log().Warnf("%s reports that %s is %s", c.Sender(), e.FullID(), r.GetState())
		return
	}
	if !m.setExecutor(c, e, r.GetState(), r.GetMessage()) {
		return
	}
	c.Send(app.Driver, &deploy.ExecutorUpdated{
		Id: proto.Int32(int32(e.ID)), State: e.State, Message: r.Message, ExitStatus: r.ExitStatus, MasterTerm: m.cfg.Term,
	})
	historic := faultsOf(c.Conf())
	if !finished(e.State) {
		e.runningSince = c.Now()
		app.historicRunning(historic)
		return
	}
	c.Log().Infof("Removing executor %s because it is %s", e.FullID(), e.State)
	// Before executorEnded, which asks whether another executor of the application is RUNNING.
	app.removeExecutor(e)
	e.Worker.removeExecutor(e)
	normal := r.ExitStatus != nil && r.GetExitStatus() == 0
	if !normal && e.State != deploy.ExecutorState_KILLED {
		m.failed(c, failedExecutor, e.FullID(), e.Worker.ID, e.State.String(), r.GetMessage())
	}
	limit := maxExecutorRetries.Get(c.Conf())
	remove, counted := app.historicEnd(historic, normal, limit, c.Now())
	if !counted {
		remove = app.executorEnded(e, normal, limit, c.Now())
	}
	app.health.end = endingOf(e, r, c.Now())
	if remove {
		why := fmt.Sprintf("failed %d times", app.health.failures)
		c.Log().Errorf("Application %s with ID %s %s; removing it", app.Desc.GetName(), app.ID, why)
		m.removeApplication(c, app, ApplicationFailed, why)
	}
	if normal && historic.silentExit { // SPARK-16925: its cores stay idle until something else causes a decision
		return
	}
	m.schedule(c)
}

func endingOf(e *executorDesc, r *deploy.ExecutorStateChanged, now time.Time) ending {
	end := ending{id: e.FullID(), worker: e.Worker.ID, state: e.State, code: r.ExitStatus, message: r.GetMessage(), at: now}
	if !e.runningSince.IsZero() {
		end.ran = now.Sub(e.runningSince)
	}
	return end
}

// unknownExecutorChanged is a report about an executor that its application has no more. One that still runs is killed: its
// order came late, after the Master had given it up. A decommissioned one may run on; its Worker gets back what it had when it
// ends.
func (m *Master) unknownExecutorChanged(c *rpcenv.Context, r *deploy.ExecutorStateChanged) {
	app, id := r.GetAppId(), int(r.GetExecId())
	c.Log().Warnf("Got status update for unknown executor %s", fullID(app, id))
	w := m.addressToWorker[c.Sender()]
	if w == nil { // a Worker that was given up: it registers again, and workerLatestState kills what it should not run
		return
	}
	e := w.executor(app, id) // which its application has lost
	switch {
	case e != nil && finished(r.GetState()):
		m.setExecutor(c, e, r.GetState(), r.GetMessage())
		w.removeExecutor(e)
	case e == nil && !finished(r.GetState()):
		m.orderKill(c, w, app, id)
	}
}

// killExecutors ends executors of an application at its wish. Ids that are no number or unknown are only logged; the answer
// is false when the application is unknown.
func (m *Master) killExecutors(c *rpcenv.Context, k *deploy.KillExecutors) {
	app := m.idToApp[k.GetAppId()]
	if app == nil {
		c.Log().Warnf("Unregistered application %s requested us to kill executors!", k.GetAppId())
		rpcenv.Reply(c, k, &rpc.Bool{Value: false})
		return
	}
	c.Log().Infof("Application %s requests to kill executors: %s", app.ID, strings.Join(k.GetExecutorIds(), ", "))
	for _, id := range k.GetExecutorIds() {
		n, err := strconv.Atoi(id)
		if err != nil {
			c.Log().Errorf("Encountered executor with a non-integer ID: %s. Ignoring", id)
			continue
		}
		if e := app.executor(n); e != nil {
			m.killExecutor(c, e, "the application wants it")
		} else {
			c.Log().Warnf("Application %s attempted to kill non-existent executor: %d", app.ID, n)
		}
	}
	m.schedule(c)
	rpcenv.Reply(c, k, &rpc.Bool{Value: true})
}

// killExecutor ends an executor. The Worker's report that it has ended comes when the Master has forgotten it.
func (m *Master) killExecutor(c *rpcenv.Context, e *executorDesc, why string) {
	m.endExecutor(c, e, deploy.ExecutorState_KILLED, why)
	m.orderKill(c, e.Worker, e.App.ID, e.ID)
}

func (m *Master) orderKill(c *rpcenv.Context, w *workerInfo, app string, id int) {
	c.Send(w.Ref, &deploy.KillExecutor{
		MasterUrl: m.url(c), AppId: app, ExecId: proto.Int32(int32(id)), MasterTerm: m.cfg.Term,
	})
}

// loseExecutor gives up an executor whose end no Worker will report. workerHost, for the driver, is set when the whole Worker is
// lost, else nil.
func (m *Master) loseExecutor(c *rpcenv.Context, e *executorDesc, why string, workerHost *string) {
	c.Log().Infof("Telling app of lost executor: %s", e.FullID())
	c.Send(e.App.Driver, &deploy.ExecutorUpdated{
		Id: proto.Int32(int32(e.ID)), State: deploy.ExecutorState_LOST, Message: proto.String(why),
		WorkerHost: workerHost, MasterTerm: m.cfg.Term,
	})
	m.failed(c, failedExecutor, e.FullID(), e.Worker.ID, deploy.ExecutorState_LOST.String(), why)
	m.endExecutor(c, e, deploy.ExecutorState_LOST, why)
}

// endExecutor takes an executor out of the books.
func (m *Master) endExecutor(c *rpcenv.Context, e *executorDesc, state deploy.ExecutorState, why string) {
	m.setExecutor(c, e, state, why)
	e.App.removeExecutor(e)
	e.Worker.removeExecutor(e)
}

// setExecutor changes an executor's state; false: it cannot.
func (m *Master) setExecutor(c *rpcenv.Context, e *executorDesc, to deploy.ExecutorState, why string) bool {
	if !executorMoves.Move(c, e.FullID(), &e.State, to, why) {
		return false
	}
	if finished(to) {
		e.reason = why
	}
	return true
}
