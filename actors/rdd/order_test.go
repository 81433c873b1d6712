package rdd

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

var (
	pairsA = Define("pairsA", func(a twoArgs) Dataset[kv] { return Parallelize(a.A, a.PartsA) })
	byName = DefineSort[string, int64]("byName")
)

func TestSortByKeyIsAStableSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawTwo(t)
		descending := rapid.Bool().Draw(t, "descending")
		ctx, app := context.Background(), Local(nil)
		sorting := byName.Of
		order := func(a, b kv) int { return cmp.Compare(a.Key, b.Key) }
		if descending {
			sorting, order = byName.DescendingOf, func(a, b kv) int { return cmp.Compare(b.Key, a.Key) }
		}
		job, err := sorting(ctx, app, pairsA.With(a), a.Into)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Collect(ctx, app, job)
		want := slices.Clone(a.A)
		slices.SortStableFunc(want, order)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%v, %v; want %v", got, err, want)
		}
		if n, err := NumPartitions(ctx, app, job); err != nil || n > a.Into {
			t.Fatalf("%d partitions, %v; want at most %d", n, err, a.Into)
		}
	})
}

// sortedOf is how a sorter has keys, by prefix and then by their encodings.
func sortedOf[K cmp.Ordered](t *rapid.T, keys []K, descending bool) []K {
	o := orderOf[K](descending)
	c, err := codecOf[K]()
	if err != nil {
		t.Fatal(err)
	}
	out := slices.Clone(keys)
	slices.SortStableFunc(out, func(a, b K) int {
		if x, y := o.prefix(a), o.prefix(b); x != y || o.compare == nil {
			return cmp.Compare(x, y)
		}
		return o.compare(c.append(nil, a), c.append(nil, b))
	})
	return out
}

func checkOrder[K cmp.Ordered](t *rapid.T, keys []K) {
	want := slices.Clone(keys)
	slices.SortStableFunc(want, cmp.Compare[K])
	if got := sortedOf(t, keys, false); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("%T: %v, want %v", keys, got, want)
	}
	want = slices.Clone(keys)
	slices.SortStableFunc(want, func(a, b K) int { return cmp.Compare(b, a) })
	if got := sortedOf(t, keys, true); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("%T descending: %v, want %v", keys, got, want)
	}
}

type (
	id    string
	small int8
	level float32
)

// The order of sorted keys is that of cmp.Compare, for each kind of key.
func TestKeysAreOrderedAsByCompare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOf(rapid.StringMatching(`[ab\x00]{0,12}`)).Draw(t, "texts")
		floats := rapid.SliceOf(rapid.Float64()).Draw(t, "floats")
		ints := rapid.SliceOf(rapid.Int64()).Draw(t, "ints")
		floats = append(floats, 0, math.Copysign(0, -1), math.NaN(), math.Inf(-1))
		checkOrder(t, texts)
		checkOrder(t, floats)
		checkOrder(t, ints)
		var ids []id
		for _, s := range texts {
			ids = append(ids, id(s))
		}
		var levels []level
		for _, x := range floats {
			levels = append(levels, level(x))
		}
		var smalls []small
		var words []uint64
		var halves []uint16
		var plain []int
		for _, x := range ints {
			smalls, words, halves, plain = append(smalls, small(x)), append(words, uint64(x)), append(halves, uint16(x)), append(plain, int(x))
		}
		checkOrder(t, ids)
		checkOrder(t, levels)
		checkOrder(t, smalls)
		checkOrder(t, words)
		checkOrder(t, halves)
		checkOrder(t, plain)
	})
}

// The bounds cut a skewed job into ranges of nearly equal numbers of records, as far as one key allows.
func TestSampledBoundsCutEvenly(t *testing.T) {
	for _, descending := range []bool{false, true} {
		of := skewed.With(20_000)
		sorting := bySize.Of
		if descending {
			sorting = bySize.DescendingOf
		}
		r := &rounds{Runner: Local(nil)}
		job, err := sorting(t.Context(), r, of, 8)
		if err != nil {
			t.Fatal(err)
		}
		counts, err := CountPartitions(t.Context(), Local(nil), job)
		if err != nil || len(counts) != 8 {
			t.Fatal(counts, err)
		}
		for _, n := range counts {
			if n < 1500 || n > 3800 {
				t.Errorf("descending %v: partitions have %d records of 20,000", descending, counts)
				break
			}
		}
		// Partition 0 has nearly all records, so it is sampled a second time.
		if want := []string{"sketch 120 of all", "sift 0.008 of [0]"}; !slices.Equal(r.jobs, want) {
			t.Errorf("%q, want %q", r.jobs, want)
		}
	}
}

var (
	// skewed has nearly all records in its first partition.
	skewed = Define("skewed", func(n int64) Dataset[Pair[int64, string]] {
		most := Map(Range(0, n-300, 1), func(i int64) Pair[int64, string] { return PairOf(i*7919%n, "") })
		return Union(most, Map(Range(0, 300, 3), func(i int64) Pair[int64, string] { return PairOf(i*61, "") }))
	})
	bySize = DefineSort[int64, string]("bySize")
)

func TestDetermineBounds(t *testing.T) {
	weighed := func(keys ...int) (out []weighed[int]) {
		for _, k := range keys {
			out = append(out, weighedInt(k, 1))
		}
		return out
	}
	for _, k := range []struct {
		sample     []weighedOfInt
		partitions int
		want       []int
	}{
		{weighed(4, 2, 1, 3), 2, []int{2}},
		{weighed(1, 2, 3, 4, 5, 6), 3, []int{2, 4}},
		{weighed(7, 7, 7, 7), 4, []int{7}}, // equal keys stay together
		{weighed(), 3, nil},
		{[]weighedOfInt{weighedInt(1, 10), weighedInt(2, 1), weighedInt(3, 1)}, 2, []int{1}},
	} {
		if got := determineBounds(k.sample, k.partitions); !slices.Equal(got, k.want) {
			t.Errorf("%v: %v, want %v", k.sample, got, k.want)
		}
	}
}

type weighedOfInt = weighed[int]

func weighedInt(k int, w float64) weighedOfInt { return weighedOfInt{k, w} }
