package rdd

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"testing"
)

var (
	sumAnswer   = DefineReduce("rdd test: answers: sum", func(a, b int64) int64 { return a + b })
	foldAnswer  = DefineFold("rdd test: answers: fold", 10, func(a, b int64) int64 { return a + b })
	countAnswer = DefineAggregate("rdd test: answers: sum and count", [2]int64{0, 1},
		func(s [2]int64, v int64) [2]int64 { return [2]int64{s[0] + v, s[1] + 1} },
		func(a, b [2]int64) [2]int64 { return [2]int64{a[0] + b[0], a[1] + b[1]} })
	intOrder    = DefineOrder("rdd test: answers: order of ints", cmp.Compare[int64])
	stringOrder = DefineOrder("rdd test: answers: order of strings", cmp.Compare[string])
)

func actionAnswer(t *testing.T, a answer) (any, error) {
	t.Helper()
	ctx, r, left := t.Context(), Local(nil), string(a.Left)
	switch a.Op {
	case "Reduce", "TreeReduce":
		return Aggregate(ctx, r, intRecords.With(left), sumAnswer)
	case "Fold":
		return Aggregate(ctx, r, intRecords.With(left), foldAnswer)
	case "Aggregate":
		return Aggregate(ctx, r, intRecords.With(left), countAnswer)
	}
	if a.Kind == "string" {
		return actionOf(t, a, textRecords, stringPairs, stringOrder)
	}
	return actionOf(t, a, intRecords, intPairs, intOrder)
}

func actionOf[K cmp.Ordered](t *testing.T, a answer, records Job[string, K], pairs Job[string, Pair[K, int64]], order Order[K]) (any, error) {
	t.Helper()
	ctx, r, left := t.Context(), Local(nil), string(a.Left)
	switch a.Op {
	case "Count":
		return Count(ctx, r, records.With(left))
	case "IsEmpty":
		return IsEmpty(ctx, r, records.With(left))
	case "First":
		return First(ctx, r, records.With(left))
	case "Min":
		return Min(ctx, r, records.With(left), order)
	case "Max":
		return Max(ctx, r, records.With(left), order)
	case "Collect":
		return listed(Collect(ctx, r, records.With(left)))
	case "Take":
		return listed(Take(ctx, r, records.With(left), a.N))
	case "TakeOrdered":
		return listed(TakeOrdered(ctx, r, records.With(left), a.N, order))
	case "Top":
		return listed(Top(ctx, r, records.With(left), a.N, order))
	case "CountByValue":
		return entriesOf(CountByValue(ctx, r, records.With(left)))
	case "CountByKey":
		return entriesOf(CountByKey(ctx, r, pairs.With(left)))
	case "CollectAsMap":
		return entriesOf(CollectAsMap(ctx, r, pairs.With(left)))
	}
	return nil, fmt.Errorf("no action %s", a.Op)
}

// listed is no nil slice, which JSON would have as null.
func listed[T any](records []T, err error) (any, error) {
	return append([]T{}, records...), err
}

// entriesOf are the pairs of a map.
func entriesOf[K comparable](m map[K]int64, err error) (any, error) {
	out := []any{}
	for k, v := range m {
		out = append(out, shown(reflect.ValueOf(PairOf(k, v))))
	}
	return out, err
}

// sameAction compares what actions bring: maps without an order.
func sameAction(a answer, got, want any) bool {
	switch a.Op {
	case "CountByValue", "CountByKey", "CollectAsMap":
		return slices.Equal(bag([]any{got}), bag([]any{want}))
	}
	return exactly(a, got, want)
}
