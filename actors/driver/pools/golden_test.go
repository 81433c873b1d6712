package pools

import (
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/rpcenv/rpctest/recorded"
)

// goldenCase is a recorded case of Spark's own task scheduler, as far as pools matter. Its README tells what the fields mean.
type goldenCase struct {
	ID          string
	Conf        map[string]string
	Allocations string
	Events      []struct {
		E                        string
		Stage, Attempt, Priority int32
		Pool                     string
		State, Task              string
		Out                      struct {
			Launch      []struct{ Task string }
			Order       []string
			Pools       map[string]goldenPool
			PoolRunning map[string]int
			Sets        map[string]struct{ Live *bool }
		}
	}
}

type goldenPool struct {
	Mode     string
	Weight   int
	MinShare int
}

func goldenCases(t *testing.T) (cases []goldenCase) {
	t.Helper()
	type file struct{ Cases []goldenCase }
	recorded.Each(t, "../tasks/testdata/golden", "pools.json", func(_ string, f file) { cases = f.Cases })
	if len(cases) == 0 {
		t.Fatal("the file has no case")
	}
	return cases
}

// The orders and the pools are those of Spark's own, with what its scheduler launched and forgot.
func TestPoolsOrderSetsAsSparkDoes(t *testing.T) {
	orders := 0
	for _, c := range goldenCases(t) {
		r := newReplay(t, c)
		for i, e := range c.Events {
			at := func(format string, args ...any) {
				t.Errorf("%s, event %d: "+format, append([]any{c.ID, i}, args...)...)
			}
			switch e.E {
			case "submit":
				id := text(e.Stage, e.Attempt)
				r.leaves[id], _ = r.tree.Add(id, Key{e.Priority, e.Stage, e.Attempt}, e.Pool)
			case "status":
				if e.State == "FINISHED" {
					r.of(e.Task).Ended()
				}
			case "queue":
				orders++
				if got := r.among(e.Out.Order); !slices.Equal(got, e.Out.Order) {
					at("order %v, want %v", got, e.Out.Order)
				}
			}
			for _, l := range e.Out.Launch {
				r.of(l.Task).Started()
			}
			for id, s := range e.Out.Sets {
				if s.Live != nil && !*s.Live {
					r.tree.Remove(r.leaves[id])
				}
			}
			for name, want := range e.Out.Pools {
				if got := r.pool(name); got.Mode.String() != want.Mode || got.Weight != want.Weight || got.MinShare != want.MinShare {
					at("pool %s is %+v, want %+v", name, got, want)
				}
			}
			for name, want := range e.Out.PoolRunning {
				if got := r.pool(name).Running; got != want {
					at("pool %s runs %d, want %d", name, got, want)
				}
			}
		}
	}
	if orders == 0 {
		t.Error("no order was compared")
	}
}

// replay is a Tree driven by a case.
type replay struct {
	tree   *Tree[string]
	leaves map[string]*Leaf[string]
}

func newReplay(t *testing.T, c goldenCase) *replay {
	t.Helper()
	mode, file := FIFO, (*Allocations)(nil)
	if c.Conf["spark.scheduler.mode"] == "FAIR" {
		mode = FAIR
	}
	if c.Allocations != "" {
		var err error
		if file, err = Parse("fairscheduler.xml", []byte(c.Allocations)); err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
	}
	tree, _ := New[string](mode, file)
	return &replay{tree, map[string]*Leaf[string]{}}
}

// of is the leaf of the set of a task, which is named SET/INDEX/ATTEMPT.
func (r *replay) of(task string) *Leaf[string] {
	set, _, _ := strings.Cut(task, "/")
	return r.leaves[set]
}

// among are the sets that have something to start, in the Tree's order.
func (r *replay) among(schedulable []string) []string {
	return slices.DeleteFunc(slices.Clone(r.tree.Sorted()), func(id string) bool { return !slices.Contains(schedulable, id) })
}

func (r *replay) pool(name string) Status {
	all := r.tree.Pools()
	return all[slices.IndexFunc(all, func(s Status) bool { return s.Name == name })]
}
