package rdd

import "iter"

// MapValues is d with f of each value. Keys stay in their partitions, so what is joined by them next needs no shuffle.
func MapValues[K, V, U any](d Dataset[Pair[K, V]], f func(V) U) Dataset[Pair[K, U]] {
	n := d.derive("MapValues", f)
	n.keepPartitioner()
	return newDataset(n, func(r *run, partition int) iter.Seq[Pair[K, U]] {
		at := r.number(n)
		return func(yield func(Pair[K, U]) bool) {
			d.iterate(r, partition)(func(p Pair[K, V]) bool {
				r.at = at
				return yield(Pair[K, U]{p.Key, f(p.Value)})
			})
		}
	})
}

// FlatMapValues is the Dataset of a pair for each of the values that f gives of a value, with its key. A nil sequence is an empty one.
// Keys stay in their partitions.
func FlatMapValues[K, V, U any](d Dataset[Pair[K, V]], f func(V) iter.Seq[U]) Dataset[Pair[K, U]] {
	n := d.derive("FlatMapValues", f)
	n.keepPartitioner()
	return newDataset(n, func(r *run, partition int) iter.Seq[Pair[K, U]] {
		at := r.number(n)
		return func(yield func(Pair[K, U]) bool) {
			for p := range d.iterate(r, partition) {
				r.at = at
				seq := f(p.Value)
				if seq == nil {
					continue
				}
				for u := range seq {
					r.tick()
					if !yield(Pair[K, U]{p.Key, u}) {
						return
					}
					r.at = at
				}
			}
		}
	})
}

// Keys is the Dataset of the keys of d, each as often as it comes.
func Keys[K, V any](d Dataset[Pair[K, V]]) Dataset[K] {
	return Map(d, func(p Pair[K, V]) K { return p.Key })
}

// Values is the Dataset of the values of d.
func Values[K, V any](d Dataset[Pair[K, V]]) Dataset[V] {
	return Map(d, func(p Pair[K, V]) V { return p.Value })
}

// KeyBy is d with key(record) as the key of each record.
func KeyBy[K, T any](d Dataset[T], key func(T) K) Dataset[Pair[K, T]] {
	n := d.derive("KeyBy", key)
	return newDataset(n, func(r *run, partition int) iter.Seq[Pair[K, T]] {
		at := r.number(n)
		return func(yield func(Pair[K, T]) bool) {
			d.iterate(r, partition)(func(v T) bool {
				r.at = at
				return yield(Pair[K, T]{key(v), v})
			})
		}
	})
}

// keepPartitioner notes that n has the keys of its parent in the same partitions.
func (n *node) keepPartitioner() {
	if len(n.parents) > 0 {
		n.partitioner = n.parents[0].partitioner
	}
}
