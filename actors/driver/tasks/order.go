package tasks

import (
	"cmp"
	"slices"
)

// hashTable is the size of a table of Scala's mutable HashMap or HashSet. Where Spark walks over one, the order decides which of
// several equal tasks comes first, so it is kept: by place in the table, then by hash. A table never shrinks.
type hashTable struct{ size uint32 }

// grow makes room for one entry beside n others. A table of 16 doubles for its 12th entry.
func (t *hashTable) grow(n int) {
	if t.size == 0 {
		t.size = 16
	}
	if n+1 >= int(t.size)*3/4 {
		t.size *= 2
	}
}

// compare orders two hashes.
func (t hashTable) compare(a, b uint32) int {
	size := max(t.size, 16)
	return cmp.Or(cmp.Compare(a&(size-1), b&(size-1)), cmp.Compare(int32(a), int32(b)))
}

// sortAttempts puts attempts in the order of a table whose keys are their ids.
func (t hashTable) sortAttempts(attempts []*attempt) {
	slices.SortFunc(attempts, func(a, b *attempt) int { return t.compare(hashOfID(a.id), hashOfID(b.id)) })
}

func hashOfID(id int64) uint32 { return spread(uint32(id) ^ uint32(id>>32)) }

// hashOfText is Java's hash of a text of ASCII characters.
func hashOfText(s string) uint32 {
	var h uint32
	for _, r := range s {
		h = 31*h + uint32(r)
	}
	return spread(h)
}

func spread(h uint32) uint32 { return h ^ h>>16 }

// stacks are stacks of task indexes by executor, host or rack, walked over in the order of a hash table.
type stacks struct {
	of    map[string]*stack
	keys  []string // in the order of table
	table hashTable
}

// stack has task indexes, the next one last.
type stack []int32

func (s *stacks) push(key string, index int32) {
	st := s.of[key]
	if st == nil {
		st = s.add(key)
	}
	*st = append(*st, index)
}

func (s *stacks) add(key string) *stack {
	if s.of == nil {
		s.of = map[string]*stack{}
	}
	before := s.table.size
	s.table.grow(len(s.of))
	if s.table.size != before {
		slices.SortFunc(s.keys, s.compare)
	}
	at, _ := slices.BinarySearchFunc(s.keys, key, s.compare)
	s.keys = slices.Insert(s.keys, at, key)
	st := &stack{}
	s.of[key] = st
	return st
}

// remove forgets a key that is there.
func (s *stacks) remove(key string) {
	delete(s.of, key)
	at, _ := slices.BinarySearchFunc(s.keys, key, s.compare)
	s.keys = slices.Delete(s.keys, at, at+1)
}

func (s *stacks) compare(a, b string) int {
	return cmp.Or(s.table.compare(hashOfText(a), hashOfText(b)), cmp.Compare(a, b))
}
