package scenario_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/cluster/scenario"
)

// TestScripts runs each golden script in each of its worlds. Those whose names end in .next are of capabilities that are
// being built.
func TestScripts(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, path := range paths {
		for _, kind := range []local.Kind{local.Sim, local.InProcess, local.TCP} {
			t.Run(strings.TrimSuffix(filepath.Base(path), ".txt")+"/"+string(kind), func(t *testing.T) { runScript(t, path, kind) })
		}
	}
}

func runScript(t *testing.T, path string, kind local.Kind) {
	var r *scenario.Runner
	datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
		first := d.FullCmd()
		if r == nil {
			h, err := scenario.ParseHeader(first)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(h.Worlds, kind) {
				t.Skipf("worlds: %v", h.Worlds)
			}
			if r, err = scenario.New(kind, first); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		out, err := r.Block(t.Context(), append([]string{first}, strings.Split(d.Input, "\n")...))
		if err != nil {
			t.Fatalf("%s: %v", d.Pos, err)
		}
		return out
	})
}

func TestWhatIsWrongIsNamedWithItsPlace(t *testing.T) {
	const first = "cluster worlds=(sim) seed=1"
	for _, tt := range []struct{ line, want string }{
		{"  startt master M", "line 2, column 3: no verb is called startt: start is near"},
		{"start master ../M", `line 2, column 1: start master ../M: the process id "../M" is no plain name: want letters, digits, '.', '_' and '-', at most 128`},
		{"submit ../A pi", `line 2, column 1: submit ../A pi: the process id "../A" is no plain name: want letters, digits, '.', '_' and '-', at most 128`},
		{"start master", "line 2, column 1: start master: want: start master|worker|resourcemanager|nodemanager NAME [K=V ...]"},
		{"run until=W1", `line 2, column 1: run until=W1: filter "W1": column 3: want FROM->TO:MESSAGE, for example Worker->Master:Heartbeat`},
	} {
		r, err := scenario.New(local.Sim, first)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Block(t.Context(), []string{first, tt.line}); err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v\nwant %s", tt.line, err, tt.want)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}
