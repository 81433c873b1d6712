package dag

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/coherer/coherer/actors/rdd"
)

type ones = rdd.Pair[string, int64]

var (
	narrow = rdd.Define("dag-test-narrow", func(int) rdd.Dataset[int64] {
		return rdd.Map(rdd.Range(0, 9, 3), func(i int64) int64 { return i })
	})
	chain = rdd.Define("dag-test-chain", func(int) rdd.Dataset[ones] {
		sum := func(a, b int64) int64 { return a + b }
		first := rdd.ReduceByKey(rdd.Map(rdd.Range(0, 9, 3), func(i int64) ones { return rdd.PairOf("k", i) }), sum, 2)
		return rdd.ReduceByKey(rdd.Map(first, func(p ones) ones { return p }), sum, 4)
	})
)

// planned are the stages of a job of a dataset, numbered from 10.
func planned(t *testing.T, d *dataset, inv rdd.Invocation, next *int32) (out []*stage) {
	t.Helper()
	all, _, err := inv.Lineage.SplitAll(nil, nodes(inv.Lineage, inv.Lineage.Last()))
	if err != nil {
		t.Fatal(err)
	}
	if d.shuffles == nil {
		for i := range inv.Lineage.Shuffles() {
			d.shuffles = append(d.shuffles, newShuffle(int32(5+i), len(all[i]), 1))
		}
	}
	return plan(d, inv.Lineage, inv.Lineage.Last(), all, func() int32 { *next++; return *next - 1 })
}

func describe(stages []*stage) string {
	var got []string
	for _, g := range stages {
		writes := ""
		if g.shuffle != nil {
			writes = fmt.Sprintf(" writes %d", g.shuffle.id)
		}
		got = append(got, fmt.Sprintf("%s%s of node %d after %v", g, writes, g.node, g.parents))
	}
	return strings.Join(got, "; ")
}

func TestPlanCutsAtShufflesParentsFirst(t *testing.T) {
	for _, k := range []struct {
		b    func() (rdd.Invocation, error)
		want string
	}{
		{narrow.With(0).Invocation, "ResultStage 10 of node 1 after []"},
		{chain.With(0).Invocation, "ShuffleMapStage 10 writes 5 of node 1 after []; ShuffleMapStage 11 writes 6 of node 3 after " +
			"[ShuffleMapStage 10]; ResultStage 12 of node 4 after [ShuffleMapStage 11]"},
	} {
		inv, err := k.b()
		if err != nil {
			t.Fatal(err)
		}
		next := int32(10)
		if got := describe(planned(t, &dataset{}, inv, &next)); got != k.want {
			t.Errorf("%s:\ngot  %s\nwant %s", inv.Name, got, k.want)
		}
	}
}

// A second job takes the stages that write for the first one, and gets new ones of shuffles that no job's stage writes.
func TestPlanSharesStages(t *testing.T) {
	inv, err := chain.With(0).Invocation()
	if err != nil {
		t.Fatal(err)
	}
	d, next := &dataset{}, int32(10)
	first := planned(t, d, inv, &next)
	second := planned(t, d, inv, &next)
	if second[0] != first[0] || second[1] != first[1] || second[2] == first[2] || second[2].id != 13 {
		t.Error(describe(second))
	}
	d.shuffles[1].stage = nil
	if third := planned(t, d, inv, &next); third[0] != first[0] || third[1] == first[1] || third[1].shuffle != d.shuffles[1] || third[1].parents[0] != first[0] {
		t.Error(describe(third))
	}
}

func mapStage(partitions int) *stage {
	return newStage(0, &dataset{}, 0, newShuffle(0, partitions, 1), make([][]byte, partitions))
}

func at(executor string) func(place) bool {
	return func(p place) bool { return p.executor == executor }
}

func TestAStageKnowsWhatIsMissing(t *testing.T) {
	m := mapStage(3)
	child := newStage(1, &dataset{}, 1, nil, make([][]byte, 1))
	child.parents = []*stage{m}
	m.shuffle.set(1, place{executor: "7", host: "h"})
	if fmt.Sprint(m.missing()) != "[0 2]" || len(child.missingParents()) != 1 {
		t.Error(m.missing(), child.missingParents())
	}
	m.shuffle.set(0, place{executor: "7", host: "h"})
	m.shuffle.set(2, place{executor: "8", host: "h"})
	if !m.complete() || len(child.missingParents()) != 0 {
		t.Error("complete")
	}
	if !m.shuffle.lose(at("7")) || m.shuffle.lose(at("7")) || fmt.Sprint(m.missing()) != "[0 1]" {
		t.Error("lost", m.missing())
	}
	if m.has(-1) || m.has(3) || !m.has(2) {
		t.Error("has")
	}
	child = newStage(1, nil, 1, nil, make([][]byte, 4))
	child.only([]int32{3, 1})
	if fmt.Sprint(child.missing()) != "[1 3]" || child.left != 2 || child.finish(0) || !child.finish(1) || child.complete() || !child.finish(3) || !child.complete() {
		t.Error("wanted", child.missing(), child.left)
	}
}

// A stage counts what it lacks, and never walks over its partitions to learn whether it is complete: the count has to be right
// whatever comes twice and whatever is lost.
func TestAStageCountsWhatItLacks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 5).Draw(t, "partitions")
		g := mapStage(n)
		if rapid.Bool().Draw(t, "is a result stage") {
			g = newStage(0, nil, 0, nil, make([][]byte, n))
			if rapid.Bool().Draw(t, "wants a part") {
				g.only(rapid.SliceOfNDistinct(rapid.Int32Range(0, int32(max(n-1, 0))), 0, min(n, 2), rapid.ID).Draw(t, "wanted"))
			}
		}
		for range rapid.IntRange(0, 20).Draw(t, "steps") {
			executor := rapid.SampledFrom([]string{"", "1", "2"}).Draw(t, "executor")
			partition := int32(rapid.IntRange(0, 4).Draw(t, "partition"))
			switch {
			case !g.has(partition):
			case g.shuffle == nil:
				was := g.done[partition]
				if g.finish(partition) == was {
					t.Fatalf("the result of partition %d, which had come before: %v, counts: %v", partition, was, !was)
				}
			case rapid.Bool().Draw(t, "is lost"):
				g.shuffle.lose(at(executor))
			default:
				g.shuffle.set(partition, place{executor: executor})
			}
			left := g.left
			if g.shuffle != nil {
				left = g.shuffle.left
			}
			if left != len(g.missing()) || g.complete() != (len(g.missing()) == 0) {
				t.Fatalf("left %d, missing %v", left, g.missing())
			}
		}
	})
}
