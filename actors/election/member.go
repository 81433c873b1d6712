package election

import (
	"fmt"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

const (
	// mostChanges is how many bytes one entry may have.
	mostChanges = 32 << 20
	// mostUncommitted is how many bytes of changes may wait for a majority.
	mostUncommitted = 64 << 20
)

// turn does what raft wants done, until it wants nothing: each message that came, tick and finished write ends with one.
func (e *Election) turn(c *rpcenv.Context) {
	if e.phase != Member {
		return
	}
	e.guard(c, func() {
		// AsyncStorageWrites: raft addresses its own disk and state machine by messages, and goes on before they are done.
		for e.node.HasReady() {
			for _, m := range e.node.Ready().Messages {
				switch m.GetTo() {
				case raft.LocalAppendThread:
					e.append(m)
				case raft.LocalApplyThread:
					e.apply(c, m)
				default:
					e.post(c, m)
				}
			}
		}
	})
	e.flush(c) // after the loop, so that all of it is one write
	e.watch(c)
}

// append queues what is to be made durable. A later commit alone can wait for the next write: it is learnt again.
func (e *Election) append(m *pb.Message) {
	s := save{raft: m}
	if n := len(m.GetEntries()); n > 0 {
		s.batch.Entries = toLog(m.GetEntries())
		e.last = m.GetEntries()[n-1].GetIndex()
	}
	if m.Snapshot != nil {
		s.batch.Snapshot, s.batch.Whole = e.incoming, true
		e.last = e.incoming.GetIndex()
	}
	news := false
	if m.Term != nil {
		news = m.GetTerm() != e.vote.GetTerm() || m.GetVote() != e.vote.GetVote()
		e.vote = &deploy.LogVote{Term: m.GetTerm(), Vote: m.GetVote(), Commit: m.GetCommit()}
	}
	if news || !s.batch.empty() {
		s.batch.Vote = e.voteNow()
	}
	// Also with an empty batch: its answers must wait for what was queued before.
	e.saves = append(e.saves, s)
}

// voteNow is what the log must know of elections, as of now.
func (e *Election) voteNow() *deploy.LogVote {
	e.vote = &deploy.LogVote{Term: e.vote.GetTerm(), Vote: e.vote.GetVote(), Commit: e.vote.GetCommit(), Behind: e.behind}
	return e.vote
}

// save queues something of the Election's own, to be made durable after what is queued.
func (e *Election) save(c *rpcenv.Context, s save) {
	e.saves = append(e.saves, s)
	e.flush(c)
}

// flush writes what is queued, as one, unless a write is under way: what comes meanwhile is the next one.
func (e *Election) flush(c *rpcenv.Context) {
	for e.phase == Member && !e.saving && len(e.saves) > 0 {
		taken := e.saves
		e.saves = nil
		var batch Batch
		for _, s := range taken {
			batch.add(s.batch)
		}
		if batch.empty() { // answers that waited for what was written before
			e.saved(c, taken)
			continue
		}
		e.saving = true
		node := e.node // checkAgain may reopen the log while this write is under way
		rpcenv.Run(c, logLane, func(b *rpcenv.Blocking) (struct{}, error) {
			return struct{}{}, e.cfg.Log.Save(b, batch)
		}, func(_ struct{}, err error) {
			switch {
			case err != nil:
				e.unwritable(c, err)
				return
			case node != e.node:
				return // it has begun anew meanwhile
			}
			e.saving = false
			e.saved(c, taken)
			e.turn(c)
		})
	}
}

// saved goes on after a write: only now do the votes and confirmations go out that it made true.
func (e *Election) saved(c *rpcenv.Context, taken []save) {
	for _, s := range taken {
		e.guard(c, func() { e.stored(c, s) })
		if s.then != nil {
			s.then(c)
		}
	}
	e.caughtUp(c)
}

func (e *Election) stored(c *rpcenv.Context, s save) {
	switch snapshot := s.batch.Snapshot; {
	case s.batch.Whole:
		if e.storage.ApplySnapshot(e.metadata(snapshot)) == nil { // else a later one is there
			e.kept = snapshot
			e.machine.restore(snapshot)
		}
	case snapshot != nil:
		if _, err := e.storage.CreateSnapshot(snapshot.GetIndex(), e.confState(), nil); err == nil { // else a later one is there
			e.kept = snapshot
			e.compact(snapshot.GetIndex())
		}
	}
	_ = e.storage.Append(s.raft.GetEntries()) // the memory does not fail
	for _, m := range s.raft.GetResponses() {
		e.respond(c, m)
	}
}

// compact drops entries that a snapshot stands for, but for the last Config.Keep: a peer that is a little late gets those
// rather than the whole state.
func (e *Election) compact(index uint64) {
	_ = e.storage.Compact(max(index, e.cfg.Keep) - e.cfg.Keep) // its error is of entries that are forgotten already
}

// respond delivers an answer that waited for a write.
func (e *Election) respond(c *rpcenv.Context, m *pb.Message) {
	if m.GetTo() == e.self {
		_ = e.node.Step(m) // an error is of a message that comes too late
		return
	}
	e.post(c, m)
}

// apply does what committed entries say.
func (e *Election) apply(c *rpcenv.Context, m *pb.Message) {
	for _, entry := range m.GetEntries() {
		if err := e.machine.apply(entry.GetIndex(), entry.GetTerm(), entry.GetData()); err != nil {
			c.Log().Errorf("Entry %d of term %d cannot be read and changes nothing: %v", entry.GetIndex(), entry.GetTerm(), err)
		}
		// The first entry of a term has no proposal: nothing is proposed before it is applied.
		if entry.GetTerm() == e.leading && len(e.proposed) > 0 {
			e.proposed[0].Reply(Committed{Index: entry.GetIndex()})
			e.proposed = e.proposed[1:]
		}
	}
	for _, r := range m.GetResponses() {
		e.respond(c, r)
	}
	// Not before as many bytes have changed as the state has: else a large state would be written over and over.
	if e.machine.since >= max(e.cfg.SnapshotBytes, e.machine.held) {
		e.saves = append(e.saves, save{batch: Batch{Snapshot: e.machine.snapshot()}})
	}
}

// post sends a message of raft's to a peer, unless it could not be dialled a moment ago: raft sends again.
func (e *Election) post(c *rpcenv.Context, m *pb.Message) {
	to := e.address(m.GetTo())
	if c.Now().Before(e.unreachable[m.GetTo()]) {
		return
	}
	out := toWire(m, e.group)
	if s, ok := out.(*deploy.InstallSnapshot); ok {
		s.Snapshot = e.kept
		// Messages of a connection come in order: what follows comes after the snapshot, or is refused and says so.
		e.node.ReportSnapshot(m.GetTo(), raft.SnapshotFinish)
	}
	if out == nil {
		return
	}
	if v, ok := out.(*deploy.Vote); ok && v.GetGranted() && !v.GetPre() {
		e.standLater(c) // give it time to win
	}
	c.Send(rpcenv.Ref{Address: to, Name: Name}, out)
}

// propose puts changes into the log.
func (e *Election) propose(c *rpcenv.Context, m Propose) {
	if e.announced == 0 || m.Term != e.announced { // of another leadership: its books may differ from what was committed since
		rpcenv.Fail(c, m, e.notLeader(m.Term))
		return
	}
	if len(m.Changes) == 0 {
		rpcenv.Reply(c, m, Committed{Index: e.machine.index})
		return
	}
	var l deploy.LogChanges
	for _, ch := range m.Changes {
		l.Changes = append(l.Changes, &deploy.LogChange{Key: ch.Key, Value: ch.Value, Removed: ch.Value == nil})
	}
	data, err := proto.Marshal(&l)
	switch {
	case err != nil:
		rpcenv.Fail(c, m, err)
		return
	case len(data) > mostChanges:
		rpcenv.Fail(c, m, fmt.Errorf("%w: %d bytes in %d changes, and an entry has %d at most", ErrTooLarge, len(data), len(m.Changes), mostChanges))
		return
	}
	e.guard(c, func() { err = e.node.Propose(data) })
	if err != nil {
		rpcenv.Fail(c, m, fmt.Errorf("%w: %w: more than %d bytes wait for a majority", ErrTooLarge, err, mostUncommitted))
		return
	}
	e.proposed = append(e.proposed, rpcenv.Defer(c, m))
	e.turn(c)
}

// notLeader is the refusal of a Master that does not lead; it names the leader, if it is known.
func (e *Election) notLeader(term uint64) error {
	leader := "nobody is known to be it"
	if e.lead != raft.None {
		leader = fmt.Sprintf("%s is it", e.address(e.lead))
	}
	return fmt.Errorf("%w of term %d: at term %d %s", ErrNotLeader, term, e.term, leader)
}

// readState returns to this Master what was committed.
func (e *Election) readState(c *rpcenv.Context, m ReadState) {
	if e.announced == 0 {
		rpcenv.Fail(c, m, e.notLeader(e.term))
		return
	}
	s := State{Term: e.leading}
	for _, key := range e.machine.keys() {
		s.Records = append(s.Records, records.Change{Key: key, Value: e.machine.records[key]})
	}
	rpcenv.Reply(c, m, s)
}

// failProposals ends what waits to be committed.
func (e *Election) failProposals(err error) {
	for _, p := range e.proposed {
		p.Fail(err)
	}
	e.proposed = nil
}
