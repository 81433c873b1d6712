package rdd

import (
	"errors"
	"slices"
	"testing"
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
