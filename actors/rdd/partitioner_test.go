package rdd

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestPartitionersPutKeysWhereTheySay(t *testing.T) {
	up := RangePartitioner(Bounds[int]{Upper: []int{10, 20}})
	down := RangePartitioner(Bounds[int]{Upper: []int{10, 20}, Descending: true})
	for k, want := range map[int]int{-1: 0, 10: 0, 11: 1, 20: 1, 21: 2} {
		if up.of(k) != want || down.of(k) != 2-want {
			t.Errorf("%d: %d and %d, want %d", k, up.of(k), down.of(k), want)
		}
	}
	for name, k := range map[string]struct {
		job  Bound[Pair[int, int]]
		want string
	}{
		"bounds that do not ascend": {ranged.With([]int{20, 10}), "ascend"},
		"equal bounds":              {ranged.With([]int{10, 10}), "ascend"},
		"too far":                   {astray.With(3), "partition 3"},
		"negative":                  {astray.With(-1), "partition -1"},
		"none":                      {nowhere.With(0), "zero Partitioner"},
		"nil":                       {nowhere.With(1), "nil function"},
	} {
		if err := collectErr(k.job); !errors.Is(err, ErrBadJob) || !strings.Contains(err.Error(), k.want) {
			t.Errorf("%s: %v, want %q", name, err, k.want)
		}
	}
}

var (
	ints = func() Dataset[Pair[int, int]] {
		return Map(Range(0, 3, 1), func(x int64) Pair[int, int] { return PairOf(int(x), 1) })
	}
	ranged = Define("ranged", func(upper []int) Dataset[Pair[int, int]] {
		return PartitionBy(ints(), RangePartitioner(Bounds[int]{Upper: upper}))
	})
	astray = Define("astray", func(to int) Dataset[Pair[int, int]] {
		return PartitionBy(ints(), NewPartitioner("astray", 3, func(int) int { return to }))
	})
	nowhere = Define("nowhere", func(which int) Dataset[Pair[int, int]] {
		if which == 0 {
			return PartitionBy(ints(), Partitioner[int]{})
		}
		return PartitionBy(ints(), NewPartitioner[int]("nil", 1, nil))
	})
)

// A Dataset whose keys are in the right partitions already goes through no further shuffle.
func TestKeysInTheirPartitionsAreNotShuffledAgain(t *testing.T) {
	a := twoArgs{A: []kv{{"a", 1}, {"b", 2}, {"a", 3}}, B: []kv{{"a", 5}, {"c", 6}}, PartsA: 2, Into: 3}
	for _, k := range []struct {
		job      Job[twoArgs, string]
		shuffles int
	}{
		{again, 1}, {joinedAgain, 2}, {otherNumber, 3}, {lostKeys, 2}, {rangesAgain, 1},
	} {
		l := lineageOf(t, k.job.With(a))
		if got := len(l.Shuffles()); got != k.shuffles {
			t.Errorf("%s has %d shuffles, want %d:\n%s", l.Job, got, k.shuffles, strings.Join(l.Lines(), "\n"))
		}
		if _, err := Collect(t.Context(), Local(nil), k.job.With(a)); err != nil {
			t.Error(err)
		}
	}
	got, err := Collect(t.Context(), Local(nil), joinedAgain.With(a))
	if err != nil || !slices.Equal(got, []string{"{a {[-4] [5]}}"}) {
		t.Errorf("%q, %v", got, err)
	}
}

var (
	again = Define("again", func(a twoArgs) Dataset[string] {
		sums := Filter(ReduceByKey(Parallelize(a.A, a.PartsA), sum, a.Into), func(kv) bool { return true })
		return text(GroupByKey(ReduceByKey(MapValues(sums, func(v int64) int64 { return v }), sum, a.Into), a.Into))
	})
	joinedAgain = Define("joinedAgain", func(a twoArgs) Dataset[string] {
		negative := MapValues(ReduceByKey(Parallelize(a.A, a.PartsA), sum, a.Into), func(v int64) int64 { return -v })
		groups := GroupByKey(negative, a.Into)
		return text(Join(groups, GroupByKey(Parallelize(a.B, 2), a.Into), a.Into))
	})
	otherNumber = Define("otherNumber", func(a twoArgs) Dataset[string] {
		return text(Join(ReduceByKey(Parallelize(a.A, a.PartsA), sum, a.Into+1), Parallelize(a.B, 2), a.Into))
	})
	lostKeys = Define("lostKeys", func(a twoArgs) Dataset[string] {
		sums := Map(ReduceByKey(Parallelize(a.A, a.PartsA), sum, a.Into), func(p kv) kv { return kv{p.Key + "x", p.Value} })
		return text(GroupByKey(sums, a.Into))
	})
	rangesAgain = Define("rangesAgain", func(a twoArgs) Dataset[string] {
		bounds := Bounds[string]{Upper: []string{"a", "b"}}
		return text(SortByKey(SortByKey(Parallelize(a.A, a.PartsA), bounds), bounds))
	})
)
