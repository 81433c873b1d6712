package master

import (
	"cmp"
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// registerWorker accepts a Worker. One with a known id that was not given up is a duplicate and keeps what it runs; another
// one at the address of a live one is refused.
func (m *Master) registerWorker(c *rpcenv.Context, r *deploy.RegisterWorker) {
	ref := c.Ref(r.GetWorker())
	if m.state == RecoveryStandby {
		answerPeer(c, ref, &deploy.MasterInStandby{})
		return
	}
	// First the check that costs the same however many Workers there are: it holds off a peer that sends thousands of
	// registrations. A known Worker adds none and passes.
	if by := m.workers.full(c.Sender()); by != nil && m.idToWorker[r.GetId()] == nil {
		m.refuseMore(c, by, rpcenv.Ref{Address: c.Sender(), Name: ref.Name})
		return
	}
	c.Log().Infof("Registering worker %s:%d with %d cores, %s RAM", r.GetHost(), r.GetPort(), r.GetCores(), megabytes(int(r.GetMemory())))
	if problem := cmp.Or(badWorker(r), badPeer(ref.Proto())); problem != "" {
		m.refuseWorker(c, ref, problem)
		return
	}
	if known := m.idToWorker[r.GetId()]; known != nil {
		if faultsOf(c.Conf()).refusesKnown {
			m.refuseWorker(c, ref, "Duplicate worker ID")
			return
		}
		if known.State == WorkerUnknown {
			m.setWorker(c, known, WorkerAlive, "registered")
		}
		// Orders may have been lost with the old connection; the WorkerLatestState that follows clears up which. A RUNNING
		// executor has reported, so its order arrived. A driver is RUNNING in the books as soon as it is ordered.
		for _, e := range known.executors {
			e.doubtful = e.State == deploy.ExecutorState_LAUNCHING
		}
		for _, d := range known.drivers {
			d.doubtful = true
		}
		m.acceptWorker(c, ref, r, true)
		return
	}
	m.workers.forgetDead(rpcenv.Address{Host: r.GetHost(), Port: int(r.GetPort())})
	if old := m.addressToWorker[ref.Address]; old != nil {
		if old.State != WorkerUnknown {
			m.refuseWorker(c, ref, "Attempted to re-register worker at same address: "+ref.Address.String())
			return
		}
		// A Worker of the leadership before that was started again: its new process has a new id, and the old one is gone.
		m.removeWorker(c, old, "Worker replaced by a new worker with same address")
	}
	w := newWorker(r, ref, c.Now())
	w.registrar = c.Sender()
	m.addWorker(c, w, "registered")
	m.persistWorker(c, w, r)   // before the answer, which waits for it: the next Master calls only the Workers in its records
	if r.GetDecommissioned() { // before schedule: its WorkerDecommissioning comes too late for that
		m.decommissionWorker(c, w)
	}
	m.acceptWorker(c, ref, r, false)
	if m.wanted(w) || faultsOf(c.Conf()).silentExit {
		m.schedule(c)
	}
}

// addWorker enters a Worker.
func (m *Master) addWorker(c *rpcenv.Context, w *workerInfo, why string) {
	m.workers.add(w)
	m.idToWorker[w.ID] = w
	m.addressToWorker[w.Ref.Address] = w
	c.State("worker", w.ID, "", w.State.String(), why)
}

// badWorker is what is wrong with a registration, or "".
func badWorker(r *deploy.RegisterWorker) string {
	switch {
	case r.GetId() == "" || r.GetHost() == "" || r.GetWorker().GetName() == "":
		return "A worker needs an id, a host and a reference"
	case r.GetCores() < 1 || r.GetMemory() < 1:
		return fmt.Sprintf("A worker needs at least 1 core and 1 MiB of memory, not %d and %d: set --cores and --memory",
			r.GetCores(), r.GetMemory())
	}
	return badResources(r.GetResources())
}

func (m *Master) acceptWorker(c *rpcenv.Context, worker rpcenv.Ref, r *deploy.RegisterWorker, duplicate bool) {
	m.doubts.Forget(worker.Address)
	c.Send(worker, &deploy.RegisteredWorker{
		Master: c.Self().Proto(), MasterWebUiUrl: m.cfg.WebUIURL, MasterAddress: r.GetMasterAddress(),
		Duplicate: proto.Bool(duplicate), MasterTerm: m.cfg.Term,
	})
}

func (m *Master) refuseWorker(c *rpcenv.Context, worker rpcenv.Ref, why string) {
	c.Log().Warn(why)
	answerPeer(c, worker, &deploy.RegisterWorkerFailed{Message: why, MasterTerm: m.cfg.Term})
}

// answerPeer answers by the reference that a peer gave; one that gave none hears nothing.
func answerPeer(c *rpcenv.Context, peer rpcenv.Ref, answer rpcenv.Message) {
	if !peer.IsZero() {
		c.Send(peer, answer)
	}
}

// refuseMore refuses a Worker of a peer that has registered as many as it may. The answer goes to the peer itself: no peer can
// make the Master call other hosts. The log has it once, until the peer has fewer.
func (m *Master) refuseMore(c *rpcenv.Context, by *registrar, peer rpcenv.Ref) {
	why := fmt.Sprintf("%s has registered %d workers, which is all that one peer may: a worker registers itself", peer.Address, workersPerPeer)
	if !by.refused {
		by.refused = true
		c.Log().Warn(why)
	}
	c.Send(peer, &deploy.RegisterWorkerFailed{Message: why, MasterTerm: m.cfg.Term})
}

// heartbeat keeps a Worker alive. The Master asks one that is not registered, given up or never heard of, to register.
func (m *Master) heartbeat(c *rpcenv.Context, h *deploy.Heartbeat) {
	if w := m.idToWorker[h.GetWorkerId()]; w != nil {
		w.LastHeartbeat = c.Now()
		return
	}
	if m.state == RecoveryStandby {
		return
	}
	c.Log().Warnf("Got heartbeat from unregistered worker %s. Asking it to re-register.", h.GetWorkerId())
	answerPeer(c, c.Ref(h.GetWorker()), &deploy.ReconnectWorker{MasterUrl: m.url(c), MasterTerm: m.cfg.Term})
}

// workerLatestState kills on a Worker what the Master does not know of: executors of applications that ended, and those that
// it counted as lost while the Worker was away (SPARK-13604). What the Master knows of and the Worker does not list may be on
// its way, since a LaunchExecutor can come right behind RegisteredWorker; but what was ordered before the Worker registered
// once more was lost with its old connection.
func (m *Master) workerLatestState(c *rpcenv.Context, s *deploy.WorkerLatestState) {
	w := m.idToWorker[s.GetId()]
	if w == nil {
		c.Log().Warnf("Worker state from unknown worker: %s", s.GetId())
		return
	}
	if w.unheard { // it registered before MasterChanged reached it: the list takes the place of WorkerSchedulerStateResponse
		m.adopt(c, w, asSchedulerState(s))
		m.completeIfPossible(c)
		return
	}
	ghosts := faultsOf(c.Conf()).ghosts
	for _, d := range s.GetExecutors() {
		if ghosts {
			continue
		}
		// Looked up on the Worker: its application no longer has an executor that was decommissioned.
		e := w.executor(d.GetAppId(), int(d.GetExecId()))
		if e == nil {
			m.orderKill(c, w, d.GetAppId(), int(d.GetExecId()))
			continue
		}
		e.doubtful = false
	}
	lost := m.latestDrivers(c, w, s.GetDriverIds())
	for _, e := range w.Executors() {
		if e.doubtful {
			m.loseExecutor(c, e, "its order was lost with the worker's connection", nil)
			lost = true
		}
	}
	if lost {
		m.schedule(c)
	}
}

// checkForWorkerTimeOut gives up Workers that were silent for spark.worker.timeout, and forgets those that have been dead for
// long.
func (m *Master) checkForWorkerTimeOut(c *rpcenv.Context) {
	timeout := membership.WorkerTimeout.Get(c.Conf())
	silent := c.Now().Add(-timeout)
	buried := c.Now().Add(-timeout * time.Duration(deadWorkerPersistence.Get(c.Conf())+1))
	seconds := int(timeout / time.Second)
	removed := false
	for _, w := range m.workers.all() {
		switch {
		case w.State != WorkerDead && w.LastHeartbeat.Before(silent):
			c.Log().Warnf("Removing %s because we got no heartbeat in %d seconds", w.ID, seconds)
			if m.loseWorker(c, w, fmt.Sprintf("Not receiving heartbeat for %d seconds", seconds)) {
				removed = true
			}
		case w.LastHeartbeat.Before(buried):
			m.workers.forgetDead(w.listens())
		}
	}
	// Once for all of them: a decision between two could give what the first had to the second, which is given up next.
	if removed {
		m.schedule(c)
	}
}

// removeWorker gives a Worker up and schedules anew what it had; if it had nothing, there is nothing to decide.
func (m *Master) removeWorker(c *rpcenv.Context, w *workerInfo, why string) {
	had := len(w.executors)+len(w.drivers) > 0 || faultsOf(c.Conf()).silentExit
	if m.loseWorker(c, w, why) && had {
		m.schedule(c)
	}
}

// loseWorker gives a Worker up: its executors are lost, and each driver gets a message for each executor that it loses and one
// for the Worker. The roster shows it as DEAD for a while. False: it was given up before.
func (m *Master) loseWorker(c *rpcenv.Context, w *workerInfo, why string) bool {
	if !m.setWorker(c, w, WorkerDead, why) { // DEAD first: what ends below does not become free, and the page shows what was used
		return false
	}
	m.workers.died(w)
	m.failed(c, failedWorker, w.ID, w.ID, w.State.String(), why)
	c.Log().Infof("Removing worker %s on %s", w.ID, w.HostPort())
	m.persist(c, workerPrefix+w.ID, nil)
	delete(m.idToWorker, w.ID)
	delete(m.addressToWorker, w.Ref.Address)
	m.doubts.Forget(w.Ref.Address)
	for _, e := range w.Executors() {
		m.loseExecutor(c, e, "worker lost: "+why, proto.String(w.Host))
	}
	for _, d := range w.drivers {
		m.loseDriver(c, d, "worker lost: "+why)
	}
	// Also those that no longer have an executor there: they lose what the machine stored.
	for _, app := range m.apps {
		c.Log().Infof("Telling app of lost worker: %s", w.ID)
		c.Send(app.Driver, &deploy.WorkerRemoved{Id: w.ID, Host: w.Host, Message: why, MasterTerm: m.cfg.Term})
	}
	return true
}

// setWorker changes a Worker's state; false: it cannot.
func (m *Master) setWorker(c *rpcenv.Context, w *workerInfo, to WorkerState, why string) bool {
	if !workerMoves.Move(c, w.ID, &w.State, to, why) {
		return false
	}
	w.roster.note(w)
	if to == WorkerDead || to == WorkerDecommissioned {
		w.reason = why
	}
	return true
}

// megabytes is a size in MiB as Spark writes it: in GiB from two of them on.
func megabytes(n int) string {
	if n >= 2048 {
		return fmt.Sprintf("%.1f GiB", float64(n)/1024)
	}
	return fmt.Sprintf("%d.0 MiB", n)
}
