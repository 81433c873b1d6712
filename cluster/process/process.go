package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/coherer/coherer/rpcenv"
)

var _ rpcenv.Process = (*Process)(nil)

// Process is a child of this process, and the leader of its own process group.
type Process struct {
	name string
	cmd  *exec.Cmd
	// rope is the write end of the pipe whose end of file says to the child that its parent is gone.
	rope *os.File
	// ended is closed after exit was set.
	ended chan struct{}
	exit  rpcenv.Exit

	appenders []*appender // of outputs that roll over

	readyPipe  *os.File
	readyDone  chan struct{} // closed after ready and readyErr were set; nil when no report was asked for
	ready      Ready
	readyErr   error
	stderr     string // the file of its last words
	stderrFrom int64

	mu     sync.Mutex
	over   bool // the group is gone and its number may be another's
	hard   *time.Timer
	hardAt time.Time
}

// PID is the process's number.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Kill sends SIGTERM to the process's group and, when the process has not ended after grace, SIGKILL; with no grace
// SIGKILL at once. It does not wait. Of several calls the one whose grace ends first counts; after the end of the process
// it does nothing.
func (p *Process) Kill(grace time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return
	}
	if grace <= 0 {
		p.signal(syscall.SIGKILL)
		return
	}
	p.signal(syscall.SIGTERM)
	at := time.Now().Add(grace)
	if p.hard != nil && !at.Before(p.hardAt) { // a later call may shorten the time, never lengthen it
		return
	}
	if p.hard != nil {
		p.hard.Stop()
	}
	p.hardAt = at
	p.hard = time.AfterFunc(grace, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if !p.over { // Stop in endGroup may have come too late for this timer
			p.signal(syscall.SIGKILL)
		}
	})
}

// signal wants p.mu. Its error could only be that the group is gone, which is what the caller wants.
func (p *Process) signal(sig syscall.Signal) {
	_ = syscall.Kill(-p.PID(), sig)
}

// wait returns when the process ended.
func (p *Process) wait() rpcenv.Exit {
	// As long as the leader is not reaped its number, which is the group's, cannot become another's.
	unreaped := awaitEnd(p.PID())
	if unreaped {
		p.endGroup()
	}
	err := p.cmd.Wait()
	if !unreaped {
		p.endGroup()
	}
	p.exit = exitOf(err)
	// The last words, and onExit, which follows, count on whole files. A descendant that left the group may hold the pipes, hence
	// the deadlines.
	for _, a := range p.appenders {
		a.finish()
	}
	// A process that chose its exit code has said why on stderr; one that a signal ended has not.
	if p.stderr != "" && 0 < p.exit.Code && p.exit.Code < Signalled {
		p.exit.Words = errorLine(p.stderr, p.stderrFrom)
	}
	close(p.ended)
	p.rope.Close()
	if p.readyPipe != nil {
		_ = p.readyPipe.SetReadDeadline(time.Now().Add(readyGrace)) // its reader closes it
	}
	if p.readyDone != nil {
		<-p.readyDone
	}
	return p.exit
}

// endGroup ends the processes that the leader left in its group.
func (p *Process) endGroup() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.signal(syscall.SIGKILL)
	p.over = true
	if p.hard != nil {
		p.hard.Stop()
	}
}

// output opens one of the outputs; done closes what is the process's alone, after the fork.
func (p *Process) output(o Output) (f *os.File, done func(), err error) {
	if o.Rolling == nil {
		return o.open()
	}
	a, f, err := appendTo(o, time.Now)
	if err != nil {
		return nil, nil, err
	}
	p.appenders = append(p.appenders, a)
	return f, func() { f.Close() }, nil
}

// abandonOutput is for a process that could not be started, after its ends of the pipes were closed.
func (p *Process) abandonOutput() {
	for _, a := range p.appenders {
		a.abandon()
	}
}

// closePipes is for a process that could not be started.
func (p *Process) closePipes() {
	p.rope.Close()
	if p.readyPipe != nil {
		p.readyPipe.Close()
	}
}

// Signalled is what a shell adds to the number of the signal that ended a process.
const Signalled = 128

// exitOf is the exit that a shell would report for the result of a Wait.
func exitOf(err error) rpcenv.Exit {
	var failed *exec.ExitError
	switch {
	case err == nil:
		return rpcenv.Exit{}
	case !errors.As(err, &failed):
		return rpcenv.Exit{Code: -1, Err: fmt.Errorf("wait for the process: %w", err)}
	}
	if status, ok := failed.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return rpcenv.Exit{Code: Signalled + int(status.Signal())}
	}
	return rpcenv.Exit{Code: failed.ExitCode()}
}

// nameOf is the process's name in errors: its sub-command, as in "worker", or the file's name.
func nameOf(spec *Spec) string {
	if len(spec.Args) > 0 && spec.Args[0] != "" && !strings.HasPrefix(spec.Args[0], "-") {
		return spec.Args[0]
	}
	return filepath.Base(spec.Path)
}
