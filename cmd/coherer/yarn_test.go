package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// quick makes an application on YARN wait less than YARN does: for heartbeats, and for the client's reports.
var quick = []string{
	"--conf", "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms=100ms", "--conf", "spark.yarn.report.interval=100ms",
	"--conf", "yarn.scheduler.fair.update-interval-ms=50ms", "--conf", "spark.yarn.clientLaunchMonitorInterval=100ms", "--conf", "spark.executor.memory=512m",
	"--conf", "yarn.resourcemanager.webapp.address=127.0.0.1:0", "--conf", "yarn.nodemanager.webapp.address=127.0.0.1:0",
}

// TestRunOnYARN runs word count on YARN in both modes: what is printed, the table and the run directory are as on Workers.
func TestRunOnYARN(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("to be or not to be\n", 20)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "text"), text)
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	file, err := filepath.Rel(here, filepath.Join(dir, "text")) // as users name it
	if err != nil {
		t.Fatal(err)
	}
	for mode, peer := range map[string]string{"cluster": "Driver/YarnAM", "client": "AM/YarnAM"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"run", "--yarn", "--nodes", "2", "--deploy-mode", mode}, quick...)
			got := finish(t, command(t, append(args, "wordcount", file)...))
			if got.code != 0 {
				t.Fatalf("exit code %d: %s", got.code, got.stderr)
			}
			answer, table, _ := strings.Cut(got.stdout, "\n\n")
			if want := mostFrequent(text); answer != want {
				t.Errorf("answer:\n%s\nwant:\n%s", answer, want)
			}
			registered := regexp.MustCompile(`RegisterApplicationMasterRequest +` + peer + ` +RM/ApplicationMasterService +1 `)
			_, dir, found := strings.Cut(strings.TrimSpace(table), "run directory: ")
			if !found || !registered.MatchString(table) || !regexp.MustCompile(`RegisterNodeManagerRequest +NM/ContainerManager +RM/ResourceTracker +2 `).MatchString(table) {
				t.Fatalf("behind the answer stands:\n%s", table)
			}
			diagram, err := os.ReadFile(filepath.Join(dir, "diagram.svg"))
			// A slow machine has more heartbeats, and a diagram that is too long draws numbered nodes as one.
			if err != nil || !regexp.MustCompile(`>NM2?<`).Match(diagram) || !regexp.MustCompile(`>Exec1?<`).Match(diagram) {
				t.Errorf("diagram: %v\n%s", err, diagram)
			}
			if left, err := filepath.Glob(filepath.Join(dir, "work*")); err != nil || left != nil {
				t.Errorf("%q is left, %v", left, err)
			}
		})
	}
}

// TestSubmitToYARN submits to daemons: a program of the user's in both modes, one that fails, and one that is ended by its
// id.
func TestSubmitToYARN(t *testing.T) {
	t.Parallel()
	_, rm := daemon(t, append([]string{"resourcemanager", "--port", "0"}, quick...)...)
	address := strings.TrimPrefix(rm.URL, "yarn://")
	dirs := t.TempDir()
	nm, _ := daemon(t, append([]string{"nodemanager", address, "--local-dirs", dirs + "/local", "--log-dirs", dirs + "/logs"}, quick...)...)
	home := t.TempDir()
	submit := func(args ...string) *exec.Cmd {
		all := append([]string{"submit", "--master", "yarn", "--queue", "root.a", "--conf", "spark.hadoop.yarn.resourcemanager.address=" + address}, quick...)
		cmd := command(t, append(append(all, "--conf", "spark.yarn.stagingDir="+home), args...)...)
		cmd.Env = append(cmd.Env, "HADOOP_USER_NAME=tester")
		return cmd
	}
	file := filepath.Join(t.TempDir(), "text")
	write(t, file, "a b a\n")
	r := finish(t, submit("../../examples/wordcount", file))
	if r.code != 0 || r.stdout != "2\ta\n1\tb\n" {
		t.Errorf("client mode: %d %q %s", r.code, r.stdout, r.stderr)
	}
	r = finish(t, submit("--deploy-mode", "cluster", "wordcount", file))
	if r.code != 0 || !strings.Contains(r.stdout, "final status: SUCCEEDED") || !strings.Contains(r.stdout, "user: tester") {
		t.Errorf("cluster mode: %d %q %s", r.code, r.stdout, r.stderr)
	}
	if out := driverOutput(t, dirs, "0002"); out != "2\ta\n1\tb\n" {
		t.Errorf("the driver printed %q", out)
	}
	r = finish(t, submit("--deploy-mode", "cluster", "--conf", "spark.yarn.maxAppAttempts=1", "wordcount", "/no/such/file"))
	if r.code != exitFailed || !strings.Contains(r.stderr, "finished with failed status") || !strings.Contains(r.stderr, "/no/such/file") {
		t.Errorf("an application that fails: %d %q %s", r.code, r.stdout, r.stderr)
	}
	if left, err := filepath.Glob(home + "/tester/.sparkStaging/*"); err != nil || left != nil {
		t.Errorf("%q is left, %v", left, err)
	}
	r = finish(t, submit("--deploy-mode", "cluster", "--conf", "spark.yarn.submit.waitAppCompletion=false", "sleep", "--tasks", "1", "--task-time", "10m"))
	id := regexp.MustCompile(`application_\d+_0004`).FindString(r.stdout)
	if r.code != 0 || id == "" {
		t.Fatalf("fire and forget: %d %q %s", r.code, r.stdout, r.stderr)
	}
	for _, step := range []struct{ option, says string }{
		{"--status", "(state: "}, {"--kill", "Killed application " + id}, {"--status", "(state: KILLED)"},
	} {
		if r = finish(t, submit(step.option, id)); r.code != 0 || !strings.Contains(r.stdout, step.says) {
			t.Errorf("%s: %d %q %s", step.option, r.code, r.stdout, r.stderr)
		}
	}
	if r = finish(t, submit("--kill", id)); r.code != 0 || !strings.Contains(r.stdout, id+" has already finished (state: KILLED)") {
		t.Errorf("--kill of one that was killed: %d %q %s", r.code, r.stdout, r.stderr)
	}
	if r = finish(t, command(t, "submit", "--master", "yarn://"+address, "--status", id)); r.code != 0 || !strings.Contains(r.stdout, "(state: KILLED)") {
		t.Errorf("--status at yarn://: %d %q %s", r.code, r.stdout, r.stderr)
	}
	if r = finish(t, submit("--status", id[:len(id)-1]+"9")); r.code != exitFailed || !strings.Contains(r.stderr, "knows no application") {
		t.Errorf("--status of another: %d %q", r.code, r.stderr)
	}
	if err := nm.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := nm.Wait(); err != nil {
		t.Errorf("the NodeManager's end: %v", err)
	}
}

// driverOutput is what the driver of an application in cluster mode printed.
func driverOutput(t *testing.T, dirs, app string) string {
	t.Helper()
	paths, err := filepath.Glob(dirs + "/logs/application_*_" + app + "/container_*_01_000001/stdout")
	if err != nil || len(paths) != 1 {
		t.Fatalf("%q %v", paths, err)
	}
	out, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
