package trace

import (
	"cmp"
	"encoding/base64"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"
)

func sortFields(fields []protoreflect.FieldDescriptor) {
	slices.SortFunc(fields, func(a, b protoreflect.FieldDescriptor) int { return cmp.Compare(a.Number(), b.Number()) })
}

// appendMessage writes m as a JSON object.
func appendMessage(dst []byte, m protoreflect.Message, depth int) []byte {
	dst = append(dst, '{')
	if depth > maxDepth {
		return append(dst, '}')
	}
	first := true
	for _, fd := range fieldsInOrder(m.Descriptor()) {
		if !m.Has(fd) {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(appendString(dst, fd.JSONName()), ':')
		switch {
		case fd.IsMap():
			dst = appendMap(dst, fd, m.Get(fd).Map(), depth)
		case fd.IsList():
			dst = appendList(dst, fd, m.Get(fd).List(), depth)
		default:
			dst = appendValue(dst, fd, m.Get(fd), depth)
		}
	}
	return append(dst, '}')
}

func appendList(dst []byte, fd protoreflect.FieldDescriptor, list protoreflect.List, depth int) []byte {
	dst = append(dst, '[')
	for i := range list.Len() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendValue(dst, fd, list.Get(i), depth)
	}
	return append(dst, ']')
}

// appendMap writes a map in the order of its keys' text; our own messages have none, users' may.
func appendMap(dst []byte, fd protoreflect.FieldDescriptor, m protoreflect.Map, depth int) []byte {
	keys := make([]protoreflect.MapKey, 0, m.Len())
	m.Range(func(k protoreflect.MapKey, _ protoreflect.Value) bool {
		keys = append(keys, k)
		return true
	})
	slices.SortFunc(keys, func(a, b protoreflect.MapKey) int { return cmp.Compare(a.String(), b.String()) })
	dst = append(dst, '{')
	for i, k := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, k.String()), ':')
		dst = appendValue(dst, fd.MapValue(), m.Get(k), depth)
	}
	return append(dst, '}')
}

func appendValue(dst []byte, fd protoreflect.FieldDescriptor, v protoreflect.Value, depth int) []byte {
	switch fd.Kind() {
	case protoreflect.BoolKind:
		return strconv.AppendBool(dst, v.Bool())
	case protoreflect.EnumKind:
		if ev := fd.Enum().Values().ByNumber(v.Enum()); ev != nil {
			return appendString(dst, string(ev.Name()))
		}
		return strconv.AppendInt(dst, int64(v.Enum()), 10)
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind,
		protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return strconv.AppendInt(dst, v.Int(), 10)
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind, protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return strconv.AppendUint(dst, v.Uint(), 10)
	case protoreflect.FloatKind:
		return appendFloat(dst, v.Float(), 32)
	case protoreflect.DoubleKind:
		return appendFloat(dst, v.Float(), 64)
	case protoreflect.StringKind:
		return appendString(dst, v.String())
	case protoreflect.BytesKind:
		return appendString(dst, base64.StdEncoding.EncodeToString(v.Bytes()))
	}
	return appendMessage(dst, v.Message(), depth+1)
}

// appendFloat writes what JSON has no number for as a string, as protojson does.
func appendFloat(dst []byte, f float64, bits int) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, `"NaN"`...)
	case math.IsInf(f, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(f, -1):
		return append(dst, `"-Infinity"`...)
	}
	return strconv.AppendFloat(dst, f, 'g', -1, bits)
}

const hexDigits = "0123456789abcdef"

// appendString writes s as a JSON string of valid UTF-8. Control characters and the two line ends of Unicode are
// escaped; each byte that is no UTF-8 becomes U+FFFD.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case r < 0x20 || r == 0x7f || r == '\u2028' || r == '\u2029':
			dst = append(dst, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, '"')
}
