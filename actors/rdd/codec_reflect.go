package rdd

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
)

// plan is the codec of a type that is known at run time only. decode fills an addressable value.
type plan struct {
	append func(dst []byte, v reflect.Value) []byte
	decode func(src []byte, v reflect.Value) (rest []byte, err error)
}

// reflected compiles the codec of any type by reflection.
func reflected[T any]() (codec[T], error) {
	p, err := compile(reflect.TypeFor[T](), reflect.TypeFor[T]().String(), nil)
	if err != nil {
		return codec[T]{}, err
	}
	return codec[T]{
		append: func(dst []byte, v T) []byte { return p.append(dst, reflect.ValueOf(&v).Elem()) },
		decode: func(src []byte) (v T, rest []byte, err error) {
			rest, err = p.decode(src, reflect.ValueOf(&v).Elem())
			return v, rest, err
		},
	}, nil
}

// compile makes the plan of t. path says where in a record t stands, and within names the types around it: a type
// within itself is refused, which bounds the depth of decoding.
func compile(t reflect.Type, path string, within []reflect.Type) (plan, error) {
	if slices.Contains(within, t) {
		return plan{}, noCodec(path, t, "is within itself")
	}
	within = append(slices.Clip(within), t)
	switch t.Kind() {
	case reflect.Bool:
		return plan{appendBool, decodeBool}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return plan{appendInt, decodeInt}, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return plan{appendUint, decodeUint}, nil
	case reflect.Float32:
		return plan{appendFloat32, decodeFloat32}, nil
	case reflect.Float64:
		return plan{
			append: func(dst []byte, v reflect.Value) []byte { return appendFloat64(dst, v.Float()) },
			decode: func(src []byte, v reflect.Value) ([]byte, error) {
				x, rest, err := decodeFloat64(src)
				v.SetFloat(x)
				return rest, err
			},
		}, nil
	case reflect.String:
		return plan{
			append: func(dst []byte, v reflect.Value) []byte { return appendString(dst, v.String()) },
			decode: func(src []byte, v reflect.Value) ([]byte, error) {
				x, rest, err := decodeString(src)
				v.SetString(x)
				return rest, err
			},
		}, nil
	case reflect.Slice:
		return compileSlice(t, path, within)
	case reflect.Array:
		return compileArray(t, path, within)
	case reflect.Map:
		return compileMap(t, path, within)
	case reflect.Struct:
		return compileStruct(t, path, within)
	}
	return plan{}, noCodec(path, t, "has no encoding")
}

func noCodec(path string, t reflect.Type, why string) error {
	return fmt.Errorf("%w: %s: %s %s; records are made of booleans, numbers, strings, slices, arrays, maps and structs "+
		"of exported fields", ErrNoCodec, path, t, why)
}

func compileSlice(t reflect.Type, path string, within []reflect.Type) (plan, error) {
	if t.Elem().Kind() == reflect.Uint8 {
		return plan{
			append: func(dst []byte, v reflect.Value) []byte { return appendBytes(dst, v.Bytes()) },
			decode: func(src []byte, v reflect.Value) ([]byte, error) {
				x, rest, err := decodeBytes(src)
				v.SetBytes(x)
				return rest, err
			},
		}, nil
	}
	elem, err := compile(t.Elem(), path+"[]", within)
	if err != nil {
		return plan{}, err
	}
	return plan{
		append: func(dst []byte, v reflect.Value) []byte {
			if v.IsNil() {
				return append(dst, 0)
			}
			dst = binary.AppendUvarint(dst, uint64(v.Len())+1)
			for i := range v.Len() {
				dst = elem.append(dst, v.Index(i))
			}
			return dst
		},
		decode: func(src []byte, v reflect.Value) ([]byte, error) {
			n, present, rest, err := decodeLength(src)
			if err != nil || !present {
				v.SetZero()
				return rest, err
			}
			v.Set(reflect.MakeSlice(t, 0, 0)) // not nil even when empty
			for i := range n {
				// Grows by doubling: an element may be much larger than its encoding.
				v.Grow(1)
				v.SetLen(i + 1)
				if rest, err = elem.decode(rest, v.Index(i)); err != nil {
					return nil, err
				}
			}
			return rest, nil
		},
	}, nil
}

func compileArray(t reflect.Type, path string, within []reflect.Type) (plan, error) {
	elem, err := compile(t.Elem(), path+"[]", within)
	if err != nil {
		return plan{}, err
	}
	if t.Len() == 0 {
		return nothing, nil // no encoding may be empty: decodeLength counts on a byte for each element
	}
	return plan{
		append: func(dst []byte, v reflect.Value) []byte {
			for i := range v.Len() {
				dst = elem.append(dst, v.Index(i))
			}
			return dst
		},
		decode: func(src []byte, v reflect.Value) (rest []byte, err error) {
			rest = src
			for i := range v.Len() {
				if rest, err = elem.decode(rest, v.Index(i)); err != nil {
					return nil, err
				}
			}
			return rest, nil
		},
	}, nil
}

func compileStruct(t reflect.Type, path string, within []reflect.Type) (plan, error) {
	fields := make([]plan, t.NumField())
	for i := range fields {
		f := t.Field(i)
		if !f.IsExported() {
			return plan{}, noCodec(path+"."+f.Name, f.Type, "is a field that is not exported")
		}
		var err error
		if fields[i], err = compile(f.Type, path+"."+f.Name, within); err != nil {
			return plan{}, err
		}
	}
	if len(fields) == 0 {
		return nothing, nil
	}
	return plan{
		append: func(dst []byte, v reflect.Value) []byte {
			for i := range fields {
				dst = fields[i].append(dst, v.Field(i))
			}
			return dst
		},
		decode: func(src []byte, v reflect.Value) (rest []byte, err error) {
			rest = src
			for i := range fields {
				if rest, err = fields[i].decode(rest, v.Field(i)); err != nil {
					return nil, err
				}
			}
			return rest, nil
		},
	}, nil
}

func compileMap(t reflect.Type, path string, within []reflect.Type) (plan, error) {
	key, err := compile(t.Key(), path+"[key]", within)
	if err != nil {
		return plan{}, err
	}
	elem, err := compile(t.Elem(), path+"[]", within)
	if err != nil {
		return plan{}, err
	}
	return plan{
		append: func(dst []byte, v reflect.Value) []byte {
			if v.IsNil() {
				return append(dst, 0)
			}
			type entry struct {
				key  []byte
				elem reflect.Value
			}
			// In the order of the encoded keys: Go's order differs from run to run, and equal maps must give equal bytes.
			entries := make([]entry, 0, v.Len())
			for it := v.MapRange(); it.Next(); {
				entries = append(entries, entry{key.append(nil, it.Key()), it.Value()})
			}
			slices.SortFunc(entries, func(a, b entry) int { return bytes.Compare(a.key, b.key) })
			dst = binary.AppendUvarint(dst, uint64(len(entries))+1)
			for _, e := range entries {
				dst = elem.append(append(dst, e.key...), e.elem)
			}
			return dst
		},
		decode: func(src []byte, v reflect.Value) ([]byte, error) {
			n, present, rest, err := decodeLength(src)
			if err != nil || !present {
				v.SetZero()
				return rest, err
			}
			v.Set(reflect.MakeMap(t))
			for range n {
				k, e := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
				if rest, err = key.decode(rest, k); err != nil {
					return nil, err
				}
				if rest, err = elem.decode(rest, e); err != nil {
					return nil, err
				}
				v.SetMapIndex(k, e)
			}
			return rest, nil
		},
	}, nil
}

// nothing is the plan of types with one value only.
var nothing = plan{
	append: func(dst []byte, _ reflect.Value) []byte { return append(dst, 0) },
	decode: func(src []byte, _ reflect.Value) ([]byte, error) {
		if len(src) == 0 || src[0] != 0 {
			return nil, corrupt("a value that must be empty is not")
		}
		return src[1:], nil
	},
}

func appendBool(dst []byte, v reflect.Value) []byte {
	if v.Bool() {
		return append(dst, 1)
	}
	return append(dst, 0)
}

func decodeBool(src []byte, v reflect.Value) ([]byte, error) {
	if len(src) == 0 || src[0] > 1 {
		return nil, corrupt("a boolean is neither 0 nor 1")
	}
	v.SetBool(src[0] == 1)
	return src[1:], nil
}

func appendInt(dst []byte, v reflect.Value) []byte { return binary.AppendVarint(dst, v.Int()) }

func decodeInt(src []byte, v reflect.Value) ([]byte, error) {
	x, rest, err := decodeVarint(src)
	if err == nil && v.OverflowInt(x) {
		err = corrupt("a number is out of range")
	}
	v.SetInt(x)
	return rest, err
}

func appendUint(dst []byte, v reflect.Value) []byte { return binary.AppendUvarint(dst, v.Uint()) }

func decodeUint(src []byte, v reflect.Value) ([]byte, error) {
	x, rest, err := decodeUvarint(src)
	if err == nil && v.OverflowUint(x) {
		err = corrupt("a number is out of range")
	}
	v.SetUint(x)
	return rest, err
}

// appendFloat32 makes a signalling NaN a quiet one, since reflect widens it.
func appendFloat32(dst []byte, v reflect.Value) []byte {
	return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(v.Float())))
}

func decodeFloat32(src []byte, v reflect.Value) ([]byte, error) {
	if len(src) < 4 {
		return nil, corrupt("a number does not end")
	}
	v.SetFloat(float64(math.Float32frombits(binary.LittleEndian.Uint32(src))))
	return src[4:], nil
}
