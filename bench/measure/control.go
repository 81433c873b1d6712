package measure

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"
)

// MaxLine bounds a line of the control protocol.
const MaxLine = 1 << 20

// Stall is how long after its time a trial may take to come to its end.
const Stall = 10 * time.Second

// comeUp is how long a peer of a role may take to come up, on a machine that is busy; most take a tenth.
const comeUp = 5 * time.Millisecond

// patience is how long a trial may take.
func (s *Spec) patience() time.Duration {
	d := s.WarmUp + s.Duration + Stall
	if s.Case.Peers() {
		d += time.Duration(s.Pairs) * comeUp
	}
	return d
}

// Command is a line to a contender's process; one field is set.
type Command struct {
	// Serve begins the receiving side of a remote case; the answer is Serving. It ends an earlier one.
	Serve *Spec `json:"serve,omitempty"`
	// Run runs the sending side; the answer is Result.
	Run *RunCommand `json:"run,omitempty"`
	// Report asks the receiving side what it counted; the answer is Report.
	Report bool `json:"report,omitempty"`
}

// RunCommand is a trial, and in remote cases where its other side serves.
type RunCommand struct {
	Spec    Spec   `json:"spec"`
	Address string `json:"address,omitempty"`
	// Marks is that of Serving.
	Marks string `json:"marks,omitempty"`
}

// Answer is a line from a contender's process; one field is set.
type Answer struct {
	// Hello is the first line, without being asked for.
	Hello   *Hello    `json:"hello,omitempty"`
	Serving *Serving  `json:"serving,omitempty"`
	Result  *Result   `json:"result,omitempty"`
	Report  *Received `json:"report,omitempty"`
	// Error is why a command failed. The process goes on.
	Error string `json:"error,omitempty"`
}

// Hello names the process and its contenders.
type Hello struct {
	Contenders []Named `json:"contenders"`
	Go         string  `json:"go"`
	GOMAXPROCS int     `json:"gomaxprocs"`
}

// Serving is where the receiving side is.
type Serving struct {
	Address string `json:"address"`
	// Marks is where the receiving side of operations hears of the batches; empty for messages.
	Marks string `json:"marks,omitempty"`
}

// Result is what the sending side measured, and in local cases what the other one counted.
type Result struct {
	Sent     Sent      `json:"sent"`
	Received *Received `json:"received,omitempty"`
}

// Elapsed is how long the measured batch of a case took: of a flood, which has no acknowledgements to wait for, at the receiver.
func (r *Result) Elapsed(c Case) time.Duration {
	if c == OneWay && r.Received != nil {
		return r.Received.Elapsed
	}
	return r.Sent.Elapsed
}

// speaker is a contender's process.
type speaker struct {
	contenders []Contender
	sinks      []*Sink // of the receiving side
	stop       func()  // of the receiving side
}

// Speak is a contender's process: it reads commands, one JSON object a line, and answers each with a line. It returns at the end
// of in, also in the midst of a trial, so no process outlives its parent. An error is one of the control itself.
func Speak(ctx context.Context, in io.Reader, out io.Writer, contenders ...Contender) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &speaker{contenders: contenders, stop: func() {}}
	defer func() { s.stop() }()
	enc := json.NewEncoder(out)
	hello := Hello{Go: runtime.Version(), GOMAXPROCS: runtime.GOMAXPROCS(0)}
	for _, c := range contenders {
		hello.Contenders = append(hello.Contenders, NameOf(c))
	}
	if err := enc.Encode(Answer{Hello: &hello}); err != nil {
		return fmt.Errorf("control: %w", err)
	}
	// Reading goes on beside a trial, so that the end of in ends the trial too: cancel reaches it.
	commands, broken := make(chan Command), make(chan error, 1)
	go func() {
		broken <- read(ctx, in, commands)
		cancel()
		close(commands)
	}()
	for cmd := range commands {
		if err := enc.Encode(s.do(ctx, cmd)); err != nil {
			return fmt.Errorf("control: %w", err)
		}
	}
	return <-broken
}

// read passes on the commands from in until its end.
func read(ctx context.Context, in io.Reader, commands chan<- Command) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, MaxLine)
	for lines.Scan() {
		var cmd Command
		if err := json.Unmarshal(lines.Bytes(), &cmd); err != nil {
			return fmt.Errorf("control: line %.80q: want one object of JSON: %w", lines.Bytes(), err)
		}
		// Speak may have returned by an error of out: then it takes no further command.
		select {
		case commands <- cmd:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("control: %w", err)
	}
	return nil
}

func (s *speaker) do(ctx context.Context, cmd Command) Answer {
	a, err := s.try(ctx, cmd)
	if err != nil {
		return Answer{Error: err.Error()}
	}
	return a
}

func (s *speaker) try(ctx context.Context, cmd Command) (a Answer, err error) {
	switch {
	case cmd.Serve != nil:
		a.Serving, err = s.serve(cmd.Serve)
	case cmd.Run != nil:
		a.Result, err = s.run(ctx, cmd.Run)
	case cmd.Report && s.sinks != nil:
		a.Report, err = s.sinks[0].counts.measured()
	case cmd.Report:
		err = errors.New("nothing is served here")
	default:
		err = errors.New("the command is none of serve, run and report")
	}
	return a, err
}

func (s *speaker) find(spec *Spec) (Contender, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	for _, c := range s.contenders {
		if c.Name() != spec.Contender {
			continue
		}
		if why := NameOf(c).Refuses(spec); why != "" {
			return nil, fmt.Errorf("%s: %s", spec.Contender, why)
		}
		return c, nil
	}
	return nil, fmt.Errorf("there is no contender %q here", spec.Contender)
}

func (s *speaker) serve(spec *Spec) (*Serving, error) {
	c, err := s.find(spec)
	if err != nil {
		return nil, err
	}
	if !spec.Case.Remote() {
		return nil, fmt.Errorf("%s has one process: run it", spec.Case)
	}
	sinks, err := newSinks(spec)
	if err != nil {
		return nil, err
	}
	// Cleared before the new side serves: after a failed Serve, Report must not answer with the counts of the old one.
	s.stop()
	s.stop, s.sinks = func() {}, nil
	address, stop, err := c.Serve(spec, sinks)
	if err != nil {
		return nil, err
	}
	s.stop, s.sinks = stop, sinks
	serving := &Serving{Address: address}
	if spec.Case.Kind() == KindOp {
		marks, err := serveMarks(spec.ListenHost(), sinks[0])
		if err != nil {
			return nil, err
		}
		s.stop = func() {
			_ = marks.close() // the trial is over
			stop()
		}
		serving.Marks = marks.ln.Addr().String()
	}
	return serving, nil
}

func (s *speaker) run(ctx context.Context, cmd *RunCommand) (*Result, error) {
	spec := &cmd.Spec
	c, err := s.find(spec)
	if err != nil {
		return nil, err
	}
	if spec.Case.Remote() != (cmd.Address != "") {
		return nil, fmt.Errorf("%s with the address %q: remote cases have one, local ones have none", spec.Case, cmd.Address)
	}
	// A contender that loses a message would wait for its acknowledgement for ever.
	ctx, cancel := context.WithTimeout(ctx, spec.patience())
	defer cancel()
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	t, err := newTrial(ctx, cmd, fail)
	if err != nil {
		return nil, err
	}
	defer t.close()
	err = c.Run(ctx, t)
	switch cause := context.Cause(ctx); {
	case err == nil:
	case errors.Is(cause, context.DeadlineExceeded):
		return nil, fmt.Errorf("it did not end within %s, of which it is to send for %s: %s", spec.patience(), spec.WarmUp+spec.Duration, t.group.progress())
	case cause != nil:
		return nil, cause
	default:
		return nil, err
	}
	sent, err := t.group.sent()
	if err != nil {
		return nil, err
	}
	r := &Result{Sent: *sent}
	if t.Sinks != nil {
		r.Received, err = t.Sinks[0].counts.measured()
	}
	return r, err
}
