package main

import (
	"os"
	"strings"
	"testing"
)

// A command whose output is lost, since a disk is full, says so: its exit code is not 0.
func TestLostOutputIsAnError(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	text, err := os.ReadFile("../../rpcenv/trace/testdata/run.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	write(t, "a.jsonl", string(text))
	for _, args := range []string{
		"version", "version -o json", "config show", "config show -o json", "explain", "explain -o json", "explain RegisterWorker",
		"explain --deviations", "scenario list", "scenario list -o json", "scenario show SPARK-27510", "scenario run SPARK-27510",
		"scenario run SPARK-27510 -o json", "sim --for 1m --workers 1 --apps 1", "sim --for 1m --workers 1 --apps 1 -o json",
		"trace diff a.jsonl a.jsonl", "trace diff a.jsonl a.jsonl -o json",
	} {
		stderr, err := os.Create("stderr")
		if err != nil {
			t.Fatal(err)
		}
		code := run(t.Context(), streams{out: full, err: stderr}, strings.Fields(args))
		stderr.Close()
		if said, _ := os.ReadFile("stderr"); code != exitFailed || !strings.Contains(string(said), "no space left on device") {
			t.Errorf("%s: code %d: %s", args, code, said)
		}
	}
}
