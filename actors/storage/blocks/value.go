package blocks

// PutValue keeps a value as it is, beside the blocks that it was made of: it counts by its size, in bytes, and gives way like a block in
// memory. Nobody hears of it, as it is of use here alone. Without room it is not kept, and neither is a second one of its name.
func (s *Store) PutValue(id string, value any, size int64) {
	if !s.memory.AcquireStorage(id, size) {
		return
	}
	s.mu.Lock()
	taken := s.blocks[id] == nil
	if taken {
		b := &block{id: id, level: Level{Memory: true, Replication: 1}, size: size, quiet: true}
		s.blocks[id] = b
		s.enterMemory(b, Content{Records: value})
	}
	s.mu.Unlock()
	if !taken {
		s.memory.ReleaseStorage(size)
	}
}

// Value is a value that PutValue keeps; nil when it is not here.
func (s *Store) Value(id string) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.blocks[id]
	if b == nil || !b.quiet {
		return nil
	}
	s.used.MoveToBack(b.place)
	return b.Records
}

// RemoveBroadcast gives up the value and the pieces of a broadcast, and returns how many pieces there were. With noted the changes are
// noted, for BlockManagerMaster.
func (s *Store) RemoveBroadcast(id int64, noted bool) int {
	s.mu.Lock()
	var of []string
	for _, block := range sortedIDs(s.blocks) {
		if x, ok := ParseBroadcastID(block); ok && x == id {
			of = append(of, block)
		}
	}
	s.mu.Unlock()
	n := 0
	for _, block := range of {
		if s.remove(block, noted) && block != BroadcastID(id) {
			n++
		}
	}
	return n
}
