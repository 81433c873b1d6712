package transport

import "testing"

func TestSegmentsGrowWithoutACopy(t *testing.T) {
	var s segments
	put := func(size int) *byte {
		segment := s.room(size)
		if cap(*segment)-len(*segment) < size {
			t.Fatalf("a segment without room for %d bytes", size)
		}
		*segment = append(*segment, make([]byte, size)...)
		return &(*segment)[0]
	}
	first := put(segmentSize - 1)
	for _, c := range []struct{ size, segments, capacity int }{
		{1, 1, segmentSize},                      // fills the first one to the byte
		{1, 2, segmentSize},                      // has no room there
		{segmentSize, 3, segmentSize},            // nor in the second one
		{5, 4, segmentSize}, {7, 4, segmentSize}, // share one
	} {
		put(c.size)
		if last := s[len(s)-1]; len(s) != c.segments || cap(last) != c.capacity {
			t.Errorf("%d bytes lie in segment %d of %d bytes, want %d of %d", c.size, len(s), cap(last), c.segments, c.capacity)
		}
	}
	if &s[0][0] != first {
		t.Error("the first segment was copied")
	}
	s.free()
	s = s[:0]
	if again := s.room(1); len(*again) > 0 || cap(*again) != segmentSize {
		t.Errorf("a new segment has %d bytes in it, and is one of %d", len(*again), cap(*again))
	}
}
