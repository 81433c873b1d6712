package main

import (
	"os"
	"strings"
	"testing"
)

// TestReadmeShowsWhatTheFirstCommandPrints holds the words that README.md shows: they are those of README.md.
func TestReadmeShowsWhatTheFirstCommandPrints(t *testing.T) {
	t.Parallel()
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

// TestDryRunsThatAreShown runs the dry runs that README.md and the help show, with the variables before them.
func TestDryRunsThatAreShown(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for where, text := range map[string]string{
		"README.md": string(readme), "submit --help": here(t, "submit", "--help").stdout,
	} {
		shown := 0
		for line := range strings.Lines(text) {
			line, _, _ = strings.Cut(line, "#")
			before, after, found := strings.Cut(line, "coherer submit ")
			if !found || !strings.HasPrefix(line, " ") || !strings.Contains(after, "--dry-run") {
				continue
			}
			shown++
			cmd := command(t, append([]string{"submit"}, strings.Fields(after)...)...)
			cmd.Env = append(cmd.Env, strings.Fields(before)...)
			if r := finish(t, cmd); r.code != 0 || r.stderr != "" {
				t.Errorf("%s: %s: exit code %d: %s", where, strings.TrimSpace(line), r.code, r.stderr)
			}
		}
		if shown == 0 {
			t.Errorf("%s shows no dry run", where)
		}
	}
}
