package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/cluster/process"
)

// Options is what to measure and how.
type Options struct {
	// Spec is what all contenders do; its Contender and WarmUp are set here.
	Spec measure.Spec
	// Trials is how many each contender has.
	Trials int
	// Rivals is a program of contenders, "none", or empty: build the one of the source tree that the working directory is in.
	Rivals string
	// Program and Args start a process that calls Speak.
	Program string
	Args    []string
	// Progress gets a line for each trial.
	Progress io.Writer
}

// Speak makes this process one of the contenders that are part of the binary, until the end of in.
func Speak(ctx context.Context, in io.Reader, out io.Writer) error {
	return measure.Speak(ctx, in, out, own...)
}

// own are the contenders in the binary, the one that is measured first.
var own = []measure.Contender{coherer{}, channel{}, tcp{}}

// MaxTrials and MaxDuration bound a run.
const (
	MaxTrials   = 1000
	MaxDuration = time.Hour
)

func (o *Options) validate() error {
	err := o.Spec.Validate()
	if o.Trials < 1 || o.Trials > MaxTrials {
		err = errors.Join(err, fmt.Errorf("trials %d: want 1 to %d", o.Trials, MaxTrials))
	}
	if o.Spec.Duration > MaxDuration {
		err = errors.Join(err, fmt.Errorf("duration %s: at most %s", o.Spec.Duration, MaxDuration))
	}
	return err
}

// UsageError is what is wrong with Options.
type UsageError struct{ error }

// Unwrap is the error that it is.
func (e UsageError) Unwrap() error { return e.error }

// entry is a contender and the program that it is part of.
type entry struct {
	*Contender
	program program
	rival   bool // of another program: its failure is a result
	failed  bool
}

// Run measures, trial by trial, each contender once in each round. A rival of another program that is missing or fails is
// a line of the report; a contender of the binary that fails is an error. When ctx ends, Run returns its error with the report of
// the complete rounds, if there are any: no contender has a trial more than the others.
func Run(ctx context.Context, o Options) (_ *Report, err error) {
	o.Spec.WarmUp = o.Spec.Duration / 5
	if err := o.validate(); err != nil {
		return nil, UsageError{err}
	}
	dir, err := os.MkdirTemp("", "coherer-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	starter := process.NewStarter()
	defer starter.Close()

	r := &runner{opts: o, dir: dir, starter: starter, report: newReport(&o)}
	for _, c := range own {
		// Of those in the binary only the ones that do the case are spoken of.
		if named := measure.NameOf(c); named.Does(o.Spec.Case) {
			r.add(program{o.Program, o.Args}, named, false)
		}
	}
	if err := r.addRivals(ctx); err != nil {
		return nil, err
	}
	for trial := range o.Trials {
		for _, e := range r.entries {
			if e.failed {
				continue
			}
			if err := r.trial(ctx, e, trial); err != nil {
				// Without a complete round there is nothing to report; a failure of ours makes the whole run void.
				if trial == 0 || ctx.Err() == nil {
					return nil, err
				}
				r.report.cut(trial)
				return r.report, err
			}
		}
		r.report.round()
	}
	r.report.finish()
	return r.report, nil
}

// runner is a run.
type runner struct {
	opts    Options
	dir     string
	starter *process.Starter
	report  *Report
	entries []*entry
	started func(*child) // for tests
}

func (r *runner) add(p program, named measure.Named, rival bool) {
	c := &Contender{Name: named.Name, Version: named.Version}
	r.report.Contenders = append(r.report.Contenders, c)
	r.entries = append(r.entries, &entry{Contender: c, program: p, rival: rival})
}

// addRivals finds the rivals of another program.
func (r *runner) addRivals(ctx context.Context) error {
	const name = "protoactor" // the contender of the program in the source tree
	if r.opts.Rivals == NoRivals {
		r.report.miss(name, "left out by --rivals "+NoRivals)
		return nil
	}
	p, err := findRivals(ctx, r.opts.Rivals, r.dir, r.opts.Progress)
	if err == nil {
		var c *child
		var hello *measure.Hello
		// Started once to learn its contenders from its hello; each trial has a process of its own.
		if c, hello, err = r.start(ctx, p, "rivals"); err == nil {
			c.close()
			for _, named := range hello.Contenders {
				if named.Does(r.opts.Spec.Case) {
					r.add(p, named, true)
				} else {
					r.report.miss(named.Name, fmt.Sprintf("it does not do %s", r.opts.Spec.Case))
				}
			}
		}
	}
	// An interrupted build says nothing against the rival.
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		r.report.miss(name, err.Error())
	}
	return nil
}

// trial runs one trial of one contender, in processes of its own.
func (r *runner) trial(ctx context.Context, e *entry, number int) error {
	spec := r.opts.Spec
	spec.Contender = e.Name
	result, err := r.run(ctx, e.program, &spec)
	if err == nil {
		err = e.add(&spec, result)
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	// A contender of the binary must not fail: the failure is a bug of ours, and an error of the run.
	case err != nil && !e.rival:
		return fmt.Errorf("trial %d: %w", number+1, err)
	case err != nil:
		e.failed = true
		r.report.miss(e.Name, fmt.Sprintf("trial %d: %v", number+1, err))
		r.report.drop(e.Contender)
		r.say("trial %d: %s: failed", number+1, e.Name)
	default:
		r.say("trial %d: %s: %s", number+1, e.Name, rate(e.Trials[len(e.Trials)-1].Rate))
	}
	return nil
}

func (r *runner) say(format string, args ...any) {
	if r.opts.Progress != nil {
		fmt.Fprintf(r.opts.Progress, format+"\n", args...)
	}
}

// run runs one trial and returns both sides of it.
func (r *runner) run(ctx context.Context, p program, spec *measure.Spec) (*measure.Result, error) {
	sender, _, err := r.start(ctx, p, spec.Contender+", sender")
	if err != nil {
		return nil, err
	}
	defer sender.close()
	cmd := measure.RunCommand{Spec: *spec}
	if !spec.Case.Remote() {
		a, err := sender.call(ctx, measure.Command{Run: &cmd})
		if err != nil {
			return nil, err
		}
		return a.Result, nil
	}
	receiver, _, err := r.start(ctx, p, spec.Contender+", receiver")
	if err != nil {
		return nil, err
	}
	defer receiver.close()
	a, err := receiver.call(ctx, measure.Command{Serve: spec})
	if err != nil {
		return nil, err
	}
	if a.Serving == nil {
		return nil, fmt.Errorf("%s: the receiver does not say where it serves", spec.Contender)
	}
	cmd.Address = a.Serving.Address
	sent, err := r.race(ctx, sender, receiver, measure.Command{Run: &cmd})
	if err != nil {
		return nil, err
	}
	// After the sender's result: its last acknowledgement says that the receiver has closed the batch.
	counted, err := receiver.call(ctx, measure.Command{Report: true})
	if err != nil {
		return nil, err
	}
	if sent.Result != nil {
		sent.Result.Received = counted.Report
	}
	return sent.Result, nil
}

// race is a call of one process that fails at once when the other one ends: the call would never have an answer.
func (*runner) race(ctx context.Context, c, other *child, cmd measure.Command) (*measure.Answer, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type end struct {
		a   *measure.Answer
		err error
	}
	called := make(chan end, 1)
	go func() {
		a, err := c.call(ctx, cmd)
		called <- end{a, err}
	}()
	select {
	case e := <-called:
		return e.a, e.err
	case exit := <-other.ended:
		other.ended <- exit // put back: close waits for it too
		cancel()
		<-called
		return nil, fmt.Errorf("%s: its process ended with code %d%s", other.role, exit.Code, lastWords(other.stderr))
	}
}
