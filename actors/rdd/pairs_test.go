package rdd

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
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
