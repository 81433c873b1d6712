package record

import (
	"testing"

	tracepb "github.com/coherer/coherer/messages/trace"
)

// A process that records much gets large blocks, and gives their memory back when it records little.
func TestBlocksGrowAndShrink(t *testing.T) {
	r, err := NewFileRecorder(t.TempDir()+"/x.trace", 0)
	if err != nil {
		t.Fatal(err)
	}
	r.mu.Lock()
	r.file.order = orderInTime // the flusher has to wait
	r.file.flusher.Stop()
	r.mu.Unlock()
	ev := Event{Kind: tracepb.Kind_SENT, Body: make([]byte, 1<<10), Bytes: 1 << 10}
	for range 6 << 10 {
		r.Add(&ev)
	}
	size := func() (block, room int) {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.file.size, cap(r.buf)
	}
	if block, _ := size(); block != largeBlock {
		t.Errorf("after 6 MiB a block has %d bytes", block)
	}
	for range 2 {
		if err := r.Flush(); err != nil {
			t.Fatal(err)
		}
		r.Add(&ev)
	}
	block, room := size()
	if block != smallBlock || room != smallBlock+blockRoom || len(r.file.spare) > 0 {
		t.Errorf("a block has %d bytes, this one room for %d; %d spare", block, room, len(r.file.spare))
	}
	// Much that comes in small parts is written in parts, and does not fill a block.
	for range 200 {
		r.Add(&ev)
		if err := r.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if block, _ := size(); block != smallBlock {
		t.Errorf("after 200 small flushes a block has %d bytes", block)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}
