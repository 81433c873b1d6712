package rdd

import "reflect"

// sizes say how many bytes the entries of a combiner hold beside themselves. What is not known at a glance is estimated.
type sizes[K, C any] struct {
	key    func(K) int64          // nil: nothing
	value  func(C) int64          // nil: nothing
	growth func(old, now C) int64 // nil: values do not grow
}

// allocation is what an allocated piece costs beside its length, on average.
const allocation = 8

func sizesOf[K, C any]() sizes[K, C] {
	var s sizes[K, C]
	s.key, _ = sizeOf[K]()
	s.value, s.growth = sizeOf[C]()
	return s
}

func (s *sizes[K, C]) of(k K, v C) int64 {
	n := int64(0)
	if s.key != nil {
		n += s.key(k)
	}
	if s.value != nil {
		n += s.value(v)
	}
	return n
}

// sizeOf measures values of a type, and by how much one has become another; nil when they hold nothing.
func sizeOf[T any]() (size func(T) int64, growth func(old, now T) int64) {
	text := func(s string) int64 { return int64(len(s)) + allocation }
	if f, ok := any(text).(func(T) int64); ok {
		return f, func(old, now T) int64 { return f(now) - f(old) }
	}
	m := measureOf(reflect.TypeFor[T]())
	if m == nil {
		return nil, nil
	}
	var zero reflect.Value
	value := func(v *T) reflect.Value { return reflect.ValueOf(v).Elem() }
	return func(v T) int64 { return m(zero, value(&v)) }, func(old, now T) int64 { return m(value(&old), value(&now)) }
}

// measure is by how many bytes a value now holds more than old did; old is the zero reflect.Value for one that was not there. It looks only
// at what a slice or map has gained, so that appending costs no more the longer a slice is.
type measure func(old, now reflect.Value) int64

// measureOf is the measure of a type that has a codec; nil when its values hold nothing.
func measureOf(t reflect.Type) measure {
	switch t.Kind() {
	case reflect.String:
		return func(old, now reflect.Value) int64 { return held(now, now.Len()) - held(old, length(old)) }
	case reflect.Slice:
		return measureSlice(t)
	case reflect.Map:
		// Not looked into: its order differs from run to run.
		const entry = 48
		each := int64(t.Key().Size()+t.Elem().Size()) + entry
		return func(old, now reflect.Value) int64 { return each * int64(now.Len()-length(old)) }
	case reflect.Array:
		elem := measureOf(t.Elem())
		if elem == nil {
			return nil
		}
		return func(old, now reflect.Value) (n int64) {
			for i := range now.Len() {
				n += elem(partOf(old, func(v reflect.Value) reflect.Value { return v.Index(i) }), now.Index(i))
			}
			return n
		}
	case reflect.Struct:
		return measureStruct(t)
	}
	return nil
}

func measureSlice(t reflect.Type) measure {
	elem, size := measureOf(t.Elem()), int(t.Elem().Size())
	return func(old, now reflect.Value) int64 {
		before := 0
		if old.IsValid() {
			before = old.Cap()
		}
		n := held(now, now.Cap()*size) - held(old, before*size)
		if elem == nil {
			return n
		}
		var none reflect.Value
		for i := length(old); i < now.Len(); i++ {
			n += elem(none, now.Index(i))
		}
		for i := now.Len(); i < length(old); i++ {
			n -= elem(none, old.Index(i))
		}
		return n
	}
}

func measureStruct(t reflect.Type) measure {
	fields := make([]measure, t.NumField())
	some := false
	for i := range fields {
		fields[i] = measureOf(t.Field(i).Type)
		some = some || fields[i] != nil
	}
	if !some {
		return nil
	}
	return func(old, now reflect.Value) (n int64) {
		for i, f := range fields {
			if f != nil {
				n += f(partOf(old, func(v reflect.Value) reflect.Value { return v.Field(i) }), now.Field(i))
			}
		}
		return n
	}
}

// held is what an allocation of so many bytes costs; nothing for a value that was not there.
func held(v reflect.Value, bytes int) int64 {
	if !v.IsValid() || bytes == 0 {
		return 0
	}
	return int64(bytes) + allocation
}

func length(v reflect.Value) int {
	if !v.IsValid() {
		return 0
	}
	return v.Len()
}

func partOf(v reflect.Value, of func(reflect.Value) reflect.Value) reflect.Value {
	if !v.IsValid() {
		return v
	}
	return of(v)
}
