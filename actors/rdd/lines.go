package rdd

import (
	"bytes"
	"io"
	"strings"
)

const (
	// readChunk is how much of a file is read at once.
	readChunk = 256 << 10
	// readAhead is how far beyond the end of a split is read at first, for the rest of its last line.
	readAhead = 4 << 10
)

// lineReader gives the lines of one split: those that begin behind its start, and at its end at last; the first split has the first line.
// It needs a buffer of a chunk, and for a line longer than that the line's own length: it looks for the end first, with the buffer, and
// then reads the line again into its place.
type lineReader struct {
	file  io.ReaderAt
	split textSplit
	// buf holds the file from off on; buf[pos:] is not given out yet.
	buf []byte
	off int64
	pos int
	// started is false until the line that began before the split is skipped.
	started bool
	onRead  func(n int)
}

func newLineReader(file io.ReaderAt, split textSplit, onRead func(n int)) *lineReader {
	room := min(readChunk, split.end-split.start+readAhead, split.size-split.start+1)
	return &lineReader{file: file, split: split, off: split.start, buf: make([]byte, 0, room), onRead: onRead}
}

// next is the next line; ok is false at the end of the split.
func (l *lineReader) next() (line string, ok bool, err error) {
	if !l.started {
		l.started = true
		if err := l.skipFirst(); err != nil {
			return "", false, err
		}
	}
	searched := 0 // of buf[pos:], known to hold no end
	for at := l.off + int64(l.pos); at <= l.split.end && at < l.split.size; {
		rest := l.buf[l.pos:]
		if i := bytes.IndexByte(rest[searched:], '\n'); i >= 0 {
			end := searched + i
			l.pos += end + 1
			return string(trimCR(rest[:end])), true, nil
		}
		searched = len(rest)
		if l.off+int64(len(l.buf)) == l.split.size { // the last line of the file may lack its end
			l.pos = len(l.buf)
			return string(rest), true, nil
		}
		if len(rest) == cap(l.buf) { // fill has no room left
			line, err := l.long()
			return line, err == nil, err
		}
		if err := l.fill(); err != nil {
			return "", false, err
		}
	}
	return "", false, nil
}

// skipFirst moves to the first line of the split: after the first \n in it. A line that begins where a split does is the last one of the split
// before, as in Hadoop.
func (l *lineReader) skipFirst() error {
	if l.split.start == 0 {
		return nil
	}
	// A \n at end or later begins a line of another split, so the search need not go on.
	i, err := l.find(l.split.start, l.split.end)
	if err != nil {
		return err
	}
	if i < 0 {
		i = l.split.end
	}
	l.seek(i + 1)
	return nil
}

// long is a line that fills the buffer without having ended.
func (l *lineReader) long() (string, error) {
	start := l.off + int64(l.pos)
	end, err := l.find(start+int64(len(l.buf)-l.pos), l.split.size)
	if err != nil {
		return "", err
	}
	after := end + 1
	if end < 0 {
		end, after = l.split.size, l.split.size
	}
	if cap(l.buf) < readChunk { // a small split can hold the begin of a long line
		l.buf = make([]byte, 0, min(readChunk, end-start))
	}
	var b strings.Builder
	b.Grow(int(end - start))
	for at := start; at < end; {
		if err := l.read(at, min(end-at, int64(cap(l.buf)))); err != nil {
			return "", err
		}
		b.Write(l.buf)
		at += int64(len(l.buf))
	}
	l.seek(after)
	line := b.String()
	if after > end { // only a line with an end may end in \r\n
		line = strings.TrimSuffix(line, "\r")
	}
	return line, nil
}

// find is the offset of the first \n in [from, to), -1 without one. It uses the buffer.
func (l *lineReader) find(from, to int64) (int64, error) {
	for from < to {
		if err := l.read(from, min(to-from, int64(cap(l.buf)))); err != nil {
			return 0, err
		}
		if i := bytes.IndexByte(l.buf, '\n'); i >= 0 {
			return from + int64(i), nil
		}
		from += int64(len(l.buf))
	}
	return -1, nil
}

// seek empties the buffer and goes on at offset at.
func (l *lineReader) seek(at int64) { l.buf, l.off, l.pos = l.buf[:0], at, 0 }

// read replaces the buffer by n bytes of the file at offset at.
func (l *lineReader) read(at, n int64) error {
	l.seek(at)
	return l.extend(int(n))
}

// fill moves what is left to the front of the buffer and reads more behind it.
func (l *lineReader) fill() error {
	left := copy(l.buf[:cap(l.buf)], l.buf[l.pos:])
	l.off += int64(l.pos)
	l.buf, l.pos = l.buf[:left], 0
	at := l.off + int64(left)
	want := min(int64(cap(l.buf)-left), max(l.split.end-at, 0)+readAhead, l.split.size-at)
	return l.extend(int(want))
}

// extend reads n bytes behind the buffer.
func (l *lineReader) extend(n int) error {
	have := len(l.buf)
	l.buf = l.buf[:have+n]
	got, err := l.file.ReadAt(l.buf[have:], l.off+int64(have))
	l.onRead(got)
	if got == n {
		return nil // ReadAt may say io.EOF with the last bytes
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF // the file got shorter
	}
	return err
}

func trimCR(b []byte) []byte {
	if n := len(b); n > 0 && b[n-1] == '\r' {
		return b[:n-1]
	}
	return b
}
