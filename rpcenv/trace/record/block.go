package record

const (
	// blockUnit divides the length of each block: a write past the page cache has to be whole pages.
	blockUnit = 4 << 10
	// smallBlock is the size of a block as long as each flush finds it unfinished, largeBlock when blocks fill faster: a write past
	// the cache costs as much as 300 KiB of it, and only a busy process needs the memory.
	smallBlock = 64 << 10
	largeBlock = 1 << 20
	// blockRoom is the room behind a block, for the record that goes beyond its end.
	blockRoom = 8 << 10
	// keptBlocks is how many written blocks are kept for the next records, as long as they come fast.
	keptBlocks = 4
	// keepsUp is how many blocks wait at most while the disk is as fast as the recording.
	keepsUp = 3
)

// cutLocked ends a block. What is beyond its end begins the next one, which is larger: this one was full before the flusher came.
func (w *writer) cutLocked() {
	b := w.r.buf
	w.r.full, w.waiting = append(w.r.full, b[:w.size]), w.waiting+w.size
	rest := b[w.size:]
	if w.size < largeBlock {
		w.size, w.spare = min(4*w.size, largeBlock), nil
	}
	w.r.buf = append(w.freshLocked(), rest...)
}

// freshLocked returns an empty block.
func (w *writer) freshLocked() []byte {
	last := len(w.spare) - 1
	if last < 0 {
		return make([]byte, 0, w.size+blockRoom)
	}
	b := w.spare[last]
	w.spare = w.spare[:last]
	return b
}

// recycleLocked keeps written blocks for the next records, if they have the size of the next block.
func (w *writer) recycleLocked(blocks [][]byte) {
	for _, b := range blocks {
		if len(w.spare) < keptBlocks && len(b) == w.size && cap(b) == w.size+blockRoom {
			w.spare = append(w.spare, b[:0])
		}
	}
}

// shrinkLocked takes what is written out of a block that was flushed before it was full, so that a process which records
// little uses little memory.
func (w *writer) shrinkLocked(flushed bool) {
	if !flushed || len(w.r.full) > 0 {
		return
	}
	whole := w.done - w.done%blockUnit // the file goes on at a multiple of blockUnit
	b, rest := w.r.buf[:0], w.r.buf[whole:]
	if w.size > smallBlock && len(w.r.buf) < smallBlock {
		w.size, w.spare = smallBlock, nil
		b = w.freshLocked()
	}
	w.r.buf, w.done = append(b, rest...), w.done-whole
}
