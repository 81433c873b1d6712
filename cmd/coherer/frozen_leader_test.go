package main

import (
	"encoding/json"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// TestALeaderThatStoodStillStepsDown: SIGSTOP of the leader of three Masters under an application. Another leads, the
// application runs on with the executor that it has, and a second one comes and goes meanwhile. Then SIGCONT, later than
// spark.worker.timeout, so that by its own books the old leader has lost all Workers: it ends with code 0, no Worker obeys
// it, and when started again it is one of the Masters that do not lead.
func TestALeaderThatStoodStillStepsDown(t *testing.T) {
	t.Parallel()
	const timeout = "spark.worker.timeout=5"
	m, old := startMasters(t, 3, "--conf", timeout)
	url := "spark://" + m.peers
	for range 2 {
		_, _ = daemon(t, "worker", url, "--cores", "1", "--memory", "1g", "--work-dir", t.TempDir(), "--conf", timeout)
	}
	log := &lines{to: t.Output()}
	long := command(t, "submit", "--master", url, "--executor-memory", "512m", "--total-executor-cores", "1",
		"sleep", "--tasks", "14", "--task-time", "1s")
	var out strings.Builder
	long.Stdout, long.Stderr = &out, log
	if err := long.Start(); err != nil {
		t.Fatal(err)
	}
	log.until(t, "executor 0 registered")
	m.signal(old, syscall.SIGSTOP)
	next := m.await(isLeader).master
	if next == old {
		t.Fatal("a Master that stands still was elected")
	}
	// It takes longer than spark.worker.timeout, and shows that the new leader serves applications.
	r := finish(t, command(t, "submit", "--master", url, "--executor-memory", "512m", "--total-executor-cores", "1",
		"sleep", "--tasks", "6", "--task-time", "1s"))
	if r.code != 0 || r.stdout != "6 tasks slept\n" {
		t.Errorf("an application that came meanwhile: %d %q %s", r.code, r.stdout, r.stderr)
	}
	m.signal(old, syscall.SIGCONT)
	if line := m.await(""); line.master != old || !strings.Contains(line.text, isRevoked) {
		t.Errorf("Master %d says %s; the old leader is %d", line.master, line.text, old)
	}
	if err := m.cmds[old].Wait(); err != nil {
		t.Errorf("the old leader's end: %v", err)
	}
	m.start(old)
	m.await(isMember)
	if err := long.Wait(); err != nil || out.String() != "14 tasks slept\n" {
		t.Errorf("the application: %v, printed %q", err, out.String())
	}
	if text := log.String(); strings.Contains(text, "Lost executor") || strings.Contains(text, "executor 1 registered") {
		t.Error("its executor was lost")
	}
	if leaders := m.leaders(url); len(leaders) != 1 || !strings.HasSuffix(leaders[0], ":"+m.ports[next]) {
		t.Errorf("%v lead in the end, Master %d at port %s was elected", leaders, next, m.ports[next])
	}
}

// signal sends a Master a signal.
func (m *masters) signal(i int, sig syscall.Signal) {
	m.t.Helper()
	signalAll(m.t, []*exec.Cmd{m.cmds[i]}, sig)
}

// leaders are the URLs of the Masters that answer status with ALIVE.
func (m *masters) leaders(url string) (urls []string) {
	m.t.Helper()
	var shown struct {
		Masters []struct {
			URL   string
			State struct{ Status string }
		}
	}
	text, err := command(m.t, "status", "--master", url, "-o", "json").Output()
	if err != nil {
		m.t.Fatal(err)
	}
	if err := json.Unmarshal(text, &shown); err != nil || len(shown.Masters) != len(m.cmds) {
		m.t.Fatalf("%v %s", err, text)
	}
	for _, x := range shown.Masters {
		if x.State.Status == "ALIVE" {
			urls = append(urls, x.URL)
		}
	}
	return urls
}
