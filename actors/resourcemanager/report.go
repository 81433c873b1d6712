package resourcemanager

import (
	"slices"
	"time"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/life"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

func (s *ClientRMService) getApplicationReport(c *rpcenv.Context, q *yarn.GetApplicationReportRequest) {
	a, err := s.known(q.GetApplicationId())
	if err != nil {
		rpcenv.Fail(c, q, err)
		return
	}
	call := rpcenv.Defer(c, q)
	rpcenv.Ask(c, s.scheduler, scheduler.RequestUsage{Apps: []ids.Application{a.id}}, func(u scheduler.Usage, err error) {
		if err != nil {
			call.Fail(err)
			return
		}
		call.Reply(&yarn.GetApplicationReportResponse{ApplicationReport: a.report(u)})
	})
}

func (s *ClientRMService) getApplications(c *rpcenv.Context, q *yarn.GetApplicationsRequest) {
	if !s.ready {
		rpcenv.Fail(c, q, life.ErrNotReady())
		return
	}
	var wanted []*application
	for _, a := range s.apps {
		if q.GetLimit() > 0 && int64(len(wanted)) == q.GetLimit() {
			break
		}
		if a.matches(q) {
			wanted = append(wanted, a)
		}
	}
	s.reports(c, rpcenv.Defer(c, q), wanted)
}

// reports answers with the reports of applications.
func (s *ClientRMService) reports(c *rpcenv.Context, call rpcenv.Call[*yarn.GetApplicationsResponse], wanted []*application) {
	rpcenv.Ask(c, s.scheduler, scheduler.RequestUsage{Apps: idsOf(wanted)}, func(u scheduler.Usage, err error) {
		if err != nil {
			call.Fail(err)
			return
		}
		r := &yarn.GetApplicationsResponse{}
		for _, a := range wanted {
			r.Applications = append(r.Applications, a.report(u))
		}
		call.Reply(r)
	})
}

func idsOf(apps []*application) []ids.Application {
	all := make([]ids.Application, 0, len(apps))
	for _, a := range apps {
		all = append(all, a.id)
	}
	return all
}

// matches reports whether an application passes each filter that the request has.
func (a *application) matches(q *yarn.GetApplicationsRequest) bool {
	in := func(list []string, text string) bool { return len(list) == 0 || slices.Contains(list, text) }
	return in(q.GetApplicationTypes(), a.context.GetApplicationType()) && in(q.GetUsers(), a.user) && in(q.GetQueues(), a.queue) &&
		(len(q.GetApplicationStates()) == 0 || slices.Contains(q.GetApplicationStates(), a.public()))
}

// report is an application as clients see it.
func (a *application) report(u scheduler.Usage) *yarn.ApplicationReport {
	r := &yarn.ApplicationReport{
		ApplicationId: a.id.Proto(), User: a.user, Queue: a.queue, Name: a.context.GetApplicationName(),
		YarnApplicationState: a.public(), Diagnostics: a.diagnostics, StartTime: milliseconds(a.submitted), FinishTime: milliseconds(a.finished),
		FinalApplicationStatus: a.finalStatus(), ApplicationType: a.context.GetApplicationType(),
		ApplicationTags: a.context.GetApplicationTags(), Priority: a.context.GetPriority(), AppResourceUsage: u.ByApp[a.id],
		Host: "N/A", RpcPort: -1,
	}
	at := a.current()
	if at == nil { // not accepted yet, or refused
		return r
	}
	r.CurrentApplicationAttemptId = at.id.Proto()
	r.Progress, r.TrackingUrl, r.OriginalTrackingUrl = at.progress, at.trackingURL, at.trackingURL
	if at.host != "" {
		r.Host, r.RpcPort = at.host, at.port
	}
	// The attempt's end has a text before the application's has one. Over, an empty text is the ApplicationMaster's own.
	if r.Diagnostics == "" && !a.machine.State.Over() {
		r.Diagnostics = at.diagnostics
	}
	if at.machine.State == machine.AttemptLaunched {
		r.Diagnostics = "AM container is launched, waiting for AM container to Register with RM"
	}
	return r
}

// public is the state as clients see it: while the end is being saved, the state before. It mirrors
// RMServerUtils.createApplicationState.
func (a *application) public() yarn.YarnApplicationState {
	switch a.machine.State {
	case machine.AppNew:
		return yarn.YarnApplicationState_NEW
	case machine.AppNewSaving:
		return yarn.YarnApplicationState_NEW_SAVING
	case machine.AppSubmitted:
		return yarn.YarnApplicationState_SUBMITTED
	case machine.AppRunning:
		return yarn.YarnApplicationState_RUNNING
	case machine.AppFinishing, machine.AppFinished:
		return yarn.YarnApplicationState_FINISHED
	case machine.AppFailed:
		return yarn.YarnApplicationState_FAILED
	case machine.AppKilled:
		return yarn.YarnApplicationState_KILLED
	case machine.AppFinalSaving, machine.AppKilling:
		return a.before()
	}
	return yarn.YarnApplicationState_ACCEPTED
}

// before is the state of an application before its end was decided.
func (a *application) before() yarn.YarnApplicationState {
	at := a.current()
	switch {
	case at == nil:
		return yarn.YarnApplicationState_SUBMITTED
	case at.host != "": // its ApplicationMaster had registered
		return yarn.YarnApplicationState_RUNNING
	}
	return yarn.YarnApplicationState_ACCEPTED
}

// finalStatus is the application's own report, else it follows from the state.
func (a *application) finalStatus() yarn.FinalApplicationStatus {
	if a.final != yarn.FinalApplicationStatus_APP_UNDEFINED {
		return a.final
	}
	switch a.machine.State {
	case machine.AppFailed:
		return yarn.FinalApplicationStatus_APP_FAILED
	case machine.AppKilled:
		return yarn.FinalApplicationStatus_APP_KILLED
	}
	return yarn.FinalApplicationStatus_APP_UNDEFINED
}

// milliseconds since 1970; 0 for no time.
func milliseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
