package transport

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync/atomic"
)

// The types of Spark's frames that are spoken here; network-common's Message.Type.
const (
	typeChunkFetchRequest byte = 0
	typeChunkFetchSuccess byte = 1
	typeChunkFetchFailure byte = 2
	typeRPCRequest        byte = 3
	typeRPCResponse       byte = 4
	typeRPCFailure        byte = 5
	typeStreamRequest     byte = 6
	typeStreamResponse    byte = 7
	typeStreamFailure     byte = 8
)

const (
	// HandshakeLimit bounds a frame until Link.Open, in bytes, its length field not counted.
	HandshakeLimit = 4 << 10
	// DefaultMaxFrame bounds a frame after Link.Open when Options.MaxFrame is 0: spark.rpc.message.maxSize, 128 MiB, and
	// room for a header.
	DefaultMaxFrame = 128<<20 + 64<<10
	// hardLimit is the largest frame that Spark's decoder allows, and that the lengths inside a frame can express.
	hardLimit = math.MaxInt32 - 1

	lengthSize = 8
	bufferSize = 64 << 10
)

// atMost is a limit that does not change.
func atMost(n int64) *atomic.Int64 {
	limit := new(atomic.Int64)
	limit.Store(n)
	return limit
}

// frameReader reads the frames of one connection. It is not for use by several goroutines.
type frameReader struct {
	br   *bufio.Reader
	skip int // bytes of the last frame that are still in br
}

func newFrameReader(r io.Reader) *frameReader {
	return &frameReader{br: bufio.NewReaderSize(r, bufferSize)}
}

// length reads the length field of the next frame and returns how many bytes follow it. The end of the stream before
// the frame is io.EOF, within it io.ErrUnexpectedEOF. The limit is the one in force when the field has come: Link.Open may
// lift it long after the call.
func (f *frameReader) length(limit *atomic.Int64) (int, error) {
	f.settle()
	field, err := f.br.Peek(lengthSize)
	if err != nil {
		return 0, cutShort(err, len(field))
	}
	n := int64(binary.BigEndian.Uint64(field))
	switch body, most := n-lengthSize, limit.Load(); {
	case n <= lengthSize || body > hardLimit:
		return 0, fmt.Errorf("%w: length %d%s", ErrMalformedFrame, n, foreign(field))
	case body > most:
		return 0, fmt.Errorf("%w: %d bytes, allowed are %d", ErrFrameTooLarge, body, most)
	default:
		_, _ = f.br.Discard(lengthSize)
		return int(body), nil
	}
}

// settle leaves the last frame behind, so that br is at what follows it.
func (f *frameReader) settle() {
	_, _ = f.br.Discard(f.skip) // all of it is buffered
	f.skip = 0
}

// next reads a frame and returns it without its length field, its type first. It is only valid until the next call.
func (f *frameReader) next(limit *atomic.Int64) ([]byte, error) {
	n, err := f.length(limit)
	if err != nil {
		return nil, err
	}
	return f.rest(n)
}

// rest reads the n bytes of a frame after its length field.
func (f *frameReader) rest(n int) (frame []byte, err error) {
	if n <= f.br.Size() {
		// A small frame is not copied: it stays in br until settle.
		if frame, err = f.br.Peek(n); err != nil {
			return nil, cutShort(err, 1)
		}
		f.skip = n
		return frame, nil
	}
	for len(frame) < n {
		// Twice as much as has come so far: a peer that only claims a length gets no memory for it.
		frame = slices.Grow(frame, min(n-len(frame), max(len(frame), bufferSize)))
		m, err := io.ReadFull(f.br, frame[len(frame):min(n, cap(frame))])
		frame = frame[:len(frame)+m]
		if err != nil {
			return nil, cutShort(err, 1)
		}
	}
	return frame, nil
}

// cutShort turns the end of a stream into io.ErrUnexpectedEOF if it lies within a frame: if got bytes of it were read.
func cutShort(err error, got int) error {
	if got > 0 && errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// foreign guesses which other protocol a length field was.
func foreign(field []byte) string {
	for _, method := range []string{"GET ", "POST ", "PUT ", "HEAD ", "PRI * ", "OPTIONS ", "HTTP/"} {
		if bytes.HasPrefix(field, []byte(method)) {
			return ": this is HTTP: the port speaks Spark's RPC, pages are on another one"
		}
	}
	if bytes.HasPrefix(field, []byte{0x16, 0x03}) {
		return ": this is TLS: the port does not speak it"
	}
	return ""
}

// scanner takes a frame apart. After the first thing that does not fit nothing is left, and all of its methods return zero
// values.
type scanner struct {
	rest []byte
	err  error
}

func (s *scanner) fail(what string) {
	if s.err == nil {
		s.err = fmt.Errorf("%w: %s", ErrMalformedFrame, what)
	}
	s.rest = nil
}

func (s *scanner) take(n int, what string) []byte {
	if n < 0 || n > len(s.rest) {
		s.fail(what)
		return nil
	}
	taken := s.rest[:n:n]
	s.rest = s.rest[n:]
	return taken
}

func (s *scanner) byte(what string) byte {
	if b := s.take(1, what); b != nil {
		return b[0]
	}
	return 0
}

func (s *scanner) int32(what string) int {
	if b := s.take(4, what); b != nil {
		return int(int32(binary.BigEndian.Uint32(b)))
	}
	return 0
}

func (s *scanner) int64(what string) int64 {
	if b := s.take(8, what); b != nil {
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

// text reads a string of a frame's header: int32 length, UTF-8.
func (s *scanner) text(what string) string {
	return string(s.take(s.int32(what), what))
}

// utf reads what Java's writeUTF wrote.
func (s *scanner) utf(what string) string {
	var n int
	if b := s.take(2, what); b != nil {
		n = int(binary.BigEndian.Uint16(b))
	}
	raw := s.take(n, what)
	str, ok := decodeUTF(raw)
	if !ok {
		s.fail(what + " is not UTF-8")
	}
	return str
}

// end fails if bytes are left, and returns the first error.
func (s *scanner) end() error {
	if len(s.rest) > 0 {
		s.fail(fmt.Sprintf("%d bytes too many", len(s.rest)))
	}
	return s.err
}

// appendText is the inverse of scanner.text.
func appendText(dst []byte, s string) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(s)))
	return append(dst, s...)
}

// finishFrame writes the length field, which counts itself, of the frame that begins at dst[start].
func finishFrame(dst []byte, start int) []byte {
	binary.BigEndian.PutUint64(dst[start:], uint64(len(dst)-start))
	return dst
}
