package rdd

import (
	"encoding"
	"encoding/gob"
	"fmt"
	"reflect"
	"slices"
)

// selfEncoding are the interfaces by which a type says itself how gob encodes it.
var selfEncoding = []reflect.Type{
	reflect.TypeFor[gob.GobEncoder](), reflect.TypeFor[encoding.BinaryMarshaler](), reflect.TypeFor[encoding.TextMarshaler](),
}

// checkArgument refuses what gob leaves out in silence: channels, functions and fields that are not exported. The
// executors would see another argument than the driver.
func checkArgument(t reflect.Type, path string, within []reflect.Type) error {
	encodes := func(i reflect.Type) bool { return t.Implements(i) || reflect.PointerTo(t).Implements(i) }
	// A type within itself is checked where it begins; gob can encode it.
	if slices.Contains(within, t) || slices.ContainsFunc(selfEncoding, encodes) {
		return nil
	}
	within = append(slices.Clip(within), t)
	switch t.Kind() {
	case reflect.Chan, reflect.Func, reflect.UnsafePointer, reflect.Uintptr:
		return badArgument(path, t, "cannot travel")
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return checkArgument(t.Elem(), path, within)
	case reflect.Map:
		if err := checkArgument(t.Key(), path, within); err != nil {
			return err
		}
		return checkArgument(t.Elem(), path, within)
	case reflect.Struct:
		for f := range t.Fields() {
			if !f.IsExported() {
				return badArgument(path+"."+f.Name, f.Type, "is a field that is not exported")
			}
			if err := checkArgument(f.Type, path+"."+f.Name, within); err != nil {
				return err
			}
		}
	}
	return nil
}

func badArgument(path string, t reflect.Type, why string) error {
	return fmt.Errorf("%w: argument %s: %s %s", ErrNoCodec, path, t, why)
}
