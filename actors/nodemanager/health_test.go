package nodemanager

import (
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

func TestHealthGoesWithHeartbeats(t *testing.T) {
	k := newKit(t)
	f := &fakes{report: "1/1 local-dirs are bad: /d", unhealthy: true}
	k.join(Config{Machine: f}, map[string]string{
		"yarn.nodemanager.health-checker.script.path": "/check", "yarn.nodemanager.disk-health-checker.interval-ms": "3000",
	})
	k.w.Advance(2 * time.Second)
	s := k.beats[len(k.beats)-1].GetNodeStatus().GetNodeHealthStatus()
	if s.GetIsNodeHealthy() || s.GetHealthReport() != "ERROR bad;1/1 local-dirs are bad: /d" {
		t.Errorf("%v", s)
	}
	if f.count("script /check 20m0s") != 1 {
		t.Errorf("%q", f.log)
	}
	f.report, f.unhealthy = "", false
	k.w.Advance(4 * time.Second)
	if s := k.beats[len(k.beats)-1].GetNodeStatus().GetNodeHealthStatus(); s.GetHealthReport() != "ERROR bad" {
		t.Errorf("%v", s)
	}
}

// A node is healthy when its disks and its script are; the script's words come first.
func TestANodeIsHealthyWhenAllIs(t *testing.T) {
	at := time.UnixMilli(77)
	for _, tt := range []struct {
		disks, script report
		healthy       bool
		text          string
	}{
		{report{true, ""}, report{true, ""}, true, ""},
		{report{false, "disks"}, report{true, ""}, false, "disks"},
		{report{true, ""}, report{false, "script"}, false, "script"},
		{report{false, "disks"}, report{false, "script"}, false, "script;disks"},
	} {
		h := health{tt.disks, tt.script, at}
		want := &yarn.NodeHealthStatus{IsNodeHealthy: tt.healthy, HealthReport: tt.text, LastHealthReportTime: 77}
		if got := h.status(); !proto.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

// blind is a machine that cannot be looked at.
type blind struct{ *fakes }

func (blind) Disks(*rpcenv.Blocking) (string, bool) { panic("no such device") }

// The disks and the script are looked at from the beginning, each in its own period; what they say is logged when it changes.
func TestHealthIsLookedAtNowAndThen(t *testing.T) {
	k := newKit(t)
	f := &fakes{report: "disks"}
	began := k.w.Now()
	k.join(Config{Machine: f}, map[string]string{
		"yarn.nodemanager.health-checker.script.path": "/check", "yarn.nodemanager.disk-health-checker.interval-ms": "4000",
		"yarn.nodemanager.health-checker.interval-ms": "5000", "yarn.nodemanager.health-checker.timeout-ms": "3000",
	})
	k.w.Advance(began.Add(11 * time.Second).Sub(k.w.Now()))
	if a, b := f.count("disks"), f.count("script /check 3s"); a != 3 || b != 3 {
		t.Errorf("the disks were looked at %d times, the script ran %d times", a, b)
	}
	if got := k.beats[len(k.beats)-1].GetNodeStatus().GetNodeHealthStatus().GetLastHealthReportTime(); got != began.UnixMilli()+10000 {
		t.Errorf("the last look was after %d ms", got-began.UnixMilli())
	}
	got := k.lines("Node health")
	slices.Sort(got) // the first two come at one time
	if want := []string{"warning Node health: healthy=false ERROR bad", "warning Node health: healthy=true disks"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// A look that could not be made is no news.
func TestALookThatFailsIsNoNews(t *testing.T) {
	k := newKit(t)
	began := k.w.Now()
	k.join(Config{Machine: blind{&fakes{}}}, map[string]string{"yarn.nodemanager.disk-health-checker.interval-ms": "1000"})
	k.w.Advance(time.Minute)
	s := k.beats[len(k.beats)-1].GetNodeStatus().GetNodeHealthStatus()
	if want := (&yarn.NodeHealthStatus{IsNodeHealthy: true, LastHealthReportTime: began.UnixMilli()}); !proto.Equal(s, want) {
		t.Errorf("%v", s)
	}
	if got := k.lines("The health of this node cannot be seen"); len(got) < 59 {
		t.Errorf("%q", got)
	}
}
