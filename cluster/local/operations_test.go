package local_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/rpcenv"
)

type (
	scores = rdd.Pair[string, int64]
	// texts are two texts whose words are counted.
	texts struct{ A, B []string }
)

func countWords(text []string) rdd.Dataset[scores] {
	words := rdd.Accumulate(rdd.FlatMap(rdd.Parallelize(text, 2), strings.FieldsSeq), wordsSeen, func(string) int64 { return 1 })
	ones := rdd.Map(words, func(w string) scores { return rdd.PairOf(w, int64(1)) })
	return rdd.ReduceByKey(ones, func(a, b int64) int64 { return a + b }, 3)
}

var (
	wordsOfBoth = rdd.Define("local test: words of both texts", func(a texts) rdd.Dataset[rdd.Pair[string, rdd.Both[int64, int64]]] {
		return rdd.Join(countWords(a.A), countWords(a.B), 3)
	})
	wordsOfAll = rdd.Define("local test: words of all texts", func(a texts) rdd.Dataset[scores] {
		return rdd.ReduceByKey(rdd.Union(countWords(a.A), countWords(a.B)), func(a, b int64) int64 { return a + b }, 3)
	})
	byWord  = rdd.DefineSort[string, int64]("local test: by word")
	mostly  = rdd.DefineOrder("local test: by count", func(a, b scores) int { return cmp.Compare(a.Value, b.Value) })
	letters = rdd.DefineAggregate("local test: letters", 0, func(n int, p scores) int { return n + len(p.Key)*int(p.Value) },
		func(a, b int) int { return a + b })
	wordsSeen = rdd.DefineCounter("local test: words seen")
	refuse    = rdd.DefineEffect("local test: refuse", func(p scores) {
		if p.Key == "sea" {
			panic("no sea")
		}
	})
)

// tour runs a join, a union behind a shuffle, a sort and actions whose functions run in executors, and says what they gave.
func tour(b *rpcenv.Blocking, a *app.App) (said []string, err error) {
	var totals rdd.Totals
	ctx := rdd.WithTotals(b.Context(), &totals)
	in := texts{[]string{"she sells sea shells", "sea shells", "by the sea"}, []string{"the sea", "the land", "the shells"}}
	say := func(what string, v any, err error) error {
		said = append(said, fmt.Sprint(what, " ", v))
		return err
	}
	both, err := rdd.Collect(ctx, a, wordsOfBoth.With(in))
	slices.SortFunc(both, func(a, b rdd.Pair[string, rdd.Both[int64, int64]]) int { return cmp.Compare(a.Key, b.Key) })
	if err := say("both", both, err); err != nil {
		return said, err
	}
	seen, err := wordsSeen.Total(&totals)
	if err := say("seen", seen, err); err != nil {
		return said, err
	}
	all := wordsOfAll.With(in)
	sorted, err := byWord.Of(ctx, a, all, 2)
	if err != nil {
		return said, err
	}
	inOrder, err := rdd.Collect(ctx, a, sorted)
	if err := say("sorted", inOrder, err); err != nil {
		return said, err
	}
	first, err := rdd.Take(ctx, a, sorted, 3)
	if err := say("first", first, err); err != nil {
		return said, err
	}
	top, err := rdd.Top(ctx, a, sorted, 2, mostly)
	if err := say("top", top, err); err != nil {
		return said, err
	}
	sum, err := rdd.Aggregate(ctx, a, all, letters)
	if err := say("letters", sum, err); err != nil {
		return said, err
	}
	err = rdd.Foreach(ctx, a, all, refuse)
	if err == nil || !strings.Contains(err.Error(), "(effect local test: refuse) panicked: no sea") || !strings.Contains(err.Error(), "failed 4 times") ||
		!strings.Contains(err.Error(), "operations_test.go") {
		return said, fmt.Errorf("a function that panics gave %w", err)
	}
	return said, nil
}

var toured = []string{
	"both [{sea {3 1}} {shells {2 1}} {the {1 3}}]",
	"seen 15",
	"sorted [{by 1} {land 1} {sea 4} {sells 1} {she 1} {shells 3} {the 4}]",
	"first [{by 1} {land 1} {sea 4}]",
	"top [{sea 4} {the 4}]",
	"letters 56",
}

func testTour(t *testing.T, c *local.Cluster) {
	t.Helper()
	type end struct {
		said []string
		err  error
	}
	ended := make(chan end, 1)
	c.Application("A", func(b *rpcenv.Blocking, a *app.App) error {
		said, err := tour(b, a)
		ended <- end{said, err}
		return err
	}, func(error) {})
	if err := c.Run(func() bool { return len(ended) > 0 }, 5*time.Minute); err != nil {
		t.Fatal(err)
	}
	if e := <-ended; e.err != nil || !slices.Equal(e.said, toured) {
		t.Errorf("%v\n%s\nwant\n%s", e.err, strings.Join(e.said, "\n"), strings.Join(toured, "\n"))
	}
}

func TestOperationsOnASimulatedCluster(t *testing.T) {
	testTour(t, local.Start(t, local.Config{Workers: 2, Cores: 2, Seed: 1}))
}

// Processes compute the same: the executors find each function by its name.
func TestOperationsInProcesses(t *testing.T) {
	testTour(t, local.Start(t, local.Config{Kind: local.Processes, Workers: 2, Cores: 2}))
}
