package worker

import (
	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// WorkerDecommissionSigReceived says that the process got the signal spark.worker.decommission.signal. The Worker takes no
// more executors and reports that to its Master, and to each later one. It mirrors
// DeployMessages.WorkerDecommissionSigReceived.
type WorkerDecommissionSigReceived struct{ rpcenv.Local } //nolint:revive // Spark's name

// workerDecommissionSigReceived is the wish of the machine. Without spark.decommission.enabled nothing changes.
func (w *Worker) workerDecommissionSigReceived(c *rpcenv.Context) {
	if !w.decommissionSelf(c) {
		return
	}
	if w.reg.master.IsZero() {
		c.Log().Warn("WorkerDecommissioning waits until the connection to the Master is established")
		return
	}
	w.reportDecommissioned(c)
}

// reportDecommissioned reports to the Master that this Worker takes no more executors, if that is so. A Master that is new to
// this Worker hears it behind the list of what runs here: no record holds it.
func (w *Worker) reportDecommissioned(c *rpcenv.Context) {
	if w.decommissioned {
		c.Send(w.reg.master, &deploy.WorkerDecommissioning{Id: w.id, Worker: c.Self().Proto()})
	}
}

// decommissionWorker is the wish of the Master.
func (w *Worker) decommissionWorker(c *rpcenv.Context, m *deploy.DecommissionWorker) {
	if !w.refuses(c, "DecommissionWorker", m.GetMasterTerm()) {
		w.decommissionSelf(c)
	}
}

// decommissionSelf notes that no more executors are taken; false when that was so, or is not wanted. The Worker lives on
// with those that it has.
func (w *Worker) decommissionSelf(c *rpcenv.Context) bool {
	switch {
	case !membership.DecommissionEnabled.Get(c.Conf()):
		c.Log().Warnf("Receive decommission request, but decommission feature is disabled: set %s=true", membership.DecommissionEnabled.Key())
		return false
	case w.decommissioned:
		c.Log().Warnf("Worker %s was already decommissioned", w.id)
		return false
	}
	c.Log().Infof("Decommission worker %s", w.id)
	w.decommissioned = true
	return true
}
