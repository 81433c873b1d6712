package election

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
)

// Heartbeats about entries that are not there make a follower ask: once at a time, and only those of a leader.
func TestAFollowerAsksAgainWhenALeaderTakesItToHaveMore(t *testing.T) {
	l := member(t, 1, ordinary(), Config{})
	l.send(2, &deploy.LeaderHeartbeat{Term: 3, Commit: 1})
	l.heard = nil
	beat := func(term, commit uint64) *deploy.LeaderHeartbeat {
		return &deploy.LeaderHeartbeat{Term: term, Commit: commit}
	}
	for _, c := range []struct {
		what string
		m    *deploy.LeaderHeartbeat
		asks bool
	}{
		{"what it has", beat(3, 3), false},
		{"an earlier term", beat(2, 4), false},
		{"another group", &deploy.LeaderHeartbeat{Term: 3, Commit: 4, Group: 1}, false},
		{"more", beat(3, 4), true},
		{"more, in a later term", beat(4, 4), true},
	} {
		l.send(2, c.m)
		l.Advance(50 * time.Millisecond)
		asked := 0
		for _, text := range l.heard {
			if strings.Contains(text, "RequestGroup") {
				asked++
			}
		}
		if want := map[bool]int{true: 2}[c.asks]; asked != want {
			t.Errorf("%s: %q", c.what, l.heard)
		}
		l.heard = nil
	}
	l.silent[3] = true
	l.send(2, beat(3, 4), beat(3, 4))
	l.wantHeard("M2 "+ordinaryAsks, "M3 "+ordinaryAsks)
	l.Advance(250 * time.Millisecond)
	l.send(2, beat(3, 4))
	l.wantHeard("M2 "+ordinaryAsks, "M3 "+ordinaryAsks)
	stranger := l.ProbeIn(l.Env("S", nil), Name)
	m := proto.CloneOf(beat(3, 4))
	setGroup(m, l.e.group)
	l.Advance(250 * time.Millisecond)
	stranger.Send(l.self, m)
	l.Advance(20 * time.Millisecond)
	l.wantHeard()
}

// Where others know of more it begins anew, as an old copy; what it handed to the log before does not disturb that.
func TestAFollowerBeginsAnewWhenOthersKnowOfMore(t *testing.T) {
	l := member(t, 1, ordinary(), Config{})
	l.send(2, &deploy.LeaderHeartbeat{Term: 3, Commit: 1})
	l.heard = nil
	l.knows[3] = &deploy.GroupState{Formed: true, Older: true, Term: 3}
	l.log.Takes = 50 * time.Millisecond
	l.send(2, &deploy.AppendEntries{Term: 3, PrevIndex: 3, PrevTerm: 2, Entries: entries(3, 4, 4)}, &deploy.LeaderHeartbeat{Term: 3, Commit: 5})
	l.Until("the verdict", func() bool { return l.e.behind })
	l.knows[3].Older = false
	l.send(2, &deploy.LeaderHeartbeat{Term: 3, Commit: 1}) // no sign of life: it has no leader yet
	l.Until("a member", func() bool { return l.e.phase == Member })
	again := "RequestGroup{kept:true term:3 vote:1 last_index:%d behind:true}"
	last := l.e.last
	l.wantHeard("M2 RequestGroup{kept:true term:3 vote:2 last_index:4}", "M3 RequestGroup{kept:true term:3 vote:2 last_index:4}",
		"M2 RequestGroup{kept:true term:3 vote:2 last_index:4}", "M3 RequestGroup{kept:true term:3 vote:2 last_index:4}",
		fmt.Sprintf("M2 "+again, last), fmt.Sprintf("M3 "+again, last))
	// The timers of before have ended.
	l.Advance(5 * time.Second)
	l.wantHeard()
	if got := l.lines(m2 + " was silent"); len(got) != 0 {
		t.Errorf("it said %q", got)
	}
}

// shortlyBefore is M1 a while before it stands for the first time.
func shortlyBefore(t *testing.T, d time.Duration) *lone {
	t.Helper()
	l := member(t, 1, ordinary(), Config{})
	at := l.Now()
	l.Advance(time.Second + travel)
	first := l.stood(at)[0]
	l = member(t, 1, ordinary(), Config{})
	l.Advance(first - d)
	l.wantHeard()
	return l
}

func TestAMasterThatBeginsAnewDoesNotStandMeanwhile(t *testing.T) {
	l := shortlyBefore(t, 100*time.Millisecond)
	l.knows[2] = &deploy.GroupState{Formed: true, Older: true, Term: 3}
	l.peers[2].Send(l.self, &deploy.LeaderHeartbeat{Term: 3, Commit: 4, Group: l.e.group})
	l.Until("the question", func() bool { return len(l.heard) == 2 })
	l.silent[3] = true // when it is asked again
	l.Until("the verdict", func() bool { return l.e.behind })
	l.wantHeard("M2 "+ordinaryAsks, "M3 "+ordinaryAsks, "M2 "+ordinaryAsks, "M3 "+ordinaryAsks)
	l.wantStates()
	// A peer that says so again does not keep it from taking part.
	l.Advance(time.Second)
	if l.e.phase != Member {
		t.Errorf("it is %s", l.e.phase)
	}
}

// A Master that leads by then has what it needs, and a leader does not ask.
func TestALeaderDoesNotBeginAnew(t *testing.T) {
	l := shortlyBefore(t, 100*time.Millisecond)
	l.silent[3] = true
	l.knows[2] = &deploy.GroupState{Formed: true, Older: true, Term: 3}
	l.votes[2], l.confirms[2] = true, true
	l.send(2, &deploy.LeaderHeartbeat{Term: 3, Commit: 4})
	l.Advance(500 * time.Millisecond)
	if l.e.announced != 4 || l.e.behind || l.e.phase != Member {
		t.Errorf("it is %s, and leads term %d", l.e.phase, l.e.announced)
	}
	l.heard = nil
	l.send(2, &deploy.LeaderHeartbeat{Term: 4, Commit: 99})
	if slices.ContainsFunc(l.heard, func(s string) bool { return strings.Contains(s, "RequestGroup") }) {
		t.Errorf("a leader asks: %q", l.heard)
	}
}
