package rdd

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
)

// Broadcasts are those in the arguments of the job and of the jobs that it takes up by From, in the order of their datasets. One that stands
// in two arguments comes twice. A Runner sets each before the tasks of the lineage run.
func (l *Lineage) Broadcasts() []BroadcastVar {
	var out []BroadcastVar
	for _, n := range l.nodes {
		if vars := n.broadcasts.Load(); vars != nil {
			out = append(out, *vars...)
		}
	}
	return out
}

// holder is any Broadcast[T].
type holder interface{ variable() BroadcastVar }

var holderType = reflect.TypeFor[holder]()

// addBroadcasts notes at the Dataset of a job the Broadcasts in its argument. The Dataset may be one that several goroutines share, in a
// package variable.
func addBroadcasts(n *node, argument any) error {
	if n == nil {
		return nil
	}
	w := argumentWalk{types: map[reflect.Type]bool{}}
	if err := w.walk(reflect.ValueOf(argument), 0); err != nil || len(w.found) == 0 {
		return err
	}
	slices.SortStableFunc(w.found, func(a, b BroadcastVar) int { return cmp.Compare(a.Info().ID, b.Info().ID) })
	for {
		old := n.broadcasts.Load()
		all := w.found
		if old != nil {
			all = slices.Concat(*old, w.found)
		}
		if n.broadcasts.CompareAndSwap(old, &all) {
			return nil
		}
	}
}

// argumentWalk finds the Broadcasts in the argument of a job. It looks where gob puts something: in exported fields.
type argumentWalk struct {
	types map[reflect.Type]bool // whether they may hold one; true while that is found out
	found []BroadcastVar
}

// deepest bounds the depth of an argument. One that gob has decoded is no deeper unless it is a list made of pointers.
const deepest = 10_000

func (w *argumentWalk) walk(v reflect.Value, depth int) error {
	if !v.IsValid() || !w.mayHold(v.Type()) {
		return nil
	}
	if depth > deepest {
		return fmt.Errorf("%w: the argument is more than %d levels deep", ErrBadArguments, deepest)
	}
	if h, ok := reflect.TypeAssert[holder](v); ok {
		if x := h.variable(); x != nil {
			w.found = append(w.found, x)
		}
		return nil
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return w.walk(v.Elem(), depth+1)
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if err := w.walk(v.Index(i), depth+1); err != nil {
				return err
			}
		}
	case reflect.Map: // in any order: addBroadcasts sorts
		for it := v.MapRange(); it.Next(); {
			if err := w.walk(it.Value(), depth+1); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if !v.Type().Field(i).IsExported() {
				continue
			}
			if err := w.walk(v.Field(i), depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// mayHold keeps the walk out of what cannot hold a Broadcast, such as a million strings.
func (w *argumentWalk) mayHold(t reflect.Type) bool {
	if may, known := w.types[t]; known {
		return may
	}
	w.types[t] = true
	may := t.Implements(holderType)
	switch t.Kind() {
	case reflect.Interface:
		may = true
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		may = may || w.mayHold(t.Elem())
	case reflect.Struct:
		for f := range t.Fields() {
			may = may || f.IsExported() && w.mayHold(f.Type)
		}
	}
	w.types[t] = may
	return may
}
