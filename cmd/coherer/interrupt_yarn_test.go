package main

import (
	"strings"
	"syscall"
	"testing"
)

// Ctrl-C on a driver in client mode ends its application: one that waits is killed, one that runs has succeeded, as in Spark,
// and has no second attempt.
func TestAnInterruptedDriverOnYARNEndsItsApplication(t *testing.T) {
	t.Parallel()
	log := &lines{to: t.Output()}
	_, rm := daemonTo(t, log, nil, append([]string{"resourcemanager", "--port", "0"}, quick...)...)
	address := strings.TrimPrefix(rm.URL, "yarn://")
	home := t.TempDir()
	interrupted := func(log *lines, at string) {
		t.Helper()
		args := append([]string{"submit", "--master", "yarn", "--queue", "root.a", "--conf", "spark.hadoop.yarn.resourcemanager.address=" + address}, quick...)
		cmd := command(t, append(args, "--conf", "spark.yarn.stagingDir="+home, "sleep", "--tasks", "1", "--task-time", "10m")...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		said := &lines{to: t.Output()}
		cmd.Stderr = said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		log.until(t, at)
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != exitSignalled+int(syscall.SIGINT) {
			t.Errorf("it ended with %v", cmd.ProcessState)
		}
		if strings.Count(said.String(), "error:") != 1 || !strings.Contains(said.String(), "error: interrupted\n") {
			t.Errorf("it said\n%s", said.String())
		}
	}
	interrupted(log, "_0001 State change from SUBMITTED to ACCEPTED")
	log.until(t, "_0001 State change from FINAL_SAVING to KILLED")

	dirs := t.TempDir()
	nlog := &lines{to: t.Output()}
	daemonTo(t, nlog, nil, append([]string{"nodemanager", address, "--local-dirs", dirs + "/local", "--log-dirs", dirs + "/logs"}, quick...)...)
	interrupted(nlog, "_0002_01_000002 transitioned from SCHEDULED to RUNNING")
	log.until(t, "_0002 State change from FINISHING to FINISHED")
	if strings.Contains(log.String(), "_0002_000002 ") {
		t.Error("it had a second attempt")
	}
	id := strings.Fields(log.String()[strings.Index(log.String(), "application_"):])[0]
	args := []string{"submit", "--master", "yarn", "--conf", "spark.hadoop.yarn.resourcemanager.address=" + address, "--status", strings.TrimSuffix(id, "1") + "2"}
	if r := finish(t, command(t, args...)); r.code != 0 || !strings.Contains(r.stdout, "(state: FINISHED)") || !strings.Contains(r.stdout, "final status: SUCCEEDED") {
		t.Errorf("%d %q %s", r.code, r.stdout, r.stderr)
	}
}
