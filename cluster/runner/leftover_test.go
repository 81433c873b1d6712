package runner

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The next run removes the work of a run that was killed, and says so; the work of a run under way stays, and so do the other
// files of the killed one.
func TestTheNextRunCleansUpAfterAKilledOne(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	file := func(d *runDir, name string) string {
		path := filepath.Join(d.Path(), name)
		if err := os.WriteFile(path, make([]byte, 3<<20), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	live, killed, old, oldLive := begun(t, "live"), begun(t, "killed"), begun(t, "old"), begun(t, "old-live")
	for _, d := range []*runDir{live, killed, old, oldLive} {
		file(d, "work/program")
	}
	left := file(killed, "trace/x.ring")
	if err := killed.lock.Close(); err != nil { // as the end of its process does
		t.Fatal(err)
	}
	for d, pid := range map[*runDir]int{old: 1 << 30, oldLive: os.Getpid()} { // of a Coherer that locked nothing
		if err := d.release(); err != nil {
			t.Fatal(err)
		}
		if err := d.write(pidFile, []byte(strconv.Itoa(pid)+"\n")); err != nil {
			t.Fatal(err)
		}
	}
	next := begun(t, "next")
	said, err := next.CleanUp()
	if err != nil || len(said) != 2 || !strings.Contains(strings.Join(said, "\n"), killed.Work()+", 3 MiB") {
		t.Errorf("%q, %v", said, err)
	}
	for d, stays := range map[*runDir]bool{live: true, killed: false, old: false, oldLive: true, next: true} {
		if _, err := os.Stat(d.Work()); (err == nil) != stays {
			t.Errorf("%s: %v, stays: %t", d.Work(), err, stays)
		}
	}
	if _, err := os.Stat(left); err != nil {
		t.Error(err)
	}
	if said, err := next.CleanUp(); len(said) > 0 || err != nil {
		t.Errorf("again: %q, %v", said, err)
	}
	if _, err := next.Finish(Details{}); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(next.Path(), lockFile)); err == nil {
		t.Error("the lock of a run that ended is left")
	}
}
