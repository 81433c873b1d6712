package rdd

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
)

// sayAll lets each task say its number at two barriers.
func sayAll(d Dataset[int64]) Dataset[string] {
	return Barrier(d, func(t BarrierTask, in iter.Seq[int64]) iter.Seq[string] {
		return func(yield func(string) bool) {
			t.Barrier()
			all := t.AllGather(fmt.Sprint("p", t.Partition()))
			for v := range in {
				if !yield(fmt.Sprint(v, " ", strings.Join(all, ","), " of ", len(t.Addresses()))) {
					return
				}
			}
		}
	})
}

var (
	gatherJob  = Define("rdd test: gather", func(n int) Dataset[string] { return sayAll(Range(0, 4, n)) })
	gatherThen = Define("rdd test: gather before a shuffle", func(n int) Dataset[Pair[string, int64]] {
		ones := Map(sayAll(Range(0, 4, n)), func(s string) Pair[string, int64] { return PairOf(s[2:], int64(1)) })
		return ReduceByKey(ones, func(a, b int64) int64 { return a + b }, 1)
	})
	leaves = Define("rdd test: a task leaves", func(int) Dataset[int64] {
		return Barrier(Range(0, 2, 2), func(t BarrierTask, in iter.Seq[int64]) iter.Seq[int64] {
			if t.Partition() == 0 {
				t.Barrier()
			}
			return in
		})
	})
	mixes = Define("rdd test: tasks differ", func(int) Dataset[int64] {
		return Barrier(Range(0, 2, 2), func(t BarrierTask, in iter.Seq[int64]) iter.Seq[int64] {
			if t.Partition() == 0 {
				t.Barrier()
			} else {
				t.AllGather("x")
			}
			return in
		})
	})
	unitedBarriers = Define("rdd test: a barrier beside others", func(int) Dataset[string] {
		return Union(sayAll(Range(0, 4, 2)), sayAll(Range(0, 4, 2)))
	})
	fewerThan = Define("rdd test: a barrier below another number", func(int) Dataset[string] {
		return sayAll(Coalesce(Range(0, 4, 4), 2))
	})
	zippedBarriers = Define("rdd test: two barriers zippedBarriers", func(int) Dataset[Pair[string, string]] {
		return Zip(sayAll(Range(0, 4, 2)), sayAll(Range(0, 4, 2)))
	})
)

// Tasks of a barrier stage wait for each other, and get what each said.
func TestTasksOfABarrierStageMeet(t *testing.T) {
	got, err := Collect(t.Context(), Local(nil), gatherJob.With(2))
	if want := []string{"0 p0,p1 of 2", "1 p0,p1 of 2", "2 p0,p1 of 2", "3 p0,p1 of 2"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	pairs, err := Collect(t.Context(), Local(nil), gatherThen.With(4))
	if want := []Pair[string, int64]{{"p0,p1,p2,p3 of 4", 4}}; err != nil || !slices.Equal(pairs, want) {
		t.Errorf("%v, %v", pairs, err)
	}
}

// A task that leaves the others at a barrier, and tasks that do different things there, fail a local job: nothing could end the wait.
func TestALocalBarrierDoesNotHang(t *testing.T) {
	for _, job := range []Bound[int64]{leaves.With(0), mixes.With(0)} {
		if _, err := Collect(t.Context(), Local(nil), job); !errors.Is(err, ErrBarrier) {
			t.Error(err)
		}
	}
}

// Stages whose tasks cannot all run at once are refused with Spark's words.
func TestChainsThatNoBarrierStageMayHave(t *testing.T) {
	const why = "[SPARK-24820][SPARK-24821]: Barrier execution mode does not allow the following pattern"
	for name, run := range map[string]func() error{
		"union": func() error { _, err := Collect(t.Context(), Local(nil), unitedBarriers.With(0)); return err },
		"fewer": func() error { _, err := Collect(t.Context(), Local(nil), fewerThan.With(0)); return err },
		"zip":   func() error { _, err := Collect(t.Context(), Local(nil), zippedBarriers.With(0)); return err },
		"take":  func() error { _, err := Take(t.Context(), Local(nil), gatherJob.With(2), 1); return err },
	} {
		if err := run(); !errors.Is(err, ErrBarrier) || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Only a barrier stage is one: what is behind a shuffle is another.
func TestABarrierEndsWithItsStage(t *testing.T) {
	inv, err := gatherThen.With(2).Invocation()
	if err != nil {
		t.Fatal(err)
	}
	l := inv.Lineage
	if !l.Barrier(l.Shuffles()[0].MapNode) || l.Barrier(l.Last()) || l.Barrier(0) {
		t.Error(l.Lines())
	}
}
