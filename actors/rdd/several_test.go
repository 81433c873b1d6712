package rdd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// manyArgs are two files and two lists, in any numbers of partitions.
type manyArgs struct {
	A, B           string // paths
	Items          []string
	SplitsA, Parts int
	Fewer          int
}

// many puts files, a list and a shuffle together, in partitions whose numbers only the driver knows.
var many = Define("many", func(a manyArgs) Dataset[string] {
	first, second := TextFile(a.A, a.SplitsA), TextFile(a.B, a.Parts)
	items := Parallelize(a.Items, a.Parts)
	counted := Map(ReduceByKey(Map(items, one), sum, a.Parts), func(p Pair[string, int64]) string { return fmt.Sprint(p.Key, p.Value) })
	all := Union(first, items, second, first, counted)
	return Coalesce(MapPartitionsWithIndex(all, func(i int, in iter.Seq[string]) iter.Seq[string] {
		return func(yield func(string) bool) {
			for s := range in {
				if !yield(fmt.Sprint(i, " ", s)) {
					return
				}
			}
		}
	}), a.Fewer)
})

func textLines(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

func TestUnionAndCoalesceGiveAllRecordsInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOf(rapid.StringMatching(`[a-c]{0,4}`))
		file := func(name string) []byte { return []byte(strings.Join(text.Draw(t, name), "\n")) }
		small := rapid.IntRange(1, 6)
		fs := MemFS{"a": file("a"), "b": file("b")}
		a := manyArgs{
			A: "a", B: "b", Items: text.Draw(t, "items"), SplitsA: small.Draw(t, "splits"), Parts: small.Draw(t, "parts"),
			Fewer: small.Draw(t, "fewer"),
		}
		results, err := runJob(context.Background(), Local(fs), many.With(a), ActionCollect)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Collect(context.Background(), Local(fs), many.With(a))
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, s := range [][]string{textLines(fs["a"]), a.Items, textLines(fs["b"]), textLines(fs["a"])} {
			want = append(want, s...)
		}
		counts := map[string]int{}
		for _, s := range a.Items {
			counts[s]++
		}
		last := 0
		for i, s := range got {
			number, rest, _ := strings.Cut(s, " ")
			n, err := strconv.Atoi(number)
			if err != nil || n < last {
				t.Fatalf("partition %d after %d, %v", n, last, err)
			}
			last, got[i] = n, rest
		}
		if len(got) != len(want)+len(counts) || !slices.Equal(got[:len(want)], want) {
			t.Fatalf("got %q, want %q and %v", got, want, counts)
		}
		for _, s := range got[len(want):] {
			if key := strings.TrimRight(s, "0123456789"); s != fmt.Sprint(key, counts[key]) {
				t.Fatalf("%q of %v", s, counts)
			}
		}
		splits := func(text []byte, n int) int { return len(splitsOfText(int64(len(text)), n)) }
		total := 2*splits(fs["a"], a.SplitsA) + splits(fs["b"], a.Parts) + 2*a.Parts
		if len(results) != min(total, a.Fewer) {
			t.Fatalf("%d partitions of %d, want at most %d", len(results), total, a.Fewer)
		}
	})
}

func TestCoalesceMakesPartitionsOfNeighbours(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, f := rapid.IntRange(1, 50).Draw(t, "n"), rapid.IntRange(1, 60).Draw(t, "f")
		count, err := fewer(f).count([]int{n})
		if err != nil || count != min(n, f) {
			t.Fatal(count, err)
		}
		next := 0
		for p := range count {
			all := fewer(f).pieces([]int{n}, p)
			if len(all) == 0 || len(all) > (n+count-1)/count {
				t.Fatalf("partition %d is made of %v", p, all)
			}
			for _, x := range all {
				if x.partition != next {
					t.Fatalf("partition %d is made of %v after %d", p, all, next)
				}
				next++
			}
		}
		if next != n {
			t.Fatalf("%d of %d", next, n)
		}
	})
}

var (
	zipped = Define("zipped", func(a [2]int64) Dataset[Pair[int64, string]] {
		names := Map(Range(0, a[0], 3), func(i int64) string { return fmt.Sprint("n", i) })
		return Zip(Range(0, a[1], 3), names)
	})
	zippedParts = Define("zippedParts", func(n int) Dataset[Pair[int64, string]] {
		return Zip(Range(0, 4, 3), TextFile("text", n))
	})
	product = Define("product", func(a [2][]int64) Dataset[Pair[int64, int64]] {
		return Cartesian(Parallelize(a[0], 2), Parallelize(a[1], 3))
	})
	tooMany = Define("tooMany", func(int) Dataset[Pair[int64, int64]] {
		return Cartesian(Range(0, 1, 1<<15), Range(0, 1, 1<<15))
	})
	ofNothing = Define("ofNothing", func(int) Dataset[int64] { return Union(Range(0, 1, 1), Dataset[int64]{}) })
)

func TestZip(t *testing.T) {
	got, err := Collect(t.Context(), Local(nil), zipped.With([2]int64{5, 5}))
	want := []Pair[int64, string]{{0, "n0"}, {1, "n1"}, {2, "n2"}, {3, "n3"}, {4, "n4"}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	for _, lengths := range [][2]int64{{5, 6}, {6, 5}, {0, 1}, {1, 0}} {
		if got, err := Collect(t.Context(), Local(nil), zipped.With(lengths)); !errors.Is(err, ErrBadJob) {
			t.Errorf("%v: %v, %v", lengths, got, err)
		}
	}
	fs := MemFS{"text": []byte("a\nb\nc\nd\n")}
	if _, err := Collect(t.Context(), Local(fs), zippedParts.With(2)); !errors.Is(err, ErrBadJob) || !strings.Contains(err.Error(), "[3 2]") {
		t.Error(err)
	}
}

func TestCartesianHasEachPairOnce(t *testing.T) {
	got, err := Collect(t.Context(), Local(nil), product.With([2][]int64{{1, 2, 3}, {7, 8}}))
	slices.SortFunc(got, func(a, b Pair[int64, int64]) int { return int(a.Key*10 + a.Value - b.Key*10 - b.Value) })
	want := []Pair[int64, int64]{{1, 7}, {1, 8}, {2, 7}, {2, 8}, {3, 7}, {3, 8}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	for _, err := range []error{collectErr(tooMany.With(0)), collectErr(ofNothing.With(0))} {
		if !errors.Is(err, ErrBadJob) {
			t.Error(err)
		}
	}
}

// What a task reads of shuffles, and where it prefers to run, is that of the partitions of which its own is made.
func TestReadsAndPreferencesOfSeveralParents(t *testing.T) {
	l := lineageOf(t, severalPlaces.With([]string{"h0", "h1"}))
	splits, err := l.Splits(nil, l.Last())
	if err != nil {
		t.Fatal(err)
	}
	places, err := l.Preferred(l.Last(), splits)
	if want := "[[h0] [] [h0] [h1]]"; err != nil || fmt.Sprint(places) != want {
		t.Errorf("%v, %v, want %s", places, err, want)
	}
	reads, err := l.Reads(l.Last(), splits)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"[]", "[{0 0} {0 1} {0 2}]", "[]", "[]"}
	for p := range want {
		if got := fmt.Sprint(reads(p)); got != want[p] {
			t.Errorf("partition %d reads %s, want %s", p, got, want[p])
		}
	}
}

var severalPlaces = Define("severalPlaces", func(hosts []string) Dataset[int64] {
	numbers := Prefer(Range(0, 6, 2), at(hosts))
	sums := Map(ReduceByKey(Map(numbers, func(x int64) Pair[int64, int64] { return PairOf(x%2, x) }), sum, 3), valueOfSum)
	return Union(Coalesce(numbers, 1), Coalesce(sums, 1), numbers)
})

func valueOfSum(p Pair[int64, int64]) int64 { return p.Value }

// opens counts how often a file is opened.
type opens struct {
	MemFS
	n map[string]int
}

func (o opens) Open(path string) (File, error) {
	o.n[path]++
	return o.MemFS.Open(path)
}

func TestAFileOfSeveralStagesIsLookedAtOnce(t *testing.T) {
	l := lineageOf(t, twoStages.With("text"))
	fs := opens{MemFS{"text": []byte("a\nb\n")}, map[string]int{}}
	splits, version, err := l.SplitAll(fs, []int{l.Shuffles()[0].MapNode, l.Last()})
	if err != nil || fs.n["text"] != 1 || version != `"text" 4 ` || len(splits[0]) != 2 || len(splits[1]) != 5 {
		t.Errorf("opened %v, version %q, %d splits, %v", fs.n, version, len(splits), err)
	}
}

var twoStages = Define("twoStages", func(path string) Dataset[Pair[string, int64]] {
	ones := Map(TextFile(path, 2), one)
	return Union(ones, ReduceByKey(ones, sum, 3))
})

func FuzzDecodeSplit(f *testing.F) {
	l := lineageOf(f, many.With(manyArgs{A: "a", B: "b", SplitsA: 3, Parts: 2, Fewer: 2}))
	splits, err := l.Splits(MemFS{"a": []byte("x\ny\nz\n"), "b": []byte("x\ny")}, l.Last())
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range splits {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		_, err := l.RunResult(Task{
			Node: l.Last(), Partition: 1, Split: bytes.Clone(b), FS: MemFS{"a": []byte("x\ny\nz\n"), "b": []byte("x\ny")},
			Fetch: func(int, int) iter.Seq2[io.Reader, error] { return func(func(io.Reader, error) bool) {} },
		}, ActionCount)
		if user := (*UserError)(nil); errors.As(err, &user) {
			t.Error(err)
		}
	})
}
