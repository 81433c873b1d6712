package record

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// reserve makes f as large as size, all zero, with room on the disk for all of it.
func reserve(f *os.File, size int) error {
	err := unix.Fallocate(int(f.Fd()), 0, 0, int64(size))
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		return writeZeros(f, size)
	}
	return err
}
