package process_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coherer/coherer/cluster/process"
	"github.com/coherer/coherer/rpcenv"
)

func TestExitCodes(t *testing.T) {
	s := newStarter(t)
	for _, c := range []struct {
		role, arg string
		code      int
	}{
		{"exit", "0", 0},
		{"exit", "1", 1},
		{"exit", "255", 255},
		{"kill-itself", "9", 137},
		{"kill-itself", "15", 143},
	} {
		t.Run(c.role+" "+c.arg, func(t *testing.T) {
			_, exits := start(t, s, spec(c.role, c.arg))
			wantExit(t, exits, c.code)
		})
	}
}

func TestKill(t *testing.T) {
	for _, c := range []struct {
		name, role string
		grace      []time.Duration
		code       int
	}{
		{"SIGTERM ends it", "plain", []time.Duration{time.Hour}, 143},
		{"it ends by itself", "polite", []time.Duration{time.Hour}, 5},
		{"grace runs out", "stubborn", []time.Duration{20 * time.Millisecond}, 137},
		{"no grace", "polite", []time.Duration{0}, 137},
		{"the shorter grace counts", "stubborn", []time.Duration{time.Hour, 20 * time.Millisecond, time.Hour}, 137},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := newListen(t)
			sp := spec(c.role)
			sp.Stdout.File = out.w
			p, exits := start(t, newStarter(t), sp)
			out.wantUp()
			for _, grace := range c.grace {
				p.Kill(grace)
			}
			wantExit(t, exits, c.code)
			out.wantGone()
			p.Kill(0) // nothing to kill any more
			if len(exits) != 0 {
				t.Error("onExit was called twice")
			}
		})
	}
}

func TestKillEndsTheGroup(t *testing.T) {
	out := newListen(t)
	sp := spec("family", "stubborn")
	sp.Stdout.File = out.w
	p, exits := start(t, newStarter(t), sp)
	out.wantUp()
	p.Kill(20 * time.Millisecond)
	wantExit(t, exits, 143) // the leader by SIGTERM, what is left of its group with it
	out.wantGone()
}

func TestTheGroupEndsWithItsLeader(t *testing.T) {
	out := newListen(t)
	sp := spec("family", "stubborn")
	sp.Stdout.File = out.w
	p, exits := start(t, newStarter(t), sp)
	out.wantUp()
	leader, err := os.FindProcess(p.PID())
	if err != nil {
		t.Fatal(err)
	}
	if err := leader.Kill(); err != nil {
		t.Fatal(err)
	}
	wantExit(t, exits, 137)
	out.wantGone()
}

func TestCloseEndsManyChildren(t *testing.T) {
	const children = 50
	s := process.NewStarter()
	out := newListen(t)
	var codes sync.Map
	var starts sync.WaitGroup
	for i := range children {
		starts.Go(func() {
			sp := spec("plain")
			sp.Stdout.File = out.w
			if _, err := s.Start(sp, func(e rpcenv.Exit) { codes.Store(i, e.Code) }); err != nil {
				t.Error(err)
			}
		})
	}
	starts.Wait()
	for range children {
		out.wantUp()
	}
	s.Close()
	s.Close()
	out.wantGone()
	for i := range children {
		if code, _ := codes.Load(i); code != 143 {
			t.Errorf("child %d: code %v, want 143", i, code)
		}
	}
	if _, err := s.Start(spec("exit", "0"), nil); !errors.Is(err, process.ErrClosed) {
		t.Errorf("Start after Close: %v", err)
	}
}

func TestCloseWhileStarting(t *testing.T) {
	s := process.NewStarter()
	out := newListen(t)
	var starts sync.WaitGroup
	for range 20 {
		starts.Go(func() {
			sp := spec("plain")
			sp.Stdout.File = out.w
			if _, err := s.Start(sp, nil); err != nil && !errors.Is(err, process.ErrClosed) {
				t.Error(err)
			}
		})
	}
	s.Close()
	starts.Wait()
	s.Close()
	out.w.Close()
	out.wantGone()
}

// The signal of the parent's death is that of the thread that forked, so threads that end must not be that one.
func TestChildrenOutliveOtherThreads(t *testing.T) {
	out := newListen(t)
	sp := spec("polite")
	sp.Stdout.File = out.w
	p, exits := start(t, newStarter(t), sp)
	out.wantUp()
	var threads sync.WaitGroup
	for range 50 {
		threads.Go(func() {
			runtime.LockOSThread() // the thread ends with the goroutine
			runtime.Gosched()
		})
	}
	threads.Wait()
	p.Kill(time.Hour)
	wantExit(t, exits, 5)
}

func TestOutputEnvironmentAndDirectory(t *testing.T) {
	s := newStarter(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("COHERER_TEST_VALUE", "inherited")
	for _, value := range []string{"inherited", "own"} {
		sp := spec("where")
		sp.Dir = dir
		sp.Stdout = process.Output{Path: filepath.Join(dir, "stdout")}
		if value == "own" {
			sp.Env = append(sp.Env, "COHERER_TEST_VALUE=own")
		}
		_, exits := start(t, s, sp)
		wantExit(t, exits, 0)
	}
	want := dir + " inherited\n" + dir + " own\n"
	if got := read(t, filepath.Join(dir, "stdout")); got != want {
		t.Errorf("stdout %q, want %q", got, want)
	}
}

func TestStderrPreamble(t *testing.T) {
	dir := t.TempDir()
	sp := spec("say", "to stdout", "to stderr", "0")
	sp.Stdout = process.Output{Path: filepath.Join(dir, "stdout")}
	sp.Stderr = process.Output{Path: filepath.Join(dir, "stderr")}
	sp.StderrPreamble = process.ExecutorPreamble("/bin/coherer", []string{"executor", "--cores", "1"})
	_, exits := start(t, newStarter(t), sp)
	wantExit(t, exits, 0)
	want := `Spark Executor Command: "/bin/coherer" "executor" "--cores" "1"` + "\n" + strings.Repeat("=", 40) + "\n\nto stderr\n"
	if got := read(t, filepath.Join(dir, "stderr")); got != want {
		t.Errorf("stderr %q, want %q", got, want)
	}
	if got := read(t, filepath.Join(dir, "stdout")); got != "to stdout\n" {
		t.Errorf("stdout %q", got)
	}
}

func TestStartRefuses(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "text"), "hello", 0o644)
	write(t, filepath.Join(dir, "garbage"), "\x7fELF, or not", 0o755)
	s := newStarter(t)
	for _, c := range []struct {
		name string
		spec process.Spec
		want string
		is   error
	}{
		{"nothing", process.Spec{}, "no program is named", nil},
		{"missing", process.Spec{Path: filepath.Join(dir, "none")}, "there is no such file", fs.ErrNotExist},
		{"not executable", process.Spec{Path: filepath.Join(dir, "text")}, "chmod +x", fs.ErrPermission},
		{"a directory", process.Spec{Path: dir}, "a directory", nil},
		{"garbage", process.Spec{Path: filepath.Join(dir, "garbage")}, "no program for this machine", nil},
		{"no directory", process.Spec{Path: self(), Dir: filepath.Join(dir, "none")}, "work directory", fs.ErrNotExist},
		{"directory is a file", process.Spec{Path: self(), Dir: filepath.Join(dir, "text")}, "no directory", nil},
		{"NUL", process.Spec{Path: self(), Args: []string{"a\x00b"}}, "NUL", nil},
		{"preamble without stderr", process.Spec{Path: self(), StderrPreamble: "x"}, "preamble", nil},
		{"rolling without a path", process.Spec{Path: self(), Stdout: process.Output{Rolling: &process.Rolling{MaxSize: 1}}}, "wants a path", nil},
		{"output twice", process.Spec{Path: self(), Stdout: process.Output{Path: "x", File: os.Stdout}}, "both", nil},
		{"output below a file", process.Spec{Path: self(), Stdout: process.Output{Path: filepath.Join(dir, "text", "x")}}, "no directory", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := s.Start(c.spec, func(e rpcenv.Exit) { t.Errorf("onExit(%+v) after an error", e) })
			if err == nil || !strings.Contains(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func ExampleStarter() {
	s := process.NewStarter()
	defer s.Close()
	exits := make(chan rpcenv.Exit)
	_, err := s.Start(process.Spec{Path: "/bin/sh", Args: []string{"-c", "exit 3"}}, func(e rpcenv.Exit) { exits <- e })
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("code", (<-exits).Code)
	// Output: code 3
}

func TestOutputThatRollsOverIsCopied(t *testing.T) {
	dir := t.TempDir()
	sp := spec("say", strings.Repeat("o", 100_000), "to stderr", "7")
	rolling := &process.Rolling{MaxSize: process.MinRollingSize}
	sp.Stdout = process.Output{Path: filepath.Join(dir, "stdout"), Rolling: rolling}
	sp.Stderr = process.Output{Path: filepath.Join(dir, "stderr"), Rolling: rolling}
	sp.StderrPreamble = "preamble\n"
	_, exits := start(t, newStarter(t), sp)
	wantExit(t, exits, 7)
	if got := read(t, filepath.Join(dir, "stderr")); got != "preamble\nto stderr\n" {
		t.Errorf("stderr %q", got)
	}
	files, err := filepath.Glob(filepath.Join(dir, "stdout*"))
	if err != nil || len(files) != 2 {
		t.Errorf("%v %v", files, err)
	}
	all := 0
	for _, f := range files {
		all += len(read(t, f))
	}
	if all != 100_001 {
		t.Errorf("%d bytes, want 100,001", all)
	}
}
