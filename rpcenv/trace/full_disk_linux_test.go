package trace

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A process goes on without a trace when the disk is full, and Close says why there is none. Any other reason is an error.
func TestAProcessGoesOnWithoutATraceOnAFullDisk(t *testing.T) {
	runtime.LockOSThread() // this thread alone sees the disk, and ends with the test
	if err := unix.Unshare(unix.CLONE_FS | unix.CLONE_NEWNS); err != nil {
		t.Skipf("a disk of a test's own is for root: unshare: %v", err)
	}
	dir := t.TempDir()
	if err := errors.Join(unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""), unix.Mount("tmpfs", dir, "tmpfs", 0, "size=16k,nr_inodes=2")); err != nil {
		t.Skipf("a disk of a test's own is for root: mount: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	if err := os.WriteFile(filepath.Join(dir, "filler"), make([]byte, 32<<10), 0o600); err == nil {
		t.Fatal("the disk is not full")
	}
	r, err := NewProcessRecorder(filepath.Join(dir, "x.trace"), 0)
	if err != nil {
		t.Fatalf("the process ends: %v", err)
	}
	for range 2 {
		if err := r.Close(); !errors.Is(err, unix.ENOSPC) || !strings.Contains(err.Error(), "free some space") {
			t.Errorf("closed with %v", err)
		}
	}
	if _, err := NewProcessRecorder(filepath.Join(dir, "missing", "x.trace"), 0); err == nil || errors.Is(err, unix.ENOSPC) {
		t.Errorf("a folder that is missing: %v", err)
	}
}
