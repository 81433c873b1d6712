package worker

import (
	"fmt"
	"time"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// killGrace is how long an executor may take to end. It mirrors
// ExecutorRunner.EXECUTOR_TERMINATE_TIMEOUT_MS.
const killGrace = 10 * time.Second

// fromOther reports whether an order comes from another Master than this Worker's, with a line in the log.
func (w *Worker) fromOther(c *rpcenv.Context, masterURL, what string) bool {
	if masterURL == w.reg.activeURL {
		return false
	}
	c.Log().Warnf("Invalid Master (%s) attempted to %s.", masterURL, what)
	return true
}

// launchExecutor starts an executor's process. An order that cannot be carried out is reported as FAILED; one for an
// executor that is alive is a duplicate and does nothing.
func (w *Worker) launchExecutor(c *rpcenv.Context, m *deploy.LaunchExecutor) {
	if w.refuses(c, "LaunchExecutor", m.GetMasterTerm()) || w.fromOther(c, m.GetMasterUrl(), "launch executor") {
		return
	}
	k := key{m.GetAppId(), m.GetExecId()}
	if w.decommissioned {
		c.Log().Warnf("Asked to launch executor %s while decommissioned. Not launching executor.", k)
		w.report(c, k, deploy.ExecutorState_KILLED, decommissioned, nil)
		return
	}
	if err := checkLaunch(m); err != nil {
		c.Log().WithError(err).Errorf("Failed to launch executor %s", k)
		w.report(c, k, deploy.ExecutorState_FAILED, err.Error(), nil)
		return
	}
	if w.ending {
		c.Log().Warnf("Asked to launch executor %s while shutting down", k)
		w.report(c, k, deploy.ExecutorState_FAILED, shuttingDown, nil)
		return
	}
	if w.books.find(k) != nil { // no report: by a FAILED the Master would forget the live one
		c.Log().Warnf("Asked to launch executor %s, which runs already", k)
		return
	}
	if err := w.checkResources(m.GetResources()); err != nil {
		c.Log().WithError(err).Errorf("Failed to launch executor %s", k)
		w.report(c, k, deploy.ExecutorState_FAILED, err.Error(), nil)
		return
	}
	c.Log().Infof("Asked to launch executor %s for %s", k, m.GetAppDesc().GetName())
	x := &executor{
		key: k, rpID: m.GetRpId(), cores: int(m.GetCores()), memoryMB: int(m.GetMemory()), desc: m.GetAppDesc(), resources: m.GetResources(),
	}
	w.books.add(x)
	// No reason to refuse: the Master gives cores again as soon as it has ordered an executor to end, before that has ended.
	if w.books.coresUsed > w.cfg.Cores || w.books.memoryUsedMB > w.cfg.MemoryMB {
		c.Log().Warnf("The Master orders more than this worker has: %d of %d cores, %d of %d MiB",
			w.books.coresUsed, w.cfg.Cores, w.books.memoryUsedMB, w.cfg.MemoryMB)
	}
	c.State("executor", k.String(), "", x.state.String(), "LaunchExecutor")
	w.initializeShuffle(c, k.app)
	w.prepare(c, x, m)
}

// prepare makes an executor's directories, then starts it. A kill that comes in between holds.
func (w *Worker) prepare(c *rpcenv.Context, x *executor, m *deploy.LaunchExecutor) {
	if w.cfg.Directories == nil {
		w.startProcess(c, x, w.command(m, Prepared{}))
		return
	}
	prepare, p := w.cfg.Directories.Prepare, Preparation{App: x.key.app, Dir: w.executorDir(m), Resources: m.GetResources()}
	rpcenv.Run(c, "directories", func(b *rpcenv.Blocking) (Prepared, error) {
		return prepare(b, p)
	}, func(made Prepared, err error) {
		switch {
		case x.killed: // KillExecutor found no process to end, so it ends here
			w.sendKilled(c, x, nil)
		case err != nil:
			c.Log().WithError(err).Errorf("Failed to launch executor %s", x.key)
			w.sendChanged(c, x, deploy.ExecutorState_FAILED, err.Error(), nil)
		default:
			w.startProcess(c, x, w.command(m, made))
		}
	})
}

// shuttingDown is why executors end with their Worker.
const shuttingDown = "Worker shutting down"

// decommissioned is why a Worker that takes no more executors ends one that it was ordered to launch.
const decommissioned = "Worker is decommissioned"

// sendKilled is the end of an executor that was killed: by the Master, or by the Worker's own end, of which ExecutorRunner's
// shutdown hook makes a failure.
func (w *Worker) sendKilled(c *rpcenv.Context, x *executor, status *int32) {
	if x.ending {
		w.sendChanged(c, x, deploy.ExecutorState_FAILED, shuttingDown, status)
		return
	}
	w.sendChanged(c, x, deploy.ExecutorState_KILLED, fmt.Sprintf("Runner thread for executor %s interrupted", x.key), status)
}

// startProcess starts x's process. The Worker sends itself what becomes of it, as Spark's ExecutorRunner thread does.
func (w *Worker) startProcess(c *rpcenv.Context, x *executor, cmd rpcenv.Command) {
	process, err := c.Start(cmd, func(e rpcenv.Exit) { w.processEnded(c, x, e) })
	if err != nil {
		w.sendChanged(c, x, deploy.ExecutorState_FAILED, fmt.Sprintf("Error running executor: %v", err), nil)
		return
	}
	x.process = process
	w.sendChanged(c, x, deploy.ExecutorState_RUNNING, "", nil)
}

// processEnded is the end of an executor's process.
func (w *Worker) processEnded(c *rpcenv.Context, x *executor, e rpcenv.Exit) {
	code := int32(e.Code)
	switch {
	case x.killed: // whatever the code: the end was wanted
		w.sendKilled(c, x, &code)
	case e.Err != nil:
		w.sendChanged(c, x, deploy.ExecutorState_FAILED, fmt.Sprintf("Error running executor: %v", e.Err), nil)
	default:
		w.sendChanged(c, x, deploy.ExecutorState_EXITED, exited(e), &code)
	}
}

// exited is Spark's message of a process that ended by itself, and then why it did, where its stderr says that.
func exited(e rpcenv.Exit) string {
	return fmt.Sprintf("Command exited with code %d%s", e.Code, after(e.Words))
}

// after is what follows a sentence about a process: its last words, if it has any.
func after(words string) string {
	if words == "" {
		return ""
	}
	return ": " + words
}

func (w *Worker) sendChanged(c *rpcenv.Context, x *executor, s deploy.ExecutorState, message string, status *int32) {
	c.Send(c.Self(), ExecutorStateChanged{AppID: x.key.app, ExecID: x.key.id, State: s, Message: message, ExitStatus: status})
}

// executorStateChanged changes the books and reports to the Master.
func (w *Worker) executorStateChanged(c *rpcenv.Context, m ExecutorStateChanged) {
	x := w.books.find(key{m.AppID, m.ExecID})
	if x == nil || !mayFollow(x.state, m.State) {
		c.Log().Infof("Unknown Executor %s/%d changed state to %s", m.AppID, m.ExecID, m.State)
		return
	}
	c.State("executor", x.key.String(), x.state.String(), m.State.String(), m.Message)
	x.state, x.message, x.exitStatus = m.State, m.Message, m.ExitStatus
	// Before checkShutdown, below: the Worker must not end before the Master has this report.
	w.report(c, x.key, m.State, m.Message, m.ExitStatus)
	if !finished(m.State) {
		return
	}
	text := " message " + m.Message
	if m.ExitStatus != nil {
		text += fmt.Sprintf(" exitStatus %d", *m.ExitStatus)
	}
	c.Log().Infof("Executor %s finished with state %s%s", x.key, m.State, text)
	w.books.end(x)
	w.cleanUpShuffle(c, x)
	w.maybeCleanupApplication(c, x.key.app)
	w.checkShutdown()
}

// killExecutor ends an executor; the report that it has ended comes later. A second order changes nothing.
func (w *Worker) killExecutor(c *rpcenv.Context, m *deploy.KillExecutor) {
	if w.refuses(c, "KillExecutor", m.GetMasterTerm()) || w.fromOther(c, m.GetMasterUrl(), "kill executor") {
		return
	}
	k := key{m.GetAppId(), m.GetExecId()}
	x := w.books.find(k)
	if x == nil {
		c.Log().Infof("Asked to kill unknown executor %s", k)
		return
	}
	c.Log().Infof("Asked to kill executor %s", k)
	x.kill()
}

// kill ends x's process, once. An executor without a process does not get one any more.
func (x *executor) kill() {
	if x.killed { // a second SIGTERM could end a process that is cleaning up
		return
	}
	x.killed = true
	if x.process != nil {
		x.process.Kill(killGrace)
	}
}

// applicationFinished removes what the application has on this machine, once none of its executors is left.
func (w *Worker) applicationFinished(c *rpcenv.Context, m *deploy.ApplicationFinished) {
	if w.refuses(c, "ApplicationFinished", m.GetMasterTerm()) {
		return
	}
	w.books.finishApp(m.GetId())
	w.maybeCleanupApplication(c, m.GetId())
}

func (w *Worker) maybeCleanupApplication(c *rpcenv.Context, app string) {
	if w.books.forgetApp(app) {
		w.stopShuffle(c, app, func() { w.removeDirectories(c, app) })
	}
}

func (w *Worker) removeDirectories(c *rpcenv.Context, app string) {
	if w.cfg.Directories == nil {
		return
	}
	c.Log().Infof("Cleaning up local directories for application %s", app)
	remove := w.cfg.Directories.Remove
	rpcenv.Run(c, "directories", func(b *rpcenv.Blocking) (struct{}, error) {
		return struct{}{}, remove(b, app)
	}, func(_ struct{}, err error) {
		if err != nil {
			c.Log().WithError(err).Errorf("Clean up app directory %s failed", app)
		}
	})
}
