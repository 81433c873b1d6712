package rdd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

type kv = Pair[string, int64]

// twoArgs are two lists of pairs, in partitions, and how many partitions what is made of them has.
type twoArgs struct {
	A, B         []kv
	PartsA, Into int
}

// op is an operation as a job whose records are text, and the plain Go that gives the same, in any order.
type op struct {
	name  string
	job   Job[twoArgs, string]
	plain func(a twoArgs) []string
}

// text has the records of a Dataset as text, each with the number of its partition if that is asked for.
func text[T any](d Dataset[T]) Dataset[string] {
	return Map(d, func(v T) string { return fmt.Sprint(v) })
}

// defineOp makes the job of an operation.
func defineOp[T any](name string, of func(a, b Dataset[kv], into int) Dataset[T], plain func(a twoArgs) []string) op {
	return op{name, Define("op "+name, func(a twoArgs) Dataset[string] {
		return text(of(Parallelize(a.A, a.PartsA), Parallelize(a.B, 2), a.Into))
	}), plain}
}

// groups are the values of each key, and the keys in order of first appearance.
func groups(pairs []kv) (of map[string][]int64, keys []string) {
	of = map[string][]int64{}
	for _, p := range pairs {
		if of[p.Key] == nil {
			keys = append(keys, p.Key)
		}
		of[p.Key] = append(of[p.Key], p.Value)
	}
	return of, keys
}

// eachKey prints f of the values of each key that one of the lists has.
func eachKey(f func(key string, left, right []int64) []any) func(a twoArgs) []string {
	return func(a twoArgs) (out []string) {
		left, keys := groups(a.A)
		right, more := groups(a.B)
		for _, k := range slices.Compact(slices.Sorted(slices.Values(append(keys, more...)))) {
			for _, v := range f(k, left[k], right[k]) {
				out = append(out, fmt.Sprint(v))
			}
		}
		return out
	}
}

// ofLeft is eachKey of one list.
func ofLeft(f func(key string, values []int64) any) func(a twoArgs) []string {
	return eachKey(func(k string, left, _ []int64) []any {
		if left == nil {
			return nil
		}
		return []any{f(k, left)}
	})
}

func plainOptions(values []int64) []any {
	if len(values) == 0 {
		return []any{Option[int64]{}}
	}
	var out []any
	for _, v := range values {
		out = append(out, Some(v))
	}
	return out
}

// crossed prints each pair of two lists of values as the records of a join.
func crossed[A, B any](k string, left []A, right []B) (out []any) {
	for _, l := range left {
		for _, r := range right {
			out = append(out, fmt.Sprintf("{%s {%v %v}}", k, l, r))
		}
	}
	return out
}

func count(values []int64) (n int64) {
	for _, v := range values {
		n += v
	}
	return n
}

func listOf(a []string, v int64) []string { return append(a, fmt.Sprint(v)) }

var ops = []op{
	defineOp("ReduceByKey", func(a, _ Dataset[kv], into int) Dataset[kv] { return ReduceByKey(a, sum, into) },
		ofLeft(func(k string, v []int64) any { return kv{k, count(v)} })),
	defineOp("GroupByKey", func(a, _ Dataset[kv], into int) Dataset[Pair[string, []int64]] { return GroupByKey(a, into) },
		ofLeft(func(k string, v []int64) any { return PairOf(k, v) })),
	defineOp("CombineByKey", func(a, _ Dataset[kv], into int) Dataset[Pair[string, []string]] {
		return CombineByKey(a, func(v int64) []string { return []string{fmt.Sprint(v)} }, listOf,
			func(a, b []string) []string { return append(a, b...) }, into)
	}, ofLeft(func(k string, v []int64) any { return PairOf(k, v) })),
	defineOp("AggregateByKey", func(a, _ Dataset[kv], into int) Dataset[Pair[string, []string]] {
		merge := func(a, b []string) []string { return append(a, b...) }
		once := func(a []string) []string { return slices.Compact(slices.Sorted(slices.Values(a))) } // a zero comes from each partition
		return MapValues(AggregateByKey(a, []string{"zero"}, listOf, merge, into), once)
	}, ofLeft(func(k string, v []int64) any {
		all := []string{"zero"}
		for _, x := range v {
			all = listOf(all, x)
		}
		return PairOf(k, slices.Compact(slices.Sorted(slices.Values(all))))
	})),
	defineOp("FoldByKey", func(a, _ Dataset[kv], into int) Dataset[kv] {
		return FoldByKey(a, 0, func(a, b int64) int64 { return max(a, b) }, into)
	}, ofLeft(func(k string, v []int64) any { return kv{k, max(0, slices.Max(v))} })),
	defineOp("CoGroup", func(a, b Dataset[kv], into int) Dataset[Pair[string, Grouped[int64, int64]]] {
		return CoGroup(a, b, into)
	},
		eachKey(func(k string, l, r []int64) []any { return []any{PairOf(k, Grouped[int64, int64]{l, r})} })),
	defineOp("Join", func(a, b Dataset[kv], into int) Dataset[Pair[string, Both[int64, int64]]] { return Join(a, b, into) },
		eachKey(func(k string, l, r []int64) []any { return crossed(k, l, r) })),
	defineOp("LeftOuterJoin", func(a, b Dataset[kv], into int) Dataset[Pair[string, Both[int64, Option[int64]]]] {
		return LeftOuterJoin(a, b, into)
	}, eachKey(func(k string, l, r []int64) []any { return crossed(k, l, plainOptions(r)) })),
	defineOp("RightOuterJoin", func(a, b Dataset[kv], into int) Dataset[Pair[string, Both[Option[int64], int64]]] {
		return RightOuterJoin(a, b, into)
	}, eachKey(func(k string, l, r []int64) []any { return crossed(k, plainOptions(l), r) })),
	defineOp("FullOuterJoin", func(a, b Dataset[kv], into int) Dataset[Pair[string, Both[Option[int64], Option[int64]]]] {
		return FullOuterJoin(a, b, into)
	}, eachKey(func(k string, l, r []int64) []any { return crossed(k, plainOptions(l), plainOptions(r)) })),
	defineOp("SubtractByKey", func(a, b Dataset[kv], into int) Dataset[kv] { return SubtractByKey(a, b, into) },
		eachKey(func(k string, l, r []int64) (out []any) {
			for _, v := range l {
				if r == nil {
					out = append(out, kv{k, v})
				}
			}
			return out
		})),
	defineOp("Distinct", func(a, _ Dataset[kv], into int) Dataset[string] { return Distinct(Keys(a), into) },
		ofLeft(func(k string, _ []int64) any { return k })),
	defineOp("Intersection", func(a, b Dataset[kv], into int) Dataset[string] { return Intersection(Keys(a), Keys(b), into) },
		eachKey(func(k string, l, r []int64) []any {
			if l == nil || r == nil {
				return nil
			}
			return []any{k}
		})),
	defineOp("Subtract", func(a, b Dataset[kv], into int) Dataset[string] { return Subtract(Keys(a), Keys(b), into) },
		eachKey(func(k string, l, r []int64) (out []any) {
			for range l {
				if r == nil {
					out = append(out, k)
				}
			}
			return out
		})),
	defineOp("Repartition", func(a, _ Dataset[kv], into int) Dataset[kv] { return Repartition(a, into) }, asTheyAre),
	defineOp("PartitionBy", func(a, _ Dataset[kv], into int) Dataset[kv] {
		return PartitionBy(a, NewPartitioner("length", into, func(k string) int { return len(k) % into }))
	}, asTheyAre),
	defineOp("MapValues", func(a, _ Dataset[kv], _ int) Dataset[kv] { return MapValues(a, func(v int64) int64 { return -v }) },
		each1(func(p kv) []any { return []any{kv{p.Key, -p.Value}} })),
	defineOp("FlatMapValues", func(a, _ Dataset[kv], _ int) Dataset[kv] {
		return FlatMapValues(a, func(v int64) iter.Seq[int64] {
			if v == 1 {
				return nil
			}
			return slices.Values([]int64{v, v + 1})
		})
	}, each1(func(p kv) []any {
		if p.Value == 1 {
			return nil
		}
		return []any{p, kv{p.Key, p.Value + 1}}
	})),
	defineOp("Values", func(a, _ Dataset[kv], _ int) Dataset[int64] { return Values(a) }, each1(func(p kv) []any { return []any{p.Value} })),
	defineOp("KeyBy", func(a, _ Dataset[kv], _ int) Dataset[Pair[int, kv]] {
		return KeyBy(a, func(p kv) int { return len(p.Key) })
	}, each1(func(p kv) []any { return []any{PairOf(len(p.Key), p)} })),
}

func each1(f func(p kv) []any) func(a twoArgs) []string {
	return func(a twoArgs) (out []string) {
		for _, p := range a.A {
			for _, v := range f(p) {
				out = append(out, fmt.Sprint(v))
			}
		}
		return out
	}
}

var asTheyAre = each1(func(p kv) []any { return []any{p} })

func drawTwo(t *rapid.T) twoArgs {
	pairs := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) kv {
		return kv{rapid.StringMatching(`[a-d]{0,2}`).Draw(t, "key"), rapid.Int64Range(0, 4).Draw(t, "value")}
	}), 0, 20)
	small := rapid.IntRange(1, 5)
	return twoArgs{A: pairs.Draw(t, "a"), B: pairs.Draw(t, "b"), PartsA: small.Draw(t, "parts"), Into: small.Draw(t, "into")}
}

func TestOperationsAreThoseOfPlainGo(t *testing.T) {
	for _, op := range ops {
		t.Run(op.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				a := drawTwo(t)
				got, err := Collect(context.Background(), Local(nil), op.job.With(a))
				want := op.plain(a)
				slices.Sort(got)
				slices.Sort(want)
				if err != nil || !slices.Equal(got, want) {
					t.Fatalf("%q, %v; want %q", got, err, want)
				}
			})
		})
	}
}

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

func TestSampleIsTheSameEachTimeAndOfItsFraction(t *testing.T) {
	of := func(fraction float64, seed uint64) []int64 {
		got, err := Collect(t.Context(), Local(nil), sampled.With(sampleArgs{fraction, seed}))
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	some := of(0.3, 1)
	if len(some) < 2700 || len(some) > 3300 || !slices.IsSorted(some) || !slices.Equal(some, of(0.3, 1)) || slices.Equal(some, of(0.3, 2)) {
		t.Errorf("%d records of 10,000", len(some))
	}
	// Each partition has its own choice.
	halves := [2][]int64{}
	for _, x := range some {
		halves[x/5000] = append(halves[x/5000], x%5000)
	}
	if slices.Equal(halves[0], halves[1]) {
		t.Error("both partitions have the same choice")
	}
	if len(of(0, 1)) != 0 || len(of(1, 1)) != 10_000 {
		t.Error("all or nothing")
	}
	if err := collectErr(sampled.With(sampleArgs{1.5, 1})); !errors.Is(err, ErrBadJob) {
		t.Error(err)
	}
}

type sampleArgs struct {
	Fraction float64
	Seed     uint64
}

var sampled = Define("sampled", func(a sampleArgs) Dataset[int64] { return Sample(Range(0, 10_000, 2), a.Fraction, a.Seed) })

type numberedArgs struct {
	Of     Bound[int64]
	Counts []int64
}

var indexedRecords = Define("indexedRecords", func(a numberedArgs) Dataset[Pair[int64, int64]] { return ZipWithIndex(From(a.Of), a.Counts) })

func TestZipWithIndexNumbersAllRecords(t *testing.T) {
	of := sampled.With(sampleArgs{0.01, 7})
	counts, err := CountPartitions(t.Context(), Local(nil), of)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Collect(t.Context(), Local(nil), indexedRecords.With(numberedArgs{of, counts}))
	if err != nil || int64(len(got)) != count(counts) {
		t.Fatal(got, err)
	}
	for i, p := range got {
		if p.Value != int64(i) {
			t.Fatalf("record %d has number %d", i, p.Value)
		}
	}
	for _, wrong := range [][]int64{nil, counts[:1], {counts[0] + 1, counts[1]}} {
		if err := collectErr(indexedRecords.With(numberedArgs{of, wrong})); !errors.Is(err, ErrBadJob) {
			t.Errorf("%d: %v", wrong, err)
		}
	}
}

// Repartition evens out what is uneven.
func TestRepartitionDealsOutEvenly(t *testing.T) {
	counts, err := CountPartitions(t.Context(), Local(nil), dealt.With(0))
	if err != nil || len(counts) != 4 || slices.Max(counts)-slices.Min(counts) > 3 || count(counts) != 1002 {
		t.Errorf("%d, %v", counts, err)
	}
}

var dealt = Define("dealt", func(int) Dataset[int64] { return Repartition(Union(Range(0, 1000, 1), Range(0, 2, 2)), 4) })

func TestNilFunctionsOfByKeyOperations(t *testing.T) {
	for name, job := range nilFunctions {
		if err := collectErr(job.With(0)); !errors.Is(err, ErrBadJob) || !strings.Contains(err.Error(), "nil function") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

var nilFunctions = maps.Collect(func(yield func(string, Job[int, kv]) bool) {
	pairs := func() Dataset[kv] { return Parallelize([]kv{{"a", 1}}, 1) }
	same := func(v int64) int64 { return v }
	for name, d := range map[string]func() Dataset[kv]{
		"create": func() Dataset[kv] { return CombineByKey[string, int64, int64](pairs(), nil, sum, sum, 1) },
		"add":    func() Dataset[kv] { return CombineByKey(pairs(), same, nil, sum, 1) },
		"merge":  func() Dataset[kv] { return CombineByKey(pairs(), same, sum, nil, 1) },
		"zero":   func() Dataset[kv] { return AggregateByKey(pairs(), 0, sum, nil, 1) },
		"fold":   func() Dataset[kv] { return FoldByKey(pairs(), 0, nil, 1) },
	} {
		if !yield(name, Define("nil "+name, func(int) Dataset[kv] { return d() })) {
			return
		}
	}
})
