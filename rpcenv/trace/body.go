package trace

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// maxDepth bounds the nesting of messages that are decoded and shown.
const maxDepth = 32

// BodyJSON decodes body, the encoding of a message of the type with that full protobuf name, into a canonical JSON
// object: fields in the order of their numbers under their JSON names, those without a value left out, numbers of any
// size as numbers, enums by name, bytes in base64. It is the same byte for byte in every binary, which protojson's is
// not. Of a body that a recorder cut the whole fields are kept, and cut is true. An unknown type and a body that is no
// encoding of it give "".
func BodyJSON(typ string, body []byte) (object string, cut bool) {
	mt, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(typ))
	if err != nil {
		return "", false
	}
	body, cut = wholeFields(mt.Descriptor(), body, 0)
	m := mt.New()
	if err := (proto.UnmarshalOptions{RecursionLimit: maxDepth, DiscardUnknown: true}).Unmarshal(body, m.Interface()); err != nil {
		return "", false
	}
	return string(appendMessage(nil, m, 0)), cut
}

// wholeFields is the part of an encoding that a cut left whole; of a message that the cut went through, its own whole
// fields. It does not look for other faults.
func wholeFields(md protoreflect.MessageDescriptor, b []byte, depth int) (whole []byte, cut bool) {
	for at := 0; at < len(b); {
		num, typ, tag := protowire.ConsumeTag(b[at:])
		if tag < 0 {
			return b[:at:at], true
		}
		value := protowire.ConsumeFieldValue(num, typ, b[at+tag:])
		if value >= 0 {
			at += tag + value
			continue
		}
		// The cut went through this field. Clipped, since AppendTag below must not write into the record's own bytes.
		whole = b[:at:at]
		fd := md.Fields().ByNumber(num)
		_, length := protowire.ConsumeVarint(b[at+tag:])
		if fd == nil || fd.Message() == nil || typ != protowire.BytesType || length < 0 || depth >= maxDepth {
			return whole, true
		}
		// Its length says more bytes than there are: it gets a new one for what is left of it.
		inner, _ := wholeFields(fd.Message(), b[at+tag+length:], depth+1)
		return protowire.AppendBytes(protowire.AppendTag(whole, num, typ), inner), true
	}
	return b, false
}

// fieldsInOrder are a message's fields by number; the descriptor has them in the order of the .proto file.
func fieldsInOrder(md protoreflect.MessageDescriptor) []protoreflect.FieldDescriptor {
	fields := make([]protoreflect.FieldDescriptor, md.Fields().Len())
	for i := range fields {
		fields[i] = md.Fields().Get(i)
	}
	sortFields(fields)
	return fields
}
