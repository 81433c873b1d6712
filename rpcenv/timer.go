package rpcenv

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/coherer/coherer/rpcenv/trace/record"
)

// Timer is a timer of an endpoint. The zero Timer is none. It mirrors the futures of a ScheduledExecutorService.
type Timer struct{ t *timer }

// Active reports whether the timer will tick again.
func (t Timer) Active() bool { return t.t != nil && !t.t.dead.Load() }

type timer struct {
	msg     Message
	cause   record.ID // the item that armed it
	period  time.Duration
	quiet   bool        // its ticks are counted, not recorded
	fire    func()      // posts a tick; the Host calls it
	waiting atomic.Bool // a tick is in the inbox
	dead    atomic.Bool
	at      int32 // its place in owned, which guards it

	mu   sync.Mutex // see the lock order in outbox.go
	stop func()     // of the wait that is under way
}

func (t *timer) cancel() {
	// dead before stop is read: schedule, which fire may be in, arms nothing after this, and what it armed before is stopped here.
	t.dead.Store(true)
	t.mu.Lock()
	stop := t.stop
	t.mu.Unlock()
	stop()
}

// schedule starts the next wait.
func (t *timer) schedule(h Host, d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.dead.Load() {
		t.stop = h.After(d, t.fire)
	}
}
