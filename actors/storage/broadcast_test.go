package storage_test

import (
	"errors"
	"testing"

	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/messages/rpc"
	pb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// keep enters the pieces of a broadcast at the driver.
func (b *book) keep(pieces ...string) {
	b.t.Helper()
	at := &pb.BlockManagerId{ExecutorId: "driver", Host: "h0", Port: 9}
	q := storage.KeepBroadcast{At: at}
	for _, p := range pieces {
		q.Pieces = append(q.Pieces, &pb.UpdateBlockInfo{BlockManagerId: at, BlockId: p, MemSize: 3, StorageLevel: &pb.StorageLevel{UseMemory: true, Replication: 1}})
	}
	if _, err := rpctest.Ask[*rpc.Bool](b.scheduler, b.master, q); err != nil {
		b.t.Fatal(err)
	}
}

func TestTheDriverIsTheLastHolderOfAPiece(t *testing.T) {
	b := newBook(t)
	b.register("0", "h0")
	b.register("1", "h1")
	b.keep("broadcast_0_piece0", "broadcast_0_piece1")
	if got := b.at("broadcast_0_piece0", "h0"); got != "[driver] 3" {
		t.Errorf("at %s", got)
	}
	b.update("1", "broadcast_0_piece0", 4, 0)
	if got := b.at("broadcast_0_piece0", "h0"); got != "[1 driver] 4" { // whose host is that of the driver
		t.Errorf("at %s", got)
	}
	// The executor of a local application has the driver's id, and another book.
	b.register("driver", "h0")
	b.update("driver", "broadcast_0_piece0", 5, 0)
	b.update("driver", "broadcast_0_piece0", 0, 0)
	if got := b.at("broadcast_0_piece0", "h1"); got != "[1 driver] 4" {
		t.Errorf("at %s after the executor of that id gave it up", got)
	}
}

func TestABroadcastIsGivenUpEverywhere(t *testing.T) {
	b := newBook(t)
	removed := map[string]bool{}
	for _, id := range []string{"0", "1", "2"} {
		b.register(id, "h")
		b.executors[id].On(func(c *rpcenv.Context, m rpcenv.Message) bool {
			q, ok := m.(*pb.RemoveBroadcast)
			switch {
			case !ok:
			case id == "2":
				rpcenv.Fail(c, q, errors.New("it cannot"))
			default:
				removed[id] = q.GetRemoveFromDriver()
				rpcenv.Reply(c, q, &pb.RemovedBlocks{Blocks: 2})
			}
			return ok
		})
		b.update(id, "broadcast_1_piece0", 1, 0)
		b.update(id, "broadcast_10_piece0", 1, 0)
	}
	b.keep("broadcast_1_piece0", "broadcast_10_piece0")
	for _, c := range []struct {
		fromDriver bool
		at         string
	}{{false, "[driver] 3"}, {true, "[] 0"}} {
		got, err := rpctest.Ask[storage.BroadcastGivenUp](b.scheduler, b.master, storage.GiveUpBroadcast{ID: 1, FromDriver: c.fromDriver})
		if err != nil || got.Blocks != 4 || removed["0"] != c.fromDriver || removed["1"] != c.fromDriver {
			t.Errorf("%d blocks, %v; executors heard %v", got.Blocks, err, removed)
		}
		if at := b.at("broadcast_1_piece0", "h"); at != c.at {
			t.Errorf("from the driver too %v: at %s, want %s", c.fromDriver, at, c.at)
		}
	}
	if at := b.at("broadcast_10_piece0", "h"); at != "[0 1 2 driver] 1" {
		t.Errorf("the other one is at %s", at)
	}
}
