package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"github.com/coherer/coherer/rpcenv"
)

// ErrClosed is the error of a Start after Close.
var ErrClosed = errors.New("the starter of processes is closed")

// CloseGrace is how long the children have between the SIGTERM and the SIGKILL of [Starter.Close].
const CloseGrace = 2 * time.Second

// The descriptors that a child begins with, after stdin, stdout and stderr. ParentFD is the pipe whose end of file says that
// the parent is gone.
const (
	ParentFD     = 3
	childReadyFD = 4
)

// Starter starts processes and owns them to their end. It has one goroutine, locked to its thread, that forks; one per
// process waits. Its methods may be called from any goroutine.
type Starter struct {
	forks chan func()
	gone  chan struct{} // closed when the forking goroutine ended, and with it its thread

	// waits counts Starts under way and processes that run. No Add follows closed.
	waits sync.WaitGroup
	stop  sync.Once

	mu      sync.Mutex // locked before a Process's
	closed  bool
	running map[*Process]struct{}
}

// NewStarter returns a Starter without children. Close ends its goroutine.
func NewStarter() *Starter {
	s := &Starter{
		forks:   make(chan func()),
		gone:    make(chan struct{}),
		running: make(map[*Process]struct{}),
	}
	go s.fork()
	return s
}

// fork runs the functions from forks on one thread. The thread is not given back: it ends with the goroutine, and every child
// that is left ends with it.
func (s *Starter) fork() {
	defer close(s.gone)
	runtime.LockOSThread()
	for f := range s.forks {
		f()
	}
}

// Close ends the children, by SIGTERM and after [CloseGrace] by SIGKILL, and returns when all of them ended and their
// onExit returned; so it must not be called from an onExit. It may be called twice.
func (s *Starter) Close() {
	s.mu.Lock()
	s.closed = true
	for p := range s.running {
		p.Kill(CloseGrace)
	}
	s.mu.Unlock()

	// Without s.mu: a process that ends takes it in forget. forks is closed last, since a Start under way still sends to it.
	s.waits.Wait()
	s.stop.Do(func() { close(s.forks) })
	<-s.gone
}

// Start starts a process. On success onExit, which may be nil, is called exactly once after the process ended, on a
// goroutine of its own, possibly before Start returned; on an error it is not called. The error says what to do.
func (s *Starter) Start(spec Spec, onExit func(rpcenv.Exit)) (*Process, error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, fmt.Errorf("start %s: %w", spec.Path, ErrClosed)
	}
	s.waits.Add(1) // under the lock, or a Close in between would not wait for this Start
	s.mu.Unlock()

	p, err := s.start(&spec)
	if err != nil {
		s.waits.Done()
		return nil, fmt.Errorf("start %s: %w", spec.Path, err)
	}
	go func() {
		defer s.waits.Done()
		exit := p.wait()
		s.forget(p)
		if onExit != nil {
			onExit(exit)
		}
	}()
	return p, nil
}

func (s *Starter) start(spec *Spec) (_ *Process, err error) {
	if err := spec.validate(); err != nil {
		return nil, err
	}
	path, err := program(spec.Path)
	if err != nil {
		return nil, err
	}
	if spec.Dir != "" {
		if info, err := os.Stat(spec.Dir); err != nil {
			return nil, fmt.Errorf("work directory: %w", explain(err))
		} else if !info.IsDir() {
			return nil, fmt.Errorf("work directory %s: it is no directory", spec.Dir)
		}
	}

	p := &Process{name: nameOf(spec), ended: make(chan struct{})}
	// Deferred first, so it runs after closeStdout and closeStderr: an appender reads until every end to write to is closed.
	defer func() {
		if err != nil {
			p.abandonOutput()
		}
	}()
	stdout, closeStdout, err := p.output(spec.Stdout)
	if err != nil {
		return nil, err
	}
	defer closeStdout()
	stderr, closeStderr, err := p.output(spec.Stderr)
	if err != nil {
		return nil, err
	}
	defer closeStderr()
	if spec.Stderr.Rolling != nil { // stderr is a pipe to the file
		p.stderr = spec.Stderr.Path
		if info, err := os.Stat(p.stderr); err == nil {
			p.stderrFrom = info.Size()
		}
	}
	began := size(stderr)
	if spec.StderrPreamble != "" {
		if _, err := stderr.WriteString(spec.StderrPreamble); err != nil {
			return nil, fmt.Errorf("write the preamble of stderr: %w", explain(err))
		}
		began = size(stderr) // the preamble is none of the process's last words
	}

	if stderr != nil && p.stderr == "" {
		p.stderr, p.stderrFrom = stderr.Name(), began
	}

	// A pipe of its own for each child: children that shared one would share its blocking mode too.
	held, rope, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("pipe to the child: %w", explain(err))
	}
	defer held.Close()
	p.rope = rope
	defer func() {
		if err != nil {
			p.closePipes()
		}
	}()
	files, args := []*os.File{held}, append([]string{path}, spec.Args...)
	if spec.Ready {
		read, write, err := os.Pipe()
		if err != nil {
			return nil, fmt.Errorf("pipe for the ready line: %w", explain(err))
		}
		defer write.Close()
		p.readyPipe, p.readyDone = read, make(chan struct{})
		files, args = append(files, write), append(args, fmt.Sprintf("--ready-fd=%d", childReadyFD))
	}

	cmd := &exec.Cmd{Path: path, Args: args, Env: spec.environ(), Dir: spec.Dir, ExtraFiles: files, SysProcAttr: childAttr()}
	// A nil *os.File in an interface would not be nil.
	if spec.Stdin != nil {
		cmd.Stdin = spec.Stdin
	}
	if stdout != nil {
		cmd.Stdout = stdout
	}
	if stderr != nil {
		cmd.Stderr = stderr
	}
	// On the thread that lives as long as the Starter: the kernel kills a child when the thread that forked it ends.
	done := make(chan error)
	s.forks <- func() { done <- cmd.Start() }
	if err := <-done; err != nil {
		return nil, explain(err)
	}
	p.cmd = cmd
	s.remember(p)
	if spec.Ready {
		go p.readReady()
	}
	return p, nil
}

// remember makes Close know p, also a Close that came while p was forked.
func (s *Starter) remember(p *Process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[p] = struct{}{}
	if s.closed {
		p.Kill(CloseGrace)
	}
}

func (s *Starter) forget(p *Process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, p)
}
