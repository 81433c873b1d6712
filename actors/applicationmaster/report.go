package applicationmaster

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/coherer/coherer/actors/applicationmaster/allocator"
	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// progress is how far an application is, in every call: it does not know.
const progress = 0.1

// report makes the next call, unless the application has failed too often. No tick comes while a call is out, or after the
// end. It mirrors a round of allocationThreadImpl.
func (m *ApplicationMaster) report(c *rpcenv.Context) {
	failed := yarn.FinalApplicationStatus_APP_FAILED
	most := maxExecutorFailures(c.Conf())
	switch {
	case m.alloc.Failed(c.Now()) >= most:
		m.finish(c, failed, ExitMaxExecutorFailures, fmt.Sprintf("Max number of executor failures (%d) reached", most))
	case m.alloc.AllNodesExcluded():
		m.finish(c, failed, ExitMaxExecutorFailures, "Due to executor failures all available nodes are excluded")
	default:
		m.allocate(c)
	}
}

// allocate sends the ResourceManager what it has not heard.
func (m *ApplicationMaster) allocate(c *rpcenv.Context) {
	for _, change := range m.alloc.Update() {
		b := change.Before
		c.Log().Infof("Updating resource requests for ResourceProfile id: %d, target: %d, pending: %d, running: %d, executorsStarting: %d",
			b.Profile, b.Target, b.Pending, b.Running, b.Starting)
		if change.Requested > 0 {
			c.Log().Infof("Will request %d executor container(s) for ResourceProfile Id: %d", change.Requested, b.Profile)
		}
	}
	m.traceBalance(c)
	// A call that may have been heard goes out as it was; again makes the next one, with newer wishes, follow soon.
	if m.again = m.unheard; !m.unheard {
		m.call = m.alloc.RM.Take()
	}
	m.unheard = false
	m.inFlight, m.since = true, c.Now()
	m.send(c)
}

// BalanceText is how the trace shows the books of a profile (allocator.Balance), joined by "; ".
const BalanceText = "profile=%d target=%d pending=%d running=%d starting=%d"

// traceBalance puts the books into the trace, right after an update, when they are in balance.
func (m *ApplicationMaster) traceBalance(c *rpcenv.Context) {
	var out []string
	for _, b := range m.alloc.Balances() {
		out = append(out, fmt.Sprintf(BalanceText, b.Profile, b.Target, b.Pending, b.Running, b.Starting))
	}
	now := strings.Join(out, "; ")
	if now != m.balance {
		c.State("asks", m.cfg.Attempt.App.String(), m.balance, now, "")
		m.balance = now
	}
}

// send sends the call that is out, again when the ResourceManager did not answer. By its response id the ResourceManager knows a
// call that it has heard already.
func (m *ApplicationMaster) send(c *rpcenv.Context) {
	q := &yarn.AllocateRequest{
		ResponseId: m.call.ResponseID, Progress: progress, ApplicationAttemptId: m.cfg.Attempt.Proto(), AmRmToken: m.token,
	}
	for _, a := range m.call.Asks {
		q.Ask = append(q.Ask, &yarn.ResourceRequest{
			Priority: &yarn.Priority{Priority: a.Priority}, ResourceName: a.Name, NumContainers: a.Count,
			Capability:    &yarn.Resource{Memory: a.Capability.MemoryMB, VirtualCores: a.Capability.VCores},
			RelaxLocality: &a.RelaxLocality, NodeLabelExpression: a.Label,
		})
	}
	for _, text := range m.call.Releases {
		id, _ := ids.ParseContainer(text) // it was made by String
		q.Release = append(q.Release, id.Proto())
	}
	if len(m.call.BlacklistAdditions) > 0 || len(m.call.BlacklistRemovals) > 0 {
		q.BlacklistRequest = &yarn.ResourceBlacklistRequest{
			BlacklistAdditions: m.call.BlacklistAdditions, BlacklistRemovals: m.call.BlacklistRemovals,
		}
	}
	rpcenv.Ask(c, m.rm, q, func(r *yarn.AllocateResponse, err error) {
		if err == nil {
			err = commanded(r)
		}
		switch {
		case m.finished: // end has cancelled the calls
		case err == nil:
			m.failures = 0
			// Before wait, which looks at what is still wanted.
			m.allocated(c, r)
			m.wait(c)
		case rmproxy.MayRetry(c, m.since, err):
			c.Log().Warnf("The ResourceManager does not answer: %v", err)
			m.proxy.Again(c, m.send)
		case errors.Is(err, exceptions.ApplicationMasterNotRegistered):
			c.Log().Info("ApplicationMaster is out of sync with ResourceManager, hence resyncing.")
			m.resync(c)
		default:
			m.allocateFailed(c, err)
		}
	})
}

// commanded is the older way of a ResourceManager to say what its exceptions say.
func commanded(r *yarn.AllocateResponse) error {
	switch r.GetAMCommand() {
	case yarn.AMCommand_AM_RESYNC:
		return exceptions.ApplicationMasterNotRegistered
	case yarn.AMCommand_AM_SHUTDOWN:
		return exceptions.ApplicationAttemptNotFound
	}
	return nil
}

// resync registers anew with a ResourceManager that forgot this one, and sends it everything.
func (m *ApplicationMaster) resync(c *rpcenv.Context) {
	m.register(c, func(c *rpcenv.Context) {
		m.alloc.RM.Reregistered()
		m.allocate(c)
	})
}

// allocateFailed handles a call's failure. The next call repeats the content of a refused one. A ResourceManager that perhaps
// heard this call would answer the next one, which has the same response id, as it did this one and read nothing of it: so the
// next call is this one again.
func (m *ApplicationMaster) allocateFailed(c *rpcenv.Context, err error) {
	m.failures++
	failed := yarn.FinalApplicationStatus_APP_FAILED
	// YARN has given this attempt up, and may have started another: it takes no call of this one any more.
	if errors.Is(err, exceptions.ApplicationAttemptNotFound) {
		c.Log().Errorf("Exception from Reporter thread: %v", err)
		m.finish(c, failed, ExitReporterFailure, err.Error())
		return
	}
	if most := yarnReporterMaxFailures.Get(c.Conf()); m.failures >= most {
		m.finish(c, failed, ExitReporterFailure, fmt.Sprintf("Exception was thrown %d time(s) from Reporter thread: %v", m.failures, err))
		return
	}
	c.Log().Warnf("Reporter thread fails %d time(s) in a row: %v", m.failures, err)
	if m.unheard = rmproxy.Passing(err); !m.unheard {
		m.alloc.RM.Failed(m.call)
	}
	m.wait(c)
}

// wait ends a call, and arms the next one.
func (m *ApplicationMaster) wait(c *rpcenv.Context) {
	m.inFlight, m.answered = false, c.Now()
	sleep := m.pace.Sleep(m.alloc.Wanted())
	if m.again {
		m.again = false
		m.pace.Reset()
		sleep = m.rest(c)
	}
	m.timer = c.After(sleep, Report{})
	// Last: a held ask may wake the timer that was just set.
	m.unlock()
}

// wake brings the next call forward. It mirrors resetAllocatorInterval.
func (m *ApplicationMaster) wake(c *rpcenv.Context) {
	m.pace.Reset()
	if m.inFlight {
		m.again = true
		return
	}
	if !m.timer.Active() { // before the first call, or after the end
		return
	}
	c.Cancel(m.timer)
	m.timer = c.After(m.rest(c), Report{})
}

// rest is how long a call that was woken has still to wait.
func (m *ApplicationMaster) rest(c *rpcenv.Context) time.Duration {
	if m.historic.nanoseconds {
		return 0
	}
	return m.pace.Rest(c.Now().Sub(m.answered))
}

// allocated takes an answer of the ResourceManager.
func (m *ApplicationMaster) allocated(c *rpcenv.Context, r *yarn.AllocateResponse) {
	m.alloc.RM.Answered(r.GetResponseId())
	// The ResourceManager has rolled its key; it soon takes no calls with the old token.
	if t := r.GetAmRmToken(); t != nil {
		m.token = t
	}
	// Before the containers: each NodeManager is asked with its token.
	for _, t := range r.GetNmTokens() {
		if at, ok := nodeAddress(t.GetNodeId()); ok {
			m.nmTokens[at] = t.GetToken()
		}
	}
	m.alloc.SetClusterNodes(int(r.GetNumClusterNodes()))
	m.updatedNodes(c, r.GetUpdatedNodes())
	m.allocatedContainers(c, r.GetAllocatedContainers())
	// After the containers that were given: an answer may have a container and its end.
	m.completedContainers(c, r.GetCompletedContainerStatuses())
}

// updatedNodes reports nodes that take no more containers to the driver.
func (m *ApplicationMaster) updatedNodes(c *rpcenv.Context, nodes []*yarn.NodeReport) {
	if !membership.DecommissionEnabled.Get(c.Conf()) {
		return
	}
	var hosts []string
	for _, n := range nodes {
		if n.GetNodeState() == yarn.NodeState_NS_DECOMMISSIONING {
			hosts = append(hosts, n.GetNodeId().GetHost())
		}
	}
	for _, h := range m.alloc.Decommissioning(hosts) {
		c.Send(m.driver, &app.DecommissionExecutorsOnHost{HostName: h})
	}
}

// completedContainers takes the ends of containers.
func (m *ApplicationMaster) completedContainers(c *rpcenv.Context, statuses []*yarn.ContainerStatus) {
	var completed []allocator.Completed
	for _, s := range statuses {
		id, err := ids.ContainerFrom(s.GetContainerId())
		if err != nil {
			c.Log().Warnf("Ignored the end of a container: %v", err)
			continue
		}
		completed = append(completed, allocator.Completed{ContainerID: id.String(), ExitStatus: int(s.GetExitStatus()), Diagnostics: s.GetDiagnostics()})
	}
	for _, e := range m.alloc.CompletedContainers(completed, c.Now()) {
		if !e.Requested {
			onHost := ""
			if e.Host != "" { // else it is nobody's
				onHost = " on host: " + e.Host
			}
			c.Log().Infof("Completed container %s%s (exit status: %d)", e.ContainerID, onHost, e.Reason.ExitStatus)
		}
		c.State("container", e.ContainerID, "", "COMPLETED", e.Reason.Message)
		if e.ExecutorID == "" {
			continue
		}
		why := exited(e.Reason)
		// Before RemoveExecutor: a driver that waits for the reason removes the executor with the answer.
		for _, call := range m.lossCalls[e.ExecutorID] {
			call.Reply(why)
		}
		delete(m.lossCalls, e.ExecutorID)
		if !e.Requested { // else the driver asked for the end itself
			c.Send(m.driver, &app.RemoveExecutor{ExecutorId: e.ExecutorID, Reason: e.Reason.Message, Exited: why})
		}
	}
}

func exited(r allocator.Reason) *app.ExecutorExited {
	return &app.ExecutorExited{ExitCode: int32(r.ExitStatus), ExitCausedByApp: r.CausedByApp, Reason: r.Message}
}
