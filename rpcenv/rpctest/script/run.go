package script

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/trace"
)

// Subject is the endpoint that a script is about.
type Subject struct {
	// Ref is the endpoint's; its Env is one of the World's and listens.
	Ref rpcenv.Ref
	// State is what the verb state prints; what is the rest of its line. Without it the verb prints what the endpoint's process
	// has recorded by Context.State: a line KIND ID STATE for each thing, what being a KIND or empty.
	State func(what string) string
	// Omit reports what the forest leaves out, such as Inner: what that caused stands in its place. nil: nothing.
	Omit func(e *trace.Entry) bool
	// Short shortens what is printed, such as long ids to names, and Long makes lines of a script whole again; nil: neither.
	Short, Long func(text string) string
	// Verbs are further ones, by name. Each gets the rest of its line; what it returns is printed above the forest.
	Verbs map[string]func(args string) (string, error)
}

// Inner reports whether an entry is a message within a process. As an Omit it is for a process of several endpoints whose
// conversations with others a script is about.
func Inner(e *trace.Entry) bool {
	return e.K == trace.KindMsg && trace.Peer(e.From) == trace.Peer(e.To)
}

// seed is that of the scripts' Worlds.
const seed = 1

// RunAll runs each script in testdata/scripts as a subtest that has the name of its file without .txt.
func RunAll(t *testing.T, setup func(w *rpctest.World) Subject) {
	t.Helper()
	paths, err := filepath.Glob("testdata/scripts/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal("no scripts in testdata/scripts", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) { run(t, path, setup) })
	}
}

// Run runs the script at path about the endpoint that setup makes, in a World of its own. With the flag -rewrite it writes
// into the file what followed.
func Run(t *testing.T, path string, setup func(w *rpctest.World) Subject) {
	t.Helper()
	run(t, path, setup)
}

func run(t testing.TB, path string, setup func(w *rpctest.World) Subject) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	var r *runner
	var owner testing.TB // of r
	datadriven.RunTestAny(t, path, func(t testing.TB, d *datadriven.TestData) string {
		t.Helper()
		if t != owner { // a subtest begins, or has ended
			r, owner = newRunner(rpctest.New(t, seed), setup), t
		}
		at := lineOf(d)
		out, err := r.block(path, at, blockAt(lines, at))
		if err != nil {
			t.Fatal(err)
		}
		return out
	})
	if r == nil {
		t.Fatalf("%s: there is no block in it", path)
	}
}

// lineOf is the line where a block begins, counted from 1.
func lineOf(d *datadriven.TestData) int {
	n, err := strconv.Atoi(d.Pos[strings.LastIndexByte(d.Pos, ':')+1:])
	if err != nil {
		return 1
	}
	return n
}

// blockAt is a block's lines as they are in the file: datadriven takes its first one apart.
func blockAt(lines []string, at int) []string {
	block := lines[at-1:]
	for i, line := range block {
		if line == "----" {
			return block[:i]
		}
	}
	return block
}
