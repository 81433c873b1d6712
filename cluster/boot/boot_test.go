package boot

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/coherer/coherer/cluster/known"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/parent"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// idle is an endpoint that changes its state at its end.
type idle struct{}

func (idle) Receive(c *rpcenv.Context, m rpcenv.Message) { c.Unsupported(m) }
func (idle) OnStop(c *rpcenv.Context)                    { c.State("idle", "1", "UP", "DOWN", "test") }

// The trace has what endpoints do at the end of their Env, and the file is whole.
func TestTheTraceHasTheEndOfTheEndpoints(t *testing.T) {
	dir := t.TempDir()
	c, err := conf.New(map[string]string{rpcenv.TraceDir.Key(): filepath.Join(dir, "new")}, known.All())
	if err != nil {
		t.Fatal(err)
	}
	rec, err := RecordAs("Test", c)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Open(Options{Recorder: rec, Warn: func(why ...any) { t.Error(why...) }}, rpcenv.Config{Name: "Test", Conf: c, Log: rpcenv.NoLog()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Env.Register("Idle", idle{}); err != nil {
		t.Fatal(err)
	}
	if err := p.Serve(p.Env, "127.0.0.1:0"); err != nil || p.DebugAddr() == "" {
		t.Error(p.DebugAddr(), err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	records, err := record.ReadFile(filepath.Join(dir, "new", "Test.trace"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(records, func(r *tracepb.Record) bool { return r.GetTo() == "DOWN" }) {
		t.Error("the endpoint's last word is not in the trace")
	}
}

// Actors call it, so it must not wait, and the first code counts.
func TestTheFirstExitCodeCounts(t *testing.T) {
	p, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for code := range 5 {
		p.Host.Exit(10 + code)
	}
	if code := <-p.Exits(); code != 10 {
		t.Errorf("exit code %d, want the first", code)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// A child whose parent is gone ends: by Exits, or at once by its own Exit. A command does not care.
func TestAChildEndsWithItsParent(t *testing.T) {
	rope := func() {
		var fds [2]int
		if err := unix.Pipe(fds[:]); err != nil {
			t.Fatal(err)
		}
		t.Setenv(parent.FDVar, strconv.Itoa(fds[0]))
		_ = unix.Close(fds[1]) // the parent's end
	}
	rope()
	p, err := New(Options{Child: true})
	if err != nil {
		t.Fatal(err)
	}
	if code := <-p.Exits(); code != ExitParentGone {
		t.Errorf("exit code %d, want %d", code, ExitParentGone)
	}
	rope()
	ended := make(chan int, 1)
	own, err := New(Options{Child: true, Exit: func(code int) { ended <- code }})
	if err != nil {
		t.Fatal(err)
	}
	if code := <-ended; code != ExitParentGone {
		t.Errorf("exit code %d, want %d", code, ExitParentGone)
	}
	t.Setenv(parent.FDVar, "no number")
	if _, err := New(Options{Child: true}); err == nil {
		t.Error("a variable that names no pipe was taken")
	}
	command, err := New(Options{})
	if err != nil {
		t.Error("a command:", err)
	}
	for _, p := range []*Process{p, own, command} {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A trace that lacks records, here its ring, is a warning: the process has not failed.
func TestALostTraceIsAWarning(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.trace")
	if err := os.Mkdir(record.RingPath(path), 0o700); err != nil {
		t.Fatal(err)
	}
	rec, err := Record(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	warned := 0
	p, err := New(Options{Recorder: rec, Warn: func(...any) { warned++ }})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil || warned != 1 {
		t.Errorf("%d warnings, error %v", warned, err)
	}
}
