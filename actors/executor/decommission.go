package executor

import (
	"fmt"
	"time"

	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// ExecutorDecommissionSigReceived says that the process got the signal spark.executor.decommission.signal. It is answered
// whether the executor is decommissioned then. It mirrors the message of that name in CoarseGrainedClusterMessages.
type ExecutorDecommissionSigReceived struct{ rpcenv.Local } //nolint:revive // Spark's name

// ReplyType makes the answer's type known to the compiler.
func (ExecutorDecommissionSigReceived) ReplyType() *rpc.Bool { return nil }

// CheckDecommission is the tick by which a decommissioned executor looks whether it has work left.
type CheckDecommission struct{ rpcenv.Local }

// decommissionTick is how often a decommissioned executor looks; the first time is after one of them. It mirrors the sleep
// in CoarseGrainedExecutorBackend.decommissionSelf.
const decommissionTick = time.Second

// decommissionExecutor is the driver's order.
func (e *Executor) decommissionExecutor(c *rpcenv.Context) { e.decommissionSelf(c) }

// executorDecommissionSigReceived is the machine's request. The driver hears of it first, so that it sends no more tasks.
func (e *Executor) executorDecommissionSigReceived(c *rpcenv.Context, m ExecutorDecommissionSigReceived) {
	if e.driver.IsZero() {
		c.Log().Error("Unable to decommission the executor: the driver is not known yet")
		rpcenv.Reply(c, m, &rpc.Bool{})
		return
	}
	call := rpcenv.Defer(c, m)
	rpcenv.Ask(c, e.driver, &app.ExecutorDecommissioning{ExecutorId: e.cfg.Args.ExecutorID}, func(took *rpc.Bool, err error) {
		if err != nil {
			c.Log().WithError(err).Error("Unable to report the decommission to the driver; the executor goes on")
		} else if took.GetValue() {
			e.decommissionSelf(c)
		}
		// Also true when it was decommissioned before.
		call.Reply(&rpc.Bool{Value: e.state.decommissioned})
	})
}

// decommissionSelf begins to move blocks away, and to wait for the end of the running tasks. Without spark.decommission.enabled nothing
// changes.
func (e *Executor) decommissionSelf(c *rpcenv.Context) {
	switch {
	case !membership.DecommissionEnabled.Get(c.Conf()):
		c.Log().Warnf("Receive decommission request, but decommission feature is disabled: set %s=true", membership.DecommissionEnabled.Key())
	case e.state.decommissioned || e.state.stopping: // the driver and the machine may both ask
	default:
		c.Log().Info("Decommission executor")
		e.state.decommissioned = true
		c.State("executor", e.cfg.Args.ExecutorID, "RUNNING", "DECOMMISSIONED", fmt.Sprintf("%d tasks run", len(e.tasks())))
		c.Every(decommissionTick, decommissionTick, CheckDecommission{})
		e.startMigration(c)
	}
}

// checkDecommission ends an executor that has no task and no block left. It reports the end to the driver, which then counts no failure.
func (e *Executor) checkDecommission(c *rpcenv.Context) {
	if len(e.tasks()) == 0 && e.migrated(c) {
		e.exit(c, 0, "Finished decommissioning", true)
	}
}
