package record

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// minDirect is the least size of a write, in bytes, that is cheaper past the page cache.
const minDirect = 256 << 10

// direct writes a file past the page cache. That takes a third of the processor time, since the kernel neither allocates pages nor copies
// into them, and it pushes nothing of other programs out of the cache. The zero value writes through the cache.
type direct struct {
	flags int  // of the file, as it was opened
	can   bool // nothing has failed so far
	on    bool // the file has O_DIRECT now
}

// init finds out whether f is a file that may be written past the cache.
func (d *direct) init(f *os.File) {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	d.can = d.control(f, func(fd uintptr) error {
		d.flags, err = unix.FcntlInt(fd, unix.F_GETFL, 0)
		return err
	}) == nil
}

// begin makes the next write, of b, go past the cache, and reports whether it does. The length of b and its place in the file are
// multiples of blockUnit.
func (d *direct) begin(f *os.File, b []byte) bool {
	if !d.can || len(b) < minDirect || uintptr(unsafe.Pointer(&b[0]))%blockUnit != 0 {
		return false
	}
	// Some file systems refuse the flag.
	if !d.on && d.control(f, func(fd uintptr) error {
		_, err := unix.FcntlInt(fd, unix.F_SETFL, d.flags|unix.O_DIRECT)
		return err
	}) != nil {
		d.can = false
		return false
	}
	d.on = true
	return true
}

// end makes the next writes go through the cache.
func (d *direct) end(f *os.File) {
	if !d.on {
		return
	}
	d.on = false
	// An error is that of a closed file, which the next write has too.
	_ = d.control(f, func(fd uintptr) error {
		_, err := unix.FcntlInt(fd, unix.F_SETFL, d.flags)
		return err
	})
}

// fail makes all further writes go through the cache.
func (d *direct) fail(f *os.File) {
	d.end(f)
	d.can = false
}

// control calls do with the descriptor of f.
func (d *direct) control(f *os.File, do func(fd uintptr) error) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { failed = do(fd) }); err != nil {
		return err
	}
	return failed
}
