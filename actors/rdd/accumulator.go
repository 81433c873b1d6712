package rdd

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
)

// Accumulator is a value to which tasks add, beside their results, and which the driver reads: it mirrors AccumulatorV2. Define it in a
// package variable by DefineAccumulator or DefineCounter, let tasks add by Accumulate, and read it by Total.
type Accumulator[V any] struct {
	entry *namedEntry
	of    *accumulator[V]
}

type accumulator[V any] struct {
	name   string
	zero   []byte // encoded
	merge  func(a, b V) V
	values codec[V]
}

// DefineAccumulator defines an Accumulator that begins with zero and grows by merge, which must be associative and commutative: tasks end
// in any order.
func DefineAccumulator[V any](name string, zero V, merge func(a, b V) V) Accumulator[V] {
	a := &accumulator[V]{name: name, merge: merge}
	var err error
	if a.values, err = codecOf[V](); err == nil {
		a.zero = a.values.append(nil, zero)
	} else {
		err = fmt.Errorf("accumulator %q: %w", name, err)
	}
	return Accumulator[V]{defineNamed("accumulator", name, merge, merger(a), err), a}
}

// DefineCounter defines an Accumulator of a sum (LongAccumulator).
func DefineCounter(name string) Accumulator[int64] {
	return DefineAccumulator(name, 0, func(a, b int64) int64 { return a + b })
}

// Accumulate is d itself, of which each record adds f(record) to an accumulator when it is computed. As in Spark, a partition of a job's
// result counts once, however often its task was tried or copied; one before a shuffle counts each time that its map task ends well, so
// again when its output was lost. What a job skips, since an earlier one has computed it, counts nothing. What fails counts nothing.
func Accumulate[T, V any](d Dataset[T], a Accumulator[V], f func(T) V) Dataset[T] {
	n := d.derive("Accumulate", f)
	n.keepPartitioner()
	switch {
	case n.err != nil:
	case a.entry == nil:
		n.err = fmt.Errorf("%w: Accumulate with a zero Accumulator; make them by DefineAccumulator", ErrBadJob)
	default:
		n.param("accumulator=%q", a.entry.name)
		n.err = a.entry.err
	}
	return newDataset(n, func(r *run, partition int) iter.Seq[T] {
		at := r.number(n)
		return func(yield func(T) bool) {
			sum := accumulating(r, a.of)
			for v := range d.iterate(r, partition) {
				r.at = at
				sum.value = a.of.merge(sum.value, f(v))
				if !yield(v) {
					return
				}
			}
		}
	})
}

// taskSum is what one task has added to an accumulator.
type taskSum[V any] struct {
	of    *accumulator[V]
	value V
}

func (s *taskSum[V]) update() Update { return Update{s.of.name, s.of.values.append(nil, s.value)} }

// accumulating is the task's sum of an accumulator, one for all nodes that add to it.
func accumulating[V any](r *run, a *accumulator[V]) *taskSum[V] {
	for _, s := range r.sums {
		if mine, ok := s.(*taskSum[V]); ok && mine.of == a {
			return mine
		}
	}
	zero, _, _ := a.values.decode(a.zero) // it was encoded here
	mine := &taskSum[V]{a, zero}
	r.sums = append(r.sums, mine)
	return mine
}

// Update is what one task has added to an accumulator, encoded.
type Update struct {
	Name  string
	Value []byte
}

// Totals are the values of accumulators, added up over the jobs of a context: see WithTotals. The zero Totals are at the accumulators'
// zeros. Jobs that run at once may share them.
type Totals struct {
	mu     sync.Mutex
	values map[string][]byte
	err    error
}

type totalsKey struct{}

// WithTotals is ctx whose jobs add to totals, when they succeed, what their tasks have accumulated. Without it that is dropped.
func WithTotals(ctx context.Context, totals *Totals) context.Context {
	return context.WithValue(ctx, totalsKey{}, totals)
}

// Add adds what tasks have accumulated; a Runner calls it with all of a job before RunJob returns. It comes from executors.
func (t *Totals) Add(updates []Update) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, u := range updates {
		m, _, err := findNamed[merger]("accumulator", u.Name)
		if err == nil {
			if t.values == nil {
				t.values = map[string][]byte{}
			}
			t.values[u.Name], err = m.mergeEncoded(t.values[u.Name], u.Value)
		}
		if t.err == nil && err != nil {
			t.err = fmt.Errorf("accumulator %q: %w", u.Name, err)
		}
	}
}

// merger merges encoded values of an accumulator.
type merger interface {
	mergeEncoded(a, b []byte) ([]byte, error)
}

// mergeEncoded merges two values; a may be missing.
func (a *accumulator[V]) mergeEncoded(x, y []byte) ([]byte, error) {
	if x == nil {
		x = a.zero
	}
	left, _, err := a.values.decode(x)
	if err != nil {
		return x, err
	}
	right, rest, err := a.values.decode(y)
	if err == nil && len(rest) > 0 {
		err = corrupt("there is more behind a value")
	}
	if err != nil {
		return x, err
	}
	return a.values.append(nil, a.merge(left, right)), nil
}

// Total is the value of a in totals.
func (a Accumulator[V]) Total(totals *Totals) (v V, err error) {
	if a.entry == nil {
		return v, fmt.Errorf("%w: a zero Accumulator was used; make them by DefineAccumulator", ErrBadJob)
	}
	if a.entry.err != nil {
		return v, a.entry.err
	}
	totals.mu.Lock()
	defer totals.mu.Unlock()
	if totals.err != nil {
		return v, totals.err
	}
	encoded, ok := totals.values[a.entry.name]
	if !ok {
		encoded = a.of.zero
	}
	v, _, err = a.of.values.decode(encoded)
	return v, err
}

// updates are what the task has accumulated, by name.
func (r *run) updates() []Update {
	var out []Update
	for _, s := range r.sums {
		out = append(out, s.update())
	}
	slices.SortFunc(out, func(a, b Update) int { return strings.Compare(a.Name, b.Name) })
	return out
}
