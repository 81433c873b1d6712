package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExplainExamples runs the examples of explain's help.
func TestExplainExamples(t *testing.T) {
	t.Parallel()
	help := here(t, "explain", "--help")
	_, examples, _ := strings.Cut(help.stdout, "Examples:\n")
	examples, _, found := strings.Cut(examples, "\n\n")
	if lines := strings.Split(examples, "\n"); help.code != 0 || !found || len(lines) < 5 {
		t.Fatalf("code %d, examples %q", help.code, lines)
	}
	for line := range strings.Lines(examples) {
		words := strings.Fields(line)
		if words[0] != "coherer" {
			t.Fatalf("example %q", line)
		}
		got := here(t, words[1:]...)
		if got.code != 0 || len(got.stdout) < 100 || got.stderr != "" {
			t.Errorf("%s: code %d, %d bytes, %s", line, got.code, len(got.stdout), got.stderr)
		}
		if strings.Contains(line, "-o json") && !json.Valid([]byte(got.stdout)) {
			t.Errorf("%s: no JSON:\n%s", line, got.stdout)
		}
	}
}

// The reference is written where it lies in a source tree, from any folder of it.
func TestExplainWritesTheReference(t *testing.T) {
	t.Parallel()
	tree := t.TempDir()
	file := filepath.Join(tree, "messages", "PROTOCOL.md")
	deep := filepath.Join(tree, "cmd", "coherer")
	for _, dir := range []string{filepath.Dir(file), deep} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, file, "old")
	cmd := command(t, "explain", "--all", "-w")
	cmd.Dir = deep
	if got := finish(t, cmd); got.code != 0 {
		t.Fatal(got.stderr)
	}
	got, err := os.ReadFile(file)
	want, err2 := os.ReadFile("../../messages/PROTOCOL.md")
	if err != nil || err2 != nil || string(got) != string(want) {
		t.Errorf("%v %v: explain --all -w wrote %d bytes, the tree has %d", err, err2, len(got), len(want))
	}
	if all := here(t, "explain", "--all"); all.stdout != string(want) {
		t.Errorf("explain --all prints %d bytes, the tree has %d", len(all.stdout), len(want))
	}
}
