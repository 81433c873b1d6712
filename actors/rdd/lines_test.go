package rdd

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// linesOf is the independent meaning of "the lines of a file".
func linesOf(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	lines := strings.Split(string(text), "\n")
	last := len(lines) - 1
	for i := range last {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	if lines[last] == "" {
		lines = lines[:last]
	}
	return lines
}

// readSplit reads one split to its end.
func readSplit(file io.ReaderAt, split textSplit) (lines []string, err error) {
	r := newLineReader(file, split, func(int) {})
	for {
		line, ok, err := r.next()
		if err != nil || !ok {
			return lines, err
		}
		lines = append(lines, line)
	}
}

// readSplits reads all encoded splits of a text, one after the other.
func readSplits(text []byte, splits [][]byte) (lines []string, err error) {
	for _, encoded := range splits {
		split, err := decodeTextSplit(encoded)
		if err != nil {
			return nil, err
		}
		more, err := readSplit(bytes.NewReader(text), split)
		if err != nil {
			return nil, err
		}
		lines = append(lines, more...)
	}
	return lines, nil
}

func splitsOfText(size int64, minPartitions int) [][]byte {
	return splitsOf([]textFile{{"text", size}}, minPartitions)
}

// textGen draws texts of any bytes with many ends of lines, and with lines longer than the buffer of a small split.
func textGen() *rapid.Generator[[]byte] {
	return rapid.Custom(func(t *rapid.T) []byte {
		piece := rapid.OneOf(
			rapid.SampledFrom([]string{"\n", "\r\n", "\r", "\n\n", " ", "a", "\xff\x00", "é", "word ", "\n\r"}),
			rapid.StringN(0, 12, -1),
			rapid.Map(rapid.IntRange(0, 2*readAhead/4), func(n int) string { return strings.Repeat("long", n) }),
		)
		return []byte(strings.Join(rapid.SliceOfN(piece, 0, 40).Draw(t, "pieces"), ""))
	})
}

func TestSplitsGiveEveryLineOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := textGen().Draw(t, "text")
		n := rapid.IntRange(1, 20).Draw(t, "splits")
		got, err := readSplits(text, splitsOfText(int64(len(text)), n))
		if want := linesOf(text); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%d splits of %q give\n%q, want\n%q (error %v)", n, text, got, want, err)
		}
	})
}

func FuzzSplitsGiveEveryLineOnce(f *testing.F) {
	f.Add([]byte("a\r\nb\n\nc"), 3)
	f.Add([]byte("\r\n\r"), 2)
	f.Add([]byte("\xff\n\x00"), 9)
	f.Fuzz(func(t *testing.T, text []byte, n int) {
		got, err := readSplits(text, splitsOfText(int64(len(text)), 1+n&15))
		if want := linesOf(text); err != nil || !slices.Equal(got, want) {
			t.Fatalf("got %q, want %q (error %v)", got, want, err)
		}
	})
}

func TestLinesLongerThanTheBuffer(t *testing.T) {
	long := strings.Repeat("0123456789", readChunk/4)
	for _, tc := range []struct{ name, text string }{
		{"one line", long},
		{"one line with an end", long + "\n"},
		{"one line with a CRLF end", long + "\r\n"},
		{"between short ones", "a\n" + long + "\nb\n"},
		{"a chunk exactly", long[:readChunk] + "\n"},
		{"a chunk with its end", long[:readChunk-1] + "\nb"},
		{"CR at the end of the chunk", long[:readChunk-1] + "\r\nb"},
		{"many", long + "\n" + long + "\r\n\n" + long},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, n := range []int{1, 2, 3, 7, 100} {
				got, err := readSplits([]byte(tc.text), splitsOfText(int64(len(tc.text)), n))
				if err != nil || !slices.Equal(got, linesOf([]byte(tc.text))) {
					t.Errorf("%d splits: %d lines, want %d (error %v)", n, len(got), len(linesOf([]byte(tc.text))), err)
				}
			}
		})
	}
}

func TestLongLineCostsItsOwnSize(t *testing.T) {
	const size = 64 << 20
	text := bytes.Repeat([]byte("x"), size)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	lines, err := readSplit(bytes.NewReader(text), textSplit{end: size, size: size})
	runtime.ReadMemStats(&after)
	if err != nil || len(lines) != 1 || len(lines[0]) != size {
		t.Fatalf("%d lines, error %v", len(lines), err)
	}
	if cost := after.TotalAlloc - before.TotalAlloc; cost > size+4<<20 {
		t.Errorf("a line of %d bytes allocated %d", size, cost)
	}
}

// countingFile counts the bytes that are read of it.
type countingFile struct {
	io.ReaderAt
	read int64
}

func (f *countingFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.ReaderAt.ReadAt(p, off)
	f.read += int64(n)
	return n, err
}

func TestSplitWithinALongLineReadsNoFurther(t *testing.T) {
	text := bytes.Repeat([]byte("x"), 8<<20)
	f := &countingFile{ReaderAt: bytes.NewReader(text)}
	lines, err := readSplit(f, textSplit{start: 1 << 20, end: 2 << 20, size: 8 << 20})
	if err != nil || len(lines) > 0 {
		t.Fatalf("%d lines, error %v", len(lines), err)
	}
	if f.read > 1<<20 {
		t.Errorf("read %d bytes of a split of 1 MiB", f.read)
	}
}

func TestFileThatGotShorter(t *testing.T) {
	_, err := readSplit(bytes.NewReader([]byte("a\nb")), textSplit{end: 10, size: 10})
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v, want unexpected EOF", err)
	}
}

func TestTextSplits(t *testing.T) {
	for _, tc := range []struct {
		size int64
		min  int
		want int
	}{
		{0, 4, 0},
		{1, 1, 1},
		{1, 4, 1},
		{maxSplit, 1, 1},
		{maxSplit * 11 / 10, 1, 1},
		{maxSplit*11/10 + 1, 1, 2},
		{10 * maxSplit, 2, 10},
		{100, 3, 3},
		{59, 10, 12}, // 11 of 5, and the rest
		{55, 10, 11},
		{1 << 40, 1, 1 << 15},
	} {
		splits := splitsOfText(tc.size, tc.min)
		if len(splits) != tc.want {
			t.Errorf("size %d, at least %d: %d splits, want %d", tc.size, tc.min, len(splits), tc.want)
		}
		end := int64(0)
		for _, b := range splits {
			s, err := decodeTextSplit(b)
			if err != nil || s.start != end || s.size != tc.size || s.end-s.start > maxSplit*11/10 {
				t.Fatalf("size %d: split %+v after %d, error %v", tc.size, s, end, err)
			}
			end = s.end
		}
		if end != tc.size {
			t.Errorf("size %d: splits end at %d", tc.size, end)
		}
	}
}

func FuzzDecodeTextSplit(f *testing.F) {
	f.Add(textSplit{"text", 3, 5, 9}.encode())
	f.Add([]byte{0xff, 0xff})
	f.Add([]byte{5, 5, 5})
	f.Add(append(binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(nil, 1<<62), 1<<62), 9), "text"...)) // the end is beyond an int64
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := decodeTextSplit(b)
		if err == nil && (s.start < 0 || s.start > s.end || s.end > s.size) {
			t.Errorf("split %+v", s)
		}
		if err != nil && !errors.Is(err, ErrBadTask) {
			t.Errorf("error %v", err)
		}
	})
}
