package fetch

import (
	"encoding/binary"
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
