package main

import (
	"bytes"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/coherer/coherer/cluster/recovery"
)

// lines is a log on which a test can wait for a text.
type lines struct {
	to io.Writer

	mu   sync.Mutex
	text bytes.Buffer
	want []string // one after the other
	seen chan struct{}
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Write(b)
	l.look()
	return l.to.Write(b)
}

func (l *lines) look() {
	if l.seen == nil {
		return
	}
	rest := l.text.String()
	for _, want := range l.want {
		var found bool
		if _, rest, found = strings.Cut(rest, want); !found {
			return
		}
	}
	close(l.seen)
	l.seen = nil
}

// String is what was written so far.
func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// until waits until the log has these texts, each behind the one before.
func (l *lines) until(t *testing.T, want ...string) {
	t.Helper()
	seen := make(chan struct{})
	l.mu.Lock()
	l.want, l.seen = want, seen
	l.look()
	l.mu.Unlock()
	select {
	case <-seen:
	case <-time.After(time.Minute):
		t.Fatalf("the log never said %q", want)
	}
}

// TestAMasterThatIsKilledFindsItsClusterAgain: kill -9 while an application runs, the same command again, and the job's
// result is right.
func TestAMasterThatIsKilledFindsItsClusterAgain(t *testing.T) {
	t.Parallel()
	records := filepath.Join(t.TempDir(), "records")
	args := []string{
		"master", "--conf", "coherer.gossip.port=0",
		"--conf", "spark.deploy.recoveryMode=FILESYSTEM", "--conf", "spark.deploy.recoveryDirectory=" + records,
	}
	m, master := daemon(t, slices.Concat(args, []string{"--port", "0"})...)
	second := finish(t, command(t, slices.Concat(args, []string{"--port", "0"})...))
	if second.code != 1 || !strings.Contains(second.stderr, "another Master uses it") {
		t.Errorf("a second Master with the records: %d %s", second.code, second.stderr)
	}
	log := &lines{to: t.Output()}
	_, _ = daemonTo(t, log, nil, "worker", master.URL, "--cores", "1", "--memory", "1g", "--work-dir", t.TempDir())
	submit := command(t, "submit", "--master", master.URL, "--executor-memory", "512m", "sleep", "--tasks", "4", "--task-time", "1s")
	ended := make(chan result, 1)
	go func() { ended <- finish(t, submit) }()
	log.until(t, "Asked to launch executor")
	if err := m.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := m.Wait(); err == nil {
		t.Error("the killed Master ended well")
	}
	again := &lines{to: t.Output()}
	m, _ = daemonTo(t, again, nil, slices.Concat(args, []string{"--port", master.URL[strings.LastIndex(master.URL, ":")+1:]})...)
	again.until(t, "Recovery complete")
	if r := <-ended; r.code != 0 || r.stdout != "4 tasks slept\n" {
		t.Errorf("the job: %d %q %s", r.code, r.stdout, r.stderr)
	}
	log.until(t, "Asked to kill ") // the executor, or an unknown one, if it has ended before: the application's record is gone
	if err := m.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := m.Wait(); err != nil {
		t.Errorf("the Master's end: %v", err)
	}
	d, err := recovery.Open(records, recovery.Owner{Role: "Master", Setting: "spark.deploy.recoveryDirectory"})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	left, bad, err := d.Load(nil)
	if err != nil || len(bad) > 0 || len(left) != 2 || left[0].Key != "master_term" || !strings.HasPrefix(left[1].Key, "worker_") {
		t.Errorf("the records: %v %v %v", left, bad, err)
	}
}
