package protocol

import (
	"cmp"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/coherer/coherer/messages/option"
)

// protoMessages are the linked messages that carry the option, by number, then the records and enums inside them, by
// name.
func protoMessages() []Message {
	var travel, inside []Message
	parts := map[protoreflect.FullName]bool{}
	users := map[string][]string{}
	protoregistry.GlobalTypes.RangeMessages(func(mt protoreflect.MessageType) bool {
		d := mt.Descriptor()
		if o, _ := proto.GetExtension(d.Options(), option.E_Protocol).(*option.Protocol); o != nil {
			travel = append(travel, messageOf(d, o))
			collect(d, parts, users)
		}
		return true
	})
	for name := range parts {
		if d, err := protoregistry.GlobalFiles.FindDescriptorByName(name); err == nil {
			inside = append(inside, partOf(d))
		}
	}
	slices.SortFunc(travel, func(a, b Message) int { return cmp.Compare(a.Number, b.Number) })
	slices.SortFunc(inside, func(a, b Message) int { return cmp.Compare(a.Name, b.Name) })
	for i := range inside {
		inside[i].In = slices.Compact(slices.Sorted(slices.Values(users[inside[i].Name])))
	}
	return append(travel, inside...)
}

func messageOf(d protoreflect.MessageDescriptor, o *option.Protocol) Message {
	return Message{
		Name: string(d.FullName()), Kind: kindMessage, Number: o.GetNumber(), Comment: option.Comment(d.FullName()),
		From: o.GetFrom(), To: o.GetTo(), When: o.GetWhen(), Reply: o.GetReply(), Duplicate: o.GetDuplicate(),
		Spark: o.GetSpark(), Since: o.GetSince(), Untraced: o.GetUntraced(), Fields: fieldsOfMessage(d),
	}
}

// partOf is a record or an enum.
func partOf(d protoreflect.Descriptor) Message {
	m := Message{Name: string(d.FullName()), Kind: kindRecord, Comment: option.Comment(d.FullName())}
	switch d := d.(type) {
	case protoreflect.MessageDescriptor:
		m.Fields = fieldsOfMessage(d)
	case protoreflect.EnumDescriptor:
		m.Kind = kindEnum
		for i := range d.Values().Len() {
			v := d.Values().Get(i)
			m.Values = append(m.Values, Field{
				Name: string(v.Name()), Number: int32(v.Number()), Comment: option.Comment(d.FullName().Append(v.Name())),
			})
		}
	}
	return m
}

// collect finds the types of d's fields, and of theirs, that do not travel by themselves.
func collect(d protoreflect.MessageDescriptor, parts map[protoreflect.FullName]bool, users map[string][]string) {
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		var inner protoreflect.Descriptor
		switch {
		case f.Message() != nil && !f.IsMap():
			inner = f.Message()
		case f.Enum() != nil:
			inner = f.Enum()
		default:
			continue
		}
		name := inner.FullName()
		users[string(name)] = append(users[string(name)], string(d.FullName()))
		// Known already, which also ends types that hold themselves; or a message that has a page of its own.
		if parts[name] || proto.HasExtension(inner.Options(), option.E_Protocol) && inner.Options() != nil {
			continue
		}
		parts[name] = true
		if m, ok := inner.(protoreflect.MessageDescriptor); ok {
			collect(m, parts, users)
		}
	}
}

func fieldsOfMessage(d protoreflect.MessageDescriptor) []Field {
	var out []Field
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		role := ""
		switch r, _ := proto.GetExtension(f.Options(), option.E_Role).(option.FieldRole); r {
		case option.FieldRole_PLACE:
			role = "place"
		case option.FieldRole_BULK:
			role = "bulk"
		}
		out = append(out, Field{
			Name: string(f.Name()), Number: int32(f.Number()), Type: typeOfField(f), Role: role, Comment: option.Comment(f.FullName()),
		})
	}
	return out
}

// typeOfField is a field's type as the .proto file writes it, names in full.
func typeOfField(f protoreflect.FieldDescriptor) string {
	if f.IsMap() {
		return "map<" + typeOfField(f.MapKey()) + ", " + typeOfField(f.MapValue()) + ">"
	}
	typ := f.Kind().String()
	switch {
	case f.Message() != nil:
		typ = string(f.Message().FullName())
	case f.Enum() != nil:
		typ = string(f.Enum().FullName())
	}
	switch {
	case f.IsList():
		return "repeated " + typ
	case f.HasOptionalKeyword():
		return "optional " + typ
	}
	return typ
}

// answerOnce is why a duplicate of an answer does no harm.
const answerOnce = "An ask ends once: a second answer is an event of the trace and changes nothing."

// answers enters asks into their answers: the receivers of an ask send its answer, and its senders get it.
func answers(messages []Message) {
	for i := range messages {
		reply := &messages[i]
		for _, ask := range messages {
			if ask.Reply != reply.Name {
				continue
			}
			reply.Answers = append(reply.Answers, ask.Name)
			reply.From = union(reply.From, ask.To)
			reply.To = union(reply.To, ask.From)
		}
		if len(reply.Answers) > 0 && reply.Duplicate == "" {
			reply.Duplicate = answerOnce
		}
	}
}

func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
