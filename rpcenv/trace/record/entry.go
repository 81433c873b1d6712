package record

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	tracepb "github.com/coherer/coherer/messages/trace"
)

// An entry of a file is its length and what its first byte says:
//
//	markName   a text. The first one has number 1.
//	markSlot   a message or an item: a byte that is 1 if times follow; the seven words of a slot of the ring (ring_words.go),
//	           whose texts stand before it in the file; the times, two numbers of 32 bits: how many nanoseconds before the
//	           record's own time it was received and started; what is kept of the body. Numbers begin with their least byte.
//	any other  a tracepb.Record
//
// No tracepb.Record begins with a mark: protobuf has no wire type 7. What does not fit into a slot is a tracepb.Record.
const (
	markSlot = 0x07
	markName = 0x0f

	slotBody  = 2 + 8*(slotWords-1) // where the body of a markSlot without times begins
	slotTimes = 8
)

// Exact is what the record of a message or an item in a file has beyond its Note. The Note's Time is exact then.
type Exact struct {
	// Received and Started are 0 for what was sent. Body and Message are those of an Event.
	Received, Started int64
	Body              []byte
	Message           any
}

// fits reports whether the record of n has room in a slot.
func (n *Note) fits(x *Exact) bool {
	return n.Whole && n.ID.N|n.Cause.N <= numberMask && n.owns(&n.ID) && n.owns(&n.Cause) && n.Size < smallMask &&
		(x.Received == 0 && x.Started == 0 ||
			x.Received != 0 && x.Started != 0 && uint64(n.Time-x.Received) < 1<<32 && uint64(n.Time-x.Started) < 1<<32)
}

// owns reports whether a slot can say which Env id is of: it has no word for another Env than its own.
func (n *Note) owns(id *ID) bool {
	if id.Conn != 0 || id.N == 0 {
		return id.Env == 0
	}
	return id.Env == n.Env
}

// appendSlot appends the entry of a record that fits.
func appendSlot(dst []byte, w *words, x *Exact, body []byte) []byte {
	var b [3 + slotBody + slotTimes]byte
	times := x.Started != 0
	size := slotBody + len(body)
	if times {
		size += slotTimes
	}
	n := len(protowire.AppendVarint(b[:0], uint64(size)))
	b[n] = markSlot
	for i, v := range w {
		binary.LittleEndian.PutUint64(b[n+2+8*i:], v)
	}
	n += slotBody
	if times {
		b[n-slotBody+1] = 1
		binary.LittleEndian.PutUint32(b[n:], uint32(int64(w[0])-x.Received))
		binary.LittleEndian.PutUint32(b[n+4:], uint32(int64(w[0])-x.Started))
		n += slotTimes
	}
	return append(append(dst, b[:n]...), body...)
}

// appendName appends the entry of a text.
func appendName(dst []byte, text string) []byte {
	text = validText(text)
	dst = append(protowire.AppendVarint(dst, uint64(1+len(text))), markName)
	return append(dst, text...)
}

// entries reads entries, and keeps the texts among them. The zero value is for the beginning of a file.
type entries struct {
	names []string
	short []byte // for an entry that fits, else long
	long  bytes.Buffer
}

// next reads an entry; rec is nil if that is a text. A file that ends within an entry is io.EOF or io.ErrUnexpectedEOF.
func (e *entries) next(in recordReader) (rec *tracepb.Record, err error) {
	size, err := binary.ReadUvarint(in)
	if err != nil {
		if isTorn(err) {
			return nil, err
		}
		return nil, fmt.Errorf("%w: its length: %w", ErrFormat, err)
	}
	if size > MaxRecord {
		return nil, fmt.Errorf("%w: its length is %d, the limit %d", ErrFormat, size, MaxRecord)
	}
	if len(e.short) == 0 {
		e.short = make([]byte, 1<<10)
	}
	if size <= uint64(len(e.short)) { // nearly all
		b := e.short[:size]
		if _, err := io.ReadFull(in, b); err != nil {
			return nil, err
		}
		return e.decode(b)
	}
	// This buffer grows with what really arrives: a length alone, which may be wrong, allocates nothing.
	e.long.Reset()
	if _, err := io.CopyN(&e.long, in, int64(size)); err != nil {
		return nil, err
	}
	return e.decode(e.long.Bytes())
}

// decode decodes an entry without its length; rec is nil if that is a text.
func (e *entries) decode(b []byte) (rec *tracepb.Record, err error) {
	switch {
	case len(b) > 0 && b[0] == markSlot:
		return e.slot(b)
	case len(b) > 0 && b[0] == markName:
		if len(e.names) == maxNames {
			return nil, fmt.Errorf("%w: it has more than %d names", ErrFormat, maxNames)
		}
		e.names = append(e.names, validText(string(b[1:])))
		return nil, nil
	default:
		rec = new(tracepb.Record)
		if err := proto.Unmarshal(b, rec); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrFormat, err)
		}
		return rec, nil
	}
}

// slot decodes a markSlot.
func (e *entries) slot(b []byte) (*tracepb.Record, error) {
	if len(b) < slotBody || b[1] > 1 || b[1] == 1 && len(b) < slotBody+slotTimes {
		return nil, fmt.Errorf("%w: a message of %d bytes", ErrFormat, len(b))
	}
	var w words
	for i := range w {
		w[i] = binary.LittleEndian.Uint64(b[2+8*i:])
	}
	var unknown error
	ev := w.unpack(func(n Name) string {
		switch {
		case n == 0:
			return ""
		case int(n) > len(e.names):
			unknown = fmt.Errorf("%w: a message with text %d of %d", ErrFormat, n, len(e.names))
			return ""
		}
		return e.names[n-1]
	})
	ev.Started = 0 // unpack has it from the Size, in microseconds
	rest := b[slotBody:]
	if b[1] == 1 {
		ev.Received, ev.Started = ev.Time-int64(binary.LittleEndian.Uint32(rest)), ev.Time-int64(binary.LittleEndian.Uint32(rest[4:]))
		rest = rest[slotTimes:]
	}
	return ev.record(rest), unknown
}
