package wire

import (
	"encoding/binary"
	"fmt"
)

// Scanner takes a frame apart. After the first thing that does not fit nothing is left, and all of its methods return zero
// values. What they read is called what in errors.
type Scanner struct {
	Left []byte
	Err  error // what did not fit first
}

// Fail says what does not fit.
func (s *Scanner) Fail(what string) {
	if s.Err == nil {
		s.Err = fmt.Errorf("%w: %s", ErrMalformedFrame, what)
	}
	s.Left = nil
}

// Take reads n bytes.
func (s *Scanner) Take(n int, what string) []byte {
	if n < 0 || n > len(s.Left) {
		s.Fail(what)
		return nil
	}
	taken := s.Left[:n:n]
	s.Left = s.Left[n:]
	return taken
}

// Byte reads one byte.
func (s *Scanner) Byte(what string) byte {
	if b := s.Take(1, what); b != nil {
		return b[0]
	}
	return 0
}

// Int32 reads four bytes, big endian.
func (s *Scanner) Int32(what string) int {
	if b := s.Take(4, what); b != nil {
		return int(int32(binary.BigEndian.Uint32(b)))
	}
	return 0
}

// Int64 reads eight bytes, big endian.
func (s *Scanner) Int64(what string) int64 {
	if b := s.Take(8, what); b != nil {
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

// Text reads a string of a frame's header: int32 length, UTF-8.
func (s *Scanner) Text(what string) string {
	return string(s.Take(s.Int32(what), what))
}

// UTF reads what Java's writeUTF wrote.
func (s *Scanner) UTF(what string) string {
	var n int
	if b := s.Take(2, what); b != nil {
		n = int(binary.BigEndian.Uint16(b))
	}
	raw := s.Take(n, what)
	str, ok := decodeUTF(raw)
	if !ok {
		s.Fail(what + " is not UTF-8")
	}
	return str
}

// End fails if bytes are left, and returns the first error.
func (s *Scanner) End() error {
	if len(s.Left) > 0 {
		s.Fail(fmt.Sprintf("%d bytes too many", len(s.Left)))
	}
	return s.Err
}

// AppendText is the inverse of Scanner.Text.
func AppendText(dst []byte, s string) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(s)))
	return append(dst, s...)
}
