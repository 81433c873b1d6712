package election

import (
	"math/rand/v2"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv/fault"
)

// copied is a copy of what a Master's disk has.
func (g *group) copied(name string) Saved {
	s, _ := g.logs[name].Load(nil) // without Early it needs no clock
	return s
}

// putBack ends a Master and starts it with an old copy of its disk.
func (g *group) putBack(t *testing.T, name string, old Saved) {
	t.Helper()
	g.w.Find(name).Kill()
	g.logs[name].saved = old
	g.restart(t, name)
}

func (g *group) do(t *testing.T, line string) {
	t.Helper()
	f, err := fault.Parse(line)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.w.Apply(f); err != nil {
		t.Fatal(err)
	}
}

// Copies of a Master's disk are taken at random times, of leaders too, while it runs and while it does not, and put back
// later. The group goes on, also when another Master then ends, and nothing is lost.
func TestSeedsOfOldCopies(t *testing.T) {
	old := 0
	for seed := range uint64(30) {
		g := started(t, seed, 3+2*int(seed%2), Config{SnapshotBytes: []int{0, 0, 500}[seed%3], Keep: 3})
		rnd := random(seed)
		pause := func(most time.Duration) { g.w.Advance(time.Duration(rnd.Int64N(int64(most)))) }
		for range 4 {
			victim := g.names[rnd.IntN(len(g.names))]
			pause(time.Second)
			before := g.copied(victim)
			g.trouble(t, rnd, victim)
			pause(2 * time.Second)
			behind := g.logs[victim].saved.Vote.GetTerm() > before.Vote.GetTerm() || len(g.logs[victim].saved.Entries) > len(before.Entries)
			if behind {
				old++
			}
			g.putBack(t, victim, before)
			g.until(t, "agreement after an old copy", g.agreedWhileWriting)
			other := g.others(victim)[rnd.IntN(len(g.names)-1)]
			pause(time.Second)
			g.w.Find(other).Kill()
			g.until(t, "a leader without another one", func() bool { return g.leader() != "" })
			g.restart(t, other)
			g.until(t, "all", g.agreedWhileWriting)
		}
		g.end(t)
		g.w.Close()
	}
	if old < 60 {
		t.Errorf("only %d copies were older: the test shows little", old)
	}
}

// trouble lets something happen between a copy and its use.
func (g *group) trouble(t *testing.T, rnd *rand.Rand, victim string) {
	t.Helper()
	switch rnd.IntN(3) {
	case 0: // nothing: the Master goes on
	case 1:
		g.restart(t, victim)
		g.until(t, "agreement after a restart", g.agreedWhileWriting)
	case 2: // another election, in which it may vote
		if leader := g.leader(); leader != "" {
			g.restart(t, leader)
			g.until(t, "agreement after an election", g.agreedWhileWriting)
		}
	}
}

// A Master that acknowledged what a third one lacks comes back with an old copy: it does not elect the third one.
func TestAnOldCopyVotesForNobodyUntilItHasTheLeadersLog(t *testing.T) {
	g := started(t, 1, 3, Config{})
	g.w.Advance(time.Second)
	leader := g.leader()
	lagging, victim := g.others(leader)[0], g.others(leader)[1]
	old := g.copied(victim)
	g.w.Cut(leader, lagging)
	g.w.Cut(lagging, leader)
	g.w.Advance(500 * time.Millisecond)
	g.do(t, "drop "+leader+"->"+victim+":AppendEntries for=1m")
	g.putBack(t, victim, old)
	g.w.Advance(10 * time.Second)
	if l := g.leader(); l != "" && l != leader {
		t.Errorf("%s leads without what %s has", l, leader)
	}
	if !g.elect[victim].behind {
		t.Error("its log is not known to be old")
	}
	g.says(t, "the log in memory is an old copy: it ends with entry", "it votes for nobody")
	g.w.Calm()
	g.w.Heal(leader, lagging)
	g.w.Heal(lagging, leader)
	g.end(t)
	g.says(t, "it votes again")
}

// The leader's answer is lost when a Master with an old copy starts. Then the leader's heartbeats, about entries that it
// does not have, make it ask again.
func TestAnOldCopyIsFoundByTheLeadersHeartbeats(t *testing.T) {
	g := started(t, 1, 3, Config{})
	g.w.Advance(time.Second)
	leader := g.leader()
	victim := g.others(leader)[0]
	old := g.copied(victim)
	g.w.Advance(500 * time.Millisecond)
	g.do(t, "drop "+victim+"->"+leader+":RequestGroup for=500ms")
	g.putBack(t, victim, old)
	g.w.Advance(450 * time.Millisecond)
	if e := g.elect[victim]; e.phase != Member || e.behind {
		t.Errorf("%s, behind %v: the test does not show what it should", e.phase, e.behind)
	}
	g.until(t, "an old copy", func() bool { return g.elect[victim].behind })
	g.until(t, "agreement", g.agreedWhileWriting)
	g.end(t)
}

// All begin anew, and none remembers what others acknowledged. Still a Master with an old copy does not elect one that
// lacks what a third knows to be committed.
func TestNobodyIsElectedWithoutWhatOthersKnowToBeCommitted(t *testing.T) {
	g := started(t, 1, 3, Config{})
	g.w.Advance(time.Second)
	leader := g.leader()
	lagging, victim := g.others(leader)[0], g.others(leader)[1]
	old := g.copied(victim)
	g.w.Cut(leader, lagging)
	g.w.Cut(lagging, leader)
	g.w.Advance(500 * time.Millisecond)
	g.idle = true
	g.w.Advance(time.Second)
	g.w.Find(victim).Kill()
	for _, n := range []string{leader, lagging} {
		g.w.Find(n).Kill()
	}
	g.logs[victim].saved = old
	for _, n := range g.names {
		g.restart(t, n)
	}
	g.do(t, "drop "+leader+"->*:RequestVote for=5s") // any other that wants to lead can
	g.w.Advance(4 * time.Second)
	for _, n := range []string{lagging, victim} {
		if g.leader() == n {
			t.Errorf("%s leads without what %s has", n, leader)
		}
	}
	g.w.Calm()
	g.w.Heal(leader, lagging)
	g.w.Heal(lagging, leader)
	g.end(t)
}

// What a log must have is what its owner said: the same or more is no old copy.
func TestWhatALogLacks(t *testing.T) {
	said := acknowledged{term: 5, index: 8}
	voted := acknowledged{term: 5, voted: true}
	kept := func(term, vote, last uint64) *deploy.RequestGroup {
		return &deploy.RequestGroup{Kept: true, Term: term, Vote: vote, LastIndex: last}
	}
	for name, tt := range map[string]struct {
		said acknowledged
		log  *deploy.RequestGroup
		want bool
	}{
		"nothing was heard":                {acknowledged{}, kept(1, 0, 1), false},
		"all is there":                     {said, kept(5, 0, 8), false},
		"more is there":                    {said, kept(5, 0, 9), false},
		"an entry is missing":              {said, kept(5, 0, 7), true},
		"the term is missing":              {said, kept(4, 0, 9), true},
		"a later leader cut it":            {said, kept(6, 0, 7), false},
		"the vote is there":                {voted, kept(5, 1, 0), false},
		"the vote is missing":              {voted, kept(5, 0, 0), true},
		"the vote is another's":            {voted, kept(5, 2, 0), true},
		"a vote in a later term":           {voted, kept(6, 2, 0), false},
		"it has no log, which is known":    {said, &deploy.RequestGroup{}, false},
		"it has to catch up, and knows so": {said, &deploy.RequestGroup{Kept: true, Term: 1, Behind: true}, false},
	} {
		if got := tt.said.lacking(tt.log, 1); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// What messages say of their sender's log: only what is durable before they are sent.
func TestWhatAMessageAcknowledges(t *testing.T) {
	e := New(Config{})
	for i, tt := range []struct {
		m    proto.Message
		want acknowledged
	}{
		{&deploy.Vote{Term: 3, Pre: true, Granted: true}, acknowledged{}},
		{&deploy.RequestVote{Term: 3}, acknowledged{}},
		{&deploy.Vote{Term: 3}, acknowledged{}},
		{&deploy.Appended{Term: 2, Index: 9, Refused: true}, acknowledged{}},
		{&deploy.Appended{Term: 2, Index: 9}, acknowledged{2, 9, false}},
		{&deploy.Appended{Term: 2, Index: 7}, acknowledged{2, 9, false}},
		{&deploy.Vote{Term: 3, Granted: true}, acknowledged{3, 0, true}},
		{&deploy.Appended{Term: 3, Index: 4}, acknowledged{3, 4, true}},
		{&deploy.Appended{Term: 2, Index: 10}, acknowledged{3, 4, true}},
		{&deploy.LeaderHeartbeat{Term: 4}, acknowledged{4, 0, false}},
		{&deploy.AppendEntries{Term: 5}, acknowledged{5, 0, false}},
		{&deploy.Vote{Term: 5, Granted: true}, acknowledged{5, 0, true}},
	} {
		e.acknowledge(2, tt.m)
		if e.acked[2] != tt.want {
			t.Errorf("message %d: %v, want %v", i, e.acked[2], tt.want)
		}
	}
}
