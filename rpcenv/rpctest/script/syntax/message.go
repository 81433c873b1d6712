package syntax

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/coherer/coherer/messages/option"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv/conf"
)

const (
	// maxText bounds what a message may be written with, in bytes.
	maxText = 64 << 10
	// maxDepth bounds the nesting of a message.
	maxDepth = 32
)

// ParseMessage reads a message in the form in which the forest prints it: Greet(name=Ada). It knows every message that is
// linked into the program. Its error is an *Error that names the column, and a near name where it finds one.
func ParseMessage(text string) (proto.Message, error) {
	if len(text) > maxText {
		return nil, &Error{Column: 1, Err: fmt.Errorf("a message of %d bytes: at most %d can be written", len(text), maxText)}
	}
	p := &parser{text: text}
	m, err := p.message()
	if err != nil {
		return nil, err
	}
	if p.pos < len(text) {
		return nil, p.errorf(p.pos, "%q behind the message", p.text[p.pos:])
	}
	return m, nil
}

// FindMessage is the type of a message by its short name, or by its full protobuf name. Of several with one short name the
// one with the protocol option is meant, if only one has it.
func FindMessage(name string) (protoreflect.MessageType, error) {
	if mt, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(name)); err == nil {
		return mt, nil
	}
	var protocol, other []protoreflect.MessageType
	var names []string
	protoregistry.GlobalTypes.RangeMessages(func(mt protoreflect.MessageType) bool {
		d := mt.Descriptor()
		names = append(names, string(d.Name()))
		switch {
		case string(d.Name()) != name:
		case proto.HasExtension(d.Options(), option.E_Protocol):
			protocol = append(protocol, mt)
		default:
			other = append(other, mt)
		}
		return true
	})
	// A program may link several messages of one short name; scripts are about those of the protocol.
	found := protocol
	if len(found) == 0 {
		found = other
	}
	switch len(found) {
	case 0:
		return nil, Unknown("message", name, names)
	case 1:
		return found[0], nil
	}
	var full []string
	for _, mt := range found {
		full = append(full, string(mt.Descriptor().FullName()))
	}
	slices.Sort(full)
	return nil, fmt.Errorf("%s could be %s: write which", name, strings.Join(full, " or "))
}

// few is how many names an error lists where none is near.
const few = 20

// Unknown says that nothing is called name, and which of names could have been meant: a near one, else all if they are few.
func Unknown(what, name string, names []string) error {
	slices.Sort(names)
	if near, ok := conf.Nearest(name, names); ok {
		return fmt.Errorf("no %s is called %s: %s is near", what, name, near)
	}
	if len(names) > 0 && len(names) <= few {
		return fmt.Errorf("no %s is called %s: there are %s", what, name, strings.Join(names, ", "))
	}
	return fmt.Errorf("no %s is called %s", what, name)
}

// parser reads one message.
type parser struct {
	text string
	pos  int
}

// errorf is an error at a place of the text.
func (p *parser) errorf(at int, format string, args ...any) error {
	return In(p.text, at, fmt.Errorf(format, args...))
}

func (p *parser) message() (proto.Message, error) {
	begin := p.pos
	name := p.word()
	switch name {
	case "":
		return nil, p.errorf(begin, "want MESSAGE(FIELD=VALUE ...)")
	case "true", "false":
		return &rpc.Bool{Value: name == "true"}, nil
	}
	mt, err := FindMessage(name)
	if err != nil {
		return nil, In(p.text, begin, err)
	}
	if !p.take('(') {
		return nil, p.errorf(p.pos, "want ( behind %s", name)
	}
	m := mt.New()
	if err := p.fields(m, ')', 0); err != nil {
		return nil, err
	}
	return m.Interface(), nil
}

// fields reads FIELD=VALUE ... up to the closing bracket, whose opening one was read.
func (p *parser) fields(m protoreflect.Message, closing byte, depth int) error {
	if depth > maxDepth {
		return p.errorf(p.pos, "a message nested deeper than %d", maxDepth)
	}
	for !p.closed(closing) {
		begin := p.pos
		name, err := p.key(closing)
		if err != nil {
			return err
		}
		md := m.Descriptor()
		fd := md.Fields().ByJSONName(name)
		if fd == nil {
			return In(p.text, begin, Unknown("field of "+string(md.Name()), name, fieldNames(md)))
		}
		if m.Has(fd) {
			return p.errorf(begin, "%s is there already", name)
		}
		// Set would silently clear the other field of a oneof.
		if of := fd.ContainingOneof(); of != nil && m.WhichOneof(of) != nil {
			return p.errorf(begin, "%s: there is %s already, and %s is one of them", name, m.WhichOneof(of).JSONName(), of.Name())
		}
		if err := p.field(m, fd, depth); err != nil {
			return err
		}
	}
	return nil
}

func fieldNames(md protoreflect.MessageDescriptor) []string {
	var names []string
	for i := range md.Fields().Len() {
		names = append(names, md.Fields().Get(i).JSONName())
	}
	return names
}

func (p *parser) field(m protoreflect.Message, fd protoreflect.FieldDescriptor, depth int) error {
	switch {
	case fd.IsMap():
		return p.entries(m.Mutable(fd).Map(), fd, depth)
	case fd.IsList():
		return p.list(m.Mutable(fd).List(), fd, depth)
	}
	v, err := p.value(fd, m.NewField, depth)
	if err == nil {
		m.Set(fd, v)
	}
	return err
}

// entries reads {KEY=VALUE ...}.
func (p *parser) entries(m protoreflect.Map, fd protoreflect.FieldDescriptor, depth int) error {
	if !p.take('{') {
		return p.errorf(p.pos, "%s is a map: want {KEY=VALUE ...}", fd.JSONName())
	}
	for !p.closed('}') {
		begin := p.pos
		name, err := p.key('}')
		if err != nil {
			return err
		}
		key, err := scalar(fd.MapKey(), name)
		if err != nil {
			return In(p.text, begin, err)
		}
		if m.Has(key.MapKey()) {
			return p.errorf(begin, "%s is there already", name)
		}
		newValue := func(protoreflect.FieldDescriptor) protoreflect.Value { return m.NewValue() }
		v, err := p.value(fd.MapValue(), newValue, depth)
		if err != nil {
			return err
		}
		m.Set(key.MapKey(), v)
	}
	return nil
}

// list reads [VALUE ...].
func (p *parser) list(l protoreflect.List, fd protoreflect.FieldDescriptor, depth int) error {
	if !p.take('[') {
		return p.errorf(p.pos, "%s is a list: want [VALUE ...]", fd.JSONName())
	}
	for !p.closed(']') {
		newValue := func(protoreflect.FieldDescriptor) protoreflect.Value { return l.NewElement() }
		v, err := p.value(fd, newValue, depth)
		if err != nil {
			return err
		}
		l.Append(v)
	}
	return nil
}

// value reads one value of fd; newValue makes the one that a nested message is read into.
func (p *parser) value(fd protoreflect.FieldDescriptor, newValue func(protoreflect.FieldDescriptor) protoreflect.Value, depth int) (protoreflect.Value, error) {
	begin := p.pos
	if fd.Message() != nil {
		if !p.take('{') {
			return protoreflect.Value{}, p.errorf(begin, "%s is a %s: want {FIELD=VALUE ...}", fd.JSONName(), fd.Message().Name())
		}
		v := newValue(fd)
		return v, p.fields(v.Message(), '}', depth+1)
	}
	word, err := p.textWord()
	if err != nil {
		return protoreflect.Value{}, err
	}
	// The forest prints bytes as <3 bytes>: copied from there, that must not become the bytes of these letters.
	if fd.Kind() == protoreflect.BytesKind && p.text[begin] == '<' {
		return protoreflect.Value{}, p.errorf(begin, "%s is printed as the number of its bytes: write them as a string", fd.JSONName())
	}
	v, err := scalar(fd, word)
	if err != nil {
		return v, In(p.text, begin, err)
	}
	return v, p.between()
}
