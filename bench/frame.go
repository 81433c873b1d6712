package bench

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/codec"
	"github.com/coherer/coherer/rpcenv/transport"
)

// framer writes and reads the frames of one connection like code that a programmer writes by hand for one endpoint and one type of
// message: it makes everything before the protobuf encoding once, and compares it on reading. The bytes are those
// of package transport; a test compares them.
type framer struct {
	// head and answerHead are what stands between the body's length and the message: addresses, name and the number of the
	// message, or the number alone.
	head, answerHead []byte
	body             []byte // of a frame that is larger than the reader's buffer
	// inPlace decodes a frame in the buffer of the connection; else each is read into bytes of its own.
	inPlace bool
}

// The parts of a frame before its head: length, type, request id, body length.
const (
	lengthLen  = 8
	requestLen = 8
	bodyLen    = 4
)

func newFramer(sender, receiver rpcenv.Address, endpoint string) (*framer, error) {
	table, err := codec.Load()
	if err != nil {
		return nil, err
	}
	content, err := table.Append(nil, &app.StatusUpdate{}) // its encoding is empty
	if err != nil {
		return nil, err
	}
	frame, err := transport.AppendEnvelope(nil, &rpcenv.Envelope{
		Kind: rpcenv.KindOneWay, Sender: sender, Receiver: receiver, Endpoint: endpoint, Content: content,
	})
	if err != nil {
		return nil, err
	}
	return &framer{head: frame[lengthLen+1+bodyLen:], answerHead: content}, nil
}

func (f *framer) headOf(kind rpcenv.EnvelopeKind) []byte {
	if kind == rpcenv.KindResponse {
		return f.answerHead
	}
	return f.head
}

// append appends the frame of m.
func (f *framer) append(dst []byte, kind rpcenv.EnvelopeKind, request int64, m *app.StatusUpdate) ([]byte, error) {
	head, size := f.headOf(kind), proto.Size(m)
	body := len(head) + size
	n := lengthLen + 1 + bodyLen + body
	if kind != rpcenv.KindOneWay {
		n += requestLen
	}
	dst = slices.Grow(dst, n)
	dst = binary.BigEndian.AppendUint64(dst, uint64(n))
	dst = append(dst, byte(kind))
	if kind != rpcenv.KindOneWay {
		dst = binary.BigEndian.AppendUint64(dst, uint64(request))
	}
	dst = binary.BigEndian.AppendUint32(dst, uint32(body))
	dst = append(dst, head...)
	// proto.Size above has cached the size.
	return proto.MarshalOptions{UseCachedSize: true}.MarshalAppend(dst, m)
}

// read reads a frame of a kind.
func (f *framer) read(in *bufio.Reader, kind rpcenv.EnvelopeKind) (request int64, m *app.StatusUpdate, err error) {
	length, err := in.Peek(lengthLen)
	if err != nil {
		return 0, nil, err
	}
	n := int(binary.BigEndian.Uint64(length))
	var frame []byte
	// The buffer holds the whole frame: decode it in place. A larger one needs bytes of its own, which the next one uses again.
	switch {
	case !f.inPlace:
		frame = make([]byte, n)
		if _, err := io.ReadFull(in, frame); err != nil {
			return 0, nil, err
		}
	case n <= in.Size():
		if frame, err = in.Peek(n); err != nil {
			return 0, nil, err
		}
		defer func() { _, _ = in.Discard(n) }() // after Unmarshal, which reads the buffer; it cannot fail, all n bytes are buffered
	default:
		f.body = slices.Grow(f.body[:0], n)[:n]
		frame = f.body
		if _, err := io.ReadFull(in, frame); err != nil {
			return 0, nil, err
		}
	}
	rest := frame[lengthLen+1:]
	if got := rpcenv.EnvelopeKind(frame[lengthLen]); got != kind {
		return 0, nil, fmt.Errorf("frame of kind %d, want %d", got, kind)
	}
	if kind != rpcenv.KindOneWay {
		request, rest = int64(binary.BigEndian.Uint64(rest)), rest[requestLen:]
	}
	encoded, ok := bytes.CutPrefix(rest[bodyLen:], f.headOf(kind))
	if !ok {
		return 0, nil, fmt.Errorf("frame of kind %d with another head", kind)
	}
	m = new(app.StatusUpdate)
	return request, m, proto.Unmarshal(encoded, m)
}
