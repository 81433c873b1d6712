package transport

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/coherer/coherer/rpcenv"
)

// EnvelopeSize is how many bytes e takes on the wire. ErrFrameTooLarge says that it can have no frame, and
// ErrMalformedFrame that it has no such form: an unknown kind, or a name longer than 65,535 bytes.
func EnvelopeSize(e *rpcenv.Envelope) (int, error) {
	n := lengthSize + 1
	switch e.Kind {
	case rpcenv.KindRequest, rpcenv.KindOneWay:
		for _, name := range []string{e.Sender.Host, e.Receiver.Host, e.Endpoint} {
			size := utfLen(name)
			if size > math.MaxUint16 {
				return 0, fmt.Errorf("%w: the name %.40q... takes %d bytes, allowed are %d", ErrMalformedFrame, name, size, math.MaxUint16)
			}
			n += 2 + size
		}
		n += 1 + 4 + 1 + 4 + 4 + len(e.Content)
		if e.Kind == rpcenv.KindRequest {
			n += 8
		}
		if e.Sender.IsZero() {
			n -= 2 + 4
		}
		if e.Receiver.IsZero() {
			n -= 2 + 4
		}
	case rpcenv.KindResponse:
		n += 8 + 4 + len(e.Content)
	case rpcenv.KindFailure:
		n += 8 + 4 + len(e.Error)
	default:
		return 0, fmt.Errorf("%w: there is no envelope of kind %d", ErrMalformedFrame, e.Kind)
	}
	if n-lengthSize > hardLimit {
		return 0, fmt.Errorf("%w: a message of %d bytes, a frame holds %d", ErrFrameTooLarge, n, hardLimit)
	}
	return n, nil
}

// AppendEnvelope appends the frame of e: RpcRequest, RpcResponse, RpcFailure or OneWayMessage. With an error, which is
// one of EnvelopeSize, it returns dst as it was.
func AppendEnvelope(dst []byte, e *rpcenv.Envelope) ([]byte, error) {
	size, err := EnvelopeSize(e)
	if err != nil {
		return dst, err
	}
	dst = slices.Grow(dst, size)
	dst = binary.BigEndian.AppendUint64(dst, uint64(size))
	dst = append(dst, byte(e.Kind))
	left := size - lengthSize - 1
	if e.Kind != rpcenv.KindOneWay {
		dst = binary.BigEndian.AppendUint64(dst, uint64(e.RequestID))
		left -= 8
	}
	dst = binary.BigEndian.AppendUint32(dst, uint32(left-4))
	switch e.Kind {
	case rpcenv.KindFailure:
		return append(dst, e.Error...), nil
	case rpcenv.KindResponse:
		return append(dst, e.Content...), nil
	}
	dst = appendAddress(dst, e.Sender)
	dst = appendAddress(dst, e.Receiver)
	dst = appendUTF(dst, e.Endpoint, utfLen(e.Endpoint))
	return append(dst, e.Content...), nil
}

func appendAddress(dst []byte, a rpcenv.Address) []byte {
	if a.IsZero() {
		return append(dst, 0)
	}
	dst = appendUTF(append(dst, 1), a.Host, utfLen(a.Host))
	return binary.BigEndian.AppendUint32(dst, uint32(int32(a.Port)))
}

// DecodeEnvelope reads a frame as AppendEnvelope writes it, without its length field. The Envelope shares no memory
// with the frame. Everything that is wrong with a frame is ErrMalformedFrame.
func DecodeEnvelope(frame []byte) (*rpcenv.Envelope, error) {
	return new(envelopeDecoder).decode(frame, true)
}

// envelopeDecoder decodes the envelopes of one connection. It remembers the last header, since most messages of a
// connection have the same one.
type envelopeDecoder struct {
	raw              []byte
	sender, receiver rpcenv.Address
	endpoint         string
}

// decode reads a frame. Unless it copies, the Envelope's Content is a part of the frame.
func (d *envelopeDecoder) decode(frame []byte, copies bool) (*rpcenv.Envelope, error) {
	s := scanner{rest: frame}
	e := &rpcenv.Envelope{Kind: rpcenv.EnvelopeKind(s.byte("type"))}
	switch e.Kind {
	case rpcenv.KindRequest, rpcenv.KindResponse, rpcenv.KindFailure:
		e.RequestID = s.int64("request id")
	case rpcenv.KindOneWay:
	default:
		return nil, fmt.Errorf("%w: type %d has no place in RPC", ErrMalformedFrame, int8(e.Kind))
	}
	// Spark's decoder does not look at this length, its encoder always writes the true one.
	if n := s.int32("body length"); n != len(s.rest) && s.err == nil {
		s.fail(fmt.Sprintf("body length %d, but %d bytes are left", n, len(s.rest)))
	}
	switch e.Kind {
	case rpcenv.KindFailure:
		e.Error = strings.ToValidUTF8(string(s.rest), "\uFFFD")
		s.rest = nil
	case rpcenv.KindRequest, rpcenv.KindOneWay:
		d.header(&s)
		e.Sender, e.Receiver, e.Endpoint = d.sender, d.receiver, d.endpoint
	}
	if s.err != nil {
		return nil, s.err
	}
	if e.Content = s.rest; copies {
		e.Content = bytes.Clone(s.rest)
	}
	return e, nil
}

// header reads the header of a RequestMessage: sender, receiver, endpoint. A header says itself where it ends, so bytes
// that begin like the last one have the same header.
func (d *envelopeDecoder) header(s *scanner) {
	if len(d.raw) > 0 && bytes.HasPrefix(s.rest, d.raw) {
		s.rest = s.rest[len(d.raw):]
		return
	}
	all := s.rest
	d.sender = s.address("sender")
	d.receiver = s.address("receiver")
	d.endpoint = s.utf("endpoint name")
	d.raw = d.raw[:0]
	if s.err == nil {
		d.raw = append(d.raw, all[:len(all)-len(s.rest)]...)
	}
}

func (s *scanner) address(what string) rpcenv.Address {
	switch present := s.byte(what); present {
	case 0:
		return rpcenv.Address{}
	case 1:
	default:
		s.fail(fmt.Sprintf("%s begins with %d, neither 0 nor 1", what, present))
	}
	a := rpcenv.Address{Host: s.utf(what), Port: s.int32(what)}
	if a.Port < 0 || a.Port > math.MaxUint16 {
		s.fail(fmt.Sprintf("%s has port %d", what, a.Port))
	}
	return a
}
