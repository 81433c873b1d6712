package election

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// answers are those of proposals: NUMBER INDEX, or NUMBER ERROR.
type answers struct {
	l   *lone
	got []string
}

// propose proposes changes in a term, and waits for nothing but the messages that this causes.
func (a *answers) propose(number int, term uint64, changes ...records.Change) {
	a.l.t.Helper()
	a.l.ProbeIn(a.l.env, fmt.Sprintf("P%d", number)).Do(func(c *rpcenv.Context) {
		rpcenv.Ask(c, a.l.self, Propose{Term: term, Changes: changes}, func(r Committed, err error) {
			if err != nil {
				a.got = append(a.got, fmt.Sprintf("%d %v", number, err))
				return
			}
			a.got = append(a.got, fmt.Sprintf("%d %d", number, r.Index))
		})
	})
	a.l.Advance(20 * time.Millisecond)
}

// want wants answers since the last time, in the order of the proposals: each comes from an endpoint of its own.
func (a *answers) want(want ...string) {
	a.l.t.Helper()
	slices.Sort(a.got)
	if !slices.Equal(a.got, want) {
		a.l.t.Errorf("answered %q, want %q", a.got, want)
	}
	a.got = nil
}

func change(key, value string) records.Change { return records.Change{Key: key, Value: []byte(value)} }

// sent are the entries that M2 was sent since the last time.
func (l *lone) sent() (out []string) {
	for _, text := range l.heard {
		if entries, ok := strings.CutPrefix(text, "M2 AppendEntries{"); ok {
			out = append(out, entries)
		}
	}
	l.heard, l.at = nil, nil
	return out
}

// A proposal goes to the others at once, and is answered with its entry when that is committed; one of nothing is no entry.
func TestProposalsAreAnsweredWithTheirEntries(t *testing.T) {
	l := leader(t, 1, ordinary(), Config{}) // its first entry is the fourth
	a := answers{l: l}
	a.propose(1, 4)
	a.want("1 4")
	if got := l.sent(); len(got) != 0 {
		t.Errorf("no change was sent: %q", got)
	}
	l.confirms[2] = false
	a.propose(2, 4, change("b", "2"))
	a.propose(3, 4, change("c", "3"), records.Change{Key: "b"})
	a.want()
	data := func(c ...*deploy.LogChange) string {
		return textOf(&deploy.LogEntry{Changes: changes(t, c...)})
	}
	if got := l.sent(); len(got) != 2 ||
		got[0] != "term:4 prev_index:4 prev_term:4 commit:4 entries:{index:5 term:4 "+data(put("b", "2"))+"}}" ||
		got[1] != "term:4 prev_index:5 prev_term:4 commit:4 entries:{index:6 term:4 "+data(put("c", "3"), &deploy.LogChange{Key: "b", Removed: true})+"}}" {
		t.Errorf("sent %q", got)
	}
	l.send(2, &deploy.Appended{Term: 4, Index: 5})
	a.want("2 5")
	l.send(2, &deploy.Appended{Term: 4, Index: 6})
	a.want("3 6")
	if got := l.e.machine.snapshot(); textOf(got) != `index:6 term:4 state:{key:"c" value:"3"}` {
		t.Errorf("the state is %v", got)
	}
}

// What waits when a leadership ends is answered then, once; the next leadership has proposals of its own.
func TestProposalsEndWithTheLeadership(t *testing.T) {
	l := leader(t, 1, ordinary(), Config{})
	a := answers{l: l}
	l.confirms[2] = false
	a.propose(1, 4, change("a", "1"))
	a.propose(2, 4, change("a", "2"))
	l.send(3, &deploy.LeaderHeard{Term: 5})
	a.want("1 "+ErrLeadershipLost.Error(), "2 "+ErrLeadershipLost.Error())
	l.confirms[2] = true
	l.Until("another leadership", func() bool { return l.e.announced > 4 })
	l.Advance(20 * time.Millisecond)
	a.propose(3, 4, change("b", "2"))
	a.want("3 " + ErrNotLeader.Error() + " of term 4: at term 6 10.0.0.1:7077 is it")
	a.propose(4, 6, change("c", "3"))
	a.want("4 8") // the fifth and the sixth entry are those of the first proposals, the seventh begins the term
}

func TestProposalsThatCannotBeAreRefused(t *testing.T) {
	l := leader(t, 1, ordinary(), Config{})
	a := answers{l: l}
	for n := range uint64(4) { // too much: no peer is sent any of it
		l.e.unreachable[n] = l.Now().Add(time.Hour)
	}
	size := func(bytes int) records.Change { return records.Change{Key: "k", Value: make([]byte, bytes)} }
	rest := proto.Size(&deploy.LogChanges{Changes: []*deploy.LogChange{{Key: "k", Value: make([]byte, mostChanges)}}}) - mostChanges
	a.propose(1, 4, size(mostChanges-rest+1))
	a.want(fmt.Sprintf("1 %v: 33554433 bytes in 1 changes, and an entry has 33554432 at most", ErrTooLarge))
	a.propose(2, 4, records.Change{Key: "\xff", Value: []byte("x")})
	if len(a.got) != 1 || !strings.HasPrefix(a.got[0], "2 ") || !strings.Contains(a.got[0], "UTF-8") {
		t.Errorf("a key that is no text: %q", a.got)
	}
	a.got = nil
	a.propose(3, 4, size(mostChanges-rest))
	a.propose(4, 4, size(mostChanges-rest))
	a.want()
	a.propose(5, 4, change("k", "x"))
	if want := fmt.Sprintf("5 %v: raft proposal dropped: more than 67108864 bytes wait for a majority", ErrTooLarge); !slices.Equal(a.got, []string{want}) {
		t.Errorf("answered %q, want %s", a.got, want)
	}
}

// An entry that no Master can read changes nothing, and the log says so.
func TestAnEntryThatCannotBeReadIsLogged(t *testing.T) {
	l := member(t, 1, ordinary(), Config{})
	l.send(2, &deploy.AppendEntries{Term: 3, PrevIndex: 3, PrevTerm: 2, Commit: 5, Entries: []*deploy.LogEntry{
		{Index: 4, Term: 3, Changes: []byte{0xff}}, {Index: 5, Term: 3, Changes: changes(t, put("a", "1"))},
	}})
	if got := l.lines("Entry "); len(got) != 1 || !strings.HasPrefix(got[0], "Entry 4 of term 3 cannot be read and changes nothing: ") {
		t.Errorf("it said %q", got)
	}
	if got := l.e.machine.snapshot(); textOf(got) != `index:5 term:3 state:{key:"a" value:"1"}` {
		t.Errorf("the state is %v", got)
	}
}

// A disk is written for votes and entries. What is committed is learnt again, and what was written is not written again.
func TestTheDiskIsWrittenWhenItMust(t *testing.T) {
	l := member(t, 1, ordinary(), Config{})
	for _, c := range []struct {
		what   string
		m      proto.Message
		writes int
		heard  []string
	}{
		{"entries", &deploy.AppendEntries{Term: 3, PrevIndex: 3, PrevTerm: 2, Entries: entries(3, 4, 5)}, 1, []string{"M2 Appended{term:3 index:5}"}},
		{"the same", &deploy.AppendEntries{Term: 3, PrevIndex: 3, PrevTerm: 2, Entries: entries(3, 4, 5)}, 0, []string{"M2 Appended{term:3 index:5}"}},
		{"none", &deploy.AppendEntries{Term: 3, PrevIndex: 5, PrevTerm: 3}, 0, []string{"M2 Appended{term:3 index:5}"}},
		{"a commit", &deploy.LeaderHeartbeat{Term: 3, Commit: 5}, 0, []string{"M2 LeaderHeard{term:3}"}},
		{"a term", &deploy.LeaderHeartbeat{Term: 4, Commit: 5}, 1, []string{"M2 LeaderHeard{term:4}"}},
		{"the same term", &deploy.LeaderHeartbeat{Term: 4, Commit: 5}, 0, []string{"M2 LeaderHeard{term:4}"}},
	} {
		before := l.log.Saves
		l.send(2, c.m)
		if n := l.log.Saves - before; n != c.writes {
			t.Errorf("%s: %d writes, want %d", c.what, n, c.writes)
		}
		l.wantHeard(c.heard...)
	}
	l.wantLog(whose(m2, m3), "term:4 commit:5", "1/2 2/2 3/2 4/3 5/3 ")
	l.wantStates("FOLLOWER > FOLLOWER, term 4")
}
