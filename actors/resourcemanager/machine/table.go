//coherer:pure

package machine

import "fmt"

// Case decides an event's outcome together with the state; the caller of Step knows it.
type Case int

// The cases. Always is that of an event with one outcome.
const (
	Always Case = iota
	// Retry of ATTEMPT_FAILED: the application gets another attempt.
	Retry
	// OwnContainer of CONTAINER_FINISHED: it was the ApplicationMaster's.
	OwnContainer
	// NothingYet of CONTAINER_ALLOCATED: the scheduler had no container to give after all.
	NothingYet
	// Unhealthy of STATUS_UPDATE: the node says so.
	Unhealthy
	// Completed of RECOVER: the container has ended.
	Completed
	// Attempted of RECOVER: the application has attempts.
	Attempted
	// WasFinished, WasFailed and WasKilled of RECOVER: the record has that end.
	WasFinished
	WasFailed
	WasKilled
)

func (c Case) String() string {
	return nameOf(int(c), "", "Retry", "OwnContainer", "NothingYet", "Unhealthy", "Completed", "Attempted", "WasFinished", "WasFailed", "WasKilled")
}

// IllegalEventError is the error of an event that a machine's state has no row for; nothing has changed.
type IllegalEventError struct{ Machine, State, Event string }

func (e *IllegalEventError) Error() string {
	return fmt.Sprintf("invalid event %s at %s: %s stays as it is", e.Event, e.State, e.Machine)
}

// rule is some rows of a table: in each of the states, an event leads to a state, with actions.
type rule[S state, E, A comparable] struct {
	from   []S
	then   S // of a state that saves: the row counts for this target alone; the zero state: for each
	on     E
	when   Case
	to     S
	target S // of a state that saves: the state when that is done
	do     []A
}

// state is the states of a machine, from 0 on.
type state interface{ ~int }

// stay as a state of a row: state and target do not change.
const stay = -1

// at is the key of a row.
type at[S state, E comparable] struct {
	state, then S
	event       E
	when        Case
}

// row is the outcome of an event.
type row[S state, A comparable] struct {
	to, target S
	do         []A
}

// table is a machine's rows.
type table[S state, E, A comparable] map[at[S, E]]row[S, A]

// tableOf makes a table of rules; two rows for the same are a bug.
func tableOf[S state, E, A comparable](rules ...rule[S, E, A]) table[S, E, A] {
	t := table[S, E, A]{}
	for _, r := range rules {
		for _, from := range r.from {
			key := at[S, E]{from, r.then, r.on, r.when}
			if _, twice := t[key]; twice { // seen at the start of every program, since tables are package variables
				panic(fmt.Sprintf("machine: two rows for %v", key))
			}
			t[key] = row[S, A]{r.to, r.target, r.do}
		}
	}
	return t
}

// late makes rules of events that change nothing any more.
func late[S state, E, A comparable](from S, events ...E) []rule[S, E, A] {
	var rules []rule[S, E, A]
	for _, e := range events {
		rules = append(rules, rule[S, E, A]{from: []S{from}, on: e, to: stay})
	}
	return rules
}

// step is where an event leads from a state with its target, and the actions that follow. A case without a row of its own is
// Always: callers may name a case that matters in few states.
func (t table[S, E, A]) step(what string, from, target S, event E, when Case) (to, next S, do []A, err error) {
	var none S
	for _, key := range []at[S, E]{{from, target, event, when}, {from, none, event, when}, {from, target, event, Always}, {from, none, event, Always}} {
		r, ok := t[key]
		switch {
		case !ok:
		case r.to == stay:
			return from, target, r.do, nil
		default:
			return r.to, r.target, r.do, nil
		}
	}
	return from, target, nil, &IllegalEventError{what, fmt.Sprint(from), fmt.Sprint(event)}
}

func nameOf(n int, names ...string) string {
	if n < 0 || n >= len(names) {
		return fmt.Sprint("number ", n)
	}
	return names[n]
}
