package nodemanager

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/yarn"
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
