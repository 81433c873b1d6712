package main

import (
	"context"
	"syscall"
	"testing"
)

// The exit code is that of a shell: 1 would say that a rule was broken.
func TestASignalEndsASweepOfSeeds(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	args := []string{"sim", "--seeds", "2", "--workers", "1", "--apps", "1", "--for", "1m", "--faults", "none"}
	if code := run(ctx, args); code != 0 {
		t.Errorf("exit code %d", code)
	}
	cancel(signalled{syscall.SIGTERM})
	if code := run(ctx, args); code != 143 {
		t.Errorf("exit code %d though a signal had come", code)
	}
	if code := run(ctx, []string{"scenario", "run", "--all"}); code != 143 {
		t.Errorf("exit code %d of scripts though a signal had come", code)
	}
}
