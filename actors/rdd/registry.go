package rdd

import (
	"fmt"
	"slices"
	"strings"
)

// entry is one job as the registry knows it, whatever its types.
type entry struct {
	name string
	// function is the name of the job's function.
	function string
	// dataset calls the job's function with decoded arguments; it is a Dataset[T] of the job.
	dataset func(args []byte) (any, error)
	lineage func(args []byte) (*Lineage, error)
	err     error // why the job cannot be used
}

// registry has the jobs of this program by name. It is written while package variables are made, which Go does in one
// goroutine before main, and is only read from then on: so it needs no lock.
var registry = map[string]*entry{}

// register enters e. A second job of a name makes both unusable.
func register(e *entry) {
	if e.err == nil && e.name == "" {
		e.err = fmt.Errorf("%w: the job of %s has no name", ErrBadJob, e.function)
	}
	first, taken := registry[e.name]
	if !taken {
		registry[e.name] = e
		return
	}
	first.err = fmt.Errorf("%w: two jobs are named %q: %s and %s; rename one", ErrBadJob, e.name, first.function,
		e.function)
	e.err = first.err
}

// find is the job of a name.
func find(name string) (*entry, error) {
	e, ok := registry[name]
	if !ok {
		var names []string
		for n := range registry {
			names = append(names, n)
		}
		slices.Sort(names)
		return nil, fmt.Errorf("%w %q: this program defines %s; define jobs in package variables, so that every process "+
			"has them", ErrUnknownJob, name, strings.Join(names, ", "))
	}
	return e, e.err
}

// Lookup makes the lineage of a job from its name and its encoded arguments: what an executor does with a task. The
// error says ErrUnknownJob, ErrBadArguments, ErrBadJob, ErrNoCodec, or is a *UserError when the job's function panicked.
func Lookup(name string, args []byte) (*Lineage, error) {
	e, err := find(name)
	if err != nil {
		return nil, err
	}
	return e.lineage(args)
}
