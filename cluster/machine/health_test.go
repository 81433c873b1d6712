package machine

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestHealthScripts(t *testing.T) {
	for name, tt := range map[string]struct {
		script, report string
		healthy        bool
	}{
		"well":           {"echo fine", "", true},
		"bad":            {"echo ERROR no network; echo fine; echo ERROR hot", "ERROR no network\nERROR hot", false},
		"in the middle":  {"echo an ERROR is no report", "", true},
		"a failing exit": {"exit 3", "", true},
		"too slow":       {"sleep 100", "Node health script timed out", false},
	} {
		path := filepath.Join(t.TempDir(), "health.sh")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+tt.script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		limit := time.Minute
		if name == "too slow" {
			limit = 50 * time.Millisecond
		}
		if report, healthy := Health(context.Background(), path, limit); report != tt.report || healthy != tt.healthy {
			t.Errorf("%s: %q %t", name, report, healthy)
		}
	}
	if report, healthy := Health(context.Background(), "/there/is/none", time.Minute); !healthy || !strings.Contains(report, "cannot be run") {
		t.Errorf("%q %t", report, healthy)
	}
}
