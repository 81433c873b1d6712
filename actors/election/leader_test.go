package election

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// travel is the most that a message takes here.
const travel = 5 * time.Millisecond

// stood are the times, from at on, at which M2 was asked for a vote.
func (l *lone) stood(at time.Time) (out []time.Duration) {
	for i, text := range l.heard {
		if strings.HasPrefix(text, "M2 RequestVote{") {
			out = append(out, l.began.Add(l.at[i]).Sub(at))
		}
	}
	return out
}

// spread are the least and the most of times that are drawn.
type spread struct{ least, most time.Duration }

func (s *spread) add(d time.Duration) {
	if s.least == 0 || d < s.least {
		s.least = d
	}
	s.most = max(s.most, d)
}

// want wants that the times were drawn between two bounds, and from all of what is between.
func (s *spread) want(t *testing.T, what string, least, most time.Duration) {
	t.Helper()
	near := (most - least) / 10
	if s.least < least || s.least > least+near || s.most < most-near || s.most > most+travel {
		t.Errorf("%s: after %s to %s, want %s to %s", what, s.least, s.most, least, most)
	}
}

const draws = 40

func TestAMasterWithoutALeaderStandsAtTimesThatAreDrawn(t *testing.T) {
	var first, next spread
	for seed := range uint64(draws) {
		l := member(t, seed, ordinary(), Config{})
		at := l.Now()
		l.Advance(4 * time.Second)
		times := l.stood(at)
		first.add(times[0])
		for i := range times[1:] {
			next.add(times[i+1] - times[i])
		}
		l.wantStates("FOLLOWER > PRECANDIDATE, term 3")
	}
	first.want(t, "at first", 100*time.Millisecond, time.Second)
	next.want(t, "again", 300*time.Millisecond-travel, time.Second)
}

// Each sign of life of the leader counts, to the instant, and none of another Master.
func TestAMasterWhoseLeaderIsSilentForgetsItAndStandsSoon(t *testing.T) {
	var stands spread
	const silent = "10.0.0.2:7077 was silent for 1s."
	for seed := range uint64(draws) {
		l := member(t, seed, ordinary(), Config{})
		for i, sign := range []proto.Message{
			&deploy.LeaderHeartbeat{Term: 3, Commit: 1},
			&deploy.AppendEntries{Term: 3, PrevIndex: 3, PrevTerm: 2, Commit: 3},
			&deploy.InstallSnapshot{Term: 3, Snapshot: &deploy.LogSnapshot{Index: 9, Term: 3}},
			&deploy.LeaderHeartbeat{Term: 3, Commit: 1},
		} {
			l.send(2, sign)
			l.Advance(900 * time.Millisecond)
			if got := l.lines(silent); len(got) != 0 {
				t.Fatalf("seed %d, after sign %d: %q", seed, i, got)
			}
		}
		l.send(3, &deploy.LeaderHeartbeat{Term: 2}) // of an earlier leader
		l.heard = nil
		// A leader that is silent is obeyed until then.
		l.send(3, &deploy.RequestVote{Term: 4, Pre: true, LastIndex: 9, LastTerm: 3})
		l.wantHeard()
		at := l.Now()
		l.Advance(80 * time.Millisecond)
		if got := l.lines(silent); !slices.Equal(got, []string{silent}) {
			t.Fatalf("seed %d: it said %q", seed, got)
		}
		_, err := rpctest.Ask[State](l.ProbeIn(l.env, "P"), l.self, ReadState{})
		if err == nil || err.Error() != ErrNotLeader.Error()+" of term 3: at term 3 nobody is known to be it" {
			t.Errorf("the leader is not forgotten: %v", err)
		}
		l.send(3, &deploy.RequestVote{Term: 4, Pre: true, LastIndex: 9, LastTerm: 3})
		l.wantHeard("M3 Vote{term:4 pre:true granted:true}")
		l.Advance(1500 * time.Millisecond)
		stands.add(l.stood(at)[0])
	}
	stands.want(t, "it stood", 100*time.Millisecond+40*time.Millisecond, 1060*time.Millisecond)
}

// A Master that gave its vote to another gives it 1 to 2 seconds; one that only would have, or refused, stands as before.
func TestAMasterThatVotedForAnotherGivesItTime(t *testing.T) {
	var stands spread
	for seed := range uint64(draws) {
		l := member(t, seed, ordinary(), Config{})
		at := l.Now()
		l.send(3, &deploy.RequestVote{Term: 4, LastIndex: 3, LastTerm: 2})
		l.wantHeard("M3 Vote{term:4 granted:true}")
		l.wantLog(whose(m2, m3), "term:4 vote:3 commit:1", "1/2 2/2 3/2 ")
		l.Advance(3 * time.Second)
		stands.add(l.stood(at)[0])

		// The same of one that had a leader, of which a later term came.
		l = member(t, seed, ordinary(), Config{})
		l.send(2, &deploy.LeaderHeartbeat{Term: 3})
		l.send(3, &deploy.LeaderHeard{Term: 4})
		l.heard = nil
		at = l.Now()
		l.send(3, &deploy.RequestVote{Term: 4, LastIndex: 3, LastTerm: 2})
		l.wantHeard("M3 Vote{term:4 granted:true}")
		l.wantLog(whose(m2, m3), "term:4 vote:3 commit:1", "1/2 2/2 3/2 ") // a vote is durable also when its term was
		l.Advance(3 * time.Second)
		stands.add(l.stood(at)[0])
		for _, e := range l.said.AllEntries() {
			if strings.Contains(e.Message, "was silent") {
				t.Errorf("seed %d: it said %s", seed, e.Message)
			}
		}
	}
	stands.want(t, "it stood", time.Second, 2*time.Second)
	for _, q := range []*deploy.RequestVote{
		{Term: 4, Pre: true, LastIndex: 3, LastTerm: 2}, {Term: 4, LastIndex: 2, LastTerm: 2}, {Term: 3, LastIndex: 3, LastTerm: 2},
	} {
		sooner := 0
		for seed := range uint64(10) {
			l := member(t, seed, ordinary(), Config{})
			at := l.Now()
			l.send(3, q)
			l.Advance(3 * time.Second)
			if l.stood(at)[0] < time.Second {
				sooner++
			}
		}
		if sooner != 10 {
			t.Errorf("%v: it stood within a second %d times of 10", q, sooner)
		}
	}
}

// A Master leads from the moment at which an entry of its term is committed and applied.
func TestALeaderIsToldWhenAnEntryOfItsTermIsCommitted(t *testing.T) {
	l := member(t, 1, ordinary(), Config{})
	l.votes[2] = true
	l.Until("the votes", func() bool { return l.e.leading != 0 })
	l.Advance(50 * time.Millisecond)
	p := l.ProbeIn(l.env, "P")
	for _, term := range []uint64{0, 3, 4} {
		if _, err := rpctest.Ask[Committed](p, l.self, Propose{Term: term}); !errors.Is(err, ErrNotLeader) {
			t.Errorf("a proposal of term %d before it leads: %v", term, err)
		}
	}
	if _, err := rpctest.Ask[State](p, l.self, ReadState{}); !errors.Is(err, ErrNotLeader) {
		t.Errorf("the state before it leads: %v", err)
	}
	l.send(2, &deploy.Appended{Term: 4, Index: 3}) // of an earlier term: that commits nothing
	if slices.Contains(l.heard, "Master ElectedLeader 4") {
		t.Error("it leads without an entry of its term")
	}
	l.send(2, &deploy.Appended{Term: 4, Index: 4})
	if !slices.Contains(l.heard, "Master ElectedLeader 4") {
		t.Errorf("it does not lead: %q", l.heard)
	}
	if got := l.lines("This Master is elected"); !slices.Equal(got, []string{"This Master is elected leader of term 4."}) {
		t.Errorf("it said %q", got)
	}
	for _, e := range l.said.AllEntries() {
		if e.Data["endpoint"] != Name {
			t.Errorf("a line of %v: %s", e.Data["endpoint"], e.Message)
		}
	}
	l.wantStates("FOLLOWER > PRECANDIDATE, term 3", "PRECANDIDATE > CANDIDATE, term 4", "CANDIDATE > LEADER, term 4")
}

// beats are when M3 heard heartbeats.
func (l *lone) beats() (out []time.Duration) {
	for i, text := range l.heard {
		if strings.HasPrefix(text, "M3 LeaderHeartbeat{") {
			out = append(out, l.at[i])
		}
	}
	return out
}

// A leader speaks five times in Silence. When no majority answered for 5 to 10 heartbeats it steps down, with RevokedLeadership
// to a Master that got ElectedLeader; then it stands again after 1 to 2 seconds.
func TestALeaderThatIsNotHeardStepsDown(t *testing.T) {
	var stands spread
	for seed := range uint64(draws) {
		elected := seed%2 == 0
		l := member(t, seed, ordinary(), Config{})
		l.votes[2], l.confirms[2] = true, elected
		l.Until("the votes", func() bool { return l.e.leading != 0 })
		at := l.Now()
		l.Advance(990 * time.Millisecond)
		var gaps []time.Duration
		for i, beat := range l.beats() {
			if d := beat - at.Sub(l.began) - time.Duration(i+1)*200*time.Millisecond; d < 0 || d > travel {
				gaps = append(gaps, d)
			}
		}
		if len(gaps) != 0 || len(l.beats()) != 4 {
			t.Errorf("seed %d: heartbeats at %s, since %s", seed, l.beats(), at.Sub(l.began))
		}
		l.votes[2], l.confirms[2] = false, false
		l.Until("the end", func() bool { return l.e.leading == 0 })
		end := l.Now()
		// It hears the votes, which count as a sign of life; then, if at all, the confirmations of the first second.
		if took := end.Sub(at); took < 5*200*time.Millisecond || took > 10*200*time.Millisecond+travel {
			t.Errorf("seed %d: it led for %s", seed, took)
		}
		l.Advance(20 * time.Millisecond)
		l.heard, l.at = l.heard[:0], l.at[:0]
		l.Advance(3 * time.Second)
		if slices.Contains(l.heard, "Master RevokedLeadership") || len(l.beats()) != 0 {
			t.Errorf("seed %d: heard late: %q", seed, l.heard)
		}
		stands.add(l.stood(end)[0])
		lines := l.lines("This Master no longer leads")
		if elected && !slices.Equal(lines, []string{"This Master no longer leads: it was the leader of term 4."}) || !elected && len(lines) != 0 {
			t.Errorf("seed %d: it said %q", seed, lines)
		}
		l.wantStates("FOLLOWER > PRECANDIDATE, term 3", "PRECANDIDATE > CANDIDATE, term 4", "CANDIDATE > LEADER, term 4",
			"LEADER > FOLLOWER, term 4", "FOLLOWER > PRECANDIDATE, term 4")
	}
	stands.want(t, "it stood again", time.Second, 2*time.Second)
}

// The Master hears of the end of a leadership if it heard of its beginning.
func TestTheEndOfALeadershipIsToldToWhoHeardOfIt(t *testing.T) {
	for _, confirms := range []bool{true, false} {
		l := member(t, 1, ordinary(), Config{})
		l.votes[2], l.confirms[2] = true, confirms
		l.Until("the votes", func() bool { return l.e.leading != 0 })
		l.Advance(50 * time.Millisecond)
		l.heard = nil
		l.send(3, &deploy.LeaderHeartbeat{Term: 5})
		if revoked := slices.Contains(l.heard, "Master RevokedLeadership"); revoked != confirms {
			t.Errorf("it led %v, and heard %q", confirms, l.heard)
		}
		// It follows: another tick of raft's own would make it stand.
		for i := range 20 {
			l.send(3, &deploy.LeaderHeartbeat{Term: 5})
			l.Advance(400 * time.Millisecond)
			if n := len(l.stood(l.began)); n != 0 {
				t.Fatalf("it stood, after %d heartbeats of its leader", i)
			}
		}
		want := fmt.Sprintf("%v of term 5: at term 5 10.0.0.3:7077 is it", ErrNotLeader)
		if _, err := rpctest.Ask[State](l.ProbeIn(l.env, "P"), l.self, ReadState{}); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
