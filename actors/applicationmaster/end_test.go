package applicationmaster_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/applicationmaster"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

func TestClientModeEndsWithItsDriver(t *testing.T) {
	code := func(n int32) *int32 { return &n }
	for _, v := range []struct {
		shutdown *int32
		treated  string
		exit     int
		finished []yarn.FinalApplicationStatus // none: another attempt is due
	}{
		{nil, "false", 0, []yarn.FinalApplicationStatus{yarn.FinalApplicationStatus_APP_SUCCEEDED}},
		{nil, "true", 17, nil},
		{code(0), "true", 0, []yarn.FinalApplicationStatus{yarn.FinalApplicationStatus_APP_SUCCEEDED}},
		{code(3), "false", 3, []yarn.FinalApplicationStatus{yarn.FinalApplicationStatus_APP_FAILED}},
		{code(3), "true", 3, []yarn.FinalApplicationStatus{yarn.FinalApplicationStatus_APP_FAILED}},
	} {
		r := client(t, map[string]string{"spark.yarn.am.clientModeTreatDisconnectAsFailed": v.treated})
		if v.shutdown != nil {
			r.driver.Send(r.managers[0], &app.Shutdown{ExitCode: *v.shutdown})
			r.Advance(10 * time.Millisecond)
		}
		r.driver.Crash()
		if got := r.untilExit(); got != v.exit {
			t.Errorf("%+v: exit code %d", v, got)
		}
		var finished []yarn.FinalApplicationStatus
		for _, f := range r.finished {
			finished = append(finished, f.GetFinalApplicationStatus())
		}
		if !slices.Equal(finished, v.finished) {
			t.Errorf("%+v: finished as %v", v, finished)
		}
	}
}

// How a program ends, and what becomes of it: exit code and final status.
func TestTheEndOfAProgram(t *testing.T) {
	for _, v := range []struct {
		name    string
		ready   bool
		ended   rpcenv.Message
		attempt int32
		exit    int
		status  string // "" when the application stays registered
	}{
		{"success", true, applicationmaster.UserEnded{}, 1, 0, "APP_SUCCEEDED"},
		{"an exception", true, applicationmaster.UserEnded{Err: "no such file"}, 1, 15, ""},
		{"an exception in the last attempt", true, applicationmaster.UserEnded{Err: "no such file"}, 2, 15, "APP_FAILED"},
		{"a code of its own", true, applicationmaster.UserEnded{Code: 4, Err: "told so"}, 2, 4, "APP_FAILED"},
		{"terminated", true, applicationmaster.Terminated{}, 1, 16, ""},
		{"terminated in the last attempt", true, applicationmaster.Terminated{}, 2, 16, "APP_FAILED"},
		{"success without a driver", false, applicationmaster.UserEnded{}, 1, 13, ""},
		{"an exception without a driver", false, applicationmaster.UserEnded{Err: "early"}, 1, 13, ""},
	} {
		r := newRig(t, nil)
		env := r.Env("A", r.conf)
		r.driver = r.ProbeIn(env, applicationmaster.SchedulerName)
		r.driver.On(r.playDriver)
		cfg := r.config()
		cfg.ClusterMode, cfg.Attempt = true, ids.Attempt{App: attempt.App, Attempt: v.attempt}
		r.begin(env, cfg)
		if v.ready {
			if _, err := rpctest.Ask[*rpc.Bool](r.driver, r.ref, applicationmaster.ContextReady{}); err != nil {
				t.Fatal(err)
			}
		}
		r.driver.Send(r.ref, v.ended)
		status := ""
		code := r.untilExit()
		if len(r.finished) > 0 {
			status = r.finished[0].GetFinalApplicationStatus().String()
		}
		if code != v.exit || status != v.status {
			t.Errorf("%s: exit code %d and %q, want %d and %q", v.name, code, status, v.exit, v.status)
		}
	}
}

type staging struct{ removed *[]string }

func (s staging) Remove(*rpcenv.Blocking) error {
	*s.removed = append(*s.removed, "removed")
	return nil
}

// The ApplicationMaster reports its end each 100 ms until the ResourceManager has stored it, and then removes what the client staged.
func TestUnregisterIsRepeatedUntilItIsStored(t *testing.T) {
	r := newRig(t, nil)
	env := r.Env("A", r.conf)
	r.driver = r.ProbeIn(env, applicationmaster.SchedulerName)
	r.driver.On(r.playDriver)
	var removed []string
	cfg := r.config()
	cfg.ClusterMode, cfg.Staging, cfg.HistoryURL = true, staging{&removed}, "http://h:18080"
	r.stored = 3
	r.begin(env, cfg)
	if _, err := rpctest.Ask[*rpc.Bool](r.driver, r.ref, applicationmaster.ContextReady{}); err != nil {
		t.Fatal(err)
	}
	at := r.Now()
	r.driver.Send(r.ref, applicationmaster.UserEnded{})
	code, took := r.untilExit(), r.Now().Sub(at).Truncate(10*time.Millisecond)
	if code != 0 || len(r.finished) != 4 || took != 300*time.Millisecond || len(removed) != 1 {
		t.Error(code, len(r.finished), took, removed)
	}
	if got := r.finished[3].GetTrackingUrl(); got != "http://h:18080" {
		t.Error(got)
	}
}

// The order of the end: the last attempt removes what was staged and unregisters; success unregisters first; before another
// attempt all stays. How many attempts there are is the least of the application's wish and the cluster's.
func TestTheOrderOfTheEnd(t *testing.T) {
	for _, v := range []struct {
		attempt int32
		most    string
		ended   applicationmaster.UserEnded
		want    string
	}{
		{1, "", applicationmaster.UserEnded{}, "unregistered removed"},
		{1, "", applicationmaster.UserEnded{Err: "no"}, ""},
		{2, "", applicationmaster.UserEnded{Err: "no"}, "removed unregistered"},
		{2, "", applicationmaster.UserEnded{}, "removed unregistered"},
		{1, "1", applicationmaster.UserEnded{Err: "no"}, "removed unregistered"},
		{2, "5", applicationmaster.UserEnded{Err: "no"}, "removed unregistered"},
	} {
		settings := map[string]string{}
		if v.most != "" {
			settings["spark.yarn.maxAppAttempts"] = v.most
		}
		r := newRig(t, settings)
		env := r.Env("A", r.conf)
		r.driver = r.ProbeIn(env, applicationmaster.SchedulerName)
		r.driver.On(r.playDriver)
		var got []string
		r.rm.On(func(_ *rpcenv.Context, m rpcenv.Message) bool {
			if _, ok := m.(*yarn.FinishApplicationMasterRequest); ok {
				got = append(got, "unregistered")
			}
			return false
		})
		cfg := r.config()
		cfg.ClusterMode, cfg.Staging, cfg.Attempt = true, staging{&got}, ids.Attempt{App: attempt.App, Attempt: v.attempt}
		r.begin(env, cfg)
		if _, err := rpctest.Ask[*rpc.Bool](r.driver, r.ref, applicationmaster.ContextReady{}); err != nil {
			t.Fatal(err)
		}
		r.driver.Send(r.ref, v.ended)
		r.untilExit()
		if s := strings.Join(got, " "); s != v.want {
			t.Errorf("%+v: %q, want %q", v, s, v.want)
		}
	}
}

// In client mode the driver knows how the application ended, so an ApplicationMaster that is terminated does not say.
func TestAnExecutorLauncherThatIsTerminatedKnowsNoStatus(t *testing.T) {
	r := client(t, map[string]string{"spark.yarn.maxAppAttempts": "1"})
	r.ProbeIn(r.env, "Process").Send(r.ref, applicationmaster.Terminated{})
	if code := r.untilExit(); code != applicationmaster.ExitEarly || len(r.finished) != 1 || r.finished[0].GetFinalApplicationStatus() != yarn.FinalApplicationStatus_APP_UNDEFINED {
		t.Error(code, r.finished)
	}
	if got := r.registrations[0].GetRpcPort(); got != -1 {
		t.Error("it listens nowhere, and says", got)
	}
}

// The last words are cut to spark.yarn.am.finalMessageLimit bytes, between letters, and can be read whatever the program said.
func TestTheLastWordsAreCut(t *testing.T) {
	for limit, want := range map[string]string{"27b": "User class threw exception:", "31b": "User class threw exception: d\u00e9", "30b": "User class threw exception: d", "1m": "User class threw exception: d\u00e9?"} {
		r := cluster(t, map[string]string{"spark.yarn.am.finalMessageLimit": limit, "spark.yarn.maxAppAttempts": "1"})
		if _, err := rpctest.Ask[*rpc.Bool](r.driver, r.ref, applicationmaster.ContextReady{}); err != nil {
			t.Fatal(err)
		}
		r.driver.Send(r.ref, applicationmaster.UserEnded{Err: "d\u00e9\xff"})
		if code := r.untilExit(); code != applicationmaster.ExitExceptionUserClass || len(r.finished) != 1 || r.finished[0].GetDiagnostics() != want {
			t.Errorf("%s: %d, %v, want %q", limit, code, r.finished, want)
		}
	}
}
