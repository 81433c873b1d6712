package trace

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/proto"

	tracepb "github.com/coherer/coherer/messages/trace"
)

// DefaultBodyLimit is how many bytes of a message's encoding a Recorder keeps when it is not told otherwise.
const DefaultBodyLimit = 1 << 10

// flushEvery is how long a record may wait in memory before it reaches the file.
const flushEvery = 100 * time.Millisecond

// Recorder collects the records of one process or world. Its methods may be called from any goroutine; those of a nil
// Recorder do nothing.
type Recorder struct {
	bodyLimit int
	busy      atomic.Int64
	idle      atomic.Pointer[func()]

	mu       sync.Mutex
	records  []*tracepb.Record // in memory, when there is no file
	file     *os.File
	out      *bufio.Writer
	scratch  []byte
	err      error
	watchers []*func(*tracepb.Record)
	flusher  *time.Timer
	closed   bool
	count    int
}

// NewRecorder returns a Recorder that keeps everything in memory. bodyLimit 0 means DefaultBodyLimit.
func NewRecorder(bodyLimit int) *Recorder {
	if bodyLimit == 0 {
		bodyLimit = DefaultBodyLimit
	}
	return &Recorder{bodyLimit: bodyLimit}
}

// NewFileRecorder returns a Recorder that writes to a new file, at most 100 ms after the fact. A failed write is
// reported by Close; what was written before stays readable.
func NewFileRecorder(path string, bodyLimit int) (*Recorder, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	r := NewRecorder(bodyLimit)
	r.file, r.out = f, bufio.NewWriterSize(f, 64<<10)
	if _, err := r.out.WriteString(Magic); err != nil {
		return nil, errors.Join(fmt.Errorf("trace: write %s: %w", path, err), f.Close())
	}
	if err := r.out.Flush(); err != nil {
		return nil, errors.Join(fmt.Errorf("trace: write %s: %w", path, err), f.Close())
	}
	r.flusher = time.AfterFunc(flushEvery, r.flush)
	return r, nil
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

// Add takes one record, which must not be changed afterwards. Its body is cut at the limit.
func (r *Recorder) Add(rec *tracepb.Record) {
	if r == nil {
		return
	}
	if len(rec.Body) > r.bodyLimit {
		rec.Body = rec.Body[:r.bodyLimit:r.bodyLimit]
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	r.count++
	for _, f := range r.watchers {
		(*f)(rec)
	}
	if r.file == nil {
		r.records = append(r.records, rec)
		return
	}
	if r.err != nil {
		return
	}
	r.scratch = AppendRecord(r.scratch[:0], rec)
	_, r.err = r.out.Write(r.scratch)
}

// Records returns a copy of the list of what was recorded in memory so far.
func (r *Recorder) Records() []*tracepb.Record {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]*tracepb.Record(nil), r.records...)
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
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.flushLocked()
}

// Close flushes and closes the file and reports the first error of all writing. Later records are dropped. It may be
// called twice.
func (r *Recorder) Close() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return r.err
	}
	r.closed = true
	if r.file == nil {
		return nil
	}
	r.flusher.Stop()
	r.err = errors.Join(r.flushLocked(), r.file.Close())
	return r.err
}

func (r *Recorder) flush() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	_ = r.flushLocked() // kept in r.err, reported by Close
	r.flusher.Reset(flushEvery)
}

func (r *Recorder) flushLocked() error {
	if r.file == nil || r.err != nil {
		return r.err
	}
	if err := r.out.Flush(); err != nil {
		r.err = fmt.Errorf("trace: write %s: %w (free some space; the run goes on, its trace ends here)", r.file.Name(), err)
	}
	return r.err
}

// Body returns the encoding of m for a record, nil for what is no protobuf message.
func (r *Recorder) Body(m any) []byte {
	p, ok := m.(proto.Message)
	if r == nil || !ok {
		return nil
	}
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(p)
	if err != nil {
		return nil
	}
	return b
}

// NewRecord makes a record; the caller fills in the rest.
func NewRecord(kind tracepb.Kind, id, cause ID, at time.Time) *tracepb.Record {
	return &tracepb.Record{Kind: kind, Id: id.proto(), Cause: cause.proto(), Time: uint64(at.UnixNano())}
}

// Busy counts work that is under way in the process or world: items in inboxes, messages in outboxes, running bodies.
func (r *Recorder) Busy(n int) {
	if r == nil {
		return
	}
	if r.busy.Add(int64(n)) == 0 {
		if f := r.idle.Load(); f != nil {
			(*f)()
		}
	}
}

// Idle reports whether no work is under way, messages between Envs aside.
func (r *Recorder) Idle() bool { return r == nil || r.busy.Load() == 0 }

// OnIdle makes f be called each time the work under way comes to its end; f must be quick. nil ends it.
func (r *Recorder) OnIdle(f func()) {
	switch {
	case r == nil:
	case f == nil:
		r.idle.Store(nil)
	default:
		r.idle.Store(&f)
	}
}
