package rdd

import "iter"

// In every operation r.at is set before user code runs, and again whenever control comes back to it from a yield, so
// that a panic is put down to the right node without a deferred call per record.

// Map is the Dataset of f(record) of each record, in order.
func Map[T, U any](d Dataset[T], f func(T) U) Dataset[U] {
	n := d.derive("Map", f)
	return newDataset(n, func(r *run, partition int) iter.Seq[U] {
		at := r.number(n)
		return func(yield func(U) bool) {
			d.iterate(r, partition)(func(v T) bool { // called, not ranged over: a loop's own checks cost as much as a short f
				r.at = at
				return yield(f(v))
			})
		}
	})
}

// Filter is the Dataset of the records for which keep is true, in order.
func Filter[T any](d Dataset[T], keep func(T) bool) Dataset[T] {
	n := d.derive("Filter", keep)
	n.keepPartitioner()
	return newDataset(n, func(r *run, partition int) iter.Seq[T] {
		at := r.number(n)
		return func(yield func(T) bool) {
			for v := range d.iterate(r, partition) {
				r.at = at
				if keep(v) && !yield(v) {
					return
				}
			}
		}
	})
}

// FlatMap is the Dataset of all records that f gives for each record, in order. A nil sequence is an empty one.
func FlatMap[T, U any](d Dataset[T], f func(T) iter.Seq[U]) Dataset[U] {
	n := d.derive("FlatMap", f)
	return newDataset(n, func(r *run, partition int) iter.Seq[U] {
		at := r.number(n)
		return func(yield func(U) bool) {
			ended := false
			each := func(u U) bool { // made once: a loop over seq would allocate it for each record
				r.tick() // a single record may give any number
				if !yield(u) {
					ended = true
					return false
				}
				r.at = at
				return true
			}
			for v := range d.iterate(r, partition) {
				r.at = at
				if seq := f(v); seq != nil {
					seq(each)
				}
				if ended {
					return
				}
			}
		}
	})
}

// MapPartitions is the Dataset that f makes of each partition. f is called once per partition; the sequence that it is
// given can be iterated once, and only until f's own sequence ends.
func MapPartitions[T, U any](d Dataset[T], f func(iter.Seq[T]) iter.Seq[U]) Dataset[U] {
	n := d.derive("MapPartitions", f)
	return mapPartitions(n, d, func(_ int, in iter.Seq[T]) iter.Seq[U] { return f(in) })
}

// MapPartitionsWithIndex is MapPartitions with the number of the partition, from 0.
func MapPartitionsWithIndex[T, U any](d Dataset[T], f func(partition int, in iter.Seq[T]) iter.Seq[U]) Dataset[U] {
	return mapPartitions(d.derive("MapPartitionsWithIndex", f), d, f)
}

func mapPartitions[T, U any](n *node, d Dataset[T], f func(int, iter.Seq[T]) iter.Seq[U]) Dataset[U] {
	return mapTasks(n, d, func(_ *run, partition int, in iter.Seq[T]) iter.Seq[U] { return f(partition, in) })
}

// mapTasks is mapPartitions with a function that gets the task too.
func mapTasks[T, U any](n *node, d Dataset[T], f func(*run, int, iter.Seq[T]) iter.Seq[U]) Dataset[U] {
	return newDataset(n, func(r *run, partition int) iter.Seq[U] {
		at := r.number(n)
		in := func(yield func(T) bool) {
			for v := range d.iterate(r, partition) {
				r.at = at
				if !yield(v) {
					return
				}
			}
			r.at = at // f goes on after the last record
		}
		return func(yield func(U) bool) {
			r.at = at
			seq := f(r, partition, in)
			if seq == nil {
				return
			}
			for u := range seq {
				r.tick()
				if !yield(u) {
					return
				}
				r.at = at
			}
		}
	})
}
