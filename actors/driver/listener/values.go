//coherer:pure

package listener

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Fields is a JSON object whose keys are data, such as settings, in an order of its own.
type Fields[V any] []Field[V]

// Field is one entry of Fields.
type Field[V any] struct {
	Key   string
	Value V
}

// Properties are settings and the like.
type Properties = Fields[string]

// MarshalJSON writes the object in the order of f.
func (f Fields[V]) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, p := range f {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := marshal(p.Key)
		if err != nil {
			return nil, err
		}
		value, err := marshal(p.Value)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON reads an object and keeps the order of its keys. null is no entry.
func (f *Fields[V]) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	*f = nil
	switch t, err := d.Token(); {
	case err != nil:
		return err
	case t == nil:
		return nil
	case t != json.Delim('{'):
		return errors.New("an object was expected")
	}
	*f = Fields[V]{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		p := Field[V]{Key: fmt.Sprint(key)}
		if err := d.Decode(&p.Value); err != nil {
			return fmt.Errorf("%s: %w", p.Key, err)
		}
		*f = append(*f, p)
	}
	return nil
}

// Get is the value of a key, the zero value without one.
func (f Fields[V]) Get(key string) (v V) {
	for _, p := range f {
		if p.Key == key {
			return p.Value
		}
	}
	return v
}

// Sorted is a copy in the order of the keys.
func (f Fields[V]) Sorted() Fields[V] {
	return slices.SortedFunc(slices.Values(f), func(a, b Field[V]) int { return strings.Compare(a.Key, b.Key) })
}

// Double is a number that Java writes with a point: 1.0.
type Double float64

// MarshalJSON writes the number as Jackson does, but for very large and small ones, which it writes with an exponent.
func (d Double) MarshalJSON() ([]byte, error) {
	text := strconv.FormatFloat(float64(d), 'f', -1, 64)
	if strings.Trim(text, "-0123456789") == "" {
		text += ".0"
	}
	return []byte(text), nil
}
