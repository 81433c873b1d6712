package fault_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/coherer/coherer/rpcenv/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// lines are all forms of all faults.
var lines = []string{
	"cut A B", "cut A B oneway", "heal * W1.2", "heal A B oneway", "delay A B 1.5s", "lose A B 0.25", "lose * B 0 oneway", "delay A->B:* by=10ms n=2 for=1m0s p=0.25",
	"latency 100µs 1ms", "drop W1->M/Master:Heartbeat", "drop *->*:* n=1", "duplicate A->B:C for=3s", "reorder A->B:C",
	"reorder A->B:C by=20ms p=1", "pause W1", "resume W1", "kill W1", "vanish W1", "restart W1", "reset W1 M 1s", "cost M/Master Heartbeat 5ms",
	"threads M 2",
}

func TestEachFaultParsesBackFromWhatItPrints(t *testing.T) {
	seen := map[fault.Verb]bool{}
	for _, line := range lines {
		f, err := fault.Parse(line)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if f.String() != line {
			t.Errorf("%s is printed as %s", line, f)
		}
		seen[f.Verb] = true
	}
	if len(seen) != 16 {
		t.Error("not all verbs are tried:", seen)
	}
}

func TestErrorsNameLineAndColumn(t *testing.T) {
	for text, want := range map[string]string{
		"at 1s cut A B\nat 2s slice A B":           `2:7: no fault is called "slice"`,
		"cut A B":                                  `1:1: "cut": want at TIME FAULT`,
		"at soon cut A B":                          `1:4: "soon" is no duration`,
		"at 1s":                                    `1:1: want at TIME FAULT`,
		"at 1s cut A":                              `1:12: something is missing: want cut A B [oneway]`,
		"at 1s cut A B both":                       `1:15: "both" is too much: want cut`,
		"\n# why\n  at 1s drop A->B n=1":           `3:18: want :MESSAGE at the end`,
		"at 1s drop A->B:C n=0":                    `1:21: "0": want a number of at least 1`,
		"at 1s drop A->B:C by=1s":                  `1:19: "by=1s" is no option of drop`,
		"at 1s drop A->B:C n=1 n=2":                `1:23: n comes twice`,
		"at 1s drop A->B:C p=1.5":                  `1:21: "1.5": want a probability`,
		"at 1s delay A->B:C n=1":                   `1:7: by is missing`,
		"at 1s delay ä->B:C for=0s":                `1:24: want more than nothing`,
		"at 1s latency 2ms 1ms":                    `1:19: MAX is less than MIN`,
		"at 1s threads A -1":                       `1:17: "-1": want a number`,
		"at 1s lose A B 2":                         `1:16: "2": want a probability`,
		"at 1s pause A=B":                          `1:13: "A=B" is no name`,
		"plan seed=x":                              `1:6: seed "x": want a number`,
		"plan seeds=1":                             `1:6: "seeds=1": want plan seed=N`,
		"at 1s pause A\nplan seed=1":               `2:1: "plan": want at TIME FAULT`,
		"at 1s drop":                               `1:11: something is missing: want drop FROM->TO:MESSAGE`,
		"at -1s pause A":                           `1:4: "-1s" is no duration`,
		"at 1s cost M Heartbeat 1 second":          `1:26: "second" is too much`,
		"at 1s drop A->B:C n=99999999999999999999": `1:21:`,
	} {
		_, err := fault.ParsePlan(text)
		var syntax *fault.SyntaxError
		if !errors.As(err, &syntax) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestShrinkFindsTheFewestFaults(t *testing.T) {
	var p fault.Plan
	for i := range 40 {
		p.Faults = append(p.Faults, fault.Timed{At: time.Duration(i) * 1001 * time.Millisecond, Fault: fault.Fault{Verb: fault.Pause, A: string(rune('a' + i))}})
	}
	tries := 0
	// It takes three of them, in two places.
	got := fault.Shrink(p, 1000, func(q fault.Plan) bool {
		tries++
		has := func(name string) bool {
			return slices.ContainsFunc(q.Faults, func(t fault.Timed) bool { return t.A == name })
		}
		return has("c") && has("d") && has("z")
	})
	if want := "at 2s pause c\nat 3s pause d\nat 25s pause z\n"; got.String() != want || tries > 100 {
		t.Errorf("%d tries:\n%s", tries, got)
	}
	tries = 0
	fault.Shrink(p, 7, func(fault.Plan) bool { tries++; return false })
	if tries != 7 {
		t.Error(tries)
	}
}

// What is read is printed as it is, and what is printed is read as the same.
func FuzzParsePlan(f *testing.F) {
	f.Add("plan seed=17 trace=abc\n# comment\nat 1s " + strings.Join(lines, "\nat 2s ") + "\n")
	f.Add("at 1s delay A->B:C by=1s\n\nat 1ns cut A")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := fault.ParsePlan(text)
		if err != nil {
			var syntax *fault.SyntaxError
			if !errors.As(err, &syntax) || syntax.Line < 1 || syntax.Column < 1 || syntax.Line > strings.Count(text, "\n")+1 {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		q, err := fault.ParsePlan(p.String())
		if err != nil || q.String() != p.String() || q.Seed != p.Seed || !slices.Equal(p.Faults, q.Faults) {
			t.Fatalf("%q: %q, %v", text, p, err)
		}
	})
}

func TestRandomFaultsOfAVeryShortTime(t *testing.T) {
	for seed := range uint64(100) {
		if p := fault.Random(rand.New(rand.NewPCG(seed, 0)), []string{"a", "b"}, time.Millisecond, 5); len(p.Faults) < 5 {
			t.Errorf("seed %d: %d faults", seed, len(p.Faults))
		}
	}
}
