//go:build !amd64

package record

import "unsafe"

// prefetch does nothing on this processor: see prefetch_amd64.go.
func prefetch(unsafe.Pointer, int) {}
