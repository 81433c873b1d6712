package executor_test

import (
	"context"
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
