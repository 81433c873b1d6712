package election

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

func TestAMasterWithoutALogAsksWhoHasNotAnsweredFiveTimesASecond(t *testing.T) {
	l := newLone(t, 1, Saved{}, Config{})
	l.knows[2] = &deploy.GroupState{}
	l.start()
	l.Advance(990 * time.Millisecond)
	ask := "M3 RequestGroup{}"
	l.wantHeard("M2 RequestGroup{}", ask, ask, ask, ask, ask)
	const waits = "Without a log this Master takes part when all the others have answered: waiting for [10.0.0.3:7077]"
	l.Advance(8800 * time.Millisecond) // 9.79 s
	if got := l.lines("Without"); len(got) != 0 {
		t.Errorf("it said %q", got)
	}
	l.Advance(20 * time.Millisecond)
	if got := l.lines("Without"); !slices.Equal(got, []string{waits}) {
		t.Errorf("it said %q", got)
	}
	if got := l.lines(m3 + " does not say what it knows of the group yet: "); len(got) != 1 {
		t.Errorf("it said %q", got)
	}
	l.knows[3] = &deploy.GroupState{}
	l.Advance(300 * time.Millisecond)
	l.heard = nil
	if l.e.phase != Member {
		t.Errorf("it is %s", l.e.phase)
	}
	l.wantLog(whose(), "", "")
	l.Advance(time.Minute)
	if i := slices.Index(l.heard, ask); i >= 0 {
		t.Error("a member asks")
	}
}

// A Master without a log begins a group with the others, or joins theirs; if they know it, it takes part as one that forgot.
func TestWhatAMasterWithoutALogBecomes(t *testing.T) {
	waiting := &deploy.GroupState{}
	formed := func(term uint64, met ...string) *deploy.GroupState {
		return &deploy.GroupState{Formed: true, Term: term, Met: met}
	}
	lost := func(term uint64) string {
		return fmt.Sprintf("The log of this Master is lost: the others know it, up to term %d. It gets theirs, and votes for nobody until then.", term)
	}
	for _, c := range []struct {
		two, three *deploy.GroupState
		identity   string
		vote       string
		says       string
		asks       []string
	}{
		{waiting, waiting, whose(), "", "", []string{"M2 RequestGroup{}", "M3 RequestGroup{}"}},
		{formed(5, m3), formed(7, m2), whose(), "", "", []string{"M2 RequestGroup{}", "M3 RequestGroup{}"}},
		{formed(5, m1, m3), formed(7, m2), whose(m1, m2, m3), "term:7 vote:1 behind:true", lost(7), []string{"M2 RequestGroup{}", "M3 RequestGroup{}"}},
		{formed(7, m3), formed(5, m1, m2), whose(m1, m2, m3), "term:7 vote:1 behind:true", lost(7), []string{"M2 RequestGroup{}", "M3 RequestGroup{}"}},
	} {
		l := newLone(t, 1, Saved{}, Config{})
		l.knows[2], l.knows[3] = c.two, c.three
		l.start()
		l.Until("a member", func() bool { return l.e.phase == Member })
		l.wantLog(c.identity, c.vote, "")
		l.wantHeard(c.asks...)
		if got := l.lines("The log of this Master"); len(got) > 1 || len(got) == 1 != (c.says != "") || c.says != "" && got[0] != c.says {
			t.Errorf("it said %q, want %q", got, c.says)
		}
		if l.e.behind != (c.says != "") {
			t.Errorf("behind: %v", l.e.behind)
		}
	}
}

// One that says it has no log may have begun since: it is asked once more before this Master gives up.
func TestWhoHasNoLogIsAskedOnceMore(t *testing.T) {
	knows := &deploy.GroupState{Formed: true, Term: 3, Met: []string{m1, m3}}
	l := newLone(t, 1, Saved{}, Config{})
	l.knows[2], l.knows[3] = knows, &deploy.GroupState{}
	l.start()
	l.Advance(time.Second)
	l.wantHeard("M2 RequestGroup{}", "M3 RequestGroup{}", "M3 RequestGroup{}")
	l.gaveUp("election: too many logs are lost: only 1 of 3 Masters have theirs: with fewer than 2 it is unknown what was committed; " +
		"bring a log back, or begin anew with empty directories, which forgets all applications")
	l = newLone(t, 1, Saved{}, Config{})
	l.knows[2], l.knows[3] = knows, &deploy.GroupState{}
	l.start()
	l.Until("the first question", func() bool { return slices.Contains(l.heard, "M3 RequestGroup{}") })
	l.knows[3] = &deploy.GroupState{Formed: true, Term: 2}
	l.Advance(time.Second)
	l.wantHeard("M2 RequestGroup{}", "M3 RequestGroup{}", "M3 RequestGroup{}")
	l.wantLog(whose(m1, m2, m3), "term:3 vote:1 behind:true", "")
}

func TestALogThatIsNotThisMastersOrCannotBeIsRefused(t *testing.T) {
	e := first()
	all := []string{"h:1", "h:2", "h:3"}
	id := &deploy.LogIdentity{Version: 1, Self: "h:1", Peers: all}
	other := func(self string, peers ...string) *deploy.LogIdentity {
		return &deploy.LogIdentity{Version: 1, Self: self, Peers: peers}
	}
	anothers := func(self string, peers ...string) string {
		return fmt.Sprintf("election: the log is another group's: it is that of %s in the group %v, and this is h:1 in the group [h:1 h:2 h:3]: "+
			"a group cannot change its Masters; start it with the old ones, or begin a new one with empty directories, which forgets all applications", self, peers)
	}
	const damaged, remove = "election: the log is damaged: ", ": remove the file, then this Master gets the log of the others"
	vote := func(term, vote, commit uint64) *deploy.LogVote {
		return &deploy.LogVote{Term: term, Vote: vote, Commit: commit}
	}
	at := func(index, term uint64) *deploy.LogSnapshot { return &deploy.LogSnapshot{Index: index, Term: term} }
	for _, c := range []struct {
		saved Saved
		want  string
	}{
		{Saved{Identity: id, Vote: vote(0, 0, 0)}, ""},
		{Saved{Identity: id, Vote: vote(2, 3, 4), Snapshot: at(2, 1), Entries: entries(2, 3, 4)}, ""},
		{Saved{Identity: id, Vote: vote(2, 0, 0), Entries: append(entries(1, 1, 2), entries(2, 3, 4)...)}, ""},
		{Saved{Identity: &deploy.LogIdentity{Version: 2, Self: "h:1", Peers: all}}, damaged + "it has version 2 and this program reads 1"},
		{Saved{Identity: other("h:2", all...)}, anothers("h:2", all...)},
		{Saved{Identity: other("h:1", "h:1", "h:2")}, anothers("h:1", "h:1", "h:2")},
		{Saved{Identity: other("h:1", "h:1", "h:3", "h:2")}, anothers("h:1", "h:1", "h:3", "h:2")},
		{Saved{Identity: id, Entries: entries(1, 2, 2)}, damaged + "entry 2 of term 1 stands after entry 0 of term 0" + remove},
		{Saved{Identity: id, Snapshot: at(2, 1), Entries: entries(1, 2, 2)}, damaged + "entry 2 of term 1 stands after entry 2 of term 1" + remove},
		{Saved{Identity: id, Snapshot: at(2, 3), Entries: entries(2, 3, 3)}, damaged + "entry 3 of term 2 stands after entry 2 of term 3" + remove},
		{Saved{Identity: id, Entries: append(entries(2, 1, 1), entries(1, 2, 2)...)}, damaged + "entry 2 of term 1 stands after entry 1 of term 2" + remove},
		{Saved{Identity: id, Entries: entries(1, 1, 1)}, damaged + "entries of term 1 and the vote <nil>" + remove},
		{Saved{Identity: id}, damaged + "entries of term 0 and the vote <nil>" + remove},
		{Saved{Identity: id, Snapshot: at(2, 3), Vote: vote(2, 0, 0)}, damaged + "entries of term 3 and the vote " + vote(2, 0, 0).String() + remove},
		{Saved{Identity: id, Entries: entries(3, 1, 1), Vote: vote(2, 0, 0)}, damaged + "entries of term 3 and the vote " + vote(2, 0, 0).String() + remove},
		{Saved{Identity: id, Vote: vote(2, 4, 0)}, damaged + "entries of term 0 and the vote " + vote(2, 4, 0).String() + remove},
		{Saved{Identity: id, Vote: vote(2, 0, 3), Entries: entries(1, 1, 2)}, damaged + "entry 3 is committed and the last one is 2" + remove},
		{Saved{Identity: id, Vote: vote(2, 0, 1)}, damaged + "entry 1 is committed and the last one is 0" + remove},
	} {
		got := ""
		if err := e.check(c.saved); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q\nwant\n%q", got, c.want)
		}
	}
}

// badLog is a MemoryLog of which one method fails.
type badLog struct {
	*MemoryLog
	load, save error
}

func (l badLog) Load(b *rpcenv.Blocking) (Saved, error) {
	if l.load != nil {
		return Saved{}, l.load
	}
	return l.MemoryLog.Load(b)
}

func (l badLog) Save(b *rpcenv.Blocking, batch Batch) error {
	if l.save != nil {
		return l.save
	}
	return l.MemoryLog.Save(b, batch)
}

func TestALogThatFailsEndsTheMaster(t *testing.T) {
	broken := fmt.Errorf("%w: it has no end", ErrLogDamaged)
	for _, c := range []struct {
		saved Saved
		bad   badLog
		want  string
	}{
		{Saved{}, badLog{load: ErrFull}, "read the log: no space left on device"},
		{Saved{}, badLog{save: ErrFull}, "election: the log cannot be written: no space left on device: make room, then start it again"},
		{Saved{}, badLog{save: broken}, "election: the log cannot be written: election: the log is damaged: it has no end"},
		{
			kept(&deploy.LogVote{Term: 1}, nil, entries(1, 2, 2)...),
			badLog{},
			"the log in memory: election: the log is damaged: entry 2 of term 1 stands after entry 0 of term 0: remove the file, then this Master gets the log of the others",
		},
	} {
		l := newLone(t, 1, c.saved, Config{})
		l.knows[2], l.knows[3] = &deploy.GroupState{}, &deploy.GroupState{}
		c.bad.MemoryLog = l.log
		l.cfg.Log = c.bad
		l.e = New(l.cfg)
		l.start().gaveUp(c.want)
		l.wantStates(" > FAILED, " + c.want)
	}
	l := newLone(t, 1, Saved{}, Config{})
	l.cfg.Peers = l.cfg.Peers[:2]
	l.e = New(l.cfg)
	l.start().gaveUp("the Masters of the group: 2 Masters: want 1, 3, 5 or 7: an even number bears no more losses than one less")
}

// What a Master says of itself while it is not in the group yet, and which Masters may ask.
func TestWhatAMasterSaysOfTheGroup(t *testing.T) {
	ask := func(l *lone, p *rpctest.Probe, q *deploy.RequestGroup) string {
		t.Helper()
		s, err := rpctest.Ask[*deploy.GroupState](p, l.self, q)
		if err != nil {
			return err.Error()
		}
		return textOf(s)
	}
	l := newLone(t, 1, Saved{}, Config{})
	l.log.Takes = time.Second
	l.knows[2], l.knows[3] = &deploy.GroupState{}, &deploy.GroupState{}
	l.silent[3] = true
	l.start()
	group := &deploy.RequestGroup{Group: l.e.group}
	if got := ask(l, l.peers[2], group); l.e.phase != Waiting || got != "" {
		t.Errorf("%s, it says %s", l.e.phase, got)
	}
	l.silent[3] = false
	l.Advance(300 * time.Millisecond)
	_, err := rpctest.Ask[*deploy.GroupState](l.peers[2], l.self, group)
	if l.e.phase != Opening || !errors.Is(err, ErrNotReady) {
		t.Errorf("%s, while the log is begun: %v", l.e.phase, err)
	}
	l.Advance(time.Second)
	if got := ask(l, l.peers[2], group); l.e.phase != Member || got != "formed:true" {
		t.Errorf("%s, it says %s", l.e.phase, got)
	}
	stranger := l.ProbeIn(l.Env("S", nil), Name)
	for _, c := range []struct {
		from  *rpctest.Probe
		group uint64
		want  string
	}{
		{stranger, l.e.group, "the Masters of the group are [10.0.0.1:7077 10.0.0.2:7077 10.0.0.3:7077], and 10.0.0.4:7077 is none of them"},
		{l.ProbeIn(l.env, "Self"), l.e.group, "the Masters of the group are [10.0.0.1:7077 10.0.0.2:7077 10.0.0.3:7077], and 10.0.0.1:7077 is none of them"},
		{l.peers[3], 1, "the Masters of the group are [10.0.0.1:7077 10.0.0.2:7077 10.0.0.3:7077]: 10.0.0.3:7077 has others"},
	} {
		if got := ask(l, c.from, &deploy.RequestGroup{Group: c.group}); got != c.want {
			t.Errorf("it says %q, want %q", got, c.want)
		}
	}
}
