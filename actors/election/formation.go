package election

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// logLane is the lane in which the log is read and written.
const logLane = "log"

// askAgain is how often a Master without a log asks its peers.
const askAgain = 200 * time.Millisecond

// formVersion is the version of the log's format.
const formVersion = 1

// opened goes on with what the log has.
func (e *Election) opened(c *rpcenv.Context, s Saved, err error) {
	switch {
	case err != nil:
		e.fail(c, fmt.Errorf("read the log: %w", err))
	case s.Identity == nil: // new, or its log is lost: only the others know
		e.phase = Waiting
		c.Log().Infof("No log yet: asking the other Masters %v.", e.others())
		e.askPeers(c)
	default:
		if err := e.check(s); err != nil {
			e.fail(c, fmt.Errorf("%s: %w", e.cfg.Log.Name(), err))
			return
		}
		e.identity, e.vote = s.Identity, s.Vote
		e.load(s)
		e.checkAge(c)
	}
}

// check refuses a log that is another Master's or another group's, or that contradicts itself.
func (e *Election) check(s Saved) error {
	id := s.Identity
	if id.GetVersion() != formVersion {
		return fmt.Errorf("%w: it has version %d and this program reads %d", ErrLogDamaged, id.GetVersion(), formVersion)
	}
	var peers []string
	for _, p := range e.peers {
		peers = append(peers, p.String())
	}
	if id.GetSelf() != e.cfg.Self.String() || !slices.Equal(id.GetPeers(), peers) {
		return fmt.Errorf("%w: it is that of %s in the group %v, and this is %s in the group %v: a group cannot change its Masters; "+
			"start it with the old ones, or begin a new one with empty directories, which forgets all applications",
			ErrPeersChanged, id.GetSelf(), id.GetPeers(), e.cfg.Self, peers)
	}
	index, term := s.Snapshot.GetIndex(), s.Snapshot.GetTerm()
	for _, entry := range s.Entries {
		if index++; entry.GetIndex() != index || entry.GetTerm() < term {
			return fmt.Errorf("%w: entry %d of term %d stands after entry %d of term %d: remove the file, then this Master gets the "+
				"log of the others", ErrLogDamaged, entry.GetIndex(), entry.GetTerm(), index-1, term)
		}
		term = entry.GetTerm()
	}
	if v := s.Vote; v == nil || v.GetTerm() < term || v.GetVote() > uint64(len(e.peers)) {
		return fmt.Errorf("%w: entries of term %d and the vote %v: remove the file, then this Master gets the log of the others", ErrLogDamaged, term, v)
	}
	if commit := s.Vote.GetCommit(); commit > index {
		return fmt.Errorf("%w: entry %d is committed and the last one is %d: remove the file, then this Master gets the log of the others",
			ErrLogDamaged, commit, index)
	}
	return nil
}

// askPeers asks those peers that have not answered.
func (e *Election) askPeers(c *rpcenv.Context) {
	e.ask = c.After(askAgain, AskPeers{})
	if e.asked++; e.asked%50 == 0 { // each 10 s
		c.Log().Warnf("Without a log this Master takes part when all the others have answered: waiting for %v", e.silentPeers())
	}
	for _, p := range e.others() {
		if e.answers[p] != nil {
			continue
		}
		rpcenv.Ask(c, rpcenv.Ref{Address: p, Name: Name}, &deploy.RequestGroup{Group: e.group}, func(s *deploy.GroupState, err error) {
			e.groupState(c, p, s, err)
		}, rpcenv.Timeout("", askAgain))
	}
	e.form(c) // a group of one has no peer to wait for
}

func (e *Election) silentPeers() (out []rpcenv.Address) {
	for _, p := range e.others() {
		if e.answers[p] == nil {
			out = append(out, p)
		}
	}
	return out
}

func (e *Election) groupState(c *rpcenv.Context, peer rpcenv.Address, s *deploy.GroupState, err error) {
	if e.phase != Waiting {
		return
	}
	if err != nil {
		if text := err.Error(); e.warned[peer] != text {
			e.warned[peer] = text
			c.Log().Infof("%s does not say what it knows of the group yet: %v", peer, err)
		}
		return
	}
	e.answers[peer] = s
	e.form(c)
}

// requestGroup returns what this Master knows of the group, and whether the peer's log is an old copy.
func (e *Election) requestGroup(c *rpcenv.Context, m *deploy.RequestGroup) {
	from := e.number(c.Sender())
	switch {
	case !e.isOther(c.Sender()):
		rpcenv.Fail(c, m, fmt.Errorf("%w are %v, and %s is none of them", ErrPeers, e.peers, c.Sender()))
	case m.GetGroup() != e.group:
		rpcenv.Fail(c, m, fmt.Errorf("%w are %v: %s has others", ErrPeers, e.peers, c.Sender()))
	case e.phase == Waiting:
		rpcenv.Reply(c, m, &deploy.GroupState{})
	case e.phase == Checking, e.phase == Member:
		if !m.GetKept() || m.GetBehind() { // what it acknowledged it has no more: a leader must send it again
			e.forget(c, from)
		}
		committed := e.committed()
		rpcenv.Reply(c, m, &deploy.GroupState{
			Formed: true, Term: e.term, LastIndex: e.last, Met: e.identity.GetMet(), Older: e.acked[from].lacking(m, e.self),
			CommittedIndex: committed.index, CommittedTerm: committed.term,
		})
	default: // it still reads its log, so "no log" would be a lie on which the peer could begin a new group
		rpcenv.Fail(c, m, ErrNotReady)
	}
}

// form decides, when all have answered, what a Master without a log is: one of a new group, one that never took part, or
// one that lost its log. The last one voted and confirmed entries, and does not know which. It spends its vote in the
// highest term of its peers, and gives none until it has what a leader of the others committed.
func (e *Election) form(c *rpcenv.Context) {
	if len(e.silentPeers()) > 0 {
		return
	}
	formed, term := 0, uint64(0)
	for _, p := range e.others() {
		if e.answers[p].GetFormed() {
			formed++
		}
		term = max(term, e.answers[p].GetTerm())
	}
	e.identity = &deploy.LogIdentity{Version: formVersion, Self: e.cfg.Self.String()}
	for _, p := range e.peers {
		e.identity.Peers = append(e.identity.Peers, p.String())
	}
	vote := &deploy.LogVote{}
	if e.lostLog() {
		if e.doubt() {
			return
		}
		if formed < e.majority() {
			err := fmt.Errorf("%w: only %d of %d Masters have theirs: with fewer than %d it is unknown what was committed; "+
				"bring a log back, or begin anew with empty directories, which forgets all applications",
				ErrLogLost, formed, len(e.peers), e.majority())
			e.fail(c, err)
			return
		}
		c.Log().Warnf("The log of this Master is lost: the others know it, up to term %d. It gets theirs, and votes for nobody until then.", term)
		vote.Term, vote.Vote, vote.Behind = term, e.self, true
		e.identity.Met = e.identity.Peers // which of them it met is lost: all, to be safe
	}
	c.Cancel(e.ask)
	e.vote = vote
	e.begin(c, func() {
		e.load(Saved{})
		e.join(c)
	})
}

// begin makes the identity and the vote durable, then goes on: a spent vote that a crash could give back would be given twice.
func (e *Election) begin(c *rpcenv.Context, then func()) {
	e.phase = Opening
	batch := Batch{Identity: e.identity, Vote: e.vote}
	rpcenv.Run(c, logLane, func(b *rpcenv.Blocking) (struct{}, error) {
		return struct{}{}, e.cfg.Log.Save(b, batch)
	}, func(_ struct{}, err error) {
		if err != nil {
			e.unwritable(c, err)
			return
		}
		then()
	})
}

// unwritable ends a Master whose log cannot be written. A log that is damaged says what to do.
func (e *Election) unwritable(c *rpcenv.Context, err error) {
	if !errors.Is(err, ErrLogDamaged) {
		err = fmt.Errorf("%w: make room, then start it again", err)
	}
	e.fail(c, fmt.Errorf("%w: %w", ErrLogUnwritable, err))
}

// lostLog reports whether this Master had a log: one of the others has heard of it as a member, or one that might have lost
// its own.
func (e *Election) lostLog() bool {
	met := map[string]bool{}
	for _, p := range e.others() {
		for _, m := range e.answers[p].GetMet() {
			met[m] = true
		}
	}
	if met[e.cfg.Self.String()] {
		return true
	}
	// A member that has no log may be the one that met this Master, and no longer knows.
	for _, p := range e.others() {
		if met[p.String()] && !e.answers[p].GetFormed() {
			return true
		}
	}
	return false
}

// doubt asks those once more that said they have no log: they may have begun since, and the others heard of it first.
func (e *Election) doubt() (asking bool) {
	for _, p := range e.others() {
		if !e.answers[p].GetFormed() && !e.doubted[p] {
			e.doubted[p] = true
			delete(e.answers, p)
			asking = true
		}
	}
	return asking
}

// load takes what the log has into the memory, where raft reads it. That cannot fail: check has let it pass, or it is empty.
func (e *Election) load(s Saved) {
	e.storage = raft.NewMemoryStorage()
	e.behind, e.term = e.vote.GetBehind(), e.vote.GetTerm()
	e.kept = s.Snapshot
	e.machine.restore(s.Snapshot)
	e.last = s.Snapshot.GetIndex() + uint64(len(s.Entries))
	_ = e.storage.ApplySnapshot(e.metadata(s.Snapshot))
	_ = e.storage.Append(toRaft(s.Entries))
}

// join makes the Master a member of its group.
func (e *Election) join(c *rpcenv.Context) {
	_ = e.storage.SetHardState(hardState(e.vote, e.kept.GetIndex())) // the memory does not fail
	e.guard(c, func() {
		var err error
		e.node, err = raft.NewRawNode(&raft.Config{
			ID: e.self, Storage: e.storage, AsyncStorageWrites: true,
			HeartbeatTick: 1, ElectionTick: beatsPerSilence, CheckQuorum: true, PreVote: true,
			MaxSizePerMsg: 1 << 20, MaxCommittedSizePerReady: 16 << 20, MaxUncommittedEntriesSize: mostUncommitted,
			MaxInflightMsgs: 64, DisableProposalForwarding: true, Logger: logger{c.Log()},
		})
		if err != nil {
			e.fail(c, fmt.Errorf("%w: %w", ErrBroken, err))
		}
	})
	if e.phase == Failed {
		return
	}
	e.phase = Member
	c.Log().Infof("One of the Masters %v, at term %d, with entries up to %d.", e.peers, e.term, e.last)
	e.stepDown(c) // the first message of a leader cancels the campaign
	e.turn(c)
}

// hardState is a vote as raft sees it. What a snapshot has is committed, also if the log has not heard so.
func hardState(v *deploy.LogVote, snapshot uint64) *pb.HardState {
	return &pb.HardState{Term: new(v.GetTerm()), Vote: new(v.GetVote()), Commit: new(max(v.GetCommit(), snapshot))}
}

// met makes the sender durable as a member before its message counts: if it loses its log later, it must hear that it had one.
func (e *Election) met(c *rpcenv.Context, m interface{ GetGroup() uint64 }, then func(*rpcenv.Context)) {
	sender := c.Sender()
	if e.phase != Member || !e.isOther(sender) || m.GetGroup() != e.group || slices.Contains(e.identity.GetMet(), sender.String()) {
		then(c)
		return
	}
	e.identity = &deploy.LogIdentity{
		Version: e.identity.GetVersion(), Self: e.identity.GetSelf(), Peers: e.identity.GetPeers(),
		Met: append(slices.Clone(e.identity.GetMet()), sender.String()),
	}
	e.save(c, save{batch: Batch{Identity: e.identity}, then: then})
}

// forget drops what a peer acknowledged that lost its log, or has an old one; a leader begins anew with it.
func (e *Election) forget(c *rpcenv.Context, peer uint64) {
	delete(e.acked, peer)
	if e.leading == 0 {
		return
	}
	// Raft forgets a peer that leaves and comes back. Between the two changes a majority is one of fewer, but the number of
	// peers is odd: the majority without this one decides nothing that the majority with it would not.
	e.guard(c, func() {
		for _, change := range []pb.ConfChangeType{pb.ConfChangeRemoveNode, pb.ConfChangeAddNode} {
			e.node.ApplyConfChange(&pb.ConfChange{Type: change.Enum(), NodeId: new(peer)})
		}
	})
	e.turn(c)
}

// caughtUp lets a Master that lost its log, or had an old one, vote again, as soon as its log has an entry that a leader has
// committed in the leader's own term.
func (e *Election) caughtUp(c *rpcenv.Context) {
	if !e.behind || e.phase != Member || e.goal.index == 0 {
		return
	}
	if t, err := e.storage.Term(e.goal.index); err != nil || t != e.goal.term {
		return
	}
	e.behind = false
	c.Log().Infof("This Master has caught up with term %d: it votes again.", e.goal.term)
	e.save(c, save{batch: Batch{Vote: e.voteNow()}})
}
