package main

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestADecommissionedWorker gives a Worker the signal while its executor runs a task: the executor finishes it and ends, the
// rest is done elsewhere, and the Worker lives on. The executor's output goes through the Worker, which rolls it over, and
// its blocks to a root of their own, where nothing is left.
func TestADecommissionedWorker(t *testing.T) {
	t.Parallel()
	_, master := daemon(t, "master", "--port", "0", "--conf", "coherer.gossip.port=0")
	work, blocks := t.TempDir(), t.TempDir()
	settings := []string{
		"--conf", "spark.decommission.enabled=true", "--conf", "spark.worker.decommission.signal=USR2", "--conf", "spark.local.dir=" + blocks,
		"--conf", "spark.executor.logs.rolling.strategy=size",
	}
	first, _ := daemon(t, append([]string{"worker", master.URL, "--cores", "1", "--memory", "1g", "--work-dir", work}, settings...)...)
	cmd := command(t, "submit", "--master", master.URL, "--executor-memory", "512m", "--conf", "spark.decommission.enabled=true",
		"sleep", "--tasks", "3", "--task-time", "1500ms")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out, said strings.Builder
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	signalled := false
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		said.WriteString(lines.Text() + "\n")
		if !signalled && strings.Contains(lines.Text(), "executor 0 registered") {
			signalled = true
			if err := first.Process.Signal(syscall.SIGUSR2); err != nil {
				t.Fatal(err)
			}
			daemon(t, "worker", master.URL, "--cores", "1", "--memory", "1g", "--work-dir", t.TempDir())
		}
	}
	if err := cmd.Wait(); err != nil || !signalled || out.String() != "3 tasks slept\n" {
		t.Errorf("signalled %t: %v %q\n%s", signalled, err, out.String(), said.String())
	}
	if err := first.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatalf("the Worker is gone: %v", err)
	}
	if err := first.Wait(); err != nil {
		t.Errorf("the Worker's end: %v", err)
	}
	logs, err := filepath.Glob(filepath.Join(work, "app-*", "0", "stderr"))
	if err != nil || len(logs) != 1 {
		t.Fatal(logs, err)
	}
	text, err := os.ReadFile(logs[0])
	if err != nil || !strings.HasPrefix(string(text), "Spark Executor Command: ") || !strings.Contains(string(text), "Finished decommissioning") {
		t.Errorf("the executor said %s %v", text, err)
	}
	if left, err := os.ReadDir(blocks); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}
