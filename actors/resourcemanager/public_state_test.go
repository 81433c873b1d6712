package resourcemanager

import (
	"testing"
	"time"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/messages/yarn"
)

// inState is an application in a state; its attempt, if it has one, registered at host, unless that is empty.
func inState(s machine.AppState, attempts int, host string) *application {
	a := &application{machine: machine.App{State: s}, context: &yarn.ApplicationSubmissionContext{}}
	for i := range attempts {
		a.attempts = append(a.attempts, &attempt{id: ids.Attempt{Attempt: int32(i + 1)}, app: a, host: host, port: 4040})
	}
	return a
}

// Clients see an application whose end is being saved, or that is being killed, as what it was before.
func TestWhatClientsSeeOfAState(t *testing.T) {
	for _, is := range []struct {
		state    machine.AppState
		attempts int
		host     string
		want     yarn.YarnApplicationState
		final    yarn.FinalApplicationStatus
	}{
		{machine.AppNew, 0, "", yarn.YarnApplicationState_NEW, yarn.FinalApplicationStatus_APP_UNDEFINED},
		{machine.AppNewSaving, 0, "", yarn.YarnApplicationState_NEW_SAVING, yarn.FinalApplicationStatus_APP_UNDEFINED},
		{machine.AppSubmitted, 0, "", yarn.YarnApplicationState_SUBMITTED, yarn.FinalApplicationStatus_APP_UNDEFINED},
		{machine.AppAccepted, 1, "", yarn.YarnApplicationState_ACCEPTED, yarn.FinalApplicationStatus_APP_UNDEFINED},
		{machine.AppRunning, 1, "h", yarn.YarnApplicationState_RUNNING, yarn.FinalApplicationStatus_APP_UNDEFINED},
		{machine.AppFinalSaving, 0, "", yarn.YarnApplicationState_SUBMITTED, yarn.FinalApplicationStatus_APP_UNDEFINED},
		{machine.AppFinalSaving, 1, "", yarn.YarnApplicationState_ACCEPTED, yarn.FinalApplicationStatus_APP_UNDEFINED},
		{machine.AppFinalSaving, 1, "h", yarn.YarnApplicationState_RUNNING, yarn.FinalApplicationStatus_APP_UNDEFINED},
		{machine.AppKilling, 0, "", yarn.YarnApplicationState_SUBMITTED, yarn.FinalApplicationStatus_APP_UNDEFINED},
		{machine.AppKilling, 2, "", yarn.YarnApplicationState_ACCEPTED, yarn.FinalApplicationStatus_APP_UNDEFINED},
		{machine.AppKilling, 2, "h", yarn.YarnApplicationState_RUNNING, yarn.FinalApplicationStatus_APP_UNDEFINED},
		{machine.AppFinishing, 1, "h", yarn.YarnApplicationState_FINISHED, yarn.FinalApplicationStatus_APP_UNDEFINED},
		{machine.AppFinished, 1, "h", yarn.YarnApplicationState_FINISHED, yarn.FinalApplicationStatus_APP_UNDEFINED},
		{machine.AppFailed, 1, "h", yarn.YarnApplicationState_FAILED, yarn.FinalApplicationStatus_APP_FAILED},
		{machine.AppKilled, 1, "h", yarn.YarnApplicationState_KILLED, yarn.FinalApplicationStatus_APP_KILLED},
	} {
		a := inState(is.state, is.attempts, is.host)
		r := a.report(scheduler.Usage{})
		if r.GetYarnApplicationState() != is.want || r.GetFinalApplicationStatus() != is.final {
			t.Errorf("%s with %d attempts at %q is %s, %s", is.state, is.attempts, is.host, r.GetYarnApplicationState(), r.GetFinalApplicationStatus())
		}
		a.final = yarn.FinalApplicationStatus_APP_SUCCEEDED
		if got := a.report(scheduler.Usage{}).GetFinalApplicationStatus(); got != a.final {
			t.Errorf("%s, which said %s itself, is %s", is.state, a.final, got)
		}
	}
}

// A report has the last attempt: where it is, what it says until the application is over, and that it is waited for.
func TestAReportHasTheLastAttempt(t *testing.T) {
	a := inState(machine.AppAccepted, 0, "")
	r := a.report(scheduler.Usage{})
	if r.GetHost() != "N/A" || r.GetRpcPort() != -1 || r.GetCurrentApplicationAttemptId() != nil || r.GetStartTime() != 0 {
		t.Errorf("without an attempt: %v", r)
	}
	a = inState(machine.AppAccepted, 2, "")
	at := a.current()
	at.diagnostics, at.progress, at.trackingURL = "it crashed", 0.5, "http://h"
	a.submitted = time.UnixMilli(7)
	r = a.report(scheduler.Usage{})
	if r.GetHost() != "N/A" || r.GetRpcPort() != -1 || r.GetCurrentApplicationAttemptId().GetAttemptId() != 2 || r.GetStartTime() != 7 {
		t.Errorf("that is not registered: %v", r)
	}
	if r.GetDiagnostics() != "it crashed" || r.GetProgress() != 0.5 || r.GetTrackingUrl() != "http://h" || r.GetOriginalTrackingUrl() != "http://h" {
		t.Errorf("of its attempt: %v", r)
	}
	at.host, at.machine.State = "h", machine.AttemptLaunched
	r = a.report(scheduler.Usage{})
	if r.GetHost() != "h" || r.GetRpcPort() != 4040 || r.GetDiagnostics() != "AM container is launched, waiting for AM container to Register with RM" {
		t.Errorf("that is launched: %v", r)
	}
	at.machine.State, a.diagnostics = machine.AttemptFailed, "its own"
	if got := a.report(scheduler.Usage{}).GetDiagnostics(); got != "its own" {
		t.Errorf("an application that says why is %q", got)
	}
	a.diagnostics, a.machine.State = "", machine.AppFinished
	if got := a.report(scheduler.Usage{}).GetDiagnostics(); got != "" {
		t.Errorf("one that is over says of its attempt %q", got)
	}
}

// Each filter that is not empty must let an application pass.
func TestAFilterThatIsEmptyLetsAllPass(t *testing.T) {
	a := inState(machine.AppRunning, 1, "h")
	a.user, a.queue, a.context.ApplicationType = "ada", "root.a", "SPARK"
	pass := &yarn.GetApplicationsRequest{
		ApplicationTypes: []string{"MAPREDUCE", "SPARK"}, Users: []string{"ada"}, Queues: []string{"root.a"},
		ApplicationStates: []yarn.YarnApplicationState{yarn.YarnApplicationState_FAILED, yarn.YarnApplicationState_RUNNING},
	}
	if !a.matches(&yarn.GetApplicationsRequest{}) || !a.matches(pass) {
		t.Error("it does not pass")
	}
	for what, q := range map[string]*yarn.GetApplicationsRequest{
		"type":  {ApplicationTypes: []string{"YARN"}, Users: pass.Users, Queues: pass.Queues, ApplicationStates: pass.ApplicationStates},
		"user":  {ApplicationTypes: pass.ApplicationTypes, Users: []string{"bob"}, Queues: pass.Queues, ApplicationStates: pass.ApplicationStates},
		"queue": {ApplicationTypes: pass.ApplicationTypes, Users: pass.Users, Queues: []string{"root"}, ApplicationStates: pass.ApplicationStates},
		"state": {ApplicationTypes: pass.ApplicationTypes, Users: pass.Users, Queues: pass.Queues, ApplicationStates: pass.ApplicationStates[:1]},
	} {
		if a.matches(q) {
			t.Errorf("it passes with another %s", what)
		}
	}
}
