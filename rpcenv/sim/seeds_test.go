package sim_test

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coherer/coherer/rpcenv/fault"
)

var (
	seedFlag  = flag.Uint64("seed", 0, "run the workload of this seed alone")
	seedsFlag = flag.Uint64("seeds", 100, "run the workload of so many seeds; `.ci/run seeds` and `make soak` ask for more")
	planFlag  = flag.String("plan", "", "replay the faults in this file, with the seed that it names")
)

const seedBatch = 100

// A small random cluster talks while a random plan of faults goes on, and the rules of the runtime hold for every seed. Two
// processes log the same hashes.
func TestSeedsOfARandomWorkload(t *testing.T) {
	switch {
	case *planFlag != "":
		replay(t, *planFlag)
		return
	case *seedFlag != 0:
		report(t, planOf(*seedFlag), runLoad(*seedFlag, planOf(*seedFlag)))
		return
	}
	begin := time.Now()
	outcomes := sweep(*seedsFlag)
	took := time.Since(begin)
	var handled int
	for first := 0; first < len(outcomes); first += seedBatch {
		hash := sha256.New()
		last := min(first+seedBatch, len(outcomes))
		for _, o := range outcomes[first:last] {
			fmt.Fprintln(hash, o.digest)
			handled += o.handled
		}
		t.Logf("hash workload-%d-%d %x", first+1, last, hash.Sum(nil)[:16])
	}
	t.Logf("%d seeds in %.1f s on %d cores: %.0f seeds/s, %d messages and ticks handled", len(outcomes), took.Seconds(),
		runtime.GOMAXPROCS(0), float64(len(outcomes))/took.Seconds(), handled)
	failed := 0
	for i, o := range outcomes {
		if len(o.problems) > 0 {
			if failed++; failed <= 3 {
				report(t, planOf(uint64(i+1)), o)
			}
		}
	}
	if failed > 0 {
		t.Errorf("%d of %d seeds failed", failed, len(outcomes))
	}
}

// sweep runs the seeds from 1 to n, side by side.
func sweep(n uint64) []outcome {
	out := make([]outcome, n)
	var next atomic.Uint64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for seed := next.Add(1); seed <= n; seed = next.Add(1) {
				out[seed-1] = runLoad(seed, planOf(seed))
			}
		})
	}
	wg.Wait()
	return out
}

// report describes a seed that failed: what was wrong, the fewest faults with which that happens, how to see it again.
func report(t *testing.T, plan fault.Plan, o outcome) {
	t.Helper()
	if len(o.problems) == 0 {
		t.Logf("seed %d is good; its trace is %s", plan.Seed, o.digest)
		return
	}
	small, problems := shrink(plan, o, runLoad)
	t.Errorf("seed %d:\n  %s\nagain:\n  go test ./rpcenv/sim -run TestSeeds -seed=%d\n"+
		"with the fewest faults, which -plan=FILE replays:\n%swith these:\n  %s",
		plan.Seed, strings.Join(o.problems, "\n  "), plan.Seed, small, strings.Join(problems, "\n  "))
}

// shrink finds the fewest faults with which a run has the first problem of o, and what problems it has then.
func shrink(plan fault.Plan, o outcome, run func(uint64, fault.Plan) outcome) (fault.Plan, []string) {
	kind := kindOf(o.problems[0])
	small := fault.Shrink(plan, 300, func(q fault.Plan) bool { return has(run(q.Seed, q).problems, kind) })
	again := run(small.Seed, small)
	small.Trace = again.digest
	return small, again.problems
}

// kindOf is the part of a problem that says which rule it breaks.
func kindOf(problem string) string {
	kind, _, _ := strings.Cut(problem, ":")
	return kind
}

// replay runs the Plan of a file.
func replay(t *testing.T, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := fault.ParsePlan(string(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))))
	if err != nil {
		t.Fatalf("%s:%v", path, err)
	}
	o := runLoad(plan.Seed, plan)
	if err := sameProgram(plan, o); err != nil {
		t.Errorf("%s: %v", path, err)
	}
	if len(o.problems) > 0 {
		t.Errorf("seed %d:\n  %s", plan.Seed, strings.Join(o.problems, "\n  "))
		return
	}
	t.Logf("nothing is wrong; the trace is %s", o.digest)
}

// sameProgram is an error when a Plan was kept for another trace than that of the run.
func sameProgram(plan fault.Plan, o outcome) error {
	if plan.Trace == "" || plan.Trace == o.digest {
		return nil
	}
	return fmt.Errorf("the program differs from the one that the plan was kept for: its trace was %s, now it is %s. "+
		"Go back to that commit to see what the plan shows, or take the plan as a new one: leave out trace=", plan.Trace, o.digest)
}
