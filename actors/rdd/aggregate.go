package rdd

import (
	"context"
	"fmt"
	"iter"
	"reflect"
)

// Aggregation makes one value of the records of a job: tasks make one of each partition, and the driver merges those in the order of the
// partitions. Its functions run in executors, where its name finds them: define it in a package variable, as a job, by DefineReduce,
// DefineFold or DefineAggregate. Aggregate uses it.
type Aggregation[T, R any] struct {
	entry *namedEntry
	of    *aggregation[T, R]
}

// aggregation is what the driver and its tasks know of an Aggregation.
type aggregation[T, R any] struct {
	entry   *namedEntry
	zero    []byte // the encoded value of no record; nil for actions without a zero
	add     func(R, T) R
	first   func(T) R // of the first record, without a zero
	merge   func(R, R) R
	results codec[R]
}

// DefineReduce defines the Aggregation that merges records by f, which must be associative. Of no record there is no value: Aggregate
// fails with ErrEmpty. It mirrors RDD.reduce, which merges the values of partitions in the order in which they come.
func DefineReduce[T any](name string, f func(a, b T) T) Aggregation[T, T] {
	a := &aggregation[T, T]{first: func(v T) T { return v }, add: f, merge: f}
	return define(name, f, a, nil)
}

// DefineFold is DefineReduce with a value of no record, from which each partition and the driver begin. It mirrors RDD.fold.
func DefineFold[T any](name string, zero T, f func(a, b T) T) Aggregation[T, T] {
	return define(name, f, &aggregation[T, T]{add: f, merge: f}, &zero)
}

// DefineAggregate defines the Aggregation in which add puts each record to the value of its partition, which begins with zero, and merge
// puts those together, beginning with zero once more. Each partition gets a zero of its own, decoded: the functions may change and return
// it. It mirrors RDD.aggregate.
func DefineAggregate[T, R any](name string, zero R, add func(R, T) R, merge func(R, R) R) Aggregation[T, R] {
	a := &aggregation[T, R]{add: add, merge: merge}
	if add == nil || merge == nil {
		return define[T, R](name, (func(R, T) R)(nil), a, &zero)
	}
	return define(name, add, a, &zero)
}

func define[T, R any](name string, f any, a *aggregation[T, R], zero *R) Aggregation[T, R] {
	var err error
	if a.results, err = codecOf[R](); err != nil {
		err = fmt.Errorf("aggregation %q: %w", name, err)
	} else if zero != nil {
		a.zero = a.results.append(nil, *zero)
	}
	a.entry = defineNamed("aggregation", name, f, stepper[T](a), err)
	return Aggregation[T, R]{a.entry, a}
}

// Aggregate computes a bound job and makes one value of its records. It is an action.
func Aggregate[T, R any](ctx context.Context, r Runner, b Bound[T], a Aggregation[T, R]) (value R, err error) {
	if a.entry == nil {
		return value, fmt.Errorf("%w: a zero Aggregation was used; make them by DefineAggregate and its like", ErrBadJob)
	}
	if a.entry.err != nil {
		return value, a.entry.err
	}
	results, err := runJob(ctx, r, b, actionAggregate+Action(" "+a.entry.name))
	if err != nil {
		return value, err
	}
	var parts []R
	for partition, res := range results {
		if parts, err = decodeResult(parts, res, a.of.results, b.name, partition); err != nil {
			return value, err
		}
	}
	if a.of.zero != nil {
		value = a.of.begin()
	} else {
		if len(parts) == 0 {
			return value, fmt.Errorf("%w: job %s has no record for aggregation %s", ErrEmpty, b.name, a.entry.name)
		}
		value, parts = parts[0], parts[1:]
	}
	for _, part := range parts {
		value = a.of.merge(value, part)
	}
	return value, nil
}

// begin is a zero of its own.
func (a *aggregation[T, R]) begin() R {
	zero, _, _ := a.results.decode(a.zero) // it was encoded here
	return zero
}

// stepper makes the step of what was defined under a name.
type stepper[T any] interface{ step() step[T] }

func (a *aggregation[T, R]) step() step[T] {
	return func(r *run, in iter.Seq[T]) Result {
		var value R
		some := a.zero != nil
		if some {
			value = a.begin()
		}
		for v := range in {
			r.inAction(a.entry)
			if some {
				value = a.add(value, v)
			} else {
				value, some = a.first(v), true
			}
		}
		r.at = outside
		if !some {
			return Result{}
		}
		return encode(a.results, value)
	}
}

// namedStep is the step of the aggregation or the effect of a name.
func namedStep[T any](name string) (step[T], error) {
	made, _, err := findNamed[stepper[T]]("aggregation", name)
	if err != nil {
		return nil, err
	}
	return made.step(), nil
}

// Effect is what Foreach does with the records of each partition, in executors, where its name finds it: define it in a package variable.
type Effect[T any] struct{ entry *namedEntry }

// effect runs a user's function for one partition.
type effect[T any] struct {
	entry *namedEntry
	each  func(iter.Seq[T])
}

// DefineEffect defines the Effect that calls f for each record. An attempt of a task that is repeated calls it again.
func DefineEffect[T any](name string, f func(T)) Effect[T] {
	if f == nil {
		return DefinePartitionEffect[T](name, nil)
	}
	return defineEffect(name, f, func(in iter.Seq[T]) {
		for v := range in {
			f(v)
		}
	})
}

// DefinePartitionEffect defines the Effect that calls f once for each partition, with its records, which it may iterate over once.
func DefinePartitionEffect[T any](name string, f func(iter.Seq[T])) Effect[T] {
	return defineEffect(name, f, f)
}

func defineEffect[T any](name string, fn any, each func(iter.Seq[T])) Effect[T] {
	e := &effect[T]{each: each}
	e.entry = defineNamed("effect", name, fn, stepper[T](e), nil)
	return Effect[T]{e.entry}
}

func (e *effect[T]) step() step[T] {
	return func(r *run, in iter.Seq[T]) (res Result) {
		r.inAction(e.entry)
		e.each(func(yield func(T) bool) {
			for v := range in {
				r.inAction(e.entry)
				res.Count++
				if !yield(v) {
					return
				}
			}
			r.inAction(e.entry)
		})
		return res
	}
}

// Foreach computes a bound job and has the tasks do an Effect with its records (RDD.foreach and RDD.foreachPartition). It is an action.
// What an Effect leaves in the variables of an executor the driver does not see.
func Foreach[T any](ctx context.Context, r Runner, b Bound[T], e Effect[T]) error {
	if e.entry == nil {
		return fmt.Errorf("%w: a zero Effect was used; make them by DefineEffect", ErrBadJob)
	}
	if e.entry.err != nil {
		return e.entry.err
	}
	_, err := runJob(ctx, r, b, actionAggregate+Action(" "+e.entry.name))
	return err
}

// isNil reports whether a function is nil.
func isNil(fn any) bool { return fn == nil || reflect.ValueOf(fn).IsNil() }
