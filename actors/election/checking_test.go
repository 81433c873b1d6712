package election

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// ordinary is a log of M1 that ends with entry 3 of term 2, of which it knows that entry 1 is committed.
func ordinary() Saved {
	return kept(&deploy.LogVote{Term: 3, Vote: 2, Commit: 1}, nil, entries(2, 1, 3)...)
}

const ordinaryAsks = "RequestGroup{kept:true term:3 vote:2 last_index:3}"

func TestAMasterWithALogAsksOnceAndWaitsAFifthOfASecond(t *testing.T) {
	l := newLone(t, 1, ordinary(), Config{})
	l.silent[3] = true
	l.start()
	l.Advance(199 * time.Millisecond)
	if l.e.phase != Checking {
		t.Errorf("it is %s", l.e.phase)
	}
	l.wantHeard("M2 "+ordinaryAsks, "M3 "+ordinaryAsks)
	l.Advance(3 * time.Millisecond)
	if l.e.phase != Member {
		t.Errorf("it is %s", l.e.phase)
	}
	l.Advance(20 * time.Millisecond)
	l.wantHeard()
	if got := l.lines("One of the Masters"); !slices.Equal(got, []string{"One of the Masters [10.0.0.1:7077 10.0.0.2:7077 10.0.0.3:7077], at term 3, with entries up to 3."}) {
		t.Errorf("it said %q", got)
	}
	l.wantLog(whose(m2, m3), "term:3 vote:2 commit:1", "1/2 2/2 3/2 ")
}

func TestAMasterAloneAsksNobody(t *testing.T) {
	w := rpctest.New(t, 1)
	env := w.Env("M1", nil)
	saved := kept(&deploy.LogVote{Term: 3}, nil)
	saved.Identity.Peers, saved.Identity.Met = []string{m1}, nil
	e := New(Config{Self: env.Address(), Peers: threePeers()[:0], Log: &MemoryLog{saved: saved}})
	e = New(Config{Self: env.Address(), Peers: append(e.peers, env.Address()), Log: &MemoryLog{saved: saved}})
	w.ProbeIn(env, "Master")
	w.Register(env, Name, e)
	w.Advance(time.Millisecond)
	if e.phase != Member {
		t.Errorf("it is %s", e.phase)
	}
}

// A log of which others know more is worth what a lost one is: its vote is spent in the latest term, and it has met all.
func TestAnOldCopyIsWorthWhatALostLogIs(t *testing.T) {
	knows := func(older bool, term uint64) *deploy.GroupState {
		return &deploy.GroupState{Formed: true, Older: older, Term: term}
	}
	for _, c := range []struct {
		two, three *deploy.GroupState
		term       int
		by         string
	}{
		{knows(true, 9), knows(false, 4), 9, m2},
		{knows(false, 4), knows(true, 9), 9, m3},
		{knows(true, 4), knows(false, 9), 9, m2},
		{knows(true, 2), knows(false, 1), 3, m2}, // it is of a later term itself
	} {
		saved := ordinary()
		saved.Identity.Met = nil
		l := newLone(t, 1, saved, Config{})
		l.log.Takes = 5 * time.Millisecond
		l.knows[2], l.knows[3] = c.two, c.three
		l.start()
		l.Until("the verdict", func() bool { return l.log.Saves > 0 })
		l.knows[2], l.knows[3] = knows(false, 9), knows(false, 4)
		l.Until("a member", func() bool { return l.e.phase == Member })
		again := fmt.Sprintf("RequestGroup{kept:true term:%d vote:1 last_index:3 behind:true}", c.term)
		l.wantHeard("M2 "+ordinaryAsks, "M3 "+ordinaryAsks, "M2 "+again, "M3 "+again)
		l.wantLog(whose(m1, m2, m3), fmt.Sprintf("term:%d vote:1 commit:1 behind:true", c.term), "1/2 2/2 3/2 ")
		want := "the log in memory is an old copy: it ends with entry 3 at term 3, and this Master has acknowledged more to " + c.by +
			". It gets the log of the others, and votes for nobody until then."
		if got := l.lines("the log in memory"); !slices.Equal(got, []string{want}) {
			t.Errorf("it said %q, want %q", got, want)
		}
	}
}

// What others know to be committed no leader may lack: the latest of what they say counts.
func TestNobodyIsElectedWhoLacksWhatIsCommitted(t *testing.T) {
	committed := func(index, term uint64) *deploy.GroupState {
		return &deploy.GroupState{Formed: true, CommittedIndex: index, CommittedTerm: term}
	}
	const why = "its log ends with entry 3 of term 2, and entry 4 of term 2 is committed"
	for _, c := range []struct{ two, three *deploy.GroupState }{
		{committed(4, 2), committed(3, 2)}, {committed(3, 2), committed(4, 2)}, {committed(9, 1), committed(4, 2)},
	} {
		l := newLone(t, 1, ordinary(), Config{})
		l.knows[2], l.knows[3] = c.two, c.three
		l.start()
		l.Until("a member", func() bool { return l.e.phase == Member })
		l.heard = nil
		l.Advance(10 * time.Second)
		l.wantHeard() // it does not stand itself
		l.send(2, &deploy.RequestVote{Term: 4, Pre: true, LastIndex: 3, LastTerm: 2}, &deploy.RequestVote{Term: 4, LastIndex: 3, LastTerm: 2})
		l.wantHeard()
		if got := l.lines("Ignoring RequestVote"); !slices.Equal(got, []string{"Ignoring RequestVote from 10.0.0.2:7077: " + why}) {
			t.Errorf("it said %q", got)
		}
		l.send(3, &deploy.RequestVote{Term: 4, LastIndex: 4, LastTerm: 2})
		l.wantHeard("M3 Vote{term:4 granted:true}")
	}
	l := newLone(t, 1, ordinary(), Config{})
	l.knows[2] = committed(3, 2)
	l.start()
	l.Advance(1500 * time.Millisecond)
	if i := slices.Index(l.heard, "M2 RequestVote{term:4 pre:true last_index:3 last_term:2}"); i < 0 {
		t.Errorf("it has all, and does not stand: %q", l.heard)
	}
}

// A member says what it has applied; one that checks its log, what that says is committed, if it has it.
func TestWhatAMasterSaysIsCommitted(t *testing.T) {
	snapshot := &deploy.LogSnapshot{Index: 3, Term: 2}
	for _, c := range []struct {
		saved        Saved
		checks, then string
	}{
		{ordinary(), "formed:true term:3 last_index:3 committed_index:1 committed_term:2", "formed:true term:3 last_index:3 committed_index:1 committed_term:2"},
		{
			kept(&deploy.LogVote{Term: 3, Commit: 5}, snapshot, entries(3, 4, 6)...),
			"formed:true term:3 last_index:6 committed_index:5 committed_term:3", "formed:true term:3 last_index:6 committed_index:5 committed_term:3",
		},
		{
			kept(&deploy.LogVote{Term: 3, Commit: 2}, snapshot, entries(3, 4, 6)...),
			"formed:true term:3 last_index:6 committed_index:3 committed_term:2", "formed:true term:3 last_index:6 committed_index:3 committed_term:2",
		},
	} {
		c.saved.Identity.Met = nil
		l := newLone(t, 1, c.saved, Config{})
		l.silent[3] = true
		l.start()
		l.Advance(20 * time.Millisecond)
		for _, want := range []string{c.checks, c.then} {
			s, err := rpctest.Ask[*deploy.GroupState](l.peers[2], l.self, &deploy.RequestGroup{Group: l.e.group, Kept: true, Term: 3})
			if err != nil || textOf(s) != want {
				t.Errorf("%s: it says %s, %v, want %s", l.e.phase, textOf(s), err, want)
			}
			l.Advance(200 * time.Millisecond)
		}
	}
}

// What a peer confirmed it must have when it asks; what it is asked for again it may forget.
func TestAPeerWhoseLogIsOlderHearsIt(t *testing.T) {
	l := leader(t, 1, ordinary(), Config{}) // of term 4, with entry 4, which M2 confirmed
	ask := func(q *deploy.RequestGroup) bool {
		q.Group = l.e.group
		s, err := rpctest.Ask[*deploy.GroupState](l.peers[2], l.self, q)
		if err != nil {
			t.Error(err)
		}
		return s.GetOlder()
	}
	for _, c := range []struct {
		q    *deploy.RequestGroup
		want bool
	}{
		{&deploy.RequestGroup{Kept: true, Term: 4, Vote: 1, LastIndex: 4}, false},
		{&deploy.RequestGroup{Kept: true, Term: 4, Vote: 1, LastIndex: 3}, true},
		{&deploy.RequestGroup{Kept: true, Term: 4, Vote: 2, LastIndex: 4}, true},
		{&deploy.RequestGroup{Kept: true, Term: 3, Vote: 2, LastIndex: 4}, true},
	} {
		if got := ask(c.q); got != c.want {
			t.Errorf("%v: %v", c.q, got)
		}
	}
	l.heard = nil
	l.confirms[2] = false
	// It knows now that it has to begin anew, or begins without a log: the leader takes nothing for granted.
	for _, q := range []*deploy.RequestGroup{{Kept: true, Term: 4, Vote: 1, Behind: true}, {}} {
		if ask(q) {
			t.Errorf("%v: older", q)
		}
		l.Advance(20 * time.Millisecond) // at once
		if !slices.ContainsFunc(l.heard, func(s string) bool { return strings.HasPrefix(s, "M2 AppendEntries{term:4 prev_index:3") }) {
			t.Errorf("it heard %q", l.heard)
		}
		l.Advance(230 * time.Millisecond)
		l.send(2, &deploy.LeaderHeard{Term: 4})
		l.send(2, &deploy.Appended{Term: 4, Index: 3, Refused: true})
		if !slices.ContainsFunc(l.heard, func(s string) bool {
			return strings.HasPrefix(s, "M2 AppendEntries{term:4 commit:4 entries:{index:1 term:2} entries:{index:2")
		}) {
			t.Errorf("it was not sent all: %q", l.heard)
		}
		l.send(2, &deploy.Appended{Term: 4, Index: 4})
		l.heard = nil
	}
	if ask(&deploy.RequestGroup{Kept: true, Term: 4, LastIndex: 4}) {
		t.Error("its vote is remembered, and was forgotten")
	}
}
