package election

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// A member is noted in the log before what it sends counts; only one that elects, or confirms, must be.
func TestAMemberIsNotedBeforeWhatItSendsCounts(t *testing.T) {
	for _, c := range []struct {
		m     proto.Message
		noted bool
	}{
		{&deploy.RequestVote{Term: 4, LastIndex: 3, LastTerm: 2}, true},
		{&deploy.RequestVote{Term: 4, LastIndex: 3, LastTerm: 2, Pre: true}, false},
		{&deploy.Vote{Term: 3, Granted: true}, true},
		{&deploy.Vote{Term: 3, Granted: true, Pre: true}, false},
		{&deploy.Vote{Term: 3}, false},
		{&deploy.AppendEntries{Term: 3, PrevIndex: 3, PrevTerm: 2}, true},
		{&deploy.Appended{Term: 3, Index: 3}, true},
		{&deploy.Appended{Term: 3, Index: 3, Refused: true}, false},
		{&deploy.InstallSnapshot{Term: 3, Snapshot: &deploy.LogSnapshot{Index: 9, Term: 3}}, true},
		{&deploy.LeaderHeartbeat{Term: 3}, false},
		{&deploy.LeaderHeard{Term: 3}, false},
		{&deploy.RequestVote{Term: 4, LastIndex: 3, LastTerm: 2, Group: 1}, false}, // of another group
	} {
		saved := ordinary()
		saved.Identity.Met = []string{m2}
		l := member(t, 1, saved, Config{})
		l.log.Takes = 20 * time.Millisecond
		l.send(3, c.m)
		if got := l.log.saved.Identity.GetMet(); !slices.Equal(got, []string{m2}) || len(l.heard) != 0 && c.noted {
			t.Errorf("%v: before it was written, %v was met, and %q heard", c.m, got, l.heard)
		}
		l.Advance(200 * time.Millisecond)
		want := whose(m2)
		if c.noted {
			want = whose(m2, m3)
		}
		if got := textOf(l.log.saved.Identity); got != want {
			t.Errorf("%v: the log is that of %s, want %s", c.m, got, want)
		}
		if q, ok := c.m.(*deploy.RequestVote); ok && q.GetGroup() == l.e.group && !slices.Contains(l.heard, fmt.Sprintf("M3 Vote{%s}", textOf(&deploy.Vote{Term: 4, Pre: q.GetPre(), Granted: true}))) {
			t.Errorf("%v: heard %q", c.m, l.heard)
		}
	}
}

// A Master that does not take part notes no peer, and one that does notes no stranger; neither answers what comes then.
func TestWhatComesBeforeAMasterTakesPartIsNotTaken(t *testing.T) {
	saved := ordinary()
	saved.Identity.Met = nil
	l := newLone(t, 1, saved, Config{})
	l.silent[3] = true
	l.start()
	l.Advance(20 * time.Millisecond)
	l.heard = nil
	l.send(2, &deploy.RequestVote{Term: 4, LastIndex: 3, LastTerm: 2}, &deploy.LeaderHeartbeat{Term: 3, Commit: 9}, &deploy.LeaderHeartbeat{Term: 3})
	l.wantHeard()
	stranger := l.ProbeIn(l.Env("S", nil), Name)
	l.Advance(time.Second)
	stranger.Send(l.self, &deploy.RequestVote{Term: 9, LastIndex: 3, LastTerm: 2, Group: l.e.group})
	l.ProbeIn(l.env, "Self").Send(l.self, &deploy.RequestVote{Term: 9, LastIndex: 3, LastTerm: 2, Group: l.e.group})
	l.Advance(2 * time.Second)
	l.wantLog(whose(), "term:3 vote:2 commit:1", "1/2 2/2 3/2 ")
	for _, from := range []string{"10.0.0.4:7077", m1} {
		want := "Ignoring RequestVote from " + from + ": it is none of the peers [10.0.0.2:7077 10.0.0.3:7077]"
		if got := l.lines("Ignoring RequestVote from " + from); !slices.Equal(got, []string{want}) {
			t.Errorf("it said %q, want %s", got, want)
		}
	}
	for _, e := range l.said.AllEntries() {
		if strings.Contains(e.Message, "was silent") { // the heartbeat that came too early was no sign of life
			t.Errorf("it said %s", e.Message)
		}
	}
	if _, err := rpctest.Ask[*rpc.Bool](stranger, l.self, &rpc.CheckExistence{}); err == nil || !strings.Contains(err.Error(), rpcenv.ErrRefusedUnsupported.Error()) {
		t.Errorf("a message that nobody knows: %v", err)
	}
}

// The log has it when it is news; with too many strangers what was news is forgotten.
func TestWhatIsIgnoredIsLoggedWhenItIsNews(t *testing.T) {
	l := member(t, 1, ordinary(), Config{})
	p := l.ProbeIn(l.env, "P")
	count := 0
	ignore := func(port int, why string) int {
		before := len(l.lines("Ignoring"))
		p.Do(func(c *rpcenv.Context) { l.e.ignore(c, rpcenv.Address{Host: "s", Port: port}, &deploy.Vote{}, why) })
		count++
		return len(l.lines("Ignoring")) - before
	}
	for i, c := range []struct {
		port int
		why  string
		want int
	}{{1, "a", 1}, {1, "a", 0}, {1, "b", 1}, {1, "a", 1}, {2, "a", 1}, {1, "a", 0}} {
		if n := ignore(c.port, c.why); n != c.want {
			t.Errorf("message %d: %d lines", i, n)
		}
	}
	for port := 3; port <= 71; port++ {
		ignore(port, "a")
	}
	if n := ignore(1, "a"); n != 0 {
		t.Errorf("71 are remembered, and one gave %d lines", n)
	}
	ignore(72, "a")
	if n := ignore(1, "a"); n != 1 {
		t.Errorf("%d lines of one that was forgotten", n)
	}
	events := 0
	for _, e := range l.Trace().Entries {
		if e.Is == "ignored" {
			events++
		}
	}
	if events != count {
		t.Errorf("%d events of %d messages", events, count)
	}
}

// A Master whose raft gives up ends, with one reason and without another word.
func TestAFaultOfRaftEndsTheMaster(t *testing.T) {
	l := leader(t, 1, ordinary(), Config{})
	saves := l.log.Saves
	l.e.last = 99 // so that a confirmation which cannot be is let through
	l.send(2, &deploy.LeaderHeartbeat{Term: 5, Commit: 50})
	l.gaveUp("election: raft gave up: tocommit(50) is out of range [lastIndex(4)]. Was the raft log corrupted, truncated, or lost?")
	if l.log.Saves != saves || len(l.lines("exit 1: ")) != 1 {
		t.Errorf("%d writes, and %q", l.log.Saves-saves, l.lines("exit 1: "))
	}
}

// behind is M1 with an old copy of its log: it acknowledged more, up to term 5, and has asked.
func behind(t *testing.T) *lone {
	t.Helper()
	l := newLone(t, 1, ordinary(), Config{})
	l.knows[2] = &deploy.GroupState{Formed: true, Older: true, Term: 5, CommittedIndex: 4, CommittedTerm: 2}
	l.start()
	l.Until("the verdict", func() bool { return l.e.behind })
	l.knows[2] = &deploy.GroupState{Formed: true, Term: 5}
	l.Until("a member", func() bool { return l.e.phase == Member })
	l.heard = nil
	return l
}

// Only what a leader of the latest term has committed in its own term makes a Master vote again that has an old copy.
func TestWhenAMasterHasCaughtUp(t *testing.T) {
	const old = "term:5 vote:1 commit:1 behind:true"
	follow := func(term, prev, prevTerm, commit uint64, entries ...*deploy.LogEntry) *deploy.AppendEntries {
		return &deploy.AppendEntries{Term: term, PrevIndex: prev, PrevTerm: prevTerm, Commit: commit, Entries: entries}
	}
	l := behind(t)
	for _, c := range []struct {
		what string
		m    proto.Message
		vote string
	}{
		{"a leader that was", follow(2, 3, 2, 3), old},
		{"another group", &deploy.AppendEntries{Term: 5, PrevIndex: 3, PrevTerm: 2, Commit: 3, Group: 1}, old},
		{"a later term", &deploy.LeaderHeartbeat{Term: 6}, "term:6 commit:1 behind:true"},
		{"entries of earlier terms are committed", follow(6, 3, 2, 3, entries(5, 4, 4)...), "term:6 commit:3 behind:true"},
		{"nothing is committed yet", follow(6, 4, 5, 0, entries(6, 5, 5)...), "term:6 commit:3 behind:true"},
		{"what it does not have is committed", follow(6, 8, 6, 9), "term:6 commit:3 behind:true"},
		{"an entry of the leader's term is committed", follow(6, 5, 6, 5), "term:6 commit:5"},
	} {
		l.send(2, c.m)
		if got := textOf(l.log.saved.Vote); got != c.vote {
			t.Errorf("%s: the vote is %s, want %s", c.what, got, c.vote)
		}
		if is := strings.HasSuffix(c.vote, "behind:true"); l.e.behind != is {
			t.Errorf("%s: behind %v", c.what, l.e.behind)
		}
	}
	if got := l.lines("This Master has caught up"); !slices.Equal(got, []string{"This Master has caught up with term 6: it votes again."}) {
		t.Errorf("it said %q", got)
	}
	// What others knew to be committed still binds it; what it hears of a stranger never counts.
	l.send(3, &deploy.RequestVote{Term: 7, LastIndex: 3, LastTerm: 2})
	l = behind(t)
	stranger := l.ProbeIn(l.Env("S", nil), Name)
	stranger.Send(l.self, &deploy.AppendEntries{Term: 2, PrevIndex: 3, PrevTerm: 2, Commit: 3, Group: l.e.group})
	stranger.Send(l.self, &deploy.AppendEntries{Term: 5, PrevIndex: 0, Commit: 3, Entries: entries(2, 1, 3), Group: l.e.group})
	stranger.Send(l.self, &deploy.RequestVote{Term: 7, LastIndex: 3, LastTerm: 2, Group: l.e.group})
	l.send(3, &deploy.RequestVote{Term: 7, LastIndex: 9, LastTerm: 5})
	l.wantHeard()
	// Entries of the latest term are there. Only a leader can say that they are committed.
	l.send(2, follow(5, 3, 2, 3, entries(5, 4, 4)...))
	stranger.Send(l.self, &deploy.AppendEntries{Term: 5, PrevIndex: 4, PrevTerm: 5, Commit: 4, Group: l.e.group})
	l.send(2, &deploy.AppendEntries{Term: 5, PrevIndex: 4, PrevTerm: 5, Commit: 4, Group: 1})
	l.send(2, follow(5, 4, 5, 4, entries(5, 9, 9)...))
	if !l.e.behind {
		t.Error("it caught up by what it ignored")
	}
	l.wantHeard("M2 Appended{term:5 index:4}")
	const why = "this Master lost its log, or has an old one, and has not caught up: it votes for nobody"
	if got := l.lines("Ignoring RequestVote from " + m3); !slices.Equal(got, []string{"Ignoring RequestVote from " + m3 + ": " + why}) {
		t.Errorf("it said %q", got)
	}
	l.Advance(5 * time.Second)
	l.wantHeard() // nor does it stand
}

// What is heard while the others are asked does not end that.
func TestNobodyCatchesUpBeforeItTakesPart(t *testing.T) {
	saved := ordinary()
	saved.Vote.Behind = true
	saved.Entries[2].Term = 3
	l := newLone(t, 1, saved, Config{})
	l.silent[3] = true
	l.knows[2] = &deploy.GroupState{Formed: true, CommittedIndex: 5, CommittedTerm: 3}
	l.start()
	l.Advance(20 * time.Millisecond)
	l.send(2, &deploy.AppendEntries{Term: 3, PrevIndex: 3, PrevTerm: 3, Commit: 3})
	if !l.e.behind {
		t.Error("it caught up")
	}
	l.Advance(time.Second)
	l.send(2, &deploy.LeaderHeartbeat{Term: 4}) // which makes it write its log
	if !l.e.behind {
		t.Error("it caught up by what came before")
	}
	saved = ordinary()
	saved.Vote.Behind = true
	// A peer that begins without a log meanwhile is answered.
	l = newLone(t, 1, saved, Config{})
	l.silent[3] = true
	l.start()
	l.Advance(20 * time.Millisecond)
	s, err := rpctest.Ask[*deploy.GroupState](l.peers[2], l.self, &deploy.RequestGroup{Group: l.e.group})
	if err != nil || l.e.phase != Checking || textOf(s) != `formed:true term:3 last_index:3 met:"10.0.0.2:7077" met:"10.0.0.3:7077" committed_index:1 committed_term:2` {
		t.Errorf("%s: it says %s, %v", l.e.phase, textOf(s), err)
	}
}

// What others say of commits is remembered, also when they are asked again and say less.
func TestTheLatestCommitThatOthersKnewIsRemembered(t *testing.T) {
	l := behind(t)
	stranger := l.ProbeIn(l.Env("S", nil), Name)
	l.send(2, &deploy.AppendEntries{Term: 6, PrevIndex: 3, PrevTerm: 2, Commit: 4, Entries: entries(6, 4, 4)})
	if l.e.behind {
		t.Fatal("it has not caught up")
	}
	l.Advance(3 * time.Second) // until it has no leader
	l.heard = nil
	l.send(3, &deploy.RequestVote{Term: 7, LastIndex: 3, LastTerm: 2})
	stranger.Send(l.self, &deploy.RequestVote{Term: 7, LastIndex: 3, LastTerm: 2, Group: l.e.group})
	l.Advance(20 * time.Millisecond)
	for from, why := range map[string]string{
		m3: "its log ends with entry 3 of term 2, and entry 4 of term 2 is committed", "10.0.0.4:7077": "it is none of the peers [10.0.0.2:7077 10.0.0.3:7077]",
	} {
		if got := l.lines("Ignoring RequestVote from " + from); !slices.Equal(got, []string{"Ignoring RequestVote from " + from + ": " + why}) {
			t.Errorf("it said %q", got)
		}
	}
}
