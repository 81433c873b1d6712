package rdd

import (
	"iter"
	"time"
)

// Sleep is d itself, with a pause of f(record) before each record is given on: work that takes time and does nothing, for
// tests and demonstrations. No pause is made for zero or less. The task pauses by Task.Sleep, so that a simulation's
// virtual time passes; Local does not pause.
func Sleep[T any](d Dataset[T], f func(T) time.Duration) Dataset[T] {
	n := d.derive("Sleep", f)
	n.keepPartitioner()
	return newDataset(n, func(r *run, partition int) iter.Seq[T] {
		at := r.number(n)
		return func(yield func(T) bool) {
			for v := range d.iterate(r, partition) {
				r.at = at
				r.sleep(f(v))
				if !yield(v) {
					return
				}
			}
		}
	})
}
