package transport

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport/wire"
)

// AppendEnvelope appends the frame of e: RpcRequest, RpcResponse, RpcFailure or OneWayMessage. With an error it returns dst as
// it was: wire.ErrFrameTooLarge when e can have no frame, wire.ErrMalformedFrame when it has no such form: an unknown kind, or a name
// longer than 65,535 bytes.
func AppendEnvelope(dst []byte, e *rpcenv.Envelope) ([]byte, error) {
	var enc envelopeEncoder
	size, err := enc.size(e)
	if err != nil {
		return dst, err
	}
	return enc.append(slices.Grow(dst, size), e, size), nil
}

// header is the header of a RequestMessage, and its encoding.
type header struct {
	sender, receiver rpcenv.Address
	endpoint         string
	raw              []byte // empty: the fields are not valid
}

// envelopeEncoder encodes the envelopes of one direction of a connection. It remembers the last header, since most
// messages have the same one.
type envelopeEncoder struct {
	last header
	head []byte // of the last large frame
}

// size is that of e's frame.
func (c *envelopeEncoder) size(e *rpcenv.Envelope) (int, error) {
	n := wire.LengthSize + 1 + 4
	switch e.Kind {
	case rpcenv.KindRequest, rpcenv.KindOneWay:
		// Encoded already here: the size is not known otherwise, and append uses it.
		if err := c.last.encode(e); err != nil {
			return 0, err
		}
		n += len(c.last.raw) + len(e.Content)
	case rpcenv.KindResponse:
		n += len(e.Content)
	case rpcenv.KindFailure:
		n += len(e.Error)
	default:
		return 0, fmt.Errorf("%w: there is no envelope of kind %d", wire.ErrMalformedFrame, e.Kind)
	}
	if e.Kind != rpcenv.KindOneWay {
		n += 8
	}
	if n-wire.LengthSize > wire.MaxFrame {
		return 0, fmt.Errorf("%w: a message of %d bytes, a frame holds %d", wire.ErrFrameTooLarge, n-wire.LengthSize, wire.MaxFrame)
	}
	return n, nil
}

// append appends the frame of e. The last call of size was for e too: it has left e's header in c.last.
func (c *envelopeEncoder) append(dst []byte, e *rpcenv.Envelope, size int) []byte {
	dst = c.appendHead(dst, e, size)
	if e.Kind == rpcenv.KindFailure {
		return append(dst, e.Error...)
	}
	return append(dst, e.Content...)
}

// write writes the frame of e as append does, a frame larger than a segment into several of them.
func (c *envelopeEncoder) write(s *segments, e *rpcenv.Envelope, size int) {
	if size <= segmentSize {
		last := s.room(size)
		*last = c.append(*last, e, size)
		return
	}
	c.head = c.appendHead(c.head[:0], e, size)
	s.write(c.head)
	if e.Kind == rpcenv.KindFailure {
		s.write([]byte(e.Error))
		return
	}
	s.write(e.Content)
}

// appendHead appends what comes before the content.
func (c *envelopeEncoder) appendHead(dst []byte, e *rpcenv.Envelope, size int) []byte {
	dst = binary.BigEndian.AppendUint64(dst, uint64(size))
	dst = append(dst, byte(e.Kind))
	body := size - wire.LengthSize - 1 - 4
	if e.Kind != rpcenv.KindOneWay {
		dst = binary.BigEndian.AppendUint64(dst, uint64(e.RequestID))
		body -= 8
	}
	dst = binary.BigEndian.AppendUint32(dst, uint32(body))
	if e.Kind == rpcenv.KindRequest || e.Kind == rpcenv.KindOneWay {
		dst = append(dst, c.last.raw...)
	}
	return dst
}

// encode makes h the header of e.
func (h *header) encode(e *rpcenv.Envelope) error {
	if len(h.raw) > 0 && h.endpoint == e.Endpoint && h.sender == e.Sender && h.receiver == e.Receiver {
		return nil
	}
	// All names are checked before h changes: after a refusal it is still the header of an earlier envelope.
	for _, name := range []string{e.Sender.Host, e.Receiver.Host, e.Endpoint} {
		if n := wire.UTFLen(name); n > math.MaxUint16 {
			return fmt.Errorf("%w: the name %.40q... takes %d bytes, allowed are %d", wire.ErrMalformedFrame, name, n, math.MaxUint16)
		}
	}
	h.sender, h.receiver, h.endpoint = e.Sender, e.Receiver, e.Endpoint
	h.raw = appendAddress(appendAddress(h.raw[:0], e.Sender), e.Receiver)
	h.raw = wire.AppendUTF(h.raw, e.Endpoint)
	return nil
}

func appendAddress(dst []byte, a rpcenv.Address) []byte {
	if a.IsZero() {
		return append(dst, 0)
	}
	return binary.BigEndian.AppendUint32(wire.AppendUTF(append(dst, 1), a.Host), uint32(int32(a.Port)))
}

// envelopeDecoder is the inverse of envelopeEncoder. Everything that is wrong with a frame is wire.ErrMalformedFrame.
type envelopeDecoder struct {
	last     header
	envelope rpcenv.Envelope
}

// decode reads a frame. The Envelope is valid until the next call; its Content is a part of the frame.
func (d *envelopeDecoder) decode(frame []byte) (*rpcenv.Envelope, error) {
	s, e := wire.Scanner{Left: frame}, &d.envelope
	*e = rpcenv.Envelope{Kind: rpcenv.EnvelopeKind(s.Byte("type"))}
	switch e.Kind {
	case rpcenv.KindRequest, rpcenv.KindResponse, rpcenv.KindFailure:
		e.RequestID = s.Int64("request id")
	case rpcenv.KindOneWay:
	default:
		return nil, fmt.Errorf("%w: type %d has no place in RPC", wire.ErrMalformedFrame, int8(e.Kind))
	}
	// Spark's decoder does not look at this length, its encoder always writes the true one.
	if n := s.Int32("body length"); n != len(s.Left) {
		s.Fail(fmt.Sprintf("body length %d, but %d bytes are left", n, len(s.Left)))
	}
	switch e.Kind {
	case rpcenv.KindFailure:
		e.Error = strings.ToValidUTF8(string(s.Left), "\uFFFD")
		s.Left = nil
	case rpcenv.KindRequest, rpcenv.KindOneWay:
		d.last.decode(&s)
		e.Sender, e.Receiver, e.Endpoint = d.last.sender, d.last.receiver, d.last.endpoint
	}
	if s.Err != nil {
		return nil, s.Err
	}
	e.Content = s.Left
	return e, nil
}

// decode makes h the header at the head of s. A header says itself where it ends, so bytes that begin like the last one
// have the same header.
func (h *header) decode(s *wire.Scanner) {
	if len(h.raw) > 0 && bytes.HasPrefix(s.Left, h.raw) {
		s.Left = s.Left[len(h.raw):]
		return
	}
	all := s.Left
	h.sender, h.receiver, h.endpoint = address(s, "sender"), address(s, "receiver"), s.UTF("endpoint name")
	// A header that was refused is not remembered: the same bytes would pass the next time.
	h.raw = h.raw[:0]
	if s.Err == nil {
		h.raw = append(h.raw, all[:len(all)-len(s.Left)]...)
	}
}

func address(s *wire.Scanner, what string) rpcenv.Address {
	switch present := s.Byte(what); present {
	case 0:
		return rpcenv.Address{}
	case 1:
	default:
		s.Fail(fmt.Sprintf("%s begins with %d, neither 0 nor 1", what, present))
	}
	a := rpcenv.Address{Host: s.UTF(what), Port: s.Int32(what)}
	if a.Port < 0 || a.Port > math.MaxUint16 {
		s.Fail(fmt.Sprintf("%s has port %d", what, a.Port))
	}
	return a
}
