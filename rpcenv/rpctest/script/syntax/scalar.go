package syntax

import (
	"errors"
	"fmt"
	"strconv"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// scalar is the value of a word, of the kind of fd.
func scalar(fd protoreflect.FieldDescriptor, word string) (protoreflect.Value, error) {
	switch fd.Kind() {
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(word), nil
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte(word)), nil
	case protoreflect.EnumKind:
		return enum(fd, word)
	}
	v, err := number(fd, word)
	if errors.Is(err, strconv.ErrRange) {
		return v, fmt.Errorf("%s=%s: too large or too small for %s", fd.JSONName(), word, fd.Kind())
	}
	if err != nil {
		return v, fmt.Errorf("%s=%s: want %s", fd.JSONName(), word, fd.Kind())
	}
	return v, nil
}

func number(fd protoreflect.FieldDescriptor, word string) (protoreflect.Value, error) {
	switch fd.Kind() {
	case protoreflect.BoolKind:
		if word != "true" && word != "false" {
			return protoreflect.Value{}, strconv.ErrSyntax
		}
		return protoreflect.ValueOfBool(word == "true"), nil
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		n, err := strconv.ParseInt(word, 10, 32)
		return protoreflect.ValueOfInt32(int32(n)), err
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		n, err := strconv.ParseInt(word, 10, 64)
		return protoreflect.ValueOfInt64(n), err
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		n, err := strconv.ParseUint(word, 10, 32)
		return protoreflect.ValueOfUint32(uint32(n)), err
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		n, err := strconv.ParseUint(word, 10, 64)
		return protoreflect.ValueOfUint64(n), err
	case protoreflect.FloatKind:
		n, err := strconv.ParseFloat(word, 32)
		return protoreflect.ValueOfFloat32(float32(n)), err
	}
	n, err := strconv.ParseFloat(word, 64)
	return protoreflect.ValueOfFloat64(n), err
}

// enum is the value of that name, or of that number where it has no name.
func enum(fd protoreflect.FieldDescriptor, word string) (protoreflect.Value, error) {
	values := fd.Enum().Values()
	if v := values.ByName(protoreflect.Name(word)); v != nil {
		return protoreflect.ValueOfEnum(v.Number()), nil
	}
	if n, err := strconv.ParseInt(word, 10, 32); err == nil {
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(n)), nil
	}
	var names []string
	for i := range values.Len() {
		names = append(names, string(values.Get(i).Name()))
	}
	return protoreflect.Value{}, Unknown("value of "+string(fd.Enum().Name()), word, names)
}
