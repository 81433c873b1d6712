package runner

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// An application needs no run directory: a full disk under it ends nothing, and each file that does not fit is named once.
func TestWhatDoesNotFitInTheRunDirectoryIsNamedOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stderr")
	said, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	r := &run{cfg: Config{Stderr: said}}
	full := func(name string) error {
		return fmt.Errorf("trace: %w", &os.PathError{Op: "write", Path: "/runs/1/" + name, Err: syscall.ENOSPC})
	}
	for range 2 {
		if err := r.unlessFull(errors.Join(full(".details.json"), full("trace.jsonl"))); err != nil {
			t.Errorf("the run ends: %v", err)
		}
	}
	if err := r.unlessFull(errors.Join(full(".details.json"), full("diagram.svg"))); err != nil {
		t.Errorf("the run ends: %v", err)
	}
	want := "  the run directory lacks details.json, trace.jsonl: no space left on device: free some space\n" +
		"  the run directory lacks diagram.svg: no space left on device: free some space\n"
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("said %q, want %q, error %v", got, want, err)
	}
	if err := r.unlessFull(fmt.Errorf("x: %w", os.ErrPermission)); !errors.Is(err, os.ErrPermission) {
		t.Errorf("another error is gone: %v", err)
	}
	if err := r.unlessFull(errors.Join(os.ErrPermission, full("x"))); !errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.ENOSPC) {
		t.Errorf("of two errors is left: %v", err)
	}
	if err := r.unlessFull(nil); err != nil {
		t.Error(err)
	}
}
