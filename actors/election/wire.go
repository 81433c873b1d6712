package election

import (
	"fmt"

	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
)

// mostTerm bounds the terms of messages: no election gets there, and past the largest uint64 they would begin anew.
const mostTerm = 1 << 62

// toWire makes of a message of raft's the one that travels; nil for what does not travel. The caller adds a snapshot's state.
func toWire(m *pb.Message, group uint64) proto.Message {
	switch m.GetType() {
	case pb.MsgVote, pb.MsgPreVote:
		return &deploy.RequestVote{
			Term: m.GetTerm(), Pre: m.GetType() == pb.MsgPreVote, LastIndex: m.GetIndex(), LastTerm: m.GetLogTerm(), Group: group,
		}
	case pb.MsgVoteResp, pb.MsgPreVoteResp:
		return &deploy.Vote{Term: m.GetTerm(), Pre: m.GetType() == pb.MsgPreVoteResp, Granted: !m.GetReject(), Group: group}
	case pb.MsgApp:
		return &deploy.AppendEntries{
			Term: m.GetTerm(), PrevIndex: m.GetIndex(), PrevTerm: m.GetLogTerm(), Commit: m.GetCommit(),
			Entries: toLog(m.GetEntries()), Group: group,
		}
	case pb.MsgAppResp:
		return &deploy.Appended{
			Term: m.GetTerm(), Index: m.GetIndex(), Refused: m.GetReject(), HintIndex: m.GetRejectHint(), HintTerm: m.GetLogTerm(),
			Group: group,
		}
	case pb.MsgSnap:
		return &deploy.InstallSnapshot{Term: m.GetTerm(), Group: group}
	case pb.MsgHeartbeat:
		return &deploy.LeaderHeartbeat{Term: m.GetTerm(), Commit: m.GetCommit(), Group: group}
	case pb.MsgHeartbeatResp:
		return &deploy.LeaderHeard{Term: m.GetTerm(), Group: group}
	}
	return nil
}

// groupOf is the digest of its sender's peers that a message has.
func groupOf(m proto.Message) uint64 {
	g, ok := m.(interface{ GetGroup() uint64 })
	if !ok {
		return 0
	}
	return g.GetGroup()
}

// fromWire makes of a peer's message the one that raft takes, or an error that says what is wrong with it. Raft panics at a
// log that contradicts itself, and peers are not trusted: such messages are refused here.
func (e *Election) fromWire(m proto.Message, from uint64) (*pb.Message, error) {
	out := &pb.Message{From: new(from), To: new(e.self)}
	switch m := m.(type) {
	case *deploy.RequestVote:
		out.Type, out.Term, out.Index, out.LogTerm = pb.MsgVote.Enum(), new(m.GetTerm()), new(m.GetLastIndex()), new(m.GetLastTerm())
		if m.GetPre() {
			out.Type = pb.MsgPreVote.Enum()
		}
	case *deploy.Vote:
		out.Type, out.Term, out.Reject = pb.MsgVoteResp.Enum(), new(m.GetTerm()), new(!m.GetGranted())
		if m.GetPre() {
			out.Type = pb.MsgPreVoteResp.Enum()
		}
	case *deploy.AppendEntries:
		if err := checkEntries(m); err != nil {
			return nil, err
		}
		out.Type, out.Term, out.Index, out.LogTerm = pb.MsgApp.Enum(), new(m.GetTerm()), new(m.GetPrevIndex()), new(m.GetPrevTerm())
		out.Commit, out.Entries = new(m.GetCommit()), toRaft(m.GetEntries())
	case *deploy.Appended:
		if !m.GetRefused() && m.GetIndex() > e.last {
			return nil, fmt.Errorf("it says that it has entries up to %d, and the last one here is %d", m.GetIndex(), e.last)
		}
		out.Type, out.Term, out.Index, out.Reject = pb.MsgAppResp.Enum(), new(m.GetTerm()), new(m.GetIndex()), new(m.GetRefused())
		out.RejectHint, out.LogTerm = new(m.GetHintIndex()), new(m.GetHintTerm())
	case *deploy.InstallSnapshot:
		s := m.GetSnapshot()
		if s.GetIndex() == 0 || s.GetTerm() == 0 || s.GetTerm() > m.GetTerm() {
			return nil, fmt.Errorf("a snapshot of entry %d of term %d cannot be", s.GetIndex(), s.GetTerm())
		}
		out.Type, out.Term, out.Snapshot = pb.MsgSnap.Enum(), new(m.GetTerm()), e.metadata(s)
	case *deploy.LeaderHeartbeat:
		if m.GetCommit() > e.last { // raft panics at it (commitTo)
			return nil, fmt.Errorf("it says that entry %d is committed here, and the last one here is %d", m.GetCommit(), e.last)
		}
		out.Type, out.Term, out.Commit = pb.MsgHeartbeat.Enum(), new(m.GetTerm()), new(m.GetCommit())
	case *deploy.LeaderHeard:
		out.Type, out.Term = pb.MsgHeartbeatResp.Enum(), new(m.GetTerm())
	}
	if out.GetTerm() == 0 || out.GetTerm() > mostTerm {
		return nil, fmt.Errorf("no election has term %d", out.GetTerm())
	}
	return out, nil
}

// checkEntries refuses entries that do not follow each other.
func checkEntries(m *deploy.AppendEntries) error {
	index, term := m.GetPrevIndex(), m.GetPrevTerm()
	for _, e := range m.GetEntries() {
		index++
		if e.GetIndex() != index || e.GetTerm() < term || e.GetTerm() > m.GetTerm() || e.GetTerm() == 0 {
			return fmt.Errorf("entry %d of term %d cannot be where entry %d of term %d to %d should be", e.GetIndex(), e.GetTerm(), index, term, m.GetTerm())
		}
		term = e.GetTerm()
	}
	return nil
}

func toLog(entries []*pb.Entry) []*deploy.LogEntry {
	out := make([]*deploy.LogEntry, len(entries))
	for i, e := range entries {
		out[i] = &deploy.LogEntry{Index: e.GetIndex(), Term: e.GetTerm(), Changes: e.GetData()}
	}
	return out
}

func toRaft(entries []*deploy.LogEntry) []*pb.Entry {
	out := make([]*pb.Entry, len(entries))
	for i, e := range entries {
		out[i] = &pb.Entry{Index: new(e.GetIndex()), Term: new(e.GetTerm()), Data: e.GetChanges()}
	}
	return out
}

// metadata is a snapshot as raft sees it: its state stays with the Election.
func (e *Election) metadata(s *deploy.LogSnapshot) *pb.Snapshot {
	return &pb.Snapshot{Metadata: &pb.SnapshotMetadata{
		ConfState: e.confState(), Index: new(s.GetIndex()), Term: new(s.GetTerm()),
	}}
}

// confState are all peers, always.
func (e *Election) confState() *pb.ConfState {
	cs := &pb.ConfState{}
	for i := range e.peers {
		cs.Voters = append(cs.Voters, uint64(i+1))
	}
	return cs
}
