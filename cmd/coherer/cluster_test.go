package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coherer/coherer/cluster/process"
)

// TestAKilledExecutorIsReplaced kills the first executor as soon as it runs tasks: the result is right all the same.
func TestAKilledExecutorIsReplaced(t *testing.T) {
	t.Parallel()
	cmd := command(t, "run", "sleep", "--tasks", "6", "--task-time", "150ms", "--stages", "2")
	state := stateOf(cmd)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	killed := false
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if !killed && strings.Contains(lines.Text(), "executor 0 registered") {
			killed = true
			killExecutor(t, state, "0")
		}
	}
	if err := cmd.Wait(); err != nil || !killed {
		t.Fatalf("killed %t: %v", killed, err)
	}
	if !strings.HasPrefix(out.String(), "12 tasks slept\n") {
		t.Errorf("printed %.100q", out.String())
	}
}

// stateOf is the state directory that a command has.
func stateOf(cmd *exec.Cmd) string {
	for _, entry := range slices.Backward(cmd.Env) { // the last one holds
		if dir, ok := strings.CutPrefix(entry, "XDG_STATE_HOME="); ok {
			return dir
		}
	}
	return ""
}

// killExecutor kills the process whose working directory is that of the executor.
func killExecutor(t *testing.T, state, id string) {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(state, "coherer/runs/2*/work/worker*/app-*", id))
	if err != nil || len(dirs) != 1 {
		t.Fatal(dirs, err)
	}
	procs, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range procs {
		if cwd, err := os.Readlink(p); err == nil && cwd == dirs[0] {
			pid, _ := strconv.Atoi(strings.Split(p, "/")[2])
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Skip("no /proc to find the executor by")
}

// TestDaemonsByHand starts a Master and two Workers, one of which finds the Master by gossip, submits applications, a
// program of the user's among them, and ends the daemons.
func TestDaemonsByHand(t *testing.T) {
	t.Parallel()
	m, master := daemon(t, "master", "--port", "0", "--webui-port", "0", "--conf", "coherer.gossip.port=0")
	_, _ = daemon(t, "worker", master.URL, "--webui-port", "0", "--cores", "1", "--memory", "1g", "--work-dir", t.TempDir())
	_, _ = daemon(t, "worker", "--join", master.Gossip, "--webui-port", "0", "--cores", "1", "--memory", "1g", "--work-dir", t.TempDir())
	r := finish(t, command(t, "submit", "--master", master.URL, "--executor-memory", "512m", "sleep", "--tasks", "2", "--task-time", "1ms"))
	if r.code != 0 || r.stdout != "2 tasks slept\n" {
		t.Errorf("sleep: %d %q %s", r.code, r.stdout, r.stderr)
	}
	text := filepath.Join(t.TempDir(), "text")
	write(t, text, "a b a\n")
	r = finish(t, command(t, "submit", "--master", master.URL, "--executor-memory", "512m", "../../examples/wordcount", text))
	if r.code != 0 || r.stdout != "2\ta\n1\tb\n" {
		t.Errorf("the user's program: %d %q %s", r.code, r.stdout, r.stderr)
	}
	if err := m.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := m.Wait(); err != nil {
		t.Errorf("the Master's end: %v", err)
	}
}

// daemon starts a daemon, waits until it is ready, and ends it with the test.
func daemon(t testing.TB, args ...string) (*exec.Cmd, process.Ready) {
	t.Helper()
	return daemonWith(t, nil, args...)
}

// daemonWith is daemon with further variables in the environment.
func daemonWith(t testing.TB, env []string, args ...string) (*exec.Cmd, process.Ready) {
	t.Helper()
	return daemonTo(t, t.Output(), env, args...)
}

// daemonTo is daemonWith with a log of its own.
func daemonTo(t testing.TB, log io.Writer, env []string, args ...string) (*exec.Cmd, process.Ready) {
	t.Helper()
	cmd := command(t, append(args, "--ready-fd", "3")...)
	cmd.Env = append(cmd.Env, env...)
	return cmd, startDaemon(t, cmd, log)
}

// startDaemon starts a daemon whose command ends with --ready-fd 3, waits until it is ready, and ends it with the test.
func startDaemon(t testing.TB, cmd *exec.Cmd, log io.Writer) process.Ready {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd.ExtraFiles = []*os.File{w}
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
			_ = cmd.Wait()
		}
	})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	line, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	var ready process.Ready
	if err := json.Unmarshal(line, &ready); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	return ready
}

// BenchmarkDaemon is the start of a Master until it is ready, and its resident memory then.
func BenchmarkDaemon(b *testing.B) {
	var kb float64
	for b.Loop() {
		ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
		cmd := exec.CommandContext(ctx, binary, "master", "--port", "0", "--webui-port", "0", "--conf", "coherer.gossip.port=0", "--ready-fd", "3")
		r, w, err := os.Pipe()
		if err != nil {
			b.Fatal(err)
		}
		cmd.ExtraFiles = []*os.File{w}
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		w.Close()
		if line, err := io.ReadAll(r); err != nil || len(line) == 0 {
			b.Fatal("it is not ready", err)
		}
		b.StopTimer()
		kb = resident(b, cmd.Process.Pid)
		r.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		cancel()
		b.StartTimer()
	}
	b.ReportMetric(kb/1024, "MB-resident")
}

// resident is a process's resident memory in KiB.
func resident(b *testing.B, pid int) float64 {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		b.Skip("no /proc to read the memory from")
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "VmRSS:" {
			kb, _ := strconv.ParseFloat(f[1], 64)
			return kb
		}
	}
	return 0
}
