package main

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// TestAFrozenNodeIsLostInSeconds: SIGSTOP of a Worker and of a NodeManager, which have 60 s and 10 min in Spark and Hadoop. The other members
// miss them, they do not answer, and they are lost. SIGCONT: they register again. SIGTERM: they leave, and no log has a warning of it.
func TestAFrozenNodeIsLostInSeconds(t *testing.T) {
	t.Parallel()
	masterLog, rmLog := &lines{to: t.Output()}, &lines{to: t.Output()}
	_, master := daemonTo(t, masterLog, nil, "master", "--port", "0", "--webui-port", "0", "--conf", "coherer.gossip.port=0")
	worker, _ := daemon(t, "worker", master.URL, "--webui-port", "0", "--cores", "1", "--memory", "1g", "--work-dir", t.TempDir())
	_, rm := daemonTo(t, rmLog, nil, append([]string{"resourcemanager", "--port", "0"}, quick...)...)
	node, _ := daemon(t, append([]string{"nodemanager", rm.URL, "--port", "0", "--local-dirs", t.TempDir(), "--log-dirs", t.TempDir()}, quick...)...)
	both := []*exec.Cmd{worker, node}
	// In either order: one that is frozen before it has registered would not be lost.
	masterLog.until(t, "worker joined")
	masterLog.until(t, "Registering worker")
	rmLog.until(t, "nodemanager joined")
	rmLog.until(t, "registered with capability")

	signalAll(t, both, syscall.SIGSTOP)
	masterLog.until(t, "is suspected to be gone, asking it", "before its time-out: Gave no answer")
	rmLog.until(t, "is suspected to be gone, asking it", "before its time-out: Gave no answer", "Transitioned from RUNNING to LOST")
	signalAll(t, both, syscall.SIGCONT)
	masterLog.until(t, "before its time-out", "A member has joined where lost worker", "Registering worker")
	rmLog.until(t, "before its time-out", "registered with capability")

	before := []int{len(masterLog.String()), len(rmLog.String())}
	signalAll(t, both, syscall.SIGTERM)
	masterLog.until(t, "Registering worker", "Registering worker", "Removing worker")
	rmLog.until(t, "before its time-out", "Transitioned from RUNNING to SHUTDOWN")
	for i, log := range []*lines{masterLog, rmLog} {
		if said := log.String()[before[i]:]; strings.Contains(said, " WARN ") || strings.Contains(said, " ERROR ") {
			t.Errorf("a leave in good order:\n%s", said)
		}
	}
}

// signalAll sends processes a signal. One that stands still goes on at the test's end: else SIGTERM could not end it.
func signalAll(t testing.TB, to []*exec.Cmd, sig syscall.Signal) {
	t.Helper()
	for _, cmd := range to {
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if sig == syscall.SIGSTOP {
			t.Cleanup(func() { _ = cmd.Process.Signal(syscall.SIGCONT) }) // it may have ended
		}
	}
}
