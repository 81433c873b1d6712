package election

import (
	"testing"

	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// threePeers are those of a group of three, h:1, h:2 and h:3.
func threePeers() []rpcenv.Address {
	return []rpcenv.Address{{Host: "h", Port: 1}, {Host: "h", Port: 2}, {Host: "h", Port: 3}}
}

// first is the Election of the first of three Masters; its last entry is the tenth.
func first() *Election {
	e := New(Config{Self: threePeers()[0], Peers: threePeers()})
	e.last = 10
	return e
}

// What raft sends travels as the message that proto/deploy/election.proto names, and comes as what was sent.
func TestMessagesTravelWhole(t *testing.T) {
	e := first()
	said := []*pb.Entry{
		{Index: new(uint64(8)), Term: new(uint64(4)), Data: []byte("x")}, {Index: new(uint64(9)), Term: new(uint64(5)), Data: []byte{}},
	}
	state := &deploy.LogSnapshot{Index: 8, Term: 4, State: []*deploy.LogChange{put("a", "1")}}
	const group = 9
	for _, c := range []struct {
		m    *pb.Message
		want proto.Message
	}{
		{
			&pb.Message{Type: pb.MsgVote.Enum(), Index: new(uint64(7)), LogTerm: new(uint64(4))},
			&deploy.RequestVote{Term: 5, LastIndex: 7, LastTerm: 4, Group: group},
		},
		{
			&pb.Message{Type: pb.MsgPreVote.Enum(), Index: new(uint64(7)), LogTerm: new(uint64(4))},
			&deploy.RequestVote{Term: 5, LastIndex: 7, LastTerm: 4, Group: group, Pre: true},
		},
		{&pb.Message{Type: pb.MsgVoteResp.Enum(), Reject: new(false)}, &deploy.Vote{Term: 5, Granted: true, Group: group}},
		{&pb.Message{Type: pb.MsgVoteResp.Enum(), Reject: new(true)}, &deploy.Vote{Term: 5, Group: group}},
		{&pb.Message{Type: pb.MsgPreVoteResp.Enum(), Reject: new(false)}, &deploy.Vote{Term: 5, Granted: true, Group: group, Pre: true}},
		{&pb.Message{Type: pb.MsgPreVoteResp.Enum(), Reject: new(true)}, &deploy.Vote{Term: 5, Group: group, Pre: true}},
		{
			&pb.Message{Type: pb.MsgApp.Enum(), Index: new(uint64(7)), LogTerm: new(uint64(4)), Commit: new(uint64(6)), Entries: said},
			&deploy.AppendEntries{Term: 5, PrevIndex: 7, PrevTerm: 4, Commit: 6, Group: group, Entries: []*deploy.LogEntry{
				{Index: 8, Term: 4, Changes: []byte("x")}, {Index: 9, Term: 5},
			}},
		},
		{
			&pb.Message{Type: pb.MsgAppResp.Enum(), Index: new(uint64(7)), LogTerm: new(uint64(0)), RejectHint: new(uint64(0)), Reject: new(false)},
			&deploy.Appended{Term: 5, Index: 7, Group: group},
		},
		{
			&pb.Message{Type: pb.MsgAppResp.Enum(), Index: new(uint64(11)), LogTerm: new(uint64(4)), RejectHint: new(uint64(6)), Reject: new(true)},
			&deploy.Appended{Term: 5, Index: 11, HintIndex: 6, HintTerm: 4, Refused: true, Group: group},
		},
		{
			&pb.Message{Type: pb.MsgSnap.Enum(), Snapshot: &pb.Snapshot{Metadata: &pb.SnapshotMetadata{
				Index: new(uint64(8)), Term: new(uint64(4)), ConfState: &pb.ConfState{Voters: []uint64{1, 2, 3}},
			}}},
			&deploy.InstallSnapshot{Term: 5, Group: group},
		},
		{&pb.Message{Type: pb.MsgHeartbeat.Enum(), Commit: new(uint64(6))}, &deploy.LeaderHeartbeat{Term: 5, Commit: 6, Group: group}},
		{&pb.Message{Type: pb.MsgHeartbeatResp.Enum()}, &deploy.LeaderHeard{Term: 5, Group: group}},
	} {
		c.m.From, c.m.To, c.m.Term = new(uint64(2)), new(uint64(1)), new(uint64(5))
		out := toWire(c.m, group)
		if !proto.Equal(out, c.want) || groupOf(out) != group {
			t.Errorf("%s travels as %v, want %v", c.m.GetType(), out, c.want)
		}
		if s, ok := out.(*deploy.InstallSnapshot); ok { // the sender adds its state
			s.Snapshot = state
		}
		// On the wire, no bytes are as good as none.
		data, err := proto.Marshal(out)
		if err != nil {
			t.Fatal(err)
		}
		got := out.ProtoReflect().New().Interface()
		if err := proto.Unmarshal(data, got); err != nil {
			t.Fatal(err)
		}
		in, err := e.fromWire(got, 2)
		if err != nil {
			t.Errorf("%s: %v", c.m.GetType(), err)
			continue
		}
		for _, entry := range in.GetEntries() {
			if entry.Data == nil {
				entry.Data = []byte{}
			}
		}
		if !proto.Equal(in, c.m) {
			t.Errorf("it comes as %v, want %v", in, c.m)
		}
	}
	for _, typ := range []pb.MessageType{pb.MsgHup, pb.MsgProp, pb.MsgTimeoutNow, pb.MsgTransferLeader, pb.MsgStorageAppend} {
		if out := toWire(&pb.Message{Type: typ.Enum()}, group); out != nil {
			t.Errorf("%s travels as %v", typ, out)
		}
	}
	if n := groupOf(&rpc.Bool{}); n != 0 {
		t.Errorf("a message of no group has %d", n)
	}
}

// What raft would take ill, or what cannot be, is refused, to the number.
func TestMessagesThatCannotBeAreRefused(t *testing.T) {
	e := first()
	follow := func(prevTerm uint64, entries ...*deploy.LogEntry) *deploy.AppendEntries {
		return &deploy.AppendEntries{Term: 5, PrevIndex: 7, PrevTerm: prevTerm, Entries: entries}
	}
	snapshot := func(index, term uint64) *deploy.InstallSnapshot {
		return &deploy.InstallSnapshot{Term: 5, Snapshot: &deploy.LogSnapshot{Index: index, Term: term}}
	}
	at := func(index, term uint64) *deploy.LogEntry { return &deploy.LogEntry{Index: index, Term: term} }
	for _, c := range []struct {
		m   proto.Message
		why string
	}{
		{&deploy.LeaderHeard{Term: 1}, ""},
		{&deploy.LeaderHeard{Term: 1 << 62}, ""},
		{&deploy.LeaderHeard{Term: 1<<62 + 1}, "no election has term 4611686018427387905"},
		{&deploy.LeaderHeard{}, "no election has term 0"},
		{&deploy.LeaderHeartbeat{Term: 1, Commit: 10}, ""},
		{&deploy.LeaderHeartbeat{Term: 1, Commit: 11}, "it says that entry 11 is committed here, and the last one here is 10"},
		{&deploy.Appended{Term: 1, Index: 10}, ""},
		{&deploy.Appended{Term: 1, Index: 11}, "it says that it has entries up to 11, and the last one here is 10"},
		{&deploy.Appended{Term: 1, Index: 11, Refused: true}, ""},
		{snapshot(1, 1), ""},
		{snapshot(1, 5), ""},
		{snapshot(0, 1), "a snapshot of entry 0 of term 1 cannot be"},
		{snapshot(1, 0), "a snapshot of entry 1 of term 0 cannot be"},
		{snapshot(1, 6), "a snapshot of entry 1 of term 6 cannot be"},
		{follow(4), ""},
		{follow(4, at(8, 4), at(9, 4), at(10, 5)), ""},
		{follow(0, at(8, 0)), "entry 8 of term 0 cannot be where entry 8 of term 0 to 5 should be"},
		{follow(4, at(8, 3)), "entry 8 of term 3 cannot be where entry 8 of term 4 to 5 should be"},
		{follow(4, at(8, 6)), "entry 8 of term 6 cannot be where entry 8 of term 4 to 5 should be"},
		{follow(4, at(9, 4)), "entry 9 of term 4 cannot be where entry 8 of term 4 to 5 should be"},
		{follow(4, at(8, 4), at(8, 4)), "entry 8 of term 4 cannot be where entry 9 of term 4 to 5 should be"},
		{follow(3, at(8, 5), at(9, 4)), "entry 9 of term 4 cannot be where entry 9 of term 5 to 5 should be"},
	} {
		why := ""
		if _, err := e.fromWire(c.m, 2); err != nil {
			why = err.Error()
		}
		if why != c.why {
			t.Errorf("%v: %q, want %q", c.m, why, c.why)
		}
	}
}
