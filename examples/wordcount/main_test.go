package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A program that was started without a submission says how to submit it. The tests of job cover the counting.
func TestStartedByHand(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "wordcount")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), binary, "README.md").CombinedOutput()
	exit, ok := err.(*exec.ExitError) //nolint:errorlint // it is not wrapped
	if !ok || exit.ExitCode() != 2 || !strings.Contains(string(out), "coherer run "+binary) {
		t.Errorf("%v:\n%s", err, out)
	}
}
