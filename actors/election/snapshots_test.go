package election

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// The state is written down when changes of SnapshotBytes were applied, or of the size of the state if that is more; Keep
// entries before it stay in memory.
func TestWhenTheStateIsWrittenDown(t *testing.T) {
	one := changes(t, put("a", "1"))
	large := changes(t, put("b", strings.Repeat("x", 10*len(one))))
	l := member(t, 1, ordinary(), Config{SnapshotBytes: 2 * len(one), Keep: 2})
	index := uint64(3)
	apply := func(data []byte) string {
		index++
		prevTerm := uint64(3)
		if index == 4 {
			prevTerm = 2
		}
		l.send(2, &deploy.AppendEntries{
			Term: 3, PrevIndex: index - 1, PrevTerm: prevTerm, Commit: index, Entries: []*deploy.LogEntry{{Index: index, Term: 3, Changes: data}},
		})
		return show(nil, nil, l.log.saved.Snapshot, false, l.log.saved.Entries)
	}
	for i, want := range []string{"1/2 2/2 3/2 4/3 ", "snapshot 5 ", "snapshot 5 6/3 ", "snapshot 7 "} {
		if got := apply(one); got != want {
			t.Errorf("after change %d the log has %q, want %q", i, got, want)
		}
	}
	if n, err := l.e.storage.FirstIndex(); n != 6 || err != nil {
		t.Errorf("the memory has entries from %d on, %v", n, err)
	}
	if got := textOf(l.log.saved.Snapshot); got != `index:7 term:3 state:{key:"a" value:"1"}` {
		t.Errorf("the state is %s", got)
	}
	apply(large) // written down, and from now on as many changes are wanted
	size := len(strings.Repeat("x", 10*len(one))) + len("b") + len("a1")
	bytes, n := 0, 0
	for bytes+len(one) < size {
		if got := apply(one); !strings.HasPrefix(got, "snapshot 8 9/3 ") {
			t.Fatalf("after %d of %d bytes the log has %q", bytes, size, got)
		}
		bytes, n = bytes+len(one), n+1
	}
	if got, want := apply(one), "snapshot"; !strings.HasPrefix(got, want) || strings.HasPrefix(got, "snapshot 8 ") {
		t.Errorf("after %d changes of a state of %d bytes the log has %q", n+1, size, got)
	}
}

// A Master takes part with what its log has behind a snapshot: a peer that lacks that gets it in one message.
func TestAPeerThatIsFarBehindGetsTheState(t *testing.T) {
	state := &deploy.LogSnapshot{Index: 3, Term: 2, State: []*deploy.LogChange{put("a", "1")}}
	l := leader(t, 1, kept(&deploy.LogVote{Term: 3, Commit: 4}, state, entries(3, 4, 5)...), Config{})
	const snapshot = `M3 InstallSnapshot{term:4 snapshot:{index:3 term:2 state:{key:"a" value:"1"}}}`
	const after = "M3 AppendEntries{term:4 prev_index:3 prev_term:2 commit:6 entries:{index:4 term:3} entries:{index:5 term:3} entries:{index:6 term:4}}"
	refuse := &deploy.Appended{Term: 4, Index: 5, Refused: true}
	l.send(3, refuse)
	l.wantHeard(snapshot)
	// It goes on behind the snapshot; if that did not come, it sends it again.
	l.send(3, &deploy.LeaderHeard{Term: 4})
	l.wantHeard(after)
	l.send(3, &deploy.Appended{Term: 4, Index: 3, Refused: true})
	l.wantHeard(snapshot)
	l.send(3, &deploy.Appended{Term: 4, Index: 3})
	l.wantHeard(after)
	s, err := rpctest.Ask[State](l.ProbeIn(l.env, "P"), l.self, ReadState{})
	if err != nil || s.Term != 4 || len(s.Records) != 1 || s.Records[0].Key != "a" || string(s.Records[0].Value) != "1" {
		t.Errorf("the state is %+v, %v", s, err)
	}
}

// A state that comes takes the place of all entries when it is durable, and goes on to others.
func TestAMasterTakesTheStateOfTheLeader(t *testing.T) {
	l := member(t, 1, ordinary(), Config{})
	l.log.Takes = 100 * time.Millisecond
	state := &deploy.LogSnapshot{Index: 9, Term: 3, State: []*deploy.LogChange{put("a", "1")}}
	l.send(2, &deploy.InstallSnapshot{Term: 3, Snapshot: state})
	l.wantHeard()
	s, err := rpctest.Ask[*deploy.GroupState](l.peers[3], l.self, &deploy.RequestGroup{Group: l.e.group, Kept: true, Term: 3})
	if err != nil || s.GetLastIndex() != 9 || s.GetCommittedIndex() != 1 {
		t.Errorf("while it is written it says %v, %v", s, err)
	}
	l.Advance(100 * time.Millisecond)
	l.wantHeard("M2 Appended{term:3 index:9}")
	l.wantLog(whose(m2, m3), "term:3 vote:2 commit:9", "snapshot 9 ")
	s, err = rpctest.Ask[*deploy.GroupState](l.peers[3], l.self, &deploy.RequestGroup{Group: l.e.group, Kept: true, Term: 3})
	if err != nil || s.GetLastIndex() != 9 || s.GetCommittedIndex() != 9 || s.GetCommittedTerm() != 3 {
		t.Errorf("it says %v, %v", s, err)
	}
	l.votes[2], l.confirms[2] = true, true
	l.Until("a leader", func() bool { return l.e.announced != 0 })
	l.heard = nil
	l.send(3, &deploy.Appended{Term: 4, Index: 9, Refused: true})
	if !slices.Contains(l.heard, `M3 InstallSnapshot{term:4 snapshot:{index:9 term:3 state:{key:"a" value:"1"}}}`) {
		t.Errorf("heard %q", l.heard)
	}
}
