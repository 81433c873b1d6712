package rdd

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// computed counts the records that the functions of persisted jobs have computed.
var computed atomic.Int64

func countOne(x int64) int64 {
	computed.Add(1)
	return x
}

type keptArgs struct {
	Path       string
	Partitions int
	Level      StorageLevel
	Salt       int64
}

var (
	keptLines = Define("kept lines", func(a keptArgs) Dataset[string] {
		return Persist(Map(TextFile(a.Path, a.Partitions), func(s string) string {
			computed.Add(1)
			return strings.ToUpper(s)
		}), a.Level)
	})
	onKept = Define("on kept", func(of Bound[string]) Dataset[Pair[string, int64]] {
		ones := Map(From(of), func(s string) Pair[string, int64] { return PairOf(s, int64(1)) })
		return ReduceByKey(ones, func(a, b int64) int64 { return a + b }, 2)
	})
	keptNumbers = Define("kept numbers", func(a keptArgs) Dataset[int64] {
		return Cache(Map(Range(0, 100, a.Partitions), countOne))
	})
	// keptTwice persists two Datasets that only the values which functions captured tell apart.
	keptTwice = Define("kept twice", func(n int64) Dataset[int64] {
		add := func(x int64) Dataset[int64] { return Cache(Map(Range(0, 4, 1), func(v int64) int64 { return v + x })) }
		return Union(add(0), add(n))
	})
	// keptBehind persists what a shuffle gives.
	keptBehind = Define("kept behind", func(a keptArgs) Dataset[Pair[int64, int64]] {
		pairs := Map(Range(0, 100, 3), func(x int64) Pair[int64, int64] { return PairOf(countOne(x)%7, a.Salt) })
		return Cache(ReduceByKey(pairs, func(a, b int64) int64 { return a + b }, 2))
	})
	badLevel     = Define("bad level", func(int) Dataset[int64] { return Persist(Range(0, 1, 1), StorageLevel{}) })
	keptNowhere  = Define("kept nowhere", func(of Bound[string]) Dataset[string] { return Filter(From(of), func(string) bool { return true }) })
	keptPanicked = Define("kept panicked", func(int) Dataset[int64] {
		return Map(Cache(Map(Range(0, 5, 1), countOne)), func(x int64) int64 {
			if x == 3 && computed.Load() < 6 {
				panic("once")
			}
			return x
		})
	})
	keptSome = Define("kept some", func(int) Dataset[int64] {
		return MapPartitions(Cache(Map(Range(0, 50, 1), countOne)), func(in iter.Seq[int64]) iter.Seq[int64] {
			return func(yield func(int64) bool) {
				for x := range in {
					yield(x)
					return
				}
			}
		})
	})
	packageKept = Cache(Map(Range(0, 5, 1), countOne))
	sharesKept  = Define("shares kept", func(int) Dataset[int64] { return packageKept })
	sharesToo   = Define("shares too", func(int) Dataset[int64] {
		return Map(packageKept, func(x int64) int64 { return -x })
	})
)

// passes collects, and wants so many records computed.
func passes[T any](t *testing.T, r Runner, b Bound[T], want int64) []T {
	t.Helper()
	computed.Store(0)
	got, err := Collect(t.Context(), r, b)
	if err != nil {
		t.Fatal(err)
	}
	if n := computed.Load(); n != want {
		t.Errorf("%d records were computed, want %d", n, want)
	}
	return got
}

func TestAPersistedDatasetIsComputedOnce(t *testing.T) {
	fs := MemFS{"a": []byte("x\ny\nx\n"), "b": []byte("z\n")}
	r := Local(fs)
	lines := keptLines.With(keptArgs{Path: "a", Partitions: 2, Level: MemoryOnly})
	first := passes(t, r, lines, 3)
	if again := passes(t, r, lines, 0); !slices.Equal(again, first) || len(first) != 3 {
		t.Errorf("first %q, then %q", first, again)
	}
	passes(t, Local(fs), lines, 3) // a Runner of its own keeps nothing yet
	passes(t, r, keptLines.With(keptArgs{Path: "b", Partitions: 2, Level: MemoryOnly}), 1)
	passes(t, r, keptLines.With(keptArgs{Path: "a", Partitions: 2, Level: MemoryOnly, Salt: 1}), 3) // another argument is another Dataset
}

func TestAnotherJobThatTakesItUpReadsWhatIsKept(t *testing.T) {
	r := Local(MemFS{"a": []byte("x\ny\nx\n")})
	lines := keptLines.With(keptArgs{Path: "a", Partitions: 2, Level: DiskOnly})
	counts := passes(t, r, onKept.With(lines), 3)
	if want := map[string]int64{"X": 2, "Y": 1}; !maps.Equal(toMap(counts), want) {
		t.Errorf("counts %v", counts)
	}
	passes(t, r, lines, 0)
	passes(t, r, keptNowhere.With(lines), 0)
}

func toMap(pairs []Pair[string, int64]) map[string]int64 {
	out := map[string]int64{}
	for _, p := range pairs {
		out[p.Key] += p.Value
	}
	return out
}

func TestAChangedFileIsReadAgain(t *testing.T) {
	fs := MemFS{"a": []byte("x\ny\n")}
	r := Local(fs)
	lines := keptLines.With(keptArgs{Path: "a", Partitions: 1, Level: MemoryOnly})
	passes(t, r, lines, 2)
	fs["a"] = []byte("x\ny\nz\n")
	if got := passes(t, r, lines, 3); !slices.Equal(got, []string{"X", "Y", "Z"}) {
		t.Errorf("got %q", got)
	}
}

func TestDatasetsThatOnlyCapturesTellApartAreKeptApart(t *testing.T) {
	r := Local(MemFS{})
	for range 2 {
		if got := passes(t, r, keptTwice.With(10), 0); !slices.Equal(got, []int64{0, 1, 2, 3, 10, 11, 12, 13}) {
			t.Errorf("got %v", got)
		}
	}
}

func TestWhatLiesBehindAKeptDatasetIsNotComputed(t *testing.T) {
	r := Local(MemFS{})
	first := passes(t, r, keptBehind.With(keptArgs{Salt: 1}), 100)
	if again := passes(t, r, keptBehind.With(keptArgs{Salt: 1}), 0); !slices.Equal(again, first) {
		t.Errorf("first %v, then %v", first, again)
	}
}

// A join of a Dataset that is kept by its keys needs no shuffle of it.
func TestAKeptDatasetKeepsItsPartitioner(t *testing.T) {
	if l := lineageOf(t, keptJoined.With(0)); len(l.Shuffles()) != 2 {
		t.Errorf("%d shuffles, want those of the two sums alone:\n%s", len(l.Shuffles()), strings.Join(l.Lines(), "\n"))
	}
}

var keptJoined = Define("kept joined", func(int) Dataset[Pair[int64, Both[int64, int64]]] {
	sums := func(n int64) Dataset[Pair[int64, int64]] {
		pairs := Map(Range(0, n, 2), func(x int64) Pair[int64, int64] { return PairOf(x%3, x) })
		return Cache(ReduceByKey(pairs, func(a, b int64) int64 { return a + b }, 2))
	}
	return Join(sums(10), sums(20), 2)
})

func TestUnpersist(t *testing.T) {
	r := Local(MemFS{"a": []byte("x\ny\n")})
	lines := keptLines.With(keptArgs{Path: "a", Partitions: 1, Level: MemoryOnly})
	passes(t, r, lines, 2)
	if err := Unpersist(t.Context(), r, keptNumbers.With(keptArgs{Partitions: 1})); err != nil { // another one
		t.Error(err)
	}
	passes(t, r, lines, 0)
	err := Unpersist(t.Context(), r, onKept.With(lines)) // it persists nothing itself
	if !errors.Is(err, ErrBadJob) || !strings.Contains(err.Error(), "call Unpersist with the job in which Persist stands") {
		t.Error(err)
	}
	passes(t, r, lines, 0)
	if err := Unpersist(t.Context(), r, lines); err != nil {
		t.Error(err)
	}
	passes(t, r, lines, 2)
	if err := Unpersist(t.Context(), runnerOnly{r}, lines); err != nil {
		t.Errorf("a Runner that keeps nothing: %v", err)
	}
	if err := Unpersist(t.Context(), r, badLevel.With(1)); !errors.Is(err, ErrBadJob) || !strings.Contains(err.Error(), "NONE") {
		t.Error(err)
	}
}

// runnerOnly is a Runner that is no Unpersister.
type runnerOnly struct{ r Runner }

func (r runnerOnly) RunJob(ctx context.Context, job Invocation, a Action) ([]Result, error) {
	return r.r.RunJob(ctx, job, a)
}

func TestAPartitionThatFailedIsNotKept(t *testing.T) {
	r := Local(MemFS{})
	computed.Store(0)
	if _, err := Collect(t.Context(), r, keptPanicked.With(0)); err == nil {
		t.Fatal("it did not panic")
	}
	computed.Store(10)
	got, err := Collect(t.Context(), r, keptPanicked.With(0))
	if err != nil || computed.Load() != 15 || !slices.Equal(got, []int64{0, 1, 2, 3, 4}) {
		t.Errorf("got %v, error %v, %d computed", got, err, computed.Load()-10)
	}
}

// A reader that wants no more records leaves a whole partition behind.
func TestAReaderThatEndsEarlyKeepsTheWholePartition(t *testing.T) {
	r := Local(MemFS{})
	passes(t, r, keptSome.With(0), 50)
	passes(t, r, keptSome.With(0), 0)
}

func TestADatasetInAPackageVariableIsKeptForAllItsJobs(t *testing.T) {
	r := Local(MemFS{})
	passes(t, r, sharesKept.With(0), 5)
	if got := passes(t, r, sharesToo.With(0), 0); !slices.Equal(got, []int64{0, -1, -2, -3, -4}) {
		t.Errorf("got %v", got)
	}
}

func (r runnerOnly) Partitions(ctx context.Context, job Invocation) (int, error) {
	return r.r.Partitions(ctx, job)
}

func TestStorageLevels(t *testing.T) {
	for _, tc := range []struct {
		level StorageLevel
		want  string
	}{
		{MemoryOnly, "MEMORY_ONLY"},
		{MemoryOnly2, "MEMORY_ONLY_2"},
		{MemoryOnlySer, "MEMORY_ONLY_SER"},
		{MemoryAndDisk, "MEMORY_AND_DISK"},
		{MemoryAndDisk2, "MEMORY_AND_DISK_2"},
		{MemoryAndDiskSer2, "MEMORY_AND_DISK_SER_2"},
		{DiskOnly, "DISK_ONLY"},
		{DiskOnly2, "DISK_ONLY_2"},
		{DiskOnly3, "DISK_ONLY_3"},
		{StorageLevel{}, "NONE"},
		{StorageLevel{Memory: true}, "NONE"},
		{StorageLevel{Disk: true, Replication: 40}, "NONE"},
		{StorageLevel{Replication: 1}, "NONE"},
	} {
		if got := tc.level.String(); got != tc.want || tc.level.Valid() != (got != "NONE") {
			t.Errorf("%#v is %s, want %s", tc.level, got, tc.want)
		}
	}
	if got := lineageOf(t, keptLines.With(keptArgs{Path: "a", Partitions: 2, Level: DiskOnly2})).Nodes[2].String(); got != "2 Persist string <- 1 with level=DISK_ONLY_2" {
		t.Errorf("its line is %q", got)
	}
}
