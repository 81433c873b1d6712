package driver

import (
	"fmt"

	"github.com/coherer/coherer/actors/appclient"
	"github.com/coherer/coherer/actors/driver/allocation"
	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// executorDecommissioned is the Master's report of a decommissioned Worker: the executor is to finish what it runs.
func (s *Scheduler) executorDecommissioned(c *rpcenv.Context, m appclient.ExecutorDecommissioned) {
	if e := s.executors.byID[executorID(m.FullID)]; e != nil && s.decommission(c, e, m.WorkerHost != nil, m.Message) {
		c.Send(e.ref, &app.DecommissionExecutor{})
	}
}

// executorDecommissioning is an executor's report of its own decommission, which needs no DecommissionExecutor.
func (s *Scheduler) executorDecommissioning(c *rpcenv.Context, m *app.ExecutorDecommissioning) {
	e := s.executors.byID[m.GetExecutorId()]
	if e == nil {
		c.Log().Warnf("Ignored the decommission of executor %q, which is not known", m.GetExecutorId())
		rpcenv.Reply(c, m, &rpc.Bool{})
		return
	}
	took := s.decommission(c, e, false, fmt.Sprintf("Executor %s is decommissioned.", e.id))
	rpcenv.Reply(c, m, &rpc.Bool{Value: took})
}

// decommission keeps tasks from an executor that is to go, with its whole machine if worker; false when it gets none already. It mirrors
// CoarseGrainedSchedulerBackend.decommissionExecutors.
func (s *Scheduler) decommission(c *rpcenv.Context, e *executor, worker bool, why string) bool {
	if e.decommissioned || e.lossPending {
		return false
	}
	c.Log().Infof("Decommission executor %s: %s", e.id, why)
	e.becomes(c, "DECOMMISSIONED", why)
	e.decommissioned = true
	s.apply(c, s.tasks.Decommission(e.id, worker, c.Now()))
	s.publish(c, event.ExecutorChange{Kind: event.ExecutorDecommissioned, ExecutorID: e.id, Host: e.host, Reason: why, WholeHost: worker})
	s.tellAllocation(c, allocation.ExecutorDecommissioning{ExecutorID: e.id})
	return true
}

// decommissionExecutors ends executors that ExecutorAllocationManager gives back, with spark.decommission.enabled.
func (s *Scheduler) decommissionExecutors(c *rpcenv.Context, m allocation.DecommissionExecutors) {
	var ids []string
	for _, id := range m.IDs {
		if e := s.executors.byID[id]; e != nil && !e.removing && s.decommission(c, e, false, "spark scale down") {
			c.Send(e.ref, &app.DecommissionExecutor{})
			ids = append(ids, id)
		}
	}
	rpcenv.Reply(c, m, allocation.Removed{IDs: ids})
}

// removedBySelf is an executor's report of its own end.
func (s *Scheduler) removedBySelf(c *rpcenv.Context, m *app.RemoveExecutor) {
	why := tasks.Loss{Message: m.GetReason(), CausedByApp: true}
	if x := m.GetExited(); x != nil { // from the ApplicationMaster, which knows the exit code
		why = tasks.Loss{Message: x.GetReason(), CausedByApp: x.GetExitCausedByApp()}
	}
	s.removeExecutor(c, m.GetExecutorId(), why)
}
