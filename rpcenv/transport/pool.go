package transport

import (
	"sync"
	"time"
)

const (
	// throughput is how many items an inbox handles in one turn; protoactor's default.
	throughput = 300
	// reapEvery is how long a worker that nobody needs stays.
	reapEvery = 10 * time.Second
)

// pool runs functions on goroutines that it keeps: a goroutine that ran an inbox before has the stack for it, a new one
// would grow it again each time. It is an actor.Dispatcher. The number of goroutines has no bound, since a function may
// wait for another one.
type pool struct {
	mu     sync.Mutex
	idle   []*worker // the one used last is at the end
	spare  int       // how many at the front of idle were not needed since the last reaping
	reaper *time.Timer
	closed bool
	live   sync.WaitGroup
}

type worker struct{ next chan func() }

func newPool() *pool { return new(pool) }

// Throughput is how many items an inbox handles in one turn.
func (p *pool) Throughput() int { return throughput }

// Schedule runs f soon on another goroutine and never waits. After close it does nothing.
func (p *pool) Schedule(f func()) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return
	}
	last := len(p.idle) - 1
	if last < 0 {
		p.live.Add(1)
		p.mu.Unlock()
		go p.work(&worker{next: make(chan func(), 1)}, f)
		return
	}
	w := p.idle[last]
	p.idle = p.idle[:last]
	p.spare = min(p.spare, last)
	p.mu.Unlock()
	w.next <- f // never waits: an idle worker's channel is empty
}

func (p *pool) work(w *worker, f func()) {
	defer p.live.Done()
	for ok := true; ok; f, ok = <-w.next {
		f()
		if !p.park(w) {
			return
		}
	}
}

// park makes w idle; false when the pool is closed.
func (p *pool) park(w *worker) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.idle = append(p.idle, w)
	if p.reaper == nil {
		p.spare = 0
		p.reaper = time.AfterFunc(reapEvery, p.reap)
	}
	return true
}

// reap ends the workers that were idle since the last reaping.
func (p *pool) reap() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	for _, w := range p.idle[:p.spare] {
		close(w.next)
	}
	p.idle = append(p.idle[:0], p.idle[p.spare:]...)
	p.spare = len(p.idle)
	if p.reaper = nil; p.spare > 0 {
		p.reaper = time.AfterFunc(reapEvery, p.reap)
	}
}

// close ends the idle workers; the others end after what they do. It does not wait.
func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.closed = true
	if p.reaper != nil {
		p.reaper.Stop()
	}
	for _, w := range p.idle {
		close(w.next)
	}
	p.idle = nil
}
