package record

import (
	"sync"
	"sync/atomic"
	"time"
)

// clockTick is how coarse the ring's clock is, as long as timers come in time.
const clockTick = time.Millisecond

// clock is the time for the ring: reading the real one costs more than all else of a record. While records come, a timer
// brings it up to date each millisecond; the first record after a pause reads the real one.
type clock struct {
	now   atomic.Int64 // nanoseconds since 1970; 0: it stands
	total func() uint64

	mu      sync.Mutex
	timer   *time.Timer
	seen    uint64
	stopped bool
}

func (c *clock) read() int64 {
	if now := c.now.Load(); now != 0 {
		return now
	}
	return c.start()
}

func (c *clock) start() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now().UnixNano()
	switch {
	case c.stopped, c.now.Load() != 0: // after Close no timer is started; or another goroutine has just started it
		return now
	case c.timer == nil:
		c.timer = time.AfterFunc(clockTick, c.tick)
	default:
		c.timer.Reset(clockTick)
	}
	c.seen = c.total()
	c.now.Store(now)
	return now
}

// tick goes on as long as something was recorded since the last one.
func (c *clock) tick() {
	c.mu.Lock()
	defer c.mu.Unlock()
	total := c.total()
	if c.stopped || total == c.seen {
		// The clock stands, and the timer with it: an idle process is not woken a thousand times a second.
		c.now.Store(0)
		return
	}
	c.seen = total
	c.now.Store(time.Now().UnixNano())
	c.timer.Reset(clockTick)
}

func (c *clock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = true
	c.now.Store(0)
	if c.timer != nil {
		c.timer.Stop()
	}
}
