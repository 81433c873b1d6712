package main

import (
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// While a run on YARN goes on, the commands that look at a cluster find its ResourceManager by themselves. A signal ends the
// run, and says which one.
func TestARunOnYARNIsFound(t *testing.T) {
	t.Parallel()
	log := &lines{to: t.Output()}
	run := command(t, append(append([]string{"run", "--yarn", "--nodes", "1"}, quick...), "sleep", "--tasks", "1", "--task-time", "10m")...)
	run.Stderr = log
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	log.until(t, "(state: RUNNING)")
	id := regexp.MustCompile(`application_\d+_\d+`).FindString(log.String())
	for _, look := range []struct {
		args []string
		want string
	}{
		{[]string{"status"}, id},
		{[]string{"why", "app", id}, id + " (sleep) is RUNNING"},
		{[]string{"why", "container", strings.Replace(id, "application", "container", 1) + "_01_000001"}, "RUNNING"},
		{[]string{"top", "--once", "--interval", "100ms"}, "NM1"},
	} {
		cmd := command(t, look.args...)
		cmd.Env = run.Env
		if r := finish(t, cmd); r.code != 0 || !strings.Contains(r.stdout, look.want) {
			t.Errorf("%q: %d\n%s%s", look.args, r.code, r.stdout, r.stderr)
		}
	}
	why := command(t, "why", "app", "app-20261128120000-0000")
	why.Env = run.Env
	if r := finish(t, why); r.code != exitFailed || !strings.Contains(r.stderr, "the run that goes on is on YARN and has no Master") {
		t.Errorf("an application of a Master: %d %s", r.code, r.stderr)
	}
	if err := run.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := run.Wait(); run.ProcessState.ExitCode() != exitSignalled+int(syscall.SIGTERM) {
		t.Errorf("it ended with %v", err)
	}
}
