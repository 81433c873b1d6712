package election

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/fault"
)

// started is a group that has a leader.
func started(t *testing.T, seed uint64, n int, cfg Config) *group {
	t.Helper()
	g := newGroup(seed, n, cfg)
	t.Cleanup(g.w.Close)
	g.logTo = &g.text
	if err := g.start(); err != nil {
		t.Fatal(err)
	}
	g.until(t, "a leader", func() bool { return g.leader() != "" })
	return g
}

func (g *group) until(t *testing.T, what string, cond func() bool) {
	t.Helper()
	if err := g.w.Run(cond, 30*time.Second); err != nil {
		t.Fatalf("%s: %v\n%s", what, err, g.text.String())
	}
}

// end ends a test: Masters stop writing, agree, and have what was durable.
func (g *group) end(t *testing.T) {
	t.Helper()
	g.idle = true
	g.until(t, "agreement", g.agreed)
	g.check()
	for _, p := range g.problems {
		t.Error(p)
	}
}

func (g *group) restart(t *testing.T, name string) {
	t.Helper()
	if err := g.w.Restart(name); err != nil {
		t.Fatal(err)
	}
}

func (g *group) says(t *testing.T, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(g.text.String(), w) {
			t.Errorf("no log has %q:\n%s", w, g.text.String())
		}
	}
}

// others are the Masters but one.
func (g *group) others(name string) (out []string) {
	for _, n := range g.names {
		if n != name {
			out = append(out, n)
		}
	}
	return out
}

func TestAnotherLeadsWithinThreeSecondsOfTheEndOfALeader(t *testing.T) {
	longest := time.Duration(0)
	for seed := range uint64(100) {
		g := newGroup(seed, 3, Config{})
		if err := g.start(); err != nil {
			t.Fatal(err)
		}
		g.until(t, "a leader", func() bool { return g.leader() != "" })
		g.w.Advance(time.Second)
		first, at := g.leader(), g.w.Now()
		g.w.Find(first).Kill()
		g.until(t, "another leader", func() bool { return g.leader() != "" })
		if took := g.w.Now().Sub(at); took > 3*time.Second {
			t.Errorf("seed %d: %s", seed, took)
		} else {
			longest = max(longest, took)
		}
		for _, p := range g.problems {
			t.Error(p)
		}
		g.w.Close()
	}
	t.Logf("%s at most", longest)
}

func TestALeaderThatNobodyHearsStepsDown(t *testing.T) {
	g := started(t, 1, 3, Config{})
	old := g.leader()
	at := g.w.Now()
	g.w.Cut(old, "*")
	g.w.Cut("*", old)
	g.until(t, "the end of the leadership", func() bool { return g.leads[old] == 0 })
	if took := g.w.Now().Sub(at); took > 2200*time.Millisecond {
		t.Errorf("it took %s", took)
	}
	g.w.Advance(10 * time.Millisecond)
	if g.lost == 0 || !errors.Is(g.failure, ErrLeadershipLost) || !errors.Is(g.failure, records.ErrNotLeader) {
		t.Errorf("%d writes failed, with %v", g.lost, g.failure)
	}
	g.until(t, "another leader", func() bool { return g.leader() != "" && g.leader() != old })
	g.w.Heal(old, "*")
	g.w.Heal("*", old)
	g.end(t)
}

// A Master that was cut off comes back without disturbing the leader: it asks first.
func TestAMasterThatComesBackDisturbsNobody(t *testing.T) {
	g := started(t, 1, 3, Config{})
	leader, terms := g.leader(), len(g.leaders)
	cut := g.others(leader)[0]
	g.w.Cut(cut, "*")
	g.w.Cut("*", cut)
	g.w.Advance(20 * time.Second)
	g.w.Heal(cut, "*")
	g.w.Heal("*", cut)
	g.w.Advance(5 * time.Second)
	if g.leader() != leader || len(g.leaders) != terms {
		t.Errorf("%s leads instead of %s, in %d terms", g.leader(), leader, len(g.leaders))
	}
	g.end(t)
}

func TestAMasterFarBehindGetsTheState(t *testing.T) {
	g := started(t, 1, 3, Config{SnapshotBytes: 300, Keep: 2})
	late := g.others(g.leader())[0]
	g.w.Find(late).Kill()
	g.w.Advance(5 * time.Second)
	g.restart(t, late)
	g.end(t)
	if g.hash(); g.snapshots == 0 {
		t.Error("it got entries")
	}
	for name, log := range g.logs {
		if n := len(log.saved.Entries); n > 20 {
			t.Errorf("%s keeps %d entries", name, n)
		}
	}
}

func TestAGroupBeginsWhenAllAreThere(t *testing.T) {
	g := newGroup(1, 3, Config{})
	t.Cleanup(g.w.Close)
	g.logTo = &g.text
	for i := range 2 {
		if err := g.boot(i); err != nil {
			t.Fatal(err)
		}
	}
	g.w.Advance(20 * time.Second)
	if g.leader() != "" {
		t.Error("there is a leader")
	}
	g.says(t, "waiting for [10.0.0.3:7077]")
	if err := g.boot(2); err != nil {
		t.Fatal(err)
	}
	g.until(t, "a leader", func() bool { return g.leader() != "" })
	g.end(t)
}

func TestOneMasterIsAGroup(t *testing.T) {
	g := started(t, 1, 1, Config{})
	g.w.Advance(time.Second)
	g.restart(t, "M1")
	g.until(t, "a leader", func() bool { return g.leader() != "" })
	g.end(t)
}

func TestAFullDiskEndsTheMasterAndNothingIsLost(t *testing.T) {
	g := started(t, 1, 3, Config{})
	g.w.Advance(time.Second)
	full := g.leader()
	g.logs[full].Full = true
	g.until(t, "another leader", func() bool { return g.leader() != "" && g.leader() != full })
	if code, ended := g.w.Exited(full); !ended || code != exitBroken {
		t.Errorf("exit code %d, %v", code, ended)
	}
	g.says(t, ErrLogUnwritable.Error(), ErrFull.Error(), "make room")
	g.logs[full].Full = false
	g.restart(t, full)
	g.end(t)
}

// Writes that come together are one write of the disk.
func TestWritesThatComeTogetherAreOne(t *testing.T) {
	g := started(t, 1, 3, Config{})
	g.idle = true
	g.w.Advance(time.Second)
	leader := g.leader()
	before, done := g.logs[leader].Saves, 0
	const writes = 500
	for i := range writes {
		g.envs[leader].Go("test", func(b *rpcenv.Blocking) error {
			_, err := rpcenv.AskWait(b, rpcenv.Ref{Address: g.envs[leader].Address(), Name: Name}, Propose{
				Term: g.leads[leader], Changes: []records.Change{{Key: fmt.Sprint(i), Value: []byte("x")}},
			})
			if err != nil {
				t.Error(err)
			}
			done++
			return nil
		})
	}
	g.until(t, "all writes", func() bool { return done == writes })
	if n := g.logs[leader].Saves - before; n > 10 {
		t.Errorf("%d writes of the disk for %d", n, writes)
	}
}

// Two runs of a seed are the same, and runs of two seeds are not.
func TestElectionsAreAFunctionOfTheSeed(t *testing.T) {
	a, b, other := runSeed(11, Config{}, nil), runSeed(11, Config{}, nil), runSeed(12, Config{}, nil)
	if a.trace != b.trace || a.trace == other.trace {
		t.Errorf("%s, %s; %s", a.trace, b.trace, other.trace)
	}
}

// A Master that sends before what it says is durable, which is the same as a disk that lies, loses what was promised, and
// the rules of this test see it: a follower confirms, ends, and elects with one that never heard of it.
func TestConfirmationsBeforeTheyAreDurableAreFound(t *testing.T) {
	for _, early := range []time.Duration{0, time.Second} {
		g := started(t, 1, 3, Config{})
		g.w.Advance(time.Second)
		leader := g.leader()
		confirms, deaf := g.others(leader)[0], g.others(leader)[1]
		g.w.Cut(leader, deaf)
		g.logs[confirms].Early = early
		g.w.Advance(500 * time.Millisecond)
		g.w.Find(leader).Kill()
		g.restart(t, confirms)
		g.until(t, "another leader", func() bool { return g.leader() != "" })
		g.w.Advance(100 * time.Millisecond)
		if lost := len(g.problems) > 0; lost != (early > 0) {
			t.Errorf("confirmations %s before they are durable: %v", early, g.problems)
		}
	}
}

// The timers of elections are the seed's own: a leader is killed again and again, and each wait differs.
func TestTimersAreDrawn(t *testing.T) {
	g := started(t, 1, 3, Config{})
	took := map[time.Duration]bool{}
	for range 5 {
		at, old := g.w.Now(), g.leader()
		if err := g.w.Apply(fault.Fault{Verb: fault.Restart, A: old}); err != nil {
			t.Fatal(err)
		}
		g.until(t, "another leader", func() bool { return g.leader() != "" })
		took[g.w.Now().Sub(at)] = true
	}
	if len(took) < 5 {
		t.Error(took)
	}
	g.end(t)
}

// agreedWhileWriting is agreed, at an instant.
func (g *group) agreedWhileWriting() bool {
	for _, n := range g.names {
		if g.elect[n].behind {
			return false
		}
	}
	return g.leader() != "" && g.allRun()
}

func (g *group) allRun() bool {
	for _, n := range g.names {
		if g.w.Find(n) == nil || g.elect[n].phase != Member {
			return false
		}
	}
	return true
}
