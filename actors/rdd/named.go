package rdd

import (
	"fmt"
	"unicode/utf8"
)

// named are the functions of this program that travel by their names: aggregations, orders and accumulators. As the registry of jobs,
// it is written while package variables are made, and only read from then on.
var named = map[string]*namedEntry{}

// namedEntry is what was defined under a name.
type namedEntry struct {
	kind, name string
	// function is the name of the user's function.
	function string
	made     any
	err      error // why it cannot be used
}

// defineNamed enters what fn is by its name. A fault is kept in the entry and returned by what uses it.
func defineNamed(kind, name string, fn, made any, fault error) *namedEntry {
	e := &namedEntry{kind: kind, name: name, function: "a nil function", made: made, err: fault}
	if !isNil(fn) {
		e.function = funcName(fn)
	} else if fault == nil {
		e.err = fmt.Errorf("%w: %s %q has a nil function", ErrBadJob, kind, name)
	}
	if late := definedLate(); late != "" {
		e.err = fmt.Errorf("%w: %s %q is defined by %s, in the running program: define it in a package variable, so that executors have it",
			ErrBadJob, kind, name, late)
		return e // not entered: executors would not find it
	}
	if e.err == nil && (name == "" || !utf8.ValidString(name)) {
		e.err = fmt.Errorf("%w: the %s of %s has no name, or one that is no UTF-8: %q", ErrBadJob, kind, e.function, name)
	}
	first, taken := named[name]
	if !taken {
		named[name] = e
		return e
	}
	first.err = fmt.Errorf("%w: %q names the %s of %s and the %s of %s: rename one", ErrBadJob, name, first.kind, first.function, kind, e.function)
	e.err = first.err
	return e
}

// findNamed is what was defined under a name, if it is a V. The name comes from a driver.
func findNamed[V any](kind, name string) (made V, e *namedEntry, err error) {
	e, ok := named[name]
	if !ok {
		return made, nil, fmt.Errorf("%w: this program defines no %s %q; define it in a package variable, so that every process has it",
			ErrUnknownJob, kind, name)
	}
	if e.err != nil {
		return made, nil, e.err
	}
	if made, ok = e.made.(V); !ok {
		return made, nil, fmt.Errorf("%w: %s %q is a %T, where a %T is wanted: it does not fit the records", ErrBadJob, e.kind, name, e.made, made)
	}
	return made, e, nil
}
