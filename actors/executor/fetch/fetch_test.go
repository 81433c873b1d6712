package fetch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/adler32"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/actors/storage"
	storagepb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// others are the block managers of other executors: what a block is asked for, and what comes.
type others struct {
	rand   *rand.Rand
	slow   map[string]time.Duration // by executor's host; others take some random time
	lacks  map[string]error         // by block
	broken map[string]int           // the connection fails so often at a block
	damage map[string]int           // it comes damaged so often
	longer map[string]bool          // it is longer than its map output says
	notes  []string
	open   int // requests under way
	most   int // of them at once
}

// text is a block without its checksum.
func text(id string) string { return strings.Repeat(id+" ", 3) }

// sealedText is a block with it.
func sealedText(id string) []byte {
	h := adler32.New()
	_, _ = h.Write([]byte(text(id)))
	return binary.BigEndian.AppendUint32([]byte(text(id)), h.Sum32())
}

func (o *others) note(format string, args ...any) {
	o.notes = append(o.notes, fmt.Sprintf(format, args...))
}

func (o *others) give(id string) ([]byte, error) {
	if o.broken[id] > 0 {
		o.broken[id]--
		return nil, fmt.Errorf("%w: connection reset", storage.ErrConnection)
	}
	data := sealedText(id)
	if o.damage[id] > 0 {
		o.damage[id]--
		data[0] ^= 1
	}
	if o.longer[id] {
		data = append(data, 0)
	}
	return data, o.lacks[id]
}

// Fetch implements storage.Transfer.
func (o *others) Fetch(b *rpcenv.Blocking, from rpcenv.Address, ids []string, each func(int, []byte) error) error {
	return o.Stream(b, from, ids, func(i int, r io.Reader, _ int64) error {
		data, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		return each(i, data)
	})
}

func (o *others) Stream(b *rpcenv.Blocking, from rpcenv.Address, ids []string, each func(int, io.Reader, int64) error) error {
	o.note("%s %s", from.Host, ids)
	o.open++
	o.most = max(o.most, o.open)
	defer func() { o.open-- }()
	wait, ok := o.slow[from.Host]
	if !ok {
		wait = time.Duration(1+o.rand.IntN(50)) * time.Millisecond
	}
	for i, id := range ids {
		if err := b.Sleep(wait); err != nil {
			return err
		}
		data, err := o.give(id)
		if err != nil {
			return err
		}
		if err := each(i, strings.NewReader(string(data)), int64(len(data))); err != nil {
			return err
		}
	}
	return nil
}

// plainly is others without streams.
type plainly struct{ storage.Transfer }

// files are temporary ones in memory; open counts those that are not closed.
type files struct{ made, open int }

type tempFile struct {
	*files
	data []byte
}

func (f *files) Create() (rdd.SpillFile, error) {
	f.made++
	f.open++
	return &tempFile{files: f}, nil
}

func (f *tempFile) Write(p []byte) (int, error) {
	f.data = append(f.data, p...)
	return len(p), nil
}

func (f *tempFile) ReadAt(p []byte, at int64) (int, error) {
	return strings.NewReader(string(f.data)).ReadAt(p, at)
}
func (f *tempFile) Size() int64 { return int64(len(f.data)) }

func (f *tempFile) Close() error {
	f.open--
	return nil
}

// rig is a reducer in a simulated world.
type rig struct {
	*rpctest.World
	t       *testing.T
	env     *rpcenv.Env
	others  *others
	files   *files
	source  Source
	metrics Metrics
	enough  int // the reader ends after so many blocks; 0: it reads all
	kill    time.Duration
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{World: rpctest.New(t, 1), t: t, files: &files{}, others: &others{
		rand: rand.New(rand.NewPCG(1, 2)), slow: map[string]time.Duration{}, lacks: map[string]error{}, broken: map[string]int{},
		damage: map[string]int{}, longer: map[string]bool{},
	}}
	r.NoPanic()
	r.env = r.Env("Exec0", nil)
	r.source = Source{
		Limits: Limits{InFlight: 1000, Requests: 9, Blocks: 9, ToMemory: 1000, Retries: 3, RetryWait: 5 * time.Second},
		Self:   &storagepb.BlockManagerId{ExecutorId: "0", Host: "h0", Port: 100}, Transfer: r.others, Files: r.files, Sum: adler32.New,
		Own: func(id string) ([]byte, error) {
			r.others.note("own [%s]", id)
			return r.others.give(id)
		},
	}
	return r
}

// block is a block of an executor, with its true size.
func block(executor, index int) Block {
	b := on(executor, index, 0)
	b.Size = int64(len(sealedText(b.ID)))
	return b
}

// read reads blocks, and returns what came as numbers of map outputs, how long it took, and the error.
func (r *rig) read(blocks ...Block) (got []int, took time.Duration, failed error) {
	r.t.Helper()
	ended := false
	job := r.env.Go("reader", func(b *rpcenv.Blocking) error {
		defer func() { ended = true }()
		began := b.Now()
		defer func() { took = b.Now().Sub(began) }()
		for in, err := range Blocks(b, r.source, blocks, &r.metrics) {
			if err != nil {
				failed = err
				continue
			}
			data, err := io.ReadAll(in)
			want := blocks[len(got)]
			if err != nil || string(data) != text(want.ID) {
				r.t.Errorf("block %d is %q, %v", want.Index, data, err)
			}
			got = append(got, want.Index)
			if len(got) == r.enough {
				break
			}
		}
		return nil
	})
	if r.kill > 0 {
		r.Advance(r.kill)
		job.Stop()
	}
	r.Until("the reader's end", func() bool { return ended })
	r.Settle()
	if r.files.open != 0 {
		r.t.Errorf("%d temporary files are left", r.files.open)
	}
	return got, took, failed
}

func (r *rig) wantNotes(want ...string) {
	r.t.Helper()
	if !slices.Equal(r.others.notes, want) {
		r.t.Errorf("asked for\n%s\nwant\n%s", strings.Join(r.others.notes, "\n"), strings.Join(want, "\n"))
	}
}

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
