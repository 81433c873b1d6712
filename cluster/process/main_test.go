package process_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/coherer/coherer/cluster/process"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/parent"
)

// roleVar makes the test's own program one of the children below instead.
const roleVar = "COHERER_TEST_CHILD"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVar); role != "" {
		child(role, os.Args[1:])
		return
	}
	goleak.VerifyTestMain(m)
}

// child is a program that the tests start.
func child(role string, args []string) {
	switch role {
	case "exit":
		exit(args[0])
	case "kill-itself":
		n, _ := strconv.Atoi(args[0])
		_ = syscall.Kill(os.Getpid(), syscall.Signal(n)) // what comes of it is what is tested
		forever()
	case "say":
		fmt.Fprintln(os.Stdout, args[0])
		fmt.Fprintln(os.Stderr, args[1])
		exit(args[2])
	case "where":
		dir, _ := os.Getwd()
		fmt.Println(dir, os.Getenv("COHERER_TEST_VALUE"))
	case "plain": // ends by SIGTERM
		up(args)
		forever()
	case "polite": // ends by itself after SIGTERM
		term := make(chan os.Signal, 1)
		signal.Notify(term, syscall.SIGTERM)
		up(args)
		<-term
		exit("5")
	case "stubborn": // does not
		signal.Ignore(syscall.SIGTERM)
		up(args)
		forever()
	case "family": // has a child in its group, and stays
		run(args[0])
		forever()
	case "parent": // has a child by a Starter of its own
		_, err := process.NewStarter().Start(spec(args[0], args[1:]...), nil)
		must(err)
		forever()
	case "launcher": // becomes another program, from a thread that is not the first
		must(os.Setenv(roleVar, args[0]))
		for range 8 {
			go func() { must(process.Exec(self(), args[1:])) }()
		}
		forever()
	case "watcher": // ends with its parent by the pipe
		_, err := parent.Watch(func() { exit("0") })
		must(err)
		up(args)
		forever()
	case "write-ready":
		f := os.NewFile(4, "ready")
		_, err := f.WriteString(strings.ReplaceAll(args[0], "~", strings.Repeat("x", 5000)))
		must(err)
		if args[1] == "stay" {
			f.Close()
			forever()
		}
		exit("3")
	default:
		panic("no child " + role)
	}
}

// up says that the child is where the test wants it: on stdout, or as ready when it was asked for.
func up(args []string) {
	for _, arg := range args {
		if text, ok := strings.CutPrefix(arg, "--ready-fd="); ok {
			fd, err := strconv.Atoi(text)
			must(err)
			must(process.ReportReady(fd, process.Ready{Role: "test", URL: "spark://127.0.0.1:1", PID: os.Getpid()}))
			return
		}
	}
	fmt.Println("up")
}

func run(role string) {
	cmd := exec.Command(self())
	cmd.Env = append(os.Environ(), roleVar+"="+role)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	must(cmd.Start())
}

// forever outlives every test, not every machine.
func forever() {
	<-time.After(10 * time.Minute)
	exit("99")
}

func exit(code string) {
	n, err := strconv.Atoi(code)
	must(err)
	os.Exit(n)
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "child:", err)
		os.Exit(98)
	}
}

func self() string {
	path, err := os.Executable()
	must(err)
	return path
}

// spec starts a child.
func spec(role string, args ...string) process.Spec {
	return process.Spec{
		Path: self(), Args: args, Env: []string{roleVar + "=" + role},
		Stdout: process.Output{File: os.Stdout}, Stderr: process.Output{File: os.Stderr},
	}
}

func newStarter(t *testing.T) *process.Starter {
	t.Helper()
	s := process.NewStarter()
	t.Cleanup(s.Close)
	return s
}

// start returns the process and its end.
func start(t *testing.T, s *process.Starter, spec process.Spec) (*process.Process, <-chan rpcenv.Exit) {
	t.Helper()
	exits := make(chan rpcenv.Exit, 2)
	p, err := s.Start(spec, func(e rpcenv.Exit) { exits <- e })
	if err != nil {
		t.Fatal(err)
	}
	return p, exits
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func wantExit(t *testing.T, exits <-chan rpcenv.Exit, code int) {
	t.Helper()
	select {
	case e := <-exits:
		if e.Code != code || e.Err != nil {
			t.Fatalf("exit %+v, want code %d", e, code)
		}
	case <-within(t).Done():
		t.Fatalf("no exit; want code %d", code)
	}
}

// listen gives a child and its descendants a stdout whose end of file says that all of them are gone.
type listen struct {
	*bufio.Reader
	t    *testing.T
	r, w *os.File
}

func newListen(t *testing.T) *listen {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	_ = r.SetReadDeadline(time.Now().Add(30 * time.Second)) // without it the test only hangs longer
	return &listen{bufio.NewReader(r), t, r, w}
}

func (l *listen) wantUp() {
	l.t.Helper()
	l.w.Close()
	if line, err := l.ReadString('\n'); line != "up\n" {
		l.t.Fatalf("child said %q, %v", line, err)
	}
}

func (l *listen) wantGone() {
	l.t.Helper()
	if rest, err := io.ReadAll(l); err != nil {
		l.t.Fatalf("a process is left: %v (it said %q)", err, rest)
	}
}
