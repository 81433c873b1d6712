package rdd

import (
	"fmt"
	"reflect"
)

// Pair is a record with a key, as ReduceByKey takes and gives it.
type Pair[K, V any] struct {
	Key   K
	Value V
}

// PairOf is Pair{k, v} with its types inferred.
func PairOf[K, V any](k K, v V) Pair[K, V] { return Pair[K, V]{k, v} }

// newCodec makes a codec[Pair[K, V]] of those of K and V: faster than reflection, with the same bytes.
func (Pair[K, V]) newCodec() (any, error) {
	k, err := codecOf[K]()
	if err != nil {
		return nil, fmt.Errorf("%s.Key: %w", reflect.TypeFor[Pair[K, V]](), err)
	}
	v, err := codecOf[V]()
	if err != nil {
		return nil, fmt.Errorf("%s.Value: %w", reflect.TypeFor[Pair[K, V]](), err)
	}
	return codec[Pair[K, V]]{
		append: func(dst []byte, p Pair[K, V]) []byte { return v.append(k.append(dst, p.Key), p.Value) },
		decode: func(src []byte) (p Pair[K, V], rest []byte, err error) {
			if p.Key, rest, err = k.decode(src); err != nil {
				return p, nil, err
			}
			p.Value, rest, err = v.decode(rest)
			return p, rest, err
		},
	}, nil
}
