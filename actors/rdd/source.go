package rdd

import (
	"crypto/sha256"
	"fmt"
	"iter"
	"math/bits"
)

// Parallelize is the Dataset of items, cut into partitions of nearly equal length, in order (Spark's
// ParallelCollectionRDD). The items are no copy and must not change. They are part of the lineage's digest, so their
// type needs a codec.
func Parallelize[T any](items []T, partitions int) Dataset[T] {
	n := &node{op: "Parallelize"}
	n.setPartitions(partitions)
	c, err := codecOf[T]()
	if n.err == nil {
		n.err = err
	}
	if n.err == nil {
		// The items do not travel: each process makes its own, and the digest shows whether they are equal.
		sum := sha256.New()
		var b []byte
		for _, v := range items {
			b = c.append(b[:0], v)
			sum.Write(b)
		}
		n.param("items=%d sha256=%x", len(items), sum.Sum(nil)[:8])
	}
	return newDataset(n, func(r *run, partition int) iter.Seq[T] {
		return func(yield func(T) bool) {
			from, to := portion(uint64(len(items)), partition, partitions)
			for _, v := range items[from:to] {
				r.tick()
				if !yield(v) {
					return
				}
			}
		}
	})
}

// Range is the Dataset of the numbers from ≤ n < to, ascending, cut into partitions of nearly equal length. It is empty
// when to ≤ from.
func Range(from, to int64, partitions int) Dataset[int64] {
	n := &node{op: "Range", params: fmt.Sprintf("from=%d to=%d", from, to)}
	n.setPartitions(partitions)
	var length uint64
	if to > from {
		length = uint64(to) - uint64(from) // right even where to-from overflows
	}
	return newDataset(n, func(r *run, partition int) iter.Seq[int64] {
		return func(yield func(int64) bool) {
			first, end := portion(length, partition, partitions)
			for i := first; i < end; i++ {
				r.tick()
				if !yield(int64(uint64(from) + i)) {
					return
				}
			}
		}
	})
}

// portion is the i-th of n nearly equal parts of the numbers 0 to length-1: from ≤ x < to.
func portion(length uint64, i, n int) (from, to uint64) {
	cut := func(i int) uint64 {
		// 128 bits: length*i overflows 64 for a long Range.
		hi, lo := bits.Mul64(length, uint64(i))
		q, _ := bits.Div64(hi, lo, uint64(n))
		return q
	}
	if i == n-1 {
		return cut(i), length
	}
	return cut(i), cut(i + 1)
}
