package flows

import (
	"sync"
	"time"

	"github.com/coherer/coherer/bench/measure"
)

// turns lets peers do operations in turn, as many at a time as the spec has in flight. Its methods may be called from any goroutine, also
// in handlers.
type turns struct {
	// begin begins an operation of a peer; it must not wait, nor call other methods than end.
	begin func(peer int, at time.Duration)

	mu      sync.Mutex
	ops     *measure.Ops
	idle    chan int // in the order of their coming; guarded by mu, so neither end waits
	running bool
	over    chan error // with room for the one result
}

// newTurns makes the turns of peers, numbered below a limit.
func newTurns(ops *measure.Ops, peers int) *turns {
	return &turns{ops: ops, idle: make(chan int, peers), over: make(chan error, 1)}
}

// start begins the trial with the peers that are ready.
func (t *turns) start() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running = true
	t.next()
}

// wake begins what the rate has made due.
func (t *turns) wake() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next()
}

// ready says that a peer can do an operation.
func (t *turns) ready(peer int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.idle <- peer
	t.next()
}

// done ends an operation that began at a time. Its peer is not ready by that.
func (t *turns) done(at time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.running {
		return
	}
	over, err := t.ops.Done(at)
	if over || err != nil {
		t.end(err)
		return
	}
	t.next()
}

// did ends an operation, like done, of a peer that can do the next one at once.
func (t *turns) did(peer int, at time.Duration) {
	t.mu.Lock()
	t.idle <- peer
	t.mu.Unlock()
	t.done(at)
}

// fail ends the trial.
func (t *turns) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end(err)
}

// next begins what may begin.
func (t *turns) next() {
	for t.running && len(t.idle) > 0 {
		_, at, ok := t.ops.Next()
		if !ok {
			return
		}
		t.begin(<-t.idle, at)
	}
}

// end passes on the first result; after it nothing begins.
func (t *turns) end(err error) {
	t.running = false
	select {
	case t.over <- err:
	default:
	}
}
