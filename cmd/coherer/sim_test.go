package main

import (
	"context"
	"testing"
)

func TestASignalEndsASweepOfSeeds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	args := []string{"sim", "--seeds", "2", "--workers", "1", "--apps", "1", "--for", "1m", "--faults", "none"}
	if code := run(ctx, args); code != 0 {
		t.Errorf("exit code %d", code)
	}
	cancel()
	if code := run(ctx, args); code == 0 {
		t.Error("two seeds lived though a signal had come")
	}
}
