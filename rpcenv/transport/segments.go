package transport

import "sync"

// segmentSize is what a segment holds, unless a single frame needs more.
const segmentSize = 64 << 10

// segments is a queue of bytes that grows without being copied, and that keeps no memory while it is empty.
type segments [][]byte

// spareSegments holds arrays, since a slice would be allocated anew each time.
var spareSegments = sync.Pool{New: func() any { return new([segmentSize]byte) }}

// room returns the last segment, which has room for size more bytes.
func (s *segments) room(size int) *[]byte {
	if n := len(*s); n > 0 {
		if last := &(*s)[n-1]; cap(*last)-len(*last) >= size {
			return last
		}
	}
	if size > segmentSize {
		*s = append(*s, make([]byte, 0, size))
	} else {
		*s = append(*s, spareSegments.Get().(*[segmentSize]byte)[:0])
	}
	return &(*s)[len(*s)-1]
}

// free gives the segments back: nobody may use them any more.
func (s segments) free() {
	for i, segment := range s {
		// A larger one, made for one big frame, is left to the garbage collector.
		if cap(segment) == segmentSize {
			spareSegments.Put((*[segmentSize]byte)(segment[:segmentSize]))
		}
		s[i] = nil
	}
}
