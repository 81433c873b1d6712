package scenario_test

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coherer/coherer/cluster/invariant"
	"github.com/coherer/coherer/cluster/scenario"
)

// livesFlag is how many lives of full size the sweep has; `.ci/run seeds` and `make soak` ask for more.
var livesFlag = flag.Int("lives", 4, "so many random lives of a cluster of full size")

// fullLife is what coherer sim --masters 3 --workers 20 --apps 10 --faults all --for 1h lives.
func fullLife(seed uint64) scenario.Life {
	return scenario.Life{Seed: seed, Masters: 3, Workers: 20, Apps: 10, Faults: scenario.FaultKinds, For: time.Hour}
}

// smallLife is of a small cluster. Every fourth has three Masters, every second a driver that runs jobs.
func smallLife(seed uint64) scenario.Life {
	l := scenario.Life{Seed: seed, Masters: 1, Workers: 6, Apps: 5, Drivers: int(seed % 2), Faults: scenario.FaultKinds, For: 16 * time.Minute}
	if seed%4 == 0 {
		l.Masters = 3
	}
	return l
}

// sweep lives many lives, side by side.
func sweep(t *testing.T, n int, life func(uint64) scenario.Life) []*scenario.Lived {
	t.Helper()
	out := make([]*scenario.Lived, n)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := next.Add(1); i <= int64(n); i = next.Add(1) {
				l := life(uint64(i))
				lived, err := l.Live(t.Context())
				if err != nil {
					t.Error(err)
					continue
				}
				out[i-1] = lived
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return out
}

// TestSeedsOfRandomLives: the rules hold in random lives of a cluster of full size, an hour each. Two processes log the same
// hash of the first four.
func TestSeedsOfRandomLives(t *testing.T) {
	lives := sweep(t, *livesFlag, fullLife)
	// The first two are about drivers that run jobs, the third about YARN.
	held(t, lives, fullLife, invariant.SameView, invariant.NoBlock, invariant.AskBalance, invariant.NoChurn)
	logHash(t, "lives", lives[:min(4, len(lives))])
}

// smallLivesFlag is how many small lives the sweep has; `.ci/run seeds` asks for more.
var smallLivesFlag = flag.Int("smalllives", 20, "so many random lives of a small cluster")

// TestSeedsOfSmallLives: the rules hold in small lives, also those about drivers that run jobs. Two processes log the same hash of the
// first twenty.
func TestSeedsOfSmallLives(t *testing.T) {
	lives := sweep(t, *smallLivesFlag, smallLife)
	held(t, lives, smallLife, invariant.AskBalance, invariant.NoChurn)
	logHash(t, "small-lives", lives[:min(20, len(lives))])
}

// yarnLivesFlag is how many lives on YARN the sweep has; `.ci/run seeds` and `make soak` ask for more.
var yarnLivesFlag = flag.Int("yarnlives", 4, "so many random lives of a cluster on YARN")

// yarnLife is what coherer sim --yarn --workers 5 --apps 4 --faults all --for 9m lives: a storm, and a calm.
func yarnLife(seed uint64) scenario.Life {
	return scenario.Life{Seed: seed, Masters: 1, Workers: 5, Apps: 4, Faults: scenario.FaultKinds, For: 9 * time.Minute, YARN: true}
}

// TestSeedsOfYARNLives: all rules hold in random lives of ResourceManager, NodeManagers and applications in
// queues with preemption. Two processes log the same hash of the first four.
func TestSeedsOfYARNLives(t *testing.T) {
	lives := sweep(t, *yarnLivesFlag, yarnLife)
	held(t, lives, yarnLife)
	logHash(t, "yarn-lives", lives[:min(4, len(lives))])
}

// logHash logs what two processes must log alike.
func logHash(t *testing.T, what string, lives []*scenario.Lived) {
	hash := sha256.New()
	for _, l := range lives {
		fmt.Fprintln(hash, l.Hash)
	}
	t.Logf("hash %s-%d %x", what, len(lives), hash.Sum(nil)[:16])
}

// held: all lives held, and all rules but some were judged. A life that breaks a rule is shrunk.
func held(t *testing.T, lives []*scenario.Lived, life func(uint64) scenario.Life, but ...invariant.ID) {
	judged := map[invariant.ID]int{}
	failed := 0
	for _, l := range lives {
		for id, n := range l.Judged {
			judged[id] += n
		}
		if l.Holds() {
			continue
		}
		if failed++; failed > 3 {
			continue
		}
		t.Errorf("%s", l)
		if len(l.Violations) == 0 {
			continue
		}
		again := life(l.Seed)
		small, err := again.Shrink(t.Context(), l.Violations[0], scenario.ShrinkOptions{})
		if err != nil {
			t.Error(err)
			continue
		}
		t.Errorf("shrunk, for coherer scenario run FILE:\n%s", small)
	}
	t.Logf("%d lives; judged %v", len(lives), judged)
	if failed > 0 {
		t.Errorf("%d of %d seeds failed", failed, len(lives))
	}
	for _, r := range invariant.Rules {
		if judged[r.ID] == 0 && !slices.Contains(but, r.ID) {
			t.Errorf("%s was never looked at: the sweep shows nothing of it", r.ID)
		}
	}
}

// A sweep finds faults that Spark had: with each of them turned on some life breaks the rule that is about it, and the
// script that it is shrunk to breaks the rule again.
func TestLivesFindHistoricFaults(t *testing.T) {
	for fault, c := range map[string]struct {
		rule  invariant.ID
		kinds []string
	}{
		"SPARK-13604": {invariant.ToldToStop, scenario.FaultKinds}, "SPARK-23191": {invariant.IdempotentRegister, scenario.FaultKinds},
		"SPARK-34245": {invariant.Ledger, []string{"drop", "executor"}}, "SPARK-16925": {invariant.Progress, scenario.FaultKinds},
		"SPARK-2425": {invariant.BoundedRetry, nil},
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			rule := c.rule
			for seed := uint64(1); seed <= 60; seed++ {
				l := smallLife(seed)
				l.Conf, l.Faults, l.Drivers = []string{"coherer.compat=" + fault}, c.kinds, 0
				lived, err := l.Live(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if i := slices.IndexFunc(lived.Violations, func(v invariant.Violation) bool { return v.Rule == rule }); i >= 0 {
					t.Logf("seed %d", seed)
					replayed(t, &l, lived.Violations[i])
					return
				}
			}
			t.Errorf("60 seeds did not break %s", rule)
		})
	}
}

// So does a sweep of lives on YARN: asks that cross containers on their way (YARN-1902) need no fault.
func TestLivesOnYARNFindHistoricFaults(t *testing.T) {
	for seed := uint64(1); seed <= 10; seed++ {
		l := yarnLife(seed)
		l.Conf = []string{"coherer.compat=YARN-1902"}
		lived, err := l.Live(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if broken(lived.Violations, invariant.AskBalance) {
			t.Logf("seed %d", seed)
			return
		}
	}
	t.Errorf("10 seeds did not break %s", invariant.AskBalance)
}

func broken(all []invariant.Violation, rule invariant.ID) bool {
	return slices.ContainsFunc(all, func(v invariant.Violation) bool { return v.Rule == rule })
}

// replayed: a life that breaks a rule is shrunk to a script; its text, read again, breaks the rule.
func replayed(t *testing.T, l *scenario.Life, v invariant.Violation) {
	small, err := l.Shrink(t.Context(), v, scenario.ShrinkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	again, err := scenario.Parse(filepath.Join("x", "small.txt"), small.String())
	if err != nil {
		t.Fatal(err)
	}
	out, err := again.Run(t.Context(), scenario.Options{})
	if err != nil || !broken(out.Violations, v.Rule) {
		t.Errorf("%v, %v\n%s", err, out, small)
	}
	if lines := len(again.Blocks[0].Verbs); lines > 16 {
		t.Errorf("%d lines are much:\n%s", lines, small)
	}
}

func TestALifeIsTheSameTwice(t *testing.T) {
	for _, masters := range []int{1, 3} {
		l := scenario.Life{Seed: 5, Masters: masters, Workers: 4, Apps: 3, Drivers: 1, Faults: scenario.FaultKinds, For: 10 * time.Minute}
		first, err := l.Live(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		second, err := l.Live(t.Context())
		if err != nil || second.Hash != first.Hash || second.String() != first.String() {
			t.Errorf("%v\n%s%s", err, first, second)
		}
		if other := l; true {
			other.Seed = 6
			if third, err := other.Live(t.Context()); err != nil || third.Hash == first.Hash {
				t.Error("another seed does the same", err)
			}
		}
	}
}

func TestAWrongLifeIsNamed(t *testing.T) {
	l := scenario.Life{Masters: 10, Drivers: -1, Conf: []string{"x"}}
	err := l.Validate()
	for _, want := range []string{"10 masters: want 1 to 9", "0 workers: want 1 to 1000", "-1 drivers", "a life of 0s", `--conf "x"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %s", err, want)
		}
	}
	if _, err := scenario.ParseFaults("cut,cuts"); err == nil || !strings.Contains(err.Error(), "there are crash, cut") {
		t.Error(err)
	}
}

// A life's command names all that the life follows from.
func TestACommandNamesTheWholeLife(t *testing.T) {
	for want, l := range map[string]scenario.Life{
		"coherer sim --yarn --seed 7 --workers 2 --apps 1 --faults cut,crash --for 1m0s --conf 'spark.app.name=a$b'": {
			Seed: 7, YARN: true, Masters: 1, Workers: 2, Apps: 1, Faults: []string{"cut", "crash"}, For: time.Minute, Conf: []string{"spark.app.name=a$b"},
		},
		"coherer sim --seed 8 --masters 3 --workers 1 --apps 0 --drivers 1 --faults none --for 1m0s": {
			Seed: 8, Masters: 3, Workers: 1, Drivers: 1, For: time.Minute,
		},
	} {
		lived, err := l.Live(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if lived.Command != want {
			t.Errorf("%s\nwant %s", lived.Command, want)
		}
		l.YARN = true
		if err := l.Validate(); l.Drivers > 0 && (err == nil || strings.Count(err.Error(), "is for a cluster of Workers") != 2) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
