package rdd

// write writes the merged pairs as a map output, each partition in the order of its keys' first appearance. partition says to which, of
// so many, a key belongs, also by its encoding.
func (c *combiner[K, V, C]) write(out *mapWriter, partitions int, partition func(k K, encoded []byte) int) {
	defer c.mem.end()
	order, ends := c.byPartition(partitions, partition)
	written := 0
	// upTo writes the table's pairs of the partitions up to one.
	upTo := func(p int) {
		for ; written < int(ends[p]); written++ {
			e := &c.entries[order[written].entry]
			out.partition(int(order[written].partition))
			out.buf = c.codecs.merged.append(c.codecs.keys.append(out.buf, e.Key), e.Value)
			out.done()
			c.r.tick()
		}
	}
	if c.late != nil {
		// The keys of the table came first.
		for p, pair := range c.late.ordered(partition) {
			upTo(p)
			out.partition(p)
			out.buf = append(out.buf, pair...)
			out.done()
		}
	}
	upTo(partitions - 1)
}

// destination is to which partition an entry goes.
type destination struct{ partition, entry uint32 }

// byPartition are the entries in order of their partitions, and where each partition ends.
func (c *combiner[K, V, C]) byPartition(partitions int, partition func(K, []byte) int) (order []destination, ends []uint32) {
	const size = 2 * 8
	c.mem.must(int64(len(c.entries))*size + int64(partitions)*4)
	found := make([]destination, len(c.entries))
	ends = make([]uint32, partitions)
	var key []byte
	for i := range c.entries {
		key = c.codecs.keys.append(key[:0], c.entries[i].Key)
		p := partition(c.entries[i].Key, key)
		found[i] = destination{uint32(p), uint32(i)}
		ends[p]++
	}
	at := uint32(0)
	for p, n := range ends { // from numbers to places
		ends[p], at = at, at+n
	}
	order = make([]destination, len(found))
	for _, d := range found {
		order[ends[d.partition]] = d
		ends[d.partition]++ // at last it is where the partition ends
	}
	return order, ends
}
