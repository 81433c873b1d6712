package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/cluster/app"
)

// binary is the real command, built once.
var binary string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	if fifo := os.Getenv(driverVar); fifo != "" {
		return waitingDriver(fifo)
	}
	if os.Getenv(app.SubmissionVar) != "" {
		app.Main(ending)
	}
	dir, err := os.MkdirTemp("", "coherer-cmd-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitFailed
	}
	defer os.RemoveAll(dir)
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "SPARK_") || slices.Contains([]string{"MASTER", "DEPLOY_MODE", "HADOOP_CONF_DIR", "YARN_CONF_DIR"}, name) {
			os.Unsetenv(name)
		}
	}
	os.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state"))
	binary = filepath.Join(dir, "coherer")
	// Programs without what debuggers read are linked in a third of the time: those that tests build, and those that the command builds.
	os.Setenv("GOFLAGS", os.Getenv("GOFLAGS")+" '-ldflags=-s -w'")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
		return exitFailed
	}
	manyAtOnce()
	return m.Run()
}

// manyAtOnce lets more tests run side by side than there are cores, unless -parallel says how many: they mostly wait for processes.
func manyAtOnce() {
	flag.Parse()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "test.parallel" })
	if !asked {
		_ = flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))) // the flag is there, and takes numbers
	}
}

// patience bounds a command, so that a test that hangs fails. A test that takes long by its flags adds to it.
var patience = 2 * time.Minute

// result is how a command ended.
type result struct {
	stdout, stderr string
	code           int
}

// command is the binary with a state directory of its own.
func command(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	// Not t's own context: it ends before the clean-up, which ends daemons in good order.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+t.TempDir())
	return cmd
}

// finish runs cmd. Its outputs are pipes that its descendants inherit, so it returns when all that hold them are gone.
func finish(t *testing.T, cmd *exec.Cmd) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// here runs a command in this process: one that starts no other with its own program, which here is the test.
func here(t *testing.T, args ...string) result {
	t.Helper()
	return hereUntil(t.Context(), t, args...)
}

// nothing is here for a command line that must not start anything: what starts by mistake ends at once.
func nothing(t *testing.T, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return hereUntil(ctx, t, args...)
}

func hereUntil(ctx context.Context, t *testing.T, args ...string) result {
	t.Helper()
	dir := t.TempDir()
	var files [2]*os.File
	for i := range files {
		var err error
		if files[i], err = os.Create(filepath.Join(dir, strconv.Itoa(i))); err != nil {
			t.Fatal(err)
		}
		defer files[i].Close()
	}
	code := run(ctx, streams{out: files[0], err: files[1]}, args)
	var printed [2]string
	for i, f := range files {
		text, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		printed[i] = string(text)
	}
	return result{printed[0], printed[1], code}
}

func TestWordCount(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("the quick  brown\tfox\njumps over \xff\xfe the lazy dog\r\nthe end\v\f", 50)
	file := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := command(t, "run", "wordcount", file)
	got := finish(t, cmd)
	if got.code != 0 {
		t.Fatalf("exit code %d: %s", got.code, got.stderr)
	}
	answer, table, _ := strings.Cut(got.stdout, "\n\n")
	if want := mostFrequent(text); answer != want {
		t.Errorf("answer:\n%s\nwant:\n%s", answer, want)
	}
	_, dir, found := strings.Cut(strings.TrimSpace(table), "run directory: ")
	if !found || !strings.Contains(table, "LaunchTask") {
		t.Fatalf("behind the answer stands:\n%s", table)
	}
	for _, name := range []string{"trace.jsonl", "diagram.svg", "diagram.mmd", "details.json", "logs"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "work")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("work is left: %v", err)
	}
	diagram, err := os.ReadFile(filepath.Join(dir, "diagram.mmd"))
	if lines := bytes.Count(diagram, []byte("\n")); err != nil || lines == 0 || lines >= 120 {
		t.Errorf("diagram.mmd has %d lines, %v", lines, err)
	}
	shown := command(t, "trace", "show", dir)
	if got := finish(t, shown); got.code != 0 || !strings.Contains(got.stdout, "RegisterApplication") {
		t.Errorf("trace show: code %d, %s", got.code, got.stderr)
	}
}

// mostFrequent is an independent count of the ten most frequent words.
func mostFrequent(text string) string {
	counts := map[string]int{}
	for _, word := range bytes.FieldsFunc([]byte(text), func(r rune) bool { return strings.ContainsRune(" \t\n\v\f\r", r) }) {
		counts[string(word)]++
	}
	var words []string
	for word := range counts {
		words = append(words, word)
	}
	slices.SortFunc(words, func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	var lines []string
	for _, word := range words[:min(10, len(words))] {
		lines = append(lines, strconv.Itoa(counts[word])+"\t"+escaped(word))
	}
	return strings.Join(lines, "\n")
}

// escaped writes the two odd bytes of the test's text as they are printed. Words are sorted before that, by their bytes.
func escaped(word string) string { return strings.ReplaceAll(word, "\xff\xfe", `\xff\xfe`) }

func TestAProgramThatDoesNotCompile(t *testing.T) {
	t.Parallel()
	broken := t.TempDir()
	write(t, filepath.Join(broken, "go.mod"), "module example.com/broken\n\ngo 1.26\n")
	write(t, filepath.Join(broken, "main.go"), "package main\n\nfunc main() { undefinedName() }\n")
	got := finish(t, command(t, "run", broken))
	if got.code != exitFailed || !strings.Contains(got.stderr, "undefinedName") {
		t.Errorf("code %d: %s", got.code, got.stderr)
	}
}

// When run dies, all its processes die. They inherit the pipe, so its end shows that none is left.
func TestKillOfRun(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := command(t, "run", "sleep", "--tasks", "2", "--task-time", "10m")
	cmd.Stderr = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	var seen bytes.Buffer
	buf := make([]byte, 4096)
	for !strings.Contains(seen.String(), "tasks") { // a stage has begun
		n, err := r.Read(buf)
		if err != nil {
			t.Fatalf("%v: %s", err, seen.String())
		}
		seen.Write(buf[:n])
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()                                  // it was killed
	_ = r.SetReadDeadline(time.Now().Add(patience)) // less than the tasks last
	if _, err := io.Copy(io.Discard, r); err != nil {
		t.Errorf("a process is left: %v", err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
