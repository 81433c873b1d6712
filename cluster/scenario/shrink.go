package scenario

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/coherer/coherer/cluster/invariant"
	"github.com/coherer/coherer/rpcenv/fault"
)

// ShrinkTries is how many lives it takes at most to shrink one, unless ShrinkOptions say otherwise.
const ShrinkTries = 200

// ShrinkOptions bound a search for the least script, and watch it.
type ShrinkOptions struct {
	// Tries is how many lives it may take; 0 is ShrinkTries.
	Tries int
	// Progress, if it is not nil, hears after each life how many were lived, and how many of the events are left.
	Progress func(lived, left, events int)
}

// Shrink is a script with the fewest events that breaks the rule of v in a Life that broke it. When ctx ends meanwhile,
// it is the best so far, and the error is the cause of ctx.
func (l *Life) Shrink(ctx context.Context, v invariant.Violation, o ShrinkOptions) (*Script, error) {
	if o.Tries == 0 {
		o.Tries = ShrinkTries
	}
	events := l.generate()
	best, lived := planOf(events), 0
	violated := (&Outcome{Name: fmt.Sprintf("sim-%d", l.Seed), Violations: []invariant.Violation{v}}).violated()
	var failure error
	small := fault.Shrink(best, o.Tries, func(p fault.Plan) bool {
		if ctx.Err() != nil { // the search then keeps the best so far
			return false
		}
		out, err := l.script(events, p).Run(ctx, Options{})
		if lived++; err != nil {
			failure = err
			return false
		}
		// Any violation of the rule counts: with fewer events its text has other times and names.
		broken := slices.ContainsFunc(out.Violations, func(other invariant.Violation) bool { return other.Rule == v.Rule })
		if broken {
			best, violated = p, out.violated()
		}
		if o.Progress != nil {
			o.Progress(lived, len(best.Faults), len(events))
		}
		return broken
	})
	// Once more, as the script that is returned: its opening comment has the violation of this very run.
	s := l.script(events, small, string(v.Rule))
	if ctx.Err() == nil {
		out, err := s.Run(ctx, Options{})
		if err != nil && ctx.Err() == nil {
			return nil, errors.Join(err, failure)
		}
		if err == nil {
			violated = out.violated()
		}
	}
	s.About = fmt.Sprintf("Found by a random life of seed %d, and shrunk:\n%s", l.Seed, strings.TrimSuffix(violated, "\n"))
	return s, context.Cause(ctx)
}
