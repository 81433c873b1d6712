package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The exit code is that of a shell: 1 would say that a rule was broken.
func TestASignalEndsASweepOfSeeds(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	args := []string{"sim", "--seeds", "2", "--workers", "1", "--apps", "1", "--for", "1m", "--faults", "none"}
	if code := hereUntil(ctx, t, args...).code; code != 0 {
		t.Errorf("exit code %d", code)
	}
	cancel(signalled{syscall.SIGTERM})
	if code := hereUntil(ctx, t, args...).code; code != 143 {
		t.Errorf("exit code %d though a signal had come", code)
	}
	if code := hereUntil(ctx, t, "scenario", "run", "--all").code; code != 143 {
		t.Errorf("exit code %d of scripts though a signal had come", code)
	}
}

// A signal during shrinking loses nothing: the violation is printed, and the best script so far is written.
func TestASignalEndsShrinking(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "small.txt")
	args := []string{"sim", "--seed", "3", "--workers", "4", "--apps", "4", "--for", "20m", "--conf", "coherer.compat=upstream", "--write", path}
	cmd := command(t, args...)
	log := &lines{to: t.Output()}
	var printed strings.Builder
	cmd.Stdout, cmd.Stderr = &printed, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	log.until(t, "shrinking seed 3: life 1 of at most 200, ")
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 143 {
		t.Errorf("exit code %d", code)
	}
	if !strings.Contains(printed.String(), "violated") || !strings.Contains(log.String(), "shrunk to ") {
		t.Errorf("it printed\n%s\nand said\n%s", &printed, log)
	}
	if code := here(t, "scenario", "run", path).code; code != 1 {
		t.Errorf("exit code %d of the script", code)
	}
}

func TestShrinkingHasALimit(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "small.txt")
	args := []string{"sim", "--seed", "3", "--workers", "4", "--apps", "4", "--for", "20m", "--conf", "coherer.compat=upstream", "--write", path, "--shrink", "0"}
	if code := here(t, args...).code; code != 1 {
		t.Errorf("exit code %d", code)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("it was shrunk")
	}
	args[len(args)-1] = "1"
	r := finish(t, command(t, args...))
	if r.code != 1 || !strings.Contains(r.stderr, "life 1 of at most 1,") || strings.Count(r.stderr, " of at most 1,") != 1 || !strings.Contains(r.stderr, "shrunk to ") {
		t.Errorf("--shrink 1: exit code %d: %s", r.code, r.stderr)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
	if code := here(t, "sim", "--shrink", "-1").code; code != exitUsage {
		t.Errorf("--shrink -1: exit code %d", code)
	}
}
