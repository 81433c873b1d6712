package rdd

import (
	"bytes"
	"encoding/binary"
	"iter"
)

// late has the values of the keys for which a combiner's table had no memory. They are sorted by key, in temporary files if need be, then
// merged key by key, then sorted by the first appearance of their keys.
//
// Values are merged one by one in the order in which they came, as those in the table are: a function that is not quite
// associative, such as the addition of floating-point numbers, gives the same result whatever the memory was. That is why the
// table keeps its keys, instead of being spilled as a whole, and begun again with values that would be merged apart. All keys of
// the table came before all late ones, so the order of the keys does not depend on memory either.
type late[K comparable, V, C any] struct {
	c        *combiner[K, V, C]
	sorter   *sorter // by the hash of the key, then the key; bodies are key, order, value
	next     uint64  // place of the next value in the order of appearance
	key, buf []byte
}

// firstLate is the place of the first late value; those before it are for keys that were in the table longest.
const firstLate = 1 << 40

// freeze lets the table take no more keys. Those that came last leave it, which gives half of its memory to what is late.
func (c *combiner[K, V, C]) freeze() {
	c.late = &late[K, V, C]{c: c, sorter: newSorter(c.r, compareKeys), next: firstLate}
	half := len(c.entries) / 2
	leave := c.entries[half:]
	c.r.metrics.MemorySpilled += c.mem.used
	// The sorter may need files already for these; the table is theirs until they are encoded.
	for _, p := range leave {
		c.late.addMerged(p)
	}
	c.reset(c.entries[:half])
}

// leave empties the frozen table, whose values have grown beyond the memory.
func (c *combiner[K, V, C]) leave() {
	c.r.metrics.MemorySpilled += c.mem.used
	next := c.late.next
	c.late.next = 0
	for _, p := range c.entries {
		c.late.addMerged(p)
	}
	c.late.next = next
	c.reset(nil)
}

// mergeMeasured merges a value into one that may grow by it.
func (c *combiner[K, V, C]) mergeMeasured(e *Pair[K, C], v V) {
	old := e.Value
	e.Value = c.merge(old, v)
	grown := c.sizes.growth(old, e.Value)
	if grown <= 0 {
		c.mem.free(min(-grown, c.mem.used))
		return
	}
	if c.want(grown) {
		return
	}
	if c.late == nil {
		c.freeze()
		if c.want(grown) { // counted though e may be among those that left: a little too much
			return
		}
	}
	c.leave()
}

// add adds a value.
func (l *late[K, V, C]) add(p Pair[K, V]) {
	l.begin(p.Key, 0)
	l.buf = l.c.codecs.values.append(l.buf, p.Value)
	l.end()
}

// addMerged adds what the values of a key have become so far.
func (l *late[K, V, C]) addMerged(p Pair[K, C]) {
	l.begin(p.Key, 1)
	l.buf = l.c.codecs.merged.append(l.buf, p.Value)
	l.end()
}

func (l *late[K, V, C]) begin(k K, merged uint64) {
	l.key = l.c.codecs.keys.append(l.key[:0], k)
	l.buf = binary.AppendUvarint(l.buf[:0], uint64(len(l.key)))
	l.buf = append(l.buf, l.key...)
	l.buf = binary.AppendUvarint(l.buf, l.next<<1|merged)
	l.next++
}

func (l *late[K, V, C]) end() { l.sorter.add(hashKey(l.key), l.buf) }

// lateKey is the key of a body and what follows it.
func lateKey(body []byte) (key, rest []byte) {
	size, n := binary.Uvarint(body)
	return body[n : n+int(size)], body[n+int(size):]
}

func compareKeys(a, b []byte) int {
	x, _ := lateKey(a)
	y, _ := lateKey(b)
	return bytes.Compare(x, y)
}

// ordered gives the keys with their merged values, encoded one behind the other, by a number that partition makes of the key,
// below 1<<20, then by first appearance.
func (l *late[K, V, C]) ordered(partition func(K, []byte) int) iter.Seq2[int, []byte] {
	out := newSorter(l.c.r, nil) // no two have one place
	var buf []byte
	l.merged(func(at uint64, key []byte, v C) {
		k, _, err := l.c.codecs.keys.decode(key)
		if err != nil {
			l.c.r.fail(err) // not reached: it was encoded in this task
		}
		buf = l.c.codecs.merged.append(append(buf[:0], key...), v)
		out.add(uint64(partition(k, key))<<placeBits|at, buf)
	})
	return func(yield func(int, []byte) bool) {
		for prefix, body := range out.sorted() {
			if !yield(int(prefix>>placeBits), body) {
				return
			}
		}
	}
}

// placeBits are enough for the places of 8 million million late values.
const placeBits = 43

// pairs are the merged pairs in the order of their keys' first appearance.
func (l *late[K, V, C]) pairs() iter.Seq[Pair[K, C]] {
	return func(yield func(Pair[K, C]) bool) {
		for _, body := range l.ordered(func(K, []byte) int { return 0 }) {
			k, rest, err := l.c.codecs.keys.decode(body)
			var v C
			if err == nil {
				v, _, err = l.c.codecs.merged.decode(rest)
			}
			if err != nil {
				l.c.r.fail(err)
			}
			if !yield(Pair[K, C]{k, v}) {
				return
			}
		}
	}
}

// merged calls each for every key, with the place where it came first and its merged value, in no order that means something.
func (l *late[K, V, C]) merged(each func(at uint64, key []byte, v C)) {
	var key []byte
	var at uint64
	var v C
	have := false
	for _, body := range l.sorter.sorted() {
		k, rest := lateKey(body)
		place, n := binary.Uvarint(rest)
		if have && bytes.Equal(k, key) {
			l.c.r.at = l.c.at
			v = l.c.merge(v, l.value(rest[n:]))
			continue
		}
		if have {
			each(at, key, v)
		}
		key, at, have = append(key[:0], k...), place>>1, true
		v = l.first(rest[n:], place&1 == 1)
	}
	if have {
		each(at, key, v)
	}
}

// first is the value with which a key begins.
func (l *late[K, V, C]) first(b []byte, merged bool) C {
	l.c.r.at = l.c.at
	if !merged {
		return l.c.create(l.value(b))
	}
	v, _, err := l.c.codecs.merged.decode(b)
	if err != nil {
		l.c.r.fail(err)
	}
	return v
}

func (l *late[K, V, C]) value(b []byte) V {
	v, _, err := l.c.codecs.values.decode(b)
	if err != nil {
		l.c.r.fail(err)
	}
	return v
}
