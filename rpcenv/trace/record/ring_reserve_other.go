//go:build !linux

package record

import "os"

// reserve makes f as large as size, all zero, with room on the disk for all of it.
func reserve(f *os.File, size int) error { return writeZeros(f, size) }
