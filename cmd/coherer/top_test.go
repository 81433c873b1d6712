package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/coherer/coherer/cluster/runner"
)

// TestTopOfARun looks at a run that goes on: at all its processes, as text and JSON, and at the metrics that it serves.
func TestTopOfARun(t *testing.T) {
	t.Parallel()
	run := command(t, "run", "--debug-addr", "127.0.0.1:0", "sleep", "--tasks", "2", "--task-time", "10m")
	state := "XDG_STATE_HOME=" + stateOf(run)
	stderr, err := run.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	registered := 0 // in any order
	for lines := bufio.NewScanner(stderr); registered < 2 && lines.Scan(); {
		if strings.Contains(lines.Text(), "executor 0 registered") || strings.Contains(lines.Text(), "executor 1 registered") {
			registered++
		}
	}
	top := command(t, "top", "--once", "--interval", "100ms", "-o", "json")
	top.Env = append(top.Env, state)
	got := finish(t, top)
	var p page
	if err := json.Unmarshal([]byte(got.stdout), &p); err != nil || got.code != 0 {
		t.Fatalf("%d %v: %q %s", got.code, err, got.stdout, got.stderr)
	}
	handled := map[string]uint64{}
	for _, r := range p.Rows {
		handled[r.Process+"/"+r.Endpoint] = r.Handled
	}
	for _, name := range []string{"Master/Master", "Worker1/Worker", "Worker2/Worker", "Driver/CoarseGrainedScheduler", "Exec0/Executor", "Exec1/Executor"} {
		if handled[name] == 0 {
			t.Errorf("%s has handled nothing: %v", name, handled)
		}
	}
	dir := filepath.Join(stateOf(run), "coherer", "runs", "latest")
	details, err := runner.ReadDetails(dir)
	if err != nil || details.End != nil || len(details.Masters) != 1 || len(details.Debug) != 3 {
		t.Errorf("%+v %v", details, err)
	}
	if page := fetch(t, "http://"+details.Debug["Worker2"]+"/metrics"); !strings.Contains(page, `coherer_rpc_handled_total{endpoint="Worker",env="Worker2"`) {
		t.Errorf("%.400s", page)
	}
	named := command(t, "top", details.Masters[0], "--once", "--interval", "100ms")
	if got := finish(t, named); got.code != 0 || !strings.Contains(got.stdout, "Exec0/Executor") || strings.Contains(got.stdout, "\x1b") {
		t.Errorf("%d %s %s", got.code, got.stdout, got.stderr)
	}

	// It ends with the run.
	live := command(t, "top", dir, "--interval", "100ms")
	out, err := live.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	live.Stderr = &said
	if err := live.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Error("no page")
	}
	if err := run.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, out); err != nil {
		t.Error(err)
	}
	if err := live.Wait(); err != nil || !strings.Contains(said.String(), "the cluster has ended") {
		t.Error(err, said.String())
	}
	if _, err := io.Copy(io.Discard, stderr); err != nil {
		t.Error(err)
	}
	_ = run.Wait() // SIGTERM ended it
	late := command(t, "top", dir)
	if got := finish(t, late); got.code != exitFailed || !strings.Contains(got.stderr, "no run goes on: sleep ended at") {
		t.Errorf("%d %s", got.code, got.stderr)
	}
}

func fetch(t *testing.T, url string) string {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestTopHasNothingToLookAt(t *testing.T) {
	t.Parallel()
	begun := command(t, "top", "begun")
	dir := filepath.Join(stateOf(begun), "coherer", "runs", "begun")
	if err := os.MkdirAll(filepath.Join(dir, "trace"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "pid"), strconv.Itoa(os.Getpid()))
	if got := finish(t, begun); got.code != exitFailed || !strings.Contains(got.stderr, "has no cluster yet") {
		t.Errorf("%d %s", got.code, got.stderr)
	}
	silent := command(t, "top", dir)
	write(t, filepath.Join(dir, "details.json"), `{"name":"x","masters":["spark://127.0.0.1:1"]}`)
	if got := finish(t, silent); got.code != exitFailed || !strings.Contains(got.stderr, "no process answers at 127.0.0.1:1") {
		t.Errorf("%d %s", got.code, got.stderr)
	}
	killed := command(t, "top", dir)
	write(t, filepath.Join(dir, "pid"), "0")
	if got := finish(t, killed); got.code != exitFailed || !strings.Contains(got.stderr, "begun was killed") {
		t.Errorf("%d %s", got.code, got.stderr)
	}
	if err := os.Symlink("begun", filepath.Join(filepath.Dir(dir), "latest")); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"status"}, {"why", "app", "x"}} { // as after the end of a run
		cmd := command(t, args...)
		cmd.Env = begun.Env
		if got := finish(t, cmd); !strings.Contains(got.stderr, "coherer trace show, or name the Master of a cluster with --master spark://HOST:PORT") {
			t.Errorf("%v: %s", args, got.stderr)
		}
	}
}

func TestATakenDebugAddressIsAnError(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, args := range [][]string{
		{"master", "--port", "0", "--webui-port", "0", "--conf", "coherer.gossip.port=0", "--debug-addr", l.Addr().String()},
		{"master", "--port", "0", "--webui-port", "0", "--conf", "coherer.gossip.port=0", "--conf", "coherer.debug.addr=" + l.Addr().String()},
	} {
		got := finish(t, command(t, args...))
		if got.code != exitFailed || !strings.Contains(got.stderr, "name a free port, or 0 for any") {
			t.Errorf("%s: %d %s", args, got.code, got.stderr)
		}
	}
}
