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
type rule[S, E, A comparable] struct {
	from   []S
	on     E
	when   Case
	to     S
	target S // of a state that saves: the state when that is done
	do     []A
}

// stay as a state of a row: the state does not change.
const stay = -1

// at is the key of a row.
type at[S, E comparable] struct {
	state S
	event E
	when  Case
}

// row is the outcome of an event.
type row[S, A comparable] struct {
	to, target S
	do         []A
}

// table is a machine's rows.
type table[S, E, A comparable] map[at[S, E]]row[S, A]

// tableOf makes a table of rules; two rows for the same are a bug.
func tableOf[S, E, A comparable](rules ...rule[S, E, A]) table[S, E, A] {
	t := table[S, E, A]{}
	for _, r := range rules {
		for _, from := range r.from {
			key := at[S, E]{from, r.on, r.when}
			if _, twice := t[key]; twice { // seen at the start of every program, since tables are package variables
				panic(fmt.Sprintf("machine: two rows for %v", key))
			}
			t[key] = row[S, A]{r.to, r.target, r.do}
		}
	}
	return t
}

// late makes rules of events that change nothing any more.
func late[S, E, A comparable](state S, events ...E) []rule[S, E, A] {
	var rules []rule[S, E, A]
	for _, e := range events {
		rules = append(rules, rule[S, E, A]{from: []S{state}, on: e, to: state})
	}
	return rules
}

// find is the row of an event. A case without a row of its own is Always: callers may name a case that matters in few states.
func (t table[S, E, A]) find(what string, state S, event E, when Case) (row[S, A], error) {
	if r, ok := t[at[S, E]{state, event, when}]; ok {
		return r, nil
	}
	if r, ok := t[at[S, E]{state, event, Always}]; ok {
		return r, nil
	}
	return row[S, A]{}, &IllegalEventError{what, fmt.Sprint(state), fmt.Sprint(event)}
}

func nameOf(n int, names ...string) string {
	if n < 0 || n >= len(names) {
		return fmt.Sprint("number ", n)
	}
	return names[n]
}
