package rdd

import (
	"fmt"
	"iter"
)

// CombineByKey is the Dataset of one pair for each key: create makes a value of the first of the key's values in a partition, add puts
// each further one to it, and merge puts together what the map tasks made. Partitions, order and keys are as in ReduceByKey. It mirrors
// PairRDDFunctions.combineByKey.
func CombineByKey[K comparable, V, C any](d Dataset[Pair[K, V]], create func(V) C, add func(C, V) C, merge func(a, b C) C,
	partitions int,
) Dataset[Pair[K, C]] {
	n := d.derive("CombineByKey", create)
	n.functions(map[string]any{"add": add, "merge": merge}, "add", "merge")
	return combined(d, n, aggregator[V, C]{create, add}, merge, partitions)
}

// AggregateByKey is CombineByKey whose values begin with zero in each partition. Each key gets a zero of its own, decoded: add may change
// and return it (PairRDDFunctions.aggregateByKey).
func AggregateByKey[K comparable, V, C any](d Dataset[Pair[K, V]], zero C, add func(C, V) C, merge func(a, b C) C,
	partitions int,
) Dataset[Pair[K, C]] {
	n := d.derive("AggregateByKey", add)
	n.functions(map[string]any{"merge": merge}, "merge")
	begin := beginOf(n, zero)
	return combined(d, n, aggregator[V, C]{func(v V) C { return add(begin(), v) }, add}, merge, partitions)
}

// FoldByKey is ReduceByKey whose values begin with zero in each partition (PairRDDFunctions.foldByKey).
func FoldByKey[K comparable, V any](d Dataset[Pair[K, V]], zero V, f func(a, b V) V, partitions int) Dataset[Pair[K, V]] {
	n := d.derive("FoldByKey", f)
	begin := beginOf(n, zero)
	return combined(d, n, aggregator[V, V]{func(v V) V { return f(begin(), v) }, f}, f, partitions)
}

// GroupByKey is the Dataset of the values of each key, in the order of d's records. All values of one key must fit the memory of a task,
// twice; where they are only to be put together, ReduceByKey and AggregateByKey send less (PairRDDFunctions.groupByKey). Partitions and
// keys are as in ReduceByKey.
func GroupByKey[K comparable, V any](d Dataset[Pair[K, V]], partitions int) Dataset[Pair[K, []V]] {
	d = PartitionBy(d, HashPartitioner[K](partitions)) // as Spark: combined before, the values would take as many bytes
	n := d.derive("GroupByKey", nil)
	n.keepPartitioner()
	codecs := codecsOf[K, V, []V](n)
	return gathered(d, n, aggregator[V, []V]{func(v V) []V { return []V{v} }, func(all []V, v V) []V { return append(all, v) }}, codecs)
}

// Distinct is the Dataset of the different records of d, in the order of their first appearance in each of the partitions, to which they
// go by a hash as keys do in ReduceByKey (RDD.distinct).
func Distinct[T comparable](d Dataset[T], partitions int) Dataset[T] {
	return Keys(ReduceByKey(Map(d, alone[T]), func(a, _ struct{}) struct{} { return a }, partitions))
}

// alone is a key without a value.
func alone[T any](v T) Pair[T, struct{}] { return Pair[T, struct{}]{Key: v} }

// combined is CombineByKey at node n: with a shuffle, unless the keys are in their partitions already.
func combined[K comparable, V, C any](d Dataset[Pair[K, V]], n *node, values aggregator[V, C], merge func(a, b C) C,
	partitions int,
) Dataset[Pair[K, C]] {
	n.setPartitions(partitions)
	codecs := codecsOf[K, V, C](n)
	n.partitioner = hashName[K](partitions)
	if len(n.parents) == 1 && n.parents[0].partitioner == n.partitioner {
		n.partitions = 0 // as many as the parent
		return gathered(d, n, values, codecs)
	}
	return combineByKey(d, n, values, reducing(merge), codecs, partitions)
}

// gathered is the Dataset of one pair for each key of each partition of d. What a task holds for that is in combine, which spills.
func gathered[K comparable, V, C any](d Dataset[Pair[K, V]], n *node, a aggregator[V, C], codecs pairCodec[K, V, C]) Dataset[Pair[K, C]] {
	return newDataset(n, func(r *run, partition int) iter.Seq[Pair[K, C]] {
		return func(yield func(Pair[K, C]) bool) {
			combine(r, r.number(n), a, codecs, d.iterate(r, partition)).pairs()(yield)
		}
	})
}

// functions notes the names of further functions of the user, in an order.
func (n *node) functions(all map[string]any, names ...string) {
	for _, name := range names {
		if isNil(all[name]) {
			if n.err == nil {
				n.err = fmt.Errorf("%w: %s with a nil function %s", ErrBadJob, n.op, name)
			}
			return
		}
		n.param("%s=%s", name, funcName(all[name]))
	}
}

// codecsOf are the codecs of n's pairs; without them n cannot be used.
func codecsOf[K, V, C any](n *node) pairCodec[K, V, C] {
	codecs, err := pairCodecs[K, V, C]()
	if n.err == nil {
		n.err = err
	}
	return codecs
}

// beginOf makes copies of a value with which values begin, which is a parameter of n.
func beginOf[C any](n *node, zero C) func() C {
	c, err := codecOf[C]()
	if err != nil {
		if n.err == nil {
			n.err = err
		}
		return nil
	}
	encoded := c.append(nil, zero)
	n.param("zero=%x", encoded)
	return func() C {
		begin, _, _ := c.decode(encoded) // it was encoded here
		return begin
	}
}
