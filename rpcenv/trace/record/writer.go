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
	// flushAt is how many bytes of whole blocks make the flusher come before its time.
	flushAt = 256 << 10
	// maxWaiting is how many bytes may wait for a slow disk: beyond it the recording goroutines wait too.
	maxWaiting = 8 << 20
)

// writer writes what a Recorder gathers to its file, in a goroutine that lives only while there is something to write:
// a recording goroutine does not wait for the disk, unless it falls far behind. The Recorder's lock guards it.
//
// The Recorder's full and buf are blocks of the file: the first one begins in the file at a multiple of blockUnit, and the length of
// each but the last is such a multiple. So whole blocks can be written past the page cache (see direct).
type writer struct {
	r    *Recorder
	file *os.File
	past direct // past the page cache

	flusher *time.Timer
	order   order
	size    int  // of the next block
	waiting int  // bytes of the Recorder's full blocks
	done    int  // how much of the first block is in the file
	writing bool // a goroutine is in writeLocked and has released the lock
	written sync.Cond
	spare   [][]byte // written blocks, for the next records
	err     error    // the first one
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
	w := &writer{r: r, file: f, size: smallBlock, done: len(Magic)}
	w.past.init(f)
	r.buf = append(w.freshLocked(), Magic...)
	w.written.L = &r.mu
	w.flusher = time.AfterFunc(flushEvery, w.flush)
	w.order = orderInTime
	return w, nil
}

// roomLocked waits while too much waits for the disk; false when nothing is written any more.
func (w *writer) roomLocked() bool {
	for w.waiting > maxWaiting && w.writing {
		w.written.Wait()
	}
	return w.err == nil && !w.r.closed // both may have changed during the wait
}

// addedLocked cuts a block off when there is one, and makes the flusher come, soon when there is much.
func (w *writer) addedLocked() {
	for len(w.r.buf) >= w.size {
		w.cutLocked()
	}
	switch {
	// While somebody writes, the flusher would return at once: writeLocked calls again at its end.
	case w.waiting >= flushAt && w.order != orderNow && !w.writing:
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
	early := w.order == orderNow
	w.order = orderNone
	if w.writing || w.r.closed {
		return // one write at a time, or the file would get blocks out of order; Close has its own
	}
	w.writeLocked(!early)
}

// writeLocked writes the blocks that wait now and, if all is set, what there is of the next one. It releases the lock meanwhile.
func (w *writer) writeLocked(all bool) {
	blocks, rest := w.r.full, []byte(nil)
	if all {
		rest = w.r.buf
	}
	if len(blocks) == 0 && len(rest) <= w.done || w.err != nil {
		return
	}
	w.r.full, w.waiting = nil, 0
	done := w.done
	w.writing = true // nobody else writes until it is false, although the lock is free
	w.r.mu.Unlock()
	err := w.writeAll(blocks, done)
	if len(blocks) > 0 {
		done = 0
	}
	if err == nil && all { // without the lock: others append to buf, but change no byte of rest
		if whole := len(rest) - len(rest)%blockUnit; done == 0 && whole > 0 {
			err = w.write(rest[:whole], true)
			done = whole
		}
		if err == nil {
			err = w.write(rest[done:], false)
			done = len(rest)
		}
	}
	w.r.mu.Lock()
	w.writing, w.done = false, done
	if err != nil {
		// The memory is given back at once: the run goes on, perhaps for long, and nothing will be written any more.
		w.err = fmt.Errorf("trace: %w (free some space; the run goes on, its trace ends here)", err) // err names the file
		w.r.buf, w.r.full, w.spare, w.waiting = nil, nil, nil, 0
	} else {
		w.recycleLocked(blocks)
		w.shrinkLocked(all)
	}
	w.written.Broadcast()
	// Whoever wrote, Flush too: a flusher that came meanwhile has gone away again, and what was added since has no other.
	if w.unwrittenLocked() && !w.r.closed {
		w.addedLocked()
	}
}

func (w *writer) unwrittenLocked() bool { return len(w.r.full) > 0 || len(w.r.buf) > w.done }

// writeAll writes blocks, of the first one what is behind done.
func (w *writer) writeAll(blocks [][]byte, done int) error {
	for i, b := range blocks {
		// Past the page cache only as long as the disk keeps up: the cache takes a burst faster.
		past := done == 0 && len(blocks)-i <= keepsUp
		if err := w.write(b[done:], past); err != nil {
			return err
		}
		done = 0
	}
	return nil
}

// write writes b at the file's end, where a block begins if whole says so.
func (w *writer) write(b []byte, whole bool) error {
	n := 0
	if whole && w.past.begin(w.file, b) {
		var err error
		if n, err = w.file.Write(b); err == nil {
			return nil
		}
		w.past.fail(w.file) // the write below reports what is wrong with the disk, if that is the cause
	}
	w.past.end(w.file)
	_, err := w.file.Write(b[n:])
	return err
}

// flushLocked writes what was added before.
func (w *writer) flushLocked() error {
	for w.writing { // that write has what was added before, or a part of it: it must be through
		w.written.Wait()
	}
	w.writeLocked(true)
	return w.err
}

// closeLocked flushes, closes the file, and reports the first error of all.
func (w *writer) closeLocked() error {
	w.flusher.Stop()
	w.err = errors.Join(w.flushLocked(), w.file.Close())
	return w.err
}
