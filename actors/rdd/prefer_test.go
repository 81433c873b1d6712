package rdd

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

type preferArgs struct{ Inner, Outer, Behind []string }

// at gives partition i the i-th place; none beyond.
func at(places []string) func(int) []string {
	return func(partition int) []string {
		if partition >= len(places) || places[partition] == "" {
			return nil
		}
		return strings.Split(places[partition], ",")
	}
}

// preferring has a Prefer at its source, one in the same stage and one behind a shuffle.
var preferring = Define("preferring", func(a preferArgs) Dataset[Pair[int64, int64]] {
	numbers := Map(Prefer(Range(0, 6, 3), at(a.Inner)), func(x int64) Pair[int64, int64] { return PairOf(x%2, x) })
	sums := ReduceByKey(Filter(Prefer(numbers, at(a.Outer)), func(Pair[int64, int64]) bool { return true }), sum, 2)
	return Prefer(sums, at(a.Behind))
})

var panicsAtPlaces = Define("panicsAtPlaces", func(int) Dataset[int64] {
	return Prefer(Range(0, 2, 2), func(int) []string { panic("no places") })
})

var nilPlaces = Define("nilPlaces", func(int) Dataset[int64] { return Prefer(Range(0, 2, 2), nil) })

func TestThePlacesNearestToTheEndOfAStageCount(t *testing.T) {
	args := preferArgs{Inner: []string{"h0", "h1,h2", "h3"}, Outer: []string{"", "executor_h4_7"}, Behind: []string{"", "h5"}}
	l := lineageOf(t, preferring.With(args))
	for _, k := range []struct {
		node, partitions int
		want             string
	}{
		{0, 3, "[]"}, // above every Prefer
		{1, 3, "[[h0] [h1 h2] [h3]]"},
		{2, 3, "[[h0] [h1 h2] [h3]]"}, // a narrow operation passes it on
		{4, 3, "[[h0] [executor_h4_7] [h3]]"},
		{5, 2, "[]"}, // a shuffle does not pass it on
		{6, 2, "[[] [h5]]"},
	} {
		got, err := l.Preferred(k.node, make([][]byte, k.partitions))
		if err != nil || fmt.Sprint(got) != k.want {
			t.Errorf("node %d: %v, %v; want %s", k.node, got, err, k.want)
		}
	}
	if _, err := l.Preferred(7, nil); !errors.Is(err, ErrBadTask) {
		t.Error(err)
	}
}

func TestPlacesAreNotPartOfTheDigest(t *testing.T) {
	a, b := preferring.With(preferArgs{}), preferring.With(preferArgs{Inner: []string{"h0"}})
	if one, other := lineageOf(t, a), lineageOf(t, b); one.Digest() != other.Digest() {
		t.Errorf("%q differs from %q", one.Lines(), other.Lines())
	}
	for _, of := range []Bound[Pair[int64, int64]]{a, b} {
		got, err := Collect(t.Context(), Local(nil), of)
		if want := []Pair[int64, int64]{{0, 6}, {1, 9}}; err != nil || len(got) != 2 || !slices.Contains(got, want[0]) || !slices.Contains(got, want[1]) {
			t.Errorf("%v, %v", got, err)
		}
	}
}

func TestAPanicOfPlacesIsTheJobsFailure(t *testing.T) {
	_, err := lineageOf(t, panicsAtPlaces.With(0)).Preferred(1, make([][]byte, 2))
	user, ok := errors.AsType[*UserError](err)
	if !ok || user.Node != 1 || user.Op != "Prefer" || !strings.Contains(user.Func, "panicsAtPlaces") && !strings.Contains(user.Func, "init") {
		t.Errorf("%#v", err)
	}
	if _, err := nilPlaces.With(0).Invocation(); !errors.Is(err, ErrBadJob) {
		t.Error(err)
	}
}
