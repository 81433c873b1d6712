//go:build linux

// Package smalldisk gives a test a disk of its own, which it can fill.
package smalldisk

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// Dir mounts a tmpfs with options, such as "size=64k", and returns its directory. Only the test's goroutine sees it, which
// keeps its thread for that; processes and goroutines that it starts do not. The disk ends with the test. Where mounting is
// not allowed, as to a user other than root, Dir skips the test.
func Dir(t testing.TB, options string) string {
	t.Helper()
	// Never unlocked: the thread, whose mounts differ from now on from all others', ends with the test's goroutine.
	runtime.LockOSThread()
	if err := unix.Unshare(unix.CLONE_FS | unix.CLONE_NEWNS); err != nil {
		t.Skipf("a disk of a test's own is for root: unshare: %v", err)
	}
	dir := t.TempDir()
	if err := errors.Join(unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""), unix.Mount("tmpfs", dir, "tmpfs", 0, options)); err != nil {
		t.Skipf("a disk of a test's own is for root: mount: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// Fill writes to dir until its disk is full.
func Fill(t testing.TB, dir string) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 4<<10))
	}
	if !errors.Is(err, unix.ENOSPC) {
		t.Fatal(err)
	}
}
