package driver

import (
	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/heartbeat"
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

// disassociated is the loss of an executor when only the end of its connection is known.
var disassociated = tasks.Loss{
	Message: "Remote RPC client disassociated. Likely due to containers exceeding thresholds, or network issues. " +
		"Check driver logs for WARN messages.",
	CausedByApp: true,
}

// Exit codes of an executor that are not the application's fault (ExecutorExitCode).
const (
	exitDiskStoreFailed       = 53
	exitHeartbeatFailure      = 56
	exitReregistrationFailure = 58
)

// lossOf is what an executor's end, as the Master reports it, means. A worker's host comes with the loss of the whole
// worker.
func lossOf(message string, exitStatus *int32, workerLost bool) tasks.Loss {
	if exitStatus == nil {
		return tasks.Loss{Message: message, CausedByApp: !workerLost}
	}
	switch *exitStatus {
	case exitDiskStoreFailed, exitHeartbeatFailure, exitReregistrationFailure:
		return tasks.Loss{Message: message}
	}
	return tasks.Loss{Message: message, CausedByApp: true}
}

// OnConnected is a callback of the endpoint.
func (s *Scheduler) OnConnected(*rpcenv.Context, rpcenv.Address) {}

// OnDisconnected is a callback of the endpoint: the executor at that address gets no more tasks and is removed later,
// unless the Master says first why it went; on YARN the ApplicationMaster is asked.
func (s *Scheduler) OnDisconnected(c *rpcenv.Context, peer rpcenv.Address) {
	e := s.executors.byAddress[peer]
	// At the driver's end the executors disconnect because it stopped them.
	if e == nil || e.lossPending || s.stopping {
		return
	}
	// Its tasks are not given up yet: the reason decides whether their failures count.
	e.lossPending = true
	s.apply(c, s.tasks.ExecutorLost(e.id, tasks.Loss{Pending: true}, c.Now()))
	c.Log().Infof("Executor %s on %s disconnected; waiting for the cluster to say why", e.id, e.host)
	e.becomes(c, "LOSS_PENDING", "disconnected")
	s.publish(c, event.ExecutorChange{
		Kind: event.ExecutorLossPending, ExecutorID: e.id, Host: e.host, Reason: "Pending loss reason.", CausedByApp: true,
	})
	if s.cfg.YARN != nil {
		// No timer: the ask ends with an answer or a failure, and either removes the executor.
		s.askLossReason(c, e.id)
		return
	}
	e.removal = c.After(executorRemoveDelayOnDisconnection.Get(c.Conf()), RemoveDisconnected{ExecutorID: e.id})
}

// removeDisconnected gives up an executor whose connection ended, for which no reason has come.
func (s *Scheduler) removeDisconnected(c *rpcenv.Context, m RemoveDisconnected) {
	s.removeExecutor(c, m.ExecutorID, disassociated)
}

// removeExecutor gives an executor up. It sends StopExecutor, in case the executor lives. An unknown one is only logged. It mirrors
// CoarseGrainedSchedulerBackend.removeExecutor, which puts ExecutorKilled or ExecutorDecommission in place of the given reason.
func (s *Scheduler) removeExecutor(c *rpcenv.Context, id string, why tasks.Loss) {
	e := s.executors.byID[id]
	if e == nil {
		c.Log().Infof("Asked to remove non-existent executor %s", id)
		return
	}
	c.Cancel(e.removal)
	// The cluster wanted its end, so the failures of its tasks do not count, whoever reports it and whatever the report says.
	switch {
	case e.removing:
		why = tasks.Loss{Message: "Executor killed by driver."}
	case e.decommissioned:
		why = tasks.Loss{Message: "Executor decommission: " + why.Message, Decommissioned: true}
	}
	if !s.historic.tellsNobody {
		c.Send(e.ref, &app.StopExecutor{})
	}
	s.executors.remove(e)
	logLoss(c, e, why)
	e.becomes(c, "LOST", why.Message)
	// DAGScheduler must hear the ends of the attempts before the loss of their executor (package dag, Order).
	lost := s.tasks.ExecutorLost(e.id, why, c.Now())
	lost.Revive = false
	s.apply(c, lost)
	s.publish(c, event.ExecutorChange{
		Kind: event.ExecutorLost, ExecutorID: e.id, Host: e.host, Reason: why.Message, CausedByApp: why.CausedByApp,
	})
	// Tasks of the lost executor may start elsewhere at once.
	s.offerAll(c)
}

// logLoss says with Spark's words that an executor is gone: an error unless it was the driver's wish (TaskSchedulerImpl.logExecutorLoss).
func logLoss(c *rpcenv.Context, e *executor, why tasks.Loss) {
	switch {
	case e.removing:
		c.Log().Infof("Executor %s on %s killed by driver.", e.id, e.host)
	case e.decommissioned:
		c.Log().Infof("Executor %s on %s is decommissioned: %s", e.id, e.host, why.Message)
	default:
		c.Log().Errorf("Lost executor %s on %s: %s", e.id, e.host, why.Message)
	}
}

// expireExecutor makes the Master kill an executor that is silent and start another, and removes it.
func (s *Scheduler) expireExecutor(c *rpcenv.Context, m heartbeat.ExpireExecutor) {
	why := tasks.Loss{Message: m.Reason, CausedByApp: true}
	if s.historic.halfRemoves {
		s.apply(c, s.tasks.ExecutorLost(m.ExecutorID, why, c.Now()))
		return
	}
	// The driver removes it, too: a hung executor may keep its connection, so that nothing else would take it out of this
	// book, and it would go on to get tasks (SPARK-27348).
	if !s.historic.tellsNobody {
		s.endExecutors(c, []string{m.ExecutorID})
	}
	s.removeExecutor(c, m.ExecutorID, why)
}
