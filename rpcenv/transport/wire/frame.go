package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"sync/atomic"
)

// The types of Spark's frames that are spoken here; network-common's Message.Type.
const (
	ChunkFetchRequest byte = 0
	ChunkFetchSuccess byte = 1
	ChunkFetchFailure byte = 2
	RPCRequest        byte = 3
	RPCResponse       byte = 4
	RPCFailure        byte = 5
	StreamRequest     byte = 6
	StreamResponse    byte = 7
	StreamFailure     byte = 8
)

const (
	// MaxFrame is the largest frame that Spark's decoder allows, and that the lengths inside a frame can express.
	MaxFrame = math.MaxInt32 - 1

	// LengthSize is the size of a length field.
	LengthSize = 8
)

// AtMost is a limit that does not change.
func AtMost(n int64) *atomic.Int64 {
	limit := new(atomic.Int64)
	limit.Store(n)
	return limit
}

// Reader reads the frames of one connection. It is not for use by several goroutines. What is no frame, such as the bytes
// of a file behind one, is read by its Read, after Settle.
type Reader struct {
	*input
	// Shared bounds what this Reader and others hold of large frames; nil is no bound.
	Shared *Budget

	skip  int    // bytes of the last frame that are still buffered
	large *large // of the last frame, if it did not fit into the buffer
}

// NewReader returns a Reader of what r says.
func NewReader(r io.Reader) *Reader {
	return &Reader{input: newInput(r)}
}

// Begun waits for the first byte of the next frame, and reports whether all of the frame is there. If not, its end is up to the peer.
// An error is that of Length.
func (f *Reader) Begun() (whole bool, err error) {
	f.Settle()
	if f.Buffered() < LengthSize {
		if _, err := f.Peek(1); err != nil {
			return false, err
		}
		if f.Buffered() < LengthSize {
			return false, nil
		}
	}
	field, _ := f.Peek(LengthSize) // buffered
	return uint64(f.Buffered()) >= binary.BigEndian.Uint64(field), nil
}

// Ready reports whether all of the frame after the last one is there.
func (f *Reader) Ready() bool {
	if f.Buffered() < f.skip+LengthSize {
		return false
	}
	n := binary.BigEndian.Uint64(f.buffered()[f.skip:])
	return uint64(f.Buffered()-f.skip) >= n
}

// Length reads the length field of the next frame and returns how many bytes follow it. The end of the stream before
// the frame is io.EOF, within it io.ErrUnexpectedEOF. The limit is the one in force when the field has come: the opening of a
// link may lift it long after the call.
func (f *Reader) Length(limit *atomic.Int64) (int, error) {
	f.Settle()
	field, err := f.Peek(LengthSize)
	if err != nil {
		return 0, cutShort(err, len(field))
	}
	n := int64(binary.BigEndian.Uint64(field))
	switch body, most := n-LengthSize, limit.Load(); {
	case n <= LengthSize || body > MaxFrame:
		return 0, fmt.Errorf("%w: length %d%s", ErrMalformedFrame, n, foreign(field))
	case body > most:
		return 0, fmt.Errorf("%w: %d bytes, allowed are %d", ErrFrameTooLarge, body, most)
	default:
		f.Discard(LengthSize)
		return int(body), nil
	}
}

// Settle leaves the last frame behind, so that the next byte is the one that follows it, and gives back its memory.
func (f *Reader) Settle() {
	if f.skip > 0 {
		f.Discard(f.skip) // all of it is buffered
		f.skip = 0
	}
	if f.large != nil {
		f.Release()
	}
}

// Done gives all memory back: nothing is read any more.
func (f *Reader) Done() {
	f.Settle()
	f.drop()
}

// Next reads a frame and returns it without its length field, its type first. It is only valid until the next call.
func (f *Reader) Next(limit *atomic.Int64) ([]byte, error) {
	n, err := f.Length(limit)
	if err != nil {
		return nil, err
	}
	return f.Rest(n)
}

// Rest reads the n bytes of a frame after its length field.
func (f *Reader) Rest(n int) (frame []byte, err error) {
	if n <= f.Size() {
		// A small frame is not copied: it stays buffered until Settle.
		if frame, err = f.Peek(n); err != nil {
			return nil, cutShort(err, 1)
		}
		f.skip = n
		return frame, nil
	}
	return f.restOfLarge(n)
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

// FinishFrame writes the length field, which counts itself, of the frame that begins at dst[start].
func FinishFrame(dst []byte, start int) []byte {
	binary.BigEndian.PutUint64(dst[start:], uint64(len(dst)-start))
	return dst
}
