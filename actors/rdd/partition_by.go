package rdd

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"iter"
	"math/rand/v2"
	"reflect"
	"sort"
)

// Partitioner says to which partition a key belongs (org.apache.spark.Partitioner). Datasets of one Partitioner are joined without a
// further shuffle.
type Partitioner[K any] struct {
	// name is equal for equal Partitioners.
	name       string
	fn         string // the name of the user's function, if any
	partitions int
	of         func(key K) int
	err        error
}

// HashPartitioner has keys by a hash of their encoded bytes: the one of ReduceByKey and its like.
func HashPartitioner[K comparable](partitions int) Partitioner[K] {
	p := Partitioner[K]{name: hashName[K](partitions), partitions: partitions}
	keys, err := codecOf[K]()
	if err == nil {
		err = checkKey(reflect.TypeFor[K](), reflect.TypeFor[K]().String())
	}
	p.err = err
	p.of = func(k K) int {
		var buf [64]byte // most keys need no more
		return reducerOf(keys.append(buf[:0], k), partitions)
	}
	return p
}

// hashName is the name of a HashPartitioner.
func hashName[K any](partitions int) string {
	return fmt.Sprintf("hash(%d) of %s", partitions, reflect.TypeFor[K]())
}

// RangePartitioner has keys by their order: those of each partition come before those of the next.
func RangePartitioner[K cmp.Ordered](bounds Bounds[K]) Partitioner[K] {
	p := Partitioner[K]{partitions: len(bounds.Upper) + 1}
	keys, err := codecOf[K]()
	p.err = err
	sum := sha256.New()
	for i, k := range bounds.Upper {
		if i > 0 && cmp.Compare(bounds.Upper[i-1], k) >= 0 && err == nil {
			p.err = fmt.Errorf("%w: bounds of ranges must ascend: bound %d does not", ErrBadJob, i)
		}
		if err == nil {
			sum.Write(keys.append(nil, k))
		}
	}
	p.name = fmt.Sprintf("range(%d, %x, descending=%v) of %s", p.partitions, sum.Sum(nil)[:8], bounds.Descending, reflect.TypeFor[K]())
	p.of = func(k K) int {
		at := sort.Search(len(bounds.Upper), func(i int) bool { return cmp.Compare(k, bounds.Upper[i]) <= 0 })
		if bounds.Descending {
			return len(bounds.Upper) - at
		}
		return at
	}
	return p
}

// NewPartitioner is the Partitioner that puts a key into the partition of, from 0. Two with one name, number and type of key must be equal.
func NewPartitioner[K any](name string, partitions int, of func(K) int) Partitioner[K] {
	p := Partitioner[K]{partitions: partitions, of: of, name: fmt.Sprintf("%s(%d) of %s", name, partitions, reflect.TypeFor[K]())}
	if isNil(of) {
		p.err = fmt.Errorf("%w: Partitioner %s has a nil function", ErrBadJob, name)
		return p
	}
	p.fn = funcName(of)
	return p
}

// PartitionBy is d with each key in its partition, in the order of d's partitions there. A Dataset that has the Partitioner already is
// returned as it is, without a shuffle (PairRDDFunctions.partitionBy).
func PartitionBy[K, V any](d Dataset[Pair[K, V]], p Partitioner[K]) Dataset[Pair[K, V]] {
	n := d.derive("PartitionBy", nil)
	if n.err == nil && p.of != nil && d.node.partitioner == p.name {
		return d
	}
	n.fn = p.fn
	n.param("%s", p.name)
	switch {
	case n.err != nil:
	case p.err != nil:
		n.err = p.err
	case p.of == nil:
		n.err = fmt.Errorf("%w: PartitionBy with a zero Partitioner", ErrBadJob)
	}
	n.setPartitions(p.partitions)
	n.partitioner = p.name
	return exchange(n, d, func(r *run, _ int) func(Pair[K, V]) int {
		at := r.number(n)
		return func(pair Pair[K, V]) int {
			r.at = at
			to := p.of(pair.Key)
			if to < 0 || to >= p.partitions {
				r.fail(fmt.Errorf("%w: Partitioner %s puts a key into partition %d", ErrBadJob, p.name, to))
			}
			return to
		}
	})
}

// Repartition is d in another number of partitions of nearly equal length: the records of each are dealt out in turn, through a shuffle
// (RDD.repartition). To get fewer partitions without a shuffle see Coalesce.
func Repartition[T any](d Dataset[T], partitions int) Dataset[T] {
	n := d.derive("Repartition", nil)
	n.setPartitions(partitions)
	return exchange(n, d, func(_ *run, partition int) func(T) int {
		// Begun anywhere: else all partitions with few records would put them into the first ones.
		next := rand.New(rand.NewPCG(uint64(partition), 0)).IntN(partitions)
		return func(T) int {
			next = (next + 1) % partitions
			return next
		}
	})
}

// exchange is d behind a shuffle that ends at n: each record goes to the partition that to says, and comes in the order of the map tasks.
func exchange[T any](n *node, d Dataset[T], to func(r *run, partition int) func(T) int) Dataset[T] {
	records, err := codecOf[T]()
	if n.err == nil {
		n.err = err
	}
	n.write = func(r *run, partition int, out *mapWriter) {
		s := newSorter(r, nil)
		of := to(r, partition)
		var buf []byte
		d.iterate(r, partition)(func(v T) bool {
			buf = records.append(buf[:0], v)
			s.add(uint64(of(v)), buf)
			return true
		})
		r.at = outside
		for reducer, body := range s.sorted() {
			out.partition(int(reducer))
			out.buf = append(out.buf, body...)
			out.done()
			r.tick()
		}
	}
	return newDataset(n, func(r *run, partition int) iter.Seq[T] { return fetch(r, n, partition, records) })
}
