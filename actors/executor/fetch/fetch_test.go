package fetch

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/actors/storage"
	storagepb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// The reader gets blocks in order, though another order is faster, and executors are asked at the same time.
func TestBlocksComeInOrderFromSeveralExecutorsAtOnce(t *testing.T) {
	r := newRig(t)
	r.others.slow = map[string]time.Duration{"h1": 50 * time.Millisecond, "h2": time.Millisecond, "h3": 20 * time.Millisecond}
	got, took, err := r.read(block(1, 0), block(2, 1), block(3, 2), block(0, 3), block(1, 4), block(2, 5))
	if err != nil || !slices.Equal(got, []int{0, 1, 2, 3, 4, 5}) || took != 100*time.Millisecond || r.others.most != 3 {
		t.Errorf("%v in %s, %v; %d at once", got, took, err, r.others.most)
	}
	r.wantNotes("h1 [shuffle_4_0_0 shuffle_4_4_0]", "h2 [shuffle_4_1_0 shuffle_4_5_0]", "h3 [shuffle_4_2_0]", "own [shuffle_4_3_0]")
	size := block(0, 0).Size
	if want := (Metrics{5, 1, 5 * size, 0, size, 100 * time.Millisecond}); r.metrics != want {
		t.Errorf("%+v, want %+v", r.metrics, want)
	}
}

// A request that has ended makes room for the one that the reader waits for.
func TestARequestThatEndsMakesRoomForAnother(t *testing.T) {
	r := newRig(t)
	r.source.Requests = 1
	got, _, err := r.read(block(1, 0), block(2, 1), block(1, 2))
	if err != nil || !slices.Equal(got, []int{0, 1, 2}) || r.others.most != 1 {
		t.Errorf("%v, %v; %d at once", got, err, r.others.most)
	}
	r.wantNotes("h1 [shuffle_4_0_0 shuffle_4_2_0]", "h2 [shuffle_4_1_0]")
}

// A block at another address is not this executor's own: a shuffle service may serve what the executor wrote.
func TestABlockAtAnotherAddressIsNotOnesOwn(t *testing.T) {
	r := newRig(t)
	service := block(0, 0)
	service.At = &storagepb.BlockManagerId{ExecutorId: "0", Host: "h0", Port: 7337}
	if got, _, err := r.read(service); err != nil || len(got) != 1 {
		t.Error(got, err)
	}
	r.wantNotes("h0 [shuffle_4_0_0]")
}

// A reader that has enough asks for nothing more, and what is under way ends.
func TestAReaderThatHasEnoughEndsWhatIsUnderWay(t *testing.T) {
	r := newRig(t)
	r.source.InFlight, r.source.ToMemory = 100, 0
	r.others.slow["h2"] = time.Hour
	r.enough = 1
	got, took, err := r.read(block(1, 0), block(2, 1), block(3, 2), block(4, 3))
	if err != nil || len(got) != 1 || took > time.Second || r.others.open != 0 {
		t.Errorf("%v in %s, %v; %d are under way", got, took, err, r.others.open)
	}
}

// A task that is killed ends its requests.
func TestAKilledReaderEndsItsRequests(t *testing.T) {
	r := newRig(t)
	r.others.slow["h1"], r.others.slow["h2"] = time.Hour, time.Hour
	r.kill = time.Second
	got, took, err := r.read(block(1, 0), block(2, 1))
	if !errors.Is(err, rpcenv.ErrStopped) || len(got) != 0 || took != time.Second || r.others.open != 0 {
		t.Errorf("%v in %s, %v; %d are under way", got, took, err, r.others.open)
	}
}

// Only what has not come is asked for again, after the pause.
func TestAConnectionThatFailsIsTriedAgain(t *testing.T) {
	r := newRig(t)
	r.others.slow["h1"] = time.Millisecond
	r.others.broken["shuffle_4_1_0"] = 2
	got, took, err := r.read(block(1, 0), block(1, 1), block(1, 2))
	if err != nil || len(got) != 3 || took != 2*5*time.Second+5*time.Millisecond {
		t.Errorf("%v in %s, %v", got, took, err)
	}
	again := "h1 [shuffle_4_1_0 shuffle_4_2_0]"
	r.wantNotes("h1 [shuffle_4_0_0 shuffle_4_1_0 shuffle_4_2_0]", again, again)
}

// The error names the block, and says how often it was tried.
func TestAConnectionThatFailsTooOftenIsAFailure(t *testing.T) {
	r := newRig(t)
	r.others.broken["shuffle_4_1_0"] = 4
	got, took, err := r.read(block(1, 0), block(1, 1), block(1, 2))
	failed, ok := errors.AsType[*Error](err)
	if !ok || failed.Block.Index != 1 || len(got) != 1 || took < 15*time.Second || len(r.others.notes) != 4 ||
		!errors.Is(err, storage.ErrConnection) || !strings.HasSuffix(err.Error(), "connection reset, after 3 retries") {
		t.Errorf("%v in %s, %v, %d tries", got, took, err, len(r.others.notes))
	}
}

// What is no failure of the connection is not tried again.
func TestABlockThatIsNotThereIsNotTriedAgain(t *testing.T) {
	r := newRig(t)
	gone := errors.New("no block here")
	r.others.lacks["shuffle_4_1_0"] = gone
	got, took, err := r.read(block(1, 0), block(1, 1), block(1, 2))
	failed, ok := errors.AsType[*Error](err)
	if !ok || failed.Block.Index != 1 || !errors.Is(err, gone) || len(got) != 1 || took > time.Second || len(r.others.notes) != 1 {
		t.Errorf("%v in %s, %v", got, took, err)
	}
}

// An executor that the driver has lost is not tried again. One of which the driver says nothing is.
func TestADeadExecutorIsNotTriedAgain(t *testing.T) {
	for _, c := range []struct {
		alive bool
		err   error
		tries int
	}{{true, nil, 4}, {false, nil, 1}, {false, errors.New("no answer"), 4}} {
		r := newRig(t)
		r.others.broken["shuffle_4_0_0"] = 9
		var asked []string
		r.source.Alive = func(_ *rpcenv.Blocking, executor string) (bool, error) {
			asked = append(asked, executor)
			return c.alive, c.err
		}
		got, _, err := r.read(block(7, 0))
		if len(got) != 0 || errors.Is(err, ErrExecutorDead) != (c.tries == 1) || len(r.others.notes) != c.tries || len(asked) != c.tries || asked[0] != "7" {
			t.Errorf("%+v: %v, %d tries, asked for %q", c, err, len(r.others.notes), asked)
		}
	}
}

// A damaged block is asked for once more, alone. One that is damaged again is a failure.
func TestADamagedBlockIsAskedForOnceMore(t *testing.T) {
	for _, c := range []struct {
		executor, times, got int
		notes                []string
	}{
		{1, 1, 3, []string{"h1 [shuffle_4_0_0 shuffle_4_1_0 shuffle_4_2_0]", "h1 [shuffle_4_1_0]"}},
		{1, 2, 1, []string{"h1 [shuffle_4_0_0 shuffle_4_1_0 shuffle_4_2_0]", "h1 [shuffle_4_1_0]"}},
		{0, 1, 3, []string{"own [shuffle_4_0_0]", "own [shuffle_4_1_0]", "own [shuffle_4_1_0]", "own [shuffle_4_2_0]"}},
		{0, 2, 1, []string{"own [shuffle_4_0_0]", "own [shuffle_4_1_0]", "own [shuffle_4_1_0]"}},
	} {
		for _, toMemory := range []int64{1000, 0} {
			r := newRig(t)
			r.source.ToMemory = toMemory
			r.others.slow["h1"] = time.Millisecond
			r.others.damage["shuffle_4_1_0"] = c.times
			got, _, err := r.read(block(c.executor, 0), block(c.executor, 1), block(c.executor, 2))
			failed, ok := errors.AsType[*Error](err)
			if len(got) != c.got || ok != (c.times == 2) || ok && (failed.Block.Index != 1 || !errors.Is(err, ErrDamaged)) {
				t.Errorf("%+v: %v, %v", c, got, err)
			}
			r.wantNotes(c.notes...)
		}
	}
}

// A block that is large goes by way of a file, others of the same request by memory. One whose size is not that of its map output is damaged,
// before there is memory for it.
func TestLargeBlocksGoByWayOfAFile(t *testing.T) {
	r := newRig(t)
	small, large := block(1, 0), block(1, 1000000)
	r.source.ToMemory = small.Size
	got, _, err := r.read(small, large)
	if err != nil || len(got) != 2 || r.files.made != 1 || r.metrics.RemoteToDisk != large.Size || r.metrics.RemoteBytes != small.Size+large.Size {
		t.Errorf("%v, %v, %d files, %+v", got, err, r.files.made, r.metrics)
	}
	r = newRig(t)
	r.source.ToMemory = small.Size
	r.others.longer[large.ID] = true
	_, _, err = r.read(large)
	if !errors.Is(err, ErrDamaged) || r.files.made != 0 {
		t.Errorf("%v, %d files", err, r.files.made)
	}
	// A Transfer that cannot stream has it in memory.
	r = newRig(t)
	r.source.ToMemory, r.source.Transfer = small.Size, plainly{r.others}
	if got, _, err = r.read(small, large); err != nil || len(got) != 2 || r.files.made != 0 {
		t.Errorf("%v, %v, %d files", got, err, r.files.made)
	}
}

// nearFile is a block in a neighbour's file.
type nearFile struct {
	*strings.Reader
	closed *int
}

func (f nearFile) Close() error {
	*f.closed++
	return nil
}

// A block of another executor of this host is read from its file. Whatever is wrong with the file, the network is tried.
func TestABlockOfThisHostIsReadFromItsFile(t *testing.T) {
	for _, toMemory := range []int64{1000, 0} {
		for name, c := range map[string]struct {
			err     error
			data    string
			reads   int
			network bool
		}{
			"as it was written": {nil, string(sealedText("shuffle_4_0_0")), 1, false},
			"not there":         {errors.New("no such file"), "", 0, true},
			"another one":       {nil, "abc", 2, true},
			"another, and good": {nil, string(sealedText("shuffle_14_0_0")), 2, true},
			"damaged":           {nil, "x" + string(sealedText("shuffle_4_0_0"))[1:], 2, true},
		} {
			r := newRig(t)
			r.source.ToMemory = toMemory
			near, closed := block(2, 0), 0
			near.At.Host = "h0"
			r.source.Near = func(_ *rpcenv.Blocking, at *storagepb.BlockManagerId, id string) (rdd.File, error) {
				if at.GetExecutorId() != "2" || id != near.ID {
					t.Error(at, id)
				}
				return nearFile{strings.NewReader(c.data), &closed}, c.err
			}
			got, _, err := r.read(near, block(1, 1))
			if err != nil || len(got) != 2 || closed != c.reads || (r.metrics.LocalBlocks == 0) != c.network {
				t.Errorf("%s: %v, %v, %+v, %d files closed", name, got, err, r.metrics, closed)
			}
			if c.network {
				r.wantNotes("h1 [shuffle_4_1_0]", "h0 [shuffle_4_0_0]")
			} else {
				r.wantNotes("h1 [shuffle_4_1_0]")
			}
		}
	}
}

// Whatever comes first and whatever fails meanwhile, the reader gets the same blocks. Two runs are equal.
func TestWhateverComesFirstTheReaderGetsTheSame(t *testing.T) {
	run := func(seed uint64) ([]int, time.Duration, []string) {
		r := newRig(t)
		r.source.InFlight, r.source.Requests, r.source.Blocks = 200, 3, 4
		r.source.ToMemory = 50
		rnd := rand.New(rand.NewPCG(seed, 7))
		r.others.rand = rnd
		var blocks []Block
		for i := range 40 {
			blocks = append(blocks, block(rnd.IntN(5), i))
		}
		for range 6 {
			r.others.broken[blocks[rnd.IntN(40)].ID] = 1
			r.others.damage[blocks[rnd.IntN(40)].ID] = 1
		}
		for _, b := range blocks {
			if b.At.GetExecutorId() == "0" {
				delete(r.others.broken, b.ID)
			}
		}
		got, took, err := r.read(blocks...)
		if err != nil || len(got) != 40 {
			t.Errorf("seed %d: %v, %v", seed, got, err)
		}
		return got, took, r.others.notes
	}
	for seed := range uint64(50) {
		got, took, notes := run(seed)
		again, tookAgain, notesAgain := run(seed)
		if !slices.Equal(got, again) || took != tookAgain || !slices.Equal(notes, notesAgain) {
			t.Errorf("seed %d: two runs differ: %s and %s\n%q\n%q", seed, took, tookAgain, notes, notesAgain)
		}
	}
}
