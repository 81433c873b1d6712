package rdd

import (
	"fmt"
	"iter"
)

// Union is the Dataset of all records of a, then those of the others: their partitions, one behind the other. A record that is in two of
// them comes twice, as in Spark.
func Union[T any](a Dataset[T], others ...Dataset[T]) Dataset[T] {
	all := append([]Dataset[T]{a}, others...)
	var parents []*node
	for _, d := range all {
		parents = append(parents, d.node)
	}
	n := deriveAll("Union", inTurn{}, parents...)
	return newDataset(n, func(r *run, partition int) iter.Seq[T] {
		p := r.pieces(n, partition)[0]
		return all[p.parent].iterate(r, p.partition)
	})
}

// Coalesce is d in fewer partitions, without a shuffle: each is made of neighbours, in order, and computed by one task. With as many as
// d has or more, it is d. To get more, or to keep the work before it in more tasks, see Repartition. Spark also looks where the
// partitions of d want to run; here only their numbers count.
func Coalesce[T any](d Dataset[T], partitions int) Dataset[T] {
	n := d.derive("Coalesce", nil)
	n.narrow = fewer(partitions)
	n.setPartitions(partitions)
	n.partitions = 0 // as many as fewer says
	return newDataset(n, func(r *run, partition int) iter.Seq[T] {
		return func(yield func(T) bool) {
			more := true
			for _, p := range r.pieces(n, partition) {
				d.iterate(r, p.partition)(func(v T) bool {
					more = yield(v)
					return more
				})
				if !more {
					return
				}
			}
		}
	})
}

// Zip is the Dataset of pairs of the records of a and b in the same places. Both must have as many partitions and as many records in
// each; otherwise the job fails. A panic of a function of b has the stack of a coroutine.
func Zip[A, B any](a Dataset[A], b Dataset[B]) Dataset[Pair[A, B]] {
	n := deriveAll("Zip", sideBySide{}, a.node, b.node)
	return newDataset(n, func(r *run, partition int) iter.Seq[Pair[A, B]] {
		return func(yield func(Pair[A, B]) bool) {
			next, stop := iter.Pull(b.iterate(r, partition))
			defer stop()
			unequal := func() {
				r.fail(fmt.Errorf("%w: can only zip Datasets with the same number of records in each partition: partition %d differs",
					ErrBadJob, partition))
			}
			more := true
			a.iterate(r, partition)(func(v A) bool {
				w, ok := next()
				if !ok {
					unequal()
				}
				more = yield(Pair[A, B]{v, w})
				return more
			})
			if _, ok := next(); ok && more {
				unequal()
			}
		}
	})
}

// Cartesian is the Dataset of all pairs of a record of a and one of b. It has a partition for each pair of partitions; one of b is
// computed anew for each record of a's, as in Spark, so b should be cheap.
func Cartesian[A, B any](a Dataset[A], b Dataset[B]) Dataset[Pair[A, B]] {
	n := deriveAll("Cartesian", each{}, a.node, b.node)
	return newDataset(n, func(r *run, partition int) iter.Seq[Pair[A, B]] {
		p := r.pieces(n, partition)
		return func(yield func(Pair[A, B]) bool) {
			for v := range a.iterate(r, p[0].partition) {
				for w := range b.iterate(r, p[1].partition) {
					if !yield(Pair[A, B]{v, w}) {
						return
					}
				}
			}
		}
	})
}
