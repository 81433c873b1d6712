package rdd

import (
	"fmt"
	"iter"
	"reflect"
	"strings"
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
		c := combiner[K, V]{index: map[K]uint32{}, merge: f, keep: keeper(keys)}
		for p := range in {
			r.at = n
			c.add(p)
		}
		return c.entries
	}
	n.write = func(r *run) [][]byte {
		blocks := make([][]byte, partitions)
		var key []byte
		for _, p := range reduce(r, d.iterate(r)) {
			key = keys.append(key[:0], p.Key)
			block := &blocks[reducerOf(key, partitions)]
			*block = values.append(append(*block, key...), p.Value)
		}
		return blocks
	}
	return newDataset(n, func(r *run) iter.Seq[Pair[K, V]] {
		return func(yield func(Pair[K, V]) bool) {
			for _, p := range reduce(r, fetch(r, n, records)) {
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
		for i := range t.NumField() {
			if err := checkKey(t.Field(i).Type, path+"."+t.Field(i).Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// combiner merges the values of equal keys and keeps the keys in the order in which they came.
type combiner[K comparable, V any] struct {
	index   map[K]uint32 // place in entries
	entries []Pair[K, V]
	merge   func(a, b V) V
	keep    func(K) K
}

func (c *combiner[K, V]) add(p Pair[K, V]) {
	if i, ok := c.index[p.Key]; ok {
		e := &c.entries[i]
		e.Value = c.merge(e.Value, p.Value)
		return
	}
	p.Key = c.keep(p.Key)
	c.index[p.Key] = uint32(len(c.entries))
	c.entries = append(c.entries, p)
}

// keeper copies a key that is to be kept: its strings may be small parts of long lines, which would stay in memory.
func keeper[K comparable](c codec[K]) func(K) K {
	if clone, ok := any(strings.Clone).(func(K) K); ok {
		return clone
	}
	if !hasString(reflect.TypeFor[K]()) {
		return func(k K) K { return k }
	}
	var buf []byte
	return func(k K) K {
		buf = c.append(buf[:0], k)
		fresh, _, err := c.decode(buf)
		if err != nil {
			return k // not reached: it was encoded just now
		}
		return fresh
	}
}

// hasString says whether values of a comparable type that has a codec hold strings.
func hasString(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String:
		return true
	case reflect.Array:
		return hasString(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if hasString(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}
