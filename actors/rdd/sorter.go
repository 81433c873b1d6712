package rdd

import (
	"encoding/binary"
	"iter"
	"slices"
)

// sorter puts records in order: by a prefix of 8 bytes, where that is equal by compare, where that is equal by arrival. Records are
// bytes in large chunks, with an index of 16 bytes a record, so that neither sorting nor the garbage collector looks at
// each of them. When memory is refused it writes what it holds as a sorted run to a temporary file; at the end it merges the runs. Its
// order does not depend on when it spilled. It mirrors Spark's UnsafeExternalSorter.
type sorter struct {
	r       *run
	mem     budget
	compare func(a, b []byte) int // nil: equal prefixes are equal records

	chunks  [][]byte
	index   []item
	scratch []item // as long as index can get, for sorting
	file    *spilled
}

// item is a record in memory: chunk and at say where it lies, and when it came.
type item struct {
	prefix    uint64
	chunk, at uint32
}

const (
	itemSize = 2 * 16 // with its place in the scratch
	// Chunks double from the first size to the last.
	firstChunk, lastChunk = 8 << 10, 1 << 20
	// mergeWidth is how many runs are merged at once, each with a buffer of mergeBuffer bytes.
	mergeWidth, mergeBuffer = 64, 64 << 10
)

func newSorter(r *run, compare func(a, b []byte) int) *sorter {
	return &sorter{r: r, mem: budget{r: r}, compare: compare}
}

// add adds a record, of which it keeps a copy.
func (s *sorter) add(prefix uint64, body []byte) {
	if limit := s.r.task.SpillAfter; limit > 0 && len(s.index) >= limit {
		s.spill()
	}
	if len(s.index) == cap(s.index) {
		s.growIndex()
	}
	need := len(body) + binary.MaxVarintLen64
	if n := len(s.chunks); n == 0 || len(s.chunks[n-1])+need > cap(s.chunks[n-1]) {
		s.addChunk(need)
	}
	c := &s.chunks[len(s.chunks)-1]
	s.index = append(s.index, item{prefix, uint32(len(s.chunks) - 1), uint32(len(*c))})
	*c = append(binary.AppendUvarint(*c, uint64(len(body))), body...)
}

// growIndex makes room for more records, if need be by a spill.
func (s *sorter) growIndex() {
	old := int64(cap(s.index))
	want := max(256, 2*old)
	if !s.mem.want(want * itemSize) {
		if s.spill() {
			return // the index is empty now
		}
		s.mem.must(want * itemSize)
	}
	grown := make([]item, len(s.index), want)
	copy(grown, s.index)
	s.index, s.scratch = grown, nil
	s.mem.free(old * itemSize)
}

func (s *sorter) addChunk(need int) {
	size := firstChunk
	if n := len(s.chunks); n > 0 {
		size = min(lastChunk, 2*cap(s.chunks[n-1]))
	}
	size = max(size, need)
	if !s.mem.want(int64(size)) {
		if s.spill() && len(s.chunks) > 0 && cap(s.chunks[0]) >= need {
			return
		}
		s.mem.must(int64(size))
	}
	s.chunks = append(s.chunks, make([]byte, 0, size))
}

// spill writes what is held as a run, and goes on with one chunk and the index, whose memory it keeps. Without records, or without
// temporary files, it does nothing and returns false.
func (s *sorter) spill() bool {
	if len(s.index) == 0 || s.r.task.Spill == nil {
		return false
	}
	if s.file == nil {
		s.file = s.r.spill()
	}
	s.file.begin()
	for prefix, body := range s.held() {
		s.file.add(prefix, body)
	}
	s.file.flush()
	s.r.metrics.MemorySpilled += s.mem.used
	s.index = s.index[:0]
	// The largest chunk of the usual ones: the next run needs no small ones again.
	keep := slices.IndexFunc(s.chunks, func(c []byte) bool { return cap(c) == lastChunk })
	keep = max(keep, 0)
	freed := int64(0)
	for i, c := range s.chunks {
		if i != keep {
			freed += int64(cap(c))
		}
	}
	s.chunks = [][]byte{s.chunks[keep][:0]}
	s.mem.free(freed)
	return true
}

// body is a record in memory.
func (s *sorter) body(i item) []byte {
	c := s.chunks[i.chunk][i.at:]
	size, n := binary.Uvarint(c)
	return c[n : n+int(size)]
}

// held gives what is in memory, in order.
func (s *sorter) held() iter.Seq2[uint64, []byte] {
	s.sort()
	return func(yield func(uint64, []byte) bool) {
		for _, i := range s.index {
			if !yield(i.prefix, s.body(i)) {
				return
			}
		}
	}
}

// sort puts the index in order.
func (s *sorter) sort() {
	if s.scratch == nil {
		s.scratch = make([]item, cap(s.index))
	}
	if sorted := radixSort(s.index, s.scratch[:len(s.index)]); len(sorted) > 0 && &sorted[0] != &s.index[0] {
		s.index, s.scratch = sorted[:len(sorted):cap(s.index)], s.index[:cap(s.index)]
	}
	if s.compare == nil {
		return
	}
	for from := 0; from < len(s.index); {
		to := from + 1
		for to < len(s.index) && s.index[to].prefix == s.index[from].prefix {
			to++
		}
		if to-from > 1 {
			s.sortEqual(s.index[from:to])
		}
		from = to
	}
}

// sortEqual puts records of one prefix in order.
func (s *sorter) sortEqual(items []item) {
	order := func(a, b item) int {
		if c := s.compare(s.body(a), s.body(b)); c != 0 {
			return c
		}
		if a.chunk != b.chunk { // by arrival
			return int(int64(a.chunk) - int64(b.chunk))
		}
		return int(int64(a.at) - int64(b.at))
	}
	if !slices.IsSortedFunc(items, order) { // many values of one key are in order already
		slices.SortFunc(items, order)
	}
}

// sorted gives all records in order, once. A body is valid until the next one. With runs, memory is given back before the first
// record, so that what takes the records has it.
func (s *sorter) sorted() iter.Seq2[uint64, []byte] {
	return func(yield func(uint64, []byte) bool) {
		defer s.close()
		if s.file == nil {
			s.held()(yield)
			return
		}
		s.spill()
		s.index, s.scratch, s.chunks = nil, nil, nil
		s.mem.end()
		for len(s.file.runs) > mergeWidth {
			s.mergePass()
		}
		s.merge(s.file.runs, yield)
	}
}

// mergePass makes fewer and longer runs. Only neighbours are merged, so that equal records stay in order of their arrival.
func (s *sorter) mergePass() {
	old := s.file
	s.file = s.r.spill()
	for runs := range slices.Chunk(old.runs, mergeWidth) {
		s.file.begin()
		from := &sorter{r: s.r, mem: budget{r: s.r}, compare: s.compare, file: old}
		from.merge(runs, func(prefix uint64, body []byte) bool {
			s.file.add(prefix, body)
			return true
		})
	}
	s.file.flush()
	old.close()
}

// merge gives the records of some runs in order.
func (s *sorter) merge(runs []section, yield func(uint64, []byte) bool) {
	buffers := int64(len(runs)) * mergeBuffer
	s.mem.must(buffers)
	defer s.mem.free(buffers)
	h := heap{compare: s.compare, runs: make([]*runReader, 0, len(runs))}
	for _, section := range runs {
		size := min(mergeBuffer, section.to-section.from)
		d := &runReader{s: s.file, left: section, buf: make([]byte, 0, size)}
		h.push(d)
	}
	for len(h.order) > 0 {
		d := h.first()
		s.r.tick()
		if !yield(d.prefix, d.body) {
			return
		}
		h.advance()
	}
}

// close gives back memory and files.
func (s *sorter) close() {
	s.index, s.scratch, s.chunks = nil, nil, nil
	s.mem.end()
	if s.file != nil {
		s.file.close()
	}
}
