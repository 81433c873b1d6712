package runner

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// An application needs no run directory: a full disk under it is said once and ends nothing.
func TestAFullDiskUnderTheRunDirectoryIsSaidOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stderr")
	said, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	r := &run{cfg: Config{Stderr: said}}
	full := &os.PathError{Op: "write", Path: "/runs/1/details.json", Err: syscall.ENOSPC}
	for range 2 {
		if err := r.unlessFull(errors.Join(full, full)); err != nil {
			t.Errorf("the run ends: %v", err)
		}
	}
	want := "  write /runs/1/details.json: no space left on device: free some space; the run goes on, and its directory lacks what does not fit\n"
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("said %q, want %q, error %v", got, want, err)
	}
	if err := r.unlessFull(fmt.Errorf("x: %w", os.ErrPermission)); !errors.Is(err, os.ErrPermission) {
		t.Errorf("another error is gone: %v", err)
	}
	if err := r.unlessFull(errors.Join(os.ErrPermission, full)); !errors.Is(err, os.ErrPermission) || errors.Is(err, full) {
		t.Errorf("of two errors is left: %v", err)
	}
	if err := r.unlessFull(nil); err != nil {
		t.Error(err)
	}
}
