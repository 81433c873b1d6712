package blocks

import (
	"container/list"
	"sync"

	"github.com/coherer/coherer/actors/storage/memory"
)

// Disk keeps blocks in files.
type Disk interface {
	// Put keeps blocks. It fails where there is no room.
	Put(ids []string, data [][]byte) error
	// Get is a block that was put.
	Get(id string) ([]byte, error)
	// Remove deletes a block that was put alone. One that is not there is no error.
	Remove(id string) error
}

// Store keeps the blocks of one executor. Its methods may be called from several goroutines at once.
type Store struct {
	memory *memory.Manager
	disk   Disk

	mu      sync.Mutex
	blocks  map[string]*block
	used    *list.List // of the blocks in memory; the one used last is at the back
	changes []string   // ids, in the order of the first change
	changed map[string]bool
}

// block is one that is kept.
type block struct {
	id    string
	level Level
	size  int64 // in memory, if it is there or may come back
	Content
	place *list.Element // in Store.used; nil: it is not in memory
	file  *file         // nil: it is not on disk
	quiet bool          // a value, of which nobody hears: see PutValue
}

// New makes a Store without blocks, and makes it the Evictor of m.
func New(m *memory.Manager, d Disk) *Store {
	s := &Store{memory: m, disk: d, blocks: map[string]*block{}, used: list.New(), changed: map[string]bool{}}
	m.SetEvictor(s)
	return s
}

// Get is a block; false when it is not here. A block that comes from disk goes to memory if its level says so and nothing else has to give
// way but for what was used less lately.
func (s *Store) Get(id string) (Kept, bool) {
	s.mu.Lock()
	b := s.blocks[id]
	if b == nil || b.quiet {
		s.mu.Unlock()
		return Kept{}, false
	}
	if b.place != nil {
		s.used.MoveToBack(b.place)
		found := b.Content
		s.mu.Unlock()
		return s.kept(b, found), true
	}
	f, level, size := b.file, b.level, b.size
	s.mu.Unlock()
	// Without the lock: it reads a file, and asks for memory, which may call Evict.
	pieces, err := f.read(s.disk, id)
	if err != nil {
		s.Remove(id)
		return Kept{}, false
	}
	found := Content{Pieces: pieces}
	if level.Memory && !level.Deserialized && s.memory.AcquireStorage(id, size) {
		s.mu.Lock()
		back := s.blocks[id]
		taken := back == b && b.place == nil
		if taken {
			s.enterMemory(b, found)
			s.note(id)
		}
		s.mu.Unlock()
		if !taken { // it was removed meanwhile, or another reader was quicker
			s.memory.ReleaseStorage(size)
		}
	}
	return s.kept(b, found), true
}

// kept is what was found of a block.
func (s *Store) kept(b *block, found Content) Kept {
	k := Kept{Content: found}
	if b.level.Memory && b.level.Deserialized && found.Records == nil {
		k.Decode = &Writer{s: s, id: b.id, level: Level{Memory: true}, instead: b}
	}
	return k
}

// Bytes is a block as one piece, for other executors that keep no pieces of their own; false when it is not here.
func (s *Store) Bytes(id string) ([]byte, bool) {
	k, ok := s.Get(id)
	if !ok {
		return nil, false
	}
	return Encode(k.encoded()), true
}

// Has reports whether a block is here.
func (s *Store) Has(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.blocks[id] != nil
}

// Remove gives a block up; false when it is not here.
func (s *Store) Remove(id string) bool { return s.remove(id, true) }

func (s *Store) remove(id string, noted bool) bool {
	s.mu.Lock()
	b := s.blocks[id]
	freed := int64(0)
	if b != nil {
		delete(s.blocks, id)
		freed = s.leaveMemory(b)
		if noted && !b.quiet {
			s.note(id)
		}
	}
	s.mu.Unlock()
	if b == nil {
		return false
	}
	s.memory.ReleaseStorage(freed)
	b.file.remove(s.disk, id)
	return true
}

// RemoveDataset gives up all blocks of a persisted dataset, and returns how many there were. It notes no changes: BlockManagerMaster has
// asked for it.
func (s *Store) RemoveDataset(rdd int32) int {
	n := 0
	for _, st := range s.All() {
		if id, _, ok := ParseID(st.ID); ok && id == rdd && s.remove(st.ID, false) {
			n++
		}
	}
	return n
}

// Evict implements memory.Evictor: blocks that were used least lately leave memory, but those of the dataset to which forBlock belongs.
// It mirrors MemoryStore.evictBlocksToFreeSpace.
func (s *Store) Evict(forBlock string, bytes int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	dataset, _, isRDD := ParseID(forBlock)
	var out []*block
	found := int64(0)
	for at := s.used.Front(); at != nil && found < bytes; at = at.Next() {
		b := at.Value.(*block)
		if own, _, ok := ParseID(b.id); isRDD && ok && own == dataset || b.id == forBlock {
			continue
		}
		out = append(out, b)
		found += b.size
	}
	if found < bytes { // nothing is won by giving up a part
		return 0
	}
	for _, b := range out {
		if b.level.Disk && b.file == nil {
			b.file, _ = write(s.disk, b.id, b.encoded()) // a disk that is full loses the block, as memory alone would
		}
		s.leaveMemory(b)
		if b.file == nil {
			delete(s.blocks, b.id)
		}
		if !b.quiet {
			s.note(b.id)
		}
	}
	return found
}

// enterMemory enters what memory has of a block, for which room was acquired. The lock is held.
func (s *Store) enterMemory(b *block, what Content) {
	b.Content = what
	b.place = s.used.PushBack(b)
}

// leaveMemory returns the size of a block that was in memory. The lock is held.
func (s *Store) leaveMemory(b *block) int64 {
	if b.place == nil {
		return 0
	}
	s.used.Remove(b.place)
	b.Content, b.place = Content{}, nil
	return b.size
}

// note notes that a block has changed. The lock is held.
func (s *Store) note(id string) {
	if !s.changed[id] {
		s.changed[id] = true
		s.changes = append(s.changes, id)
	}
}

// Changes are the blocks that have changed since they were last asked for, as they are now, in the order of their first change.
func (s *Store) Changes() []Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Status
	for _, id := range s.changes {
		out = append(out, s.status(id))
	}
	s.changes = nil
	clear(s.changed)
	return out
}

// Changed reports whether there are changes that nobody has asked for.
func (s *Store) Changed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.changes) > 0
}

// NoteAll notes all blocks as changed: BlockManagerMaster knows none of them.
func (s *Store) NoteAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range sortedIDs(s.blocks) {
		if !s.blocks[id].quiet {
			s.note(id)
		}
	}
}

// All are all blocks, by id.
func (s *Store) All() []Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Status
	for _, id := range sortedIDs(s.blocks) {
		if !s.blocks[id].quiet {
			out = append(out, s.status(id))
		}
	}
	return out
}

// status is that of a block. The lock is held.
func (s *Store) status(id string) Status {
	b := s.blocks[id]
	if b == nil {
		return Status{ID: id}
	}
	st := Status{ID: id, Wanted: b.level, Level: Level{
		Memory: b.place != nil, Disk: b.file != nil, Deserialized: b.Records != nil, Replication: b.level.Replication,
	}}
	if st.Level.Memory {
		st.MemSize = b.size
	}
	if st.Level.Disk {
		st.DiskSize = b.file.size
	}
	return st
}
