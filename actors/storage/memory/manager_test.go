package memory_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/coherer/coherer/actors/storage/memory"
)

const mib = 1 << 20

// blocks are an Evictor over blocks of given sizes, the oldest first.
type blocks struct {
	sizes []int64
	calls int
}

func (b *blocks) Evict(_ string, bytes int64) int64 {
	b.calls++
	freed, n := int64(0), 0
	for n < len(b.sizes) && freed < bytes {
		freed += b.sizes[n]
		n++
	}
	if freed < bytes {
		return 0
	}
	b.sizes = b.sizes[n:]
	return freed
}

func (b *blocks) sum() int64 {
	sum := int64(0)
	for _, n := range b.sizes {
		sum += n
	}
	return sum
}

// The first two are what executors of real Spark registered with (maxOnHeapMemSize), and say in their logs.
func TestAnExecutorsRegion(t *testing.T) {
	for _, tc := range []struct {
		heap                      int64
		fraction, storageFraction float64
		size, storage             int64
	}{
		{512 * mib, 0.6, 0.5, 133378867, 66689433},
		{1024 * mib, 0.6, 0.5, 455501414, 227750707}, // 434.4 MiB
		{4096 * mib, 0.6, 0.5, 2388236697, 1194118348},
		{300 * mib * 2, 0.5, 0.4, 150 * mib, 60 * mib},
		{450 * mib, 1, 0, 150 * mib, 0},
		{300 * mib, 1, 1, 100 * mib, 100 * mib}, // Spark refuses it
	} {
		got := memory.RegionOf(tc.heap, tc.fraction, tc.storageFraction)
		if got.Size != tc.size || got.Storage != tc.storage {
			t.Errorf("heap %d: %+v, want %d and %d", tc.heap, got, tc.size, tc.storage)
		}
	}
}

// kit is a Manager of 1000 bytes, 500 of them storage's, with its blocks.
type kit struct {
	*memory.Manager
	*blocks
}

func newKit() kit {
	k := kit{memory.New(memory.Region{Size: 1000, Storage: 500}), &blocks{}}
	k.SetEvictor(k.blocks)
	return k
}

func (k kit) store(n int64) bool {
	if !k.AcquireStorage("rdd_0_0", n) {
		return false
	}
	k.sizes = append(k.sizes, n)
	return true
}

func (k kit) want(t *testing.T, execution, storage int64) {
	t.Helper()
	if got := k.Usage(); got.Execution != execution || got.Storage != storage {
		t.Errorf("usage %+v, want %d and %d", got, execution, storage)
	}
	if k.sum() != storage {
		t.Errorf("blocks of %d bytes are kept, %d are accounted for", k.sum(), storage)
	}
}

// The vectors of UnifiedMemoryManagerSuite: "basic storage memory" and "execution evicts storage", with its sizes.
func TestStorageBorrowsAllThatExecutionLeaves(t *testing.T) {
	k := newKit()
	if !k.store(10) || !k.store(100) || !k.store(750) {
		t.Fatal("860 bytes of 1000 do not fit")
	}
	k.want(t, 0, 860)
	if k.calls > 0 {
		t.Error("blocks were given up while there was room")
	}
	if k.store(1001) || k.calls > 0 {
		t.Error("a block larger than the region was taken, or others given up for it")
	}
	if !k.store(1000) { // all others go
		t.Fatal("1000 bytes of 1000 do not fit")
	}
	k.want(t, 0, 1000)
	k.ReleaseStorage(1000)
	k.sizes = nil
	k.want(t, 0, 0)
}

func TestExecutionTakesBackWhatStorageBorrowed(t *testing.T) {
	k := newKit()
	k.store(750)
	// "First, ensure the test classes are set up as expected": 250 are free.
	if got := k.AcquireExecution(0, 100); got != 100 || k.calls != 0 {
		t.Fatalf("got %d, evictions %d, want 100 without any", got, k.calls)
	}
	// 150 are free, and 250 of storage's are borrowed: all of the one block goes.
	if got := k.AcquireExecution(0, 200); got != 200 || k.calls != 1 {
		t.Fatalf("got %d, evictions %d, want 200 and one", got, k.calls)
	}
	k.want(t, 300, 0)
}

func TestExecutionLeavesStorageItsOwnPart(t *testing.T) {
	k := newKit()
	k.store(400)
	if got := k.AcquireExecution(0, 1000); got != 600 || k.calls != 0 {
		t.Errorf("got %d, evictions %d, want 600 without any: storage is below its part", got, k.calls)
	}
	k.want(t, 600, 400)
	if k.store(401) || k.calls != 0 {
		t.Error("execution's memory was taken for a block")
	}
}

func TestStorageEvictsNothingOfExecution(t *testing.T) {
	k := newKit()
	k.AcquireExecution(0, 800)
	if k.store(250) || k.calls > 0 {
		t.Error("a block of 250 was taken where 200 are left, or others were given up for it")
	}
	if !k.store(150) || !k.store(100) { // the second evicts the first
		t.Error("blocks of up to 200 do not fit")
	}
	k.want(t, 800, 100)
}

// "1/N": the vectors of MemoryManagerSuite, "two tasks requesting full on-heap execution memory".
func TestTasksOfAnExecutorShare(t *testing.T) {
	m := memory.New(memory.Region{Size: 1000})
	if got := m.AcquireExecution(1, 500); got != 500 {
		t.Errorf("the first got %d", got)
	}
	if got := m.AcquireExecution(2, 700); got != 500 {
		t.Errorf("the second got %d, want half", got)
	}
	if got := m.AcquireExecution(1, 200); got != 0 {
		t.Errorf("the first got %d above its half", got)
	}
	if held := m.EndTask(2); held != 500 {
		t.Errorf("the second held %d", held)
	}
	if got := m.AcquireExecution(1, 700); got != 500 {
		t.Errorf("alone, the first got %d more, want 500", got)
	}
	one := m.Task(1)
	one.Release(900)
	if got := one.Acquire(950); got != 900 {
		t.Errorf("got %d, want the 900 that were given back", got)
	}
	one.Release(5000)
	if u := m.Usage(); u.Execution != 0 {
		t.Errorf("after more was given back than it held: %+v", u)
	}
}

// No sequence of steps may use more than the region, lose bytes, give a task more than its share, or take storage's own part.
func TestAccountsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		region := memory.Region{Size: rapid.Int64Range(0, 1000).Draw(t, "size")}
		region.Storage = rapid.Int64Range(0, region.Size).Draw(t, "storage")
		k := kit{memory.New(region), &blocks{}}
		k.SetEvictor(k.blocks)
		tasks := map[int64]int64{}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			task, n := rapid.Int64Range(0, 3).Draw(t, "task"), rapid.Int64Range(0, 1200).Draw(t, "n")
			before := k.sum()
			switch rapid.SampledFrom([]string{"store", "drop", "acquire", "release", "end"}).Draw(t, "step") {
			case "store":
				held := k.Usage().Execution
				if fits := n <= region.Size-held; k.store(n) != fits {
					t.Fatalf("block of %d with %d held of %d: fits is %v", n, held, region.Size, fits)
				}
			case "drop":
				if len(k.sizes) > 0 {
					k.ReleaseStorage(k.sizes[0])
					k.sizes = k.sizes[1:]
				}
			case "acquire":
				got := k.AcquireExecution(task, n)
				if n > 0 {
					tasks[task] += got
				}
				if got < 0 || got > n {
					t.Fatalf("got %d of %d", got, n)
				}
				if share := region.Size / int64(max(len(tasks), 1)); got > 0 && tasks[task] > share {
					t.Fatalf("a task of %d holds %d, its share is %d", len(tasks), tasks[task], share)
				}
				// Blocks go only for what storage has above its part; the last one may be larger than what was wanted.
				if k.sum() < before && before <= region.Storage {
					t.Fatalf("blocks of %d went, below storage's part of %d", before-k.sum(), region.Storage)
				}
			case "release":
				k.ReleaseExecution(task, n)
				if held, known := tasks[task]; known {
					tasks[task] = max(0, held-n)
				}
			case "end":
				if got := k.EndTask(task); got != tasks[task] {
					t.Fatalf("task held %d, want %d", got, tasks[task])
				}
				delete(tasks, task)
			}
			sum := int64(0)
			for _, n := range tasks {
				sum += n
			}
			if u := k.Usage(); u.Execution != sum || u.Storage != k.sum() || sum+k.sum() > region.Size {
				t.Fatalf("usage %+v, want %d and %d of %d", u, sum, k.sum(), region.Size)
			}
			if got, want := k.MaxStorage(), region.Size-sum; got != want {
				t.Fatalf("storage could have %d, want %d", got, want)
			}
		}
	})
}

// A task's share is of what execution could have, also while blocks fill the region (computeMaxExecutionPoolSize).
func TestBlocksDoNotShrinkTheShareOfATask(t *testing.T) {
	k := newKit()
	for range 10 {
		k.store(100)
	}
	k.AcquireExecution(1, 100)
	k.AcquireExecution(2, 100)
	if got := k.AcquireExecution(1, 200); got != 150 { // half of the 500 that storage does not own
		t.Errorf("got %d, want 150", got)
	}
}
