package record

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	tracepb "github.com/coherer/coherer/messages/trace"
)

// fillFile records more than some large blocks, with Flushes in between, and compares the file with what was recorded.
func fillFile(t *testing.T, r *Recorder, path string) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(1, 2))
	want := []byte(Magic)
	for n := uint64(1); len(want) < 12*largeBlock; n++ {
		size := rnd.IntN(3 << 10)
		if n%500 == 0 {
			size = rnd.IntN(maxBody) // does not fit behind a block
		}
		ev := Event{Kind: tracepb.Kind_SENT, ID: ID{Conn: 7, N: n}, Bytes: uint64(size), Body: bytes.Repeat([]byte{byte(n)}, size)}
		r.Add(&ev)
		want = appendEvent(want, &ev, ev.Body)
		if n%3000 < 20 { // behind blocks, and behind parts of one
			if err := r.Flush(); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("after a Flush: %d bytes are not the %d that were recorded, %v", len(got), len(want), err)
			}
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%d bytes are not the %d that were recorded, %v", len(got), len(want), err)
	}
}

func newLoaded(t *testing.T) (r *Recorder, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "x.trace")
	r, err := NewFileRecorder(path, maxBody)
	if err != nil {
		t.Fatal(err)
	}
	return r, path
}

// What is written past the page cache is whole and in order.
func TestAFileWrittenPastTheCache(t *testing.T) {
	r, path := newLoaded(t)
	f, err := os.OpenFile(path, os.O_WRONLY|unix.O_DIRECT, 0)
	able := err == nil
	if able {
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	fillFile(t, r, path)
	if r.file.past.can != able {
		t.Errorf("past the cache: %v, the file system can: %v", r.file.past.can, able)
	}
}

// A file system that takes the flag and then refuses the write, or has no flag, gets the same bytes through its cache.
func TestAFileThatCannotBeWrittenPastTheCache(t *testing.T) {
	t.Run("refused", func(t *testing.T) {
		r, path := newLoaded(t)
		if err := r.file.file.Truncate(0); err != nil {
			t.Fatal(err)
		}
		// Three bytes that the writer does not know of: no block begins where it has to.
		if _, err := r.file.file.WriteAt([]byte("..."+Magic), 0); err != nil {
			t.Fatal(err)
		}
		if _, err := r.file.file.Seek(3, 1); err != nil {
			t.Fatal(err)
		}
		r.Add(&Event{Body: make([]byte, maxBody)})
		want := appendEvent([]byte("..."+Magic), &Event{Body: make([]byte, maxBody)}, make([]byte, maxBody))
		for range 8 {
			ev := Event{Body: make([]byte, 700<<10), Bytes: 1}
			r.Add(&ev)
			want = appendEvent(want, &ev, ev.Body)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes are not the %d that were recorded, %v", len(got), len(want), err)
		}
		if r.file.past.can {
			t.Error("it tries again with each block")
		}
	})
	t.Run("never", func(t *testing.T) {
		r, path := newLoaded(t)
		r.file.past.can = false
		fillFile(t, r, path)
	})
}

// The flag is set for a large block and for nothing else.
func TestOnlyBlocksGoPastTheCache(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "x"))
	if err != nil {
		t.Fatal(err)
	}
	var d direct
	d.init(f)
	if !d.can {
		t.Fatal("no regular file")
	}
	past := func() bool {
		flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
		if err != nil {
			t.Fatal(err)
		}
		return flags&unix.O_DIRECT != 0
	}
	block := make([]byte, largeBlock)
	if d.begin(f, block[:minDirect-blockUnit]) || d.begin(f, block[1:1+minDirect]) || past() {
		t.Error("what is small or lies crooked goes past the cache")
	}
	for range 2 {
		if can := d.begin(f, block); can != d.can || past() != can {
			t.Errorf("begin %v, the file %v", can, past())
		}
		if d.end(f); past() {
			t.Error("the end of a block is not the end of it")
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
