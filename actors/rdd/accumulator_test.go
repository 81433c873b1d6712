package rdd

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
)

var (
	lengthsSeen = DefineCounter("lengthsSeen")
	wordsSeen   = DefineAccumulator("wordsSeen", []string{}, func(a, b []string) []string {
		return slices.Compact(slices.Sorted(slices.Values(append(a, b...))))
	})
	unusable = DefineAccumulator[any]("unusable", nil, func(a, _ any) any { return a })

	// accumulating adds before and behind a shuffle, twice to one accumulator.
	accumulates = Define("accumulates", func(a []string) Dataset[Pair[string, int64]] {
		words := Accumulate(Parallelize(a, 3), lengthsSeen, func(w string) int64 { return int64(len(w)) })
		counts := ReduceByKey(Map(words, one), sum, 2)
		named := Accumulate(counts, wordsSeen, func(p Pair[string, int64]) []string { return []string{p.Key} })
		return Accumulate(named, lengthsSeen, func(Pair[string, int64]) int64 { return 1000 })
	})
	accumulatesNothing = Define("accumulatesNothing", func(int) Dataset[int64] {
		return Accumulate(Range(0, 1, 1), Accumulator[int64]{}, func(int64) int64 { return 1 })
	})
	accumulatesUnusable = Define("accumulatesUnusable", func(int) Dataset[int64] {
		return Accumulate(Range(0, 1, 1), unusable, func(int64) any { return 1 })
	})
	accumulatesAndFails = Define("accumulatesAndFails", func(int) Dataset[int64] {
		return Map(Accumulate(Range(0, 9, 2), lengthsSeen, func(int64) int64 { return 1 }), func(x int64) int64 {
			if x == 7 {
				panic(errBroken)
			}
			return x
		})
	})
)

func TestAccumulatorsAddUpOverTasksAndJobs(t *testing.T) {
	var totals Totals
	ctx := WithTotals(t.Context(), &totals)
	if n, err := lengthsSeen.Total(&totals); n != 0 || err != nil {
		t.Errorf("before: %d, %v", n, err)
	}
	job := accumulates.With([]string{"a", "bb", "a", "ccc", "bb"})
	for i := range int64(2) {
		if _, err := Collect(ctx, Local(nil), job); err != nil {
			t.Fatal(err)
		}
		n, err := lengthsSeen.Total(&totals)
		if want := (i + 1) * (9 + 3*1000); n != want || err != nil {
			t.Errorf("after job %d: %d, %v; want %d", i, n, err, want)
		}
		words, err := wordsSeen.Total(&totals)
		if strings.Join(words, " ") != "a bb ccc" || err != nil {
			t.Errorf("after job %d: %q, %v", i, words, err)
		}
	}
	// Without totals, and in a job that fails, nothing is added.
	if _, err := Collect(t.Context(), Local(nil), job); err != nil {
		t.Fatal(err)
	}
	if _, err := Count(ctx, Local(nil), accumulatesAndFails.With(0)); !errors.Is(err, errBroken) {
		t.Fatal(err)
	}
	if n, err := lengthsSeen.Total(&totals); n != 2*(9+3000) || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

func TestFaultsOfAccumulators(t *testing.T) {
	_, zero := Accumulator[int64]{}.Total(&Totals{})
	_, noCodec := unusable.Total(&Totals{})
	for name, err := range map[string]error{"zero": zero, "in a job": collectErr(accumulatesNothing.With(0))} {
		if !errors.Is(err, ErrBadJob) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, err := range map[string]error{"total": noCodec, "in a job": collectErr(accumulatesUnusable.With(0))} {
		if !errors.Is(err, ErrNoCodec) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// What executors report is not trusted.
	for update, want := range maps.All(map[string]error{"lengthsSeen \xff": ErrCorrupt, "lengthsSeen \x02\x02": ErrCorrupt, "nobody \x02": ErrUnknownJob, "total \x02": ErrBadJob}) {
		var totals Totals
		name, value, _ := strings.Cut(update, " ")
		totals.Add([]Update{{"lengthsSeen", []byte{6}}, {name, []byte(value)}})
		if n, err := lengthsSeen.Total(&totals); !errors.Is(err, want) {
			t.Errorf("%q: %d, %v; want %v", update, n, err, want)
		}
	}
}
