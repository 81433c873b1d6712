package executor_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/storage/broadcast"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// long makes MapOutputTracker answer by a broadcast, which the driver serves.
func (x *torrent) long(outputs []*storage.MapStatus, epoch int64) *storage.BroadcastInfo {
	x.t.Helper()
	encoded, err := proto.Marshal(&storage.MapOutputStatuses{Statuses: outputs, Epoch: 1})
	if err != nil {
		x.t.Fatal(err)
	}
	made := &cutter{pieces: map[string][]byte{}}
	cut, err := made.Broadcast(x.t.Context(), encoded)
	if err != nil {
		x.t.Fatal(err)
	}
	x.hasAll(made)
	info := broadcast.ToProto(cut)
	x.tracker.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		q, ok := m.(*storage.GetMapOutputStatuses)
		if ok {
			rpcenv.Reply(c, q, &storage.MapOutputStatuses{Broadcast: info, Epoch: epoch})
		}
		return ok
	})
	return info
}

func TestMapOutputsComeByBroadcast(t *testing.T) {
	x := newTorrent(t)
	var outputs []*storage.MapStatus
	for i := range int32(2) {
		x.launch(mapTask(t, int64(i), i))
		outputs = append(outputs, x.end().GetResult().GetMapStatus())
	}
	x.long(outputs, 3)
	for id := range int64(2) { // the second time they are known
		x.launch(reduceTask(t, 5+id))
		if u := x.end(); u.GetState() != app.TaskState_FINISHED || u.GetResult().GetCount() != 2 {
			t.Errorf("ended as %v", u)
		}
	}
	if x.readings() != 1 || len(x.kept) != 1 {
		t.Errorf("it read %d broadcasts, and keeps %q", x.readings(), x.kept)
	}
	// The epoch is that of the answer: a task of an earlier one changes nothing.
	old := reduceTask(t, 7)
	old.Epoch = 2
	x.launch(old)
	x.end()
	if x.readings() != 1 {
		t.Error("a task of an earlier epoch made it ask again")
	}
}

// What cannot be read of the list is a fetch that failed, of nobody, in Spark's words: the driver computes the outputs again.
func TestABroadcastOfMapOutputsThatCannotBeRead(t *testing.T) {
	for what, tc := range map[string]struct {
		damage func(x *torrent, info *storage.BroadcastInfo)
		why    string
	}{
		"gone":      {func(x *torrent, _ *storage.BroadcastInfo) { x.holders = nil }, "Failed to get broadcast_0_piece0 of broadcast_0: no block manager has it"},
		"no list":   {func(_ *torrent, info *storage.BroadcastInfo) { info.Size++ }, "the value is damaged"},
		"no pieces": {func(_ *torrent, info *storage.BroadcastInfo) { info.Pieces = 0 }, "the value is damaged: it has"},
	} {
		x := newTorrent(t)
		tc.damage(x, x.long([]*storage.MapStatus{{}, {}}, 1))
		x.launch(reduceTask(t, 5))
		f := x.end().GetFailure()
		if f.GetKind() != "FetchFailed" || f.GetShuffleId() != 4 || f.GetMapIndex() != -1 || f.GetBlockManager() != nil ||
			!strings.Contains(f.GetMessage(), "Unable to deserialize broadcasted map statuses for shuffle 4: ") || !strings.Contains(f.GetMessage(), tc.why) {
			t.Errorf("%s: %v", what, f)
		}
	}
}
