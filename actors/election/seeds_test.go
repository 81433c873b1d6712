package election

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coherer/coherer/rpcenv/fault"
)

var (
	seedFlag  = flag.Uint64("seed", 0, "run this seed alone")
	seedsFlag = flag.Uint64("seeds", 40, "run so many seeds")
)

// bound is how soon after the faults ended there must be a leader: a second of silence, two campaigns that meet another.
const bound = 6 * time.Second

// span is how long faults go on.
const span = 8 * time.Second

// TestSeedsOfElections lets three or five Masters elect and write while processes crash and begin again, the network is cut,
// and messages are lost, doubled and late. There is never more than one leader of a term; a new leader has all that was
// durable; soon after the faults have ended a Master leads, and all have the same.
func TestSeedsOfElections(t *testing.T) {
	if *seedFlag != 0 {
		g := runSeed(*seedFlag, Config{}, nil)
		t.Logf("%d elected, %d written, %d failed, trace %s", g.elected, g.written, g.lost, g.trace)
		for _, p := range g.problems {
			t.Error(p)
		}
		return
	}
	groups := sweep(*seedsFlag)
	hash := sha256.New()
	failed, elected, written, lost, snapshots, longest := 0, 0, 0, 0, 0, time.Duration(0)
	for i, g := range groups {
		fmt.Fprintln(hash, g.trace)
		elected, written, lost = elected+g.elected, written+g.written, lost+g.lost
		snapshots, longest = snapshots+g.snapshots, max(longest, g.took)
		if len(g.problems) > 0 {
			if failed++; failed <= 3 {
				t.Errorf("seed %d: %v\nagain: go test ./actors/election -run TestSeeds -seed=%d", i+1, g.problems, i+1)
			}
		}
	}
	t.Logf("hash elections-%d %x", len(groups), hash.Sum(nil)[:16])
	t.Logf("%d seeds: %d leaders, %d writes, %d that failed, %d snapshots sent, a leader %s after the faults at most; %d seeds failed",
		len(groups), elected, written, lost, snapshots, longest, failed)
	if n := len(groups); elected < n*3/2 || written < 10*n || lost == 0 || snapshots == 0 {
		t.Errorf("too little happened: the test shows little")
	}
}

func sweep(n uint64) []*group {
	out := make([]*group, n)
	var next atomic.Uint64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for seed := next.Add(1); seed <= n; seed = next.Add(1) {
				out[seed-1] = runSeed(seed, Config{}, nil)
			}
		})
	}
	wg.Wait()
	return out
}

// runSeed runs one seed; before changes the group first.
func runSeed(seed uint64, cfg Config, before func(*group)) *group {
	rnd := random(seed)
	if cfg.SnapshotBytes == 0 && rnd.IntN(2) == 0 {
		cfg.SnapshotBytes, cfg.Keep = 500, 3 // a snapshot each dozen writes
	}
	g := newGroup(seed, 3+2*rnd.IntN(2), cfg)
	if before != nil {
		before(g)
	}
	defer g.w.Close()
	if err := g.start(); err != nil {
		g.problem("start: %v", err)
		return g
	}
	if err := g.w.Run(func() bool { return g.leader() != "" }, time.Minute); err != nil {
		g.problem("no first leader: %v", err)
		return g
	}
	g.w.Schedule(fault.Random(rnd, g.names, span, 12))
	g.w.Advance(span * 3 / 2)
	g.w.Calm()
	for i, n := range g.names {
		if g.w.Find(n) == nil {
			if err := g.boot(i); err != nil {
				g.problem("restart: %v", err)
			}
		}
	}
	calm := g.w.Now()
	if err := g.w.Run(func() bool { return g.leader() != "" }, bound); err != nil {
		g.problem("no leader: %v after the faults ended", err)
	}
	g.took = g.w.Now().Sub(calm)
	g.idle = true
	if err := g.w.Run(g.agreed, 30*time.Second); err != nil {
		for _, n := range g.names {
			e := g.elect[n]
			g.problem("no agreement: %s is %s %s of term %d at entry %d of %d, %v", n, e.phase, roleName(e.role), e.term, e.machine.index, e.last, err)
		}
	}
	g.check()
	g.trace = g.hash()
	return g
}
