package rdd

import (
	"fmt"
	"iter"
	"reflect"
)

// ReduceByKey is the Dataset of one pair for each key of d: its values, merged by f. f must be associative; values of
// one map task are merged in their order, then those of the map tasks in theirs. Keys go to one of partitions by a hash
// of their encoded bytes, and stand in each partition in the order of their first appearance, so that the result is the
// same in every run. Each task keeps its distinct keys in memory.
//
// K must not contain floating-point numbers: a NaN equals no key, and 0 equals −0 which is encoded differently.
func ReduceByKey[K comparable, V any](d Dataset[Pair[K, V]], f func(a, b V) V, partitions int) Dataset[Pair[K, V]] {
	n := d.derive("ReduceByKey", f)
	n.setPartitions(partitions)
	keys, values, records, err := pairCodecs[K, V]()
	if n.err == nil {
		n.err = err
	}
	reduce := func(r *run, in iter.Seq[Pair[K, V]]) []Pair[K, V] {
		c, at := newCombiner(f, keeper(keys)), r.number(n)
		in(func(p Pair[K, V]) bool { // called, not ranged over, as in Map
			r.at = at
			c.add(p)
			return true
		})
		r.at = at // the last pairs are merged only now
		return c.all()
	}
	n.write = func(r *run, partition int) [][]byte {
		blocks := make([][]byte, partitions)
		var key []byte
		// Merged before the shuffle, as Spark's map side combine: a block has each key of the task once.
		for _, p := range reduce(r, d.iterate(r, partition)) {
			key = keys.append(key[:0], p.Key)
			block := &blocks[reducerOf(key, partitions)]
			*block = values.append(append(*block, key...), p.Value)
		}
		return blocks
	}
	return newDataset(n, func(r *run, partition int) iter.Seq[Pair[K, V]] {
		return func(yield func(Pair[K, V]) bool) {
			for _, p := range reduce(r, fetch(r, n, partition, records)) {
				if !yield(p) {
					return
				}
			}
		}
	})
}

// pairCodecs are the codecs of keys, of values and of pairs; a pair is its key followed by its value.
func pairCodecs[K, V any]() (keys codec[K], values codec[V], records codec[Pair[K, V]], err error) {
	if records, err = codecOf[Pair[K, V]](); err != nil {
		return keys, values, records, err
	}
	keys, _ = codecOf[K]() // that of the pair needed both
	values, _ = codecOf[V]()
	return keys, values, records, checkKey(reflect.TypeFor[K](), reflect.TypeFor[K]().String())
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
