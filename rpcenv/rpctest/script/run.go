package script

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// Subject is the endpoint that a script is about.
type Subject struct {
	// Ref is the endpoint's; its Env is one of the World's and listens.
	Ref rpcenv.Ref
	// State is what the verb state prints; what is the rest of its line. Without it the verb prints what the endpoint has
	// recorded by Context.State: a line KIND ID STATE for each thing, what being a KIND or empty.
	State func(what string) string
}

// seed is that of the scripts' Worlds.
const seed = 1

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
	current := &forwarding{t}
	r := newRunner(rpctest.New(current, seed), setup)
	blocks := 0
	datadriven.RunTestAny(t, path, func(t testing.TB, d *datadriven.TestData) string {
		t.Helper()
		blocks++
		// The World was made with the script's test, and outlives its subtests: what fails in a block must fail that block.
		outer := current.TB
		defer func() { current.TB = outer }()
		current.TB = t
		at := lineOf(d)
		out, err := r.block(path, at, blockAt(lines, at))
		if err != nil {
			t.Fatal(err)
		}
		return out
	})
	if blocks == 0 {
		t.Fatalf("%s: there is no block in it", path)
	}
}

// forwarding is the test that runs: a script may have subtests.
type forwarding struct{ testing.TB }

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
