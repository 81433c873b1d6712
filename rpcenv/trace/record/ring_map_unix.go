//go:build unix

package record

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapped is memory that is shared with f, or belongs to no file when f is nil.
func mapped(f *os.File, size int) (mem []byte, shared bool, err error) {
	if f == nil {
		mem, err = unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	} else {
		mem, err = unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	}
	return mem, true, err
}

func unmap(mem []byte) { _ = unix.Munmap(mem) }
