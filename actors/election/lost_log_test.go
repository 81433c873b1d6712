package election

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

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
