package rdd

import (
	"hash/maphash"
	"reflect"
	"strings"
)

// hasher is a hash of keys for the table. Its seed differs from run to run, against keys that were chosen to collide;
// nothing that can be seen depends on it.
func hasher[K comparable]() func(K) uint32 {
	seed := maphash.MakeSeed()
	ofString := func(s string) uint32 { return uint32(maphash.String(seed, s)) }
	if hash, ok := any(ofString).(func(K) uint32); ok {
		return hash
	}
	return func(k K) uint32 { return uint32(maphash.Comparable(seed, k)) }
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
		for f := range t.Fields() {
			if hasString(f.Type) {
				return true
			}
		}
	}
	return false
}
