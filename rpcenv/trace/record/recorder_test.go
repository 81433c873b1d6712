package record

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tracepb "github.com/coherer/coherer/messages/trace"
)

// A Recorder that has no room for its ring keeps it in memory and says so at the end.
func TestARecorderWithoutRoomForItsRing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.trace")
	if err := os.Mkdir(RingPath(path), 0o700); err != nil {
		t.Fatal(err)
	}
	r, err := NewFileRecorder(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	r.NoteEvent(&Event{Kind: tracepb.Kind_SENT, ID: ID{N: 1}}, true)
	r.Add(&Event{Kind: tracepb.Kind_SENT, ID: ID{N: 1}})
	if got := r.Since(nil, 10, false); len(got.Records) != 1 {
		t.Errorf("%d records in the ring", len(got.Records))
	}
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), "x.ring") {
		t.Errorf("Close: %v", err)
	}
	if got, err := ReadFile(path); err != nil || len(got) != 1 {
		t.Errorf("%d records, %v", len(got), err)
	}
}

// A disk that fails ends the recording and not the run, and what the file lacks is in the ring.
func TestARecorderWhoseDiskFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.trace")
	r, err := NewFileRecorder(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	add := func(n uint64) {
		ev := Event{Kind: tracepb.Kind_SENT, ID: ID{Env: 1, N: n}, Env: 1, Time: int64(n)}
		r.NoteEvent(&ev, true)
		r.Add(&ev)
	}
	add(1)
	if err := r.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := r.file.file.Close(); err != nil { // from now on every write fails
		t.Fatal(err)
	}
	add(2)
	if err := r.Flush(); err == nil || !strings.Contains(err.Error(), "the run goes on, its trace ends here") || strings.Count(err.Error(), path) != 1 {
		t.Errorf("Flush: %v", err)
	}
	add(3)
	if err := r.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Close: %v", err)
	}
	got, err := ReadProcess(path)
	if err != nil || len(got) != 3 || got[0].GetRing() || !got[1].GetRing() || got[2].GetId().GetN() != 3 {
		t.Errorf("read %v, %v", got, err)
	}
}

// Of a Recorder that was closed in good order the ring stays only if it has what the file has not.
func TestTheRingOfAGoodEnd(t *testing.T) {
	for _, recorded := range []bool{true, false} {
		path := filepath.Join(t.TempDir(), "x.trace")
		r, err := NewFileRecorder(path, 0)
		if err != nil {
			t.Fatal(err)
		}
		r.NoteEvent(&Event{Kind: tracepb.Kind_SENT, ID: ID{N: 1}}, recorded)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		ring, err := ReadRing(RingPath(path))
		if recorded {
			if !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the ring is left: %v", err)
			}
		} else if err != nil || !ring.Closed || len(ring.Records) != 1 {
			t.Errorf("ring %+v, %v", ring, err)
		}
		if got, err := ReadProcess(path); err != nil || len(got) != 0 {
			t.Errorf("what was not to be recorded: %v, %v", got, err)
		}
	}
}

// While records come the clock goes on by itself; when none come it stands, and the next one begins with the real time.
func TestTheClockStandsWhenNothingIsRecorded(t *testing.T) {
	total := uint64(0)
	c := clock{total: func() uint64 { return total }}
	defer c.stop()
	before := time.Now().UnixNano()
	if now := c.read(); now < before || c.now.Load() != now {
		t.Errorf("read %d before %d", now, before)
	}
	total++
	first := c.now.Load()
	c.tick()
	if now := c.now.Load(); now <= first {
		t.Errorf("after a tick it is %d, was %d", now, first)
	}
	c.tick()
	if now := c.now.Load(); now != 0 {
		t.Errorf("it goes on: %d", now)
	}
	if now := c.read(); now <= first {
		t.Errorf("after the pause it is %d, was %d", now, first)
	}
}

// What is recorded during a Flush reaches the file in time, also when the flusher came during it and went away.
func TestAFlushLeavesNothingBehind(t *testing.T) {
	r, err := NewFileRecorder(filepath.Join(t.TempDir(), "trace"), 0)
	if err != nil {
		t.Fatal(err)
	}
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.file.file.Close(), in.SetReadDeadline(time.Now().Add(3*time.Second))); err != nil {
		t.Fatal(err)
	}
	r.file.file = out
	// More than the pipe takes, and too little for the flusher to come at once.
	long := Event{Kind: tracepb.Kind_STATE, Why: strings.Repeat("x", maxText)}
	size := 0
	for size < 3*chunk {
		r.Add(&long)
		size += len(appendEvent(nil, &long, nil))
	}
	flushed := make(chan error)
	go func() { flushed <- r.Flush() }()
	got := make([]byte, size)
	if _, err := io.ReadFull(in, got[:1]); err != nil { // now somebody writes, and waits for the pipe
		t.Fatal(err)
	}
	late := Event{Kind: tracepb.Kind_STATE, Why: "late"}
	r.Add(&late)
	r.file.flusher.Stop() // its time has come
	r.file.flush()
	if _, err := io.ReadFull(in, got[1:]); err != nil {
		t.Fatal(err)
	}
	if err := <-flushed; err != nil {
		t.Fatal(err)
	}
	want := appendEvent(nil, &late, nil)
	if _, err := io.ReadFull(in, got[:len(want)]); err != nil || !bytes.Equal(got[:len(want)], want) {
		t.Errorf("what came during the Flush: %v, %q", err, got[:len(want)])
	}
	if err := errors.Join(r.Close(), in.Close()); err != nil {
		t.Fatal(err)
	}
}
