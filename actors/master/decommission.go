package master

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// DecommissionWorkers takes Workers out of service by their ids. It mirrors DeployMessages.DecommissionWorkers.
type DecommissionWorkers struct {
	rpcenv.Local
	IDs []string
}

// workerDecommissioning is a Worker's own wish.
func (m *Master) workerDecommissioning(c *rpcenv.Context, d *deploy.WorkerDecommissioning) {
	if m.state == RecoveryStandby {
		answerPeer(c, c.Ref(d.GetWorker()), &deploy.MasterInStandby{})
		return
	}
	c.Log().Infof("Recording worker %s decommissioning", d.GetId())
	w := m.idToWorker[d.GetId()]
	if w == nil {
		c.Log().Warnf("Unknown worker %s wants to be decommissioned", d.GetId())
		return
	}
	if m.decommissionWorker(c, w) {
		m.schedule(c)
	}
}

// decommissionWorkersOnHosts has the Workers of the hosts decommissioned, and returns their number at once.
func (m *Master) decommissionWorkersOnHosts(c *rpcenv.Context, d *deploy.DecommissionWorkersOnHosts) {
	var ids []string
	for _, w := range m.workers.all() {
		at := m.addressToWorker[w.Ref.Address] == w // neither dead nor replaced
		if at && slices.ContainsFunc(d.GetHostnames(), func(h string) bool { return strings.EqualFold(h, w.Host) }) {
			ids = append(ids, w.ID)
		}
	}
	c.Log().Infof("Decommissioning the workers %v on %v", ids, d.GetHostnames())
	if len(ids) > 0 { // as a message to itself, as in Spark: the answer does not wait for it
		c.Send(c.Self(), DecommissionWorkers{IDs: ids})
	}
	rpcenv.Reply(c, d, &deploy.DecommissionWorkersOnHostsResponse{Count: int32(len(ids))})
}

// decommissionWorkers takes each Worker out of service, and sends DecommissionWorker to it after the messages to the drivers.
func (m *Master) decommissionWorkers(c *rpcenv.Context, d DecommissionWorkers) {
	for _, id := range d.IDs {
		if w := m.idToWorker[id]; w != nil && m.decommissionWorker(c, w) {
			c.Send(w.Ref, &deploy.DecommissionWorker{MasterTerm: m.cfg.Term})
		}
	}
	// Once for all of them: a decision between two could give what the first had to the second, which goes next.
	m.schedule(c)
}

// decommissionWorker takes a Worker out of service: it gets nothing more, and the drivers hear of each executor that they will
// lose. Those stay on the Worker's record until they end, but are no longer the application's, which may get others; so no
// driver hears of their end. False: it was out of service before.
func (m *Master) decommissionWorker(c *rpcenv.Context, w *workerInfo) bool {
	if w.State == WorkerDecommissioned {
		c.Log().Infof("Worker %s is decommissioned already", w.ID)
		return false
	}
	if !m.setWorker(c, w, WorkerDecommissioned, "decommissioned") {
		return false
	}
	c.Log().Infof("Decommissioning worker %s on %s", w.ID, w.HostPort())
	m.persist(c, workerPrefix+w.ID, nil) // a new Master must not take it for one that gets executors
	for _, e := range w.executors {
		c.Log().Infof("Telling app of decommission executors: %s", e.FullID())
		c.Send(e.App.Driver, &deploy.ExecutorUpdated{
			Id: proto.Int32(int32(e.ID)), State: deploy.ExecutorState_DECOMMISSIONED, Message: proto.String("worker decommissioned"),
			WorkerHost: proto.String(w.Host), MasterTerm: m.cfg.Term,
		})
		m.setExecutor(c, e, deploy.ExecutorState_DECOMMISSIONED, "worker decommissioned")
		e.App.removeExecutor(e)
	}
	return true
}

// executor finds an executor on w that has not ended, also one that its application has lost by a decommission; nil: w has none
// such.
func (w *workerInfo) executor(app string, id int) *executorDesc {
	for _, e := range w.executors {
		if e.ID == id && e.App.ID == app {
			return e
		}
	}
	return nil
}
