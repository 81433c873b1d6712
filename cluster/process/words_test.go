package process_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/cluster/process"
)

// The end of a process has the reason that its stderr has: the last error of this process, not an earlier one's, and none of a
// process that a signal ended or that succeeded.
func TestTheEndOfAProcessSaysWhy(t *testing.T) {
	long := "error: " + strings.Repeat("x", 600)
	for _, test := range []struct {
		name, stderr, code, want string
	}{
		{"an error", "INFO begins\nerror: disk is full\nINFO ends", "1", "error: disk is full"},
		{"the last of two", "error: first\nerror: second", "1", "error: second"},
		{"a crash", "panic: nil map\n\ngoroutine 1 [running]:\nmain.main()", "2", "panic: nil map"},
		{"the runtime's crash", "fatal error: all goroutines are asleep", "2", "fatal error: all goroutines are asleep"},
		{"a long one", long, "1", long[:500]},
		{"not UTF-8", "error: \xff!", "1", "error: !"},
		{"an error within a line", "INFO error: none", "1", ""},
		{"content", "error: but all is well", "0", ""},
		{"as a signal ends it", "error: before", "137", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, rolling := range []*process.Rolling{nil, {Interval: time.Hour}} {
				sp := spec("say", "", test.stderr, test.code)
				sp.Stderr = process.Output{Path: filepath.Join(t.TempDir(), "stderr"), Rolling: rolling}
				write(t, sp.Stderr.Path, "error: of an earlier run\n", 0o644)
				_, exits := start(t, newStarter(t), sp)
				if exit := <-exits; exit.Words != test.want {
					t.Errorf("rolling %t: words %q, want %q", rolling != nil, exit.Words, test.want)
				}
			}
		})
	}
}
