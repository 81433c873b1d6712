package transport

import "sync"

// segmentSize is what a segment holds.
const segmentSize = 64 << 10

// segments is a queue of bytes that grows without being copied, and that keeps no memory while it is empty.
type segments [][]byte

// spareSegments holds arrays, since a slice would be allocated anew each time.
var spareSegments = sync.Pool{New: func() any { return new([segmentSize]byte) }}

// room returns the last segment, which has room for size more bytes, at most segmentSize.
func (s *segments) room(size int) *[]byte {
	if n := len(*s); n > 0 {
		if last := &(*s)[n-1]; cap(*last)-len(*last) >= size {
			return last
		}
	}
	*s = append(*s, spareSegments.Get().(*[segmentSize]byte)[:0])
	return &(*s)[len(*s)-1]
}

// write adds b, in as many segments as it needs.
func (s *segments) write(b []byte) {
	for len(b) > 0 {
		last := s.room(1)
		n := min(len(b), cap(*last)-len(*last))
		*last = append(*last, b[:n]...)
		b = b[n:]
	}
}

// free gives the segments back: nobody may use them any more.
func (s segments) free() {
	for i, segment := range s {
		spareSegments.Put((*[segmentSize]byte)(segment[:segmentSize]))
		s[i] = nil
	}
}
