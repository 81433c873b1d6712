package executor_test

import (
	"errors"
	"fmt"
	"hash/adler32"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/rpc"
	storagepb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// sealedBlock is a shuffle block with its checksum.
func sealedBlock(text string) []byte {
	sum := adler32.Checksum([]byte(text))
	return append([]byte(text), byte(sum>>24), byte(sum>>16), byte(sum>>8), byte(sum))
}

// copies is an executor that takes over blocks of another one, at port 9.
func copies(t *testing.T, settings ...*app.Property) *rig {
	t.Helper()
	r := startRig(t, nil, append(settings, &app.Property{Key: "spark.decommission.enabled", Value: "true"})...)
	r.expect(&app.LaunchedExecutor{})
	r.blocks.others[9] = map[string][]byte{
		"shuffle_3_5_0": sealedBlock("abc"), "shuffle_3_5_2": sealedBlock("de"),
		"shuffle_3_6_0": []byte("abcdefg"), "shuffle_3_8_0": sealedBlock("abc"), "shuffle_3_11_0": sealedBlock("abc"),
	}
	r.manager.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		u, ok := m.(*storagepb.UpdateBlockInfo)
		if ok {
			r.heard = append(r.heard, fmt.Sprintf("%s %d", u.GetBlockId(), u.GetDiskSize()))
			l, isOutput := u.GetStorageLevel(), strings.HasPrefix(u.GetBlockId(), "shuffle_")
			if isOutput && (u.GetBlockManagerId().GetExecutorId() != "0" || !l.GetUseDisk() || l.GetUseMemory() || l.GetReplication() != 1) {
				t.Errorf("it reported %v", u)
			}
			if strings.HasPrefix(u.GetBlockId(), "shuffle_3_11_") {
				rpcenv.Fail(c, u, fmt.Errorf("%w: the book is closed", rpcenv.ErrRefused))
				return true
			}
			rpcenv.Reply(c, u, &rpc.Bool{Value: !strings.HasPrefix(u.GetBlockId(), "shuffle_3_8_")})
		}
		return ok
	})
	r.heard = nil
	return r
}

// copy asks for a block, and returns the answer or the failure.
func (r *rig) copy(id string, sizes ...int64) string {
	r.t.Helper()
	from := &storagepb.BlockManagerId{ExecutorId: "4", Host: "10.0.0.9", Port: 9}
	ok, err := rpctest.Ask[*rpc.Bool](r.manager, r.ref, &storagepb.CopyBlock{
		BlockId: id, From: from, Sizes: sizes, Level: &storagepb.StorageLevel{UseMemory: true, Replication: 1},
	})
	if err != nil {
		return fmt.Sprint(errors.Is(err, storage.ErrDecommissioned), " ", err)
	}
	return fmt.Sprint(ok.GetValue())
}

func TestAMapOutputIsCopiedAsItIs(t *testing.T) {
	r := copies(t)
	for range 2 { // the second time it is here
		if got := r.copy("shuffle_3_5_0.index", 7, 0, 6); got != "true" {
			t.Error(got)
		}
		r.wantHeard("shuffle_3_5_0.index 13")
		r.blocks.others[9]["shuffle_3_5_0"] = nil
	}
	if got := slices.Sorted(maps.Keys(r.blocks.own)); !slices.Equal(got, []string{"shuffle_3_5_0", "shuffle_3_5_2"}) ||
		string(r.blocks.own["shuffle_3_5_0"]) != string(sealedBlock("abc")) {
		t.Errorf("it keeps %q", r.blocks.own)
	}
}

// A map output of more blocks than one request may ask for comes by several.
func TestAMapOutputOfManyBlocksIsCopied(t *testing.T) {
	r := copies(t)
	clear(r.blocks.others[9])
	sizes := make([]int64, 1300)
	for i := range sizes {
		id := fmt.Sprint("shuffle_3_9_", i)
		r.blocks.others[9][id] = sealedBlock(id)
		sizes[i] = int64(len(sealedBlock(id)))
	}
	if got := r.copy("shuffle_3_9_0.index", sizes...); got != "true" {
		t.Error(got)
	}
	if !maps.EqualFunc(r.blocks.own, r.blocks.others[9], func(a, b []byte) bool { return string(a) == string(b) }) {
		t.Errorf("%d blocks were copied, not as they are", len(r.blocks.own))
	}
}

// A request asks its address for fetchedAtOnce blocks at most, and none is made for nothing. One that fails ends the copy.
func TestHowManyBlocksACopyAsksForAtOnce(t *testing.T) {
	for _, k := range []struct {
		full, empty int // blocks
		missing     bool
		want        []int
	}{
		{1300, 3, false, []int{512, 512, 276}}, {512, 0, false, []int{512}}, {0, 3, false, nil}, {600, 0, true, []int{512}},
	} {
		r := copies(t)
		clear(r.blocks.others[9])
		var sizes []int64
		for i := range k.full {
			id := fmt.Sprint("shuffle_3_9_", i)
			r.blocks.others[9][id] = sealedBlock(id)
			sizes = append(sizes, int64(len(sealedBlock(id))))
		}
		if k.missing {
			delete(r.blocks.others[9], "shuffle_3_9_0")
		}
		var asked []int
		r.blocks.before = func(_ *rpcenv.Blocking, from rpcenv.Address, ids []string) error {
			if asked = append(asked, len(ids)); from != (rpcenv.Address{Host: "10.0.0.9", Port: 9}) {
				t.Errorf("it asked %s", from)
			}
			return nil
		}
		got := r.copy("shuffle_3_9_0.index", append(sizes, make([]int64, k.empty)...)...)
		if !slices.Equal(asked, k.want) || (got == "true") == k.missing {
			t.Errorf("%+v: %s, asked for %v", k, got, asked)
		}
	}
}

// A map output that has no room here is not here.
func TestACopyThatFindsNoRoomFails(t *testing.T) {
	r := copies(t)
	r.blocks.full = true
	if got := r.copy("shuffle_3_5_0.index", 7, 0, 6); !strings.Contains(got, "copy shuffle_3_5_0.index from executor 4: no space left on device") {
		t.Error(got)
	}
	if len(r.heard) > 0 {
		t.Errorf("it reported %q", r.heard)
	}
}

func TestWhatIsNotWholeIsNotCopied(t *testing.T) {
	r := copies(t)
	for _, k := range []struct {
		id    string
		sizes []int64
		want  string
	}{
		{"shuffle_3_5_0.index", []int64{8, 0, 6}, "has 7 bytes, not 8"},
		{"shuffle_3_6_0.index", []int64{7}, "its checksum differs"},
		{"shuffle_3_7_0.index", []int64{7}, "connection refused"},
		{"shuffle_3_8_0.index", []int64{7}, "does not know the block manager"},
		{"shuffle_3_11_0.index", []int64{7}, "report shuffle_3_11_0.index: refused: the book is closed"},
		{"shuffle_3_5_0.index", nil, "it has no block"},
		{"shuffle_3_5_0.index", []int64{-1}, "has -1 bytes"},
		{"shuffle_3_5_0", []int64{7}, "neither a map output nor a partition"},
		{"rdd_0_0", nil, "connection refused"},
	} {
		if got := r.copy(k.id, k.sizes...); !strings.Contains(got, k.want) {
			t.Errorf("%s %v: %s, want %s", k.id, k.sizes, got, k.want)
		}
	}
	if r.blocks.aborted != 3 {
		t.Errorf("%d were given up", r.blocks.aborted)
	}
}

func TestAnExecutorTakesMapOutputsUpToALimit(t *testing.T) {
	r := copies(t, &app.Property{Key: "spark.storage.decommission.shuffleBlocks.maxDiskSize", Value: "13b"})
	r.blocks.others[9]["shuffle_3_9_0"] = sealedBlock("x")
	if got := r.copy("shuffle_3_9_0.index", 5); got != "true" {
		t.Error(got)
	}
	if got := r.copy("shuffle_3_5_0.index", 7, 0, 6); got != "true" { // one byte less than the limit were here
		t.Error(got)
	}
	r.blocks.others[9]["shuffle_3_10_0"] = sealedBlock("x")
	if got := r.copy("shuffle_3_10_0.index", 5); !strings.Contains(got, "not storing remote shuffles: 18 bytes") {
		t.Error(got)
	}
}

// With as many bytes as the limit there is no room.
func TestTheLimitItselfIsTooMuch(t *testing.T) {
	r := copies(t, &app.Property{Key: "spark.storage.decommission.shuffleBlocks.maxDiskSize", Value: "7b"})
	if got := r.copy("shuffle_3_5_0.index", 7); got != "true" {
		t.Error(got)
	}
	r.blocks.others[9]["shuffle_3_9_0"] = sealedBlock("x")
	if got := r.copy("shuffle_3_9_0.index", 5); !strings.Contains(got, "not storing remote shuffles: 7 bytes") {
		t.Error(got)
	}
}

func TestAnExecutorThatLeavesTakesNothing(t *testing.T) {
	r := copies(t)
	r.launch(task(t, sleeps.With(none{}), 1))
	r.driver.Send(r.ref, &app.DecommissionExecutor{})
	r.Settle()
	if got := r.copy("shuffle_3_5_0.index", 7, 0, 6); !strings.HasPrefix(got, "true the block manager is decommissioned") {
		t.Error(got)
	}
}
