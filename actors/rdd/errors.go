package rdd

import (
	"errors"
	"fmt"
	"strings"
)

// Errors of this package, for errors.Is. What is returned wraps them and says which job, type or task it was.
var (
	// ErrUnknownJob: no job of this name is defined in this program.
	ErrUnknownJob = errors.New("rdd: unknown job")
	// ErrBadJob: a job cannot be used as it is defined: a name given twice, a function or Dataset that is nil, a number
	// of partitions out of range.
	ErrBadJob = errors.New("rdd: bad job")
	// ErrNoCodec: a type cannot be a record, a key or an argument.
	ErrNoCodec = errors.New("rdd: type cannot be encoded")
	// ErrBadArguments: the encoded arguments of a job cannot be read.
	ErrBadArguments = errors.New("rdd: bad arguments")
	// ErrLineageDiffers: driver and executor made different lineages of the same job and arguments.
	ErrLineageDiffers = errors.New("rdd: lineage differs")
	// ErrBadTask: a task names a node, partition, split or shuffle that its lineage does not have.
	ErrBadTask = errors.New("rdd: bad task")
	// ErrCancelled: a job was cancelled by its number, its stage, its group or its tag, or with all jobs. The end of an action's own context
	// gives the error of the context instead.
	ErrCancelled = errors.New("rdd: job cancelled")
	// ErrEmpty: an action that needs a record found none.
	ErrEmpty = errors.New("rdd: empty collection")
	// ErrOutputExists: the folder that SaveAsTextFile is to make is there already.
	ErrOutputExists = errors.New("rdd: output exists")
	// ErrCorrupt: encoded records cannot be read.
	ErrCorrupt = errors.New("rdd: damaged records")
)

// LineageError is an ErrLineageDiffers with the lines of the lineages.
type LineageError struct {
	// Job is the name of the job.
	Job string
	// Driver and Executor are the lines of both; Driver is nil in the executor, which knows only the digest.
	Driver, Executor []string
}

// mostDifferences bounds the lines of a LineageError's text.
const mostDifferences = 20

// Error says what differs when both sides are known.
func (e *LineageError) Error() string {
	text := fmt.Sprintf("%v: driver and executor made different lineages of job %s from the same argument", ErrLineageDiffers, e.Job)
	if e.Driver == nil {
		return text
	}
	lines := Differences(e.Driver, e.Executor)
	if more := len(lines) - mostDifferences; more > 0 {
		lines = append(lines[:mostDifferences], fmt.Sprintf("... and %d lines more", more))
	}
	return text + " (- driver, + executor):\n" + strings.Join(lines, "\n") + "\nThe job's function must depend on its " +
		"argument only, not on files, environment, clock or variables, and driver and executor must be the same program."
}

// Unwrap is ErrLineageDiffers.
func (e *LineageError) Unwrap() error { return ErrLineageDiffers }

// UserError is a panic of a user's function, in a task or while a job's lineage was made. The process goes on.
type UserError struct {
	// Value is what the function panicked with.
	Value any
	// Stack is the stack of the goroutine at the panic.
	Stack []byte
	// Node is the number of the node in whose function it happened; -1 when the job itself panicked.
	Node int
	// Op is the node's operation, such as "Map", and Func the name of the user's function.
	Op, Func string
}

// Error says what panicked and where; Stack has the rest.
func (e *UserError) Error() string {
	if e.Node < 0 {
		return fmt.Sprintf("rdd: job function %s panicked: %v", e.Func, e.Value)
	}
	return fmt.Sprintf("rdd: function %s of node %d (%s) panicked: %v", e.Func, e.Node, e.Op, e.Value)
}

// Unwrap is the value of the panic when that was an error.
func (e *UserError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
