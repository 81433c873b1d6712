package executor_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/coherer/coherer/actors/storage/blocks"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

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
