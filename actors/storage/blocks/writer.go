package blocks

// Writer takes the pieces of a block that is being computed. Its methods are for one goroutine. It mirrors the unrolling of MemoryStore.
type Writer struct {
	s      *Store
	id     string
	level  Level
	pieces [][]byte
	size   int64
	held   int64 // of storage memory
	// toDisk: it does not go to memory, by its level or since it does not fit there.
	toDisk bool
	failed bool
}

// Writer begins to keep a block at a level; nil when the block is here already.
func (s *Store) Writer(id string, level Level) *Writer {
	if s.Has(id) {
		return nil
	}
	return &Writer{s: s, id: id, level: level, toDisk: !level.Memory}
}

// Write takes a piece over; false: the block fits nowhere, and is not kept. Without room in memory the pieces are on their way to disk, if
// the level has one: they are held by the program itself until Commit.
func (w *Writer) Write(piece []byte) bool {
	if w.failed {
		return false
	}
	w.size += int64(len(piece))
	if !w.toDisk {
		if w.s.memory.AcquireStorage(w.id, int64(len(piece))) {
			w.held += int64(len(piece))
		} else {
			w.toDisk = true
			w.release()
		}
	}
	if w.toDisk && !w.level.Disk {
		w.pieces, w.failed = nil, true
		return false
	}
	w.pieces = append(w.pieces, piece)
	return true
}

// Commit enters the block. It is not kept when another writer was quicker. The error is that of the disk.
func (w *Writer) Commit() error {
	if w.failed {
		return nil
	}
	b := &block{id: w.id, level: w.level, size: w.size}
	if w.toDisk {
		var err error
		if b.file, err = write(w.s.disk, w.id, w.pieces); err != nil {
			return err
		}
	}
	w.s.mu.Lock()
	other := w.s.blocks[w.id]
	if other == nil {
		w.s.blocks[w.id] = b
		if !w.toDisk {
			w.s.enterMemory(b, w.pieces)
			w.held = 0 // the block's from now on
		}
		w.s.note(w.id)
	}
	w.s.mu.Unlock()
	if other != nil && other.file == nil {
		b.file.remove(w.s.disk, w.id)
	}
	w.release()
	w.failed = true
	return nil
}

// Abort forgets the pieces.
func (w *Writer) Abort() {
	w.release()
	w.pieces, w.failed = nil, true
}

func (w *Writer) release() {
	w.s.memory.ReleaseStorage(w.held)
	w.held = 0
}
