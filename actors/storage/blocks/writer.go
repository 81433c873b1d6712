package blocks

// Writer takes a block that is being computed, in pieces or as records. Its methods are for one goroutine. It mirrors the unrolling of
// MemoryStore.
type Writer struct {
	s      *Store
	id     string
	level  Level
	pieces [][]byte
	size   int64 // of pieces
	held   int64 // of storage memory
	// toDisk: it does not go to memory, by its level or since it does not fit there.
	toDisk bool
	failed bool // or ended: it takes and enters nothing more
	// instead: it takes the records of this block, which has their encoding. nil: it takes a block that is not here.
	instead *block
}

// Writer begins to keep a block at a level; nil when the block is here already.
func (s *Store) Writer(id string, level Level) *Writer {
	if s.Has(id) {
		return nil
	}
	return &Writer{s: s, id: id, level: level, toDisk: !level.Memory}
}

// Grow takes room for so many more bytes of records, which their owner holds until CommitRecords. false: they do not fit in memory. Their
// encoding goes to Write then, all of it.
func (w *Writer) Grow(bytes int64) bool {
	if w.toDisk || !w.s.memory.AcquireStorage(w.id, bytes) {
		w.toDisk = true
		w.release()
		return false
	}
	w.held += bytes
	return true
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
	var f *file
	if w.toDisk {
		var err error
		if f, err = write(w.s.disk, w.id, w.pieces); err != nil {
			return err
		}
	}
	w.enter(f, Content{Pieces: w.pieces}, w.size)
	return nil
}

// CommitRecords enters the block as its records, for which Grow has taken the room. encode gives their encoding, and may be called from
// any goroutine. The block is not kept when another writer was quicker.
func (w *Writer) CommitRecords(records any, encode func() [][]byte) {
	w.enter(nil, Content{Records: records, encode: encode}, w.held)
}

// enter enters the block, in the file or, without one, in memory, where it takes size bytes. The Writer ends with it.
func (w *Writer) enter(f *file, what Content, size int64) {
	freed := int64(0)
	w.s.mu.Lock()
	b := w.s.blocks[w.id]
	taken := b == w.instead
	if taken {
		if b == nil {
			b = &block{id: w.id, level: w.level, file: f}
			w.s.blocks[w.id] = b
		}
		freed = w.s.leaveMemory(b) // the encoding
		b.size = size
		if f == nil {
			w.s.enterMemory(b, what)
			w.held = 0 // the block's from now on
		}
		w.s.note(w.id)
	}
	w.s.mu.Unlock()
	if !taken && b != nil && b.file == nil {
		f.remove(w.s.disk, w.id)
	}
	w.s.memory.ReleaseStorage(freed)
	w.release()
	w.failed = true
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
