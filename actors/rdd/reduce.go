package rdd

import (
	"fmt"
	"iter"
	"reflect"
)

// ReduceByKey is the Dataset of one pair for each key of d: its values, merged by f. f must be associative; values of
// one map task are merged in their order, then those of the map tasks in theirs. Keys go to one of partitions by a hash
// of their encoded bytes, and stand in each partition in the order of their first appearance, so that the result is the
// same in every run, also where a task has more keys than memory and puts them on disk for a while.
//
// K must not contain floating-point numbers: a NaN equals no key, and 0 equals −0 which is encoded differently.
func ReduceByKey[K comparable, V any](d Dataset[Pair[K, V]], f func(a, b V) V, partitions int) Dataset[Pair[K, V]] {
	n := d.derive("ReduceByKey", f)
	return combined(d, n, reducing(f), f, partitions)
}

// combineByKey is the Dataset of one pair for each key: its values become one by the first aggregator in map tasks, and what these
// made of them by the second one behind the shuffle n.
func combineByKey[K comparable, V, C any](d Dataset[Pair[K, V]], n *node, values aggregator[V, C], merged aggregator[C, C], codecs pairCodec[K, V, C],
	partitions int,
) Dataset[Pair[K, C]] {
	n.write = func(r *run, partition int, out *mapWriter) {
		// Merged before the shuffle, as Spark's map side combine: a block has each key of the task once.
		c := combine(r, r.number(n), values, codecs, d.iterate(r, partition))
		c.write(out, partitions, func(_ K, key []byte) int { return reducerOf(key, partitions) })
	}
	return newDataset(n, func(r *run, partition int) iter.Seq[Pair[K, C]] {
		return func(yield func(Pair[K, C]) bool) {
			c := combine(r, r.number(n), merged, codecs.behind(), fetch(r, n, partition, codecs.records))
			c.pairs()(yield)
		}
	})
}

// pairCodec has the codecs of keys, of values, and of what values are merged to; a record is a key followed by the last.
type pairCodec[K, V, C any] struct {
	keys    codec[K]
	values  codec[V]
	merged  codec[C]
	records codec[Pair[K, C]]
}

func pairCodecs[K, V, C any]() (p pairCodec[K, V, C], err error) {
	if p.records, err = codecOf[Pair[K, C]](); err != nil {
		return p, err
	}
	if p.values, err = codecOf[V](); err != nil {
		return p, err
	}
	p.keys, _ = codecOf[K]() // that of the pair needed both
	p.merged, _ = codecOf[C]()
	return p, checkKey(reflect.TypeFor[K](), reflect.TypeFor[K]().String())
}

// behind are the codecs behind the shuffle, where what was merged is merged on.
func (p pairCodec[K, V, C]) behind() pairCodec[K, C, C] {
	return pairCodec[K, C, C]{p.keys, p.merged, p.merged, p.records}
}

// checkKey refuses floating-point numbers in a key of a type that has a codec.
func checkKey(t reflect.Type, path string) error {
	switch t.Kind() {
	case reflect.Float32, reflect.Float64:
		return fmt.Errorf("%w: key %s: %s is not exact enough for a key; use a number of bits or a string",
			ErrNoCodec, path, t)
	case reflect.Array:
		return checkKey(t.Elem(), path+"[]")
	case reflect.Struct:
		for f := range t.Fields() {
			if err := checkKey(f.Type, path+"."+f.Name); err != nil {
				return err
			}
		}
	}
	return nil
}
