package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// driverVar makes this test's own program a driver that writes its process id into a FIFO and then waits. Its name begins with
// SPARK_, so a submission passes it on.
const driverVar = "SPARK_TEST_DRIVER"

func waitingDriver(fifo string) int {
	f, err := os.OpenFile(fifo, os.O_WRONLY, 0)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitFailed
	}
	fmt.Fprintln(f, os.Getpid(), strings.Join(os.Args[1:], " "))
	<-time.After(10 * time.Minute)
	return exitFailed
}

// fifo shows the begin and the end of a driver: the driver writes a line when it starts, and its death closes the FIFO.
type fifo struct {
	t    *testing.T
	path string
	f    *os.File
}

func newFIFO(t *testing.T) *fifo {
	t.Helper()
	p := &fifo{t: t, path: filepath.Join(t.TempDir(), "fifo")}
	if err := syscall.Mkfifo(p.path, 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

// runs waits until a driver runs, and returns the number of its process.
func (p *fifo) runs() int {
	p.t.Helper()
	var err error
	if p.f, err = os.Open(p.path); err != nil { // waits for the driver
		p.t.Fatal(err)
	}
	line, err := bufio.NewReader(p.f).ReadString('\n')
	words := strings.SplitN(strings.TrimSpace(line), " ", 2)
	pid, wrong := strconv.Atoi(words[0])
	if err != nil || wrong != nil || words[1] != "a b c" {
		p.t.Fatalf("the driver said %q: %v", line, err)
	}
	return pid
}

// ends waits for the end of the driver's process.
func (p *fifo) ends() {
	p.t.Helper()
	defer p.f.Close()
	if n, err := p.f.Read(make([]byte, 1)); n != 0 || err == nil {
		p.t.Errorf("%d bytes, %v; want the end", n, err)
	}
}

// begin starts a command; end waits for it and returns its output.
func begin(t *testing.T, cmd *exec.Cmd) (end func() string) {
	t.Helper()
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return func() string {
		t.Helper()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %v\n%s", cmd.Args[1:], err, out.String())
		}
		return out.String()
	}
}

// outputsOf is what the drivers of a Worker printed.
func outputsOf(t *testing.T, work string) (all string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(work, "driver-*", "stdout"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all += string(text)
	}
	return all
}

// TestClusterMode: a driver on a Worker is started again when it is killed, ends by --kill, and ends with its
// Worker.
func TestClusterMode(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	_, master := daemon(t, "master", "--port", "0", "--conf", "coherer.gossip.port=0")
	w, _ := daemon(t, "worker", master.URL, "--cores", "3", "--memory", "3g", "--work-dir", work)
	submit := func(fifo string, args ...string) *exec.Cmd {
		cmd := command(t, append([]string{"submit", "--master", master.URL, "--driver-memory", "512m", "--executor-memory", "512m"}, args...)...)
		if fifo != "" {
			cmd.Env = append(cmd.Env, driverVar+"="+fifo)
		}
		return cmd
	}

	first := newFIFO(t)
	pi := begin(t, submit("", "--deploy-mode", "cluster", "--total-executor-cores", "1", "--conf", "spark.standalone.submit.waitAppCompletion=true", "pi", "2"))
	supervised := begin(t, submit(first.path, "--deploy-mode", "cluster", "--supervise", self, "a b", "c"))
	pid := first.runs()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	first.ends()
	if again := first.runs(); again == pid {
		t.Errorf("process %d ran twice", pid)
	}
	said := supervised()
	id := regexp.MustCompile(`driver-\d{14}-\d{4}`).FindString(said)
	if !strings.Contains(said, "State of "+id+" is RUNNING") {
		t.Errorf("submit said\n%s", said)
	}
	if r := finish(t, submit("", "--status", id)); r.code != 0 || !strings.Contains(r.stdout, "State of "+id+" is RUNNING") {
		t.Errorf("status: %+v", r)
	}
	killing := begin(t, submit("", "--kill", id))
	first.ends()

	second := newFIFO(t)
	other := begin(t, submit(second.path, "--deploy-mode", "cluster", self, "a b", "c"))
	second.runs()
	if said := other(); !strings.Contains(said, "is RUNNING") {
		t.Errorf("submit said\n%s", said)
	}
	if said := killing(); !strings.Contains(said, "Kill request for "+id+" submitted") || !strings.Contains(said, "State of "+id+" is KILLED") {
		t.Errorf("kill said\n%s", said)
	}
	if said := pi(); !strings.Contains(said, "is FINISHED") {
		t.Errorf("pi said\n%s", said)
	}
	lost := finish(t, submit("", "--deploy-mode", "cluster", "--conf", "spark.standalone.submit.waitAppCompletion=true", "wordcount", "/no/such/file"))
	if lost.code != 0 || !strings.Contains(lost.stderr+lost.stdout, "Its process exited with code 1: error: wordcount: no file to count: stat /no/such/file") {
		t.Errorf("a driver that failed: %+v", lost)
	}
	if text := outputsOf(t, work); strings.Count(text, "Pi is roughly 3.1") != 1 {
		t.Errorf("the drivers printed %q", text)
	}
	if err := w.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	second.ends()
	if r := finish(t, submit("", "--kill", "driver-of-nobody")); r.code != 255 || !strings.Contains(r.stderr, "does not exist") {
		t.Errorf("kill of nobody: %+v", r)
	}
}

func TestProgramsThatAWorkerCannotFind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for program, want := range map[string]string{
		"./prog": "absolute path that every Worker sees, or by an http or https address", dir: "is a folder: in cluster mode nothing is built",
		"/bin/sh": "it is no Go program", "nobody": "nobody",
	} {
		r := finish(t, command(t, "submit", "--master", "spark://127.0.0.1:1", "--deploy-mode", "cluster", program))
		if r.code != exitUsage || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: %d %s, want %s", program, r.code, r.stderr, want)
		}
	}
	r := here(t, "submit", "--master", "spark://127.0.0.1:1", "--status", "driver-1")
	if r.code != 255 || !strings.Contains(r.stderr, "No master is available, exiting.") {
		t.Errorf("%d %s", r.code, r.stderr)
	}
}
