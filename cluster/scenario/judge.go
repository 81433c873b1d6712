package scenario

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/coherer/coherer/actors/compat"
	"github.com/coherer/coherer/cluster/invariant"
	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/rpcenv/rpctest/script/syntax"
)

// Options say how a script is run.
type Options struct {
	// Seed, if it is not 0, takes the place of the script's: then only the rules are judged, not the output.
	Seed uint64
	// Upstream turns the script's historic fault on: then only the rules are judged.
	Upstream bool
}

// Outcome is the outcome of a script.
type Outcome struct {
	Name string `json:"name"`
	// Invariants are the rules that the script is about.
	Invariants []string `json:"invariants,omitempty"`
	// Fault is the historic fault that was turned on.
	Fault      string                `json:"fault,omitempty"`
	Violations []invariant.Violation `json:"violations,omitempty"`
	// Differences are blocks whose output was not the expected one.
	Differences []Difference `json:"differences,omitempty"`
	// Judged is how often each rule was judged.
	Judged map[invariant.ID]int `json:"judged,omitempty"`
	// Script is the script with the actual output.
	Script *Script `json:"-"`
}

// Difference is a block that printed something else.
type Difference struct {
	Line int    `json:"line"`
	Want string `json:"want"`
	Got  string `json:"got"`
}

// Holds reports whether no rule was broken and no block differs.
func (o *Outcome) Holds() bool { return len(o.Violations) == 0 && len(o.Differences) == 0 }

// ErrCannotExpress means that no switch turns a script's historic fault on.
var ErrCannotExpress = errors.New("its old fault cannot be expressed")

// Run runs a script in a simulation, and judges it by its rules and by its expected output. An error means that it cannot be
// used: a *syntax.Error with file, line and column, or ErrCannotExpress; or that ctx has ended, whose cause it is then.
func (s *Script) Run(ctx context.Context, o Options) (*Outcome, error) {
	out := &Outcome{Name: s.Name, Invariants: s.Invariants(), Script: &Script{Name: s.Name, About: s.About}}
	first := s.Blocks[0].Verbs[0]
	if o.Upstream {
		fault, why := s.Historic()
		if fault == "" {
			return nil, fmt.Errorf("%s: %w: %s", s.Name, ErrCannotExpress, why)
		}
		out.Fault = fault
		// A fault of coherer.compat is a setting of all processes; another one the verb historic causes in the simulation.
		if slices.Contains(compat.Faults, fault) {
			first += " " + compat.Compat.Key() + "=" + fault
		}
	}
	if o.Seed != 0 {
		first += fmt.Sprintf(" seed=%d", o.Seed)
	}
	r, err := New(local.Sim, first)
	if err != nil {
		return nil, syntax.At(s.Name, s.Blocks[0].Line, err)
	}
	r.upstream = o.Upstream
	err = r.blocks(ctx, s, out, o.Seed == 0 && !o.Upstream)
	out.Violations, out.Judged = r.Violations(), r.Judged()
	if closed := r.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, err
	}
	return out, s.unjudged(out)
}

// blocks runs all blocks; exact: their output is compared with the expected one.
func (r *Runner) blocks(ctx context.Context, s *Script, out *Outcome, exact bool) error {
	for _, b := range s.Blocks {
		got, err := r.Block(ctx, b.Verbs)
		if err != nil {
			if e, ok := errors.AsType[*syntax.Error](err); ok {
				return &syntax.Error{File: s.Name, Line: b.Line + e.Line - 1, Column: e.Column, Err: e.Err}
			}
			return err
		}
		out.Script.Blocks = append(out.Script.Blocks, Block{Line: b.Line, Verbs: b.Verbs, Want: got})
		if exact && got != b.Want {
			out.Differences = append(out.Differences, Difference{b.Line, b.Want, got})
		}
	}
	return nil
}

// unjudged is an error when the script is about a rule and did nothing that the rule judges: it would hold whatever the code does.
func (s *Script) unjudged(out *Outcome) error {
	for _, word := range out.Invariants {
		rule, ok := invariant.Find(word)
		if ok && out.Judged[rule.ID] == 0 && out.Holds() {
			return syntax.At(s.Name, s.Blocks[0].Line, fmt.Errorf("the script is about %s, which nothing in it was judged by", word))
		}
	}
	return nil
}

// String is the outcome in a few lines.
func (o *Outcome) String() string {
	var b strings.Builder
	b.WriteString(o.violated())
	for _, d := range o.Differences {
		fmt.Fprintf(&b, "%s:%d: prints something else\n%s", o.Name, d.Line, diff(d.Want, d.Got))
	}
	if o.Holds() {
		about := ""
		if len(o.Invariants) > 0 {
			about = " (" + strings.Join(o.Invariants, " ") + ")"
		}
		fmt.Fprintf(&b, "%s: holds%s\n", o.Name, about)
	}
	return b.String()
}

// violated are the rules that were broken, one a line.
func (o *Outcome) violated() string {
	var b strings.Builder
	for _, v := range o.Violations {
		fmt.Fprintf(&b, "%s: violated after %s: %s\n", o.Name, v.At.Sub(start), v)
	}
	return b.String()
}

// diff are the lines that differ between their common beginning and end.
func diff(want, got string) string {
	a, b := strings.SplitAfter(want, "\n"), strings.SplitAfter(got, "\n")
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	var out strings.Builder
	for _, side := range []struct {
		sign  string
		lines []string
	}{{"  - ", a}, {"  + ", b}} {
		for _, l := range side.lines {
			if l != "" {
				out.WriteString(side.sign + strings.TrimSuffix(l, "\n") + "\n")
			}
		}
	}
	return out.String()
}
