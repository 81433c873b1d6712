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

// stopOnYARN ends the driver: YARN is told before the executors, so that it starts none in their place. An application whose
// ApplicationMaster cannot be told, perhaps as there is none yet, is given up in client mode.
func (d *Driver) stopOnYARN(b *rpcenv.Blocking, code int) error {
	heard, told := rpcenv.AskWait(b, d.ref(yarnscheduler.Name), yarnscheduler.StopBackend{Code: code})
	if told == nil && !heard.GetValue() {
		_, told = rpcenv.AskWait(b, d.ref(yarnclient.Name), yarnclient.GiveUp{})
	}
	_, executors := rpcenv.AskWait(b, d.ref(Name), StopExecutors{})
	_, scheduler := rpcenv.AskWait(b, d.ref(Name), StopDriver{})
	d.env.Stop(yarnscheduler.Name)
	d.env.Stop(yarnclient.Name)
	d.stopRest()
	return errors.Join(unlessGone(told), unlessGone(executors), unlessGone(scheduler))
}

// startOnYARN is the Scheduler's start on YARN. Settings that contradict each other were told when the application was made.
func (s *Scheduler) startOnYARN(c *rpcenv.Context, yarn rpcenv.Ref) {
	s.yarn = yarn
	s.expected, _ = allocation.InitialTarget(c.Conf())
	if id := s.cfg.YARN.AppID; id != "" {
		s.submitted(c, id)
	}
}

// yarnEvent takes what YarnScheduler and YarnClient tell, which in Spark are YarnSchedulerBackend and its subclasses; false:
// m is something else.
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
	c.SetLog(c.Log().WithField("app", id))
	start := event.ApplicationStart{AppID: id, Name: s.cfg.AppName}
	s.listen(c, start)
	s.tellAllocation(c, start)
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
	for len(s.executors.sorted) > 0 {
		s.removeExecutor(c, s.executors.sorted[0].id, tasks.Loss{Message: "Stale executor after cluster manager re-registered."})
	}
	s.tellAllocation(c, allocation.Reset{})
}

func (s *Scheduler) decommissionHost(c *rpcenv.Context, m yarnscheduler.DecommissionHost) {
	for _, e := range s.executors.sorted {
		if e.host == m.Host && s.decommission(c, e, fmt.Sprintf("Decommissioning executor %s on host %s", e.id, e.host)) {
			c.Send(e.ref, &app.DecommissionExecutor{})
		}
	}
}

// applicationEnded is YARN's word that the application is over, in client mode.
func (s *Scheduler) applicationEnded(c *rpcenv.Context, m yarnclient.Ended) {
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
		s.removeExecutor(c, id, why) // which may be gone since: the ApplicationMaster's word can overtake its answer
	})
}
