package rdd

import "io"

// stream decodes records from readers, of which it holds no more than a buffer, or one record.
type stream[T any] struct {
	codec codec[T]
	in    io.Reader
	buf   []byte
	pos   int   // buf[pos:] is not decoded yet
	size  int64 // that was read of in
	ended bool
}

// The buffer of a stream grows from the first size to the last, and beyond it for a record that is longer.
const firstStream, lastStream = 4 << 10, 64 << 10

// open goes on with another reader, from its begin.
func (s *stream[T]) open(in io.Reader) {
	s.in, s.buf, s.pos, s.size, s.ended = in, s.buf[:0], 0, 0, false
}

// next is the next record; ok is false at the end of the reader. Errors are those of reading, as they are, and ErrCorrupt.
func (s *stream[T]) next() (v T, ok bool, err error) {
	for {
		if s.pos < len(s.buf) {
			v, rest, err := s.codec.decode(s.buf[s.pos:])
			if err == nil {
				s.pos = len(s.buf) - len(rest)
				return v, true, nil
			}
			// An encoding knows its own end, so the begin of a record is no record: more may come.
			if s.ended {
				return v, false, err
			}
		} else if s.ended {
			return v, false, nil
		}
		if err := s.more(); err != nil {
			return v, false, err
		}
	}
}

// more reads on behind what is not decoded yet.
func (s *stream[T]) more() error {
	rest := s.buf[s.pos:]
	switch {
	case cap(s.buf) == 0:
		s.buf = make([]byte, 0, firstStream)
	case len(rest) > cap(s.buf)/2 || cap(s.buf) < lastStream:
		s.buf = append(make([]byte, 0, 2*cap(s.buf)), rest...)
	default:
		s.buf = s.buf[:copy(s.buf, rest)]
	}
	s.pos = 0
	for range 100 { // as bufio: a reader that gives nothing for ever is broken
		n, err := s.in.Read(s.buf[len(s.buf):cap(s.buf)])
		s.buf = s.buf[:len(s.buf)+n]
		s.size += int64(n)
		if err == io.EOF {
			s.ended = true
			return nil
		}
		if err != nil || n > 0 {
			return err
		}
	}
	return io.ErrNoProgress
}
