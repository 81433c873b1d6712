package costs

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// operations are the rows of the table of allocations.
var operations = []struct {
	name    string
	remote  bool
	ring    bool
	measure func(p *pair) func(n int) error
}{
	{"local tell", false, false, telling},
	{"local tell, ring on", false, true, telling},
	{"local ask by an endpoint", false, false, asking},
	{"local ask by an endpoint, ring on", false, true, asking},
	{"local ask by a program", false, false, askingFromOutside},
	{"remote tell", true, false, telling},
	{"remote tell, ring on", true, true, telling},
	{"remote ask by an endpoint", true, false, asking},
	{"remote ask by an endpoint, ring on", true, true, asking},
	{"remote ask by a program", true, false, askingFromOutside},
}

func telling(p *pair) func(n int) error           { return p.tells }
func asking(p *pair) func(n int) error            { return p.asks }
func askingFromOutside(p *pair) func(n int) error { return p.outsideAsks }

func TestAllocations(t *testing.T) {
	if raced {
		t.Skip("the race detector allocates as well")
	}
	x := table{
		title: "Allocations of an operation",
		about: "Objects, at both ends together. Tells are sent " + fmt.Sprint(burst) + " in a turn, asks one after the other. The answer of an ask\n" +
			"is as large as its question. \"Ring on\" is as daemons run.",
		head: sizeNames("operation"),
		// Batches and credits, which are for many messages, make the hundredths.
		within: 0.1,
	}
	for _, op := range operations {
		row := []string{op.name}
		for _, size := range sizes {
			env := func(name string) *rpcenv.Env {
				if !op.ring {
					return newEnv(t, name, nil)
				}
				r, err := record.NewRingRecorder()
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() {
					if err := r.Close(); err != nil {
						t.Error(err)
					}
				})
				return newEnv(t, name, r)
			}
			to := env("To")
			from := to
			if op.remote {
				from = env("From")
			}
			n := 2048
			if size > 1<<10 {
				n = 256 // nothing is collected meanwhile
			}
			p := newPair(t, from, to, to.Address(), size, !strings.Contains(op.name, "tell"))
			row = append(row, fmt.Sprintf("%.3f", allocations(t, n, op.measure(p))))
		}
		x.add(row...)
	}
	x.check(t)
}

// allocations is how many objects each of n operations makes in all of the process. What else runs adds to some rounds, and pools
// are empty at first: the least of some rounds is what the operation itself needs.
func allocations(t *testing.T, n int, run func(n int) error) float64 {
	t.Helper()
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // pools keep what they have
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))  // a pool is one
	least := uint64(1 << 62)
	for round := range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := run(n); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if round > 0 {
			least = min(least, after.Mallocs-before.Mallocs)
		}
	}
	return float64(least) / float64(n)
}
