package election

import (
	"strings"
	"testing"
	"time"

	"go.etcd.io/raft/v3/tracker"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace"
)

// refusals is how often M1 could not reach a peer.
func (l *lone) refusals(peer string) (n int) {
	for _, e := range l.Trace().Entries {
		if e.K == trace.KindConn && e.Name == "refused" && e.Address == peer && strings.HasPrefix(e.At, "M1") {
			n++
		}
	}
	return n
}

// A leader leaves a peer that cannot be reached alone for as long as Silence, and takes nothing for granted that was on the
// way to it. It speaks to it again as soon as that peer is back.
func TestAPeerThatCannotBeReachedIsLeftAlone(t *testing.T) {
	l := leader(t, 1, ordinary(), Config{})
	l.send(3, &deploy.Appended{Term: 4, Index: 4})
	if got := l.e.node.Status().Progress[3].State; got != tracker.StateReplicate {
		t.Errorf("M3 is in %s", got)
	}
	l.Find("M3").Kill()
	l.Advance(250 * time.Millisecond)
	if got := l.e.node.Status().Progress[3].State; got != tracker.StateProbe {
		t.Errorf("M3 cannot be reached, and is in %s", got)
	}
	before := l.refusals(m3)
	l.Advance(5 * time.Second)
	if n := l.refusals(m3) - before; n < 4 || n > 5 {
		t.Errorf("it was tried %d times in 5 s", n)
	}
	// It comes back, and dials M1: the next heartbeat goes to it, though the rest of a second is not over.
	l.Until("another try", func() bool { return l.refusals(m3) > before+5 })
	at := l.peers[3].Env.Address()
	env, err := rpcenv.New(l.Host("M3", at.Host), rpcenv.Config{Name: "M3", Listen: at})
	if err != nil {
		t.Fatal(err)
	}
	back := l.ProbeIn(env, Name)
	back.Send(l.self, &deploy.LeaderHeard{Term: 4, Group: l.e.group})
	l.Advance(250 * time.Millisecond)
	if n := len(back.Waiting()); n == 0 {
		t.Error("it heard nothing")
	}
}

// One that is no peer, or is not reached while this Master does not take part, is of no interest.
func TestOnlyPeersAreLeftAloneAndOnlyByMembers(t *testing.T) {
	l := newLone(t, 1, Saved{}, Config{})
	l.knows[2] = &deploy.GroupState{}
	l.Find("M3").Kill()
	l.start()
	l.Advance(time.Second)
	if l.e.phase != Waiting || len(l.e.unreachable) != 0 {
		t.Errorf("it is %s, and leaves %v alone", l.e.phase, l.e.unreachable)
	}
}
