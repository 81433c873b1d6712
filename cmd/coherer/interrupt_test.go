package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"syscall"
	"testing"
)

// Ctrl-C reaches a submission and its driver: one error is printed, once. The application has the user's name at the Master.
func TestAnInterruptedSubmissionSaysSoOnce(t *testing.T) {
	t.Parallel()
	mlog := &lines{to: t.Output()}
	_, master := daemonTo(t, mlog, nil, "master", "--port", "0", "--webui-port", "0", "--conf", "coherer.gossip.port=0")
	cmd := command(t, "submit", "--master", master.URL, "sleep", "--tasks", "1", "--task-time", "10m")
	cmd.Env = append(cmd.Env, "SPARK_USER=somebody")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	log := &lines{to: t.Output()}
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	mlog.until(t, "Registered app sleep")
	if users := usersOf(t, master.UI); len(users) != 1 || users[0] != "somebody" {
		t.Errorf("the users of the applications are %q", users)
	}
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != exitSignalled+int(syscall.SIGINT) {
		t.Errorf("it ended with %v", cmd.ProcessState)
	}
	if n := strings.Count(log.String(), "error:"); n != 1 || !strings.Contains(log.String(), "error: interrupted\n") {
		t.Errorf("it said %d errors:\n%s", n, log.String())
	}
}

// usersOf are the users of the applications that a Master's page lists.
func usersOf(t *testing.T, page string) (users []string) {
	t.Helper()
	r, err := http.Get(page + "/json/")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var s struct {
		ActiveApps []struct{ User string } `json:"activeapps"`
	}
	if err := json.NewDecoder(r.Body).Decode(&s); err != nil {
		t.Fatal(err)
	}
	for _, a := range s.ActiveApps {
		users = append(users, a.User)
	}
	return users
}

// The driver of a run ends with the run, and only the run prints why.
func TestARunSaysOnceThatItWasInterrupted(t *testing.T) {
	t.Parallel()
	cmd := command(t, "run", "--workers", "1", "sleep", "--tasks", "1", "--task-time", "10m")
	log := &lines{to: t.Output()}
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	log.until(t, "executor 0 registered")
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != exitSignalled+int(syscall.SIGINT) {
		t.Errorf("it ended with %v", cmd.ProcessState)
	}
	if n := strings.Count(log.String(), "error:"); n != 1 || !strings.Contains(log.String(), "error: ended by a signal: interrupt\n") {
		t.Errorf("it reported %d errors:\n%s", n, log.String())
	}
}
