package rdd_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/coherer/coherer/actors/rdd"
)

type CountArgs struct {
	Path   string
	Splits int
}

var counts = rdd.Define("example.counts", func(a CountArgs) rdd.Dataset[rdd.Pair[string, int64]] {
	words := rdd.FlatMap(rdd.TextFile(a.Path, a.Splits), strings.FieldsSeq)
	ones := rdd.Map(words, func(w string) rdd.Pair[string, int64] { return rdd.PairOf(w, int64(1)) })
	return rdd.ReduceByKey(ones, func(a, b int64) int64 { return a + b }, 1)
})

type FrequentArgs struct {
	Counts rdd.Bound[rdd.Pair[string, int64]]
	Least  int64
}

var frequent = rdd.Define("example.frequent", func(a FrequentArgs) rdd.Dataset[string] {
	least := a.Least
	often := rdd.Filter(rdd.From(a.Counts), func(p rdd.Pair[string, int64]) bool { return p.Value >= least })
	return rdd.Map(often, func(p rdd.Pair[string, int64]) string { return p.Key })
})

var files = rdd.MemFS{"song": []byte("row row row\nyour boat\nrow your boat\n")}

func ExampleDefine() {
	app := rdd.Local(files) // on a cluster: the application that app.Main gives
	pairs, err := rdd.Collect(context.Background(), app, counts.With(CountArgs{Path: "song", Splits: 2}))
	fmt.Println(pairs, err)
	// Output: [{row 4} {your 2} {boat 2}] <nil>
}

func ExampleFrom() {
	app := rdd.Local(files)
	bound := counts.With(CountArgs{Path: "song", Splits: 2})
	n, _ := rdd.Count(context.Background(), app, bound)
	// What an action learnt and a bound job go into the argument of the next.
	words, err := rdd.Collect(context.Background(), app, frequent.With(FrequentArgs{Counts: bound, Least: n}))
	fmt.Println(n, words, err)
	// Output: 3 [row] <nil>
}

// near has one partition on each host.
var near = rdd.Define("example.near", func(hosts []string) rdd.Dataset[string] {
	return rdd.Prefer(rdd.Parallelize(hosts, len(hosts)), func(partition int) []string { return hosts[partition : partition+1] })
})

func ExamplePrefer() {
	job, err := near.With([]string{"node1", "node2"}).Invocation()
	if err != nil {
		fmt.Println(err)
		return
	}
	// A driver asks so where the tasks of its stages want to run.
	splits, err := job.Lineage.Splits(nil, job.Lineage.Last())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(job.Lineage.Preferred(job.Lineage.Last(), splits))
	// Output: [[node1] [node2]] <nil>
}

func ExampleLineage_Lines() {
	job, err := counts.With(CountArgs{Path: "song", Splits: 2}).Invocation()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range job.Lineage.Shuffles() {
		fmt.Printf("shuffle %d: node %d writes for %d reducers of node %d\n", s.Index, s.MapNode, s.Reducers, s.Node)
	}
	fmt.Println(job.Lineage.Lines()[1])
	// Output:
	// shuffle 0: node 2 writes for 1 reducers of node 3
	// 0 TextFile string with path="song" minPartitions=2
}
