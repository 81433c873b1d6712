package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/cluster/process"
)

// runner is a run.
type runner struct {
	opts    Options
	dir     string
	starter *process.Starter
	report  *Report
	found   []found
	peer    *peer        // where the receiving sides are; nil: here
	started func(*child) // for tests
}

// found is a contender and the program that it is part of.
type found struct {
	measure.Named
	program program
	rival   bool // of another program
}

// ours reports whether it is Coherer, whose failure is an error of the run; that of any other contender is a result.
func (f *found) ours() bool { return f.Name == own[0].Name() }

// entry is a contender in a cell.
type entry struct {
	*Contender
	found
	failed bool
}

// find lists the contenders: those of the binary, and those of the programs of rivals.
func (r *runner) find(ctx context.Context) error {
	for _, c := range own {
		if r.opts.wants(c.Name()) {
			r.found = append(r.found, found{measure.NameOf(c), program{r.opts.Program, r.opts.Args}, false})
		}
	}
	if err := r.findRivals(ctx); err != nil {
		return err
	}
	for _, name := range r.opts.Contenders {
		missing := slices.ContainsFunc(r.report.Missing, func(m Missing) bool { return m.Name == name })
		if !missing && !slices.ContainsFunc(r.found, func(f found) bool { return f.Name == name }) {
			r.miss(name, "no contender that was found has this name")
		}
	}
	return nil
}

// findRivals starts each program of rivals once, to learn its contenders from its hello; each trial has a process of its own.
func (r *runner) findRivals(ctx context.Context) error {
	if r.opts.Rivals == NoRivals {
		r.miss(rivalsFolder, "left out by --rivals "+NoRivals)
	}
	if r.opts.onlyOwn() {
		return nil
	}
	for _, s := range sources(r.opts.Rivals) {
		if s.alone && !r.opts.wants(s.name) {
			continue
		}
		if s.onDemand && len(r.opts.Contenders) == 0 {
			r.miss(s.name, "only --contenders coherer,"+s.name+" builds it, with a library that is no requirement of the tree")
			continue
		}
		hello, p, err := r.hello(ctx, s)
		// An interrupted build says nothing against the rival.
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			r.miss(s.name, err.Error())
			continue
		}
		for _, named := range hello.Contenders {
			if r.opts.wants(named.Name) {
				r.found = append(r.found, found{named, p, true})
			}
		}
	}
	return nil
}

func (r *runner) hello(ctx context.Context, s source) (*measure.Hello, program, error) {
	p, err := s.find(ctx, r.dir, r.opts.Progress)
	if err != nil {
		return nil, p, err
	}
	c, hello, err := r.start(ctx, p, s.name)
	if err != nil {
		return nil, p, err
	}
	c.close()
	return hello, p, nil
}

// cells measures all of them, or those before the first error.
func (r *runner) cells(ctx context.Context) error {
	cells := r.opts.Cells
	if len(cells) > 1 {
		var all time.Duration
		for i := range cells {
			all += r.estimate(&cells[i], r.count(&cells[i]))
		}
		r.say("%s, about %s in all", plural(len(cells), "cell"), all)
	}
	for i := range cells {
		cell, err := r.cell(ctx, &cells[i])
		if cell != nil {
			r.report.Cells = append(r.report.Cells, cell)
		}
		if err != nil {
			r.report.Cut = len(cells) - len(r.report.Cells)
			return err
		}
	}
	return nil
}

// cell measures one cell. After an error there is a Cell only if ctx has ended and some rounds are complete.
func (r *runner) cell(ctx context.Context, spec *measure.Spec) (*Cell, error) {
	c := newCell(spec, r.opts.Trials)
	var entries []*entry
	for _, f := range r.found {
		why := f.Refuses(spec)
		switch {
		case why == "":
			entries = append(entries, &entry{Contender: c.enter(f.Named), found: f})
		// A contender of the binary that does not do the case is not mentioned, unless somebody asked for it.
		case f.rival || f.Does(spec.Case) || slices.Contains(r.opts.Contenders, f.Name):
			c.miss(f.Name, why)
		}
	}
	r.say("%s: %s of %s, about %s", c.title(), plural(r.opts.Trials, "trial"), plural(len(entries), "contender"), r.estimate(spec, len(entries)))
	for trial := range r.opts.Trials {
		for _, e := range entries {
			if e.failed {
				continue
			}
			if err := r.trial(ctx, c, e, spec, trial); err != nil {
				// Without a complete round there is nothing to report; a failure of ours makes the whole cell void.
				if trial == 0 || ctx.Err() == nil {
					return nil, err
				}
				c.cut(trial)
				return c, err
			}
		}
		c.round()
	}
	c.finish()
	return c, nil
}

// count is how many contenders a cell has.
func (r *runner) count(spec *measure.Spec) (n int) {
	for _, f := range r.found {
		if f.Refuses(spec) == "" {
			n++
		}
	}
	return n
}

// estimate is about how long a cell takes: what the trials last, and half a second for the processes of each.
func (r *runner) estimate(spec *measure.Spec, contenders int) time.Duration {
	each := spec.WarmUp + spec.Duration + time.Second/2
	return (time.Duration(contenders*r.opts.Trials) * each).Round(time.Second)
}

// trial runs one trial of one contender, in processes of its own.
func (r *runner) trial(ctx context.Context, c *Cell, e *entry, spec *measure.Spec, number int) error {
	named := *spec
	named.Contender = e.found.Name
	result, err := r.run(ctx, e.program, &named)
	if err == nil {
		err = e.add(&named, result)
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil && e.ours():
		return fmt.Errorf("%s, trial %d: %w", c.title(), number+1, err)
	case err != nil:
		e.failed = true // in this cell: the next one may be within its powers
		c.miss(e.found.Name, fmt.Sprintf("trial %d: %v", number+1, err))
		c.drop(e.Contender)
		r.say("trial %d: %s: failed: %v", number+1, e.found.Name, err)
	default:
		r.say("trial %d: %s: %s", number+1, e.found.Name, rate(e.Trials[len(e.Trials)-1].Rate))
	}
	return nil
}

// miss notes a contender, or a program of rivals, that no cell will have. It says so at once: not every form of a report has a place for
// it.
func (r *runner) miss(name, why string) {
	r.report.Missing = append(r.report.Missing, Missing{name, why})
	r.say("%s is not measured: %s", name, why)
}

func (r *runner) say(format string, args ...any) {
	if r.opts.Progress != nil {
		fmt.Fprintf(r.opts.Progress, format+"\n", args...)
	}
}
