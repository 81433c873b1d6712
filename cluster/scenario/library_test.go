package scenario_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/cluster/invariant"
	"github.com/coherer/coherer/cluster/scenario"
)

// rewriting reports whether scripts are to be written anew: datadriven's flag.
func rewriting() bool {
	f := flag.Lookup("rewrite")
	return f != nil && f.Value.String() == "true"
}

// TestLibrary: each script of the library holds, prints its expected output, and has a comment; and with its historic fault
// turned on it breaks a rule that it names.
func TestLibrary(t *testing.T) {
	for _, name := range scenario.Library() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := scenario.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, word := range []string{"Historic:", "Required:"} {
				if !strings.Contains(s.About, word) {
					t.Errorf("the comment does not say %s", word)
				}
			}
			if len(s.Invariants()) == 0 {
				t.Error("it names no invariant")
			}
			holds(t, s)
			fails(t, s)
		})
	}
}

func holds(t *testing.T, s *scenario.Script) {
	out, err := s.Run(t.Context(), scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if rewriting() {
		if err := os.WriteFile(filepath.Join("library", s.Name+".txt"), []byte(out.Script.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		out.Differences = nil
	}
	if !out.Holds() {
		t.Error(out)
	}
}

func fails(t *testing.T, s *scenario.Script) {
	out, err := s.Run(t.Context(), scenario.Options{Upstream: true})
	if fault, why := s.Historic(); fault == "" {
		if !errors.Is(err, scenario.ErrCannotExpress) || why == "" {
			t.Errorf("%v: want that its fault cannot be expressed, and why", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(out.Violations, func(v invariant.Violation) bool { return slices.Contains(s.Invariants(), string(v.Rule)) }) {
		t.Errorf("with its fault no rule of %v is broken: %v", s.Invariants(), out)
	}
	for _, v := range out.Violations {
		t.Log(v)
	}
}
