package transport

import (
	"sync/atomic"
	"time"
)

// rereadEvery is how long the wall clock is not read for: where somebody sets it, Now follows so much later.
const rereadEvery = 100 * time.Millisecond

// clock is the wall clock. Its time is what the wall clock said some time ago and what has passed since by the monotonic clock, because
// to read the one takes half as long as to read both. The zero value is ready.
type clock struct{ read atomic.Pointer[time.Time] }

func (c *clock) now() time.Time {
	if at := c.read.Load(); at != nil {
		if d := time.Since(*at); d < rereadEvery {
			return at.Add(d)
		}
	}
	return c.reread()
}

func (c *clock) reread() time.Time {
	now := time.Now()
	c.read.Store(&now)
	return now
}
