//go:build unix

package record_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/protobuf/types/known/wrapperspb"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/trace"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// killedVar makes the test's binary a process that records to that path and is killed.
const killedVar = "COHERER_TEST_RECORD_AND_DIE"

func TestMain(m *testing.M) {
	if path := os.Getenv(killedVar); path != "" {
		recordAndDie(path)
		os.Exit(3)
	}
	goleak.VerifyTestMain(m)
}

// recordAndDie records ten messages, writes them, records ten more and is killed before they are written.
func recordAndDie(path string) {
	r, err := record.NewFileRecorder(path, 0)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	r.Add(&record.Event{Kind: tracepb.Kind_ENV, Env: 1, Peer: "Worker1", Address: "127.0.0.1:7078", Time: time.Now().UnixNano()})
	for i := range 20 {
		ev := record.Event{
			Kind: tracepb.Kind_SENT, ID: record.ID{Conn: 9, N: uint64(i + 1)}, Env: 1, Time: time.Now().UnixNano(), Endpoint: "Worker",
			To: "Master", Peer: "Master", Type: "google.protobuf.StringValue", Message: wrapperspb.String(fmt.Sprint("message ", i)),
			Bytes: 9,
		}
		r.NoteEvent(&ev, true)
		r.Add(&ev)
		if i == 9 {
			if err := r.Flush(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return
			}
		}
	}
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// What a process recorded in its last moments before a kill -9 is in its ring.
func TestTheRingOutlivesKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "Worker1.trace")
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), killedVar+"="+path)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("%v: %s", err, out)
	}
	// The file has what was flushed; the flusher may have come once more.
	if inFile, err := record.ReadFile(path); err != nil || len(inFile) < 11 {
		t.Fatalf("the file has %d records, %v", len(inFile), err)
	}
	// Whatever became of the file's end, the ring has the rest.
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, info.Size()*2/5); err != nil {
		t.Fatal(err)
	}
	torn, err := record.ReadFile(path)
	if err != nil || len(torn) > 9 {
		t.Fatalf("the torn file has %d records, %v", len(torn), err)
	}
	records, err := record.ReadProcess(path)
	if err != nil {
		t.Fatal(err)
	}
	tr := trace.Merge(records)
	if len(tr.Entries) != 20 {
		t.Fatalf("%d entries of 20", len(tr.Entries))
	}
	for i, e := range tr.Entries {
		want := fmt.Sprintf("00000000.>.%d", i+1)
		if e.ID != want || e.From != "Worker1/Worker" || e.To != "Master/Master" || e.Type != "StringValue" || e.Bytes == 0 {
			t.Errorf("entry %d: %+v", i, e)
		}
		if i < len(torn)-1 != strings.Contains(e.Body, fmt.Sprint("message ", i)) || (e.Body == "") != e.Cut {
			t.Errorf("entry %d has the body %q, cut %v", i, e.Body, e.Cut)
		}
	}
}
