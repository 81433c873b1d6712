package rdd

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Spill makes the temporary files of a task.
type Spill interface {
	// Create makes an empty file. Its error says what to do, such as to free space.
	Create() (SpillFile, error)
}

// SpillFile is one temporary file. It is written to its end, then read.
type SpillFile interface {
	io.Writer
	io.ReaderAt
	// Close removes it.
	Close() error
}

// spilled is a temporary file of runs: records in order, each with its prefix.
type spilled struct {
	r    *run
	file SpillFile
	buf  []byte
	size int64
	runs []section
}

// section is a part of a file.
type section struct{ from, to int64 }

// spillBuffer is how much is written at once, in bytes.
const spillBuffer = 128 << 10

// spill makes a temporary file, which ends with the task at the latest.
func (r *run) spill() *spilled {
	file, err := r.task.Spill.Create()
	if err != nil {
		r.fail(fmt.Errorf("rdd: spill: %w", err))
	}
	s := &spilled{r: r, file: file}
	r.open = append(r.open, s)
	return s
}

// begin begins a run.
func (s *spilled) begin() { s.runs = append(s.runs, section{s.end(), s.end()}) }

// add appends a record to the run.
func (s *spilled) add(prefix uint64, body []byte) {
	s.buf = binary.LittleEndian.AppendUint64(s.buf, prefix)
	s.buf = binary.AppendUvarint(s.buf, uint64(len(body)))
	s.write(body)
}

// write appends bytes to the run.
func (s *spilled) write(b []byte) {
	s.buf = append(s.buf, b...)
	s.runs[len(s.runs)-1].to = s.end()
	if len(s.buf) >= spillBuffer {
		s.flush()
	}
}

func (s *spilled) end() int64 { return s.size + int64(len(s.buf)) }

// flush writes what is buffered. Before it the file must not be read.
func (s *spilled) flush() {
	s.r.check() // a spill passes no record of a source for long
	n, err := s.file.Write(s.buf)
	s.size += int64(n)
	s.r.metrics.DiskSpilled += int64(n)
	if err == nil && n < len(s.buf) {
		err = io.ErrShortWrite
	}
	if err != nil {
		s.r.fail(fmt.Errorf("rdd: spill: %w", err))
	}
	s.buf = s.buf[:0]
	if cap(s.buf) > 4*spillBuffer { // it held a large record
		s.buf = nil
	}
}

// close removes the file. Twice is no error.
func (s *spilled) close() {
	if s.file != nil {
		_ = s.file.Close() // nobody needs what it held
		s.file, s.buf = nil, nil
	}
}

// closeSpills removes the temporary files that are left.
func (r *run) closeSpills() {
	for _, s := range r.open {
		s.close()
	}
	r.open = nil
}

// runReader reads a run from its begin to its end.
type runReader struct {
	s      *spilled
	left   section
	buf    []byte
	pos    int // buf[pos:] is not given out yet
	prefix uint64
	body   []byte // valid until the next call of next
}

// next reads a record; false at the end of the run.
func (d *runReader) next() bool {
	if d.pos == len(d.buf) && d.left.from == d.left.to {
		return false
	}
	d.need(8)
	d.prefix = binary.LittleEndian.Uint64(d.buf[d.pos:])
	d.pos += 8
	var size uint64
	for shift := 0; ; shift += 7 {
		d.need(1)
		b := d.buf[d.pos]
		d.pos++
		size |= uint64(b&0x7f) << shift
		if b < 0x80 {
			break
		}
		if shift > 56 {
			d.damaged()
		}
	}
	if size > uint64(int64(len(d.buf)-d.pos)+d.left.to-d.left.from) {
		d.damaged()
	}
	d.need(int(size))
	d.body = d.buf[d.pos : d.pos+int(size)]
	d.pos += int(size)
	return true
}

// need makes n bytes stand at buf[pos:].
func (d *runReader) need(n int) {
	if len(d.buf)-d.pos >= n {
		return
	}
	rest := copy(d.buf, d.buf[d.pos:])
	if cap(d.buf) < n {
		d.buf = append(make([]byte, 0, n), d.buf[:rest]...)
	}
	d.pos = 0
	more := min(int64(cap(d.buf)-rest), d.left.to-d.left.from)
	d.buf = d.buf[:rest+int(more)]
	got, err := d.s.file.ReadAt(d.buf[rest:], d.left.from)
	if int64(got) < more {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		d.s.r.fail(fmt.Errorf("rdd: read what was spilled: %w", err))
	}
	d.left.from += more
	d.s.r.check()
	if len(d.buf) < n {
		d.damaged()
	}
}

func (d *runReader) damaged() {
	d.s.r.fail(fmt.Errorf("rdd: read what was spilled: %w", corrupt("a record is longer than its run")))
}
