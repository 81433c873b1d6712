package pools

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func text(stage, attempt int32) string { return fmt.Sprintf("%d.%d", stage, attempt) }

func tree(mode Mode, file *Allocations) *Tree[string] {
	t, _ := New[string](mode, file)
	return t
}

// put adds a set of the name STAGE.ATTEMPT that runs so many tasks.
func put(t *Tree[string], k Key, pool string, running int) *Leaf[string] {
	l, _ := t.Add(text(k.Stage, k.Attempt), k, pool)
	for range running {
		l.Started()
	}
	return l
}

func want(t *testing.T, tree *Tree[string], order ...string) {
	t.Helper()
	if got := tree.Sorted(); !slices.Equal(got, order) {
		t.Errorf("got %v, want %v", got, order)
	}
}

// The job comes first, then the stage, then the attempt, whatever runs and whichever pool the job names.
func TestFIFOServesByJobStageAndAttempt(t *testing.T) {
	p := tree(FIFO, nil)
	put(p, Key{2, 1, 0}, "a", 0)
	put(p, Key{1, 5, 0}, "b", 3)
	put(p, Key{1, 4, 1}, "c", 9)
	gone := put(p, Key{0, 9, 0}, "d", 0)
	put(p, Key{1, 4, 0}, "", 0)
	want(t, p, "9.0", "4.0", "4.1", "5.0", "1.0")
	p.Remove(gone)
	want(t, p, "4.0", "4.1", "5.0", "1.0")
	p.Add("the same again", Key{1, 4, 1}, "")
	want(t, p, "4.0", "4.1", "the same again", "5.0", "1.0")
	if p.Pools() != nil {
		t.Errorf("FIFO has pools: %v", p.Pools())
	}
}

// Spark compares the names of sets as texts.
func TestAPoolOfModeFAIRServesTheSetThatRunsLeast(t *testing.T) {
	p := tree(FAIR, nil)
	a := put(p, Key{0, 9, 0}, "", 1)
	put(p, Key{1, 10, 0}, "", 1)
	put(p, Key{2, 3, 0}, "", 0)
	want(t, p, "3.0", "10.0", "9.0")
	a.Ended()
	want(t, p, "3.0", "9.0", "10.0")
}

// A pool of mode FIFO keeps the order of jobs, whatever its sets run.
func TestAPoolOfModeFIFOServesByJob(t *testing.T) {
	p := tree(FAIR, nil)
	put(p, Key{0, 9, 0}, "x", 5)
	put(p, Key{1, 3, 0}, "x", 0)
	want(t, p, "9.0", "3.0")
}

// Each row is two pools; the one that comes first is the left one.
func TestFAIROrdersPools(t *testing.T) {
	for _, k := range []struct {
		rule        string
		left, right share
	}{
		{"below the minimum comes first, whatever the weights", share{1, 2, 1, "b"}, share{0, 0, 9, "a"}},
		{"at the minimum is not below it", share{1, 2, 1, "b"}, share{2, 2, 9, "a"}},
		{"of two below the one that has the smaller part", share{1, 4, 1, "b"}, share{1, 2, 9, "a"}},
		{"of two below with the same part by name", share{1, 2, 1, "a"}, share{2, 4, 9, "b"}},
		{"the fewer tasks per weight", share{3, 0, 4, "b"}, share{1, 0, 1, "a"}},
		{"the same number per weight by name", share{2, 0, 2, "a"}, share{1, 0, 1, "b"}},
		{"capitals come before small letters", share{0, 0, 1, "B"}, share{0, 0, 1, "a"}},
		{"a minimum below 0 is none", share{0, 0, 1, "a"}, share{0, -1, 1, "b"}},
		{"a weight below 0 comes first when nothing runs", share{0, 0, -1, "b"}, share{0, 0, 1, "a"}},
		{"and when something does", share{1, 0, -1, "b"}, share{0, 0, 1, "a"}},
		{"a weight of 0 comes last", share{9, 0, 1, "b"}, share{1, 0, 0, "a"}},
		{"also when nothing runs", share{1, 0, 0, "b"}, share{0, 0, 0, "a"}},
		{"two without a number by name", share{0, 0, 0, "a"}, share{0, 0, 0, "b"}},
	} {
		if k.left.compare(k.right) >= 0 || k.right.compare(k.left) <= 0 {
			t.Errorf("%s: %+v and %+v compare as %d and %d", k.rule, k.left, k.right, k.left.compare(k.right), k.right.compare(k.left))
		}
	}
}

// A pool that no file has is made once, with the defaults, and a warning; each set says where it went.
func TestAnUnknownPoolIsMade(t *testing.T) {
	p := tree(FAIR, parsed(t, "<a/>"))
	var got []Line
	for stage := range int32(2) {
		_, lines := p.Add("", Key{Stage: stage, Attempt: 1}, "x")
		got = append(got, lines...)
	}
	if wanted := []Line{
		{true, "A job was submitted with scheduler pool x, which has not been configured. This can happen when the file that pools are " +
			"read from isn't set, or when that file doesn't contain x. Created x with default configuration (schedulingMode: FIFO, minShare: 0, weight: 1)"},
		{false, "Added task set TaskSet_0.1 tasks to pool x"},
		{false, "Added task set TaskSet_1.1 tasks to pool x"},
	}; !slices.Equal(got, wanted) {
		t.Errorf("got %v, want %v", got, wanted)
	}
	if got, wanted := fmt.Sprint(p.Pools()), "[pool default (FIFO, weight 1, minShare 0) runs 0 tasks of 0 sets pool x (FIFO, weight 1, minShare 0) runs 0 tasks of 2 sets]"; got != wanted {
		t.Errorf("got %s, want %s", got, wanted)
	}
}

func TestFAIRWithoutAPoolIsTheDefaultOne(t *testing.T) {
	if l := put(tree(FAIR, nil), Key{}, "", 0); l.Pool() != DefaultPool {
		t.Errorf("pool %q", l.Pool())
	}
}

func TestOfTwoPoolsWithOneNameTheLaterHasTheSets(t *testing.T) {
	p := tree(FAIR, parsed(t, `<a><pool name="x"><minShare>2</minShare></pool><pool name="x"><minShare>1</minShare></pool></a>`))
	put(p, Key{}, "x", 0)
	if got, wanted := p.Pools()[1], (Status{Config{"x", FIFO, 1, 1}, 0, 1}); got != wanted {
		t.Errorf("got %v, want %v", got, wanted)
	}
	if got := p.Pools()[1].String(); got != "pool x (FIFO, weight 1, minShare 1) runs 0 tasks of 1 sets, below its minShare" {
		t.Error(got)
	}
}

// Whatever comes, goes, starts and ends: pools count what their sets run, Sorted has each set once and in order, and Sets has
// them as they came.
func TestATreeKeepsItsBooks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mode := rapid.SampledFrom([]Mode{FIFO, FAIR}).Draw(t, "mode")
		var file *Allocations
		if rapid.Bool().Draw(t, "file") {
			file = &Allocations{Pools: []Config{{"a", FAIR, 2, 1}, {"b", FIFO, 0, 3}, {"c", FAIR, 1, 2}}}
		}
		p, _ := New[*Leaf[int]](mode, file)
		var all []*Leaf[*Leaf[int]]
		pick := func() *Leaf[*Leaf[int]] { return all[rapid.IntRange(0, len(all)-1).Draw(t, "leaf")] }
		next := int32(0)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch what := rapid.IntRange(0, 5).Draw(t, "what"); {
			case what < 2 || len(all) == 0:
				k := Key{rapid.Int32Range(0, 3).Draw(t, "job"), next, 0}
				next++
				l, _ := p.Add(nil, k, rapid.SampledFrom([]string{"", "a", "b", "c", "d"}).Draw(t, "pool"))
				l.Set = &Leaf[int]{key: k} // stands for the owner's set; the test finds the leaf by its key
				all = append(all, l)
			case what == 2:
				l := pick()
				p.Remove(l)
				p.Remove(l)
				all = slices.DeleteFunc(all, func(o *Leaf[*Leaf[int]]) bool { return o == l })
				if l.Pool() != "" {
					t.Fatal("a set that was removed is in a pool")
				}
				l.Ended() // a late report
			case what == 3 && pick().Running() > 0:
				for _, l := range all {
					if l.Running() > 0 {
						l.Ended()
						break
					}
				}
			default:
				pick().Started()
			}
			checkBooks(t, p, all)
		}
	})
}

func checkBooks(t *rapid.T, p *Tree[*Leaf[int]], all []*Leaf[*Leaf[int]]) {
	byKey := map[Key]*Leaf[*Leaf[int]]{}
	running, sets := map[string]int{}, map[string]int{}
	for _, l := range all {
		byKey[l.key] = l
		running[l.Pool()] += l.Running()
		sets[l.Pool()]++
	}
	for _, s := range p.Pools() {
		if s.Running != running[s.Name] || s.Sets != sets[s.Name] {
			t.Fatalf("%v: its sets run %d, and it has %d", s, running[s.Name], sets[s.Name])
		}
	}
	sorted := p.Sorted()
	if len(sorted) != len(all) || p.Len() != len(all) {
		t.Fatalf("%d sets sorted, %d counted, of %d", len(sorted), p.Len(), len(all))
	}
	for i, s := range sorted {
		l := byKey[s.key]
		delete(byKey, s.key)
		if i == 0 {
			continue
		}
		before := p.Sorted()[i-1]
		if b := leafOf(all, before); b.in == l.in && l.in.Mode == FIFO && b.key.compare(l.key) > 0 ||
			b.in == l.in && l.in.Mode == FAIR && b.Running() > l.Running() || b.in != l.in && b.in.share().compare(l.in.share()) > 0 {
			t.Fatalf("%v before %v", b, l)
		}
	}
	if len(byKey) > 0 {
		t.Fatalf("not sorted: %v", byKey)
	}
	came := map[string]int32{}
	all = slices.Clone(all)
	defer func() {
		if len(all) > 0 {
			t.Fatalf("Sets lacks %v", all)
		}
	}()
	for s := range p.Sets {
		pool := leafOf(all, s).Pool()
		if last, ok := came[pool]; ok && last >= s.key.Stage {
			t.Fatalf("set %v comes after %d, which came later", s.key, last)
		}
		came[pool] = s.key.Stage
		all = slices.DeleteFunc(all, func(l *Leaf[*Leaf[int]]) bool { return l.Set == s })
	}
}

func leafOf(all []*Leaf[*Leaf[int]], s *Leaf[int]) *Leaf[*Leaf[int]] {
	return all[slices.IndexFunc(all, func(l *Leaf[*Leaf[int]]) bool { return l.key == s.key })]
}

// The scheduler asks at each offer; the usual application has one set.
func TestSortingOneSetAllocatesNothing(t *testing.T) {
	for _, mode := range []Mode{FIFO, FAIR} {
		p := tree(mode, nil)
		l := put(p, Key{}, "", 0)
		p.Sorted()
		if n := testing.AllocsPerRun(100, func() {
			l.Started()
			p.Sorted()
		}); n != 0 {
			t.Errorf("%s: %v allocations", mode, n)
		}
	}
}

func TestSetsStopsWhenItsCallerDoes(t *testing.T) {
	p := tree(FAIR, nil)
	put(p, Key{0, 0, 0}, "a", 0)
	put(p, Key{0, 1, 0}, "b", 0)
	var got []string
	p.Sets(func(s string) bool {
		got = append(got, s)
		return false
	})
	if !slices.Equal(got, []string{"0.0"}) {
		t.Errorf("%v", got)
	}
}

// Those that would be served first come first.
func TestPoolsAreInTheOrderOfService(t *testing.T) {
	p := tree(FAIR, parsed(t, `<a><pool name="b"/><pool name="c"><minShare>1</minShare></pool></a>`))
	put(p, Key{}, "default", 0)
	put(p, Key{}, "b", 1)
	var got []string
	for _, s := range p.Pools() {
		got = append(got, s.Name)
	}
	if !slices.Equal(got, []string{"c", "default", "b"}) {
		t.Errorf("%v", got)
	}
}

func BenchmarkSorted(b *testing.B) {
	for _, n := range []int{1, 16, 1000} {
		for _, mode := range []Mode{FIFO, FAIR} {
			b.Run(fmt.Sprintf("sets=%d/%s", n, mode), func(b *testing.B) {
				p := tree(mode, nil)
				var leaves []*Leaf[string]
				for i := range n {
					leaves = append(leaves, put(p, Key{Stage: int32(i)}, fmt.Sprint(i%8), 0))
				}
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					leaves[i%n].Started()
					if len(p.Sorted()) != n {
						b.Fatal("sets are missing")
					}
				}
			})
		}
	}
}
