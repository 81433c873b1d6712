package rdd

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"reflect"
)

// Bounds cut keys into ranges: partition i has those up to Upper[i] that no partition before it has, the last one the rest. They are part
// of a job's argument; SampleBounds makes those that cut a job's keys into ranges of nearly equal numbers of records.
type Bounds[K cmp.Ordered] struct {
	// Upper ascend.
	Upper []K
	// Descending turns the order of the partitions round, and of the keys in them.
	Descending bool
}

// SortByKey is d in the order of its keys: each partition is sorted, and has keys behind those of the partition before it. Pairs of one key
// stay in the order of d. Tasks that hold more than their memory put sorted runs on disk (OrderedRDDFunctions.sortByKey).
//
// Spark looks at the keys by a job of its own when the program calls sortByKey. Here a job is a pure function, so the program does: it
// gives the bounds in the argument, see DefineSort.
func SortByKey[K cmp.Ordered, V any](d Dataset[Pair[K, V]], bounds Bounds[K]) Dataset[Pair[K, V]] {
	return SortWithinPartitions(PartitionBy(d, RangePartitioner(bounds)), bounds.Descending)
}

// SortBy is SortByKey by a key of each record (RDD.sortBy). SampleBounds of KeyBy gives the bounds.
func SortBy[T any, K cmp.Ordered](d Dataset[T], key func(T) K, bounds Bounds[K]) Dataset[T] {
	return Values(SortByKey(KeyBy(d, key), bounds))
}

// SortWithinPartitions is d with each partition in the order of its keys; behind PartitionBy it is
// OrderedRDDFunctions.repartitionAndSortWithinPartitions.
func SortWithinPartitions[K cmp.Ordered, V any](d Dataset[Pair[K, V]], descending bool) Dataset[Pair[K, V]] {
	n := d.derive("SortWithinPartitions", nil)
	n.param("descending=%v", descending)
	n.keepPartitioner()
	records, err := codecOf[Pair[K, V]]()
	if n.err == nil {
		n.err = err
	}
	order := orderOf[K](descending)
	return newDataset(n, func(r *run, partition int) iter.Seq[Pair[K, V]] {
		return func(yield func(Pair[K, V]) bool) {
			s := newSorter(r, order.compare)
			var buf []byte
			d.iterate(r, partition)(func(p Pair[K, V]) bool {
				buf = records.append(buf[:0], p)
				s.add(order.prefix(p.Key), buf)
				return true
			})
			for _, body := range s.sorted() {
				p, _, err := records.decode(body)
				if err != nil {
					r.fail(fmt.Errorf("sorted record: %w", err))
				}
				r.tick()
				if !yield(p) {
					return
				}
			}
		}
	})
}

// keyOrder is how a sorter orders records by their keys.
type keyOrder[K cmp.Ordered] struct {
	// prefix orders keys as far as 64 bits do.
	prefix func(K) uint64
	// compare orders encoded records of equal prefixes; nil when their keys are equal.
	compare func(a, b []byte) int
}

// orderOf is the order of cmp.Compare, or that turned round.
func orderOf[K cmp.Ordered](descending bool) (o keyOrder[K]) {
	text := textPrefix
	if prefix, ok := any(text).(func(K) uint64); ok {
		o.prefix = prefix
	} else {
		o.prefix = numberPrefix[K]()
	}
	if reflect.TypeFor[K]().Kind() == reflect.String {
		o.compare = func(a, b []byte) int { return bytes.Compare(textKey(a), textKey(b)) }
	}
	if descending {
		ascending := o
		o.prefix = func(k K) uint64 { return ^ascending.prefix(k) }
		if o.compare != nil {
			o.compare = func(a, b []byte) int { return ascending.compare(b, a) }
		}
	}
	return o
}

// textPrefix is the first 8 bytes of a string.
func textPrefix(s string) uint64 {
	var b [8]byte
	copy(b[:], s)
	return binary.BigEndian.Uint64(b[:])
}

// textKey is the string with which an encoded record begins.
func textKey(b []byte) []byte {
	n, size := binary.Uvarint(b)
	return b[size : size+int(n)]
}

// numberPrefix orders numbers as cmp.Compare does, and strings of a named type by their first bytes.
func numberPrefix[K cmp.Ordered]() func(K) uint64 {
	signed := func(x int64) uint64 { return uint64(x) ^ 1<<63 }
	for _, made := range []any{
		func(x int) uint64 { return signed(int64(x)) }, func(x int32) uint64 { return signed(int64(x)) }, signed,
		func(x uint32) uint64 { return uint64(x) }, func(x uint64) uint64 { return x }, floatPrefix,
	} {
		if prefix, ok := made.(func(K) uint64); ok {
			return prefix
		}
	}
	of := func(by func(reflect.Value) uint64) func(K) uint64 {
		return func(k K) uint64 { return by(reflect.ValueOf(k)) }
	}
	switch kind := reflect.TypeFor[K]().Kind(); kind {
	case reflect.String:
		return of(func(v reflect.Value) uint64 { return textPrefix(v.String()) })
	case reflect.Float32, reflect.Float64:
		return of(func(v reflect.Value) uint64 { return floatPrefix(v.Float()) })
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return of(func(v reflect.Value) uint64 { return signed(v.Int()) })
	default: // cmp.Ordered has no others
		return of(func(v reflect.Value) uint64 { return v.Uint() })
	}
}

// floatPrefix orders as cmp.Compare: a NaN comes first, and 0 and -0 are equal.
func floatPrefix(x float64) uint64 {
	switch bits := math.Float64bits(x); {
	case x != x:
		return 0
	case x == 0:
		return 1 << 63
	case x < 0:
		return ^bits
	default:
		return bits | 1<<63
	}
}
