package election

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/fault"
	"github.com/coherer/coherer/rpcenv/trace"
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

func TestAMasterWhoseLogIsLostTakesPartAgain(t *testing.T) {
	for seed := range uint64(20) {
		g := started(t, seed, 3, Config{SnapshotBytes: []int{0, 300}[seed%2], Keep: 2})
		g.w.Advance(time.Second)
		victim := g.names[seed%3] // the leader too
		g.w.Find(victim).Kill()
		g.logs[victim].Lose()
		g.w.Advance(time.Duration(seed) * 100 * time.Millisecond)
		g.restart(t, victim)
		g.until(t, "agreement", g.agreedWhileWriting)
		g.says(t, "The log of this Master is lost", "it votes again")
		// Now one of the others may go.
		other := g.others(victim)[seed%2]
		g.w.Find(other).Kill()
		g.w.Advance(5 * time.Second)
		g.restart(t, other)
		g.end(t)
	}
}

// While it has not caught up, a Master that lost its log gives no vote: a leader elected by it might lack what both of the
// others know.
func TestAMasterThatLostItsLogVotesForNobodyUntilItHasIt(t *testing.T) {
	g := started(t, 1, 3, Config{})
	g.w.Advance(time.Second)
	leader := g.leader()
	stale, victim := g.others(leader)[0], g.others(leader)[1]
	g.w.Cut(leader, stale) // so that it lacks what the two others have
	g.w.Cut(stale, leader)
	g.w.Advance(500 * time.Millisecond)
	g.w.Find(victim).Kill()
	g.logs[victim].Lose()
	g.w.Cut(leader, victim)
	g.restart(t, victim)
	g.w.Advance(10 * time.Second)
	if l := g.leader(); l != "" && l != leader {
		t.Errorf("%s leads without what %s has", l, leader)
	}
	g.w.Heal(leader, stale)
	g.w.Heal(stale, leader)
	g.w.Heal(leader, victim)
	g.end(t)
}

func TestTooManyLostLogsAreNamed(t *testing.T) {
	g := started(t, 1, 3, Config{})
	g.w.Advance(time.Second)
	for _, n := range g.names[:2] {
		g.w.Find(n).Kill()
		g.logs[n].Lose()
	}
	for _, n := range g.names[:2] {
		g.restart(t, n)
	}
	g.w.Advance(3 * time.Second)
	for _, n := range g.names[:2] {
		if code, ended := g.w.Exited(n); !ended || code != exitBroken {
			t.Errorf("%s: exit code %d, %v", n, code, ended)
		}
	}
	g.says(t, ErrLogLost.Error(), "bring a log back")
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

// A Master without a log lost it, or never had one: what the others heard decides.
func TestWhoLostItsLog(t *testing.T) {
	at := func(n int) rpcenv.Address { return rpcenv.Address{Host: "h", Port: n} }
	waiting, fresh := &deploy.GroupState{}, &deploy.GroupState{Formed: true}
	knows := func(peers ...string) *deploy.GroupState { return &deploy.GroupState{Formed: true, Term: 3, Met: peers} }
	for name, tt := range map[string]struct {
		two, three *deploy.GroupState
		lost       bool
	}{
		"all begin":                         {waiting, waiting, false},
		"one was quicker":                   {fresh, waiting, false},
		"two were quicker, and elected":     {knows("h:3"), knows("h:2"), false},
		"one has heard of it":               {knows("h:1", "h:3"), knows("h:2"), true},
		"its leader lost its log too":       {waiting, knows("h:2"), true},
		"one that never took part is there": {waiting, knows("h:1"), true},
	} {
		e := New(Config{Self: at(1), Peers: []rpcenv.Address{at(1), at(2), at(3)}})
		e.answers[at(2)], e.answers[at(3)] = tt.two, tt.three
		if e.lostLog() != tt.lost {
			t.Errorf("%s: %v", name, !tt.lost)
		}
	}
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

func TestWhatIsWrongWithALogIsNamed(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*Saved)
		want   []string
	}{
		"peers":   {func(s *Saved) { s.Identity.Peers[2] = "10.0.0.9:7077" }, []string{ErrPeersChanged.Error(), "10.0.0.9:7077", "start it with the old ones"}},
		"self":    {func(s *Saved) { s.Identity.Self = "10.0.0.2:7077" }, []string{ErrPeersChanged.Error()}},
		"version": {func(s *Saved) { s.Identity.Version = 2 }, []string{ErrLogDamaged.Error(), "version 2"}},
		"vote":    {func(s *Saved) { s.Vote = nil }, []string{ErrLogDamaged.Error()}},
		"hole":    {func(s *Saved) { s.Entries = append(s.Entries[:1:1], s.Entries[2:]...) }, []string{ErrLogDamaged.Error(), "remove the file"}},
		"end":     {func(s *Saved) { s.Entries = nil }, []string{ErrLogDamaged.Error()}},
	} {
		t.Run(name, func(t *testing.T) {
			g := started(t, 1, 3, Config{})
			g.w.Advance(time.Second)
			g.w.Find("M1").Kill()
			s := &g.logs["M1"].saved
			s.Identity = proto.CloneOf(s.Identity)
			s.Vote = proto.CloneOf(s.Vote)
			tt.change(s)
			g.restart(t, "M1")
			g.w.Advance(3 * time.Second)
			if code, ended := g.w.Exited("M1"); !ended || code != exitBroken {
				t.Errorf("exit code %d, %v", code, ended)
			}
			g.says(t, tt.want...)
			g.until(t, "a leader", func() bool { return g.leader() != "" && g.leader() != "M1" })
		})
	}
}

// Masters with different peers do not elect each other, and say so.
func TestDifferentPeersAreNamed(t *testing.T) {
	g := newGroup(1, 3, Config{})
	t.Cleanup(g.w.Close)
	g.logTo = &g.text
	for i := range 2 {
		if err := g.boot(i); err != nil {
			t.Fatal(err)
		}
	}
	g.cfg.Peers = []rpcenv.Address{g.cfg.Peers[0], {Host: "10.0.0.9", Port: 7077}, g.cfg.Peers[2]}
	if err := g.boot(2); err != nil {
		t.Fatal(err)
	}
	g.w.Advance(5 * time.Second)
	if g.leader() != "" {
		t.Errorf("%s leads", g.leader())
	}
	g.says(t, "10.0.0.3:7077 has others", "10.0.0.2:7077 is none of them")
}

// A message that cannot be, of a peer or of a stranger, is traced and changes nothing.
func TestWhatCannotBeIsIgnored(t *testing.T) {
	g := started(t, 1, 3, Config{})
	g.w.Advance(time.Second)
	leader := g.leader()
	follower := g.others(leader)[0]
	e := g.elect[follower]
	group := e.group
	term := e.term
	for i, m := range []proto.Message{
		&deploy.LeaderHeartbeat{Term: term, Commit: 1 << 40, Group: group},
		&deploy.LeaderHeartbeat{Term: 1 << 63, Group: group},
		&deploy.LeaderHeartbeat{Group: group},
		&deploy.LeaderHeartbeat{Term: term, Group: group + 1},
		&deploy.AppendEntries{Term: term, Group: group, PrevIndex: 7, Entries: []*deploy.LogEntry{{Index: 9, Term: 1}}},
		&deploy.AppendEntries{Term: term, Group: group, Entries: []*deploy.LogEntry{{Index: 1, Term: 1 << 50}}},
		&deploy.AppendEntries{Term: term, Group: group, Entries: []*deploy.LogEntry{nil}},
		&deploy.InstallSnapshot{Term: term, Group: group},
		&deploy.InstallSnapshot{Term: term, Group: group, Snapshot: &deploy.LogSnapshot{Index: 1 << 40, Term: term + 1}},
		&deploy.Appended{Term: term, Group: group, Index: 1 << 50},
		&deploy.Vote{Group: group, Granted: true},
		&deploy.RequestVote{Group: group},
	} {
		before := ignored(g)
		if err := g.envs[leader].Send(rpcenv.Ref{Address: g.envs[follower].Address(), Name: Name}, m); err != nil {
			t.Fatal(err)
		}
		g.w.Advance(100 * time.Millisecond)
		if ignored(g) != before+1 {
			t.Errorf("message %d: %v is not traced", i, m)
		}
	}
	stranger, err := rpcenv.New(g.w.Host("S", "10.0.0.99"), rpcenv.Config{Name: "S", Listen: rpcenv.Address{Host: "10.0.0.99", Port: 1}})
	if err != nil {
		t.Fatal(err)
	}
	before := ignored(g)
	if err := stranger.Send(rpcenv.Ref{Address: g.envs[follower].Address(), Name: Name}, &deploy.RequestVote{Term: 99, Group: group}); err != nil {
		t.Fatal(err)
	}
	g.w.Advance(100 * time.Millisecond)
	if ignored(g) != before+1 {
		t.Error("the message of a stranger is not traced")
	}
	g.says(t, "Ignoring RequestVote from 10.0.0.99:1: it is none of the peers")
	if g.leader() != leader || g.elect[follower].phase != Member {
		t.Errorf("%s leads, %s is %s", g.leader(), follower, g.elect[follower].phase)
	}
	g.end(t)
}

func ignored(g *group) (n int) {
	for _, e := range trace.Merge(g.w.Recorder().Records()).Entries {
		if e.K == trace.KindState && e.Is == "ignored" {
			n++
		}
	}
	return n
}

// Proposals of another term, without the leadership, or larger than an entry are refused, and nothing comes of them.
func TestProposalsThatAreRefused(t *testing.T) {
	g := started(t, 1, 3, Config{})
	leader := g.leader()
	term := g.leads[leader]
	ask := func(name string, p Propose) (err error) {
		done := false
		g.envs[name].Go("test", func(b *rpcenv.Blocking) error {
			_, err = rpcenv.AskWait(b, rpcenv.Ref{Address: g.envs[name].Address(), Name: Name}, p)
			done = true
			return nil
		})
		g.until(t, "an answer", func() bool { return done })
		return err
	}
	change := []records.Change{{Key: "refused", Value: []byte("x")}}
	if err := ask(leader, Propose{Term: term - 1, Changes: change}); !errors.Is(err, ErrNotLeader) {
		t.Error(err)
	}
	err := ask(g.others(leader)[0], Propose{Term: term, Changes: change})
	if !errors.Is(err, ErrNotLeader) || !strings.Contains(err.Error(), g.envs[leader].Address().String()+" is it") {
		t.Error(err)
	}
	if err := ask(leader, Propose{Term: term, Changes: []records.Change{{Key: "refused", Value: make([]byte, mostChanges)}}}); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	if err := ask(leader, Propose{Term: term}); err != nil {
		t.Error(err)
	}
	if err := ask(leader, Propose{Term: term, Changes: []records.Change{{Key: "gone", Value: []byte{}}, {Key: "gone"}}}); err != nil {
		t.Error(err)
	}
	g.idle = true
	g.until(t, "agreement", g.agreed)
	for _, key := range []string{"refused", "gone"} {
		if v, ok := g.elect[leader].machine.records[key]; ok {
			t.Errorf("%s=%.10q", key, v)
		}
	}
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
