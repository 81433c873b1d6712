package record

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/coherer/coherer/rpcenv/rpctest/smalldisk"
)

// A process goes on without a trace when the disk is full, and Close says why it has none. Any other reason is an error.
func TestAProcessGoesOnWithoutATraceOnAFullDisk(t *testing.T) {
	dir := smalldisk.Dir(t, "size=16k,nr_inodes=2")
	smalldisk.Fill(t, dir)
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
