//go:build unix

package record

import (
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What is fetched is neither read nor written: behind the last slot or block there may be nothing.
func TestPrefetchTouchesNothing(t *testing.T) {
	mem, err := unix.Mmap(-1, 0, 4<<10, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	prefetch(unsafe.Pointer(&mem[0]), 8<<10)
	prefetch(nil, 0)
	if err := unix.Munmap(mem); err != nil {
		t.Fatal(err)
	}
}
