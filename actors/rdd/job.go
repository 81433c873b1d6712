package rdd

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
)

// Job is a named pure function from an argument to a Dataset. See Define.
type Job[A, T any] struct{ entry *entry }

// Define makes a job and enters it by its name, under which executors find it. Call it in a package variable: then every
// process of the program has it before main begins, and no two calls run at once. A job that main or a later function
// defines cannot be used: its function could capture values that differ between driver and executor.
//
// f must depend on its argument only; see the package's text. Faults in the definition (a name used twice, T without a
// codec, A with a field that would not travel) do not stop the program: they are returned by whatever uses the job.
func Define[A, T any](name string, f func(A) Dataset[T]) Job[A, T] {
	e := &entry{name: name, function: "a nil function"}
	if f != nil {
		e.function = funcName(f)
	}
	records, codecErr := codecOf[T]()
	late := definedLate()
	switch {
	case late != "":
		// Not registered: the registry has no lock, and the job would be found by its name in one process and not in another.
		return Job[A, T]{&entry{name: name, err: fmt.Errorf("%w: job %q is defined by %s, in the running program: define it in a "+
			"package variable, as var Job = rdd.Define(%q, ...), and pass what its function captures there in its argument",
			ErrBadJob, name, late, name)}}
	case f == nil:
		e.err = fmt.Errorf("%w: job %q has a nil function", ErrBadJob, name)
	case codecErr != nil:
		e.err = fmt.Errorf("job %q: %w", name, codecErr)
	default:
		if err := checkArgument(reflect.TypeFor[A](), reflect.TypeFor[A]().String(), nil); err != nil {
			e.err = fmt.Errorf("job %q: %w", name, err)
		}
	}
	dataset := func(args []byte) (d Dataset[T], err error) {
		a, err := decodeArgs[A](name, args)
		if err != nil {
			return d, err
		}
		defer func() { // f is user code: its panic is the job's failure, not the process's
			if v := recover(); v != nil {
				err = &UserError{Value: v, Stack: debug.Stack(), Node: -1, Op: "Define", Func: e.function}
			}
		}()
		d = f(a)
		if err := addBroadcasts(d.node, &a); err != nil {
			return d, fmt.Errorf("job %q: %w", name, err)
		}
		// Now, before another job takes it up and marks what it adds itself.
		markOrigin(d.node, name, args)
		return d, nil
	}
	e.dataset = func(args []byte) (any, error) { return dataset(args) }
	e.lineage = func(args []byte) (*Lineage, error) {
		d, err := dataset(args)
		if err != nil {
			return nil, err
		}
		l, err := newLineage(name, d, records)
		if err == nil {
			l.args = args
		}
		return l, err
	}
	register(e)
	return Job[A, T]{e}
}

// With binds the job to an argument. A fault is kept in the Bound and returned by what uses it.
func (j Job[A, T]) With(a A) Bound[T] {
	if j.entry == nil {
		return Bound[T]{err: fmt.Errorf("%w: a zero Job was used; make jobs by Define", ErrBadJob)}
	}
	b := Bound[T]{name: j.entry.name, err: j.entry.err}
	if b.err == nil {
		b.args, b.err = encodeArgs(j.entry.name, a)
	}
	return b
}

// Bound is a job with its argument: what an action computes. It may be a field of another job's argument, where From
// takes it up again. The zero Bound is no job.
type Bound[T any] struct {
	name string
	args []byte
	err  error
}

// Err is why the Bound cannot be used; nil if it can.
func (b Bound[T]) Err() error {
	if b.err == nil && b.name == "" {
		return fmt.Errorf("%w: a zero Bound was used; bind a job by With", ErrBadJob)
	}
	return b.err
}

// Invocation is what a Runner needs of b: its name, its encoded argument and its lineage.
func (b Bound[T]) Invocation() (Invocation, error) {
	if err := b.Err(); err != nil {
		return Invocation{}, err
	}
	l, err := Lookup(b.name, b.args)
	return Invocation{Name: b.name, Args: b.args, Lineage: l}, err
}

// From is the Dataset of a bound job, computed anew as part of the job that uses it.
func From[T any](b Bound[T]) Dataset[T] {
	made, err := b.dataset()
	if err != nil {
		return Dataset[T]{node: &node{op: "From", err: err}}
	}
	return made
}

func (b Bound[T]) dataset() (d Dataset[T], err error) {
	if err := b.Err(); err != nil {
		return d, err
	}
	e, err := find(b.name)
	if err != nil {
		return d, err
	}
	made, err := e.dataset(b.args)
	if err != nil {
		return d, err
	}
	d, ok := made.(Dataset[T])
	if !ok {
		return d, fmt.Errorf("%w: job %q gives %T, not %T", ErrBadArguments, b.name, made, d)
	}
	return d, nil
}

// wireBound is how a Bound travels in arguments.
type wireBound struct {
	Name string
	Args []byte
}

// GobEncode writes the job's name and its encoded argument.
func (b Bound[T]) GobEncode() ([]byte, error) {
	if err := b.Err(); err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	err := gob.NewEncoder(&buf).Encode(wireBound{b.name, b.args})
	return buf.Bytes(), err
}

// GobDecode reads what GobEncode wrote.
func (b *Bound[T]) GobDecode(data []byte) error {
	var w wireBound
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&w); err != nil {
		return err
	}
	*b = Bound[T]{name: w.Name, args: w.Args}
	return nil
}

func encodeArgs[A any](job string, a A) ([]byte, error) {
	var buf bytes.Buffer
	if err := gob.NewEncoder(&buf).Encode(&a); err != nil {
		return nil, fmt.Errorf("%w of job %q: %w", ErrBadArguments, job, err)
	}
	return buf.Bytes(), nil
}

func decodeArgs[A any](job string, args []byte) (a A, err error) {
	r := bytes.NewReader(args)
	if err = gob.NewDecoder(r).Decode(&a); err == nil && r.Len() > 0 {
		err = errors.New("there is more behind them")
	}
	if err != nil {
		return a, fmt.Errorf("%w of job %q: %w", ErrBadArguments, job, err)
	}
	return a, nil
}
