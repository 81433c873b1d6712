package rdd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// shelf has temporary files in memory, on a disk of so many bytes; 0: endless.
type shelf struct {
	disk, used   int64
	made, closed int
}

type shelved struct {
	*shelf
	data []byte
}

var errFull = errors.New("no space left on device")

func (s *shelf) Create() (SpillFile, error) {
	s.made++
	return &shelved{shelf: s}, nil
}

func (f *shelved) Write(p []byte) (int, error) {
	if f.disk > 0 && f.used+int64(len(p)) > f.disk {
		return 0, errFull
	}
	f.used += int64(len(p))
	f.data = append(f.data, p...)
	return len(p), nil
}

func (f *shelved) ReadAt(p []byte, off int64) (int, error) {
	return bytes.NewReader(f.data).ReadAt(p, off)
}

func (f *shelved) Close() error {
	f.closed++
	f.used -= int64(len(f.data))
	return nil
}

// moody is a Memory that refuses as its schedule says, and checks that no more is given back than was taken.
type moody struct {
	limit    *Limit
	schedule *rand.Rand // nil: never moody
	held     int64
}

func (m *moody) Acquire(n int64) int64 {
	if m.schedule != nil && m.schedule.IntN(3) == 0 {
		n = m.schedule.Int64N(n + 1)
	}
	got := m.limit.Acquire(n)
	m.held += got
	return got
}

func (m *moody) Release(n int64) {
	if m.held -= n; m.held < 0 || n < 0 {
		panic("more is given back than was taken")
	}
	m.limit.Release(n)
}

// scarce draws how little a task has.
func scarce(t *rapid.T, task *Task) (*moody, *shelf) {
	m := &moody{limit: NewLimit(rapid.Int64Range(0, 40_000).Draw(t, "memory"))}
	if rapid.Bool().Draw(t, "moody") {
		m.limit = NewLimit(1 << 40)
		m.schedule = rand.New(rand.NewPCG(1, rapid.Uint64().Draw(t, "moods")))
	}
	s := &shelf{}
	task.Memory, task.Spill, task.SpillAfter = m, s, rapid.SampledFrom([]int{0, 1, 7, 50}).Draw(t, "spill after")
	return m, s
}

// wantNothingLeft wants all memory and all files given back.
func wantNothingLeft(t *rapid.T, m *moody, s *shelf) {
	if m.held != 0 || s.made != s.closed || s.used != 0 {
		t.Fatalf("%d bytes of memory are held, and %d of %d files are open", m.held, s.made-s.closed, s.made)
	}
}

type mergeArgs struct {
	Keys     []string
	Reducers int
}

var (
	// fold is not associative, and its values grow: any other grouping or order of the values shows.
	fold = Define("spill test: fold", func(a mergeArgs) Dataset[Pair[string, string]] {
		return ReduceByKey(numbered(a.Keys), func(a, b string) string { return "(" + a + " " + b + ")" }, a.Reducers)
	})
	// totals is what people do.
	totals = Define("spill test: sum", func(a mergeArgs) Dataset[Pair[string, float64]] {
		values := Map(numbered(a.Keys), func(p Pair[string, string]) Pair[string, float64] {
			return PairOf(p.Key, 1/float64(len(p.Key)+1)+float64(len(p.Value))*1e9)
		})
		return ReduceByKey(values, func(a, b float64) float64 { return a + b }, a.Reducers)
	})
	// deep has keys and values of several parts.
	deep = Define("spill test: deep", func(a mergeArgs) Dataset[Pair[deepKey, []deepValue]] {
		values := Map(numbered(a.Keys), func(p Pair[string, string]) Pair[deepKey, []deepValue] {
			return PairOf(deepKey{p.Key, int8(len(p.Key))}, []deepValue{{p.Value, map[string]int{p.Key: len(p.Value)}}})
		})
		return ReduceByKey(values, func(a, b []deepValue) []deepValue { return append(a, b...) }, a.Reducers)
	})
)

type deepKey struct {
	Word string
	Size int8
}

type deepValue struct {
	Word string
	Map  map[string]int
}

// numbered are the keys with the places in which they stand.
func numbered(keys []string) Dataset[Pair[string, string]] {
	return MapPartitionsWithIndex(Parallelize(keys, 1), func(_ int, in iter.Seq[string]) iter.Seq[Pair[string, string]] {
		return func(yield func(Pair[string, string]) bool) {
			i := 0
			for k := range in {
				if i++; !yield(PairOf(k, fmt.Sprint(i))) {
					return
				}
			}
		}
	})
}

func keysGen() *rapid.Generator[[]string] {
	return rapid.Custom(func(t *rapid.T) []string {
		r := rand.New(rand.NewPCG(2, rapid.Uint64().Draw(t, "seed")))
		n, different := rapid.IntRange(0, 600).Draw(t, "n"), rapid.SampledFrom([]int{1, 5, 100, 1 << 30}).Draw(t, "different")
		keys := make([]string, n)
		for i := range keys {
			k := r.IntN(different)
			keys[i] = fmt.Sprint(k, strings.Repeat("x", k%40))
		}
		return keys
	})
}

// A task with little memory gives the bytes of one with enough, whatever is refused and when.
func TestSpilledTasksGiveTheSameBytes(t *testing.T) {
	for name, same := range map[string]func(*rapid.T, mergeArgs){"fold": same(fold), "sum": same(totals), "deep": same(deep)} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				same(t, mergeArgs{keysGen().Draw(t, "keys"), rapid.SampledFrom([]int{1, 2, 7, 300}).Draw(t, "reducers")})
			})
		})
	}
}

func same[T any](job Job[mergeArgs, T]) func(*rapid.T, mergeArgs) {
	return func(t *rapid.T, a mergeArgs) {
		inv, err := job.With(a).Invocation()
		if err != nil {
			t.Fatal(err)
		}
		l := inv.Lineage
		shuffle := l.Shuffles()[0]
		splits, err := l.Splits(nil, shuffle.MapNode)
		if err != nil {
			t.Fatal(err)
		}
		task := Task{Node: shuffle.MapNode, Split: splits[0]}
		want, err := runMap(l, task, 0)
		if err != nil {
			t.Fatal(err)
		}
		memory, files := scarce(t, &task)
		got, err := runMap(l, task, 0)
		if err != nil || !slices.EqualFunc(got, want, bytes.Equal) {
			t.Fatalf("map output\n%q, want\n%q, %v", got, want, err)
		}
		wantNothingLeft(t, memory, files)
		// Of two map tasks, so that keys come twice.
		behind := Task{Node: l.Last(), Fetch: func(int, int) iter.Seq2[io.Reader, error] {
			return func(yield func(io.Reader, error) bool) {
				for _, b := range append(slices.Clone(want), want...) {
					if !yield(bytes.NewReader(b), nil) {
						return
					}
				}
			}
		}}
		if behind.Split, err = splitOf(l, l.Last()); err != nil {
			t.Fatal(err)
		}
		enough, err := l.RunResult(behind, ActionCollect)
		if err != nil {
			t.Fatal(err)
		}
		memory, files = scarce(t, &behind)
		little, err := l.RunResult(behind, ActionCollect)
		if err != nil || little.Count != enough.Count || !bytes.Equal(little.Records, enough.Records) {
			t.Fatalf("result\n%q, want\n%q, %v", little.Records, enough.Records, err)
		}
		wantNothingLeft(t, memory, files)
	}
}

func splitOf(l *Lineage, node int) ([]byte, error) {
	splits, err := l.Splits(nil, node)
	if err != nil {
		return nil, err
	}
	return splits[0], nil
}

// Values are merged one by one in their order, however often the task spills.
func TestSpilledValuesAreFoldedInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := keysGen().Draw(t, "keys")
		codecs, err := pairCodecs[string, string, string]()
		if err != nil {
			t.Fatal(err)
		}
		r := idle()
		memory, files := scarce(t, &r.task)
		var want []Pair[string, string]
		at := map[string]int{}
		f := func(a, b string) string { return a + "," + b }
		for i, k := range keys {
			if n, ok := at[k]; ok {
				want[n].Value = f(want[n].Value, fmt.Sprint(i))
				continue
			}
			at[k] = len(want)
			want = append(want, PairOf(k, fmt.Sprint(i)))
		}
		c := newCombiner(r, 0, reducing(f), codecs)
		c.small = rapid.SampledFrom([]int{0, 128, smallTable}).Draw(t, "small")
		for i, k := range keys {
			c.add(PairOf(k, fmt.Sprint(i)))
		}
		c.flush()
		if got := slices.Collect(c.pairs()); !slices.Equal(got, want) {
			t.Fatalf("got  %q\nwant %q", got, want)
		}
		r.closeSpills()
		wantNothingLeft(t, memory, files)
		if files.made > 0 && (r.metrics.DiskSpilled == 0 || r.metrics.MemorySpilled == 0) || r.memory != 0 {
			t.Fatalf("%+v after %d files, %d bytes", *r.metrics, files.made, r.memory)
		}
	})
}

// The sorter is a stable sort by prefix and body.
func TestSorter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type record struct {
			prefix uint64
			body   string
		}
		r := idle()
		memory, files := scarce(t, &r.task)
		draw := rand.New(rand.NewPCG(3, rapid.Uint64().Draw(t, "seed")))
		width := rapid.SampledFrom([]uint64{1, 3, 1 << 20, 1<<64 - 1}).Draw(t, "prefixes")
		long := rapid.SampledFrom([]int{1, 30, 30_000}).Draw(t, "longest")
		var want []record
		// Only the first byte of a body counts, so that there are equal ones that can be told apart.
		first := func(a, b []byte) int { return int(a[0]) - int(b[0]) }
		s := newSorter(r, first)
		for i := range rapid.IntRange(0, 700).Draw(t, "records") {
			body := fmt.Sprint(draw.IntN(4), "-", i)
			if i%100 == 0 {
				body += strings.Repeat("y", draw.IntN(long))
			}
			rec := record{draw.Uint64N(width) << draw.IntN(2), body}
			want = append(want, rec)
			s.add(rec.prefix, []byte(rec.body))
		}
		slices.SortStableFunc(want, func(a, b record) int {
			if a.prefix != b.prefix {
				if a.prefix < b.prefix {
					return -1
				}
				return 1
			}
			return first([]byte(a.body), []byte(b.body))
		})
		var got []record
		for prefix, body := range s.sorted() {
			got = append(got, record{prefix, string(body)})
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got  %.2000v\nwant %.2000v", got, want)
		}
		r.closeSpills()
		wantNothingLeft(t, memory, files)
	})
}

// A full disk ends the task with the words of the disk.
func TestAFullDiskFailsTheTask(t *testing.T) {
	keys := make([]string, 5000)
	for i := range keys {
		keys[i] = fmt.Sprint("key", i)
	}
	inv, err := fold.With(mergeArgs{keys, 3}).Invocation()
	if err != nil {
		t.Fatal(err)
	}
	files := &shelf{disk: 20_000}
	split, err := splitOf(inv.Lineage, inv.Lineage.Shuffles()[0].MapNode)
	if err != nil {
		t.Fatal(err)
	}
	_, err = runMap(inv.Lineage, Task{Node: inv.Lineage.Shuffles()[0].MapNode, Split: split, Memory: NewLimit(10_000), Spill: files}, 0)
	if !errors.Is(err, errFull) || !strings.HasPrefix(err.Error(), "rdd: spill: no space left") {
		t.Error(err)
	}
	if files.made == 0 || files.made != files.closed {
		t.Errorf("%d of %d files are open", files.made-files.closed, files.made)
	}
}

// What a task holds is bounded by what it was given, and the little that each of its sorters needs.
func TestATaskHoldsWhatItWasGiven(t *testing.T) {
	const given = 4 << 20
	codecs, err := pairCodecs[string, int64, int64]()
	if err != nil {
		t.Fatal(err)
	}
	r := idle()
	r.task.Memory, r.task.Spill = NewLimit(given), &shelf{}
	c := combine(r, 0, reducing(func(a, b int64) int64 { return a + b }), codecs, func(yield func(Pair[string, int64]) bool) {
		for i := range 400_000 {
			if !yield(PairOf(fmt.Sprint("a key of some length ", i), int64(1))) {
				return
			}
		}
	})
	n := 0
	for p := range c.pairs() {
		if p.Key != fmt.Sprint("a key of some length ", n) || p.Value != 1 {
			t.Fatal(n, p)
		}
		n++
	}
	if n != 400_000 || r.metrics.PeakMemory > given+mergeWidth*mergeBuffer+firstChunk || r.metrics.DiskSpilled < 10<<20 {
		t.Errorf("%d keys, %+v", n, *r.metrics)
	}
}

// A batch may find keys in the table that leave it before their turn comes.
func TestAKeyThatLeavesTheTableWhileItsBatchIsLookedUp(t *testing.T) {
	codecs, err := pairCodecs[string, string, string]()
	if err != nil {
		t.Fatal(err)
	}
	r := idle()
	r.task.Spill, r.task.SpillAfter = &shelf{}, 32
	c := newCombiner(r, 0, reducing(func(a, b string) string { return a + b }), codecs)
	c.small = 0
	var want []Pair[string, string]
	for i := range 32 {
		k := fmt.Sprint("key", i)
		c.add(PairOf(k, "a"))
		want = append(want, PairOf(k, "a"))
	}
	c.add(PairOf("new", "a"))
	for i := range 15 {
		c.add(PairOf(fmt.Sprint("key", 31-i), "b"))
		want[31-i].Value += "b"
	}
	if got := slices.Collect(c.pairs()); !slices.Equal(got, append(want, PairOf("new", "a"))) {
		t.Errorf("%q", got)
	}
}
