package scenario_test

import (
	"strings"
	"testing"

	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/cluster/scenario"
)

// faultLines are one line for each verb of faults.
var faultLines = []string{
	"cut A B oneway", "heal A B", "delay A B 1s", "delay A->B:C by=1s", "latency 1ms 2ms", "drop A->B:C n=1", "duplicate A->B:C for=1s",
	"reorder A->B:C p=0.5", "pause M", "resume M", "vanish M", "cost M/Master Heartbeat 1s", "threads M 2",
}

func TestFaultsWantASimulation(t *testing.T) {
	for _, kind := range []local.Kind{local.InProcess, local.Sim} {
		r, err := scenario.New(kind, "cluster worlds=(sim,local) seed=1")
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range faultLines {
			_, err := r.Block(t.Context(), []string{"start master M", line, "kill M"})
			switch {
			case kind != local.Sim && (err == nil || !strings.Contains(err.Error(), "wants worlds=(sim)")):
				t.Errorf("%s in world %s: %v", line, kind, err)
			case kind == local.Sim && err != nil && !strings.HasPrefix(line, "vanish"):
				t.Errorf("%s in world %s: %v", line, kind, err)
			}
			if kind != local.Sim {
				if _, err := r.Block(t.Context(), []string{"kill M"}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestAWrongFaultIsNamed(t *testing.T) {
	r, err := scenario.New(local.Sim, "cluster worlds=(sim) seed=1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	for line, want := range map[string]string{
		"cut A":            "1:6: something is missing: want cut A B [oneway]",
		"drop A->B":        "1:10: want :MESSAGE at the end",
		"delay A->B:C n=1": "by is missing",
		"pause Nobody":     "no such host: Nobody",
		"restart Nobody":   "started nothing called Nobody",
	} {
		if _, err := r.Block(t.Context(), []string{line}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}
