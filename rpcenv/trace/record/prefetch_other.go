//go:build !amd64

package record

import "unsafe"

// prefetch would make the processor fetch memory that will be written to soon.
func prefetch(unsafe.Pointer, int) {}
