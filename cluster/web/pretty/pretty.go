package pretty

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// Field is one field of an Object.
type Field struct {
	Name  string
	Value any
}

// Object is a JSON object with its fields in order. A field's value is a string, a bool, an int, int32 or int64, an
// Object, an Array, or []string; others are refused.
type Object []Field

// Array is a JSON array of the same kinds of values.
type Array []any

// Marshal writes v, as in {"a" : 1, "b" : [ ]}, over several lines; there is no line end behind the last.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	err := write(&b, v, 0)
	return b.Bytes(), err
}

func write(b *bytes.Buffer, v any, depth int) error {
	switch v := v.(type) {
	case Object:
		return writeObject(b, v, depth)
	case Array:
		return writeArray(b, v, depth)
	case []string:
		all := make(Array, len(v))
		for i, s := range v {
			all[i] = s
		}
		return writeArray(b, all, depth)
	case string:
		return writeString(b, v)
	case bool:
		b.WriteString(strconv.FormatBool(v))
	case int:
		b.WriteString(strconv.Itoa(v))
	case int32:
		b.WriteString(strconv.Itoa(int(v)))
	case int64:
		b.WriteString(strconv.FormatInt(v, 10))
	default: // no reflection: a type that Spark's answers do not have is a bug of ours
		return fmt.Errorf("pretty: no JSON for %T", v)
	}
	return nil
}

func writeObject(b *bytes.Buffer, o Object, depth int) error {
	if len(o) == 0 {
		b.WriteString("{ }")
		return nil
	}
	b.WriteByte('{')
	for i, f := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		newLine(b, depth+1)
		if err := writeString(b, f.Name); err != nil {
			return err
		}
		b.WriteString(" : ")
		if err := write(b, f.Value, depth+1); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	newLine(b, depth)
	b.WriteByte('}')
	return nil
}

// writeArray leaves the elements on one line, as Jackson does; objects among them have lines of their own at the array's depth.
func writeArray(b *bytes.Buffer, a Array, depth int) error {
	b.WriteString("[ ")
	for i, v := range a {
		if i > 0 {
			b.WriteString(", ")
		}
		if err := write(b, v, depth); err != nil {
			return err
		}
	}
	if len(a) > 0 {
		b.WriteByte(' ')
	}
	b.WriteByte(']')
	return nil
}

// writeString escapes what JSON must escape, and not <, > and &: the answer's type says that it is no HTML.
func writeString(b *bytes.Buffer, s string) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return err
	}
	b.Write(bytes.TrimSuffix(text.Bytes(), []byte("\n")))
	return nil
}

func newLine(b *bytes.Buffer, depth int) {
	b.WriteByte('\n')
	for range depth {
		b.WriteString("  ")
	}
}
