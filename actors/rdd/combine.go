package rdd

import (
	"hash/maphash"
	"reflect"
	"strings"
)

// combiner merges the values of equal keys and keeps the keys in the order in which they came. It has a hash table of
// its own, since looking up keys is most of the work of a word count: a slot of 8 bytes leads to the entry, where Go's
// map would hold the key once more, and growing does not touch the keys. Pairs are looked up a batch at a time, one step
// for all before the next: the processor then waits for the memory of several at once. A small table needs no batches: it
// lies in the processor's cache.
type combiner[K comparable, V any] struct {
	entries []Pair[K, V]
	slots   []slot // a power of two, at most half of it used, of a small table an eighth
	hash    func(K) uint32
	merge   func(a, b V) V
	keep    func(K) K
	small   int // so many slots need no batches

	batch [batchSize]Pair[K, V] // not looked up yet
	n     int
}

const (
	batchSize = 16
	// smallTable is how many slots lie in the cache with their entries and keys.
	smallTable = 1 << 12
)

// slot of the table: the hash of a key and its place in the entries, counted from 1; 0 is an empty slot.
type slot struct{ hash, place uint32 }

func newCombiner[K comparable, V any](merge func(a, b V) V, keep func(K) K) *combiner[K, V] {
	return &combiner[K, V]{slots: make([]slot, 64), hash: hasher[K](), merge: merge, keep: keep, small: smallTable}
}

func (c *combiner[K, V]) add(p Pair[K, V]) {
	if len(c.slots) <= c.small {
		c.addAtOnce(p)
		return
	}
	c.batch[c.n] = p
	if c.n++; c.n == batchSize {
		c.flush()
	}
}

// addAtOnce looks one pair up.
func (c *combiner[K, V]) addAtOnce(p Pair[K, V]) {
	h := c.hash(p.Key)
	if s := c.slots[h&uint32(len(c.slots)-1)]; s.place != 0 && s.hash == h {
		if e := &c.entries[s.place-1]; e.Key == p.Key {
			e.Value = c.merge(e.Value, p.Value)
			return
		}
	}
	c.addSlowly(p, h)
}

// flush looks the batch up.
func (c *combiner[K, V]) flush() {
	var hashes [batchSize]uint32
	var slots [batchSize]slot
	var keys [batchSize]K
	batch := c.batch[:c.n]
	mask := uint32(len(c.slots) - 1)
	for i := range batch {
		hashes[i] = c.hash(batch[i].Key)
	}
	for i := range batch {
		slots[i] = c.slots[hashes[i]&mask]
	}
	for i := range batch {
		if s := slots[i]; s.place != 0 && s.hash == hashes[i] { // the hash spares most looks at keys of other entries
			keys[i] = c.entries[s.place-1].Key
		}
	}
	for i := range batch {
		if s := slots[i]; s.place != 0 && s.hash == hashes[i] && keys[i] == batch[i].Key {
			e := &c.entries[s.place-1]
			e.Value = c.merge(e.Value, batch[i].Value)
			continue
		}
		// slots and keys may be older than the entries that this batch has added; addSlowly looks again.
		c.addSlowly(batch[i], hashes[i])
	}
	c.n = 0
}

// addSlowly is for a pair that is not where its hash points: it lies further on, or is new.
func (c *combiner[K, V]) addSlowly(p Pair[K, V], h uint32) {
	mask := uint32(len(c.slots) - 1)
	i := h & mask
	for ; c.slots[i].place != 0; i = (i + 1) & mask {
		if s := c.slots[i]; s.hash == h {
			if e := &c.entries[s.place-1]; e.Key == p.Key {
				e.Value = c.merge(e.Value, p.Value)
				return
			}
		}
	}
	p.Key = c.keep(p.Key) // only now: keys that are known already are not copied
	c.entries = append(c.entries, p)
	c.slots[i] = slot{h, uint32(len(c.entries))}
	room := len(c.slots) / 2
	if len(c.slots) < c.small { // where slots cost nothing, so most keys are where their hashes point
		room = len(c.slots) / 8
	}
	if len(c.entries) > room {
		c.grow()
	}
}

// all are the merged pairs.
func (c *combiner[K, V]) all() []Pair[K, V] {
	c.flush()
	return c.entries
}

// grow doubles the table.
func (c *combiner[K, V]) grow() {
	old := c.slots
	c.slots = make([]slot, 2*len(old))
	mask := uint32(len(c.slots) - 1)
	for _, s := range old {
		if s.place == 0 {
			continue
		}
		i := s.hash & mask
		for c.slots[i].place != 0 {
			i = (i + 1) & mask
		}
		c.slots[i] = s
	}
}

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
