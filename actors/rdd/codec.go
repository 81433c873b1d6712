package rdd

import (
	"encoding/binary"
	"fmt"
	"math"
)

// codec turns records of one type into bytes and back. The encoding of a value is never empty, depends on the value
// alone, and knows its own end:
//
//	bool                   a byte, 0 or 1
//	signed integers        zigzag varint
//	unsigned integers      varint
//	float32, float64       4 or 8 bytes, little endian
//	string                 length as varint, bytes
//	slice, map             0 for nil, else length+1 as varint; elements; a map's in order of their encoded keys
//	array, struct          elements or fields; one byte 0 without any
//
// It carries no names and no types: both ends are the same program.
type codec[T any] struct {
	append func(dst []byte, v T) []byte
	// decode returns the first value of src and the rest. It allocates no more than a small multiple of len(src).
	// The value shares nothing with src. Errors satisfy errors.Is(err, ErrCorrupt).
	decode func(src []byte) (v T, rest []byte, err error)
}

// codecOf compiles the codec of T: written out for the commonest types, by reflection for the rest. The error wraps
// ErrNoCodec and names the field that is to blame.
func codecOf[T any]() (codec[T], error) {
	var made any
	switch zero := any(*new(T)).(type) {
	case string:
		made = codec[string]{appendString, decodeString}
	case []byte:
		made = codec[[]byte]{appendBytes, decodeBytes}
	case int:
		made = signed[int]()
	case int32:
		made = signed[int32]()
	case int64:
		made = signed[int64]()
	case uint32:
		made = unsigned[uint32]()
	case uint64:
		made = unsigned[uint64]()
	case float64:
		made = codec[float64]{appendFloat64, decodeFloat64}
	case interface{ newCodec() (any, error) }:
		c, err := zero.newCodec()
		if err != nil {
			return codec[T]{}, err
		}
		made = c
	}
	// A named type, as type ID string, is in no case: reflection encodes it, with the same bytes.
	if c, ok := made.(codec[T]); ok {
		return c, nil
	}
	return reflected[T]()
}

func signed[T int | int32 | int64]() codec[T] {
	return codec[T]{
		append: func(dst []byte, v T) []byte { return binary.AppendVarint(dst, int64(v)) },
		decode: func(src []byte) (T, []byte, error) {
			x, rest, err := decodeVarint(src)
			if err == nil && int64(T(x)) != x {
				err = corrupt("a number is out of range")
			}
			return T(x), rest, err
		},
	}
}

func unsigned[T uint32 | uint64]() codec[T] {
	return codec[T]{
		append: func(dst []byte, v T) []byte { return binary.AppendUvarint(dst, uint64(v)) },
		decode: func(src []byte) (T, []byte, error) {
			x, rest, err := decodeUvarint(src)
			if err == nil && uint64(T(x)) != x {
				err = corrupt("a number is out of range")
			}
			return T(x), rest, err
		},
	}
}

func decodeVarint(src []byte) (int64, []byte, error) {
	x, n := binary.Varint(src)
	if n <= 0 {
		return 0, nil, corrupt("a number does not end")
	}
	return x, src[n:], nil
}

func decodeUvarint(src []byte) (uint64, []byte, error) {
	x, n := binary.Uvarint(src)
	if n <= 0 {
		return 0, nil, corrupt("a number does not end")
	}
	return x, src[n:], nil
}

func appendString(dst []byte, v string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(v))), v...)
}

func decodeString(src []byte) (string, []byte, error) {
	n, rest, err := decodeUvarint(src)
	if err != nil {
		return "", nil, err
	}
	if n > uint64(len(rest)) {
		return "", nil, corrupt("a string is longer than its record")
	}
	return string(rest[:n]), rest[n:], nil
}

func appendBytes(dst, v []byte) []byte {
	if v == nil {
		return append(dst, 0)
	}
	return append(binary.AppendUvarint(dst, uint64(len(v))+1), v...)
}

func decodeBytes(src []byte) (v, rest []byte, err error) {
	n, present, rest, err := decodeLength(src)
	if err != nil || !present {
		return nil, rest, err
	}
	return append(make([]byte, 0, n), rest[:n]...), rest[n:], nil
}

// decodeLength reads the length of a slice or map, present false for nil. An element has at least one byte, so a longer
// one is refused before anything is allocated for it.
func decodeLength(src []byte) (n int, present bool, rest []byte, err error) {
	x, rest, err := decodeUvarint(src)
	if err != nil || x == 0 {
		return 0, false, rest, err
	}
	if x-1 > uint64(len(rest)) {
		return 0, false, nil, corrupt("a slice or map is longer than its record")
	}
	return int(x - 1), true, rest, nil
}

func appendFloat64(dst []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(v))
}

func decodeFloat64(src []byte) (float64, []byte, error) {
	if len(src) < 8 {
		return 0, nil, corrupt("a number does not end")
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(src)), src[8:], nil
}

func corrupt(what string) error { return fmt.Errorf("%w: %s", ErrCorrupt, what) }
