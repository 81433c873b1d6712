package runner

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/coherer/coherer/actors/driverclient"
	"github.com/coherer/coherer/cluster/node"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// A client's answer stands, though its trace did not fit: that is a warning.
func TestAClientWhoseTraceDoesNotFitWarns(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("/dev/full", filepath.Join(dir, "driverClient.trace")); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr strings.Builder
	err := CallMasters(t.Context(), map[string]string{rpcenv.TraceDir.Key(): dir}, driverclient.Config{
		Masters: []rpcenv.Address{{Host: "127.0.0.1", Port: 1}}, Status: "driver-1",
	}, &stdout, &stderr)
	var exit *node.ExitError
	if !errors.As(err, &exit) || strings.Contains(err.Error(), "no space left") {
		t.Errorf("error %v, want an exit code alone", err)
	}
	if !strings.Contains(stderr.String(), "warning: ") || !strings.Contains(stderr.String(), "no space left") {
		t.Errorf("stderr %q", stderr.String())
	}
}

// What did not fit of a run's end is removed and named; the processes' own files and rings stay, and are read.
func TestARunWhoseEndDoesNotFitIsReadFromItsProcesses(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	d := begun(t, "a")
	put(t, filepath.Join(d.Trace(), "Master.trace"), recorded(3))
	killed, err := record.NewProcessRecorder(filepath.Join(d.Trace(), "Worker1.trace"), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = killed.Close() }()
	killed.Add(&record.Event{Kind: tracepb.Kind_ENV, Env: 1, Peer: "Worker1", Time: 1000})
	if err := killed.Flush(); err != nil {
		t.Fatal(err)
	}
	killed.NoteEvent(&record.Event{Kind: tracepb.Kind_SENT, ID: record.ID{Conn: 7 << 32, N: 1}, Env: 1, Time: 2000, Type: "deploy.Heartbeat"}, true)
	files := []string{".details.json", "trace.jsonl", "diagram.svg", "diagram.mmd"}
	for _, name := range files {
		if err := os.Symlink("/dev/full", filepath.Join(d.Path(), name)); err != nil {
			t.Fatal(err)
		}
	}
	_, err = d.Finish(Details{Name: "a"})
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	for _, name := range files {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%s is not named: %v", name, err)
		}
		if _, err := os.Lstat(filepath.Join(d.Path(), name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is left: %v", name, err)
		}
	}
	if got, notes, err := Load(""); err != nil || notes != nil || len(got.Entries) != 4 {
		t.Errorf("%+v, %v, %v", got, notes, err)
	}
	put(t, filepath.Join(d.Path(), "trace.jsonl"), nil) // as an earlier version left it
	if got, notes, err := Load(""); err != nil || notes != nil || len(got.Entries) != 4 {
		t.Errorf("with an empty trace.jsonl: %+v, %v, %v", got, notes, err)
	}
}
