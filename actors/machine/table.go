//coherer:pure

package machine

import (
	"fmt"
	"slices"
)

// State is the states of a machine, from 0 on.
type State interface{ ~int }

// Stay as the To of a rule: state and target do not change.
const Stay = -1

// Rule is some rows of a table: in each of the states From, an event leads to a state, with actions.
type Rule[S State, E, C, A comparable] struct {
	From []S
	Then S // of a state that saves: the row counts for this target alone; the zero state: for each
	On   E
	When C // the zero case: whatever the case is, unless it has a row of its own
	To   S
	// Target of a state that saves is the state when that is done.
	Target S
	Do     []A
	// Late: the event is no news, since it was under way when the machine took another course.
	Late bool
}

// Outcome is what follows an event.
type Outcome[S State, A comparable] struct {
	State, Target S
	Do            []A
	Late          bool
}

// IllegalEventError is the error of an event that a machine's state has no row for; nothing has changed. It mirrors Hadoop's
// InvalidStateTransitionException.
type IllegalEventError struct{ Machine, State, Event string }

func (e *IllegalEventError) Error() string {
	return fmt.Sprintf("invalid event %s at %s: %s stays as it is", e.Event, e.State, e.Machine)
}

// key is how a row is found.
type key[S State, E, C comparable] struct {
	state, then S
	event       E
	when        C
}

// Table is a machine's rows. Make one with [New].
type Table[S State, E, C, A comparable] struct {
	name string
	rows map[key[S, E, C]]Rule[S, E, C, A]
}

// New makes the table of a machine, such as "the node", of rules; two rows for the same are a bug, and a panic.
func New[S State, E, C, A comparable](name string, rules ...[]Rule[S, E, C, A]) Table[S, E, C, A] {
	t := Table[S, E, C, A]{name, map[key[S, E, C]]Rule[S, E, C, A]{}}
	for _, r := range slices.Concat(rules...) {
		for _, from := range r.From {
			k := key[S, E, C]{from, r.Then, r.On, r.When}
			if _, twice := t.rows[k]; twice {
				panic(fmt.Sprintf("machine: two rows of %s for %v (%v) at %v (%v)", name, r.On, r.When, from, r.Then))
			}
			t.rows[k] = r
		}
	}
	return t
}

// Late are rules of events that change nothing any more in a state.
func Late[S State, E, C, A comparable](from S, events ...E) []Rule[S, E, C, A] {
	var rules []Rule[S, E, C, A]
	for _, e := range events {
		rules = append(rules, Rule[S, E, C, A]{From: []S{from}, On: e, To: Stay, Late: true})
	}
	return rules
}

// Step is where an event leads from a state with its target. Callers may name a case that matters in few states.
func (t Table[S, E, C, A]) Step(from, target S, event E, when C) (Outcome[S, A], error) {
	var anyTarget S
	var always C
	for _, k := range []key[S, E, C]{
		{from, target, event, when}, {from, anyTarget, event, when}, {from, target, event, always}, {from, anyTarget, event, always},
	} {
		r, ok := t.rows[k]
		switch {
		case !ok:
		case r.To == Stay:
			return Outcome[S, A]{from, target, r.Do, r.Late}, nil
		default:
			return Outcome[S, A]{r.To, r.Target, r.Do, r.Late}, nil
		}
	}
	return Outcome[S, A]{State: from, Target: target}, &IllegalEventError{t.name, fmt.Sprint(from), fmt.Sprint(event)}
}

// Name is the name of a constant by its number.
func Name(n int, names ...string) string {
	if n < 0 || n >= len(names) {
		return fmt.Sprint("number ", n)
	}
	return names[n]
}
