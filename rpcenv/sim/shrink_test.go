package sim_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coherer/coherer/rpcenv/fault"
)

// runPlanted runs the workload with a bug in its endpoints: see chatter.hear.
func runPlanted(seed uint64, plan fault.Plan) outcome {
	l := newLoad(seed)
	l.plant = true
	return l.run(plan)
}

// A bug that takes a restart and a duplicate is found by some seed, and its Plan shrunk until no fault can be left out. The
// Plan's text replays it.
func TestAFailureIsShrunkToTheFewestFaultsAndReplayed(t *testing.T) {
	var plan fault.Plan
	var o outcome
	for seed := uint64(1); !has(o.problems, "planted"); seed++ {
		if seed > 200 {
			t.Fatal("no seed finds the bug")
		}
		plan = planOf(seed)
		o = runPlanted(seed, plan)
	}
	small, problems := shrink(plan, o, runPlanted)
	t.Logf("%d faults of seed %d are shrunk to\n%s", len(plan.Faults), plan.Seed, small)
	if len(small.Faults) == 0 || len(small.Faults) > 2 || !has(problems, "planted") {
		t.Errorf("%d faults:\n%s%q", len(small.Faults), small, problems)
	}
	if !strings.Contains(small.String(), "duplicate ") {
		t.Error("it takes a duplicate")
	}
	for i := range small.Faults {
		if has(runPlanted(small.Seed, small.Without(i, i+1)).problems, "planted") {
			t.Errorf("%s can be left out", small.Faults[i])
		}
	}
	path := filepath.Join(t.TempDir(), "plan")
	if err := os.WriteFile(path, []byte(small.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := fault.ParsePlan(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if o := runPlanted(again.Seed, again); !has(o.problems, "planted") || sameProgram(again, o) != nil {
		t.Error("the replay differs:", o.problems, sameProgram(again, o))
	}
	// Without the bug it is another program.
	if err := sameProgram(again, outcome{digest: "0123456789abcdef"}); err == nil || !strings.Contains(err.Error(), "the program differs") {
		t.Error(err)
	}
}
