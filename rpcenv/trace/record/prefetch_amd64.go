package record

import "unsafe"

// prefetch makes the processor fetch n bytes of memory that will be written to soon, and does not wait for them. p may be any address:
// nothing is read or written.
//
// A ring and a block are larger than a cache, so the memory of the next record is in none. A store to it costs nothing by itself, but the
// next lock waits until the memory has come.
//
//go:noescape
func prefetch(p unsafe.Pointer, n int)
