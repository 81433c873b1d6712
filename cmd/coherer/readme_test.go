package main

import (
	"os"
	"strings"
	"testing"
)

// TestReadmeShowsWhatTheFirstCommandPrints holds the words that README.md shows: they are those of README.md.
func TestReadmeShowsWhatTheFirstCommandPrints(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	const first = "go run ./cmd/coherer run wordcount README.md"
	before, _, found := strings.Cut(string(text), "\n```\n")
	if !found || !strings.Contains(before, first) {
		t.Fatalf("README.md does not begin with %q and its output", first)
	}
	_, shown, _ := strings.Cut(string(text), "\n```\n")
	r := finish(t, command(t, "run", "wordcount", "../../README.md"))
	if r.code != 0 {
		t.Fatalf("exit code %d: %s", r.code, r.stderr)
	}
	words, _, _ := strings.Cut(r.stdout, "\n\n")
	if !strings.HasPrefix(shown, words+"\n") {
		t.Errorf("README.md shows\n%.300s\nthe command prints\n%s", shown, words)
	}
}
