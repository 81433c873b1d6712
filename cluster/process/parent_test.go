package process_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/coherer/coherer/cluster/process"
	"github.com/coherer/coherer/rpcenv/parent"
)

// A parent that is killed by SIGKILL cannot end its children, and yet none is left.
func TestKilledParentLeavesNobody(t *testing.T) {
	for _, c := range []struct {
		name  string
		args  []string // of the parent: the child's role and its arguments
		linux bool     // held by the signal alone
	}{
		{"by the pipe or the signal", []string{"watcher"}, false},
		{"by the signal", []string{"stubborn"}, true},
		{"by the signal after exec", []string{"launcher", "stubborn"}, true},
		{"by both after exec", []string{"launcher", "watcher"}, false},
		{"over two generations", []string{"parent", "stubborn"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.linux && runtime.GOOS != "linux" {
				t.Skip("only Linux signals the parent's death")
			}
			out := newListen(t)
			sp := spec("parent", c.args...)
			sp.Stdout.File = out.w
			p, exits := start(t, newStarter(t), sp)
			out.wantUp()
			// The parent alone, not its group; its child has a group of its own anyway.
			if err := syscall.Kill(p.PID(), syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			wantExit(t, exits, 137)
			out.wantGone()
		})
	}
}

// parentPipe makes this process believe that it has a parent.
func parentPipe(t *testing.T) {
	t.Helper()
	var fds [2]int
	if err := syscall.Pipe(fds[:]); err != nil {
		t.Fatal(err)
	}
	rope := os.NewFile(uintptr(fds[1]), "rope")
	t.Cleanup(func() { rope.Close() })
	t.Setenv(parent.FDVar, strconv.Itoa(fds[0]))
}

func TestWatchParentWithoutParent(t *testing.T) {
	t.Setenv(parent.FDVar, "")
	os.Unsetenv(parent.FDVar)
	stop, err := parent.Watch(func() { t.Error("there is no parent") })
	if err != nil {
		t.Fatal(err)
	}
	stop()
	if err := process.KeepParentAcrossExec(); err != nil {
		t.Error(err)
	}
}

func TestWatchParentRefuses(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, value := range []string{"", "x", "-1", "0", "2", "999999", strconv.Itoa(int(f.Fd()))} {
		t.Setenv(parent.FDVar, value)
		_, err := parent.Watch(func() { t.Error("there is no parent") })
		if err == nil || !strings.Contains(err.Error(), parent.FDVar) {
			t.Errorf("%s=%q: %v", parent.FDVar, value, err)
		}
		if process.KeepParentAcrossExec() == nil || process.Exec(self(), nil) == nil {
			t.Errorf("%s=%q: exec allowed", parent.FDVar, value)
		}
	}
}

func TestExecKeepsNumberAndOutput(t *testing.T) {
	dir := t.TempDir()
	sp := spec("launcher", "say", "new program", "its stderr", "7")
	sp.Stdout = process.Output{Path: filepath.Join(dir, "stdout")}
	sp.Stderr = process.Output{Path: filepath.Join(dir, "stderr")}
	_, exits := start(t, newStarter(t), sp)
	wantExit(t, exits, 7)
	if got := read(t, filepath.Join(dir, "stdout")); got != "new program\n" {
		t.Errorf("stdout %q", got)
	}
}

func TestExecRefuses(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "garbage"), "\x7fELF, or not", 0o755)
	parentPipe(t)
	for _, path := range []string{filepath.Join(dir, "none"), filepath.Join(dir, "garbage"), dir} {
		if err := process.Exec(path, nil); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
