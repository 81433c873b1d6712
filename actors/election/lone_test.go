package election

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	logtest "github.com/sirupsen/logrus/hooks/test"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/trace"
)

// lone is the Master M1 of three. The test plays its peers M2 and M3.
type lone struct {
	*rpctest.World
	t     *testing.T
	cfg   Config
	log   *MemoryLog
	env   *rpcenv.Env
	e     *Election
	self  rpcenv.Ref
	peers [4]*rpctest.Probe // 2 and 3
	// knows is what a peer answers RequestGroup; nil, or silent: nothing.
	knows  [4]*deploy.GroupState
	silent [4]bool
	// votes and confirms are whether a peer votes for M1, and confirms its entries.
	votes, confirms [4]bool
	began           time.Time
	heard           []string // by the peers and the Master: the receiver and the message, without the group
	at              []time.Duration
	said            *logtest.Hook
}

// newLone is M1 before it starts, with what its log has.
func newLone(t *testing.T, seed uint64, saved Saved, cfg Config) *lone {
	t.Helper()
	l := &lone{World: rpctest.New(t, seed), t: t, cfg: cfg, log: &MemoryLog{saved: saved}}
	l.NoPanic()
	l.env = l.Env("M1", nil)
	l.said = logtest.NewLocal(l.env.Log().Logger)
	l.cfg.Self, l.cfg.Log, l.cfg.Peers = l.env.Address(), l.log, []rpcenv.Address{l.env.Address()}
	for i := 2; i <= 3; i++ {
		l.peers[i] = l.ProbeIn(l.Env(fmt.Sprintf("M%d", i), nil), Name)
		l.cfg.Peers = append(l.cfg.Peers, l.peers[i].Ref.Address)
		l.peers[i].On(func(c *rpcenv.Context, m rpcenv.Message) bool { l.hear(c, i, m); return true })
	}
	l.ProbeIn(l.env, "Master").On(func(_ *rpcenv.Context, m rpcenv.Message) bool {
		switch m := m.(type) {
		case master.ElectedLeader:
			l.note(fmt.Sprintf("Master ElectedLeader %d", m.Term))
		case master.RevokedLeadership:
			l.note("Master RevokedLeadership")
		}
		return true
	})
	l.e = New(l.cfg)
	return l
}

func (l *lone) note(text string) {
	l.heard = append(l.heard, text)
	l.at = append(l.at, l.Now().Sub(l.began))
}

func (l *lone) hear(c *rpcenv.Context, peer int, m rpcenv.Message) {
	p := proto.Clone(m.(proto.Message))
	if groupOf(p) != l.e.group {
		l.t.Errorf("M%d was sent %v, of another group", peer, p)
	}
	setGroup(p, 0)
	l.note(fmt.Sprintf("M%d %s{%s}", peer, p.ProtoReflect().Descriptor().Name(), textOf(p)))
	from := rpcenv.Ref{Address: c.Sender(), Name: Name}
	send := func(m proto.Message) {
		setGroup(m, l.e.group)
		c.Send(from, m)
	}
	switch m := m.(type) {
	case *deploy.RequestGroup:
		if l.knows[peer] == nil || l.silent[peer] {
			rpcenv.Defer(c, m)
		} else {
			rpcenv.Reply(c, m, proto.CloneOf(l.knows[peer]))
		}
	case *deploy.RequestVote:
		if l.votes[peer] {
			send(&deploy.Vote{Term: m.GetTerm(), Pre: m.GetPre(), Granted: true})
		}
	case *deploy.AppendEntries:
		if l.confirms[peer] {
			send(&deploy.Appended{Term: m.GetTerm(), Index: m.GetPrevIndex() + uint64(len(m.GetEntries()))})
		}
	case *deploy.LeaderHeartbeat:
		if l.confirms[peer] {
			send(&deploy.LeaderHeard{Term: m.GetTerm()})
		}
	}
}

func setGroup(m proto.Message, group uint64) {
	r := m.ProtoReflect()
	r.Set(r.Descriptor().Fields().ByName("group"), protoreflect.ValueOfUint64(group))
}

// start registers the Election. If it has a log, the peers have nothing to say of it.
func (l *lone) start() *lone {
	l.t.Helper()
	for i := 2; i <= 3; i++ {
		if l.log.saved.Identity != nil && l.knows[i] == nil {
			l.knows[i] = &deploy.GroupState{Formed: true}
		}
	}
	l.began = l.Now()
	l.self = l.Register(l.env, Name, l.e)
	return l
}

// member is M1 at the moment at which it begins to take part.
func member(t *testing.T, seed uint64, saved Saved, cfg Config) *lone {
	t.Helper()
	l := newLone(t, seed, saved, cfg).start()
	l.Until("a member", func() bool { return l.e.phase == Member })
	l.heard, l.at = nil, nil
	return l
}

// leader is M1 at the moment at which it leads, with the vote and the confirmations of M2.
func leader(t *testing.T, seed uint64, saved Saved, cfg Config) *lone {
	t.Helper()
	l := member(t, seed, saved, cfg)
	l.votes[2], l.confirms[2] = true, true
	l.Until("a leader", func() bool { return l.e.announced != 0 })
	l.Advance(50 * time.Millisecond)
	l.heard, l.at = nil, nil
	return l
}

// kept is a log of M1 that has met the others.
func kept(vote *deploy.LogVote, snapshot *deploy.LogSnapshot, entries ...*deploy.LogEntry) Saved {
	all := []string{m1, m2, m3}
	return Saved{
		Identity: &deploy.LogIdentity{Version: 1, Self: all[0], Peers: all, Met: all[1:]}, Vote: vote, Snapshot: snapshot, Entries: entries,
	}
}

// send sends messages of a peer, of the group unless they name another one, and waits until they were handled.
func (l *lone) send(peer int, ms ...proto.Message) {
	l.t.Helper()
	for _, m := range ms {
		if groupOf(m) == 0 {
			setGroup(m, l.e.group)
		}
		l.peers[peer].Send(l.self, m)
	}
	l.Advance(20 * time.Millisecond)
}

// textOf is a message in one line.
func textOf(m proto.Message) string {
	return strings.Join(strings.Fields(prototext.MarshalOptions{}.Format(m)), " ")
}

// wantLog wants what the log says of whose it is, of elections and of entries.
func (l *lone) wantLog(identity, vote, has string) {
	l.t.Helper()
	s := l.log.saved
	if got := textOf(s.Identity); got != identity {
		l.t.Errorf("the log is that of\n\t%s\nwant\n\t%s", got, identity)
	}
	if got := textOf(s.Vote); got != vote {
		l.t.Errorf("the vote is %s, want %s", got, vote)
	}
	if got := show(nil, nil, s.Snapshot, false, s.Entries); got != has {
		l.t.Errorf("the log has %q, want %q", got, has)
	}
}

// gaveUp wants that M1 has ended for this reason.
func (l *lone) gaveUp(why string) {
	l.t.Helper()
	l.Advance(time.Second)
	if code, ended := l.Exited("M1"); !ended || code != exitBroken {
		l.t.Errorf("exit code %d, %v", code, ended)
	}
	if got := l.lines("exit 1: "); !slices.Equal(got, []string{"exit 1: " + why}) {
		l.t.Errorf("it said %q, want %s", got, why)
	}
}

// wantStates wants these, and no other, changes of the state of M1's election in the trace.
func (l *lone) wantStates(want ...string) {
	l.t.Helper()
	l.Settle()
	var got []string
	for _, e := range l.Trace().Entries {
		if e.K == trace.KindState && e.Name == "election" {
			got = append(got, fmt.Sprintf("%s > %s, %s", e.Was, e.Is, e.Why))
		}
	}
	if !slices.Equal(got, want) {
		l.t.Errorf("the states are\n%q\nwant\n%q", got, want)
	}
}

// whose is the text of the identity of M1's log.
func whose(met ...string) string {
	text := `version:1 self:"10.0.0.1:7077" peers:"10.0.0.1:7077" peers:"10.0.0.2:7077" peers:"10.0.0.3:7077"`
	for _, m := range met {
		text += fmt.Sprintf(" met:%q", m)
	}
	return text
}

// m1, m2 and m3 are the Masters as messages name them.
const m1, m2, m3 = "10.0.0.1:7077", "10.0.0.2:7077", "10.0.0.3:7077"

// wantHeard wants what the peers and the Master heard since the last time, in any order of the two peers.
func (l *lone) wantHeard(want ...string) {
	l.t.Helper()
	got := slices.Clone(l.heard)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		l.t.Errorf("heard\n\t%s\nwant\n\t%s", strings.Join(l.heard, "\n\t"), strings.Join(want, "\n\t"))
	}
	l.heard, l.at = nil, nil
}

// lines are those of the log that begin with a text.
func (l *lone) lines(prefix string) (out []string) {
	for _, e := range l.said.AllEntries() {
		if strings.HasPrefix(e.Message, prefix) {
			out = append(out, e.Message)
		}
	}
	return out
}
