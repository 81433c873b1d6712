package resourcemanager

import (
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// requestResourceManagerState answers with a copy of all books.
func (s *ClientRMService) requestResourceManagerState(c *rpcenv.Context, q *yarn.RequestResourceManagerState) {
	call := rpcenv.Defer(c, q)
	s.nodesAndBooks(c, func(nodes []*yarn.NodeReport, b scheduler.Books, err error) {
		if err != nil {
			call.Fail(err)
			return
		}
		t := queueTree{queues: b.Queues, use: b, recursive: true}
		r := &yarn.ResourceManagerStateResponse{
			StartedOn: s.life.Timestamp, Epoch: s.life.Epoch, TimeMs: c.Now().UnixMilli(), Scheduler: b.Scheduler, SchedulerInfo: b.Info, WebUiUrl: s.cfg.WebUIURL,
			NodesByState: metricsOf(nodes), Use: s.countApps(b.Use), Nodes: nodes, Root: t.info(b.Queues[0].Name, true), // by name root is the first of its queues, and default the only one of FIFO
			Minimum: b.Minimum, Maximum: b.Maximum, Demands: b.Demands, DemandsMore: b.DemandsMore, Failures: b.Failures,
		}
		for _, a := range s.apps {
			r.Apps = append(r.Apps, a.info(b))
		}
		call.Reply(r)
	})
}

// countApps adds the counts of applications to the scheduler's sums.
func (s *ClientRMService) countApps(u *yarn.ClusterUse) *yarn.ClusterUse {
	u.AppsSubmitted, u.AppsCompleted = s.counts.submitted, s.counts.finished
	u.AppsFailed, u.AppsKilled = s.counts.failed, s.counts.killed
	for _, a := range s.apps {
		if a.machine.State.Over() {
			continue
		}
		switch a.public() {
		case yarn.YarnApplicationState_RUNNING, yarn.YarnApplicationState_FINISHED: // the latter has its ApplicationMaster's container still
			u.AppsRunning++
		default:
			u.AppsPending++
		}
	}
	return u
}

// info is an application with the details that only the ResourceManager knows.
func (a *application) info(b scheduler.Books) *yarn.AppInfo {
	i := &yarn.AppInfo{
		Report: a.report(scheduler.Usage{ByApp: b.ByApp}), State: a.machine.State.String(), LaunchTime: milliseconds(a.launched), Totals: b.Totals[a.id],
	}
	for _, at := range a.attempts {
		i.Attempts = append(i.Attempts, &yarn.AppAttemptInfo{
			Id: at.id.Proto(), State: at.machine.State.String(), Container: at.container.GetId(), Node: at.container.GetNodeId(),
			StartTime: milliseconds(at.started), FinishTime: milliseconds(at.finished), Diagnostics: at.diagnostics, ExitStatus: at.exit,
		})
	}
	if at := a.current(); at != nil {
		i.AttemptState = at.machine.State.String()
		i.AmContainer, i.AmNode, i.AmNodeHttpAddress = at.container.GetId(), at.container.GetNodeId(), at.container.GetNodeHttpAddress()
	}
	return i
}
