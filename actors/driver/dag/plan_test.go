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
		var got []string
		for _, s := range plan(inv.Lineage, 10, 5) {
			writes := ""
			if s.isMap {
				writes = fmt.Sprintf(" writes %d", s.shuffle)
			}
			got = append(got, fmt.Sprintf("%s%s of node %d after %v", s, writes, s.node, s.parents))
		}
		if text := strings.Join(got, "; "); text != k.want {
			t.Errorf("%s:\ngot  %s\nwant %s", inv.Name, text, k.want)
		}
	}
}

func TestAStageKnowsWhatIsMissing(t *testing.T) {
	m := &stage{isMap: true}
	m.split(make([][]byte, 3))
	child := &stage{parents: []*stage{m}}
	child.split(make([][]byte, 1))
	m.setOutput(1, "7")
	if fmt.Sprint(m.missing()) != "[0 2]" || len(child.missingParents()) != 1 {
		t.Error(m.missing(), child.missingParents())
	}
	m.setOutput(0, "7")
	m.setOutput(2, "8")
	if !m.complete() || len(child.missingParents()) != 0 {
		t.Error("complete")
	}
	if !m.lose("7") || m.lose("7") || fmt.Sprint(m.missing()) != "[0 1]" {
		t.Error("lost", m.missing())
	}
	if m.has(-1) || m.has(3) || !m.has(2) {
		t.Error("has")
	}
}

// A stage counts what it lacks, and never walks over its partitions to learn whether it is complete: the count has to be right
// whatever comes twice and whatever is lost.
func TestAStageCountsWhatItLacks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &stage{isMap: rapid.Bool().Draw(t, "is a map stage")}
		n := rapid.IntRange(0, 5).Draw(t, "partitions")
		g.split(make([][]byte, n))
		for range rapid.IntRange(0, 20).Draw(t, "steps") {
			executor := rapid.SampledFrom([]string{"", "1", "2"}).Draw(t, "executor")
			partition := int32(rapid.IntRange(0, 4).Draw(t, "partition"))
			switch {
			case !g.has(partition):
			case !g.isMap:
				was := g.done[partition]
				if g.finish(partition) == was {
					t.Fatalf("the result of partition %d, which had come before: %v, counts: %v", partition, was, !was)
				}
			case rapid.Bool().Draw(t, "is lost"):
				g.lose(executor)
			default:
				g.setOutput(partition, executor)
			}
			if g.left != len(g.missing()) || g.complete() != (len(g.missing()) == 0) {
				t.Fatalf("left %d, missing %v", g.left, g.missing())
			}
		}
	})
}
