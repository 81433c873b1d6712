package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

var at = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// begun is a new run's directory that is latest.
func begun(t *testing.T, name string) *runDir {
	t.Helper()
	d, err := newRunDir(name, at)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Begin(); err != nil {
		t.Fatal(err)
	}
	return d
}

// Processes with other working directories record in the run's.
func TestTheRootIsAbsoluteAlsoWithARelativeHome(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("HOME", "rel")
	if root, err := runsRoot(); err != nil || root != filepath.Join(dir, "rel/.local/state/coherer/runs") {
		t.Error(root, err)
	}
}

func TestTwoRunsOfOneSecond(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	a, b := begun(t, "word count/../x"), begun(t, "word count/../x")
	if filepath.Base(a.Path()) != "20260102-030405-word_count_.._x" || filepath.Base(b.Path()) != filepath.Base(a.Path())+"-2" {
		t.Error(a.Path(), b.Path())
	}
	latest, err := os.Readlink(filepath.Join(filepath.Dir(a.Path()), "latest"))
	if err != nil || latest != filepath.Base(b.Path()) {
		t.Error(latest, err)
	}
}

func TestARunThatDoesNotBeginLeavesLatestAlone(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	a := begun(t, "a")
	b, err := newRunDir("b", at)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Discard(); err != nil {
		t.Fatal(err)
	}
	latest, err := os.Readlink(filepath.Join(filepath.Dir(a.Path()), "latest"))
	if err != nil || latest != filepath.Base(a.Path()) {
		t.Error(latest, err)
	}
}

func TestTwentyRunsAreKeptAndThoseUnderWay(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	under := begun(t, "under-way")
	for i := range 25 {
		d := begun(t, fmt.Sprintf("run%02d", i))
		if _, err := d.Finish(Details{}); err != nil {
			t.Fatal(err)
		}
	}
	last := begun(t, "last")
	root := filepath.Dir(last.Path())
	runs, err := filepath.Glob(filepath.Join(root, "2*"))
	if err != nil || len(runs) != keep+1 {
		t.Errorf("%d runs are left: %v", len(runs), err)
	}
	if _, err := os.Stat(under.Path()); err != nil {
		t.Error("the run under way:", err)
	}
}

func TestADamagedTraceDoesNotStopTheRest(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	d := begun(t, "a")
	if err := os.WriteFile(filepath.Join(d.Trace(), "Master.trace"), []byte("this is no trace"), 0o644); err != nil {
		t.Fatal(err)
	}
	output := filepath.Join(d.Work(), "worker1", "app-1-0000", "0", "stdout")
	if err := os.MkdirAll(filepath.Dir(output), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(output, []byte("said"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := d.Finish(Details{Name: "a"})
	if err == nil || !strings.Contains(err.Error(), "Master.trace") {
		t.Error("the error does not name the file:", err)
	}
	for _, name := range []string{"details.json", "trace.jsonl", "diagram.svg", "diagram.mmd", "logs/app-1-0000/0/stdout"} {
		if _, err := os.Stat(filepath.Join(d.Path(), name)); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(d.Work()); !errors.Is(err, fs.ErrNotExist) {
		t.Error("work/ is left:", err)
	}
}

func TestARelativeStateHomeIsIgnored(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", "state")
	root, err := runsRoot()
	if err != nil || root != filepath.Join(home, ".local", "state", "coherer", "runs") {
		t.Error(root, err)
	}
}

// Of a process that was killed, or that still runs, the run has what did not reach its file.
func TestARunHasWhatTheRingsOfKilledProcessesHave(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	d := begun(t, "a")
	start := func(name string) *record.Recorder {
		r, err := record.NewProcessRecorder(filepath.Join(d.Trace(), name+".trace"), 100)
		if err != nil {
			t.Fatal(err)
		}
		r.Add(&record.Event{Kind: tracepb.Kind_ENV, Env: 1, Peer: name, Time: 1000})
		if err := r.Flush(); err != nil {
			t.Fatal(err)
		}
		return r
	}
	killed, ended := start("Worker1"), start("Master")
	id := record.ID{Conn: 7 << 32, N: 1}
	killed.NoteEvent(&record.Event{
		Kind: tracepb.Kind_SENT, ID: id, Env: 1, Time: 2000, Endpoint: "Worker", To: "Master", Type: "deploy.Heartbeat",
	}, true)
	ended.Add(&record.Event{Kind: tracepb.Kind_HANDLED, ID: id, Env: 1, Time: 3000, Started: 2500, Endpoint: "Master"})
	if err := ended.Close(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = killed.Close() }()
	merged, notes := merge(d.Path())
	if notes != nil || len(merged.Entries) != 1 {
		t.Fatalf("%d entries, %v", len(merged.Entries), notes)
	}
	if e := merged.Entries[0]; e.From != "Worker1/Worker" || e.To != "Master/Master" || e.Type != "Heartbeat" || !e.Handled {
		t.Errorf("%+v", e)
	}
	if _, err := d.Finish(Details{Name: "a"}); err != nil {
		t.Fatal(err)
	}
	if rings, err := filepath.Glob(filepath.Join(d.Trace(), "*.ring")); err != nil || len(rings) > 0 {
		t.Errorf("left: %v, %v", rings, err)
	}
}

func TestARunThatIsPinnedStaysAndTheOthersAreNamed(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	pinned := begun(t, "a-pinned")
	if err := pinned.Keep(); err != nil {
		t.Fatal(err)
	}
	var first *runDir
	for _, d := range append([]*runDir{pinned}, begunAll(t, keep)...) {
		if _, err := d.Finish(Details{}); err != nil {
			t.Fatal(err)
		}
		if d != pinned && first == nil {
			first = d
		}
	}
	last, err := newRunDir("last", at)
	if err != nil {
		t.Fatal(err)
	}
	removed, err := last.Begin()
	if err != nil || len(removed) != 1 || removed[0] != first.Path() {
		t.Errorf("%v, %v, want %s", removed, err, first.Path())
	}
	if _, err := os.Stat(pinned.Path()); err != nil {
		t.Error(err)
	}
}

func begunAll(t *testing.T, n int) (dirs []*runDir) {
	for i := range n {
		dirs = append(dirs, begun(t, fmt.Sprintf("b%02d", i)))
	}
	return dirs
}
