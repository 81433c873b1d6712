package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/cluster/process"
	"github.com/coherer/coherer/rpcenv"
)

// closeGrace is how long a contender's process has for its end after its stdin was closed.
const closeGrace = 10 * time.Second

// program is how to start a contender's process.
type program struct {
	path string
	args []string
}

// child is a contender's process, here or at the other machine. Its stdin ends with this process, and it with its stdin.
type child struct {
	role    string // for errors
	in      io.WriteCloser
	answers chan answer // closed at the end of its stdout
	ended   chan ending // has room for the one that comes, which each reader puts back
	kill    func()      // ends it at once
}

// ending is how a contender's process ended.
type ending struct {
	Code int `json:"code"`
	// Words is what is known besides: the end of its stderr.
	Words string `json:"words"`
}

func (e ending) String() string {
	return fmt.Sprintf("its process ended with code %d%s", e.Code, e.Words)
}

type answer struct {
	measure.Answer
	err error
}

// start starts a contender's process and waits for its first line. The caller closes it.
func (r *runner) start(ctx context.Context, p program, role string) (*child, *measure.Hello, error) {
	c := newChild(role)
	if err := c.start(r.starter, r.dir, p); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", role, err)
	}
	if r.started != nil {
		r.started(c)
	}
	return c.greet(ctx, p.path)
}

func newChild(role string) *child {
	return &child{role: role, answers: make(chan answer, 1), ended: make(chan ending, 1)}
}

// greet waits for the first line of the process, and ends the process if that is wrong.
func (c *child) greet(ctx context.Context, path string) (*child, *measure.Hello, error) {
	a, err := c.answer(ctx)
	if err == nil && a.Hello == nil {
		err = fmt.Errorf("%s: its first line is no hello: is %s a program of contenders?", c.role, path)
	}
	// The comparison would mean nothing between processes with different numbers of processors.
	if err == nil && a.Hello.GOMAXPROCS != runtime.GOMAXPROCS(0) {
		err = fmt.Errorf("%s: it has GOMAXPROCS %d, want %d like all others", c.role, a.Hello.GOMAXPROCS, runtime.GOMAXPROCS(0))
	}
	if err != nil {
		c.close()
		return nil, nil, err
	}
	return c, a.Hello, nil
}

func (c *child) start(starter *process.Starter, dir string, p program) error {
	out, err := c.launch(starter, dir, p, runtime.GOMAXPROCS(0))
	if err != nil {
		return err
	}
	go c.read(out)
	return nil
}

// launch starts the process and returns its stdout.
func (c *child) launch(starter *process.Starter, dir string, p program, procs int) (io.ReadCloser, error) {
	stderr, err := os.CreateTemp(dir, "stderr-")
	if err != nil {
		return nil, err
	}
	defer stderr.Close()
	stdin, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	// Our copies of the child's ends are closed: its stdout ends with it only if no other process holds that open.
	defer stdin.Close()
	out, stdout, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	defer stdout.Close()
	c.in = in
	started, err := starter.Start(process.Spec{
		Path: p.path, Args: p.args, Stdin: stdin,
		Stdout: process.Output{File: stdout}, Stderr: process.Output{File: stderr},
		Env: []string{fmt.Sprint("GOMAXPROCS=", procs)},
	}, func(e rpcenv.Exit) { c.ended <- ending{e.Code, lastWords(stderr.Name())} })
	if err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	c.kill = func() { started.Kill(0) }
	return out, nil
}

// read passes on the lines of its stdout until their end.
func (c *child) read(out io.ReadCloser) {
	defer close(c.answers)
	defer out.Close()
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, measure.MaxLine)
	for lines.Scan() {
		c.answers <- c.parse(lines.Bytes())
	}
}

func (c *child) parse(line []byte) (a answer) {
	if err := json.Unmarshal(line, &a.Answer); err != nil {
		a.err = fmt.Errorf("%s: it said %.80q: want one object of JSON: %w", c.role, line, err)
	}
	return a
}

// call gives a command and returns the answer.
func (c *child) call(ctx context.Context, cmd measure.Command) (*measure.Answer, error) {
	line, err := json.Marshal(cmd)
	if err != nil {
		return nil, err
	}
	// An error means that the process ended, which answer reports with its exit code and stderr.
	_, _ = c.in.Write(append(line, '\n'))
	a, err := c.answer(ctx)
	if err == nil && a.Error != "" {
		err = fmt.Errorf("%s: %s", c.role, a.Error)
	}
	return a, err
}

func (c *child) answer(ctx context.Context) (*measure.Answer, error) {
	select {
	case a, ok := <-c.answers:
		if ok {
			return &a.Answer, a.err
		}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	// Its stdout ended, so it ends: the error names its exit code.
	select {
	case exit := <-c.ended:
		c.ended <- exit
		return nil, fmt.Errorf("%s: %s", c.role, exit)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// close ends the process and waits for its end.
func (c *child) close() {
	// The end of stdin is its order to end, also in the midst of a trial; the kill is for one that does not obey.
	_ = c.in.Close()
	go func() { // what it still writes: read would block on it, and the process on a full pipe
		for range c.answers {
			continue
		}
	}()
	timer := time.NewTimer(closeGrace)
	defer timer.Stop()
	select {
	case exit := <-c.ended:
		c.ended <- exit
		return
	case <-timer.C:
	}
	c.kill()
	c.ended <- <-c.ended // wait, and leave the exit for a second close
}

// lastWords is the end of a process's stderr, for the end of an error's text.
func lastWords(path string) string {
	const most = 2 << 10
	text, err := os.ReadFile(filepath.Clean(path))
	if err != nil {
		return ""
	}
	words := strings.TrimSpace(string(text[max(0, len(text)-most):]))
	if words == "" {
		return ", without a word"
	}
	return ": " + words
}
