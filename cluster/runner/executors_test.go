package runner

import (
	"strings"
	"testing"

	"github.com/coherer/coherer/rpcenv/trace"
)

const second = int64(1e9)

// wanted and changed are states of a driver's endpoints.
func wanted(driver, n, why string, at int64) trace.Entry {
	return trace.Entry{K: trace.KindState, At: driver + "/ExecutorAllocationManager", Name: "allocation", Subject: "executors", Is: n, Why: why, Sent: at * second}
}

func changed(driver, id, is, why string, at int64) trace.Entry {
	return trace.Entry{K: trace.KindState, At: driver + "/CoarseGrainedScheduler", Name: "executor", Subject: id, Is: is, Why: why, Sent: at * second}
}

// TestExecutorsOverTime: a line for each change of what is wanted and of what is there; nothing without dynamic allocation, and
// nothing of what Masters and Workers call an executor.
func TestExecutorsOverTime(t *testing.T) {
	registered := changed("Driver", "0", "REGISTERED", "", 2)
	entries := []trace.Entry{
		wanted("Driver", "1", "3 tasks", 1),
		registered,
		changed("Driver", "0", "LAUNCHED", "", 2),
		{K: trace.KindState, At: "Master/Master", Name: "executor", Subject: "app-1/0", Is: "LOST", Sent: 8 * second},
		changed("Driver", "0", "LOST", "idle\x1b[2J", 9),
	}
	want := strings.Join([]string{
		"SECONDS  WANTED  REGISTERED  CHANGE",
		"1.0      1       0           for 3 tasks",
		"2.0      1       1           executor 0 registered",
		"9.0      1       0           executor 0 is gone: idle\\x1b[2J",
		"",
	}, "\n")
	if got := executorsText(entries); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := executorsText([]trace.Entry{registered}); got != "" {
		t.Errorf("without dynamic allocation: %q", got)
	}
}

// TestExecutorsOfTwoDrivers are counted apart: the first one was killed, and reported no executor's end.
func TestExecutorsOfTwoDrivers(t *testing.T) {
	want := strings.Join([]string{
		"SECONDS  WANTED  REGISTERED  CHANGE",
		"1.0      2       0           Driver: for 2 tasks",
		"2.0      2       1           Driver: executor 1 registered",
		"5.0      1       0           Driver2: for 1 tasks",
		"6.0      1       1           Driver2: executor 1 registered",
		"",
	}, "\n")
	if got := executorsText([]trace.Entry{
		wanted("Driver", "2", "2 tasks", 1), changed("Driver", "1", "REGISTERED", "", 2),
		wanted("Driver2", "1", "1 tasks", 5), changed("Driver2", "1", "REGISTERED", "", 6),
	}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
