package resourcemanager_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager"
	"github.com/coherer/coherer/messages/yarn"
)

// The diagnostics of a failed application: the number of failures, their time and limit, the reason, and the place of the logs.
func TestWhatAnApplicationThatFailedSays(t *testing.T) {
	for _, is := range []struct {
		url      string
		validity int64
		most     int32
		attempts int
		want     string // %[1]s: application, %[2]s: its last attempt
	}{
		{
			"http://rm:8088/", 0, 0, 2,
			"Application %[1]s failed 2 times due to AM Container for %[2]s exited with  exitCode: 7\nFailing this attempt.Diagnostics: it crashed" +
				"For more detailed output, check the application tracking page: http://rm:8088/cluster/app/%[1]s Then click on links to logs of each attempt.\n" +
				". Failing the application.",
		},
		{
			"", 60000, 1, 1,
			"Application %[1]s failed 1 times in previous 60000 milliseconds (global limit =2; local limit is =1) due to AM Container for %[2]s exited with  exitCode: 7\n" +
				"Failing this attempt.Diagnostics: it crashed. Failing the application.",
		},
		{
			"", 0, 3, 2, // a wish above the limit of the cluster is that limit
			"Application %[1]s failed 2 times due to AM Container for %[2]s exited with  exitCode: 7\nFailing this attempt.Diagnostics: it crashed. Failing the application.",
		},
	} {
		k := kitWith(t, resourcemanager.Config{WebUIURL: is.url})
		n := k.node("N1", 8192, 8)
		am, app := k.running(n, func(s *yarn.ApplicationSubmissionContext) {
			s.MaxAppAttempts, s.AttemptFailuresValidityInterval = is.most, is.validity
		})
		for i := 1; i < is.attempts; i++ {
			am.crash(n, 7)
			am = k.launched(n)
			am.register()
			n.beat()
		}
		am.crash(n, 7)
		k.is(app, yarn.YarnApplicationState_FAILED)
		want := fmt.Sprintf(is.want, app, ids.Attempt{App: app, Attempt: int32(is.attempts)})
		if got := k.report(app).GetDiagnostics(); got != want {
			t.Errorf("%q\nwant\n%q", got, want)
		}
		if u := k.state().GetUse(); u.GetAppsFailed() != 1 || u.GetAppsSubmitted() != 1 || u.GetAppsCompleted() != 0 {
			t.Errorf("counted: %v", u)
		}
	}
}

// One that the scheduler does not take counts nowhere.
func TestARejectedApplicationCountsNowhere(t *testing.T) {
	k := newKit(t)
	k.is(k.submit(inQueue("root")), yarn.YarnApplicationState_FAILED)
	if u := k.state().GetUse(); u.GetAppsSubmitted() != 0 || u.GetAppsFailed() != 0 || u.GetAppsPending() != 0 {
		t.Errorf("counted: %v", u)
	}
}

// Containers outlive their attempt only when the application wants it, and another attempt follows.
func TestContainersThatAreNotKept(t *testing.T) {
	for name, change := range map[string]func(*yarn.ApplicationSubmissionContext){
		"not wanted": func(*yarn.ApplicationSubmissionContext) {},
		"the last attempt": func(s *yarn.ApplicationSubmissionContext) {
			s.KeepContainersAcrossApplicationAttempts, s.MaxAppAttempts = true, 1
		},
	} {
		k := newKit(t)
		n := k.node("N1", 8192, 8)
		am, _ := k.running(n, change)
		got := am.given(n, 1)[0]
		am.start(n, got)
		n.beat()
		n.ends(am.own, 1, "it crashed")
		n.beat()
		if clean := n.beat().GetContainersToCleanup(); len(clean) != 1 || clean[0].GetId() != got.GetId().GetId() {
			t.Errorf("%s: the node has to end %v, want %v", name, clean, got.GetId())
		}
	}
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	am, app := k.running(n, func(s *yarn.ApplicationSubmissionContext) { s.KeepContainersAcrossApplicationAttempts = true })
	got := am.given(n, 1)[0]
	am.start(n, got)
	n.beat()
	k.kill(app)
	k.beats(time.Second, n)
	if u := k.state().GetUse(); u.GetContainersAllocated() != 0 {
		t.Errorf("killed: %v", u)
	}
}
