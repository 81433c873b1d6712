package rdd

import (
	"iter"
	"unsafe"
)

// aggregator says how the values of a key become one.
type aggregator[V, C any] struct {
	create func(V) C    // of the first value
	merge  func(C, V) C // each further one into it
}

// reducing is the aggregator of values that stay of their type.
func reducing[V any](f func(a, b V) V) aggregator[V, V] {
	return aggregator[V, V]{func(v V) V { return v }, f}
}

// combiner merges the values of equal keys and gives the keys in the order in which they came. It has a hash table of
// its own, since looking up keys is most of the work of a word count: a slot of 8 bytes leads to the entry, where Go's
// map would hold the key once more, and growing does not touch the keys. Pairs are looked up a batch at a time, one step
// for all before the next: the processor then waits for the memory of several at once. A small table needs no batches: it
// lies in the processor's cache.
//
// When memory is refused the table takes no more keys: late has the others.
type combiner[K comparable, V, C any] struct {
	r       *run
	at      int // the node whose functions merge
	entries []Pair[K, C]
	slots   []slot // a power of two, at most half of it used, of a small table an eighth
	hash    func(K) uint32
	aggregator[V, C]
	keep  func(K) K
	small int // so many slots need no batches

	mem    budget
	sizes  sizes[K, C]
	codecs pairCodec[K, V, C]
	late   *late[K, V, C] // nil while memory suffices

	batch [batchSize]Pair[K, V] // not looked up yet
	n     int
}

const (
	batchSize = 16
	// smallTable is how many slots lie in the cache with their entries and keys.
	smallTable = 1 << 12
	// leastSlots and leastEntries are what a table has, whatever the memory.
	leastSlots, leastEntries = 64, 8
	slotSize                 = 8
)

// slot of the table: the hash of a key and its place in the entries, counted from 1; 0 is an empty slot.
type slot struct{ hash, place uint32 }

func newCombiner[K comparable, V, C any](r *run, at int, a aggregator[V, C], codecs pairCodec[K, V, C]) *combiner[K, V, C] {
	c := &combiner[K, V, C]{
		r: r, at: at, hash: hasher[K](), aggregator: a, keep: keeper(codecs.keys), small: smallTable,
		mem: budget{r: r}, sizes: sizesOf[K, C](), codecs: codecs,
	}
	c.reset(nil)
	return c
}

// combine is the combiner of a sequence.
func combine[K comparable, V, C any](r *run, at int, a aggregator[V, C], codecs pairCodec[K, V, C], in iter.Seq[Pair[K, V]]) *combiner[K, V, C] {
	c := newCombiner(r, at, a, codecs)
	in(func(p Pair[K, V]) bool { // called, not ranged over, as in Map
		r.at = at
		c.add(p)
		return true
	})
	r.at = at
	c.flush() // the last pairs are merged only now
	return c
}

func (c *combiner[K, V, C]) add(p Pair[K, V]) {
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
func (c *combiner[K, V, C]) addAtOnce(p Pair[K, V]) {
	h := c.hash(p.Key)
	if s := c.slots[h&uint32(len(c.slots)-1)]; s.place != 0 && s.hash == h {
		if e := &c.entries[s.place-1]; e.Key == p.Key {
			if c.sizes.growth == nil {
				e.Value = c.merge(e.Value, p.Value)
			} else {
				c.mergeMeasured(e, p.Value)
			}
			return
		}
	}
	c.addSlowly(p, h)
}

// flush looks the batch up.
func (c *combiner[K, V, C]) flush() {
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
		// The table may have lost its last entries meanwhile, for lack of memory; the others stay in their places.
		if s := slots[i]; s.place != 0 && s.hash == hashes[i] && keys[i] == batch[i].Key && int(s.place) <= len(c.entries) {
			c.mergeInto(&c.entries[s.place-1], batch[i].Value)
			continue
		}
		// slots and keys may be older than the entries that this batch has added; addSlowly looks again.
		c.addSlowly(batch[i], hashes[i])
	}
	c.n = 0
}

func (c *combiner[K, V, C]) mergeInto(e *Pair[K, C], v V) {
	if c.sizes.growth != nil {
		c.mergeMeasured(e, v)
		return
	}
	e.Value = c.merge(e.Value, v)
}

// addSlowly is for a pair that is not where its hash points: it lies further on, is new, or is late.
func (c *combiner[K, V, C]) addSlowly(p Pair[K, V], h uint32) {
	i, found := c.find(p.Key, h)
	if found {
		c.mergeInto(&c.entries[c.slots[i].place-1], p.Value)
		return
	}
	if c.late == nil {
		p.Key = c.keep(p.Key) // only now: keys that are known already are not copied
		v := c.create(p.Value)
		if c.room(p.Key, v) {
			c.entries = append(c.entries, Pair[K, C]{p.Key, v})
			c.slots[i] = slot{h, uint32(len(c.entries))}
			if len(c.entries) > most(len(c.slots), c.small) {
				c.grow()
			}
			return
		}
		c.freeze()
	}
	c.late.add(p)
}

// find is the slot of a key, or the empty one where it belongs.
func (c *combiner[K, V, C]) find(k K, h uint32) (i uint32, found bool) {
	mask := uint32(len(c.slots) - 1)
	i = h & mask
	for ; c.slots[i].place != 0; i = (i + 1) & mask {
		if s := c.slots[i]; s.hash == h && c.entries[s.place-1].Key == k {
			return i, true
		}
	}
	return i, false
}

// most is how many entries so many slots take.
func most(slots, small int) int {
	if slots < small { // where slots cost nothing, so most keys are where their hashes point
		return slots / 8
	}
	return slots / 2
}

// room takes the memory of one more entry, and of the slots that it needs. It returns false when that is refused.
func (c *combiner[K, V, C]) room(k K, v C) bool {
	if limit := c.r.task.SpillAfter; limit > 0 && len(c.entries) >= limit && c.r.task.Spill != nil {
		return false
	}
	if size := c.sizes.of(k, v); size > 0 && !c.want(size) {
		return false
	}
	if len(c.entries) == cap(c.entries) {
		old := cap(c.entries)
		grown := 2 * old
		if old > 1<<16 {
			grown = old + old/4
		}
		if !c.want(int64(grown) * c.entrySize()) {
			return false
		}
		c.entries = append(make([]Pair[K, C], 0, grown), c.entries...)
		c.mem.free(int64(old) * c.entrySize())
	}
	// Asked for before the entry stands in the table, since a key that is in it cannot be late.
	return len(c.entries)+1 <= most(len(c.slots), c.small) || c.want(int64(2*len(c.slots))*slotSize)
}

// want asks for memory; without temporary files there is nothing to do about a refusal.
func (c *combiner[K, V, C]) want(n int64) bool {
	if c.mem.want(n) {
		return true
	}
	if c.r.task.Spill == nil {
		c.mem.must(n)
		return true
	}
	return false
}

func (c *combiner[K, V, C]) entrySize() int64 { return int64(unsafe.Sizeof(Pair[K, C]{})) }

// grow doubles the table, whose memory room has taken.
func (c *combiner[K, V, C]) grow() {
	old := c.slots
	c.slots = make([]slot, 2*len(old))
	for _, s := range old {
		if s.place != 0 {
			c.place(s)
		}
	}
	c.mem.free(int64(len(old)) * slotSize)
}

// place puts a slot of a key that is not in the table where it belongs.
func (c *combiner[K, V, C]) place(s slot) {
	mask := uint32(len(c.slots) - 1)
	i := s.hash & mask
	for c.slots[i].place != 0 {
		i = (i + 1) & mask
	}
	c.slots[i] = s
}

// reset makes the table anew with these entries, and as few slots as they need.
func (c *combiner[K, V, C]) reset(entries []Pair[K, C]) {
	slots := leastSlots
	for most(slots, c.small) < len(entries) {
		slots *= 2
	}
	size := int64(slots) * slotSize
	kept := make([]Pair[K, C], len(entries), max(leastEntries, len(entries)))
	copy(kept, entries)
	size += int64(cap(kept)) * c.entrySize()
	for _, e := range kept {
		size += c.sizes.of(e.Key, e.Value)
	}
	c.mem.free(c.mem.used)
	c.mem.must(size)
	c.entries, c.slots = kept, make([]slot, slots)
	for i, e := range kept {
		c.place(slot{c.hash(e.Key), uint32(i + 1)})
	}
}

// pairs gives the merged pairs in the order of their keys' first appearance, once.
func (c *combiner[K, V, C]) pairs() iter.Seq[Pair[K, C]] {
	return func(yield func(Pair[K, C]) bool) {
		defer c.mem.end()
		for _, p := range c.entries {
			if !yield(p) {
				return
			}
		}
		if c.late == nil {
			return
		}
		// The table is given back, so that what is late has the memory.
		c.entries, c.slots = nil, nil
		c.mem.end()
		c.late.pairs()(yield)
	}
}
