package resourcemanager

import (
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/hadoop/exitstatus"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/actors/resourcemanager/rmtest"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/actors/resourcemanager/session"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// Containers are kept for the next attempt when the application wants it, the attempt failed, and another one follows.
func TestWhenContainersAreKept(t *testing.T) {
	crash := func(id ids.Attempt) []rpcenv.Message { return []rpcenv.Message{ofItsMaster(id, 1, "crash")} }
	for _, is := range []struct {
		name   string
		change func(*yarn.ApplicationSubmissionContext)
		ends   func(id ids.Attempt) []rpcenv.Message
		kept   bool
	}{
		{"failed", keeping, crash, true},
		{"not wanted", func(*yarn.ApplicationSubmissionContext) {}, crash, false},
		{"the last attempt", func(s *yarn.ApplicationSubmissionContext) { keeping(s); s.MaxAppAttempts = 1 }, crash, false},
		{"finished", keeping, func(id ids.Attempt) []rpcenv.Message {
			return []rpcenv.Message{session.AMUnregistered{Attempt: id}, ofItsMaster(id, 0, "")}
		}, false},
		{"killed while its failure is written", keeping, func(id ids.Attempt) []rpcenv.Message {
			return []rpcenv.Message{ofItsMaster(id, 1, "crash"), &yarn.KillApplicationRequest{ApplicationId: id.App.Proto()}}
		}, false},
	} {
		v := newService(t, nil)
		id := v.running(is.change)
		v.SendAll(is.ends(id)...)
		removed := rmtest.Got[scheduler.AppAttemptRemoved](v.Rig, v.Scheduler)
		if want := []scheduler.AppAttemptRemoved{{Attempt: id, Keep: is.kept}}; !slices.Equal(removed, want) {
			t.Errorf("%s: the scheduler heard %+v, want %+v", is.name, removed, want)
		}
		if over := rmtest.Got[session.UnregisterAttempt](v.Rig, v.AMS); !slices.Equal(over, []session.UnregisterAttempt{{Attempt: id}}) {
			t.Errorf("%s: the ApplicationMasterService heard %v", is.name, over)
		}
	}
}

// An attempt ends with the first reason there is, and with what its ApplicationMaster said itself, though that be nothing.
func TestWhyAnAttemptEnded(t *testing.T) {
	const exited = "exited with  exitCode: 9"
	kill := func(id ids.Attempt) rpcenv.Message {
		return &yarn.KillApplicationRequest{ApplicationId: id.App.Proto(), Diagnostics: "enough"}
	}
	done := func(id ids.Attempt, why string) rpcenv.Message {
		return session.AMUnregistered{Attempt: id, Final: yarn.FinalApplicationStatus_APP_SUCCEEDED, Diagnostics: why}
	}
	for _, is := range []struct {
		name  string
		ends  func(id ids.Attempt) []rpcenv.Message
		state machine.AttemptState
		why   string // a part; "" is all
		exit  int32
		final yarn.FinalApplicationStatus
	}{
		{"crash", func(id ids.Attempt) []rpcenv.Message { return []rpcenv.Message{ofItsMaster(id, 9, "")} }, machine.AttemptFailed, exited, 9, 0},
		{"crash, kill", func(id ids.Attempt) []rpcenv.Message { return []rpcenv.Message{ofItsMaster(id, 9, ""), kill(id)} }, machine.AttemptFailed, exited, 9, 0},
		{
			"expiry, crash", func(id ids.Attempt) []rpcenv.Message {
				return []rpcenv.Message{session.AMExpired{Attempt: id}, ofItsMaster(id, 9, "")}
			},
			machine.AttemptFailed, "timed out", exitstatus.Invalid, 0,
		},
		{
			"kill, end, crash", func(id ids.Attempt) []rpcenv.Message {
				return []rpcenv.Message{kill(id), done(id, "late"), ofItsMaster(id, 9, "")}
			},
			machine.AttemptKilled, "enough", exitstatus.Invalid, 0,
		},
		{
			"end, kill", func(id ids.Attempt) []rpcenv.Message { return []rpcenv.Message{done(id, ""), kill(id)} },
			machine.AttemptFinishing, "", exitstatus.Invalid, yarn.FinalApplicationStatus_APP_SUCCEEDED,
		},
		{
			"end", func(id ids.Attempt) []rpcenv.Message { return []rpcenv.Message{done(id, "well")} },
			machine.AttemptFinishing, "well", exitstatus.Invalid, yarn.FinalApplicationStatus_APP_SUCCEEDED,
		},
		{
			"end without words, crash", func(id ids.Attempt) []rpcenv.Message { return []rpcenv.Message{done(id, ""), ofItsMaster(id, 9, "")} },
			machine.AttemptFinished, "", 9, yarn.FinalApplicationStatus_APP_SUCCEEDED,
		},
		{
			"end, another end", func(id ids.Attempt) []rpcenv.Message {
				return []rpcenv.Message{done(id, "well"), session.AMUnregistered{Attempt: id, Final: yarn.FinalApplicationStatus_APP_FAILED, Diagnostics: "not so well", URL: "http://late"}}
			},
			machine.AttemptFinishing, "well", exitstatus.Invalid, yarn.FinalApplicationStatus_APP_SUCCEEDED,
		},
	} {
		v := newService(t, nil)
		id := v.running(func(s *yarn.ApplicationSubmissionContext) { s.MaxAppAttempts = 1 })
		v.SendAll(is.ends(id)...)
		at := v.s.attemptOf(id)
		if at.machine.State != is.state || !strings.Contains(at.diagnostics, is.why) || is.why == "" && at.diagnostics != "" || at.exit != is.exit || at.final != is.final {
			t.Errorf("%s: %s, %q, exit status %d, %s", is.name, at.machine.State, at.diagnostics, at.exit, at.final)
		}
		if at.trackingURL != "http://h" {
			t.Errorf("%s: it is at %s", is.name, at.trackingURL)
		}
	}
}

// An ApplicationMaster's tracking URL at its end counts, unless it is empty.
func TestWhereAnApplicationIsFollowedAfterItsEnd(t *testing.T) {
	for url, want := range map[string]string{"": "http://h", "http://history": "http://history"} {
		v := newService(t, nil)
		id := v.running()
		v.Send(session.AMUnregistered{Attempt: id, URL: url})
		if got := v.s.byID[id.App].report(scheduler.Usage{}); got.GetTrackingUrl() != want || got.GetOriginalTrackingUrl() != want {
			t.Errorf("%q: it is followed at %q", url, got.GetTrackingUrl())
		}
	}
}

// A progress of what does not run is an event that the machine has no row for: it is logged.
func TestAProgressOfWhatDoesNotRun(t *testing.T) {
	v := newService(t, nil)
	id := v.launched()
	v.Send(session.AMProgress{Attempt: id, Progress: 0.5})
	v.Logged(id.String() + ": invalid event STATUS_UPDATE at LAUNCHED: the attempt stays as it is")
	if got := v.s.byID[id.App].report(scheduler.Usage{}).GetProgress(); got != 0 {
		t.Errorf("launched: %f", got)
	}
}
