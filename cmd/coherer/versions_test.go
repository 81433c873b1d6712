package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWorkersOfAnotherVersion: a Worker fetches the coherer that submits, since it is another file than its own, and that
// becomes the executor.
func TestWorkersOfAnotherVersion(t *testing.T) {
	t.Parallel()
	_, master := daemon(t, "master", "--port", "0", "--conf", "coherer.gossip.port=0")
	_, _ = daemon(t, "worker", master.URL, "--cores", "1", "--memory", "1g", "--work-dir", t.TempDir())
	program, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "coherer")
	if err := os.WriteFile(other, append(program, 0), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := command(t, "submit", "--master", master.URL, "--executor-memory", "512m", "pi", "2")
	cmd.Path = other
	if got := finish(t, cmd); got.code != 0 || !strings.Contains(got.stdout, "Pi is roughly") {
		t.Errorf("code %d: %s%s", got.code, got.stdout, got.stderr)
	}
}
