package record

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	tracepb "github.com/coherer/coherer/messages/trace"
)

// Event is a record as the runtime makes it: a value that lives on its caller's stack. The fields are those of
// [tracepb.Record].
//
// [tracepb.Record]: github.com/coherer/coherer/messages/trace
type Event struct {
	Kind tracepb.Kind
	Form tracepb.Form
	// ID and Cause are left out when they are the zero ID.
	ID, Cause ID
	Env       uint32
	// Times are nanoseconds since 1970; 0 is none.
	Time, Received, Started int64

	Endpoint, To, Peer, Address, Type, Name string
	Outcome, Subject, From, Why             string

	// Bytes is the size of the encoded message and Body its encoding, of which the Recorder keeps a copy up to its limit.
	// Message instead of both is encoded by the Recorder; what is no protobuf message has no body.
	Bytes   uint64
	Body    []byte
	Message any
}

// maxText is how much of one text a record has: the longest are errors. With it no record is near MaxRecord.
const maxText = 16 << 10

// maxBody is the most that a Recorder keeps of a body, whatever limit it is given, for the same reason.
const maxBody = MaxRecord - 16*maxText

// The tags of Record's and Id's fields, as the wire has them.
const (
	tagVarint, tagFixed64, tagBytes = byte(protowire.VarintType), byte(protowire.Fixed64Type), byte(protowire.BytesType)

	tagKind     = 1<<3 | tagVarint
	tagTime     = 2<<3 | tagFixed64
	tagID       = 3<<3 | tagBytes
	tagCause    = 4<<3 | tagBytes
	tagEnv      = 5<<3 | tagVarint
	tagEndpoint = 6<<3 | tagBytes
	tagTo       = 7<<3 | tagBytes
	tagPeer     = 8<<3 | tagBytes
	tagAddress  = 9<<3 | tagBytes
	tagType     = 10<<3 | tagBytes
	tagForm     = 11<<3 | tagVarint
	tagSize     = 12<<3 | tagVarint
	tagBody     = 13<<3 | tagBytes
	tagReceived = 14<<3 | tagFixed64
	tagStarted  = 15<<3 | tagFixed64
	// From 16 on a tag has two bytes.
	fieldOutcome, fieldName, fieldSubject, fieldFrom, fieldWhy = 16, 17, 18, 19, 20

	tagIDConn = 1<<3 | tagFixed64
	tagIDBack = 2<<3 | tagVarint
	tagIDEnv  = 3<<3 | tagVarint
	tagIDN    = 4<<3 | tagVarint
)

// appendEvent appends ev to dst as AppendRecord would append its record: the length as a varint, then the protobuf
// encoding. It is written by hand because a message has two records, and making each a tracepb.Record first costs more
// than the message itself. body is what is kept of the message.
func appendEvent(dst []byte, ev *Event, body []byte) []byte {
	const room = 2 // for the length of nearly all records
	start := len(dst)
	dst = append(dst, 0, 0)
	dst = appendFields(dst, ev, body)
	// The length is known only now, and it stands before the fields: where it takes one byte or three, they move.
	n := len(dst) - start - room
	size := protowire.SizeVarint(uint64(n))
	for range size - room {
		dst = append(dst, 0)
	}
	if size != room {
		copy(dst[start+size:], dst[start+room:start+room+n])
		dst = dst[:start+size+n]
	}
	protowire.AppendVarint(dst[start:start], uint64(n))
	return dst
}

// appendFields appends the fields in the order of their numbers, as protobuf's own encoder does.
func appendFields(b []byte, ev *Event, body []byte) []byte {
	if ev.Kind != 0 {
		b = append(b, tagKind, byte(ev.Kind))
	}
	b = appendTime(b, tagTime, ev.Time)
	b = appendID(b, tagID, ev.ID)
	b = appendID(b, tagCause, ev.Cause)
	if ev.Env != 0 {
		b = protowire.AppendVarint(append(b, tagEnv), uint64(ev.Env))
	}
	b = appendText(b, tagEndpoint, ev.Endpoint)
	b = appendText(b, tagTo, ev.To)
	b = appendText(b, tagPeer, ev.Peer)
	b = appendText(b, tagAddress, ev.Address)
	b = appendText(b, tagType, ev.Type)
	if ev.Form != 0 {
		b = append(b, tagForm, byte(ev.Form))
	}
	if ev.Bytes != 0 {
		b = protowire.AppendVarint(append(b, tagSize), ev.Bytes)
	}
	if len(body) > 0 {
		b = append(appendLength(append(b, tagBody), len(body)), body...)
	}
	b = appendTime(b, tagReceived, ev.Received)
	b = appendTime(b, tagStarted, ev.Started)
	b = appendLate(b, fieldOutcome, ev.Outcome)
	b = appendLate(b, fieldName, ev.Name)
	b = appendLate(b, fieldSubject, ev.Subject)
	b = appendLate(b, fieldFrom, ev.From)
	return appendLate(b, fieldWhy, ev.Why)
}

func appendTime(b []byte, tag byte, at int64) []byte {
	if at == 0 {
		return b
	}
	return protowire.AppendFixed64(append(b, tag), uint64(at))
}

func appendID(b []byte, tag byte, id ID) []byte {
	if id == (ID{}) {
		return b
	}
	b = append(b, tag, 0)
	start := len(b)
	if id.Conn != 0 {
		b = protowire.AppendFixed64(append(b, tagIDConn), id.Conn)
	}
	if id.Back {
		b = append(b, tagIDBack, 1)
	}
	if id.Env != 0 {
		b = protowire.AppendVarint(append(b, tagIDEnv), uint64(id.Env))
	}
	if id.N != 0 {
		b = protowire.AppendVarint(append(b, tagIDN), id.N)
	}
	b[start-1] = byte(len(b) - start) // at most 28
	return b
}

func appendText(b []byte, tag byte, s string) []byte {
	if s == "" {
		return b
	}
	s = validText(s)
	return append(appendLength(append(b, tag), len(s)), s...)
}

func appendLength(b []byte, n int) []byte {
	if n < 1<<7 { // nearly all
		return append(b, byte(n))
	}
	return protowire.AppendVarint(b, uint64(n))
}

// appendLate is appendText for the fields whose tag has two bytes.
func appendLate(b []byte, field protowire.Number, s string) []byte {
	if s == "" {
		return b
	}
	s = validText(s)
	b = protowire.AppendTag(b, field, protowire.BytesType)
	return append(appendLength(b, len(s)), s...)
}

// validText is s as a record may have it: valid UTF-8, else nobody could decode the record, and not too long.
func validText(s string) string {
	if len(s) <= maxText && utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s[:min(len(s), maxText)], "?")
}

// record makes ev what readers get.
func (ev *Event) record(body []byte) *tracepb.Record {
	return &tracepb.Record{
		Kind: ev.Kind, Form: ev.Form, Id: ev.ID.proto(), Cause: ev.Cause.proto(), Env: ev.Env,
		Time: uint64(ev.Time), Received: uint64(ev.Received), Started: uint64(ev.Started),
		Endpoint: validText(ev.Endpoint), To: validText(ev.To), Peer: validText(ev.Peer), Address: validText(ev.Address),
		Type: validText(ev.Type), Name: validText(ev.Name), Outcome: validText(ev.Outcome), Subject: validText(ev.Subject),
		From: validText(ev.From), Why: validText(ev.Why), Bytes: ev.Bytes, Body: bytes.Clone(body),
	}
}

// encodeMessage appends the encoding of a message to b; nothing for what has none.
func encodeMessage(b []byte, m any) []byte {
	p, ok := m.(proto.Message)
	if !ok {
		return b
	}
	out, err := proto.MarshalOptions{Deterministic: true}.MarshalAppend(b, p)
	if err != nil {
		return b
	}
	return out
}

// OutcomeDeferred is the Outcome of an ask that its handler kept, to be answered later.
const OutcomeDeferred = "deferred"

// InBody is the name in the record of an answer that a body of Run, or a program, has waited for: it is handled beside the
// handlers of its endpoint.
const InBody = "body"
