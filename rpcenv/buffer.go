package rpcenv

import "sync"

// buffer holds the encoding of a message until the Link has it. Pointers to it go into the pool: a slice would escape to the heap each
// time.
type buffer struct{ b []byte }

// keepBuffer is the largest buffer that is given back. Larger ones go to the collector: they are rare.
const keepBuffer = 1 << 20

var buffers = sync.Pool{New: func() any { return &buffer{} }}

func (b *buffer) give() {
	if cap(b.b) <= keepBuffer {
		buffers.Put(b)
	}
}
