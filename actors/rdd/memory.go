package rdd

import "sync/atomic"

// Memory is what a task may hold beside the little that every task needs, shared with the other tasks of its executor (Spark's
// TaskMemoryManager). A task asks before it grows, and spills when it is refused. Its methods may be called from the task's
// goroutine only.
type Memory interface {
	// Acquire gives from 0 to n bytes, and returns how many.
	Acquire(n int64) int64
	// Release gives back n bytes of those acquired.
	Release(n int64)
}

// Metrics count what a task did beside its records (Spark's TaskMetrics). Others may look at them when the task has ended.
type Metrics struct {
	// MemorySpilled is the size in memory of what was spilled, DiskSpilled its size in files; bytes.
	MemorySpilled, DiskSpilled int64
	// PeakMemory is the most bytes that the task's sorters and combiners held at once.
	PeakMemory int64
	// ShuffleBytesWritten and ShuffleRecordsWritten are of the map output, ShuffleBytesRead and ShuffleRecordsRead of the blocks that the
	// task fetched.
	ShuffleBytesWritten, ShuffleRecordsWritten int64
	ShuffleBytesRead, ShuffleRecordsRead       int64
}

// Limit is a Memory of so many bytes, for tests and for programs without an executor's memory manager. Tasks may share it.
type Limit struct{ free atomic.Int64 }

// NewLimit is a Limit of n bytes.
func NewLimit(n int64) *Limit {
	l := &Limit{}
	l.free.Store(n)
	return l
}

// Acquire gives what is left, at most n.
func (l *Limit) Acquire(n int64) int64 {
	for {
		free := l.free.Load()
		got := max(0, min(n, free))
		if l.free.CompareAndSwap(free, free-got) {
			return got
		}
	}
}

// Release gives back n bytes.
func (l *Limit) Release(n int64) { l.free.Add(n) }

// budget is what one sorter or combiner holds of its task's memory. It asks for a little more than it uses, since asking takes a lock.
type budget struct {
	r          *run
	held, used int64
}

// askStep is the least that a budget asks for, and the most that it keeps unused.
const askStep = 64 << 10

// want takes n more bytes. It returns false when they are refused, which changes nothing.
func (b *budget) want(n int64) bool {
	if b.used+n > b.held && b.r.task.Memory != nil {
		need := b.used + n - b.held
		got := b.r.task.Memory.Acquire(max(need, askStep))
		if got < need {
			b.r.task.Memory.Release(got)
			return false
		}
		b.held += got
	}
	b.use(n)
	return true
}

// must takes n more bytes, also those that are refused: what it cannot do without.
func (b *budget) must(n int64) {
	if !b.want(n) {
		b.use(n)
	}
}

func (b *budget) use(n int64) {
	b.used += n
	b.r.memory += n
	b.r.metrics.PeakMemory = max(b.r.metrics.PeakMemory, b.r.memory)
}

// free gives back n bytes.
func (b *budget) free(n int64) {
	b.used -= n
	b.r.memory -= n
	if spare := b.held - b.used; spare > askStep || b.used == 0 {
		if b.held > 0 {
			b.release(min(spare, b.held))
		}
	}
}

// end gives back all.
func (b *budget) end() {
	b.r.memory -= b.used
	b.used = 0
	b.release(b.held)
}

func (b *budget) release(n int64) {
	if n > 0 {
		b.held -= n
		b.r.task.Memory.Release(n)
	}
}
