package election

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// acknowledged is what a peer must have in its log, since it said so: a Master says nothing before it is durable.
type acknowledged struct {
	term  uint64 // the latest that it was in
	index uint64 // the last entry that it confirmed in that term
	voted bool   // it gave this Master its vote in that term
}

// acknowledge notes what a message says of the log of its sender. Requests for votes say nothing: raft sends them before
// the new term is durable.
func (e *Election) acknowledge(from uint64, m proto.Message) {
	var said acknowledged
	switch m := m.(type) {
	case *deploy.Vote:
		if m.GetPre() || !m.GetGranted() {
			return
		}
		said = acknowledged{term: m.GetTerm(), voted: true}
	case *deploy.Appended:
		if m.GetRefused() {
			return
		}
		said = acknowledged{term: m.GetTerm(), index: m.GetIndex()}
	case *deploy.AppendEntries, *deploy.LeaderHeartbeat: // of a leader: it voted for itself first, so its disk has the term
		said = acknowledged{term: m.(interface{ GetTerm() uint64 }).GetTerm()}
	default:
		return
	}
	switch known := e.acked[from]; {
	case said.term > known.term:
		e.acked[from] = said
	case said.term == known.term:
		e.acked[from] = acknowledged{said.term, max(said.index, known.index), said.voted || known.voted}
	}
}

// lacking reports whether a log lacks what its owner acknowledged to the Master self. What was confirmed in an earlier term
// than the log's says nothing: later leaders may have replaced it.
func (a acknowledged) lacking(m *deploy.RequestGroup, self uint64) bool {
	if !m.GetKept() || m.GetBehind() {
		return false // without a log, or with one that it knows to be old: nothing new to say
	}
	return m.GetTerm() < a.term || m.GetTerm() == a.term && (m.GetLastIndex() < a.index || a.voted && m.GetVote() != self)
}

// committed is the last entry that this Master knows to be committed.
func (e *Election) committed() position {
	at := position{e.machine.index, e.machine.term}
	if term, err := e.storage.Term(e.vote.GetCommit()); err == nil { // else a snapshot has it, or it is not durable yet
		at = position{e.vote.GetCommit(), term}
	}
	return at
}

// findings are what the others say of a log.
type findings struct {
	by        rpcenv.Address // a Master that knows of more; zero: none does
	term      uint64         // the latest of theirs
	committed position       // the last of theirs
}

// inquire asks all others what they know of this Master's log. It does not wait for one that is late or does not run: a group
// has to begin without it too.
func (e *Election) inquire(c *rpcenv.Context, then func(findings)) {
	others, found := e.others(), findings{}
	open := len(others)
	if open == 0 {
		then(found)
		return
	}
	q := &deploy.RequestGroup{
		Group: e.group, Kept: true, Term: e.vote.GetTerm(), Vote: e.vote.GetVote(), LastIndex: e.last, Behind: e.behind,
	}
	for _, p := range others {
		rpcenv.Ask(c, rpcenv.Ref{Address: p, Name: Name}, q, func(s *deploy.GroupState, _ error) { // without an answer s is nil, and says nothing
			found.term = max(found.term, s.GetTerm())
			if at := (position{s.GetCommittedIndex(), s.GetCommittedTerm()}); found.committed.before(at) {
				found.committed = at
			}
			if s.GetOlder() {
				found.by = p
			}
			if open--; open == 0 {
				then(found)
			}
		}, rpcenv.Timeout("", askAgain))
	}
}

// checkAge asks the others before this Master takes part with the log that it found. Until they have answered it gives no vote.
// A log that is older than what this Master acknowledged is worth as little as a lost one: its vote is spent, and the Master
// gives none until it has what the leader has.
func (e *Election) checkAge(c *rpcenv.Context) {
	e.phase = Checking
	e.inquire(c, func(found findings) {
		if e.floor.before(found.committed) {
			e.floor = found.committed
		}
		if found.by.IsZero() || e.behind { // one that is behind knows already that its log is old
			e.join(c)
			return
		}
		c.Log().Warnf("%s is an old copy: it ends with entry %d at term %d, and this Master has acknowledged more to %s. It gets the "+
			"log of the others, and votes for nobody until then.", e.cfg.Log.Name(), e.last, e.term, found.by)
		// It may have given its vote in any term up to the latest: one for itself spends the vote there.
		e.behind = true
		e.term = max(e.term, found.term)
		e.vote = &deploy.LogVote{Term: e.term, Vote: e.self, Commit: e.vote.GetCommit(), Behind: true}
		e.identity = &deploy.LogIdentity{
			Version: e.identity.GetVersion(), Self: e.identity.GetSelf(), Peers: e.identity.GetPeers(),
			Met: e.identity.GetPeers(), // which of them it met the old copy may lack: all, to be safe
		}
		e.begin(c, func() { e.checkAge(c) }) // asks once more, now as Behind: by that a leader forgets what it acknowledged
	})
}

// checkAgain asks the others once more when a leader takes this Master to have more than it has: the Master that knew of it did
// not answer before.
func (e *Election) checkAgain(c *rpcenv.Context, m *deploy.LeaderHeartbeat) {
	switch {
	case e.phase != Member || e.checking || e.leading != 0 || !e.isOther(c.Sender()) || m.GetGroup() != e.group:
		return
	case m.GetCommit() <= e.last || m.GetTerm() < e.term:
		return
	}
	e.checking = true
	e.inquire(c, func(found findings) {
		e.checking = false
		if e.leading == 0 && !found.by.IsZero() { // never so for one that is behind: see lacking
			e.reopen(c)
		}
	})
}

// reopen begins anew with what is in the log, as another process would. Open questions stay without an answer: raft asks again.
func (e *Election) reopen(c *rpcenv.Context) {
	for _, t := range []rpcenv.Timer{e.silence, e.campaign} {
		c.Cancel(t)
	}
	e.phase, e.node, e.saves, e.saving, e.goal = Opening, nil, nil, false, position{}
	rpcenv.Run(c, logLane, e.cfg.Log.Load, func(s Saved, err error) { e.opened(c, s, err) })
}

// outdated says why this Master cannot vote for a log that ends there; empty: it can. A majority has what is committed, so only
// the votes of Masters that forgot could elect one without it.
func (e *Election) outdated(end position) string {
	if !end.before(e.floor) {
		return ""
	}
	return fmt.Sprintf("its log ends with entry %d of term %d, and entry %d of term %d is committed", end.index, end.term, e.floor.index, e.floor.term)
}

// end is the last durable entry.
func (e *Election) end() position {
	index, _ := e.storage.LastIndex() // the memory does not fail
	term, _ := e.storage.Term(index)
	return position{index, term}
}
