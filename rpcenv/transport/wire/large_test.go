package wire

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"
)

// repeated repeats a frame for ever.
type repeated struct {
	frame []byte
	at    int
}

func (r *repeated) Read(p []byte) (int, error) {
	n := copy(p, r.frame[r.at:])
	r.at = (r.at + n) % len(r.frame)
	return n, nil
}

func frameWith(size int) []byte {
	return FinishFrame(append(make([]byte, LengthSize), bytes.Repeat([]byte{7}, size)...), 0)
}

func TestLargeFramesUseTheSameMemoryAgain(t *testing.T) {
	if raced {
		t.Skip("the race detector makes a pool forget at random")
	}
	for _, size := range []int{bufferSize + 1, 300_000, keepLarge} {
		r := NewReader(&repeated{frame: frameWith(size)})
		r.Shared = NewBudget(4 * keepLarge)
		limit := AtMost(MaxFrame)
		allocs := testing.AllocsPerRun(50, func() {
			if frame, err := r.Next(limit); err != nil || len(frame) != size || frame[size-1] != 7 {
				t.Fatal(len(frame), err)
			}
		})
		if allocs != 0 {
			t.Errorf("a frame of %d bytes takes %v allocations", size, allocs)
		}
		r.Release()
		r.Release()
		if used := r.Shared.Used(); used != 0 {
			t.Errorf("%d bytes are held after the last frame of %d", used, size)
		}
	}
}

// Two frames that are held at one time are two pieces of memory.
func TestReadersShareNoFrame(t *testing.T) {
	a, b := NewReader(&repeated{frame: frameWith(100_000)}), NewReader(bytes.NewReader(bytes.ReplaceAll(frameWith(100_000), []byte{7}, []byte{8})))
	if _, err := a.Next(AtMost(MaxFrame)); err != nil {
		t.Fatal(err)
	}
	a.Release()
	first, _ := a.Next(AtMost(MaxFrame))
	second, err := b.Next(AtMost(MaxFrame))
	if err != nil || !bytes.Equal(first, bytes.Repeat([]byte{7}, 100_000)) || !bytes.Equal(second, bytes.Repeat([]byte{8}, 100_000)) {
		t.Error("the second frame is in the memory of the first one", err)
	}
}

func TestABudgetIsGivenBackInFull(t *testing.T) {
	whole := frameWith(500_000)
	for name, x := range map[string]struct {
		stream []byte
		limit  int64
		want   error
	}{
		"whole":                  {whole, 1 << 20, nil},
		"cut short":              {whole[:400_000], 1 << 20, io.ErrUnexpectedEOF},
		"claimed and not sent":   {whole[:100], 1 << 20, io.ErrUnexpectedEOF},
		"beyond the bound":       {whole, 600_000, ErrTooMuchUnfinished},
		"beyond it at once":      {whole, 1000, ErrTooMuchUnfinished},
		"as much as it may take": {whole, 500_000 + 4*bufferSize, nil},
	} {
		for largePool.Get() != nil { // a buffer from there would not grow
		}
		r := NewReader(iotest.HalfReader(bytes.NewReader(x.stream)))
		r.Shared = NewBudget(x.limit)
		if _, err := r.Next(AtMost(MaxFrame)); !errors.Is(err, x.want) {
			t.Errorf("%s: %v", name, err)
		}
		if used := r.Shared.Used(); used > x.limit || used > 4*int64(len(x.stream)) || x.want == nil && used < 500_000 {
			t.Errorf("%s: %d bytes are held", name, used)
		}
		if r.Release(); r.Shared.Used() != 0 {
			t.Errorf("%s: %d bytes are held at the end", name, r.Shared.Used())
		}
	}
}

func TestAFrameHasBegunWithItsFirstByte(t *testing.T) {
	small, large := frameWith(100), frameWith(bufferSize)
	for name, x := range map[string]struct {
		stream []byte
		whole  bool
		err    error
	}{
		"nothing":             {nil, false, io.EOF},
		"a byte":              {small[:1], false, nil},
		"a length":            {small[:LengthSize], false, nil},
		"all but a byte":      {small[:len(small)-1], false, nil},
		"all":                 {small, true, nil},
		"all, and more":       {append(bytes.Clone(small), small...), true, nil},
		"more than is read":   {large, false, nil},
		"a length beyond any": {bytes.Repeat([]byte{0xff}, 50), false, nil},
	} {
		if whole, err := NewReader(bytes.NewReader(x.stream)).Begun(); whole != x.whole || !errors.Is(err, x.err) {
			t.Errorf("%s: whole is %v, %v", name, whole, err)
		}
	}
}
