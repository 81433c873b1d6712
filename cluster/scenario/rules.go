package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/coherer/coherer/cluster/invariant"
	"github.com/coherer/coherer/rpcenv/fault"
	"github.com/coherer/coherer/rpcenv/rpctest/script/syntax"
	"github.com/coherer/coherer/rpcenv/sim"
)

// start is when virtual time begins.
var start = sim.Start

// Violations are the rules of package invariant that the cluster broke so far. Only a simulation is watched.
func (r *Runner) Violations() []invariant.Violation {
	if r.observer == nil {
		return nil
	}
	r.observer.Observe()
	return r.observer.Violations()
}

// Judged is how often each rule was judged.
func (r *Runner) Judged() map[invariant.ID]int {
	if r.observer == nil {
		return nil
	}
	return r.observer.Judged()
}

// invariants names the rules that the script is about. All are watched.
func (r *Runner) invariants(c syntax.Command) error {
	if len(c.Args) == 0 {
		return errors.New("want: invariants ID ...")
	}
	for _, word := range c.Args {
		if _, ok := invariant.Find(word); !ok {
			var all []string
			for _, x := range invariant.Rules {
				all = append(all, string(x.ID))
			}
			return syntax.Unknown("invariant", word, all)
		}
	}
	return nil
}

// historic names the fault that --compat upstream turns on: an id of coherer.compat, or a fault of the simulation that does
// what the old code did; "none" has the reason why no switch can.
func (r *Runner) historic(c syntax.Command) error {
	switch {
	case len(c.Args) == 0:
		return errors.New("want: historic ID, historic ID FAULT or historic none REASON")
	case !r.upstream || c.Args[0] == "none":
		return nil
	case len(c.Args) == 1:
		return nil // Script.Run has set coherer.compat
	}
	words := slices.Clone(c.Args[1:])
	for _, o := range c.Options {
		words = append(words, o.Key+"="+o.Value)
	}
	f, err := fault.Parse(strings.Join(words, " "))
	if err != nil {
		return err
	}
	w := r.world.Simulated()
	if w == nil {
		return errWantsSim
	}
	return w.Apply(f)
}

// hasNot reports whether err says that something did not happen, or that a process does not run any more: with a historic fault a
// script goes another way.
func hasNot(err error) bool { return errors.Is(err, sim.ErrNotReached) || isMissing(err) }

// hide leaves this block's messages out of the output.
func (r *Runner) hide(syntax.Command) error {
	r.hidden = true
	return nil
}

// timed is a line and the time at which it runs.
type timed struct {
	at   time.Duration // since the beginning
	line string
}

// at runs a line at a time of virtual time, counted from the beginning; while the script advances to it.
func (r *Runner) at(c syntax.Command, line string) error {
	if r.world.Simulated() == nil {
		return errWantsSim
	}
	form := errors.New("want: at TIME VERB ...")
	if len(c.Args) < 2 {
		return form
	}
	d, err := time.ParseDuration(c.Args[0])
	if err != nil || d < 0 {
		return form
	}
	_, rest, _ := strings.Cut(strings.TrimSpace(line), c.Args[0])
	cmd := syntax.ParseLine(strings.TrimSpace(rest))
	// A verb that lets time pass cannot run while time passes.
	if verbs()[cmd.Verb] == nil || cmd.Verb == "at" || cmd.Verb == "run" || cmd.Verb == "advance" {
		return fmt.Errorf("%q cannot be run at a time", cmd.Verb)
	}
	r.later = append(r.later, timed{d, strings.TrimSpace(rest)})
	slices.SortStableFunc(r.later, func(a, b timed) int { return int(a.at - b.at) })
	return nil
}

// advanceTo lets virtual time pass up to a time, and runs the lines of at until then.
func (r *Runner) advanceTo(until time.Time) error {
	w := r.world.Simulated()
	for len(r.later) > 0 && !r.ended.Load() && !start.Add(r.later[0].at).After(until) {
		next := r.later[0]
		r.later = r.later[1:]
		if err := r.pass(start.Add(next.at)); err != nil {
			return err
		}
		c := syntax.ParseLine(next.line)
		err := verbs()[c.Verb](r, c)
		// A random life kills what may have ended already.
		if err != nil && !hasNot(err) {
			return fmt.Errorf("at %s %s: %w", next.at, next.line, err)
		}
	}
	if err := r.pass(until); err != nil {
		return err
	}
	w.Settle()
	return w.Err()
}

// errInterrupted: interrupt was called. Block says why.
var errInterrupted = errors.New("interrupted")

// pass lets time pass, and looks at the cluster each second.
func (r *Runner) pass(until time.Time) error {
	w := r.world.Simulated()
	for now := w.Now(); now.Before(until) && !r.ended.Load() && w.Err() == nil; now = w.Now() {
		w.Advance(min(time.Second, until.Sub(now)))
		r.observer.Tick()
	}
	if r.ended.Load() {
		return errInterrupted
	}
	return w.Err()
}

// calm ends all faults that last.
func (r *Runner) calm(syntax.Command) error {
	w := r.world.Simulated()
	if w == nil {
		return errWantsSim
	}
	w.Calm()
	return nil
}
