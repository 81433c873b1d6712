package rdd

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// longJob has two shuffles and narrow operations before, between and after them.
var longJob = Define("longJob", func(a countArgs) Dataset[string] {
	counts := ReduceByKey(Map(FlatMap(TextFile(a.Path, a.Splits), words), one), sum, a.Reducers)
	return Map(ReduceByKey(Map(counts, swap), later, 2), valueOf)
})

func one(w string) Pair[string, int64] { return PairOf(w, int64(1)) }

func sum(a, b int64) int64 { return a + b }

func swap(p Pair[string, int64]) Pair[int64, string] { return PairOf(p.Value, p.Key) }

func later(a, b string) string { return max(a, b) }

func valueOf(p Pair[int64, string]) string { return p.Value }

func lineageOf[T any](t testing.TB, b Bound[T]) *Lineage {
	t.Helper()
	job, err := b.Invocation()
	if err != nil {
		t.Fatal(err)
	}
	return job.Lineage
}

func TestLines(t *testing.T) {
	const pkg = "github.com/coherer/coherer/actors/rdd."
	l := lineageOf(t, longJob.With(countArgs{`a "file"`, 3, 4}))
	want := []string{
		"job longJob",
		`0 TextFile string with path="a \"file\"" minPartitions=3`,
		"1 FlatMap string <- 0 by " + pkg + "words",
		"2 Map rdd.Pair[string,int64] <- 1 by " + pkg + "one",
		"3 ReduceByKey rdd.Pair[string,int64] <= 2 by " + pkg + "sum with partitions=4",
		"4 Map rdd.Pair[int64,string] <- 3 by " + pkg + "swap",
		"5 ReduceByKey rdd.Pair[int64,string] <= 4 by " + pkg + "later with partitions=2",
		"6 Map string <- 5 by " + pkg + "valueOf",
	}
	if got := l.Lines(); !slices.Equal(got, want) {
		t.Errorf("lines:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestPlan(t *testing.T) {
	l := lineageOf(t, longJob.With(countArgs{"text", 3, 4}))
	want := []Shuffle{{Index: 0, MapNode: 2, Node: 3, Reducers: 4}, {Index: 1, MapNode: 4, Node: 5, Reducers: 2}}
	if got := l.Shuffles(); !slices.Equal(got, want) {
		t.Errorf("shuffles %+v, want %+v", got, want)
	}
	if l.Last() != 6 {
		t.Errorf("last node %d", l.Last())
	}
	fs := MemFS{"text": []byte("a b\nc\n")}
	for node, tc := range []struct {
		narrow, parents    []int
		partitions, splits int
	}{
		{[]int{0}, nil, 0, 3},
		{[]int{0, 1}, nil, 0, 3},
		{[]int{0, 1, 2}, nil, 0, 3},
		{[]int{3}, []int{0}, 4, 4},
		{[]int{3, 4}, []int{0}, 4, 4},
		{[]int{5}, []int{1}, 2, 2},
		{[]int{5, 6}, []int{1}, 2, 2},
	} {
		if got := l.Narrow(node); !slices.Equal(got, tc.narrow) {
			t.Errorf("node %d: narrow %v, want %v", node, got, tc.narrow)
		}
		if got := l.ShuffleParents(node); !slices.Equal(got, tc.parents) {
			t.Errorf("node %d: shuffle parents %v, want %v", node, got, tc.parents)
		}
		if got := l.Partitions(node); got != tc.partitions {
			t.Errorf("node %d: %d partitions, want %d", node, got, tc.partitions)
		}
		if got, err := l.Splits(fs, node); err != nil || len(got) != tc.splits {
			t.Errorf("node %d: %d splits, want %d (error %v)", node, len(got), tc.splits, err)
		}
	}
	if _, err := l.Splits(fs, 7); !errors.Is(err, ErrBadTask) {
		t.Errorf("node 7: error %v", err)
	}
}

func TestDatasetUsedTwiceIsOneNode(t *testing.T) {
	d := Range(0, 4, 2)
	l, err := newLineage("j", Map(d, func(x int64) int64 { return x }), mustCodec[int64](t))
	if err != nil || len(l.Nodes) != 2 || !reflect.DeepEqual(l.Nodes[1].Parents, []int{0}) {
		t.Errorf("nodes %+v, error %v", l.Nodes, err)
	}
}

func TestDigestSeesParameters(t *testing.T) {
	seen := map[string]string{}
	for _, l := range []*Lineage{
		lineageOf(t, wordCount.With(countArgs{"a", 1, 1})), lineageOf(t, wordCount.With(countArgs{"b", 1, 1})),
		lineageOf(t, wordCount.With(countArgs{"a", 2, 1})), lineageOf(t, wordCount.With(countArgs{"a", 1, 2})),
		lineageOf(t, longJob.With(countArgs{"a", 1, 1})),
		lineageOf(t, items.With([]string{"a", "b"})), lineageOf(t, items.With([]string{"ab"})),
		lineageOf(t, items.With([]string{"b", "a"})),
	} {
		lines := strings.Join(l.Lines(), "\n")
		if other, ok := seen[l.Digest()]; ok {
			t.Errorf("one digest of\n%s\nand\n%s", other, lines)
		}
		seen[l.Digest()] = lines
	}
}

func TestCheck(t *testing.T) {
	a, b := lineageOf(t, wordCount.With(countArgs{"a", 1, 1})), lineageOf(t, wordCount.With(countArgs{"b", 1, 1}))
	if err := a.Check(a.Digest()); err != nil {
		t.Error(err)
	}
	err := a.Check(b.Digest())
	if !errors.Is(err, ErrLineageDiffers) {
		t.Fatalf("error %v", err)
	}
	differs, ok := errors.AsType[*LineageError](err)
	if !ok || !slices.Equal(differs.Executor, a.Lines()) || differs.Driver != nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("%#v", err)
	}
	want := []string{`- 0 TextFile string with path="a" minPartitions=1`, `+ 0 TextFile string with path="b" minPartitions=1`}
	if got := Differences(a.Lines(), b.Lines()); !slices.Equal(got, want) {
		t.Errorf("differences %q", got)
	}
	differs.Driver = b.Lines()
	text := `rdd: lineage differs: driver and executor made different lineages of job wordCount from the same argument (- driver, + executor):
- 0 TextFile string with path="b" minPartitions=1
+ 0 TextFile string with path="a" minPartitions=1
The job's function`
	if !strings.HasPrefix(differs.Error(), text) {
		t.Errorf("got\n%v\nwant\n%s", differs, text)
	}
	differs.Driver = slices.Repeat([]string{"x"}, 100)
	if text := differs.Error(); strings.Count(text, "\n") != mostDifferences+2 || !strings.Contains(text, "lines more") {
		t.Errorf("a long difference is not cut:\n%s", text)
	}
}

// A node that is made of an indeterminate one is so, too, beyond shuffles as well.
func TestWhatIsMadeOfAnIndeterminateNodeIsSo(t *testing.T) {
	l := lineageOf(t, unsure.With(0))
	var got []string
	for _, n := range l.Nodes {
		got = append(got, fmt.Sprint(n.Op, " ", l.Indeterminate(n.Number)))
	}
	if want := []string{"Range false", "Indeterminate true", "Map true", "ReduceByKey true"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if n, err := Count(t.Context(), Local(nil), unsure.With(0)); err != nil || n != 3 {
		t.Errorf("%d records, %v", n, err)
	}
}

var unsure = Define("unsure", func(int) Dataset[Pair[int64, int64]] {
	pairs := Map(Indeterminate(Range(0, 9, 3)), func(i int64) Pair[int64, int64] { return PairOf(i%3, i) })
	return ReduceByKey(pairs, func(a, b int64) int64 { return a + b }, 2)
})
