package trace_test

import (
	"strings"
	"testing"

	"github.com/coherer/coherer/rpcenv/trace"
)

// TestExecutorsOverTime: a line for each change of what is wanted and of what is there; nothing without dynamic allocation.
func TestExecutorsOverTime(t *testing.T) {
	second := int64(1e9)
	registered := trace.Entry{K: trace.KindState, Name: "executor", Subject: "0", Is: "REGISTERED", Sent: 2 * second}
	entries := []trace.Entry{
		{K: trace.KindState, Name: "allocation", Subject: "executors", Was: "0", Is: "1", Why: "3 tasks", Sent: second},
		registered,
		{K: trace.KindState, Name: "executor", Subject: "0", Was: "REGISTERED", Is: "LAUNCHED", Sent: 2 * second},
		{K: trace.KindState, Name: "executor", Subject: "0", Was: "REGISTERED", Is: "LOST", Why: "idle\x1b[2J", Sent: 9 * second},
	}
	want := strings.Join([]string{
		"SECONDS  WANTED  REGISTERED  CHANGE",
		"1.0      1       0           for 3 tasks",
		"2.0      1       1           executor 0 registered",
		"9.0      1       0           executor 0 is gone: idle\uFFFD[2J",
		"",
	}, "\n")
	if got := trace.Executors(entries); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := trace.Executors([]trace.Entry{registered}); got != "" {
		t.Errorf("without dynamic allocation: %q", got)
	}
}
