package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/coherer/coherer/actors/rdd"
)

// Rank is a page with its rank.
type Rank = rdd.Pair[string, float64]

// Args are what the ranks depend on.
type Args struct {
	// Path of a text file with a link on each line: the page that has it, white space, the page it leads to.
	Path string
	// Iterations of the algorithm, and Partitions of everything but the file.
	Iterations, Partitions int
}

// Ranks is the job. Each round of the loop adds two operations to the lineage; nothing is computed before an action.
var Ranks = rdd.Define("pagerank", func(a Args) rdd.Dataset[Rank] {
	edges := rdd.FlatMap(rdd.TextFile(a.Path, a.Partitions), linkOf)
	// Each page with the pages it leads to. All rounds read it, so it is kept in memory.
	links := rdd.Cache(rdd.GroupByKey(rdd.Distinct(edges, a.Partitions), a.Partitions))
	ranks := rdd.MapValues(links, func([]string) float64 { return 1 })
	for range a.Iterations {
		// Both sides have their keys in the same partitions, so the join moves nothing: one shuffle a round, that of the sums.
		given := rdd.FlatMap(rdd.Join(links, ranks, a.Partitions), share)
		ranks = rdd.MapValues(rdd.ReduceByKey(given, sum, a.Partitions), damp)
	}
	return ranks
})

// linkOf is the link on a line; an empty line and a comment, which begins with #, have none.
func linkOf(line string) iter.Seq[rdd.Pair[string, string]] {
	f := strings.Fields(line)
	return func(yield func(rdd.Pair[string, string]) bool) {
		if len(f) == 2 && !strings.HasPrefix(line, "#") {
			yield(rdd.PairOf(strings.Clone(f[0]), strings.Clone(f[1])))
		}
	}
}

// share gives the rank of a page to those it leads to, in equal parts.
func share(p rdd.Pair[string, rdd.Both[[]string, float64]]) iter.Seq[Rank] {
	to, rank := p.Value.Left, p.Value.Right
	return func(yield func(Rank) bool) {
		for _, page := range to {
			if !yield(rdd.PairOf(page, rank/float64(len(to)))) {
				return
			}
		}
	}
}

func sum(a, b float64) float64 { return a + b }

// damp is the rank of a page that was given so much.
func damp(given float64) float64 { return 0.15 + 0.85*given }

// byRank orders pages by their ranks, those of one rank by their names, from Z to A: Top turns both round.
var byRank = rdd.DefineOrder("pagerank: by rank", func(a, b Rank) int {
	return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(b.Key, a.Key))
})

const (
	defaultIterations = 10
	// partitions is how many tasks a stage has.
	partitions = 2
	// shown is how many pages are printed.
	shown = 10
)

// Run is the program: args are FILE [ITERATIONS]. It prints the pages of the highest rank as `rank<TAB>page`.
func Run(ctx context.Context, r rdd.Runner, args []string, out io.Writer) error {
	a := Args{Iterations: defaultIterations, Partitions: partitions}
	switch {
	case len(args) == 2:
		n, err := strconv.Atoi(args[1])
		if err != nil || n < 1 {
			return fmt.Errorf("ITERATIONS %q: want a number of at least 1", args[1])
		}
		a.Iterations = n
	case len(args) != 1:
		return fmt.Errorf("want FILE [ITERATIONS], not %q", args)
	}
	a.Path = args[0]
	best, err := rdd.Top(ctx, r, Ranks.With(a), shown, byRank)
	if err != nil {
		return err
	}
	for _, p := range best {
		if _, err := fmt.Fprintf(out, "%.4f\t%s\n", p.Value, p.Key); err != nil {
			return err
		}
	}
	return nil
}
