package driver

import (
	"errors"
	"fmt"

	"github.com/coherer/coherer/actors/driver/allocation"
	"github.com/coherer/coherer/actors/driver/dag"
	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/actors/driver/yarnscheduler"
	"github.com/coherer/coherer/actors/yarnclient"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

// yarnRatio is spark.scheduler.minRegisteredResourcesRatio on YARN when it is not set.
const yarnRatio = 0.8

// yarnEndpoints are those of a driver on YARN in place of AppClient: YarnScheduler and, in client mode, the client that
// submits the application.
func (d *Driver) yarnEndpoints(cfg YARN) []named {
	all := []named{{yarnscheduler.Name, yarnscheduler.New(d.ref(Name))}}
	if cfg.Submission == nil {
		return all
	}
	s := *cfg.Submission
	s.Driver = d.env.Address()
	return append(all, named{yarnclient.Name, yarnclient.New(yarnclient.Config{
		ResourceManager: cfg.ResourceManager, Submit: &s, Listener: d.ref(Name),
	})})
}

// stopOnYARN ends the driver. The ApplicationMaster hears of it before the executors, so that it starts none in their place. In
// client mode an application whose ApplicationMaster cannot be reached, perhaps because none has registered yet, is given up.
func (d *Driver) stopOnYARN(b *rpcenv.Blocking, code int) error {
	heard, yarn := rpcenv.AskWait(b, d.ref(yarnscheduler.Name), yarnscheduler.StopBackend{Code: code})
	if yarn == nil && !heard.GetValue() {
		_, yarn = rpcenv.AskWait(b, d.ref(yarnclient.Name), yarnclient.GiveUp{})
	}
	_, executors := rpcenv.AskWait(b, d.ref(Name), StopExecutors{})
	_, scheduler := rpcenv.AskWait(b, d.ref(Name), StopDriver{})
	d.env.Stop(yarnscheduler.Name)
	d.env.Stop(yarnclient.Name)
	d.stopRest()
	return errors.Join(unlessGone(yarn), unlessGone(executors), unlessGone(scheduler))
}

// startOnYARN is the Scheduler's start on YARN. InitialTarget cannot fail: Start has refused settings that contradict each other.
func (s *Scheduler) startOnYARN(c *rpcenv.Context, yarn rpcenv.Ref) {
	s.yarn = yarn
	s.expected, _ = allocation.InitialTarget(c.Conf())
	if id := s.cfg.YARN.AppID; id != "" {
		s.submitted(c, id)
	}
}

// yarnEvent handles the messages of YarnScheduler and YarnClient, in Spark YarnSchedulerBackend and its subclasses. It returns
// false for all others.
func (s *Scheduler) yarnEvent(c *rpcenv.Context, m rpcenv.Message) bool {
	switch m := m.(type) {
	case yarnscheduler.ClusterManagerRegistered:
		s.clusterManagerRegistered(c)
	case yarnscheduler.RetrieveLastExecutorID:
		s.retrieveLastExecutorID(c, m)
	case yarnscheduler.DecommissionHost:
		s.decommissionHost(c, m)
	case yarnclient.Submitted:
		s.submitted(c, m.AppID)
	case yarnclient.Running:
		s.applicationRuns(c)
	case yarnclient.Ended:
		s.applicationEnded(c, m)
	default:
		return false
	}
	return true
}

func (s *Scheduler) submitted(c *rpcenv.Context, id string) {
	s.appID = id
	c.SetLog(c.Log().WithField("app", id))
	start := event.ApplicationStart{AppID: id, Name: s.cfg.AppName}
	s.listen(c, start)
	s.tellAllocation(c, start)
	s.toBus(c, start)
}

func (s *Scheduler) retrieveLastExecutorID(c *rpcenv.Context, m yarnscheduler.RetrieveLastExecutorID) {
	rpcenv.Reply(c, m, yarnscheduler.LastExecutorID{ID: s.lastID})
}

func (s *Scheduler) applicationRuns(c *rpcenv.Context) {
	c.Log().Info("The application has started running")
}

// clusterManagerRegistered forgets the executors of an ApplicationMaster that is gone: YARN ends them with its attempt. It
// mirrors YarnSchedulerBackend.reset.
func (s *Scheduler) clusterManagerRegistered(c *rpcenv.Context) {
	// Not the application's fault, so the failures of their tasks do not count.
	for len(s.executors.sorted) > 0 {
		s.removeExecutor(c, s.executors.sorted[0].id, tasks.Loss{Message: "Stale executor after cluster manager re-registered."})
	}
	// After the losses, so that ExecutorAllocationManager begins without the former executors.
	s.tellAllocation(c, allocation.Reset{})
}

func (s *Scheduler) decommissionHost(c *rpcenv.Context, m yarnscheduler.DecommissionHost) {
	for _, e := range s.executors.sorted {
		if e.host == m.Host && s.decommission(c, e, true, fmt.Sprintf("Decommissioning executor %s on host %s", e.id, e.host)) {
			c.Send(e.ref, &app.DecommissionExecutor{})
		}
	}
}

// applicationEnded handles YARN's report that the application is over, in client mode.
func (s *Scheduler) applicationEnded(c *rpcenv.Context, m yarnclient.Ended) {
	// The program ended the application itself.
	if s.stopping {
		return
	}
	reason := fmt.Sprintf("YARN application has exited unexpectedly with state %s! Check the YARN application logs for more details.", m.State)
	if m.AppID == "" {
		reason = "YARN did not take the application."
	}
	if m.Diagnostics != "" {
		reason += " Diagnostics message: " + m.Diagnostics
	}
	c.Send(s.dag, dag.ApplicationDead{Reason: reason, Line: reason})
}

// askLossReason asks why an executor's connection ended, and removes it with the answer. It mirrors
// YarnSchedulerEndpoint.handleExecutorDisconnectedFromDriver.
func (s *Scheduler) askLossReason(c *rpcenv.Context, id string) {
	rpcenv.Ask(c, s.yarn, &app.GetExecutorLossReason{ExecutorId: id}, func(r *app.ExecutorExited, err error) {
		why := tasks.Loss{Message: r.GetReason(), CausedByApp: r.GetExitCausedByApp()}
		if err != nil {
			why = tasks.Loss{Message: "Executor Process Lost: " + err.Error()}
		}
		// It may be gone by now: a RemoveExecutor of the ApplicationMaster can overtake this answer.
		s.removeExecutor(c, id, why)
	})
}
