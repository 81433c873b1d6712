package rdd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var (
	items = Define("items", func(a []string) Dataset[string] { return Parallelize(a, 3) })

	// faulty panics in the function of the operation that its argument names.
	faulty = Define("faulty", func(where string) Dataset[Pair[int64, int64]] {
		fail := func(here string) {
			if here == where {
				panic(errBroken)
			}
		}
		d := FlatMap(Range(0, 9, 1), func(x int64) iter.Seq[int64] {
			return func(yield func(int64) bool) {
				if yield(x) { // what follows runs after the later operations
					fail("FlatMap")
				}
			}
		})
		d = Filter(d, func(int64) bool { fail("Filter"); return true })
		d = MapPartitions(d, func(in iter.Seq[int64]) iter.Seq[int64] {
			return func(yield func(int64) bool) {
				for x := range in {
					if !yield(x) {
						return
					}
				}
				fail("MapPartitions")
			}
		})
		pairs := Map(d, func(x int64) Pair[int64, int64] { fail("Map"); return PairOf(x%2, x) })
		return ReduceByKey(pairs, func(a, b int64) int64 { fail("ReduceByKey"); return a + b }, 2)
	})

	indexed = Define("indexed", func(n int) Dataset[string] {
		return MapPartitionsWithIndex(Range(0, 7, n), func(partition int, in iter.Seq[int64]) iter.Seq[string] {
			return func(yield func(string) bool) {
				yield(fmt.Sprint(partition, slices.Collect(in)))
			}
		})
	})

	upTo    = Define("up to", func(n int64) Dataset[int64] { return Range(0, n, 1) })
	endless = Define("endless", func(int) Dataset[int] {
		return FlatMap(Range(0, 1, 1), func(int64) iter.Seq[int] {
			return func(yield func(int) bool) {
				for yield(1) {
				}
			}
		})
	})

	// swallowing recovers every panic that passes it.
	swallowing = Define("swallowing", func(path string) Dataset[int] {
		return MapPartitions(TextFile(path, 1), func(in iter.Seq[string]) iter.Seq[int] {
			return func(yield func(int) bool) {
				n := 0
				func() {
					defer func() { _ = recover() }()
					for range in {
						n++
					}
				}()
				yield(n)
			}
		})
	})
)

var errBroken = errors.New("broken")

// runMap is RunMap with the blocks in memory.
func runMap(l *Lineage, t Task, shuffle int) (Blocks, error) {
	var blocks Blocks
	if shuffle < len(l.Shuffles()) {
		blocks = make(Blocks, l.Shuffles()[shuffle].Reducers)
	}
	return blocks, l.RunMap(t, shuffle, blocks.Output())
}

// idle is a task that computes nothing.
func idle() *run { return &run{metrics: &Metrics{}, at: outside} }

// countIndependently counts words in the plainest way.
func countIndependently(text []byte) map[string]int64 {
	counts := map[string]int64{}
	for _, w := range bytes.FieldsFunc(text, func(r rune) bool { return r < 128 && strings.ContainsRune(" \t\n\v\f\r", r) }) {
		counts[string(w)]++
	}
	return counts
}

func TestWordCountIsRight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := textGen().Draw(t, "text")
		a := countArgs{"text", rapid.IntRange(0, 9).Draw(t, "splits"), rapid.IntRange(1, 5).Draw(t, "reducers")}
		got, err := Collect(context.Background(), Local(MemFS{"text": text}), wordCount.With(a))
		if err != nil {
			t.Fatal(err)
		}
		counts := map[string]int64{}
		for _, p := range got {
			counts[p.Key] += p.Value
		}
		if want := countIndependently(text); !maps.Equal(counts, want) || len(got) != len(want) {
			t.Fatalf("text %q:\ngot  %v\nwant %v", text, got, want)
		}
	})
}

func TestSameTaskSameBytes(t *testing.T) {
	fs := MemFS{"text": prose(1 << 18)}
	var first [][]byte
	for range 3 {
		l := lineageOf(t, wordCount.With(countArgs{"text", 1, 3}))
		splits, err := l.Splits(fs, 2)
		if err != nil {
			t.Fatal(err)
		}
		blocks, err := runMap(l, Task{Node: 2, Split: splits[0], FS: fs}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = blocks
		}
		if !slices.EqualFunc(blocks, first, bytes.Equal) {
			t.Fatal("blocks differ between runs")
		}
	}
}

func TestResultOrder(t *testing.T) {
	fs := MemFS{"text": []byte("b a b\nc a\nd")}
	got, err := Collect(t.Context(), Local(fs), wordCount.With(countArgs{"text", 2, 1}))
	want := []Pair[string, int64]{{"b", 2}, {"a", 2}, {"c", 1}, {"d", 1}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, want %v in order of first appearance (error %v)", got, want, err)
	}
}

func TestReducerWithoutRecordsGetsNil(t *testing.T) {
	fs := MemFS{"text": []byte("word")}
	l := lineageOf(t, wordCount.With(countArgs{"text", 1, 3}))
	splits, err := l.Splits(fs, 2)
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := runMap(l, Task{Node: 2, Split: splits[0], FS: fs}, 0)
	if err != nil || len(blocks) != 3 {
		t.Fatalf("%d blocks, error %v", len(blocks), err)
	}
	for i, b := range blocks {
		if mine := i == reducerOf(appendString(nil, "word"), 3); (b != nil) != mine {
			t.Errorf("block %d is %q", i, b)
		}
	}
}

// A key goes to the same reducer in all versions that may share a cluster.
func TestReducerOf(t *testing.T) {
	for key, want := range map[string][3]int{"": {1, 1, 6}, "a": {0, 0, 1}, "word": {1, 3, 2}, "\xff\x00": {1, 1, 2}} {
		got := [3]int{reducerOf([]byte(key), 2), reducerOf([]byte(key), 4), reducerOf([]byte(key), 7)}
		if got != want {
			t.Errorf("reducers of %q: %v, want %v", key, got, want)
		}
	}
	var filled [16]int
	for i := range 16_000 {
		filled[reducerOf(fmt.Append(nil, "key", i), len(filled))]++
	}
	if low, high := slices.Min(filled[:]), slices.Max(filled[:]); low < 850 || high > 1150 {
		t.Errorf("16,000 keys fill 16 reducers with %d to %d", low, high)
	}
}

func TestMapPartitionsWithIndex(t *testing.T) {
	got, err := Collect(t.Context(), Local(nil), indexed.With(3))
	if want := []string{"0 [0 1]", "1 [2 3]", "2 [4 5 6]"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, want %q (error %v)", got, want, err)
	}
}

// shortened runs a result task on a file that is shorter than its split says.
type shortened struct{}

func (shortened) RunJob(_ context.Context, job Invocation, action Action) ([]Result, error) {
	splits, err := job.Lineage.Splits(MemFS{"text": []byte("it is long")}, 1)
	if err != nil {
		return nil, nil // which the test takes for a result
	}
	res, err := job.Lineage.RunResult(Task{Node: 1, Split: splits[0], FS: MemFS{"text": []byte("short")}}, action)
	return []Result{res}, err
}

func (shortened) Partitions(context.Context, Invocation) (int, error) { return 1, nil }

// inFolder is an FS of a process whose working directory is dir.
type inFolder struct {
	MemFS
	dir string
}

func (f inFolder) Resolve(path string) (string, error) { return f.dir + "/" + path, nil }

func TestARelativePathIsThatOfTheDriver(t *testing.T) {
	l := lineageOf(t, wordCount.With(countArgs{"text", 1, 1}))
	files := MemFS{"/driver/text": []byte("a b a"), "/executor/text": []byte("other")}
	splits, err := l.Splits(inFolder{files, "/driver"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := runMap(l, Task{Node: 2, Split: splits[0], FS: inFolder{files, "/executor"}}, 0)
	if err != nil || !bytes.Contains(blocks[0], []byte("a")) || bytes.Contains(blocks[0], []byte("other")) {
		t.Errorf("blocks %q, error %v", blocks, err)
	}
	_, err = runMap(l, Task{Node: 2, Split: splits[0], FS: MemFS{}}, 0)
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "/driver/text: file does not exist, where the driver had it") {
		t.Errorf("a file that an executor lacks: %v", err)
	}
	if _, err = l.Splits(inFolder{files, "/elsewhere"}, 0); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "/elsewhere/text") {
		t.Errorf("a file that the driver lacks: %v", err)
	}
}

func TestFileThatGrows(t *testing.T) {
	l := lineageOf(t, wordCount.With(countArgs{"text", 1, 1}))
	splits, err := l.Splits(MemFS{"text": []byte("one tw")}, 2)
	if err != nil {
		t.Fatal(err)
	}
	input, records := int64(0), new(Counter)
	blocks, err := runMap(l, Task{
		Node: 2, Split: splits[0], FS: MemFS{"text": []byte("one two three")},
		OnInput: func(n int64) { input += n },
		Read:    records,
	}, 0)
	if err != nil || !bytes.Equal(blocks[0], []byte("\x03one\x02\x02tw\x02")) {
		t.Errorf("block %q, error %v", blocks[0], err)
	}
	if input != 6 || records.Records() != 1 { // the words that the map function gives are not read
		t.Errorf("read %d bytes in %d lines, want the 6 of the split in one", input, records)
	}
}

func TestPortion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		length, n := rapid.Uint64().Draw(t, "length"), rapid.IntRange(1, 1000).Draw(t, "n")
		end := uint64(0)
		for i := range n {
			from, to := portion(length, i, n)
			if from != end || to < from || to > from && to-from-1 > length/uint64(n) {
				t.Fatalf("part %d of %d of %d: %d to %d after %d", i, n, length, from, to, end)
			}
			end = to
		}
		if end != length {
			t.Fatalf("%d parts of %d end at %d", n, length, end)
		}
	})
}
