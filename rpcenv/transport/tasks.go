package transport

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// tasks counts what a Host runs, by name, and lets nothing new begin once it is closed.
type tasks struct {
	mu      sync.Mutex
	running map[string]int
	closed  bool
	empty   chan struct{} // closed when it is closed and nothing runs
}

func newTasks() *tasks {
	return &tasks{running: map[string]int{}, empty: make(chan struct{})}
}

// begin reports whether something may run; if so, end must follow.
func (t *tasks) begin(name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return false
	}
	t.running[name]++
	return true
}

func (t *tasks) end(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running[name]--; t.running[name] == 0 {
		delete(t.running, name)
	}
	t.settle()
}

// close lets nothing begin any more. It reports whether it was the first to do so.
func (t *tasks) close() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return false
	}
	t.closed = true
	t.settle()
	return true
}

// settle wakes wait once nothing runs and nothing will. The caller holds t.mu.
func (t *tasks) settle() {
	if t.closed && len(t.running) == 0 {
		select {
		case <-t.empty:
		default:
			close(t.empty)
		}
	}
}

// wait waits, after close, until nothing runs, but not longer than limit. It names what still runs then.
func (t *tasks) wait(limit time.Duration) (left []string) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-t.empty:
		return nil
	case <-timer.C:
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(t.running)) {
		if n := t.running[name]; n > 1 {
			name = fmt.Sprintf("%s (%d times)", name, n)
		}
		left = append(left, name)
	}
	return left
}
