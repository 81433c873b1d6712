package record

import "unsafe"

// prefetch makes the processor fetch n bytes of memory that will be written to soon, and does not wait. p may be any address: nothing is
// read or written.
//
// No cache has the memory of the next records: a ring and a block are written once through before they come round again. Whoever has
// stored to such memory waits for it at the next lock.
//
//go:noescape
func prefetch(p unsafe.Pointer, n int)
