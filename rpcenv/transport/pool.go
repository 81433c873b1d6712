package transport

import (
	"sync"
	"time"
)

const (
	// throughput is how many items an inbox handles in one turn; protoactor's default.
	throughput = 300
	// reapEvery is how long a worker without work stays, at least; at most twice as long.
	reapEvery = 10 * time.Second
)

// pool runs functions on goroutines that it keeps: a goroutine that ran an inbox before has the stack for it, a new one
// would grow it again each time. It is an actor.Dispatcher. The number of goroutines has no bound, since a function may
// wait for another one.
type pool struct {
	mu      sync.Mutex
	idle    []*worker // the one used last is at the end
	spare   int       // how many at the front of idle were not needed since the last reaping
	reaping bool      // a reaping is due
	closed  bool
	live    int
	empty   chan struct{} // closed when it is closed and no worker is left
}

type worker struct{ next chan func() }

func newPool() *pool { return &pool{empty: make(chan struct{})} }

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
		p.live++
		p.mu.Unlock()
		go p.work(&worker{next: make(chan func(), 1)}, f)
		return
	}
	// The one used last, so that those at the front stay unused and reap finds them.
	w := p.idle[last]
	p.idle = p.idle[:last]
	p.spare = min(p.spare, last)
	p.mu.Unlock()
	w.next <- f // never waits: an idle worker's channel is empty
}

func (p *pool) work(w *worker, f func()) {
	defer p.leave()
	for ok := true; ok; f, ok = <-w.next {
		f()
		if !p.park(w) {
			return
		}
	}
}

func (p *pool) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.live--; p.closed && p.live == 0 {
		close(p.empty)
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
	// The timer runs only while a worker is idle: a pool that nobody uses any more has no timer either.
	if !p.reaping {
		p.reaping = true
		time.AfterFunc(reapEvery, p.reap)
	}
	return true
}

// reap ends the workers that were idle since the last reaping.
func (p *pool) reap() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return // close has closed the channels of all idle workers
	}
	for _, w := range p.idle[:p.spare] {
		close(w.next)
	}
	p.idle = append(p.idle[:0], p.idle[p.spare:]...)
	p.spare = len(p.idle)
	if p.reaping = p.spare > 0; p.reaping {
		time.AfterFunc(reapEvery, p.reap)
	}
}

// close ends the idle workers; the others end after what they do, for which it waits, at most for limit. It reports
// whether all ended.
func (p *pool) close(limit time.Duration) bool {
	p.mu.Lock()
	p.closed = true
	for _, w := range p.idle {
		close(w.next)
	}
	if p.live == 0 {
		close(p.empty)
	}
	p.mu.Unlock()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.empty:
		return true
	case <-timer.C:
		return false
	}
}
