package election

import (
	"errors"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace"
)

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
