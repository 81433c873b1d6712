package yarnclient

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/messages/yarn"
)

func TestASubmissionIsStagedReportedAndCleanedUp(t *testing.T) {
	k := start(t, Config{Submit: cluster()}, &manager{most: 8192, reports: []*yarn.ApplicationReport{
		state(yarn.YarnApplicationState_NEW_SAVING), state(yarn.YarnApplicationState_ACCEPTED), state(yarn.YarnApplicationState_ACCEPTED),
		state(yarn.YarnApplicationState_RUNNING), succeeded,
	}})
	k.exits(0, 3200*time.Millisecond, "Application report for "+appText+" (state: RUNNING)\n")
	if want := []string{
		"0s GetNewApplication", "0s SubmitApplication", "0s GetApplicationReport", "200ms GetApplicationReport",
		"1.2s GetApplicationReport", "2.2s GetApplicationReport", "3.2s GetApplicationReport",
	}; !slices.Equal(k.got, want) {
		t.Errorf("%q, want %q", k.got, want)
	}
	k.staged("copy /bin/prog "+dir+"/__app__.jar", "archive "+dir+"/__spark_conf__.zip", "remove "+dir)
}

func TestClientModeTellsItsListener(t *testing.T) {
	k := start(t, Config{Submit: client()}, &manager{most: 8192, reports: []*yarn.ApplicationReport{
		state(yarn.YarnApplicationState_ACCEPTED), state(yarn.YarnApplicationState_RUNNING), state(yarn.YarnApplicationState_RUNNING),
		ended(yarn.YarnApplicationState_FINISHED, yarn.FinalApplicationStatus_APP_FAILED, "why"),
	}}, "spark.yarn.clientLaunchMonitorInterval", "500ms")
	if err := k.w.Run(func() bool { return len(k.heard) == 3 }, time.Hour); err != nil {
		t.Fatal(err, k.heard)
	}
	if took := k.w.Now().Sub(k.began).Truncate(100 * time.Millisecond); took != 2500*time.Millisecond {
		t.Errorf("after %s", took)
	}
	if want := []string{
		"yarnclient.Submitted{Local:{} AppID:" + appText + "}", "yarnclient.Running{Local:{}}",
		"yarnclient.Ended{Local:{} AppID:" + appText + " State:FINISHED Final:APP_FAILED Diagnostics:why}",
	}; !slices.Equal(k.heard, want) {
		t.Errorf("%q", k.heard)
	}
	if got := k.handed.GetAmContainerSpec().GetCommand()[0]; !strings.HasPrefix(got, "{{PWD}}/__spark_libs__/coherer executorlauncher --arg '10.0.0.9:4' ") {
		t.Errorf("%q", got)
	}
	if got := k.handed.GetResource().GetMemory(); got != 512+384 {
		t.Errorf("%d MiB", got)
	}
	k.staged("copy /bin/coherer "+dir+"/__spark_libs___coherer", "copy /bin/prog "+dir+"/__app__.jar", "archive "+dir+"/__spark_conf__.zip", "remove "+dir)
}

func TestEndsOfAnApplication(t *testing.T) {
	for _, tt := range []struct {
		name    string
		reports []*yarn.ApplicationReport
		code    int
		says    string
	}{
		{"failed", []*yarn.ApplicationReport{ended(yarn.YarnApplicationState_FAILED, 0, "exit 15")}, 1, "Failed to submit " + appText + " to YARN : exit 15"},
		{"failed later", []*yarn.ApplicationReport{state(yarn.YarnApplicationState_ACCEPTED), ended(yarn.YarnApplicationState_FAILED, yarn.FinalApplicationStatus_APP_FAILED, "exit 15")}, 1, "Application " + appText + " finished with failed status: exit 15"},
		{"final failed", []*yarn.ApplicationReport{ended(yarn.YarnApplicationState_FINISHED, yarn.FinalApplicationStatus_APP_FAILED, "")}, 1, "finished with failed status"},
		{"killed", []*yarn.ApplicationReport{state(yarn.YarnApplicationState_RUNNING), ended(yarn.YarnApplicationState_KILLED, yarn.FinalApplicationStatus_APP_KILLED, "")}, 1, "Application " + appText + " is killed"},
		{"undefined", []*yarn.ApplicationReport{ended(yarn.YarnApplicationState_FINISHED, yarn.FinalApplicationStatus_APP_UNDEFINED, "")}, 1, "The final status of application " + appText + " is undefined"},
		{"succeeded", []*yarn.ApplicationReport{succeeded}, 0, "final status: SUCCEEDED"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := start(t, Config{Submit: cluster()}, &manager{most: 8192, reports: tt.reports})
			after := time.Second
			if tt.name == "failed" {
				after = 0
			}
			k.exits(tt.code, after, tt.says)
			if got := k.files.did[len(k.files.did)-1]; got != "remove "+dir {
				t.Errorf("the last thing it did is %s", got)
			}
		})
	}
}

func TestAnApplicationThatIsNotKnownCountsAsKilled(t *testing.T) {
	k := start(t, Config{Submit: cluster()}, &manager{most: 8192, kills: -1, reports: []*yarn.ApplicationReport{state(yarn.YarnApplicationState_RUNNING)}}, "spark.yarn.preserve.staging.files", "true")
	k.exits(1, time.Second, "Application "+appText+" not found.\nApplication "+appText+" is killed\n")
	k.staged("copy /bin/prog "+dir+"/__app__.jar", "archive "+dir+"/__spark_conf__.zip")
}

func TestFireAndForget(t *testing.T) {
	const wait = "spark.yarn.submit.waitAppCompletion"
	k := start(t, Config{Submit: cluster()}, &manager{most: 8192, reports: []*yarn.ApplicationReport{state(yarn.YarnApplicationState_ACCEPTED)}}, wait, "false")
	k.exits(0, 0, "(state: ACCEPTED)")
	start(t, Config{Submit: cluster()}, &manager{most: 8192, reports: []*yarn.ApplicationReport{state(yarn.YarnApplicationState_RUNNING)}}, wait, "false").exits(0, 0, "(state: RUNNING)")
	k.staged("copy /bin/prog "+dir+"/__app__.jar", "archive "+dir+"/__spark_conf__.zip")
	k = start(t, Config{Submit: cluster()}, &manager{most: 8192, reports: []*yarn.ApplicationReport{
		state(yarn.YarnApplicationState_SUBMITTED), ended(yarn.YarnApplicationState_FAILED, 0, "no queue"),
	}}, wait, "false")
	k.exits(1, 0, "finished with failed status: no queue")
}

func TestReportsAreToldWhenTheyChangeAndNowAndThen(t *testing.T) {
	var m monitor
	got := ""
	for range 7 {
		show, changed := m.see(yarn.YarnApplicationState_RUNNING, 3)
		got += fmt.Sprint(show, changed, " ")
	}
	if want := "true true false false false false true false false false false false true false "; got != want {
		t.Errorf("%s", got)
	}
}

// What a client says of a submission, line by line: each state once, its details with it, and every third report without a change.
func TestWhatAClientSays(t *testing.T) {
	running := state(yarn.YarnApplicationState_RUNNING)
	k := start(t, Config{Submit: cluster()}, &manager{most: 8192, reports: []*yarn.ApplicationReport{
		state(yarn.YarnApplicationState_NEW), state(yarn.YarnApplicationState_ACCEPTED), state(yarn.YarnApplicationState_ACCEPTED),
		running, running, running, running, running, ended(yarn.YarnApplicationState_FINISHED, yarn.FinalApplicationStatus_APP_KILLED, "why"),
	}}, "spark.yarn.report.loggingFrequency", "3")
	k.exits(1, 7200*time.Millisecond, "")
	waits := "info    " + strings.Join(details(state(yarn.YarnApplicationState_ACCEPTED)), "\ninfo    ")
	last := strings.NewReplacer("diagnostics: N/A", "diagnostics: why", "root.q", "", "UNDEFINED", "KILLED").Replace(waits)
	if want := strings.Join([]string{
		"info    Requesting a new application from cluster", "info    Will allocate AM container, with 1408 MB memory including 384 MB overhead",
		"info    Preparing resources for our AM container", "info    Submitting application " + appText + " to ResourceManager",
		"info    Submitted application " + appText,
		"info    Application report for " + appText + " (state: ACCEPTED)", waits,
		"info    Application report for " + appText + " (state: RUNNING)", waits,
		"info    Application report for " + appText + " (state: RUNNING)",
		"info    Application report for " + appText + " (state: FINISHED)", last,
		"error   Application " + appText + " is killed: why", "error   exit 1: Application " + appText + " is killed: why", "",
	}, "\n"); k.lines() != want {
		t.Errorf("%s\nwant\n%s", k.lines(), want)
	}
}

// While an application waits, and when it runs, a client asks in different steps in client mode; in cluster mode always in the same.
func TestHowOftenAClientAsks(t *testing.T) {
	accepted, running := state(yarn.YarnApplicationState_ACCEPTED), state(yarn.YarnApplicationState_RUNNING)
	for mode, want := range map[submit.Mode][]string{
		submit.Client: {"0s", "300ms", "600ms", "900ms", "2.9s", "4.9s"}, submit.Cluster: {"0s", "2s", "4s", "6s", "8s", "10s"},
	} {
		s := map[submit.Mode]*Submission{submit.Client: client(), submit.Cluster: cluster()}[mode]
		k := start(t, Config{Submit: s}, &manager{most: 8192, reports: []*yarn.ApplicationReport{accepted, accepted, accepted, running, running, succeeded}},
			"spark.yarn.clientLaunchMonitorInterval", "300ms", "spark.yarn.report.interval", "2s", "spark.yarn.submit.waitAppCompletion", "true")
		k.w.Advance(time.Minute)
		var got []string
		for _, line := range k.got[2:] {
			got = append(got, strings.TrimSuffix(line, " GetApplicationReport"))
		}
		if !slices.Equal(got, want) {
			t.Errorf("in %s mode it asked at %q", mode, got)
		}
	}
}

// In client mode the driver waits, whatever spark.yarn.submit.waitAppCompletion says, and hears of RUNNING when it is so.
func TestClientModeIsNeverFireAndForget(t *testing.T) {
	accepted, running := state(yarn.YarnApplicationState_ACCEPTED), state(yarn.YarnApplicationState_RUNNING)
	k := start(t, Config{Submit: client()}, &manager{most: 8192, reports: []*yarn.ApplicationReport{accepted, accepted, running, running, running, succeeded}},
		"spark.yarn.submit.waitAppCompletion", "false")
	for _, tt := range []struct {
		after time.Duration
		heard int
	}{{1500 * time.Millisecond, 1}, {time.Second, 2}, {time.Second, 2}, {time.Minute, 3}} {
		k.w.Advance(tt.after)
		if len(k.heard) != tt.heard {
			t.Errorf("after %s: %q", k.w.Now().Sub(k.began), k.heard)
		}
	}
	if _, exited := k.host.Exited(); exited {
		t.Error("the driver's process has ended")
	}
}

// When an application is over, its client does nothing more: a driver may go on for long.
func TestAClientThatIsOverDoesNothingMore(t *testing.T) {
	accepted := state(yarn.YarnApplicationState_ACCEPTED)
	for name, reports := range map[string][]*yarn.ApplicationReport{
		"while it is submitted": {ended(yarn.YarnApplicationState_KILLED, yarn.FinalApplicationStatus_APP_KILLED, "why")},
		"while it waits":        {accepted, ended(yarn.YarnApplicationState_KILLED, yarn.FinalApplicationStatus_APP_KILLED, "why")},
		"while it runs":         {accepted, state(yarn.YarnApplicationState_RUNNING), succeeded},
	} {
		t.Run(name, func(t *testing.T) {
			k := startWith(t, &files{slow: time.Second}, Config{Submit: client()}, &manager{most: 8192, reports: reports})
			over := func() bool { return len(k.heard) > 0 && strings.Contains(k.heard[len(k.heard)-1], "Ended") }
			if err := k.w.Run(over, time.Hour); err != nil {
				t.Fatal(err)
			}
			k.idle()
		})
	}
}

// A client that failed does not ask on while it removes its files.
func TestAClientThatFailedAsksNothingMore(t *testing.T) {
	k := startWith(t, &files{slow: time.Second}, Config{Submit: cluster()}, &manager{most: 8192, reports: []*yarn.ApplicationReport{
		state(yarn.YarnApplicationState_NEW), ended(yarn.YarnApplicationState_KILLED, 0, "by ann"), succeeded,
	}})
	k.exitsBecause(1, 2200*time.Millisecond, "Failed to submit "+appText+" to YARN : by ann")
	if len(k.got) != 4 {
		t.Errorf("it asked for %q", k.got)
	}
}
