// Package codec encodes the content of messages.
//
// The content of a message is two bytes 'C' 'H', the message's number as a big-endian uint16, and its protobuf encoding.
// Java's serialization streams begin with AC ED and can never be taken for it. Number 0 stands for a message without
// the protocol option: a byte of name length, the full protobuf name, the encoding. Encoding is deterministic.
package codec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/coherer/coherer/messages/option"
)

// Errors of this package.
var (
	// ErrUndecodable: the content is no message that this process knows.
	ErrUndecodable = errors.New("undecodable content")
	// ErrNumber: the protocol's numbers are not one to one.
	ErrNumber = errors.New("message number")
)

const (
	magic0, magic1 = 'C', 'H'
	headerLen      = 4
	maxName        = 255
)

// Table maps message numbers to types. Make one with Load.
type Table struct {
	types   map[uint16]protoreflect.MessageType
	numbers map[protoreflect.FullName]uint16
	options map[protoreflect.FullName]*option.Protocol
	named   atomic.Pointer[map[string]protoreflect.MessageType] // found by name; the map is replaced, never changed
}

// Load returns the table of all messages linked into this process that have the protocol option. Two messages with one
// number, or a number outside 1 to 65,535, are ErrNumber. The work is done once.
var Load = sync.OnceValues(func() (*Table, error) { return newTable(protoregistry.GlobalTypes) })

func newTable(types *protoregistry.Types) (*Table, error) {
	t := &Table{
		types:   map[uint16]protoreflect.MessageType{},
		numbers: map[protoreflect.FullName]uint16{},
		options: map[protoreflect.FullName]*option.Protocol{},
	}
	// The order of the range is random: errors name both messages in the order of their names.
	var errs []error
	types.RangeMessages(func(mt protoreflect.MessageType) bool {
		d := mt.Descriptor()
		o, _ := proto.GetExtension(d.Options(), option.E_Protocol).(*option.Protocol)
		if o == nil {
			return true
		}
		t.options[d.FullName()] = o
		switch n := o.GetNumber(); {
		case n < 1 || n > 1<<16-1:
			errs = append(errs, fmt.Errorf("%w: %s has %d: want 1 to 65535", ErrNumber, d.FullName(), n))
		case t.types[uint16(n)] != nil:
			a, b := t.types[uint16(n)].Descriptor().FullName(), d.FullName()
			errs = append(errs, fmt.Errorf("%w: %s and %s both have %d: give one of them another", ErrNumber, min(a, b), max(a, b), n))
		default:
			t.types[uint16(n)] = mt
			t.numbers[d.FullName()] = uint16(n)
		}
		return true
	})
	return t, errors.Join(errs...)
}

// Protocol returns the message's option, nil when it has none.
func (t *Table) Protocol(name protoreflect.FullName) *option.Protocol { return t.options[name] }

// Append appends the content of m to dst.
func (t *Table) Append(dst []byte, m proto.Message) ([]byte, error) {
	name := m.ProtoReflect().Descriptor().FullName()
	n := t.numbers[name] // 0 without the option: then the name goes along
	dst = slices.Grow(dst, headerLen+1+len(name)+proto.Size(m))
	dst = append(dst, magic0, magic1)
	dst = binary.BigEndian.AppendUint16(dst, n)
	if n == 0 {
		if len(name) > maxName {
			return dst, fmt.Errorf("message %s: a name has at most %d bytes", name, maxName)
		}
		dst = append(dst, byte(len(name)))
		dst = append(dst, name...)
	}
	// Size above has left its sums in m, and m does not change any more: a message is immutable once it is sent.
	out, err := proto.MarshalOptions{Deterministic: true, UseCachedSize: true}.MarshalAppend(dst, m)
	if err != nil {
		return dst, fmt.Errorf("encode %s: %w", name, err)
	}
	return out, nil
}

// Decode returns the message in content. Anything else is ErrUndecodable, with the reason. The message does not share
// memory with content except for fields of type bytes.
func (t *Table) Decode(content []byte) (proto.Message, error) {
	mt, body, err := t.split(content)
	if err != nil {
		return nil, err
	}
	m := mt.New().Interface()
	// Merge: a new message needs no reset.
	if err := (proto.UnmarshalOptions{Merge: true}).Unmarshal(body, m); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrUndecodable, mt.Descriptor().FullName(), err)
	}
	return m, nil
}

func (t *Table) split(content []byte) (protoreflect.MessageType, []byte, error) {
	if len(content) < headerLen {
		return nil, nil, fmt.Errorf("%w: %d bytes", ErrUndecodable, len(content))
	}
	// A real Spark process that dials here is the likeliest stranger: its error says so.
	switch {
	case content[0] == 0xAC && content[1] == 0xED:
		return nil, nil, fmt.Errorf("%w: a Java serialization stream: the peer is a real Spark process", ErrUndecodable)
	case content[0] != magic0 || content[1] != magic1:
		return nil, nil, fmt.Errorf("%w: begins with %02x %02x, want \"CH\"", ErrUndecodable, content[0], content[1])
	}
	n, body := binary.BigEndian.Uint16(content[2:]), content[headerLen:]
	if n != 0 {
		mt := t.types[n]
		if mt == nil {
			return nil, nil, fmt.Errorf("%w: no message has number %d", ErrUndecodable, n)
		}
		return mt, body, nil
	}
	if len(body) == 0 || len(body) < 1+int(body[0]) {
		return nil, nil, fmt.Errorf("%w: the name is cut short", ErrUndecodable)
	}
	name := body[1 : 1+int(body[0])]
	mt := t.byName(name)
	if mt == nil {
		return nil, nil, fmt.Errorf("%w: no message is called %q here", ErrUndecodable, name)
	}
	return mt, body[1+int(body[0]):], nil
}

// byName returns the linked-in message type of that name, with or without the option, or nil. Only its first look-up allocates.
func (t *Table) byName(name []byte) protoreflect.MessageType {
	known := t.named.Load()
	if known != nil && (*known)[string(name)] != nil {
		return (*known)[string(name)]
	}
	mt, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(name))
	if err != nil { // not kept: a peer may make up names without end
		return nil
	}
	more := map[string]protoreflect.MessageType{string(name): mt}
	if known != nil {
		maps.Copy(more, *known)
	}
	t.named.CompareAndSwap(known, &more) // if another goroutine was quicker, the next look-up tries again
	return mt
}

// Body returns the protobuf encoding inside content, for the trace; nil when content has none. It does not look at the type.
func (t *Table) Body(content []byte) []byte {
	if len(content) < headerLen || content[0] != magic0 || content[1] != magic1 {
		return nil
	}
	body := content[headerLen:]
	if content[2]|content[3] != 0 {
		return body
	}
	if len(body) == 0 || len(body) < 1+int(body[0]) {
		return nil
	}
	return body[1+int(body[0]):]
}
