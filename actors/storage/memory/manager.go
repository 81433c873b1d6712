package memory

import "sync"

// Evictor gives up blocks that are kept in memory (MemoryStore.evictBlocksToFreeSpace).
type Evictor interface {
	// Evict frees at least so many bytes for a block, or, when it cannot, gives up none and returns 0. It returns what it freed. An
	// empty id: the room is for a task.
	Evict(forBlock string, bytes int64) int64
}

// Manager keeps account of the region. Its methods may be called from several goroutines at once.
type Manager struct {
	region Region

	mu      sync.Mutex
	evictor Evictor
	// execution and storage are the sizes of the two pools; their sum is the region.
	execution, storage int64
	stored             int64           // of the storage pool
	tasks              map[int64]int64 // what each task holds of the execution pool
}

// New makes a Manager whose storage has its part of the region, and execution the rest.
func New(r Region) *Manager {
	return &Manager{region: r, execution: r.Size - r.Storage, storage: r.Storage, tasks: map[int64]int64{}}
}

// SetEvictor says who gives up blocks. Without an Evictor none is given up.
func (m *Manager) SetEvictor(e Evictor) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.evictor = e
}

// Usage is how much of the region is taken, in bytes.
type Usage struct{ Execution, Storage int64 }

// Usage is that of now.
func (m *Manager) Usage() Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return Usage{Execution: m.held(), Storage: m.stored}
}

// MaxStorage is how much storage could have now: what execution does not hold (maxOnHeapStorageMemory).
func (m *Manager) MaxStorage() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.region.Size - m.held()
}

// AcquireStorage takes so many bytes for a block, all or nothing. It borrows what execution does not use, and gives up other blocks
// where that is too little. It mirrors UnifiedMemoryManager.acquireStorageMemory.
func (m *Manager) AcquireStorage(block string, bytes int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if bytes < 0 || bytes > m.region.Size-m.held() { // no block is given up for one that does not fit anyway
		return false
	}
	if short := bytes - (m.storage - m.stored); short > 0 {
		borrowed := min(m.execution-m.held(), short)
		m.execution -= borrowed
		m.storage += borrowed
	}
	if short := bytes - (m.storage - m.stored); short > 0 {
		m.evict(block, short)
	}
	if bytes > m.storage-m.stored {
		return false
	}
	m.stored += bytes
	return true
}

// ReleaseStorage gives back bytes of blocks.
func (m *Manager) ReleaseStorage(bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stored -= min(bytes, m.stored)
}

// AcquireExecution takes up to so many bytes for a task, and returns how many. It takes back what storage has borrowed, giving up blocks.
// It mirrors ExecutionMemoryPool.acquireMemory, but for the waiting.
func (m *Manager) AcquireExecution(task, bytes int64) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if bytes <= 0 {
		return 0
	}
	if _, known := m.tasks[task]; !known {
		m.tasks[task] = 0 // from here on it counts among the tasks that share
	}
	m.growExecution(bytes - (m.execution - m.held()))
	// What execution could have, if it took back all that storage borrowed: a task's share must not shrink while blocks fill the region.
	most := (m.region.Size - min(m.stored, m.region.Storage)) / int64(len(m.tasks))
	granted := min(bytes, max(0, most-m.tasks[task]), m.execution-m.held())
	m.tasks[task] += granted
	return granted
}

// growExecution takes so many bytes from the storage pool: what is free there, or what the pool has above its own part.
func (m *Manager) growExecution(bytes int64) {
	reclaimable := max(m.storage-m.stored, m.storage-m.region.Storage)
	want := min(bytes, reclaimable)
	if want <= 0 {
		return
	}
	if short := want - (m.storage - m.stored); short > 0 {
		m.evict("", short)
	}
	taken := min(want, m.storage-m.stored)
	m.storage -= taken
	m.execution += taken
}

func (m *Manager) evict(forBlock string, bytes int64) {
	if m.evictor != nil {
		m.stored -= min(m.evictor.Evict(forBlock, bytes), m.stored)
	}
}

// ReleaseExecution gives back bytes of a task; more than it holds is all of it.
func (m *Manager) ReleaseExecution(task, bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if held, known := m.tasks[task]; known {
		m.tasks[task] = held - min(max(bytes, 0), held)
	}
}

// EndTask gives back all that a task holds, and returns how much that was. The other tasks share the region from then on.
func (m *Manager) EndTask(task int64) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	held := m.tasks[task]
	delete(m.tasks, task)
	return held
}

// held is what all tasks hold. The lock is held.
func (m *Manager) held() int64 {
	sum := int64(0)
	for _, n := range m.tasks {
		sum += n
	}
	return sum
}

// Task is one task's side of a Manager: what package rdd asks for memory.
type Task struct {
	m  *Manager
	id int64
}

// Task is that of a task attempt. Its owner calls Manager.EndTask when it has ended.
func (m *Manager) Task(id int64) Task { return Task{m, id} }

// Acquire takes up to n bytes, and returns how many.
func (t Task) Acquire(n int64) int64 { return t.m.AcquireExecution(t.id, n) }

// Release gives back n bytes.
func (t Task) Release(n int64) { t.m.ReleaseExecution(t.id, n) }
