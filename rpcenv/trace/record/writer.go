package record

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

const (
	// flushEvery is how long a record may wait in memory before it reaches the file.
	flushEvery = 100 * time.Millisecond
	// flushAt is how many chunks make the flusher begin before its time.
	flushAt = 4
	// maxWaiting is how many chunks may wait for a slow disk: beyond it the recording goroutines wait too.
	maxWaiting = 128
	// keptChunks is how many written chunks are kept for the next records.
	keptChunks = 8 * flushAt
)

// writer writes what a Recorder gathers to its file, in a goroutine that lives only while there is something to write:
// a recording goroutine does not wait for the disk, unless it falls far behind. The Recorder's lock guards it.
type writer struct {
	r    *Recorder
	file *os.File

	flusher *time.Timer
	order   order
	writing bool // some goroutine is in writeLocked and has given the lock up
	written sync.Cond
	spare   [][]byte
	err     error // the first one
}

// order says when the flusher will come.
type order uint8

const (
	orderNone order = iota
	orderInTime
	orderNow
)

func newWriter(r *Recorder, path string) (*writer, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	if _, err := f.WriteString(Magic); err != nil {
		return nil, errors.Join(fmt.Errorf("trace: write %s: %w", path, err), f.Close())
	}
	w := &writer{r: r, file: f}
	w.written.L = &r.mu
	w.flusher = time.AfterFunc(flushEvery, w.flush)
	w.order = orderInTime
	return w, nil
}

// roomLocked waits while too much waits for the disk; false when nothing is written any more.
func (w *writer) roomLocked() bool {
	for len(w.r.full) > maxWaiting && w.writing {
		w.written.Wait()
	}
	return w.err == nil && !w.r.closed // both may have changed during the wait
}

// spareLocked is a chunk that was written; nil when none is left.
func (w *writer) spareLocked() []byte {
	last := len(w.spare) - 1
	if last < 0 {
		return nil
	}
	b := w.spare[last]
	w.spare = w.spare[:last]
	return b
}

// addedLocked makes the flusher come, soon when there is much.
func (w *writer) addedLocked() {
	switch {
	// While somebody writes, the flusher would return at once: writeLocked calls again at its end.
	case len(w.r.full) >= flushAt && w.order != orderNow && !w.writing:
		w.order = orderNow
		w.flusher.Reset(0)
	case w.order == orderNone:
		w.order = orderInTime
		w.flusher.Reset(flushEvery)
	}
}

// flush is the flusher. An error is kept, and reported by Close.
func (w *writer) flush() {
	w.r.mu.Lock()
	defer w.r.mu.Unlock()
	w.order = orderNone
	if w.writing || w.r.closed {
		return // one write at a time, or the file would get chunks out of order; Close has its own
	}
	w.writeLocked()
}

// writeLocked writes what waits now. It gives the lock up meanwhile.
func (w *writer) writeLocked() {
	chunks := w.r.takeLocked()
	if len(chunks) == 0 || w.err != nil {
		return
	}
	w.writing = true // nobody else writes until it is false, although the lock is given up
	w.r.mu.Unlock()
	var err error
	for _, b := range chunks {
		if _, err = w.file.Write(b); err != nil {
			break
		}
	}
	w.r.mu.Lock()
	w.writing = false
	for _, b := range chunks {
		if len(w.spare) < keptChunks && cap(b) <= 2*chunk {
			w.spare = append(w.spare, b[:0])
		}
	}
	if err != nil {
		// The memory is given back at once: the run goes on, perhaps for long, and nothing will be written any more.
		w.err = fmt.Errorf("trace: %w (free some space; the run goes on, its trace ends here)", err) // err names the file
		w.r.buf, w.r.full, w.spare = nil, nil, nil
	}
	w.written.Broadcast()
	// Whoever wrote, Flush too: a flusher that came meanwhile has gone away again, and what was added since has no other.
	if len(w.r.buf)+len(w.r.full) > 0 && !w.r.closed {
		w.addedLocked()
	}
}

// flushLocked writes what was added before.
func (w *writer) flushLocked() error {
	for w.writing { // that write has what was added before, or a part of it: it must be through
		w.written.Wait()
	}
	w.writeLocked()
	return w.err
}

// closeLocked flushes, closes the file, and reports the first error of all.
func (w *writer) closeLocked() error {
	w.flusher.Stop()
	w.err = errors.Join(w.flushLocked(), w.file.Close())
	return w.err
}
