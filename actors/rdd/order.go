package rdd

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Order says which of two records comes first, for TakeOrdered, Top, Min and Max: the natural one, or one that a program defines in a
// package variable, since executors find it by its name.
type Order[T any] struct {
	entry   *namedEntry // nil: the natural order
	compare func(a, b T) int
}

// Natural is the order of cmp.Compare.
func Natural[T cmp.Ordered]() Order[T] { return Order[T]{compare: cmp.Compare[T]} }

// DefineOrder defines an order by a function that is negative when a comes first, positive when b does, and 0 when neither does: such
// records stay in the order of the partitions.
func DefineOrder[T any](name string, compare func(a, b T) int) Order[T] {
	o := Order[T]{compare: compare}
	o.entry = defineNamed("order", name, compare, compare, nil)
	return o
}

// TakeOrdered is the first n records of a bound job in an order. Each task brings at most n. It is an action (RDD.takeOrdered).
func TakeOrdered[T any](ctx context.Context, r Runner, b Bound[T], n int, by Order[T]) ([]T, error) {
	return takeOrdered(ctx, r, b, n, by, actionLeast)
}

// Top is the last n records of a bound job in an order, the last one first (RDD.top).
func Top[T any](ctx context.Context, r Runner, b Bound[T], n int, by Order[T]) ([]T, error) {
	return takeOrdered(ctx, r, b, n, by, actionGreatest)
}

// Min is the first record of a bound job in an order; ErrEmpty without records (RDD.min).
func Min[T any](ctx context.Context, r Runner, b Bound[T], by Order[T]) (T, error) {
	return only(TakeOrdered(ctx, r, b, 1, by))(b.name)
}

// Max is the last record of a bound job in an order; ErrEmpty without records (RDD.max).
func Max[T any](ctx context.Context, r Runner, b Bound[T], by Order[T]) (T, error) {
	return only(Top(ctx, r, b, 1, by))(b.name)
}

// only is the record of a slice that has at most one.
func only[T any](found []T, err error) func(job string) (T, error) {
	return func(job string) (v T, _ error) {
		switch {
		case err != nil:
			return v, err
		case len(found) == 0:
			return v, fmt.Errorf("%w: job %s has no record", ErrEmpty, job)
		}
		return found[0], nil
	}
}

func takeOrdered[T any](ctx context.Context, r Runner, b Bound[T], n int, by Order[T], verb Action) ([]T, error) {
	switch {
	case by.compare == nil:
		return nil, fmt.Errorf("%w: a zero Order, or one of a nil function, was used; take Natural or DefineOrder", ErrBadJob)
	case by.entry != nil && by.entry.err != nil:
		return nil, by.entry.err
	case n < 0:
		return nil, fmt.Errorf("%w: %d records of job %s are wanted; give 0 or more", ErrBadJob, n, b.name)
	case n == 0:
		return nil, b.Err()
	}
	action := verb + Action(" "+strconv.Itoa(min(n, math.MaxInt32)))
	if by.entry != nil {
		action += Action(" " + by.entry.name)
	}
	results, err := runJob(ctx, r, b, action)
	if err != nil {
		return nil, err
	}
	records, err := codecOf[T]()
	if err != nil {
		return nil, err
	}
	q := newQueue(verb, n, by.compare)
	for partition, res := range results {
		found, err := decodeResult(nil, res, records, b.name, partition)
		if err != nil {
			return nil, err
		}
		for _, v := range found {
			q.add(v)
		}
	}
	return q.first(), nil
}

// queue keeps the first n records in an order (BoundedPriorityQueue). Of records that are equal the earlier ones come first.
type queue[T any] struct {
	n       int
	compare func(a, b T) int
	held    []T
	full    bool // held[n-1] is the last that may come
}

// newQueue is the queue of an action, which has the order turned round for the greatest records.
func newQueue[T any](verb Action, n int, compare func(a, b T) int) *queue[T] {
	if verb == actionGreatest {
		ascending := compare
		compare = func(a, b T) int { return ascending(b, a) }
	}
	return &queue[T]{n: n, compare: compare}
}

func (q *queue[T]) add(v T) {
	if q.full && q.compare(v, q.held[q.n-1]) >= 0 {
		return
	}
	q.held = append(q.held, v)
	// Sorting at each record would be slow, a heap would not keep the order of equal ones.
	if len(q.held) >= q.n+max(q.n, 64) {
		q.cut()
	}
}

func (q *queue[T]) cut() {
	slices.SortStableFunc(q.held, q.compare)
	if len(q.held) >= q.n {
		clear(q.held[q.n:])
		q.held, q.full = q.held[:q.n], true
	}
}

func (q *queue[T]) first() []T {
	q.cut()
	return q.held
}

// orderedStep is the step of actionLeast and actionGreatest: "N", or "N NAME" in a defined order.
func orderedStep[T any](verb Action, of string, c codec[T]) (step[T], error) {
	number, name, isNamed := strings.Cut(of, " ")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > math.MaxInt32 {
		return nil, fmt.Errorf("%w: action %q: %q is no number of records", ErrBadTask, verb, number)
	}
	compare, where := naturalOrder[T](), &namedEntry{kind: "order", name: "natural", function: "cmp.Compare"}
	if isNamed {
		if compare, where, err = findNamed[func(a, b T) int]("order", name); err != nil {
			return nil, err
		}
	}
	if compare == nil {
		return nil, fmt.Errorf("%w: records of type %T have no natural order", ErrBadTask, *new(T))
	}
	return func(r *run, in iter.Seq[T]) Result {
		q := newQueue(verb, n, compare)
		for v := range in {
			r.inAction(where)
			q.add(v)
		}
		r.inAction(where)
		return encode(c, q.first()...)
	}, nil
}

// naturalOrder is cmp.Compare of a type that has it, else nil: a task knows of its records only that they are of some type.
func naturalOrder[T any]() func(a, b T) int {
	var made any
	switch any(*new(T)).(type) {
	case string:
		made = cmp.Compare[string]
	case int:
		made = cmp.Compare[int]
	case int64:
		made = cmp.Compare[int64]
	case float64:
		made = cmp.Compare[float64]
	}
	if compare, ok := made.(func(a, b T) int); ok {
		return compare
	}
	by := func(compare func(a, b reflect.Value) int) func(a, b T) int {
		return func(a, b T) int { return compare(reflect.ValueOf(a), reflect.ValueOf(b)) }
	}
	switch t := reflect.TypeFor[T](); {
	case t.Kind() == reflect.String:
		return by(func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) })
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64:
		return by(func(a, b reflect.Value) int { return cmp.Compare(a.Int(), b.Int()) })
	case t.Kind() >= reflect.Uint && t.Kind() <= reflect.Uintptr:
		return by(func(a, b reflect.Value) int { return cmp.Compare(a.Uint(), b.Uint()) })
	case t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64:
		return by(func(a, b reflect.Value) int { return cmp.Compare(a.Float(), b.Float()) })
	}
	return nil
}
