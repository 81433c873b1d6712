package record

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	tracepb "github.com/coherer/coherer/messages/trace"
)

// Locks. Two may be held at once in these orders only:
//
//	Recorder.mu  then clock.mu        Close stops the clock
//	Recorder.mu  then dictionary.mu   Record writes names
//	ring.lock    then dictionary.mu   Since names what it has read
//
// Recorder.mu guards the records in memory, the watchers, and all of the file's writer, which gives it up while it writes
// to the disk (writeLocked). Watchers run under it and so must not call the Recorder. clock.mu guards the clock's timer; the
// time itself is atomic. dictionary.mu guards the table of names; describe, which names a new type, runs under it and so
// must not call the Recorder either. ring.lock is taken only for a ring in the Go heap: any other ring has no lock, its
// writers claim slots by an atomic addition, and its readers see by the seals which slots are whole.

// Recorder collects the records of one process or world. Its methods may be called from any goroutine; those of a nil
// Recorder do nothing.
//
// It keeps records as the bytes that a file has: nothing that was recorded pins a message, and nothing is decoded before
// somebody reads it.
type Recorder struct {
	bodyLimit int
	exact     bool // times are those of the world's clock
	nowhere   bool // nothing is recorded but the ring
	ring      *ring
	clock     clock
	untraced  atomic.Int64
	noted     atomic.Bool // the ring has what is recorded nowhere else

	mu       sync.Mutex
	buf      []byte            // the newest records, encoded
	full     [][]byte          // those before, in the order of their making; blocks, if there is a file
	decoded  []*tracepb.Record // those before these, which Records has decoded
	entries  entries           // has decoded them
	named    int               // how many names were encoded
	file     *writer           // nil: they stay in memory
	watchers []*func(*tracepb.Record)
	closed   bool
	count    int
	lost     error // why the file of the ring, or both files, could not be made
}

// Watch makes f see each record as it is made, in order, one at a time, until stop is called; f must be quick and must
// not call the Recorder.
func (r *Recorder) Watch(f func(*tracepb.Record)) (stop func()) {
	if r == nil {
		return func() {}
	}
	w := &f
	r.mu.Lock()
	defer r.mu.Unlock()
	r.watchers = append(r.watchers, w)
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.watchers = slices.DeleteFunc(r.watchers, func(x *func(*tracepb.Record)) bool { return x == w })
	}
}

// encodings are buffers for messages that nobody has encoded yet.
var encodings = sync.Pool{New: func() any { return new([]byte) }}

// maxPooled is the largest of them that is kept.
const maxPooled = 64 << 10

// Add takes one record, but for the ring. Its body is cut at the limit. Nothing of ev is kept.
func (r *Recorder) Add(ev *Event) {
	if !r.CanRecord() {
		return
	}
	body := ev.Body
	// The message is encoded before the lock is taken: senders on other threads need not wait for it.
	if ev.Message != nil {
		scratch := encodings.Get().(*[]byte)
		*scratch = encodeMessage((*scratch)[:0], ev.Message)
		body, ev.Bytes = *scratch, uint64(len(*scratch))
		if cap(*scratch) <= maxPooled {
			defer encodings.Put(scratch) // not before the end: body is a part of it
		}
	}
	body = body[:min(len(body), r.bodyLimit)]
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.beginLocked() {
		return
	}
	if len(r.watchers) > 0 {
		r.notifyLocked(ev.record(body))
	}
	r.buf = appendEvent(r.buf, ev, body)
	r.addedLocked()
}

// Record is Note and Add in one, for a message or an item whose texts have numbers. If x has a Message, Record encodes it, and its size
// becomes the Note's. False means that the record does not fit into a slot: the ring has it, and the caller gives it to Add as an Event.
// Nothing of n and x is kept.
func (r *Recorder) Record(n *Note, x *Exact) bool {
	body := x.Body
	if x.Message != nil {
		scratch := encodings.Get().(*[]byte)
		*scratch = encodeMessage((*scratch)[:0], x.Message)
		body, n.Size = *scratch, uint64(len(*scratch))
		if cap(*scratch) <= maxPooled {
			defer encodings.Put(scratch)
		}
	}
	w := n.words()
	r.ring.put(uint32(n.Endpoint)+n.Env, &w)
	switch {
	case !r.CanRecord():
		return true
	case !n.fits(x):
		return false
	}
	r.add(&w, x, body[:min(len(body), r.bodyLimit)])
	return true
}

// add is Add for words that fit into a slot.
func (r *Recorder) add(w *words, x *Exact, body []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.beginLocked() {
		return
	}
	if int(r.ring.names.count.Load()) > r.named {
		r.nameLocked()
	}
	at := len(r.buf)
	r.buf = appendSlot(r.buf, w, x, body)
	r.fetchLocked(len(r.buf) - at)
	if len(r.watchers) > 0 {
		r.notifyLocked(r.decodedLocked(r.buf[at:]))
	}
	r.addedLocked()
}

// fetchAhead is how many bytes beyond the newest record are fetched: room for the next message with its body.
const fetchAhead = 1280

// fetchLocked fetches n bytes, as many as the last record has: the bytes before them were fetched with the records before it.
func (r *Recorder) fetchLocked(n int) {
	n = min(n, fetchAhead)
	if end := len(r.buf) + fetchAhead; end <= cap(r.buf) {
		prefetch(unsafe.Pointer(&r.buf[:end][end-n]), n)
	}
}

// nameLocked encodes the names that are new. A reader needs those of the next record before the record.
func (r *Recorder) nameLocked() {
	texts := r.ring.names.texts()
	for _, text := range texts[r.named:] {
		r.buf = appendName(r.buf, text)
	}
	r.named = len(texts)
}

// CanRecord reports whether there is somewhere to record to, beside the ring.
func (r *Recorder) CanRecord() bool { return r != nil && !r.nowhere }

// AddRecord takes a record that another Recorder made, but for the ring.
func (r *Recorder) AddRecord(rec *tracepb.Record) {
	if !r.CanRecord() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.beginLocked() {
		return
	}
	r.notifyLocked(rec)
	r.buf = AppendRecord(r.buf, rec)
	r.addedLocked()
}

func (r *Recorder) beginLocked() bool {
	if r.closed {
		return false
	}
	r.count++ // also when the disk has failed: Count is what happened, not what was kept
	return r.file == nil || r.file.roomLocked()
}

func (r *Recorder) notifyLocked(rec *tracepb.Record) {
	for _, f := range r.watchers {
		(*f)(rec)
	}
}

// chunk is about how many bytes of records lie in one piece of those in memory.
const chunk = 64 << 10

func (r *Recorder) addedLocked() {
	switch {
	case r.file != nil:
		r.file.addedLocked()
	case len(r.buf) >= chunk:
		r.full = append(r.full, r.buf)
		r.buf = make([]byte, 0, chunk+chunk/8)
	}
}

// takeLocked takes all encoded records out of memory.
func (r *Recorder) takeLocked() [][]byte {
	all := r.full
	if len(r.buf) > 0 {
		all = append(all, r.buf)
	}
	r.full, r.buf = nil, nil
	return all
}

// Records returns what was recorded in memory so far. Records that were returned before are the same again.
func (r *Recorder) Records() []*tracepb.Record {
	if r == nil || r.file != nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range r.takeLocked() {
		records, err := r.entries.all(bufio.NewReader(bytes.NewReader(b)))
		if err != nil {
			panic(fmt.Errorf("trace: the Recorder's own encoding: %w", err)) // a bug of Add
		}
		r.decoded = append(r.decoded, records...)
	}
	return slices.Clone(r.decoded)
}

// decodedLocked decodes the record in b, which add encoded.
func (r *Recorder) decodedLocked(b []byte) *tracepb.Record {
	e := entries{names: r.ring.names.texts()}
	_, n := binary.Uvarint(b)
	rec, err := e.decode(b[n:])
	if err != nil {
		panic(fmt.Errorf("trace: the Recorder's own encoding: %w", err)) // a bug of Add
	}
	return rec
}

// Count is how many records were added.
func (r *Recorder) Count() int {
	if r == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.count
}

// Flush writes to the file what waits in memory.
func (r *Recorder) Flush() error {
	if r == nil || r.file == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.file.flushLocked()
}

// Close flushes and closes the file and reports the first error of all writing. Later records are dropped. The file of a
// ring that has nothing more than was recorded is removed. It may be called twice.
func (r *Recorder) Close() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	was := r.closed
	r.closed = true // before the last flush gives the lock up: nothing is added behind it
	r.clock.stop()
	switch {
	case r.file == nil:
		return r.lost
	case was:
		return r.file.err
	}
	err := r.file.closeLocked()
	if err == nil {
		// Only now: a reader of a closed ring relies on the file alone. After a failed write the ring has what the file lacks.
		r.ring.close()
		if !r.noted.Load() {
			err = removeRing(r.file.file.Name())
		}
	}
	r.file.err = errors.Join(err, r.lost)
	return r.file.err
}
