package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/cluster/process"
	"github.com/coherer/coherer/rpcenv/joined"
)

// Options is what to measure and how.
type Options struct {
	// Cells are measured one after the other, each by all contenders. Run sets Contender and WarmUp.
	Cells []measure.Spec
	// Trials is how many trials each contender has in a cell.
	Trials int
	// Contenders are the names of the contenders to measure; none: all. Coherer is always measured, and first.
	Contenders []string
	// Rivals is a program of contenders, "none", or empty: build those of the source tree that the working directory is in.
	Rivals string
	// Connect is the HOST:PORT of Serve at the machine of the receiving sides; empty: this machine.
	Connect string
	// Unused are lists that a case does not have, of Grid.Unused: the report says so.
	Unused []Missing
	// Baseline is an earlier report to compare with, or nil. It must have every cell.
	Baseline *Baseline
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
var own = []measure.Contender{coherer{}, channel{}, tcp{}, tcp{inPlace: true}}

// MaxTrials and MaxDuration bound a run.
const (
	MaxTrials   = 1000
	MaxDuration = time.Hour
)

func (o *Options) validate() error {
	var all []string
	var errs []error
	// Each problem once: what is wrong with the duration is wrong in every cell.
	bad := func(err error) {
		if err != nil && !slices.Contains(all, err.Error()) {
			all = append(all, err.Error())
			errs = append(errs, err)
		}
	}
	if len(o.Cells) == 0 {
		bad(errors.New("nothing to measure: no cell"))
	}
	for i := range o.Cells {
		for _, err := range joined.Errors(o.Cells[i].Validate()) {
			bad(err)
		}
		if why := measure.NameOf(own[0]).Refuses(&o.Cells[i]); why != "" && o.Cells[i].Case.Known() {
			bad(fmt.Errorf("%s cannot be measured so: %s", own[0].Name(), why))
		}
		if c := o.Cells[i].Case; o.Connect != "" && c.Known() && !c.Remote() {
			bad(fmt.Errorf("%s has one process, and no receiving side to connect to", c))
		}
		if d := o.Cells[i].Duration; d > MaxDuration {
			bad(fmt.Errorf("duration %s: at most %s", d, MaxDuration))
		}
	}
	if o.Trials < 1 || o.Trials > MaxTrials {
		bad(fmt.Errorf("trials %d: want 1 to %d", o.Trials, MaxTrials))
	}
	for _, name := range o.Contenders {
		if known := o.known(); known != nil && !slices.Contains(known, name) {
			bad(fmt.Errorf("there is no contender %q: want some of %s", name, strings.Join(known, ", ")))
		}
	}
	if o.Baseline != nil && len(errs) == 0 {
		return o.Baseline.fits(o)
	}
	return errors.Join(errs...)
}

// wants reports whether a contender is to be measured.
func (o *Options) wants(name string) bool {
	return len(o.Contenders) == 0 || name == own[0].Name() || slices.Contains(o.Contenders, name)
}

// UsageError is what is wrong with Options.
type UsageError struct{ error }

// Unwrap is the error that it is.
func (e UsageError) Unwrap() error { return e.error }

// Run measures cell by cell, and within a cell trial by trial, each contender once in each round. A rival that is
// missing or fails is a line of the report, and the cell goes on without it; when Coherer fails it is an error. When ctx ends or
// Coherer fails, Run returns the error with the report of the complete cells, if there are any, and after an end of ctx of the
// complete rounds of the last cell: no contender has a trial more than the others.
func Run(ctx context.Context, o Options) (*Report, error) {
	return measureBy(ctx, o, func(ctx context.Context, r *runner) error { return r.cells(ctx) })
}

// measureBy validates the options, finds the contenders, has cells measured and returns the report of them.
func measureBy(ctx context.Context, o Options, cells func(context.Context, *runner) error) (_ *Report, err error) {
	o.Cells = slices.Clone(o.Cells)
	for i := range o.Cells {
		o.Cells[i].WarmUp = o.Cells[i].Duration / 5
	}
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
	for _, m := range o.Unused {
		r.miss(m.Name, m.Why)
	}
	if err := r.find(ctx); err != nil {
		return nil, err
	}
	if err := r.findPeer(ctx); err != nil {
		return nil, err
	}
	err = cells(ctx, r)
	if len(r.report.Cells) == 0 {
		return nil, err
	}
	if o.Baseline != nil {
		r.report.compare(o.Baseline)
	}
	return r.report, err
}
