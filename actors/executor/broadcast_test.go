package executor_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus/hooks/test"

	"github.com/coherer/coherer/actors/executor"
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
	words, x := cut(t, size)
	return lookups.With(sharedArgs{Words: words}), x
}

func cut(t *testing.T, size int) (rdd.Broadcast[[]string], *cutter) {
	t.Helper()
	x := &cutter{pieces: map[string][]byte{}}
	words, err := rdd.NewBroadcast(t.Context(), x, []string{"first", "second", strings.Repeat("x", size)})
	if err != nil {
		t.Fatal(err)
	}
	return words, x
}

// torrent is a rig whose BlockManagerMaster names the holders of pieces.
type torrent struct {
	*rig
	holders []*storage.BlockManagerId
	asked   []string // pieces that it was asked for
	kept    []string // what the executor reported
	log     *test.Hook
}

func newTorrent(t *testing.T, settings ...*app.Property) *torrent {
	t.Helper()
	x := &torrent{}
	x.rig = bootRig(t, nil, func(_ *rig, b *executor.Boot) { x.log = logTo(t, b) }, settings...)
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

// hasAll makes the driver the holder of all pieces.
func (x *torrent) hasAll(made *cutter) {
	x.blocks.others[1] = made.pieces
	x.holders = []*storage.BlockManagerId{holder("driver", 1)}
}

// readings are how often the executor began to read a broadcast.
func (x *torrent) readings() (n int) {
	for _, e := range x.log.AllEntries() {
		if strings.HasPrefix(e.Message, "Started reading broadcast variable ") {
			n++
		}
	}
	return n
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

var lookedUp rdd.Broadcast[[]string]

// notedLookups leaves its Broadcast in lookedUp, as the executor has it.
var notedLookups = rdd.Define("executor test: noted lookups", func(a sharedArgs) rdd.Dataset[string] {
	lookedUp = a.Words
	late := rdd.Sleep(rdd.Range(0, 2, 2), func(i int64) time.Duration { return time.Duration(i) * time.Second })
	return rdd.Map(late, func(i int64) string { return a.Words.Value()[i] })
})

// The answer has those on the host first.
func TestTheQuestionForAPieceNamesItAndTheHost(t *testing.T) {
	x := newTorrent(t)
	job, made := shared(t, 1)
	x.hasAll(made)
	var asked []string
	x.manager.On(func(_ *rpcenv.Context, m rpcenv.Message) bool {
		if q, ok := m.(*storage.GetLocationsAndStatus); ok {
			asked = append(asked, textOf(q))
		}
		return false
	})
	x.ends(task(t, job, 1), "first")
	if want := []string{`GetLocationsAndStatus{block_id:"broadcast_0_piece0" requester_host:"10.0.0.2"}`}; !slices.Equal(asked, want) {
		t.Errorf("it asked %q, want %q", asked, want)
	}
}

// looksUp reports whether the lineage of notedLookups has the value.
func looksUp() (ok bool) {
	defer func() { ok = recover() == nil }() // Value panics without one
	return len(lookedUp.Value()) > 0
}

func TestTheLastTaskThatUsesABroadcastTakesItsValueOut(t *testing.T) {
	x := newTorrent(t)
	words, made := cut(t, 1)
	x.hasAll(made)
	job := notedLookups.With(sharedArgs{words})
	late := task(t, job, 2)
	late.PartitionId = 1
	first := task(t, job, 1)
	for range 2 { // the second time the value comes from the block store
		x.launch(late)
		x.ends(first, "first")
		if !looksUp() {
			t.Error("the first task has taken the value from the second one")
		}
		x.wants("second")
		if looksUp() {
			t.Error("no task uses the value, and the lineage has it")
		}
	}
}

func TestAValueThatComesAfterItsTaskWasKilledIsNotPutIn(t *testing.T) {
	x := newTorrent(t)
	words, made := cut(t, 1)
	x.hasAll(made)
	fetching := false
	x.blocks.before = func(b *rpcenv.Blocking, _ rpcenv.Address, _ []string) error {
		fetching = true
		return b.Sleep(time.Second)
	}
	x.launch(task(t, notedLookups.With(sharedArgs{words}), 1))
	x.Until("the fetch", func() bool { return fetching })
	x.killed(1)
	x.Advance(2 * time.Second)
	if len(x.kept) != 1 || looksUp() {
		t.Errorf("it reported %q; that the lineage has the value is %t", x.kept, looksUp())
	}
}

func TestAValueIsReadOnceForAllTasks(t *testing.T) {
	x := newTorrent(t)
	words, made := cut(t, 1)
	x.hasAll(made)
	job := lookups.With(sharedArgs{words})
	x.ends(task(t, job, 1), "first")
	read := blocks.PieceID(0, 0)
	if !slices.Equal(x.kept, []string{read}) {
		t.Fatalf("it reported %q", x.kept)
	}
	before := x.readings()
	x.ends(task(t, job, 2), "first")
	if got := x.readings(); before != 1 || got != 1 {
		t.Errorf("the value was read %d times for one task, %d times for two", before, got)
	}
}

// A task whose reading fails halfway leaves the pieces that it has, as the driver has them.
func TestAPieceThatIsHereIsNotFetchedAgain(t *testing.T) {
	x := newTorrent(t)
	job, made := shared(t, 3000)
	x.hasAll(made)
	left := 2
	x.blocks.before = func(*rpcenv.Blocking, rpcenv.Address, []string) error {
		if left--; left < 0 {
			return errors.New("connection reset")
		}
		return nil
	}
	x.ends(task(t, job, 1), "connection reset")
	if len(x.kept) != 2 {
		t.Fatalf("it reported %q, want two pieces", x.kept)
	}
	for _, id := range x.kept {
		if data, _ := x.blocks.cached(id); !slices.Equal(data, made.pieces[id]) {
			t.Errorf("%s has %d bytes, at the driver %d", id, len(data), len(made.pieces[id]))
		}
	}
	x.blocks.before, x.asked = nil, nil
	x.ends(task(t, job, 2), "first")
	if len(x.asked) != 1 || slices.Contains(x.kept[:2], x.asked[0]) {
		t.Errorf("it asked for %q, though it has %q", x.asked, x.kept[:2])
	}
}

// Executors of the same host come first, other ones then, the driver at last; the first two in random order, so that none of them serves all.
func TestHoldersAreTriedInRandomOrderWithinTheirDistance(t *testing.T) {
	x := newTorrent(t)
	job, made := shared(t, 1)
	x.blocks.others[8] = made.pieces
	var tried []int
	x.blocks.before = func(_ *rpcenv.Blocking, from rpcenv.Address, _ []string) error {
		tried = append(tried, from.Port)
		return nil
	}
	near := func(executor string, port int32) *storage.BlockManagerId {
		return &storage.BlockManagerId{ExecutorId: executor, Host: "10.0.0.2", Port: port}
	}
	x.holders = []*storage.BlockManagerId{
		holder("driver", 8), holder("5", 5), near("2", 2), near("0", 1), holder("6", 6), near("3", 3), near("4", 4), holder("7", 7),
	}
	firsts := map[int]bool{}
	for id := range int64(20) {
		tried = nil
		x.ends(task(t, job, id), "first")
		if len(tried) != 7 {
			t.Fatalf("it tried %d", tried)
		}
		firsts[tried[0]], firsts[tried[3]] = true, true
		slices.Sort(tried[:3])
		slices.Sort(tried[3:6])
		if !slices.Equal(tried, []int{2, 3, 4, 5, 6, 7, 8}) {
			t.Fatalf("it tried, each group sorted, %d", tried)
		}
		x.driver.Send(x.ref, &storage.RemoveBroadcast{})
		x.Settle()
	}
	if len(firsts) != 6 {
		t.Errorf("only %v were ever the first of their group", firsts)
	}
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
