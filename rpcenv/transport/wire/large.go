package wire

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// A frame that does not fit into a Reader's buffer has one of its own, which grows with what has come: a peer that only claims a length
// gets no memory for it. The buffer is given back before the Reader waits for the next frame. So a connection on which large frames
// follow each other uses the same memory again, and an idle one has none.

// keepLarge is the largest buffer that is given back for the next large frame. Larger ones go to the collector: they are rare.
const keepLarge = 1 << 20

// large is a buffer of a large frame. Pointers to it go into the pool: a slice would escape to the heap each time.
type large struct{ b []byte }

// largePool has buffers of more than bufferSize and at most keepLarge.
var largePool sync.Pool

func (l *large) give() {
	if cap(l.b) <= keepLarge {
		l.b = l.b[:0]
		largePool.Put(l)
	}
}

// Budget bounds what all large frames of its Readers hold together, in bytes, while they are read and handled.
type Budget struct {
	limit int64
	used  atomic.Int64
}

// NewBudget returns a Budget of so many bytes.
func NewBudget(limit int64) *Budget { return &Budget{limit: limit} }

// Used is how many bytes are held.
func (b *Budget) Used() int64 { return b.used.Load() }

// take takes n bytes more, or none. A nil Budget has no bound.
func (b *Budget) take(n int) error {
	if b == nil {
		return nil
	}
	if used := b.used.Add(int64(n)); used > b.limit {
		b.used.Add(-int64(n))
		return fmt.Errorf("%w: all connections together hold %d bytes, %d more are wanted, allowed are %d",
			ErrTooMuchUnfinished, used-int64(n), n, b.limit)
	}
	return nil
}

func (b *Budget) release(n int) {
	if b != nil {
		b.used.Add(-int64(n))
	}
}

// restOfLarge is Rest for a frame with a buffer of its own. It stays the Reader's after an error: Release gives it back.
func (f *Reader) restOfLarge(n int) ([]byte, error) {
	f.Release() // of a frame whose Rest was read without Length
	l, _ := largePool.Get().(*large)
	if l == nil {
		// So much comes in any case, and has a place: without a buffer from the pool none is made before it has come.
		if _, err := f.Peek(f.Size()); err != nil {
			return nil, cutShort(err, 1)
		}
		l = &large{}
	}
	if err := f.Shared.take(cap(l.b)); err != nil {
		l.give()
		return nil, err
	}
	for f.large = l; len(l.b) < n; {
		if len(l.b) == cap(l.b) {
			if err := f.grow(n); err != nil {
				return nil, err
			}
		}
		had := len(l.b)
		m, err := io.ReadFull(f, l.b[had:min(n, cap(l.b))])
		if l.b = l.b[:had+m]; err != nil {
			return nil, cutShort(err, 1)
		}
	}
	return l.b, nil
}

// grow makes the buffer of a frame of n bytes twice as large as what has come.
func (f *Reader) grow(n int) error {
	l := f.large
	size := min(n, max(2*len(l.b), 2*bufferSize))
	if err := f.Shared.take(size); err != nil { // beside the old one, which is held while it is copied
		return err
	}
	old := l.b
	l.b = append(make([]byte, 0, size), old...)
	f.Shared.release(cap(old))
	return nil
}

// Release gives back what the last frame holds. Its owner calls it after the last frame.
func (f *Reader) Release() {
	if f.large != nil {
		f.Shared.release(cap(f.large.b))
		f.large.give()
		f.large = nil
	}
}
