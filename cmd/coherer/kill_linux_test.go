package main

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// processesUnder are the processes whose working directory fits a pattern below a directory, by their numbers.
func processesUnder(t *testing.T, dir, pattern string) (pids []int) {
	t.Helper()
	procs, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range procs {
		cwd, err := os.Readlink(p)
		if err != nil {
			continue // it has ended, or belongs to another user
		}
		if fits, err := filepath.Match(filepath.Join(dir, pattern), cwd); err != nil {
			t.Fatal(err)
		} else if fits {
			pid, _ := strconv.Atoi(strings.Split(p, "/")[2])
			pids = append(pids, pid)
		}
	}
	return pids
}

// kill9 kills one of the processes under the directories of Workers, and says under which.
func kill9(t *testing.T, pattern string, works ...string) (work string) {
	t.Helper()
	for _, dir := range works {
		if pids := processesUnder(t, dir, pattern); len(pids) > 0 {
			if err := syscall.Kill(pids[0], syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			return dir
		}
	}
	t.Fatalf("no process runs in %s of %v", pattern, works)
	return ""
}

// masterState is what is looked at of a Master's /json.
type masterState struct {
	CoresUsed        int   `json:"coresused"`
	MemoryUsed       int   `json:"memoryused"`
	ActiveApps       []any `json:"activeapps"`
	ActiveDrivers    []any `json:"activedrivers"`
	CompletedDrivers []struct{ ID, State string }
}

func jsonOf(t *testing.T, page string) (s masterState) {
	t.Helper()
	r, err := http.Get(page + "/json/")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if err := json.NewDecoder(r.Body).Decode(&s); err != nil {
		t.Fatal(err)
	}
	return s
}

// endHard ends a daemon as kill -9 does.
func endHard(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed, it says
}

// endSoft ends a daemon in good order.
func endSoft(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %v", cmd.Args[1:2], err)
	}
}

// TestEachProcessIsKilledInTurn: while an application and a supervised driver with an application of its own run, an
// executor, the driver, the Master and the driver's Worker are ended by kill -9, one after the other. Both results are
// right, the books are empty, and no process is left.
func TestEachProcessIsKilledInTurn(t *testing.T) {
	t.Parallel()
	records := filepath.Join(t.TempDir(), "records")
	startMaster := func(log *lines, port string) (m *exec.Cmd, url, page string) {
		cmd, ready := daemonTo(t, log, nil, "master", "--port", port, "--webui-port", "0", "--conf", "coherer.gossip.port=0",
			"--conf", "spark.deploy.recoveryMode=FILESYSTEM", "--conf", "spark.deploy.recoveryDirectory="+records,
			"--conf", "spark.deploy.recoveryTimeout=3s")
		return cmd, ready.URL, ready.UI
	}
	mlog := &lines{to: t.Output()}
	m, url, _ := startMaster(mlog, "0")
	works := []string{t.TempDir(), t.TempDir()}
	logs := []*lines{{to: t.Output()}, {to: t.Output()}}
	workers := make([]*exec.Cmd, 2)
	startWorker := func(i int) {
		workers[i], _ = daemonTo(t, logs[i], nil, "worker", url, "--webui-port", "0", "--cores", "4", "--memory", "4g", "--work-dir", works[i])
	}
	startWorker(0)
	startWorker(1)
	submit := func(args ...string) []string {
		return append([]string{"submit", "--master", url, "--driver-memory", "512m", "--executor-memory", "512m", "--executor-cores", "1"}, args...)
	}
	job := begin(t, command(t, submit("--total-executor-cores", "2", "sleep", "--tasks", "20", "--task-time", "500ms", "--stages", "2")...))
	mlog.until(t, "Launching executor app-")
	app := regexp.MustCompile(`app-\d{14}-0000`).FindString(mlog.String())
	submission := command(t, submit("--deploy-mode", "cluster", "--supervise", "--total-executor-cores", "1", "sleep", "--tasks", "6", "--task-time", "300ms")...)
	if err := submission.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = submission.Wait() }() // it loses its Master
	mlog.until(t, "Launching driver driver-")
	driver := regexp.MustCompile(`driver-\d{14}-\d{4}`).FindString(mlog.String())
	mlog.until(t, "-0001/0 on worker") // an executor of the driver's
	// The Worker with the driver dies last: the executor is killed on the other one.
	host := 0
	if len(processesUnder(t, works[1], "driver-*")) > 0 {
		host = 1
	}

	// An executor: its Worker says how it ended.
	logs[1-host].until(t, "Asked to launch executor")
	kill9(t, filepath.Join("app-*", "*"), works[1-host])
	logs[1-host].until(t, "finished with state EXITED message Command exited with code 137")

	// The driver: its Worker starts it again.
	kill9(t, "driver-*", works[host])
	logs[host].until(t, "Driver "+driver+": command exited with status 137, re-launching after 1 s.")

	// The Master: started again it finds all of them.
	endHard(t, m)
	mlog = &lines{to: t.Output()}
	m, _, page := startMaster(mlog, url[strings.LastIndex(url, ":")+1:])
	mlog.until(t, "Recovery complete")

	// The driver's Worker: the driver runs elsewhere, under another id.
	endHard(t, workers[host])
	mlog.until(t, "Re-launching "+driver)
	startWorker(host)
	mlog.until(t, "Launching driver driver-")
	status := finish(t, command(t, submit("--status", driver)...))
	again := regexp.MustCompile(`relaunched as (driver-\d{14}-\d{4})`).FindStringSubmatch(status.stdout)
	if status.code != 0 || len(again) != 2 {
		t.Fatalf("status: %+v", status)
	}

	if out := job(); !strings.Contains(out, "40 tasks slept\n") {
		t.Errorf("the application said\n%s", out)
	}
	mlog.until(t, "Removing driver: "+again[1])
	mlog.until(t, "Removing app "+app)
	if text := outputsOf(t, works[1-host]) + outputsOf(t, works[host]); strings.Count(text, "6 tasks slept\n") != 1 {
		t.Errorf("the drivers printed %q", text)
	}
	s := jsonOf(t, page)
	var states []string
	for _, d := range s.CompletedDrivers {
		states = append(states, d.ID+" "+d.State)
	}
	if want := []string{driver + " RELAUNCHING", again[1] + " FINISHED"}; !slices.Equal(states, want) {
		t.Errorf("drivers %q, want %q", states, want)
	}
	if s.CoresUsed != 0 || s.MemoryUsed != 0 || len(s.ActiveApps) != 0 || len(s.ActiveDrivers) != 0 {
		t.Errorf("the books: %+v", s)
	}
	for _, w := range workers {
		endSoft(t, w)
	}
	endSoft(t, m)
	for _, dir := range works {
		for _, pattern := range []string{"driver-*", filepath.Join("app-*", "*")} {
			if pids := processesUnder(t, dir, pattern); len(pids) > 0 {
				t.Errorf("processes %v are left in %s", pids, filepath.Join(dir, pattern))
			}
		}
	}
}
