package executor_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/actors/storage/blocks"
	"github.com/coherer/coherer/actors/storage/broadcast"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

type sharedArgs struct {
	Words rdd.Broadcast[[]string]
}

var lookups = rdd.Define("executor test: lookups", func(a sharedArgs) rdd.Dataset[string] {
	return rdd.Map(rdd.Range(0, 2, 2), func(i int64) string { return a.Words.Value()[i] })
})

// lateLookups has a second partition that reads a second after the first one.
var lateLookups = rdd.Define("executor test: late lookups", func(a sharedArgs) rdd.Dataset[string] {
	late := rdd.Sleep(rdd.Range(0, 2, 2), func(i int64) time.Duration { return time.Duration(i) * time.Second })
	return rdd.Map(late, func(i int64) string { return a.Words.Value()[i] })
})

// cutter is a Runner whose broadcasts a test serves.
type cutter struct {
	infos  []rdd.BroadcastInfo
	pieces map[string][]byte // as block servers have them
}

func (*cutter) RunJob(context.Context, rdd.Invocation, rdd.Action) ([]rdd.Result, error) {
	return nil, nil
}
func (*cutter) Partitions(context.Context, rdd.Invocation) (int, error) { return 0, nil }
func (*cutter) Unbroadcast(context.Context, int64, string) error        { return nil }

func (x *cutter) Broadcast(_ context.Context, encoded []byte) (rdd.BroadcastInfo, error) {
	c, err := conf.New(map[string]string{"spark.broadcast.blockSize": "1k", "spark.broadcast.compress": "false"}, broadcast.Settings)
	if err != nil {
		return rdd.BroadcastInfo{}, err
	}
	info, pieces, err := broadcast.Cut(c, int64(len(x.infos)), encoded)
	x.infos = append(x.infos, info)
	for i, p := range pieces {
		x.pieces[blocks.PieceID(info.ID, i)] = blocks.Encode([][]byte{p})
	}
	return info, err
}

// shared is a broadcast of two words and of so many bytes beside them.
func shared(t *testing.T, size int) (rdd.Bound[string], *cutter) {
	t.Helper()
	x := &cutter{pieces: map[string][]byte{}}
	words, err := rdd.NewBroadcast(t.Context(), x, []string{"first", "second", strings.Repeat("x", size)})
	if err != nil {
		t.Fatal(err)
	}
	return lookups.With(sharedArgs{Words: words}), x
}

// torrent is a rig whose BlockManagerMaster names the holders of pieces.
type torrent struct {
	*rig
	holders []*storage.BlockManagerId
	asked   []string // pieces that it was asked for
	kept    []string // what the executor reported
}

func newTorrent(t *testing.T, settings ...*app.Property) *torrent {
	t.Helper()
	x := &torrent{rig: startRig(t, nil, settings...)}
	x.manager.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		switch m := m.(type) {
		case *storage.RegisterBlockManager:
			rpcenv.Reply(c, m, &storage.BlockManagerRegistered{BlockManagerId: m.GetBlockManagerId()})
		case *storage.GetLocationsAndStatus:
			x.asked = append(x.asked, m.GetBlockId())
			rpcenv.Reply(c, m, &storage.BlockLocationsAndStatus{Locations: x.holders})
		case *storage.UpdateBlockInfo:
			gone := ""
			if !m.GetStorageLevel().GetUseMemory() && !m.GetStorageLevel().GetUseDisk() {
				gone = "-"
			}
			x.kept = append(x.kept, gone+m.GetBlockId())
			rpcenv.Reply(c, m, &rpc.Bool{Value: true})
		}
		return true
	})
	x.expect(&app.LaunchedExecutor{})
	return x
}

func holder(executor string, port int32) *storage.BlockManagerId {
	return &storage.BlockManagerId{ExecutorId: executor, Host: "10.0.0.9", Port: port}
}

func (x *torrent) ends(d *app.TaskDescription, want string) {
	x.t.Helper()
	x.launch(d)
	x.wants(want)
}

// wants the records of a task's result, or a part of its error.
func (x *torrent) wants(want string) {
	x.t.Helper()
	u := x.end()
	if u.GetState() == app.TaskState_FINISHED && strings.Contains(string(u.GetResult().GetRecords()), want) {
		return
	}
	if u.GetState() != app.TaskState_FAILED || !strings.Contains(u.GetFailure().GetMessage(), want) {
		x.t.Errorf("the task ended as %v, want %q", u, want)
	}
}

func TestTasksOfAnExecutorShareOneReading(t *testing.T) {
	x := newTorrent(t)
	job, made := shared(t, 3000)
	x.blocks.others[1] = made.pieces
	x.holders = []*storage.BlockManagerId{holder("driver", 1)}
	second := task(t, job, 2)
	second.PartitionId = 1
	x.launch(task(t, job, 1))
	x.launch(second)
	x.wants("first")
	x.wants("second")
	slices.Sort(x.asked)
	want := []string{"broadcast_0_piece0", "broadcast_0_piece1", "broadcast_0_piece2"}
	slices.Sort(x.kept)
	if !slices.Equal(x.asked, want) || !slices.Equal(x.kept, want) {
		t.Errorf("it asked for %q and reported %q, want each piece once", x.asked, x.kept)
	}
	for _, id := range want { // for others
		if _, ok := x.blocks.cached(id); !ok {
			t.Errorf("%s is not served", id)
		}
	}
	x.asked = nil
	x.blocks.others = nil
	x.ends(task(t, job, 3), "first") // of what it keeps
	if len(x.asked) > 0 {
		t.Errorf("it asked for %q again", x.asked)
	}
}

// The end of one task takes the value from no other one.
func TestATaskHasItsBroadcastUntilItsEnd(t *testing.T) {
	x := newTorrent(t)
	made := &cutter{pieces: map[string][]byte{}}
	words, err := rdd.NewBroadcast(t.Context(), made, []string{"first", "second"})
	if err != nil {
		t.Fatal(err)
	}
	x.blocks.others[1] = made.pieces
	x.holders = []*storage.BlockManagerId{holder("driver", 1)}
	job := lateLookups.With(sharedArgs{words})
	late := task(t, job, 2)
	late.PartitionId = 1
	x.launch(late)
	x.ends(task(t, job, 1), "first")
	x.wants("second")
}

func TestTheNextHolderIsTriedAndTheDriverLast(t *testing.T) {
	x := newTorrent(t)
	job, made := shared(t, 1)
	for seed := range 4 {
		wrong := map[string][]byte{"broadcast_0_piece0": blocks.Encode([][]byte{[]byte("not the one")})}
		x.blocks.others = map[int]map[string][]byte{1: wrong, 3: made.pieces} // 2 refuses the connection
		x.holders = []*storage.BlockManagerId{holder("driver", 1), holder("2", 2), holder("1", 3)}
		x.ends(task(t, job, int64(seed)), "first")
		x.driver.Send(x.ref, &storage.RemoveBroadcast{})
		x.Settle()
	}
}

func TestABroadcastThatCannotBeReadFailsTheTask(t *testing.T) {
	x := newTorrent(t)
	job, made := shared(t, 1)
	x.ends(task(t, job, 1), "Failed to get broadcast_0_piece0 of broadcast_0: no block manager has it")
	x.holders = []*storage.BlockManagerId{holder("1", 5)}
	x.ends(task(t, job, 2), "Failed to get broadcast_0_piece0 of broadcast_0: from 10.0.0.9:5: connection refused")
	bad := slices.Clone(made.pieces["broadcast_0_piece0"])
	bad[len(bad)-1] ^= 1
	x.blocks.others[5] = map[string][]byte{"broadcast_0_piece0": bad}
	x.ends(task(t, job, 3), "corrupt remote block broadcast_0_piece0 of broadcast_0: ")
	if len(x.kept) > 0 {
		t.Errorf("the damaged piece was kept: %q", x.kept)
	}
	x.blocks.others[5] = map[string][]byte{"broadcast_0_piece0": blocks.Encode([][]byte{{1}, {2}})}
	x.ends(task(t, job, 4), "it has 2 parts")
	x.blocks.others[5] = made.pieces
	x.ends(task(t, job, 5), "first")
}

func TestARemovedBroadcastIsFetchedAgain(t *testing.T) {
	for _, fromDriver := range []bool{false, true} {
		x := newTorrent(t)
		job, made := shared(t, 2000)
		x.blocks.others[1] = made.pieces
		x.holders = []*storage.BlockManagerId{holder("driver", 1)}
		x.ends(task(t, job, 1), "first")
		x.kept, x.asked = nil, nil
		got, err := rpctest.Ask[*storage.RemovedBlocks](x.driver, x.ref, &storage.RemoveBroadcast{RemoveFromDriver: fromDriver})
		if err != nil || got.GetBlocks() != 2 {
			t.Errorf("%v, %v", got, err)
		}
		x.Settle()
		want := map[bool]string{false: "[]", true: "[-broadcast_0_piece0 -broadcast_0_piece1]"}[fromDriver]
		if fmt.Sprint(x.kept) != want {
			t.Errorf("it reported %q, want %s", x.kept, want)
		}
		x.ends(task(t, job, 2), "first")
		if len(x.asked) != 2 {
			t.Errorf("it asked for %q, want both pieces again", x.asked)
		}
	}
}

func TestAKilledTaskLeavesTheReadingToOthers(t *testing.T) {
	x := newTorrent(t)
	job, made := shared(t, 2000)
	x.blocks.others[1] = made.pieces
	x.holders = []*storage.BlockManagerId{holder("driver", 1)}
	x.launch(task(t, job, 1))
	x.launch(task(t, job, 2))
	x.driver.Send(x.ref, &app.KillTask{TaskId: 1, Reason: "test"})
	for range 2 {
		if u := x.end(); u.GetTaskId() == 1 && u.GetState() == app.TaskState_FAILED || u.GetTaskId() == 2 && u.GetState() != app.TaskState_FINISHED {
			t.Errorf("ended as %v", u)
		}
	}
	x.ends(task(t, job, 3), "first")
}
