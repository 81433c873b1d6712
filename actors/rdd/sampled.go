package rdd

import (
	"fmt"
	"iter"
	"math/rand/v2"
)

// Sample is d with each record kept with probability fraction, without replacement. The choice depends on seed and the number of the
// partition alone, so that a task gives the same each time (RDD.sample, with a BernoulliSampler).
func Sample[T any](d Dataset[T], fraction float64, seed uint64) Dataset[T] {
	n := d.derive("Sample", nil)
	n.param("fraction=%v seed=%d", fraction, seed)
	if n.err == nil && !(fraction >= 0 && fraction <= 1) { // a NaN is neither
		n.err = fmt.Errorf("%w: Sample of a fraction of %v; give 0 to 1", ErrBadJob, fraction)
	}
	n.keepPartitioner()
	return newDataset(n, func(r *run, partition int) iter.Seq[T] {
		return func(yield func(T) bool) {
			chance := rand.New(rand.NewPCG(seed, uint64(partition)))
			for v := range d.iterate(r, partition) {
				if chance.Float64() < fraction && !yield(v) {
					return
				}
			}
		}
	})
}

// ZipWithIndex is d with the number of each record, from 0, in the order of the partitions. counts are the numbers of records of d's
// partitions, which the program has from CountPartitions of a job that ends in d: Spark runs that job by itself. With other counts the
// job fails (RDD.zipWithIndex).
func ZipWithIndex[T any](d Dataset[T], counts []int64) Dataset[Pair[T, int64]] {
	n := d.derive("ZipWithIndex", nil)
	n.param("counts=%d", counts)
	return newDataset(n, func(r *run, partition int) iter.Seq[Pair[T, int64]] {
		return func(yield func(Pair[T, int64]) bool) {
			if len(counts) != r.sizes[r.number(n)] {
				r.fail(fmt.Errorf("%w: ZipWithIndex has the counts of %d partitions of %d", ErrBadJob, len(counts), r.sizes[r.number(n)]))
			}
			first := int64(0)
			for _, n := range counts[:partition] {
				first += n
			}
			next := first
			for v := range d.iterate(r, partition) {
				if !yield(Pair[T, int64]{v, next}) {
					return
				}
				next++
			}
			if next-first != counts[partition] {
				r.fail(fmt.Errorf("%w: partition %d has %d records, ZipWithIndex was given %d: count those of the same job by CountPartitions",
					ErrBadJob, partition, next-first, counts[partition]))
			}
		}
	})
}
